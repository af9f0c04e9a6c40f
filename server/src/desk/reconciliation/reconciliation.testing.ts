/** For tests: venues that a test moves, and the desk that compares them with the books. */
import assert from 'node:assert/strict'
import { newId } from '../../core/ids.ts'
import type { WorkspaceId } from '../../core/ids.ts'
import type { Principal } from '../../http/index.ts'
import { A_PROGRAM, testServer } from '../../http/testing.ts'
import type { TestServer } from '../../http/testing.ts'
import { openMovements } from '../../treasury/testing/movements.testing.ts'
import { balance } from '../../treasury/testing/venue.fixture.ts'
import { deskEndpoints } from '../index.ts'
import { CONFIRM_MILLISECONDS } from './comparison.ts'
import type { Break, Position } from './reconciliation.schema.ts'

type Place = Awaited<ReturnType<typeof openMovements>>

export async function openReconciliation(): Promise<ReconciliationDesk> {
  const place = await openMovements()
  const permissions = new Set(['desk.read', 'breaks.close', 'reconciliation.sign-off'])
  const principal = { ...place.principal, permissions }
  const api = await testServer({
    db: place.db,
    clock: place.clock,
    endpoints: deskEndpoints(place.app),
    authenticate: async (authorization) => ({ ...principal, ...OTHERS[authorization ?? ''] }),
  })
  return new ReconciliationDesk(place, api)
}

/** Who else calls, by the header `Authorization`. */
const OTHERS: Readonly<Record<string, Partial<Principal>>> = {
  'Bearer ann': { user_id: newId() },
  'Bearer ben': { user_id: newId() },
  'Bearer stranger': { workspace: newId() as WorkspaceId },
  'Bearer program': { api_key: A_PROGRAM },
  'Bearer reader': { permissions: new Set(['desk.read']) },
}

/** State, asset, difference and cause of a break. */
export const short = ({ state, asset, difference, cause }: Break): string =>
  `${state} ${asset} ${difference} ${cause}`

/** State, books, venue, in flight and difference of a position. */
export function positionOf(
  positions: readonly Position[],
  venue_id: string,
  asset: string,
): string | undefined {
  const found = positions.find(
    (position) => position.venue_id === venue_id && position.asset === asset,
  )
  return (
    found && `${found.state} ${found.ledger} ${found.venue} ${found.on_the_way} ${found.difference}`
  )
}

export class ReconciliationDesk {
  readonly place: Place
  readonly #api: TestServer

  constructor(place: Place, api: TestServer) {
    this.place = place
    this.#api = api
  }

  get api(): TestServer {
    return this.#api
  }

  async run(): Promise<Position[]> {
    const answer = await this.#api.call<Position[]>('POST', '/desk/reconciliation/run')
    assert.equal(answer.status, 200, answer.text)
    return answer.data
  }

  async breaks(query = ''): Promise<Break[]> {
    return (await this.#api.call<Break[]>('GET', `/desk/breaks?${query}`)).data
  }

  /** Looks until what differs is a break. */
  async confirmed(): Promise<Break[]> {
    await this.run()
    await this.place.later(CONFIRM_MILLISECONDS)
    await this.run()
    return this.breaks('state=OPEN')
  }

  close(id: string | null | undefined, note: string, token?: string) {
    return this.#api.call<Break>('POST', `/desk/breaks/${id}/close`, { body: { note }, token })
  }

  /** The vault reports this total. */
  holds(asset: string, total: string): void {
    const { vault } = this.place
    const wallet = asset === 'BTC' ? { wallet: '0', protocol: 'BTC' } : {}
    vault.balances = [
      ...vault.balances.filter((known) => known.asset !== asset),
      balance(asset, total, wallet),
    ]
  }

  /** Nothing differs that was not accepted, and the books are whole. */
  async assertNoBreak(): Promise<void> {
    await this.place.later(60_000)
    await this.run()
    assert.deepEqual((await this.breaks('state=OPEN')).map(short), [])
    assert.deepEqual(await this.place.verify(), [])
  }

  async end(): Promise<void> {
    await this.#api.close()
    await this.place.close()
  }
}
