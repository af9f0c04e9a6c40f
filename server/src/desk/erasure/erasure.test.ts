import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { mustExist } from '../../core/assert.ts'
import { newId } from '../../core/ids.ts'
import type { Customer } from '../../customers/index.ts'
import type { Db } from '../../store/db.ts'
import { sql } from '../../store/sql.ts'
import type { Erasure } from './erasure.schema.ts'
import { openErasures } from './erasures.testing.ts'
import type { ErasurePlace } from './erasures.testing.ts'
import { PLAIN_EVERYWHERE, STAFF_EVERYWHERE, TABLES } from './tables.ts'

const DAY_MILLISECONDS = 86_400_000

describe('erasing personal data', () => {
  let place: ErasurePlace
  let opened: Awaited<ReturnType<typeof openErasures>>
  before(async () => {
    opened = await openErasures()
    place = opened.place
  })
  after(() => opened.close())

  it('takes all texts of one customer, and nothing else', async () => {
    const workspace = await place.workspaceOf('ours', 1)
    const gone = await place.customerOf(workspace, 'Zwetschge')
    const stays = await place.customerOf(workspace, 'Quitte')
    await place.book(gone, 5, 'Zwetschge, as it was hashed before')
    await place.sealAsBefore(workspace)
    await place.book(gone, -5, 'Zwetschge again')
    await place.book(stays, 5, 'Quitte')
    assert.deepEqual(await place.faultsOf(workspace), [])
    const kept = await place.marked.placesOf('Quitte')
    const before = await place.marked.placesOf('Zwetschge')
    assert.deepEqual(before, kept, 'both have the same')
    const books = () =>
      place.database.db.query(sql`
        select sequence, booking_sequence, quantity, balance_after
        from legs
        join bookings using (workspace)
        where workspace = ${workspace}
          and booking_sequence = sequence
        order by sequence, leg_no`)
    const booked = await books()

    await place.end(gone)
    place.clock.advance(DAY_MILLISECONDS)
    assert.equal((await opened.erase(gone, 'ours')).data.state, 'RUNNING')
    assert.equal(await place.work(workspace), 'done')

    assert.deepEqual(await place.marked.placesOf('Zwetschge'), [])
    assert.deepEqual(await place.marked.placesOf('Quitte'), kept)
    assert.deepEqual(await books(), booked)
    assert.deepEqual(await place.faultsOf(workspace), [])
    const told = await place.database.db.query(sql`
      select type, data - 'erasure_id' as data
      from events
      where workspace = ${workspace}
        and resource_id = ${gone.id}
        and type = 'customer.erased'`)
    const { account_id } = gone
    assert.deepEqual(told, [{ type: 'customer.erased', data: { account_id } }])
  })

  it('marks each table in which a customer has texts', async () => {
    const planted = await place.marked.placesOf('Quitte')
    const wanted = Object.entries(TABLES).flatMap(([table, { customers = {} }]) =>
      Object.entries(customers)
        .filter(([, way]) => way !== 'passing')
        .map(([column]) => `${table}.${column}`),
    )
    // Texts of a customer of another kind, a freeze, and what two customers share.
    const others = /^(customers\.(company|joint)_name|accounts\.(foreign_id|frozen)|book_transfers)/
    assert.deepEqual(
      wanted.filter((place) => !planted.includes(place) && !others.test(place)),
      [],
    )
  })

  it('finds a batch that was changed after its texts were erased', async () => {
    const workspace = place.workspaceNamed('ours')
    await place.owner.query('alter table bookings disable trigger user')
    await place.falsify(workspace, 'USD')
    assert.match((await place.faultsOf(workspace)).join(), /batch 1 .* does not match its hash/)
    await place.falsify(workspace, 'EUR')
    await place.owner.query('alter table bookings enable trigger user')
    assert.deepEqual(await place.faultsOf(workspace), [])
  })

  it('lets what never changes lose a text, and nothing else', async () => {
    const erased = `{"quantity": "erased sha256:${'0'.repeat(64)}"}`
    for (const change of ['{}', '{"quantity": "2"}', '{"reason": "other"}', erased])
      await assert.rejects(
        place.database.db.query(sql`
          update events
          set data = case when ${change} = '{}' then '{}' else data || ${change}::jsonb end
          where data ? 'quantity'`),
        /never changed or deleted/,
      )
    await assert.rejects(
      place.database.db.query(sql`
        update bookings
        set description = 'other'
        where description is not null`),
      /never changed or deleted/,
    )
    await assert.rejects(
      place.database.db.query(sql`
        update bookings
        set asset = 'USD'`),
      /permission denied/,
    )
  })

  it('is refused while something is open, and while the data must be kept', async () => {
    const workspace = await place.workspaceOf('strict', 1827)
    const customer = await place.customerOf(workspace, 'Mirabelle')
    const refusal = async (token = 'strict') => {
      const { error_details, error_code } = await opened.erase(customer, token)
      return error_details?.[0]?.code ?? error_code
    }
    assert.equal(await refusal(), 'STATE_NOT_ALLOWED')
    await place.book(customer, 5, 'in')
    await place.end(customer)
    assert.equal(await refusal(), 'IN_USE')
    await place.book(customer, -5, 'out')
    assert.equal(await refusal(), 'RETENTION_PERIOD')
    await place.decide(customer, 'PENDING')
    assert.equal(await refusal(), 'IN_USE')
    await place.decide(customer, 'SUCCESSFUL')
    place.clock.advance(1827 * DAY_MILLISECONDS - 1)
    assert.equal(await refusal(), 'RETENTION_PERIOD')
    assert.equal(await refusal('ours'), 'NOT_FOUND')
    place.clock.advance(1)
    assert.equal(await refusal(), undefined)
  })

  it('goes on after a kill at any moment, and tells it once', async () => {
    const workspace = place.workspaceNamed('strict')
    for (let slices = 0; slices < 12; slices += 1)
      await assert.rejects(place.work(workspace, failingAfter(place.database.db, slices)), /killed/)
    const [again] = await Promise.all([
      opened.server.call<Erasure[]>('GET', '/erasures', { token: 'strict' }),
      place.work(workspace),
      place.work(workspace),
    ])
    assert.equal(again.data.length, 1)
    assert.deepEqual(await place.marked.placesOf('Mirabelle'), [])
    assert.deepEqual(await place.faultsOf(workspace), [])
    const [told] = await place.database.db.query<{ count: number }>(sql`
      select count(*)
      from events
      where workspace = ${workspace}
        and type = 'customer.erased'`)
    assert.equal(told?.count, 1)
  })

  it('takes what has come since when it is asked again', async () => {
    const workspace = place.workspaceNamed('strict')
    const [customer] = await place.database.db.query<Customer>(sql`
      select id, account_id
      from customers
      where workspace = ${workspace}`)
    const erased = mustExist(customer, 'it was made')
    await place.marked.add('mails', 'Mirabelle', {
      workspace,
      customer_id: erased.id,
      state: 'SENT',
    })
    assert.equal((await opened.erase(erased, 'strict')).status, 200)
    assert.equal((await opened.erase(erased, 'strict')).data.state, 'RUNNING')
    await place.work(workspace)
    assert.deepEqual(await place.marked.placesOf('Mirabelle'), [])
  })

  it('leaves what another customer has part in until that one is erased too', async () => {
    const workspace = await place.workspaceOf('shared', 0)
    const one = await place.customerOf(workspace, 'Schlehe')
    const other = await place.customerOf(workspace, 'Dattel')
    await place.marked.add('book_transfers', 'Hagebutte', {
      workspace,
      state: 'DONE',
      quantity: '1',
      from_account_id: one.account_id,
      from_customer_id: one.id,
      to_account_id: other.account_id,
      to_customer_id: other.id,
    })
    await place.end(one)
    await opened.erase(one, 'shared')
    await place.work(workspace)
    assert.equal((await place.marked.placesOf('Hagebutte')).length, 3)
    await place.end(other)
    await opened.erase(other, 'shared')
    await place.work(workspace)
    assert.deepEqual(await place.marked.placesOf('Hagebutte'), [])
  })

  it('takes the notes on bookings of the customer, and on quotes that are gone', async () => {
    const workspace = await place.workspaceOf('noted', 0)
    const [gone, stays] = [
      await place.customerOf(workspace, 'Holunder'),
      await place.customerOf(workspace, 'Kirsche'),
    ]
    for (const customer of [gone, stays]) await place.book(customer, 5, 'in')
    const booked = await place.database.db.query<{ id: string; account_id: string }>(sql`
      select b.id, l.account_id
      from bookings b
      join legs l on l.workspace = b.workspace
        and l.booking_sequence = b.sequence
      where b.workspace = ${workspace}
        and l.account_id in (${gone.account_id}, ${stays.account_id})`)
    for (const { id, account_id } of booked)
      await place.marked.note(
        { workspace, kind: 'booking' },
        id,
        account_id === gone.account_id ? 'Vermerk' : 'Notiz',
      )
    await place.marked.note({ workspace, kind: 'quote' }, newId(), 'Vermerk')
    const kept = await place.marked.placesOf('Notiz')
    assert.equal(kept.length, 5)
    await place.book(gone, -5, 'out')
    await place.end(gone)
    await opened.erase(gone, 'noted')
    await place.work(workspace)
    assert.deepEqual(await place.marked.placesOf('Vermerk'), [])
    assert.deepEqual(await place.marked.placesOf('Notiz'), kept)
  })

  it('knows of every column of text whose it is', () => {
    const wrong: string[] = []
    const tables = place.marked.texts()
    for (const [table, columns] of tables) {
      const { customers = {}, staff = [], plain = [] } = TABLES[table] ?? {}
      const named = [...Object.keys(customers), ...staff, ...plain]
      for (const column of columns) {
        const places = named.filter((name) => name === column).length
        const anywhere = PLAIN_EVERYWHERE.has(column) || STAFF_EVERYWHERE.test(column)
        if (places + (anywhere ? 1 : 0) !== 1) wrong.push(`${table}.${column}: ${places} places`)
      }
      for (const name of named)
        if (!columns.includes(name)) wrong.push(`${table}.${name} is no column of text`)
    }
    assert.deepEqual(wrong, [])
    assert.deepEqual(Object.keys(TABLES).toSorted(), [...tables.keys()].toSorted())
  })
})

/** Its transactions end as by a kill, once so many were committed. */
function failingAfter(db: Db, transactions: number): Db {
  let left = transactions
  return {
    ...db,
    tx: (run) => {
      left -= 1
      return db.tx(async (tx) => {
        const result = await run(tx)
        if (left < 0) throw new Error('killed')
        return result
      })
    },
  }
}
