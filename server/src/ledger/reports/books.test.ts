/**
 * Balances of any past moment, trial balance and statement, against a fold of all bookings until
 * then.
 */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { manualClock } from '../../core/clock.ts'
import { decimal, format } from '../../core/decimal.ts'
import type { Decimal } from '../../core/decimal.ts'
import { newId } from '../../core/ids.ts'
import type { WorkspaceId } from '../../core/ids.ts'
import { until } from '../../core/testing.ts'
import { testServer } from '../../http/testing.ts'
import type { TestServer } from '../../http/testing.ts'
import { testDatabase } from '../../store/testing.ts'
import type { TestDatabase } from '../../store/testing.ts'
import { sql, where } from '../../store/sql.ts'
import {
  houseAccounts,
  openAccount,
  openBooks,
  openVenueAccounts,
  venueAccounts,
} from '../accounts/accounts.ts'
import { putAsset } from '../assets.ts'
import { markBooks } from './marks.ts'
import { statementOf } from './statement.ts'
import type { StatementLine, TrialBalance } from './books.schema.ts'
import { openLane } from '../lane/lane.ts'
import type { Lane } from '../lane/lane.ts'
import { ledgerEndpoints } from '../ledger.http.ts'

const START = 1_800_000_000_000
const BOOKINGS = 120
const MARK_EVERY = 7

type Moved = {
  at: number
  asset: string
  debit: number
  credit: number
  quantity: Decimal
  twice: boolean
}

describe('the books as of a time', () => {
  let database: TestDatabase
  let lane: Lane
  let api: TestServer
  let accounts: { id: string; debit_normal: boolean; type: string }[]
  const clock = manualClock(START)
  const workspace = newId<WorkspaceId>()
  const principal = {
    workspace,
    user_id: newId(),
    session_id: newId(),
    permissions: new Set(['accounts.read', 'bookings.read']),
  }
  const moved: Moved[] = []
  const seed = Number(process.env['KONTOR_SEED'] ?? Math.floor(Math.random() * 1_000_000))

  /** What the fold says an account held before `at`. */
  const heldBefore = (account: number, at: number, asset: string): Decimal =>
    moved
      .filter((moved) => moved.at < at && moved.asset === asset)
      .reduce((total, moved) => {
        const raised = (accounts[account]?.debit_normal === true) === (moved.debit === account)
        return moved.debit === account || moved.credit === account
          ? total + (raised ? moved.quantity : -moved.quantity)
          : total
      }, 0n)

  before(async () => {
    database = await testDatabase()
    const { db } = database
    lane = openLane(db, clock, { key_lifetime_ms: 86_400_000 })
    await db.tx((tx) => openBooks({ workspace, by: 'test' }, { tx, clock }))
    for (const [code, scale] of [
      ['EUR', 2],
      ['BTC', 8],
      ['XRP', 6],
      ['ETH', 8],
    ] as const)
      await putAsset(db, workspace, {
        code,
        label: code,
        kind: 'CRYPTO',
        scale,
        circulating_supply: null,
      })
    const house = (await houseAccounts(db, workspace)).HOUSE
    const venue_id = newId()
    await db.tx((tx) =>
      openVenueAccounts({ workspace, by: 'test' }, { tx, clock }, { id: venue_id, label: 'Venue' }),
    )
    const venue = (await venueAccounts(db, workspace, venue_id)).VENUE
    const customers = await Promise.all(
      ['Alice', 'Bob'].map((label) =>
        db.tx((tx) =>
          openAccount(
            { workspace, by: 'test' },
            { tx, clock },
            { type: 'CUSTOMER', label, customer_id: newId(), overdraft: true },
          ),
        ),
      ),
    )
    accounts = [
      { id: house, debit_normal: false, type: 'HOUSE' },
      { id: venue, debit_normal: true, type: 'VENUE' },
      ...customers.map(({ id }) => ({ id, debit_normal: false, type: 'CUSTOMER' })),
    ]
    let state = seed
    const next = (below: number) =>
      (state = (state * 1_103_515_245 + 12_345) % 2_147_483_648) % below
    for (let count = 0; count < BOOKINGS; count += 1) {
      if (next(3) > 0) await clock.advance(1 + next(50))
      const debit = next(4)
      // XRP moves once, early: a rare asset of a busy account.
      const each: Moved = {
        at: clock.now(),
        asset: count === 3 ? 'XRP' : next(3) === 0 ? 'BTC' : 'EUR',
        debit,
        credit: (debit + 1 + next(3)) % 4,
        quantity: BigInt(1 + next(9999)) * 10n ** 16n,
        twice: next(5) === 0,
      }
      const leg = (account: number, type: 'DEBIT' | 'CREDIT', quantity: Decimal) => ({
        account_id: accounts[account]?.id ?? '',
        type,
        quantity,
      })
      const part = each.quantity / 4n
      const debits = each.twice
        ? [leg(each.debit, 'DEBIT', part), leg(each.debit, 'DEBIT', each.quantity - part)]
        : [leg(each.debit, 'DEBIT', each.quantity)]
      await lane.commit({
        workspace,
        class: 'fact',
        by: 'test',
        ledger: [
          {
            step: 'book',
            booking: {
              id: newId(),
              type: 'MANUAL',
              asset: each.asset,
              legs: [...debits, leg(each.credit, 'CREDIT', each.quantity)],
            },
          },
        ],
      })
      moved.push(each)
      if (next(10) === 0) await markBooks({ db, clock }, MARK_EVERY)
    }
    await clock.advance(10)
    api = await testServer({
      db,
      clock,
      authenticate: () => principal,
      endpoints: ledgerEndpoints({
        db,
        clock,
        lane,
        openPeriod: async () => ({ from: null, to: null }),
      }),
    })
  })
  after(async () => {
    await api.close()
    await lane.close()
    await database.drop()
  })

  const moments = () => [
    START - 1000,
    ...new Set(moved.flatMap(({ at }) => [at, at + 1])),
    clock.now(),
  ]
  const assetsOf = (at: number, account: number) =>
    ['BTC', 'EUR', 'XRP'].filter((asset) =>
      moved.some(
        (moved) =>
          moved.at < at &&
          moved.asset === asset &&
          (moved.debit === account || moved.credit === account),
      ),
    )

  it('answers what was booked before any moment, with marks and without', async () => {
    for (const marked of [true, false]) {
      if (!marked)
        await database.db.query(
          sql`
            with a as (delete from balance_marks), b as (delete from trial_marks)
            delete from book_marks`,
        )
      for (const at of moments()) {
        for (const [index, { id }] of accounts.entries()) {
          const answer = await api.call('GET', `/bookings/accounts/${id}/balance?at=${at}`)
          const expected = Object.fromEntries(
            assetsOf(at, index).map((asset) => [
              asset,
              { withdrawing: null, trading: null, total: format(heldBefore(index, at, asset)) },
            ]),
          )
          assert.deepEqual(answer.data, expected, `seed ${seed}, account ${index} at ${at - START}`)
        }
      }
    }
    assert.ok(
      (await markBooks({ db: database.db, clock }, MARK_EVERY)) >=
        Math.floor(BOOKINGS / MARK_EVERY),
    )
    assert.equal(
      await markBooks({ db: database.db, clock }, MARK_EVERY),
      0,
      'the same bookings are marked once',
    )
  })

  it('a trial balance has equal columns and is the sum of the accounts, at any moment and now', async () => {
    for (const at of [...moments(), undefined]) {
      const { data } = await api.call<TrialBalance>(
        'GET',
        `/bookings/trial-balance${at === undefined ? '' : `?at=${at}`}`,
      )
      for (const { asset, debit, credit, lines } of data.assets) {
        assert.equal(debit, credit)
        for (const { type, ...columns } of lines) {
          const held = accounts.reduce(
            (total, account, index) =>
              account.type === type ? total + heldBefore(index, at ?? clock.now(), asset) : total,
            0n,
          )
          const signed =
            (decimal(columns.debit) - decimal(columns.credit)) * (type === 'VENUE' ? 1n : -1n)
          assert.equal(signed, held, `seed ${seed}, ${type} ${asset}`)
        }
      }
    }
  })

  it('a statement leads from its opening to its closing balance, line by line, as JSON, in pages and as CSV', async () => {
    const [from, to] = [moved[30]?.at ?? 0, moved[90]?.at ?? 0]
    for (const [index, { id }] of accounts.entries()) {
      const path = `/bookings/accounts/${id}/statement?from=${from}&to=${to}`
      const { data } = await api.call<StatementLine[]>('GET', path)
      for (const asset of assetsOf(to, index)) {
        const lines = data.filter((each) => each.asset === asset)
        assert.deepEqual(
          [lines[0]?.line, lines[0]?.balance, lines.at(-1)?.line, lines.at(-1)?.balance],
          [
            'OPENING',
            format(heldBefore(index, from, asset)),
            'CLOSING',
            format(heldBefore(index, to, asset)),
          ],
        )
        let balance = decimal(lines[0]?.balance ?? '')
        for (const line of lines.slice(1, -1)) {
          const change = decimal(line.debit ?? '0') - decimal(line.credit ?? '0')
          balance += accounts[index]?.debit_normal === true ? change : -change
          assert.equal(line.balance, format(balance))
        }
        assert.equal(
          lines.length - 2,
          moved.filter(
            (moved) =>
              moved.asset === asset &&
              moved.at >= from &&
              moved.at < to &&
              (moved.debit === index || moved.credit === index),
          ).length,
        )
      }
      const paged: StatementLine[] = []
      for (let next: string | undefined = `${path}&limit=5`; next !== undefined;) {
        const page: Awaited<ReturnType<typeof api.call<StatementLine[]>>> = await api.call<
          StatementLine[]
        >('GET', next)
        paged.push(...page.data)
        next = /^<\/api([^>]+)>; rel="next"$/.exec(String(page.headers['link'] ?? ''))?.[1]
      }
      assert.deepEqual(paged, data)
      const csv = await api.call('GET', path, { headers: { accept: 'text/csv' } })
      const rows = csv.text
        .trimEnd()
        .split('\r\n')
        .map((row) => row.split(','))
      const column = rows[0]?.indexOf('balance') ?? -1
      assert.deepEqual(
        rows.slice(1).map((row) => [row[0], row[1], row[column]]),
        data.map((each) => [each.line, each.asset, each.balance]),
      )
    }
    const one = await api.call<StatementLine[]>(
      'GET',
      `/bookings/accounts/${accounts[2]?.id}/statement?assets=BTC`,
    )
    assert.deepEqual([...new Set(one.data.map((each) => each.asset))], ['BTC'])
    assert.deepEqual(
      (
        await api.call(
          'GET',
          `/bookings/accounts/${accounts[2]?.id}/statement?from=${START - 500}&to=${START - 400}`,
        )
      ).data,
      [],
    )
  })

  it('refuses a time to come, a period without length and an unknown account', async () => {
    const ahead = clock.now() + 1000
    const [{ id } = { id: '' }] = accounts
    for (const path of [
      `/bookings/accounts/${id}/balance?at=${ahead}`,
      `/bookings/trial-balance?at=${ahead}`,
      `/bookings/accounts/${id}/statement?to=${ahead}`,
      `/bookings/accounts/${id}/statement?from=${START}&to=${START}`,
    ]) {
      const answer = await api.call('GET', path)
      assert.deepEqual([answer.status, answer.error_details?.[0]?.code], [400, 'RANGE'], path)
    }
    for (const path of [
      `/bookings/accounts/${newId()}/balance?at=${START}`,
      `/bookings/accounts/${newId()}/statement`,
    ])
      assert.equal((await api.call('GET', path)).error_code, 4004)
  })

  it('a statement up to now closes with its last line, whatever is booked while it is read', async () => {
    const [house, , alice] = accounts.map(({ id }) => id)
    const book = (asset: string) =>
      lane.commit({
        workspace,
        class: 'fact',
        by: 'test',
        ledger: [
          {
            step: 'book',
            booking: {
              id: newId(),
              type: 'MANUAL',
              asset,
              legs: [
                { account_id: house ?? '', type: 'DEBIT', quantity: decimal('1') },
                { account_id: alice ?? '', type: 'CREDIT', quantity: decimal('1') },
              ],
            },
          },
        ],
      })
    const books = { reader: database.db, clock, workspace }
    const statement = await statementOf(books, alice ?? '', {
      assets: ['EUR', 'ETH'],
    })
    const opening = (await statement.head?.()) as StatementLine[]
    await book('ETH')
    const rows = await database.db.query<never>(
      sql`${statement.select} ${where(statement.conditions)} order by l.booking_sequence`,
    )
    const lines = (await statement.enrich?.(rows)) as StatementLine[]
    await book('EUR')
    const closing = (await statement.tail?.()) as StatementLine[]
    assert.deepEqual(
      [opening, lines.filter((line) => line.asset === 'ETH'), closing].map((some) => some.length),
      [1, 0, 1],
    )
    assert.deepEqual([closing[0]?.asset, closing[0]?.balance], ['EUR', lines.at(-1)?.balance])
  })

  it('what is answered for a moment that has passed holds what was being booked then', async () => {
    const { db } = database
    const [house, , alice] = accounts.map(({ id }) => id)
    const waiting = async () =>
      (
        await db.query<{ count: number }>(
          sql`
            select count(*)::int as count
            from pg_locks l
            join pg_stat_activity a using (pid)
            where not l.granted
              and a.datname = current_database()`,
        )
      )[0]?.count ?? 0
    const gate = sql`select pg_advisory_xact_lock(4711)`
    const legs = [
      { account_id: house ?? '', type: 'DEBIT' as const, quantity: decimal('1') },
      { account_id: alice ?? '', type: 'CREDIT' as const, quantity: decimal('1') },
    ]
    let committing: Promise<unknown> | undefined
    let answered: Promise<{ data: unknown }> | undefined
    let path = ''
    await db.tx(async (tx) => {
      await tx.query(gate)
      committing = lane.commit({
        workspace,
        class: 'fact',
        by: 'test',
        ledger: [{ step: 'book', booking: { id: newId(), type: 'MANUAL', asset: 'EUR', legs } }],
        rows: [gate],
      })
      await until('it is about to be committed', async () => (await waiting()) === 1 || undefined)
      await clock.advance(10)
      path = `/bookings/accounts/${alice}/balance?at=${clock.now()}`
      let done = false
      answered = api.call('GET', path).finally(() => {
        done = true
      })
      await until(
        'the answer, or that it waits',
        async () => done || (await waiting()) === 2 || undefined,
      )
    })
    await committing
    assert.deepEqual((await answered)?.data, (await api.call('GET', path)).data)
  })
})
