/** Payments by what they say and whom they pay, and records by their tags. */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { newId } from '../../core/ids.ts'
import { testServer } from '../../http/testing.ts'
import type { TestServer } from '../../http/testing.ts'
import { sql } from '../../store/sql.ts'
import { NEW_IBAN, openPayments } from '../../treasury/withdrawals/payments/payments.testing.ts'
import type { PaymentsPlace } from '../../treasury/withdrawals/payments/payments.testing.ts'
import { deskEndpoints } from '../index.ts'
import type { Hit } from './search.schema.ts'

describe('search of payments and tags', () => {
  let place: PaymentsPlace
  let api: TestServer
  let permissions: Set<string>
  let id: string
  before(async () => {
    place = await openPayments()
    permissions = new Set([
      'treasury.withdrawals.read',
      'treasury.wallets.read',
      'customers.read',
      'notes.write',
    ])
    api = await testServer({
      db: place.db,
      clock: place.clock,
      endpoints: deskEndpoints(place.app),
      authenticate: async () => ({ ...place.principal, permissions }),
    })
    const payment = await place.ordered({
      ...place.toNewPayee(await place.payer(), {
        quantity: '812.4',
        reference: 'Rent June 2031',
        purpose: 'Flat 7b',
        note: 'the landlord called',
        client_ref: 'LEASE-7/06',
        send_at: place.clock.now() + 86_400_000,
      }),
    })
    ;({ id } = payment)
  })
  after(async () => {
    await api?.close()
    await place?.close()
  })

  const find = async (q: string): Promise<Hit[]> => {
    const answer = await api.call<Hit[]>('GET', `/search?q=${encodeURIComponent(q)}`)
    assert.equal(answer.status, 200, answer.text)
    return answer.data
  }
  const found = async (q: string) => (await find(q)).map((hit) => `${hit.kind} ${hit.id}`)
  const tag = (kind: string, record_id: string, word: string) =>
    api.call<{ id: string }>('POST', `/notes/${kind}/${record_id}/tags`, { body: { tag: word } })

  it('a payment by its id, texts, name, amount and payee', async () => {
    const looks: [string, string][] = [
      [id, 'id'],
      ['rent june', 'reference'],
      ['2031', 'reference'],
      ['flat', 'purpose'],
      ['landlord called', 'note'],
      ['lease-7', 'client_ref'],
      ['812.40', 'quantity'],
      ['Landlord Ltd', 'payee'],
      [NEW_IBAN, 'payee'],
    ]
    for (const [q, field] of looks) {
      const hit = (await find(q)).find((one) => one.kind === 'payment' && one.id === id)
      assert.equal(hit?.matched_field, field, `${q}: ${JSON.stringify(await find(q))}`)
    }
    const [hit] = await find('lease-7/06')
    assert.deepEqual(
      { title: hit?.title, subtitle: hit?.subtitle, state: hit?.state, exact: hit?.exact },
      {
        title: 'Payment 812.4 EUR',
        subtitle: 'Landlord Ltd · Rent June 2031 · Flat 7b',
        state: 'WAITING',
        exact: true,
      },
    )
  })

  it('a payment by the name that its venue is told, where the wallet has another', async () => {
    await place.db.query(sql`
      update treasury_routes
      set transfer = jsonb_set(transfer, '{to,name}', '"Zenobia Estates"')
      where id = (select route_id from payments where id = ${id})`)
    assert.ok((await found('zenobia')).includes(`payment ${id}`))
  })

  it('a payment no longer by what was erased from it', async () => {
    await place.db.query(sql`
      update payments
      set purpose = 'erased'
      where id = ${id}`)
    assert.deepEqual(await found('flat'), [])
  })

  it('a record by its tags, until they are taken off', async () => {
    const added = await tag('payment', id, 'Urgent-2')
    await tag('customer', place.alice.id, 'urgent')
    assert.deepEqual((await found('URGENT')).toSorted(), [
      `customer ${place.alice.id}`,
      `payment ${id}`,
    ])
    assert.deepEqual(
      (await find('urgent-2')).map(({ kind, matched_field, matched_text, exact }) => ({
        kind,
        matched_field,
        matched_text,
        exact,
      })),
      [{ kind: 'payment', matched_field: 'record_tag', matched_text: 'urgent-2', exact: true }],
    )
    await api.call('DELETE', `/tags/${added.data.id}`)
    assert.deepEqual(await found('urgent'), [`customer ${place.alice.id}`])
  })

  it('a transfer between customers and a batch by a tag', async () => {
    permissions.add('bookings.read')
    const others = { book_transfer: newId(), batch: newId() }
    await place.db.query(sql`
      insert into book_transfers (
        workspace, id, state, from_account_id, from_customer_id, to_account_id, to_customer_id,
        asset, quantity, reason, hold_id, system_created_at, system_updated_at
      )
      values (
        ${place.workspace}, ${others.book_transfer}, 'DONE', ${newId()}, ${newId()}, ${newId()},
        ${newId()}, 'EUR', 7, 'gift', ${newId()}, 0, 0
      )`)
    await place.db.query(sql`
      insert into withdrawal_batches (
        workspace, id, state, expires_at, transactions, payments, submitted, sums,
        system_created_at, system_updated_at
      )
      values (${place.workspace}, ${others.batch}, 'PREPARED', 0, 1, 1, 0, '[]', 0, 0)`)
    for (const [kind, record_id] of Object.entries(others)) await tag(kind, record_id, 'audit')
    assert.deepEqual(
      (await find('audit')).map(({ kind, title }) => `${kind}: ${title}`),
      ['book_transfer: Book transfer 7 EUR', 'batch: Batch'],
    )
  })

  it('neither for who may not see them', async () => {
    permissions = new Set(['customers.read'])
    assert.deepEqual(await found('rent june'), [])
    assert.deepEqual(await found('Landlord'), [])
    permissions = new Set(['treasury.withdrawals.read'])
    assert.deepEqual(await found('urgent'), [])
    assert.deepEqual(await find(newId()), [])
  })
})
