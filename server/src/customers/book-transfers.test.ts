/** A customer gives another what the books say they have: held first, booked once. */
import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, it } from 'node:test'
import { newId } from '../core/ids.ts'
import { sql } from '../store/sql.ts'
import { BOOK_TRANSFER_MOVES } from './book-transfers.schema.ts'
import type { BookTransfer } from './book-transfers.schema.ts'
import { openTransfers } from './book-transfers.testing.ts'
import type { Customer } from './index.ts'

describe('transfers between customers', () => {
  let books: Awaited<ReturnType<typeof openTransfers>>
  let alice: Customer
  let bob: Customer
  before(async () => {
    books = await openTransfers()
  })
  beforeEach(async () => {
    alice = await books.customer('Alice')
    bob = await books.customer('Bob')
    await books.fund(alice.account_id, '100')
  })
  after(async () => {
    assert.deepEqual(await books.close(), [])
  })

  const ask = (body: object = {}, more = {}) =>
    books.call(
      'POST',
      '/book-transfers',
      {
        from_account_id: alice.account_id,
        to_account_id: bob.account_id,
        asset: 'EUR',
        quantity: '30',
        reason: 'Gift',
        ...body,
      },
      more,
    )
  const read = async (id: string) => (await books.call('GET', `/book-transfers/${id}`)).data
  const cancel = (id: string, more = {}) =>
    books.call('POST', `/book-transfers/${id}/cancel`, { reason: 'a mistake' }, more)
  const codeOf = ({ text }: { text: string }) => {
    const { error_details = [] } = JSON.parse(text) as {
      error_details?: { path: string; code: string }[]
    }
    return error_details.map(({ path, code }) => `${code} ${path}`.trim()).join()
  }

  it('holds the amount, and books it to both customers', async () => {
    const made = await ask()
    assert.equal(made.status, 200, made.text)
    assert.partialDeepStrictEqual(made.data, {
      state: 'PENDING',
      from_customer_id: alice.id,
      to_customer_id: bob.id,
      quantity: '30',
      reason: 'Gift',
      completed_at: null,
    })
    assert.equal(await books.balance(alice.account_id), '100/30')
    await books.work()
    assert.partialDeepStrictEqual(await read(made.data.id), { state: 'DONE', waits_for: null })
    assert.equal(await books.balance(alice.account_id), '70/0')
    assert.equal(await books.balance(bob.account_id), '30/0')
    assert.deepEqual(await books.bookings(made.data.id), ['BOOK_TRANSFER D Alice 30, C Bob 30'])
    await books.work()
    assert.equal(await books.balance(bob.account_id), '30/0')
    for (const { account_id } of [alice, bob]) {
      const listed = await books.call<BookTransfer[]>(
        'GET',
        `/book-transfers?account_id=${account_id}&state=DONE`,
      )
      assert.deepEqual(
        listed.data.map((row) => row.id),
        [made.data.id],
      )
    }
    const events = await books.db.query<{ type: string; data: { customers: object[] } }>(sql`
      select type, data
      from events
      where resource_id = ${made.data.id}
      order by sequence`)
    assert.deepEqual(
      events.map((event) => event.type),
      ['book_transfer.created', 'book_transfer.done'],
    )
    assert.deepEqual(events[1]?.data.customers, [
      { customer_id: alice.id, account_id: alice.account_id, quantity: '30', gives: true },
      { customer_id: bob.id, account_id: bob.account_id, quantity: '30', gives: false },
    ])
  })

  it('refuses what cannot be given, precisely, and changes nothing', async () => {
    const stranger = await books.customer('Stranger', books.theirs)
    const [house] = await books.db.query<{ id: string }>(sql`
      select id
      from accounts
      where workspace = ${books.workspace}
        and type = 'HOUSE'`)
    const cases: [object, string][] = [
      [{ to_account_id: alice.account_id }, 'CONFLICT to_account_id'],
      [{ to_account_id: stranger.account_id }, 'NOT_FOUND to_account_id'],
      [{ to_account_id: newId() }, 'NOT_FOUND to_account_id'],
      [{ to_account_id: house?.id }, 'RANGE to_account_id'],
      [{ from_account_id: house?.id }, 'RANGE from_account_id'],
      [{ quantity: '0.001' }, 'SCALE quantity'],
      [{ quantity: '0' }, 'FORMAT quantity'],
      [{ quantity: '100.01' }, 'INSUFFICIENT_BALANCE quantity'],
      [{ asset: 'XYZ' }, 'UNKNOWN_ASSET asset'],
      [{ reason: '' }, 'RANGE reason,FORMAT reason'],
    ]
    for (const [body, expected] of cases) {
      const answer = await ask(body)
      assert.ok(answer.status === 400 || answer.status === 404, answer.text)
      assert.equal(codeOf(answer), expected, JSON.stringify(body))
    }
    assert.equal(await books.balance(alice.account_id), '100/0')
  })

  it('gives away nothing twice, however many ask at once', async () => {
    const answers = await Promise.all(Array.from({ length: 6 }, () => ask({ quantity: '40' })))
    assert.deepEqual(
      answers.map((answer) => answer.status).toSorted(),
      [200, 200, 400, 400, 400, 400],
    )
    await Promise.all([books.work(), books.work(), books.work()])
    assert.equal(await books.balance(alice.account_id), '20/0')
    assert.equal(await books.balance(bob.account_id), '80/0')
  })

  it('answers a repeated request as the first time', async () => {
    const more = { headers: { 'idempotency-key': newId() } }
    const first = await ask({}, more)
    await books.work()
    const again = await ask({}, more)
    assert.equal(again.data.id, first.data.id)
    assert.equal(await books.balance(alice.account_id), '70/0')
  })

  it('waits while the account is frozen, and can be canceled while it waits', async () => {
    const made = await ask()
    await books.freeze(alice.account_id, true)
    assert.equal(codeOf(await ask()), 'FROZEN')
    assert.equal(await books.waiting(), 0)
    await books.work()
    const waiting = await read(made.data.id)
    assert.equal(waiting.state, 'PENDING')
    assert.match(waiting.waits_for ?? '', /frozen: a test/)
    assert.equal(await books.waiting(), 1)
    const canceled = await cancel(made.data.id)
    assert.partialDeepStrictEqual(canceled.data, {
      state: 'CANCELED',
      canceled_reason: 'a mistake',
    })
    await books.freeze(alice.account_id, false)
    await books.work()
    assert.equal(await books.waiting(), 0)
    assert.equal(await books.balance(alice.account_id), '100/0')
    assert.deepEqual(await read(made.data.id), canceled.data)
    assert.equal(codeOf(await cancel(made.data.id)), 'STATE_NOT_ALLOWED')
  })

  it('waits while withdrawals are halted, and goes on afterwards', async () => {
    const made = await ask()
    await books.halt(true)
    assert.equal(codeOf(await ask()), 'HALTED')
    await books.work()
    assert.match((await read(made.data.id)).waits_for ?? '', /halted/)
    await books.halt(false)
    await books.work()
    assert.equal((await read(made.data.id)).state, 'DONE')
    assert.equal(await books.balance(bob.account_id), '30/0')
  })

  it('waits while the giver lacks what is held, and goes on once it is there again', async () => {
    const made = await ask({ quantity: '100' })
    await books.halt(true)
    await books.work()
    await books.takeBack(alice.account_id, '100')
    await books.halt(false)
    await books.work()
    const waiting = await read(made.data.id)
    assert.equal(waiting.state, 'PENDING')
    assert.match(waiting.waits_for ?? '', /lacks 100 EUR of what is held/)
    assert.equal(await books.balance(alice.account_id), '0/100')
    assert.equal(await books.balance(bob.account_id), '0/0')
    await books.fund(alice.account_id, '100')
    await books.work()
    assert.equal((await read(made.data.id)).state, 'DONE')
    assert.equal(await books.balance(alice.account_id), '0/0')
    assert.equal(await books.balance(bob.account_id), '100/0')
  })

  it('keeps the customer who is about to get it from being deleted', async () => {
    const made = await ask()
    await assert.rejects(books.remove(bob), /is to get a book transfer that is not booked yet/)
    await cancel(made.data.id)
    await books.remove(bob)
    assert.equal(codeOf(await ask()), 'NOT_ACTIVE to_account_id')
  })

  it('is either booked or canceled when both happen at once', async () => {
    for (let round = 0; round < 10; round += 1) {
      const made = await ask({ quantity: '1' })
      const [canceled] = await Promise.all([cancel(made.data.id), books.work()])
      const { state } = await read(made.data.id)
      assert.equal(state, canceled.status === 200 ? 'CANCELED' : 'DONE')
      assert.equal((await books.bookings(made.data.id)).length, state === 'DONE' ? 1 : 0)
    }
    assert.match(await books.balance(alice.account_id), /\/0$/)
  })

  it('is unknown to another workspace', async () => {
    const made = await ask()
    const theirs = { token: 'theirs' }
    assert.equal(
      (await books.call('GET', `/book-transfers/${made.data.id}`, undefined, theirs)).status,
      404,
    )
    assert.equal((await cancel(made.data.id, theirs)).status, 404)
    await books.work()
  })

  it('has the states of its table', async () => {
    const [check] = await books.db.query<{ definition: string }>(sql`
      select pg_get_constraintdef(oid) as definition
      from pg_constraint
      where conrelid = 'book_transfers'::regclass
        and conname = 'book_transfers_state_check'`)
    assert.deepEqual(
      [...(check?.definition ?? '').matchAll(/'([A-Z]+)'/g)].map(([, word]) => word),
      Object.keys(BOOK_TRANSFER_MOVES),
    )
  })
})
