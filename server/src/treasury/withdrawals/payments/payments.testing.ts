import assert from 'node:assert/strict'
import type { Customer } from '../../../customers/index.ts'
import { sql } from '../../../store/sql.ts'
import type { RouteRecord } from '../../routes/routes.schema.ts'
import { openMovements } from '../../testing/movements.testing.ts'
import type { Wallet } from '../../wallets/wallets.schema.ts'
import type { Withdrawal } from '../withdrawals.schema.ts'
import type { Payment } from './payments.schema.ts'

export const NEW_IBAN = 'AT611904300234573201'

/** A workplace in which Bob, who has money, pays people. */
export async function openPayments() {
  const place = await openMovements()
  const payer = async (): Promise<Customer> => {
    const bob = await place.customer('Bob')
    await place.fund(bob.account_id, 'EUR', '1000')
    await place.fund(bob.account_id, 'BTC', '2')
    return bob
  }
  const toNewPayee = ({ account_id }: Customer, more: object = {}) => ({
    from_wallet_id: place.wallets.bank.id,
    protocol: 'SEPA',
    payee: { label: 'Landlord', address: NEW_IBAN, transfer: { to: { name: 'Landlord Ltd' } } },
    account_id,
    quantity: '250',
    reference: 'Rent May',
    purpose: 'rent',
    ...more,
  })
  const order = (body: object, headers: Record<string, string> = {}) =>
    place.call<Payment>('POST', '/treasury/payments', body, { headers })
  const ordered = async (body: object): Promise<Payment> => {
    const answer = await order(body)
    assert.equal(answer.status, 200, answer.text)
    return answer.data
  }
  const read = async (id: string): Promise<Payment> =>
    (await place.call<Payment[]>('GET', `/treasury/payments?id=${id}`)).data[0] ?? assert.fail()
  const withdrawalOf = async ({ withdrawal_id }: Payment) =>
    (await place.call<Withdrawal>('GET', `/treasury/withdrawals/${withdrawal_id}`)).data
  const walletsOf = ({ id }: Customer) =>
    place.call<Wallet[]>('GET', `/treasury/wallets?customer_id=${id}`)
  const routeOf = async ({ route_id }: Payment) =>
    (await place.call<RouteRecord[]>('GET', `/treasury/wallets/routes?id=${route_id}`)).data[0] ??
    assert.fail()
  const counted = async () => {
    const [row] = await place.db.query<Record<string, number>>(sql`
      select (select count(*) from wallets)::integer as wallets,
        (select count(*) from treasury_routes)::integer as routes,
        (select count(*) from payments)::integer as payments,
        (select count(*) from withdrawals)::integer as withdrawals`)
    return row
  }
  return {
    ...place,
    payer,
    toNewPayee,
    order,
    ordered,
    readPayment: read,
    withdrawalOf,
    walletsOf,
    routeOf,
    counted,
  }
}

export type PaymentsPlace = Awaited<ReturnType<typeof openPayments>>
