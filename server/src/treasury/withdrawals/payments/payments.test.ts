import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, it } from 'node:test'
import { newId } from '../../../core/ids.ts'
import type { Customer } from '../../../customers/index.ts'
import { refusalOf } from '../../../http/testing.ts'
import { sql } from '../../../store/sql.ts'
import { treasuryTasks } from '../../index.ts'
import { CUSTOMERS_IBAN } from '../../testing/movements.testing.ts'
import { IBAN, movement } from '../../testing/venue.fixture.ts'
import type { Wallet } from '../../wallets/wallets.schema.ts'
import type { Payment, PaymentPreview } from './payments.schema.ts'
import { NEW_IBAN, openPayments } from './payments.testing.ts'
import type { PaymentsPlace } from './payments.testing.ts'

const MINUTE = 60_000
const OTHER_IBAN = 'DE89370400440532013000'
const NEW_ADDRESS = 'bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4'

describe('payments', () => {
  let place: PaymentsPlace
  let bob: Customer
  before(async () => {
    place = await openPayments()
  })
  after(() => place.close())
  beforeEach(async () => {
    bob = await place.payer()
  })

  const toNewPayee = (more: object = {}) => place.toNewPayee(bob, more)
  const overRoute = () => ({
    route_id: place.routes.bankToExchange.id,
    account_id: undefined,
    from_wallet_id: undefined,
    protocol: undefined,
    payee: undefined,
  })
  /** As a request names it. */
  const external = (wallet: Wallet | undefined) => {
    const { type, asset, address, label, account_id, customer_id, access_type } =
      wallet ?? assert.fail()
    return { type, asset, address, label, account_id, customer_id, access_type }
  }

  it('to a new payee make wallet, route and withdrawal', async () => {
    const payment = await place.ordered(toNewPayee({ client_ref: 'P-1', note: 'by phone' }))
    assert.equal(payment.state, 'WAITING')
    await place.work()
    const sent = await place.readPayment(payment.id)
    const told = { recipient_name: 'Landlord Ltd', destination_address: NEW_IBAN }
    assert.partialDeepStrictEqual(payment, told)
    assert.partialDeepStrictEqual(sent, { state: 'SENT', withdrawal_state: 'PENDING', ...told })
    const { quantity, reference_text, purpose, note, client_ref, recipient_name, account_id } =
      await place.withdrawalOf(sent)
    assert.deepEqual(
      { quantity, reference_text, purpose, note, client_ref, recipient_name, account_id },
      {
        quantity: '250',
        reference_text: 'Rent May',
        purpose: 'rent',
        note: 'by phone',
        client_ref: 'P-1',
        recipient_name: 'Landlord Ltd',
        account_id: bob.account_id,
      },
    )
    const [wallet] = (await place.walletsOf(bob)).data
    assert.deepEqual(
      { id: wallet?.id, address: wallet?.address, label: wallet?.label },
      { id: sent.to_wallet_id, address: NEW_IBAN, label: 'Landlord' },
    )
  })

  it('that come back say by which deposit', async () => {
    const payment = await place.ordered(toNewPayee())
    await place.work()
    const { withdrawal_id, came_back_as } = await place.readPayment(payment.id)
    assert.equal(came_back_as, null)
    place.arrives(place.bank, movement('came-back', 'EUR', '250', { wallet: IBAN }))
    await place.later(MINUTE)
    const [deposit] = await place.db.query<{ id: string }>(sql`
      update deposits
      set related_withdrawal_id = ${withdrawal_id}
      where foreign_id = 'came-back'
      returning id`)
    assert.equal((await place.readPayment(payment.id)).came_back_as, deposit?.id)
  })

  it('to the same payee use what is there, with a reference of their own', async () => {
    const first = await place.ordered(toNewPayee())
    const other = { label: 'Spelled otherwise', address: 'AT61 1904 3002 3457 3201' }
    const second = await place.ordered(toNewPayee({ payee: other, reference: 'Rent June' }))
    assert.deepEqual(
      { route: second.route_id, wallet: second.to_wallet_id },
      { route: first.route_id, wallet: first.to_wallet_id },
    )
    const { data: preview } = await place.call<PaymentPreview>(
      'POST',
      '/treasury/payments/preview',
      toNewPayee({ payee: { ...other, transfer: { to: { name: 'Somebody Else' } } } }),
    )
    assert.deepEqual([preview.known_label, preview.known_names], ['Landlord', ['Landlord Ltd']])
    await place.work()
    const references = [first, second].map(async ({ id }) => {
      const { external_id, reference_text } = await place.withdrawalOf(await place.readPayment(id))
      const sent = place.models.bank.sends.find((send) => send.external_id === external_id)
      return { stored: reference_text, sent: sent?.transfer.to['reference'] }
    })
    assert.deepEqual(await Promise.all(references), [
      { stored: 'Rent May', sent: 'Rent May' },
      { stored: 'Rent June', sent: 'Rent June' },
    ])
  })

  it('that the bank refuses say why', async () => {
    const payment = await place.ordered(toNewPayee())
    place.models.bank.mode = 'refuse'
    await place.work()
    place.models.bank.mode = 'accept'
    assert.partialDeepStrictEqual(await place.readPayment(payment.id), {
      state: 'SENT',
      reason: null,
      withdrawal_state: 'REJECTED',
      withdrawal_reason: 'not today',
    })
  })

  it('are sent when their time has come, and not earlier', async () => {
    const send_at = place.clock.now() + 60 * MINUTE
    const payment = await place.ordered(toNewPayee({ send_at }))
    await place.later(59 * MINUTE)
    const waiting = await place.readPayment(payment.id)
    assert.deepEqual(
      { state: waiting.state, withdrawal_id: waiting.withdrawal_id },
      { state: 'WAITING', withdrawal_id: null },
    )
    await place.later(MINUTE)
    assert.equal((await place.readPayment(payment.id)).state, 'SENT')
  })

  it('go where they were ordered to, or nowhere', async () => {
    const send_at = place.clock.now() + 60 * MINUTE
    const [toAddress, toRoute, untouched] = [
      await place.ordered(toNewPayee({ send_at })),
      await place.ordered(
        toNewPayee({
          send_at,
          payee: { label: 'Tax office', address: OTHER_IBAN, transfer: { to: { name: 'Tax' } } },
        }),
      ),
      await place.ordered({ ...toNewPayee({ send_at, reference: undefined }), ...overRoute() }),
    ]
    const wallet = (await place.walletsOf(bob)).data.find(({ id }) => id === toAddress.to_wallet_id)
    const moved = await place.call('PUT', `/treasury/wallets/${wallet?.id}`, {
      ...external(wallet),
      address: CUSTOMERS_IBAN,
    })
    assert.equal(moved.status, 200, moved.text)
    const route = await place.routeOf(toRoute)
    const changed = await place.call('PUT', `/treasury/wallets/routes/${route.id}`, {
      ...route,
      transfer: { to: { ...route.transfer.to, name: 'Somebody else' } },
    })
    assert.equal(changed.status, 200, changed.text)
    await place.later(60 * MINUTE)
    for (const { id } of [toAddress, toRoute]) {
      const { state, reason, withdrawal_id } = await place.readPayment(id)
      assert.deepEqual({ state, withdrawal_id }, { state: 'REFUSED', withdrawal_id: null })
      assert.match(reason ?? '', /was changed after the payment was ordered/)
    }
    assert.equal((await place.readPayment(untouched.id)).state, 'SENT')
  })

  it('have the venue asked for its allow-list, and wait for it', async () => {
    place.vault.allowlist = 'PENDING_APPROVAL'
    const body = toNewPayee({
      from_wallet_id: place.wallets.vault.id,
      protocol: 'BTC',
      payee: { label: 'Cold storage', address: NEW_ADDRESS },
      quantity: '0.5',
      reference: undefined,
    })
    const payment = await place.ordered(body)
    await place.later(MINUTE)
    assert.equal((await place.readPayment(payment.id)).state, 'WAITING')
    assert.equal((await place.routeOf(payment)).transfer.to.allowlist_state, 'PENDING_APPROVAL')
    place.vault.allowlist = 'APPROVED'
    await place.later(MINUTE)
    assert.equal((await place.readPayment(payment.id)).state, 'SENT')
  })

  it('that are refused wait for a person, who tries again or gives up', async () => {
    const send_at = place.clock.now() + MINUTE
    const payment = await place.ordered(toNewPayee({ quantity: '5000', send_at }))
    await place.later(MINUTE)
    const refused = await place.readPayment(payment.id)
    assert.equal(refused.state, 'REFUSED')
    assert.match(refused.reason ?? '', /EUR/)
    await place.later(60 * MINUTE)
    assert.equal((await place.readPayment(payment.id)).state, 'REFUSED')

    await place.fund(bob.account_id, 'EUR', '5000')
    const url = `/treasury/payments/${payment.id}`
    assert.equal((await place.call('POST', `${url}/retry`, {})).status, 200)
    await place.work()
    const { state, reason } = await place.readPayment(payment.id)
    assert.deepEqual({ state, reason }, { state: 'SENT', reason: null })
    for (const way of ['retry', 'cancel'])
      assert.equal(
        refusalOf(await place.call('POST', `${url}/${way}`, {})),
        '400 3001 STATE_NOT_ALLOWED ',
      )
  })

  it('to a third party are tried again by who may order them', async () => {
    const send_at = place.clock.now() + MINUTE
    const order = toNewPayee({ quantity: '5000', send_at, third_party: true })
    const payment = await place.ordered(order)
    await place.later(MINUTE)
    assert.equal((await place.readPayment(payment.id)).state, 'REFUSED')
    const permissions = new Set(place.principal.permissions)
    permissions.delete('treasury.withdrawals.third_party')
    place.others.set('Bearer clerk', { ...place.principal, permissions })
    const url = `/treasury/payments/${payment.id}/retry`
    const answer = await place.call('POST', url, {}, { token: 'clerk' })
    assert.equal(refusalOf(answer), '403 1003 PERMISSION_REQUIRED ')
    assert.equal((await place.readPayment(payment.id)).state, 'REFUSED')
    assert.equal((await place.call('POST', url, {})).status, 200)
  })

  it('can be canceled before they are sent', async () => {
    const payment = await place.ordered(toNewPayee({ send_at: place.clock.now() + MINUTE }))
    const url = `/treasury/payments/${payment.id}/cancel`
    assert.equal(
      refusalOf(await place.call('POST', url, { version: 7 })),
      '400 3001 STALE_VERSION version',
    )
    const canceled = await place.call<Payment>('POST', url, { reason: 'wrong invoice' })
    assert.deepEqual(
      { state: canceled.data.state, reason: canceled.data.reason },
      { state: 'CANCELED', reason: 'wrong invoice' },
    )
    await place.later(2 * MINUTE)
    assert.deepEqual(await place.readPayment(payment.id), canceled.data)
  })

  it('wait while a venue does not answer', async () => {
    place.bank.down = true
    const payment = await place.ordered(toNewPayee())
    await place.later(MINUTE)
    place.bank.down = false
    await place.later(MINUTE)
    assert.equal((await place.readPayment(payment.id)).state, 'SENT')
  })

  it('are sent once, whoever sends them at the same time', async () => {
    const payment = await place.ordered(toNewPayee())
    const send = treasuryTasks(place.app)['send_payment']
    const task = { workspace: place.workspace, kind: 'send_payment', subject_id: payment.id }
    const cancel = () => place.call('POST', `/treasury/payments/${payment.id}/cancel`, {})
    const before = await place.counted()
    await Promise.all([1, 2, 3].map((attempts) => send?.({ ...task, attempts })))
    const refused = await cancel()
    assert.equal(refusalOf(refused), '400 3001 STATE_NOT_ALLOWED ')
    const after = await place.counted()
    assert.equal(Number(after?.['withdrawals']) - Number(before?.['withdrawals']), 1)
  })

  it('are found by asset, amount, account and customer', async () => {
    const found = async (query: string) =>
      (await place.call<Payment[]>('GET', `/treasury/payments?${query}`)).data.map(({ id }) => id)
    const send_at = place.clock.now() + MINUTE
    const { id } = await place.ordered(toNewPayee({ quantity: '17.25', send_at }))
    const of = `customer_id=${bob.id}&asset=eur`
    assert.deepEqual(await found(`${of}&quantity_from=17.25&quantity_to=17.250`), [id])
    assert.deepEqual(await found(`${of}&quantity_from=17.2&quantity_to=17.3&state=waiting`), [id])
    assert.deepEqual(await found(`account_id=${bob.account_id}&quantity_to=17`), [])
    assert.deepEqual(await found('asset=BTC&quantity_from=17'), [])
    assert.deepEqual(await found(`customer_id=${newId()}`), [])
    await place.call('POST', `/treasury/payments/${id}/cancel`, {})
  })

  it('are ordered once under one key', async () => {
    const body = toNewPayee()
    const headers = { 'idempotency-key': 'pay-landlord-once' }
    const answers = [await place.order(body, headers), await place.order(body, headers)]
    assert.deepEqual(answers[1]?.data, answers[0]?.data)
    await place.work()
    assert.equal((await place.walletsOf(bob)).data.length, 1)
  })

  it('are seen and changed by their workspace alone', async () => {
    const payment = await place.ordered(toNewPayee({ send_at: place.clock.now() + MINUTE }))
    const theirs = { token: 'stranger' }
    const list = await place.call<Payment[]>('GET', '/treasury/payments', undefined, theirs)
    assert.deepEqual(list.data, [])
    const url = `/treasury/payments/${payment.id}/cancel`
    assert.equal((await place.call('POST', url, {}, theirs)).status, 404)
    assert.equal((await place.readPayment(payment.id)).state, 'WAITING')
  })
})
