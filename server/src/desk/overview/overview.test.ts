/**
 * What there is, what needs a person, what has moved: each figure against the books, each part only
 * for who may see it.
 */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { decimal, format } from '../../core/decimal.ts'
import { testServer } from '../../http/testing.ts'
import type { TestServer } from '../../http/testing.ts'
import { sql } from '../../store/sql.ts'
import { openMovements } from '../../treasury/testing/movements.testing.ts'
import { movement, OPENED_AT } from '../../treasury/testing/venue.fixture.ts'
import { deskEndpoints } from '../index.ts'
import type { Overview } from './overview.schema.ts'

type Place = Awaited<ReturnType<typeof openMovements>>
const ALL = [
  'accounts.read',
  'treasury.deposits.read',
  'treasury.withdrawals.read',
  'treasury.jobs.read',
  'treasury.routes.read',
  'treasury.wallets.read',
  'trading.executions.read',
  'assignments.read',
  'desk.read',
  'venues.read',
]

describe('overview', () => {
  let place: Place
  let api: TestServer
  let permissions: Set<string>
  before(async () => {
    place = await openMovements()
    permissions = new Set(ALL)
    api = await testServer({
      db: place.db,
      clock: place.clock,
      endpoints: deskEndpoints(place.app),
      authenticate: async () => ({ ...place.principal, permissions }),
    })
    await place.fund(place.alice.account_id, 'BTC', '5')
    await place.fund(place.alice.account_id, 'EUR', '500')
  })
  after(async () => {
    await api.close()
    await place.close()
  })
  const overview = async (query = ''): Promise<Overview> => {
    const answer = await api.call<Overview>('GET', `/overview${query}`)
    assert.equal(answer.status, 200, answer.text)
    return answer.data
  }
  const need = (of: Overview, kind: string) => of.needs.find((need) => need.kind === kind)

  it('tells of each asset what there is and whose it is', async () => {
    const btc = (await overview()).assets?.find((asset) => asset.asset === 'BTC')
    assert.ok(btc !== undefined)
    const { held, held_by_venues, owed, house, transit, unassigned } = btc
    assert.deepEqual(
      { held, held_by_venues, owed, house, transit, unassigned },
      { held: '15', held_by_venues: '15', owed: '5', house: '10', transit: '0', unassigned: '0' },
    )
    assert.deepEqual(
      btc.venues
        .map(({ held: booked, reported }) => ({ booked, reported }))
        .toSorted((a, b) => (a.booked < b.booked ? -1 : 1)),
      [
        { booked: '10', reported: '10' },
        { booked: '5', reported: '5' },
      ],
    )
  })

  it('what customers are owed is the sum of their accounts', async () => {
    const { assets } = await overview()
    const sums = await place.db.query<{ asset: string; total: string }>(sql`
      select b.asset, sum(b.total) as total
      from balances b
      join accounts a on a.workspace = b.workspace
        and a.id = b.account_id
      where a.workspace = ${place.workspace}
        and a.type = 'CUSTOMER'
      group by b.asset
      order by b.asset`)
    assert.deepEqual(
      assets?.filter((asset) => asset.owed !== '0').map(({ asset, owed }) => ({ asset, owed })),
      sums.map(({ asset, total }) => ({ asset, owed: format(decimal(total)) })),
    )
  })

  it('a deposit of nobody is unassigned, needs a person, and has moved today', async () => {
    assert.equal(need(await overview(), 'deposits_unassigned')?.count, 0)
    place.arrives(place.vault, movement('overview-1', 'BTC', '2', { wallet: '0' }))
    await place.later(60_000)
    const now = await overview()
    assert.equal(now.assets?.find((asset) => asset.asset === 'BTC')?.unassigned, '2')
    const unassigned = need(now, 'deposits_unassigned')
    assert.ok(unassigned !== undefined)
    assert.equal(unassigned.count, 1)
    assert.equal(unassigned.age_ms, now.at - (unassigned.oldest_at ?? 0))
    assert.deepEqual(unassigned.link, {
      list: '/treasury/deposits',
      filter: { state: 'UNASSIGNED,PARTIALLY_ASSIGNED' },
    })
    assert.deepEqual(now.movements.deposits, [{ asset: 'BTC', count: 1, quantity: '2' }])
  })

  it('an own transfer is in transit and a transfer, any other a pending withdrawal', async () => {
    const withdraw = async (route: { id: string }, quantity: string) =>
      place.call('POST', `/treasury/wallets/routes/${route.id}/withdrawals`, {
        quantity,
        speed_level: 'DEFAULT',
      })
    assert.equal((await withdraw(place.routes.vaultToExchange, '0.5')).success, true)
    assert.equal((await withdraw(place.routes.payout, '0.25')).success, true)
    await place.work()
    const { assets, movements, needs } = await overview()
    const btc = assets?.find((asset) => asset.asset === 'BTC')
    assert.equal(btc?.pending_out, '0.25')
    assert.deepEqual(movements.transfers, [{ asset: 'BTC', count: 1, quantity: '0.5' }])
    assert.deepEqual(movements.withdrawals, [{ asset: 'BTC', count: 1, quantity: '0.25' }])
    assert.equal(needs.find((need) => need.kind === 'withdrawals_stuck')?.count, 0)
    await place.later(3_600_001)
    assert.equal(need(await overview(), 'withdrawals_stuck')?.count, 2)
  })

  it('a halt and a venue that does not answer need a person', async () => {
    const before = await overview()
    assert.equal(need(before, 'halts_set')?.count, 0)
    await api.call('PUT', '/desk/halts', {
      body: { action: 'TRADING', halted: true, reason: 'drill' },
    })
    permissions.add('halts.write')
    assert.equal(
      (
        await api.call('PUT', '/desk/halts', {
          body: { action: 'TRADING', halted: true, reason: 'drill' },
        })
      ).status,
      200,
    )
    permissions.delete('halts.write')
    await place.db.query(
      sql`
        update venues
        set state = 'UNREACHABLE', fault = 'no statement yet'
        where workspace = ${place.workspace}
          and id = ${place.bank.id}`,
    )
    const now = await overview()
    assert.equal(need(now, 'halts_set')?.count, 1)
    assert.ok((need(now, 'venues_stale')?.count ?? 0) > 0)
    assert.deepEqual(
      need(now, 'venues_stale')?.reasons.map((reason) => reason.replace(/^.*: /, '')),
      ['no statement yet'],
    )
    assert.deepEqual(need(now, 'halts_set')?.reasons, [])
  })

  it('counts movements from the time asked for, at most seven days back', async () => {
    assert.deepEqual((await overview(`?from=${place.clock.now()}`)).movements.deposits, [])
    assert.equal((await overview(`?from=${OPENED_AT - 1000}`)).from, OPENED_AT - 1000)
    for (const from of [place.clock.now() + 1, place.clock.now() - 7 * 86_400_000 - 1]) {
      const refused = await api.call('GET', `/overview?from=${from}`)
      assert.deepEqual(
        { status: refused.status, code: refused.error_details?.[0]?.code },
        { status: 400, code: 'RANGE' },
      )
    }
  })

  it('shows each part only to who may see it', async () => {
    permissions = new Set(['trading.executions.read'])
    const { assets, needs, movements } = await overview()
    assert.equal(assets, null)
    assert.deepEqual(
      needs.map((need) => need.kind),
      [
        'executions_unknown',
        'executions_contradicted',
        'executions_stuck',
        'executions_incomplete',
        'stops_waiting_in_vain',
      ],
    )
    assert.deepEqual(movements, {
      deposits: null,
      withdrawals: null,
      transfers: null,
      executions: [],
    })
    permissions = new Set(ALL)
  })
})
