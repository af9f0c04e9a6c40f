/** Balances of any past moment and the trial balance, against a fold of all bookings until then. */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { decimal, format } from '../../core/decimal.ts'
import { newId } from '../../core/ids.ts'
import { until } from '../../core/testing.ts'
import type { Db, Reader } from '../../store/db.ts'
import { sql, statement } from '../../store/sql.ts'
import { bookingChange } from '../lane/books.testing.ts'
import { balancesAt, trialBalance } from './books.ts'
import type { TrialBalance } from './books.schema.ts'
import { markBooks } from './marks.ts'
import { BOOKINGS, MARK_EVERY, openMovedBooks, START } from './moved-books.testing.ts'
import type { MovedBooks } from './moved-books.testing.ts'
import { statementOf } from './statement.ts'

async function waitingLocks(db: Db): Promise<number> {
  const [locks] = await db.query<{ count: number }>(sql`
    select count(*)::int as count
    from pg_locks l
    join pg_stat_activity a using (pid)
    where not l.granted
      and a.datname = current_database()`)
  return locks?.count ?? 0
}

describe('the books as of a time', () => {
  let books: MovedBooks
  before(async () => {
    books = await openMovedBooks()
  })
  after(() => books.close())

  const moments = () => [
    START - 1000,
    ...new Set(books.movements.flatMap(({ at }) => [at, at + 1])),
    books.clock.now(),
  ]

  const assertBalances = async (at: number) => {
    const { api, accounts, assetsBefore, heldBefore, seed } = books
    for (const [index, { id }] of accounts.entries()) {
      const answer = await api.call('GET', `/bookings/accounts/${id}/balance?at=${at}`)
      const expected = Object.fromEntries(
        assetsBefore(at, index).map((asset) => [
          asset,
          { withdrawing: null, trading: null, total: format(heldBefore(index, at, asset)) },
        ]),
      )
      assert.deepEqual(answer.data, expected, `seed ${seed}, account ${index} at ${at - START}`)
    }
  }

  it('answers what was booked before any moment, with marks and without', async () => {
    const { db, clock } = books
    for (const at of moments()) await assertBalances(at)
    await db.query(
      sql`
        with a as (delete from balance_marks), b as (delete from trial_marks)
        delete from book_marks`,
    )
    for (const at of moments()) await assertBalances(at)
    assert.ok((await markBooks({ db, clock }, MARK_EVERY)) >= Math.floor(BOOKINGS / MARK_EVERY))
    assert.equal(await markBooks({ db, clock }, MARK_EVERY), 0, 'the same bookings are marked once')
  })

  it('has a trial balance with equal columns, the sum of the accounts, at any moment', async () => {
    const { api, accounts, heldBefore, clock, seed } = books
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

  it('refuses a time to come, a period without length and an unknown account', async () => {
    const { api, clock, house } = books
    const ahead = clock.now() + 1000
    for (const path of [
      `/bookings/accounts/${house}/balance?at=${ahead}`,
      `/bookings/trial-balance?at=${ahead}`,
      `/bookings/accounts/${house}/statement?to=${ahead}`,
      `/bookings/accounts/${house}/statement?from=${START}&to=${START}`,
    ]) {
      const { status, error_details } = await api.call('GET', path)
      const code = error_details?.[0]?.code
      assert.deepEqual({ status, code }, { status: 400, code: 'RANGE' }, path)
    }
    for (const path of [
      `/bookings/accounts/${newId()}/balance?at=${START}`,
      `/bookings/accounts/${newId()}/statement`,
    ])
      assert.equal((await api.call('GET', path)).error_code, 4004)
  })

  it('holds what was being booked at a moment that has passed', async () => {
    const { db, lane, clock, workspace, house, alice } = books
    let looks = 0
    const reader: Reader = {
      query(query) {
        if (statement(query).text.includes('from lanes')) looks += 1
        return db.query(query)
      },
    }
    const gate = sql`select pg_advisory_xact_lock(4711)`
    let committing: Promise<unknown> | undefined
    let answered: Promise<unknown> | undefined
    let at = 0
    await db.tx(async (tx) => {
      await tx.query(gate)
      committing = lane.commit(
        bookingChange(
          workspace,
          { from: house, to: alice, quantity: '1' },
          { class: 'fact', rows: [gate] },
        ),
      )
      await until(
        'it is about to be committed',
        async () => (await waitingLocks(db)) === 1 || undefined,
      )
      await clock.advance(10)
      at = clock.now()
      let done = false
      answered = balancesAt({ reader, clock, workspace }, alice, at).finally(() => {
        done = true
      })
      await until('the answer, or that it waits', () => done || looks > 1 || undefined)
      assert.deepEqual(
        { done, waitingLocks: await waitingLocks(db) },
        { done: false, waitingLocks: 1 },
        'it waits, and not for a lock',
      )
    })
    await committing
    assert.deepEqual(await answered, await balancesAt({ reader: db, clock, workspace }, alice, at))
  })

  it('reads the trial balance of now from the balances, and locks nothing', async () => {
    const { db, clock, workspace, alice } = books
    const texts: string[] = []
    const reader: Reader = {
      query(query) {
        texts.push(statement(query).text)
        return db.query(query)
      },
    }
    await trialBalance({ reader, clock, workspace }, undefined)
    assert.ok(texts.length === 1 && !/\b(legs|bookings)\b/.test(texts.join()), texts.join())
    await balancesAt({ reader, clock, workspace }, alice, clock.now())
    await statementOf({ reader, clock, workspace }, alice, {})
    assert.doesNotMatch(texts.join(), /for (share|key share|update|no key update)/)
  })
})
