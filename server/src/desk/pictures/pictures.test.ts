/** The figures of pictures, against sums over all bookings, movements and breaks. */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { decimal, format } from '../../core/decimal.ts'
import { newId } from '../../core/ids.ts'
import { testServer } from '../../http/testing.ts'
import type { TestServer } from '../../http/testing.ts'
import { markPositions } from '../../ledger/index.ts'
import { openPriceBook } from '../../market-data/index.ts'
import { sql } from '../../store/sql.ts'
import { openMovements } from '../../treasury/testing/movements.testing.ts'
import { movement } from '../../treasury/testing/venue.fixture.ts'
import { picturesEndpoints } from './pictures.http.ts'
import type { BreakDays, Flows, PositionDays } from './pictures.schema.ts'

const HOUR = 3_600_000
const DAY = 24 * HOUR
const ZONE = 'time_zone=Asia/Kathmandu'

type Place = Awaited<ReturnType<typeof openMovements>>

describe('pictures', () => {
  let place: Place
  let api: TestServer
  let principal: Place['principal'] & { permissions: Set<string> }
  before(async () => {
    place = await openMovements()
    principal = {
      ...place.principal,
      permissions: new Set([
        'accounts.read',
        'desk.read',
        'treasury.deposits.read',
        'treasury.withdrawals.read',
        'trading.executions.read',
      ]),
    }
    const prices = openPriceBook()
    api = await testServer({
      db: place.db,
      clock: place.clock,
      endpoints: picturesEndpoints({ ...place.app, prices }),
      authenticate: async () => principal,
    })
    // Some of it on each of three days, so that a day begins between any two.
    for (const [day, quantity] of ['5', '0.25', '1.125'].entries()) {
      await place.fund(place.alice.account_id, 'BTC', quantity)
      await place.fund(place.alice.account_id, 'EUR', `${day + 1}00.5`)
      await place.clock.advance(DAY - HOUR)
      place.arrives(place.vault, movement(`of nobody ${day}`, 'BTC', '0.5', { wallet: '0' }))
      await place.later(60_000)
      await place.clock.advance(3 * HOUR)
    }
  })
  after(async () => {
    await api.close()
    await place.close()
  })

  const read = async <T>(path: string): Promise<T> => {
    const answer = await api.call<T>('GET', path)
    assert.equal(answer.status, 200, answer.text)
    return answer.data
  }
  const positions = (query = ZONE) => read<PositionDays>(`/desk/positions?${query}`)

  /** What all bookings before a time leave on an account: debit less credit. */
  const booked = async (account_id: string, asset: string, before: number): Promise<string> => {
    const [row] = await place.db.query<{ total: string }>(sql`
      select coalesce(
        sum(case l.type when 'DEBIT' then l.quantity else -l.quantity end), 0
      ) as total
      from legs l
      join bookings b on b.workspace = l.workspace
        and b.sequence = l.booking_sequence
      where l.workspace = ${place.workspace}
        and l.account_id = ${account_id}
        and b.asset = ${asset}
        and b.booked_at < ${before}`)
    return format(decimal(row?.total ?? '0'))
  }
  const signed = (type: string, total: string | null): string =>
    format(
      decimal(total ?? '0') * (['VENUE', 'TRANSIT', 'FEE', 'EXPENSE'].includes(type) ? 1n : -1n),
    )

  it('a position that is not marked yet is unknown, but for what it is now', async () => {
    const { days, accounts } = await positions()
    assert.equal(days.length, 30)
    const venue = accounts.find(({ type, asset }) => type === 'VENUE' && asset === 'BTC')
    assert.ok(venue !== undefined)
    assert.equal(venue.totals.at(-2), null)
    assert.equal(
      signed('VENUE', venue.totals.at(-1) ?? null),
      await booked(venue.account_id, 'BTC', place.clock.now() + 1),
    )
  })

  it('positions at the end of each day are the sums of all bookings before it', async () => {
    // In small steps, and twice: what is marked is not marked otherwise.
    await markPositions({ db: place.db }, { steps: 100, at_once: 2 })
    await markPositions({ db: place.db })
    const { days, accounts, exposures } = await positions()
    assert.ok(new Set(accounts.flatMap(({ totals }) => totals)).size > 5, 'they have moved')
    for (const { account_id, type, asset, totals } of accounts)
      for (const [index, { to }] of days.entries()) {
        const end = to === place.clock.now() ? to + 1 : to
        assert.equal(
          signed(type, totals[index] ?? null),
          await booked(account_id, asset, end),
          `${type} ${asset} on day ${index}`,
        )
      }
    const house = accounts.find(({ type, asset }) => type === 'HOUSE' && asset === 'BTC')
    const exposure = exposures.find(({ asset }) => asset === 'BTC')
    assert.deepEqual(exposure?.totals, house?.totals)
    assert.deepEqual([exposure?.price, exposure?.values[0]], [null, null])
  })

  it('an exposure has a value where there is a price, and none where there is not', async () => {
    const { exposures, value_in } = await positions(`${ZONE}&value_in=eur&days=2`)
    assert.equal(value_in, 'EUR')
    const euro = exposures.find(({ asset }) => asset === 'EUR')
    assert.equal(euro?.price, '1')
    assert.deepEqual(euro.values, euro.totals)
    assert.equal(exposures.find(({ asset }) => asset === 'BTC')?.price, null)
  })

  it('the flows of a day are its movements, hour by hour', async () => {
    const today = new Date(place.clock.now()).toISOString().slice(0, 10)
    const yesterday = new Date(place.clock.now() - DAY).toISOString().slice(0, 10)
    for (const day of [today, yesterday]) {
      const flows = await read<Flows>(`/desk/flows?day=${day}`)
      assert.equal(flows.hours.length, Math.ceil((flows.to - flows.from) / HOUR))
      const rows = await place.db.query<{ at: number; asset: string; quantity: string }>(sql`
        select system_created_at as at, asset, quantity
        from deposits
        where workspace = ${place.workspace}
          and system_created_at >= ${flows.from}
          and system_created_at < ${flows.to}`)
      assert.equal(
        flows.deposits?.reduce((count, flow) => count + flow.count, 0),
        rows.length,
      )
      for (const { asset, quantity, quantities } of flows.deposits ?? []) {
        const sumOf = (some: typeof rows) =>
          format(some.reduce((total, row) => total + decimal(row.quantity), 0n))
        const mine = rows.filter((row) => row.asset === asset)
        assert.equal(quantity, sumOf(mine))
        for (const [hour, begins] of flows.hours.entries())
          assert.equal(
            quantities[hour],
            sumOf(mine.filter(({ at }) => at >= begins && at < begins + HOUR)),
          )
      }
    }
  })

  it('breaks are counted on the day they opened, on the day they closed, and between', async () => {
    const { days } = await read<BreakDays>('/desk/breaks/days?days=5')
    const noon = (index: number): number => (days[index]?.from ?? 0) + HOUR
    const spans = [
      [noon(0) - 9 * DAY, noon(1)],
      [noon(1), noon(3)],
      [noon(1), noon(1) + 1],
      [noon(2), null],
      [noon(0) - 9 * DAY, noon(0) - 8 * DAY],
    ] as const
    for (const [opened, closed] of spans)
      await place.db.query(sql`
        insert into breaks (
          workspace, id, state, venue_id, asset, ledger, venue, on_the_way, difference, cause,
          explanation, first_seen_at, last_seen_at, closed_at, closed_reason, system_created_at,
          system_updated_at
        )
        values (
          ${place.workspace}, ${newId()}, ${closed === null ? 'OPEN' : 'CLOSED'}, ${place.bank.id},
          'EUR', 1, 2, 0, 1, 'UNKNOWN', 'a test', ${opened}, ${opened}, ${closed},
          ${closed === null ? null : 'RESOLVED'}, ${opened}, ${opened}
        )`)
    const { venues } = await read<BreakDays>('/desk/breaks/days?days=5')
    assert.deepEqual(
      venues.map(({ opened, closed, open }) => ({ opened, closed, open })),
      [{ opened: [0, 2, 1, 0, 0], closed: [0, 2, 0, 1, 0], open: [1, 1, 2, 1, 1] }],
    )
  })

  it('another workspace sees nothing of it, and each part needs its permission', async () => {
    const mine = principal
    principal = { ...mine, workspace: newId() }
    await place.db.query(sql`
      insert into lanes (
        workspace, booking_sequence, event_sequence, batch_no, last_hash, committed_at
      )
      values (${principal.workspace}, 0, 0, 0, '', 0)`)
    const theirs = await positions()
    assert.deepEqual([theirs.accounts, theirs.exposures], [[], []])
    assert.deepEqual((await read<BreakDays>('/desk/breaks/days')).venues, [])
    assert.deepEqual((await read<Flows>('/desk/flows')).deposits, [])
    principal = { ...mine, permissions: new Set(['treasury.withdrawals.read']) }
    const part = await read<Flows>('/desk/flows')
    assert.deepEqual(
      [part.deposits, part.bought, part.sold, part.withdrawals?.length],
      [null, null, null, 0],
    )
    for (const path of ['/desk/positions', '/desk/breaks/days'])
      assert.equal((await api.call('GET', path)).status, 403, path)
    principal = mine
  })

  it('refuses more days than it sums, a day to come and an unknown zone or asset', async () => {
    const refused = async (path: string): Promise<string | undefined> =>
      (await api.call('GET', path)).error_details?.[0]?.code
    assert.equal(await refused('/desk/positions?days=93'), 'RANGE')
    assert.equal(await refused('/desk/breaks/days?days=0'), 'RANGE')
    assert.equal(await refused('/desk/positions?day=2999-01-01'), 'RANGE')
    assert.equal(await refused('/desk/flows?day=2026-02-30'), 'FORMAT')
    assert.equal(await refused('/desk/flows?time_zone=Mars'), 'FORMAT')
    assert.equal(await refused('/desk/positions?value_in=NOPE'), 'UNKNOWN_ASSET')
  })
})
