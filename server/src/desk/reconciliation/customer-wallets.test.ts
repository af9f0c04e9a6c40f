import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { decimal, format, sum } from '../../core/decimal.ts'
import type { Customer } from '../../customers/index.ts'
import { refusalOf, testServer } from '../../http/testing.ts'
import type { TestServer } from '../../http/testing.ts'
import { BOBS, BOBS_OTHER, CAROLS } from '../../treasury/batches/shared-transactions.testing.ts'
import { CUSTOMERS_ADDRESS } from '../../treasury/testing/movements.testing.ts'
import { balance, movement } from '../../treasury/testing/venue.fixture.ts'
import type { Wallet } from '../../treasury/wallets/wallets.schema.ts'
import { deskEndpoints } from '../index.ts'
import type { CustomerWallets } from './customer-wallets.schema.ts'
import { openReconciliation } from './reconciliation.testing.ts'
import type { ReconciliationDesk } from './reconciliation.testing.ts'

describe("customers' wallets beside their books", () => {
  let desk: ReconciliationDesk
  let place: ReconciliationDesk['place']
  let api: TestServer
  let alices: Wallet
  let bob: Customer
  before(async () => {
    desk = await openReconciliation()
    place = desk.place
    bob = await place.customer('Bob')
    alices = await inside(place.alice, '7', BOBS)
    const principal = { ...place.principal, permissions: new Set(['desk.read']) }
    api = await testServer({
      db: place.db,
      clock: place.clock,
      endpoints: deskEndpoints(place.app),
      authenticate: async () => principal,
    })
    holds({})
    await desk.run()
  })
  after(async () => {
    assert.deepEqual(await place.verify(), [])
    await api.close()
    await desk.end()
  })

  const inside = (owner: Customer, vault_id: string, address: string) =>
    place.wallet({
      type: 'CUSTOMER',
      asset: 'BTC',
      address,
      venue_id: place.vault.id,
      service_id: place.vault.service_id,
      account_id: owner.account_id,
      customer_id: owner.id,
      configuration: { vault_id, protocol: 'BTC' },
    })
  const held: Record<string, string> = { 0: '10', 7: '0' }
  const holds = (wallets: Record<string, string>) => {
    Object.assign(held, wallets)
    place.vault.balances = Object.entries(held).map(([wallet, total]) =>
      balance('BTC', total, { wallet, protocol: 'BTC' }),
    )
  }
  const list = async (query = '') => {
    const answer = await api.call<CustomerWallets[]>('GET', `/desk/customer-wallets?${query}`)
    assert.equal(answer.status, 200, answer.text)
    return answer.data
  }
  const of = async (customer: Customer, asset = 'BTC') => {
    const [row] = await list(`customer_id=${customer.id}&asset=${asset}`)
    assert.ok(row)
    return row
  }
  /** The formula alone: in_pool and in_flight are what remains, so tests name the figures too. */
  const assertExplained = (row: CustomerWallets) => {
    const { in_flight, unassigned, unexplained, unsettled, in_pool, difference } = row
    const explained =
      sum([in_flight, unassigned, unexplained].map(decimal)) -
      sum([unsettled, in_pool].map(decimal))
    assert.equal(format(explained), difference, JSON.stringify(row))
  }
  const arrives = async (id: string, quantity: string, more: object = {}) => {
    place.arrives(
      place.vault,
      movement(id, 'BTC', quantity, { wallet: '7', destination_address: BOBS, ...more }),
    )
    await place.later(10_000)
  }

  it('agree when all that a customer has lies in wallets of their own', async () => {
    holds({ 7: '2' })
    await arrives('a1', '2')
    await desk.run()
    assert.partialDeepStrictEqual(await of(place.alice), {
      customer_label: 'Alice',
      wallets: 1,
      venue: '2',
      ledger: '2',
      total: '2',
      available: '2',
      difference: '0',
      in_pool: '0',
    })
  })

  it('differ by what lies in the pool', async () => {
    await place.fund(place.alice.account_id, 'BTC', '0.5')
    await place.fund(bob.account_id, 'BTC', '3')
    const alices = await of(place.alice)
    assert.partialDeepStrictEqual(alices, { total: '2.5', difference: '-0.5', in_pool: '0.5' })
    assertExplained(alices)
    const bobs = await of(bob)
    assert.partialDeepStrictEqual(bobs, {
      wallets: 0,
      venue: '0',
      ledger: '0',
      total: '3',
      in_pool: '3',
      compared_at: null,
    })
    assertExplained(bobs)
  })

  it('hold what is of others when the customer has less than lies there', async () => {
    await place.spend(place.alice.account_id, 'BTC', '1.5')
    const row = await of(place.alice)
    assert.partialDeepStrictEqual(row, { ledger: '2', total: '1', difference: '1', in_pool: '-1' })
    assertExplained(row)
    await place.fund(place.alice.account_id, 'BTC', '1')
  })

  it('differ by what is in flight, and by what nothing explains', async () => {
    await arrives('a2', '0.25', { state: 'PENDING' })
    holds({ 7: '2.25' })
    await desk.run()
    const arriving = await of(place.alice)
    assert.partialDeepStrictEqual(arriving, {
      venue: '2.25',
      ledger: '2',
      in_flight: '0.25',
      unexplained: '0',
    })
    assertExplained(arriving)
    holds({ 7: '2.35' })
    await desk.run()
    const strange = await of(place.alice)
    assert.equal(strange.unexplained, '0.1')
    assertExplained(strange)
    holds({ 7: '2.25' })
    await arrives('a2', '0.25')
    await desk.run()
    const arrived = await of(place.alice)
    assert.partialDeepStrictEqual(arrived, { ledger: '2.25', total: '2.25', difference: '0' })
  })

  it('differ by what nobody has decided yet', async () => {
    await place.settings({ compliance: true })
    holds({ 7: '2.75' })
    await arrives('a3', '0.5')
    await place.settings({ compliance: false })
    await desk.run()
    const row = await of(place.alice)
    assert.partialDeepStrictEqual(row, {
      venue: '2.75',
      ledger: '2.75',
      total: '2.25',
      unassigned: '0.5',
      in_pool: '0',
    })
    assertExplained(row)
  })

  it('count no own transfer that a person resolved as undecided', async () => {
    const toHouse = await place.route(alices, place.wallets.vault, 'BTC')
    const { vault } = place.models
    const { unassigned } = await of(place.alice)
    const { data: sent } = await place.call<{ id: string }>(
      'POST',
      `/treasury/wallets/routes/${toHouse.id}/withdrawals`,
      { quantity: '0.25', speed_level: 'DEFAULT' },
    )
    vault.mode = 'lost'
    await place.work()
    vault.mode = 'accept'
    const url = `/treasury/withdrawals/${sent.id}/resolve`
    const done = await place.call('POST', url, { state: 'SUCCESS', evidence: 'seen on chain' })
    assert.equal(done.status, 200, done.text)
    assert.equal((await of(place.alice)).unassigned, unassigned)
  })

  it('show what is blocked apart', async () => {
    const answer = await place.call(
      'POST',
      `/treasury/wallets/routes/${place.routes.payout.id}/withdrawals`,
      { quantity: '0.5', speed_level: 'DEFAULT', account_id: place.alice.account_id },
    )
    assert.equal(answer.status, 200, answer.text)
    assert.partialDeepStrictEqual(await of(place.alice), {
      total: '2.25',
      available: '1.75',
      blocked: '0.5',
    })
  })

  it('are the pool where somebody shares the place', async () => {
    await inside(bob, '7', BOBS_OTHER)
    const row = await of(place.alice)
    assert.partialDeepStrictEqual(row, { wallets: 0, ledger: '0', in_pool: '2.25' })
    assertExplained(row)
    const carol = await place.customer('Carol')
    await inside(carol, '9', CAROLS)
    assert.partialDeepStrictEqual(await of(carol), { wallets: 1, venue: '0', total: '0' })
  })

  it('come page by page and as CSV, one row for each customer and asset', async () => {
    await place.fund(bob.account_id, 'EUR', '5')
    await place.fund(place.alice.account_id, 'EUR', '5')
    const rows = await list()
    const keys = rows.map((row) => `${row.customer_id} ${row.asset}`)
    assert.deepEqual(keys, keys.toSorted().toReversed())
    assert.equal(new Set(keys).size, 5)
    const paged: CustomerWallets[] = []
    let url: string | undefined = '/desk/customer-wallets?limit=2'
    while (url !== undefined) {
      const answer: Awaited<ReturnType<typeof api.call<CustomerWallets[]>>> = await api.call(
        'GET',
        url,
      )
      paged.push(...answer.data)
      const link: unknown = answer.headers['link']
      url = typeof link === 'string' ? /<\/api([^>]+)>/.exec(link)?.[1] : undefined
    }
    assert.deepEqual(paged, rows)
    const csv = await api.call('GET', '/desk/customer-wallets', { headers: { accept: 'text/csv' } })
    assert.equal(csv.text.trim().split('\r\n').length, 6)
    assert.match(csv.text, /^customer_id,customer_label,account_id,asset,wallets,venue,ledger/)
  })

  it('keep their customer once anything has moved through them', async () => {
    const unused = await inside(bob, '8', CUSTOMERS_ADDRESS)
    const give = (wallet: Wallet, to: Customer) =>
      place.call('PUT', `/treasury/wallets/${wallet.id}`, {
        ...wallet,
        customer_id: to.id,
        account_id: to.account_id,
      })
    assert.equal(refusalOf(await give(alices, bob)), '400 3001 IN_USE customer_id')
    const relabeled = await give({ ...alices, label: 'Her own' }, place.alice)
    assert.equal(relabeled.status, 200, relabeled.text)
    const given = await give(unused, place.alice)
    assert.equal(given.status, 200, given.text)
  })
})
