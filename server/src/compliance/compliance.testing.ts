/** For tests: a workplace whose withdrawals are screened, and somebody who decides about cases. */
import assert from 'node:assert/strict'
import { newId } from '../core/ids.ts'
import { permissionsOf } from '../access/permissions.ts'
import type { Role } from '../access/index.ts'
import type { Principal } from '../http/index.ts'
import { testServer } from '../http/testing.ts'
import type { ScreeningCase } from '../screening/index.ts'
import { loadList, readListFiles } from '../screening/index.ts'
import { ofacFiles } from '../screening/lists.testing.ts'
import { sql } from '../store/sql.ts'
import { openWithdrawals } from '../treasury/withdrawals/withdrawals.testing.ts'
import { complianceEndpoints } from './index.ts'

/** A list that names these, with these addresses of coins, in the form of OFAC's files. */
type Listed = { name: string; address?: string }

export const listNaming = (...entries: readonly Listed[]) =>
  ofacFiles({
    sdn: [
      `36,"INVENTED AIRLINES",-0- ,"CUBA",${'-0- ,'.repeat(7)}-0- `,
      ...entries.map(
        ({ name, address }, place) =>
          `${100 + place},"${name}","individual","SDGT",${'-0- ,'.repeat(7)}` +
          (address === undefined ? '-0- ' : `"Digital Currency Address - XBT ${address}"`),
      ),
    ].join('\r\n'),
    alt: '36,9002,"fka","INVAIR S.A.",-0- ',
    comments: '',
  })

type Place = Awaited<ReturnType<typeof openWithdrawals>>['place']
type List = 'OFAC_SDN' | 'EU_CONSOLIDATED'

/** Turns on what is screened, and nothing else. */
function screeningOf(put: Place['settings']) {
  const set = (withdrawals: boolean, deposits: boolean, lists: readonly List[] = ['OFAC_SDN']) =>
    put({ screening: { withdrawals, deposits, lists: [...lists] } })
  return {
    on: (lists?: readonly List[]) => set(true, false, lists),
    deposits: (lists?: readonly List[]) => set(false, true, lists),
    off: () => set(false, false),
  }
}

export async function openCompliance() {
  const withdrawals = await openWithdrawals()
  const { place } = withdrawals
  const { app, db, clock, workspace } = place
  const people = new Map<string, Principal>()
  const server = await testServer({
    db,
    clock,
    endpoints: complianceEndpoints(app),
    authenticate: (header) => people.get(header ?? '') ?? place.principal,
  })
  const user = (...roles: Role[]): string => {
    const id = newId()
    const permissions = permissionsOf(roles)
    people.set(`Bearer ${id}`, {
      workspace,
      user_id: id as Principal['user_id'],
      session_id: newId(),
      permissions,
    } as Principal)
    return id
  }
  const officer = user('COMPLIANCE')
  const call = <Data = Record<string, unknown>>(
    method: 'GET' | 'POST',
    url: string,
    body?: unknown,
    { token = officer, headers = {} } = {},
  ) => server.call<Data>(method, url, { token, headers, ...(body === undefined ? {} : { body }) })
  return {
    ...withdrawals,
    officer,
    treasurer: user('TREASURER'),
    as: call,
    ...screeningOf(place.settings),
    async load(...entries: readonly Listed[]) {
      const read = readListFiles(listNaming(...entries))
      await db.tx((tx) => loadList({ tx, clock }, workspace, read, { by: 'test', smaller: true }))
    },
    cases: async (record_id: string) =>
      (await call<ScreeningCase[]>('GET', `/screening/cases?record_id=${record_id}`)).data,
    decide: (id: string | undefined, decision: 'CLEAR' | 'REFUSE', more: object = {}, as = {}) =>
      call<ScreeningCase>(
        'POST',
        `/screening/cases/${id}/decision`,
        { decision, reason: 'another date of birth', ...more },
        as,
      ),
    /** What is blocked for it. */
    async held(id: string): Promise<string[]> {
      const holds = await db.query<{ state: string }>(sql`
        select state
        from holds
        where workspace = ${workspace}
          and cause_id = ${id}`)
      return holds.map(({ state }) => state)
    },
    async close(): Promise<void> {
      await server.close()
      await place.close()
    },
    assertNothingSent(row: { external_id: string }) {
      assert.equal(withdrawals.sends(withdrawals.models.vault, row), 0)
    },
  }
}
