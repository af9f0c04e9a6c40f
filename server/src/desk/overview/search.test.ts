/**
 * Found by whatever it is known by; never what the caller may not see, never what another workspace
 * has.
 */
import { workerCaller } from '../../http/index.ts'
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { newId } from '../../core/ids.ts'
import type { WorkspaceId } from '../../core/ids.ts'
import { createCustomer } from '../../customers/index.ts'
import type { Customer } from '../../customers/index.ts'
import { testServer } from '../../http/testing.ts'
import type { TestServer } from '../../http/testing.ts'
import { sql } from '../../store/sql.ts'
import { openMovements } from '../../treasury/testing/movements.testing.ts'
import { BTC_ADDRESS, departure, IBAN, movement } from '../../treasury/testing/venue.fixture.ts'
import { deskEndpoints } from '../index.ts'
import type { Hit } from './search.schema.ts'

type Place = Awaited<ReturnType<typeof openMovements>>
const ALL = [
  'accounts.read',
  'customers.read',
  'bookings.read',
  'treasury.deposits.read',
  'treasury.withdrawals.read',
  'treasury.jobs.read',
  'treasury.routes.read',
  'treasury.wallets.read',
  'matchings.read',
  'trading.executions.read',
  'trading.quotes.read',
  'trading.routes.read',
  'assignments.read',
  'rectifications.read',
  'desk.read',
  'venues.read',
  'users.write',
]
const HASH = '0xAbCd00112233445566778899aabbccddeeff00112233445566778899aabbccdd'

describe('search', () => {
  let place: Place
  let api: TestServer
  let permissions: Set<string>
  let workspace: WorkspaceId
  let company: Customer
  let deposit_id: string
  before(async () => {
    place = await openMovements()
    permissions = new Set(ALL)
    workspace = place.workspace
    api = await testServer({
      db: place.db,
      clock: place.clock,
      endpoints: deskEndpoints(place.app),
      authenticate: async () => ({ ...place.principal, workspace, permissions }),
    })
    company = await place.db.tx((tx) =>
      createCustomer(workerCaller(place.workspace, 'test'), tx, place.clock, {
        type: 'INSTITUTION',
        label: 'Müller & Söhne GmbH',
        margin: 'DEFAULT',
        booking_schema: 'ADVANCED',
        ignore_balance_check: false,
        ignore_margin: false,
        company_name: 'Mueller Holding',
        foreign_id: 'CRM-0042',
        notification_recipients: ['treasury@mueller.example'],
      }),
    )
    place.arrives(
      place.bank,
      movement('camt-77/1', 'EUR', '1234.5', {
        wallet: IBAN,
        reference_text: 'Invoice 2026-118, thanks',
        counterparty: { name: 'Erika Beispiel', iban: 'FR1420041010050500013M02606', bic: null },
        transaction_hash: HASH,
      }),
    )
    await place.later(60_000)
    const [deposit] = await place.db.query<{ id: string }>(
      sql`
        select id
        from deposits
        where workspace = ${workspace}
          and foreign_id = 'camt-77/1'`,
    )
    deposit_id = deposit?.id ?? ''
  })
  after(async () => {
    await api.close()
    await place.close()
  })
  const find = async (q: string, more = ''): Promise<Hit[]> => {
    const answer = await api.call<Hit[]>('GET', `/search?q=${encodeURIComponent(q)}${more}`)
    assert.equal(answer.status, 200, answer.text)
    return answer.data
  }
  const found = async (q: string) =>
    (await find(q)).map((hit) => `${hit.kind} ${hit.id} ${hit.matched_field}`)

  it("a deposit by its id, hash, reference, sender, IBAN, venue's id and amount", async () => {
    const looks: [string, string][] = [
      [deposit_id, 'id'],
      [deposit_id.slice(0, 23), 'id'],
      [HASH, 'transaction_hash'],
      [HASH.slice(2, 14).toUpperCase(), 'transaction_hash'],
      ['invoice 2026', 'reference_text'],
      ['118 THANKS', 'reference_text'],
      ['erika', 'counterparty.name'],
      ['Beispiel', 'counterparty.name'],
      ['FR14 2004 1010', 'source_address'],
      ['CAMT-77', 'foreign_id'],
      ['1234.5', 'quantity'],
      ['1234.50', 'quantity'],
    ]
    for (const [q, field] of looks)
      assert.ok(
        (await found(q)).includes(`deposit ${deposit_id} ${field}`),
        `${q}: ${JSON.stringify(await find(q))}`,
      )
    const [hit] = await find(HASH)
    assert.deepEqual(
      { title: hit?.title, state: hit?.state, exact: hit?.exact },
      { title: 'Deposit 1234.5 EUR', state: 'UNASSIGNED', exact: true },
    )
  })

  it('a withdrawal by the name that its caller gave it', async () => {
    await place.leaves(place.vault, departure('named', 'BTC', '0.75'))
    const named = sql`
      update withdrawals
      set client_ref = 'Payroll-2031/7'
      where workspace = ${workspace}
        and foreign_id = 'named'
      returning id`
    const [withdrawal] = await place.db.query<{ id: string }>(named)
    assert.deepEqual(await found('payroll-2031/7'), [`withdrawal ${withdrawal?.id} client_ref`])
  })

  it('a withdrawal by each transaction that lost its place to another', async () => {
    await place.leaves(
      place.vault,
      departure('boost-2', 'BTC', '0.25', {
        transaction_hash: '0xB00572',
        former: [{ foreign_id: 'boost-1', transaction_hash: '0xB00571' }],
      }),
    )
    const [withdrawal] = await place.db.query<{ id: string }>(
      sql`
        select id
        from withdrawals
        where workspace = ${workspace}
          and foreign_id = 'boost-2'`,
    )
    const looks: [string, string][] = [
      ['0xB00572', 'transaction_hash'],
      ['b00571', 'former_transactions'],
      ['BOOST-1', 'former_transactions'],
    ]
    for (const [q, field] of looks)
      assert.deepEqual(await found(q), [`withdrawal ${withdrawal?.id} ${field}`])
  })

  it('a customer by any run of words of its name, its foreign id, and an e-mail', async () => {
    for (const [q, field] of [
      ['müller', 'label'],
      ['SÖHNE gm', 'label'],
      ['holding', 'company_name'],
      ['crm-0042', 'foreign_id'],
      ['treasury@mueller', 'notification_recipients'],
      ['mueller.example', 'notification_recipients'],
    ] as const) {
      assert.ok(
        (await found(q)).includes(`customer ${company.id} ${field}`),
        `${q}: ${JSON.stringify(await find(q))}`,
      )
    }
    assert.deepEqual(
      (await find('müller')).map((hit) => hit.parent),
      [{ kind: 'account', id: company.account_id }],
    )
  })

  it('a customer by the end of its id, which its account names', async () => {
    const short = company.id.slice(-6)
    for (const q of [short, `…${short.toUpperCase()}`])
      assert.deepEqual(await found(q), [`customer ${company.id} id`])
    const [account] = await find(company.account_id)
    assert.partialDeepStrictEqual(account ?? {}, {
      subtitle: 'CUSTOMER · CRM-0042',
      parent: { kind: 'customer', id: company.id },
    })
  })

  it('follows what changes', async () => {
    await place.db.query(
      sql`
        update customers
        set label = 'Renamed AG'
        where workspace = ${workspace}
          and id = ${company.id}`,
    )
    assert.deepEqual(await found('söhne'), [])
    assert.ok((await found('renamed')).includes(`customer ${company.id} label`))
  })

  it('wallets, routes, venues and accounts by label and address', async () => {
    assert.ok(
      (await found(BTC_ADDRESS.slice(0, 12))).includes(`wallet ${place.wallets.vault.id} address`),
    )
    assert.ok((await find('wallet')).some((hit) => hit.kind === 'wallet'))
    assert.ok((await find('vault')).some((hit) => hit.kind === 'venue'))
    assert.ok((await find('suspense')).some((hit) => hit.kind === 'account'))
    assert.ok(
      (await find(place.alice.account_id)).some(
        (hit) => hit.kind === 'account' && hit.title === 'Alice',
      ),
    )
  })

  it('a whole match comes before a beginning, and no kind takes all places', async () => {
    for (let number = 0; number < 6; number += 1) await place.customer(`Zoe ${number}`)
    await place.db.query(
      sql`
        update venues
        set label = 'Zoe'
        where workspace = ${workspace}
          and id = ${place.bank.id}`,
    )
    const hits = await find('zoe', '&limit=4')
    assert.equal(hits.length, 4)
    assert.deepEqual({ kind: hits[0]?.kind, exact: hits[0]?.exact }, { kind: 'venue', exact: true })
  })

  it('only kinds that the caller may see', async () => {
    permissions = new Set(['customers.read'])
    assert.deepEqual(await find(deposit_id), [])
    assert.deepEqual(await find('erika'), [])
    assert.equal((await find('renamed')).length, 1)
    permissions = new Set()
    assert.deepEqual(await find('renamed'), [])
    permissions = new Set(ALL)
  })

  it('nothing of another workspace', async () => {
    workspace = newId()
    for (const q of [deposit_id, HASH, 'renamed', '1234.5', IBAN])
      assert.deepEqual(await find(q), [])
    workspace = place.workspace
  })

  it('takes any text, and asks for two characters', async () => {
    for (const q of [
      '%%',
      "'; drop table users",
      '\\\\',
      '((((',
      '🙂🙂',
      '=1.5;',
      '0x',
      '...',
      '12345678901234567890.123456789012345678',
      '   ab   ',
    ])
      await find(q)
    for (const q of ['', 'a', ' a '])
      assert.equal((await api.call('GET', `/search?q=${encodeURIComponent(q)}`)).status, 400)
  })
})
