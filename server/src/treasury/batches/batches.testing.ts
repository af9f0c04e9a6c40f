/** For tests: batches prepared and submitted over HTTP, and transfers that end as the test says. */
import assert from 'node:assert/strict'
import { sql } from '../../store/sql.ts'
import { openMovements } from '../testing/movements.testing.ts'
import type { Withdrawal } from '../withdrawals/withdrawals.schema.ts'
import type { BatchRequest } from './batches.schema.ts'

export type Item = {
  route_id: string
  quantity: string
  speed_level?: string
  account_id?: string
  third_party?: boolean
  note?: string
  client_ref?: string
}

export async function openBatches() {
  const place = await openMovements()
  const prepare = (items: readonly Item[], headers: Record<string, string> = {}) =>
    place.call<BatchRequest[]>(
      'POST',
      '/treasury/withdrawals/batch/prepare',
      { withdrawals: items.map((item) => ({ speed_level: 'DEFAULT', ...item })) },
      { headers },
    )
  return {
    place,
    prepare,
    async prepared(items: readonly Item[]): Promise<BatchRequest[]> {
      const answer = await prepare(items)
      assert.equal(answer.status, 200, answer.text)
      return answer.data
    },
    submit: (
      withdrawals: readonly object[],
      more: { headers?: Record<string, string>; token?: string } = {},
    ) =>
      place.call<Withdrawal[]>('POST', '/treasury/withdrawals/batch/submit', { withdrawals }, more),
    read: async (id: string) =>
      (await place.call<Withdrawal>('GET', `/treasury/withdrawals/${id}`)).data,
    /** A customer with BTC, and the wallet to which the route `payout` leads. */
    async funded(label: string, quantity = '3') {
      const customer = await place.customer(label)
      await place.belongsTo(customer, place.wallets.alice)
      await place.fund(customer.account_id, 'BTC', quantity)
      return customer
    },
    balances: (...customers: { account_id: string }[]) =>
      Promise.all(customers.map(({ account_id }) => place.balance(account_id, 'BTC'))),
    openHolds: () =>
      place.db.query<{ cause_type: string }>(sql`
        select cause_type
        from holds
        where state = 'OPEN'`),
    /** Everything in flight succeeds, or ends as the report says. */
    async finish(
      rows: readonly Withdrawal[],
      report: Parameters<typeof place.models.vault.finish>[1] = {},
    ): Promise<void> {
      await place.work()
      const models = new Map([
        [place.bank.id, place.models.bank],
        [place.exchange.id, place.models.exchange],
      ])
      for (const row of rows)
        (models.get(row.venue_id) ?? place.models.vault).finish(row.external_id, report)
      await place.later(60_000)
    },
  }
}

/** Each request in a line: `1 BTC DEFAULT bundled: 0.5 first, 0.5`. */
export function shown(requests: readonly BatchRequest[]): string[] {
  return requests.map(({ quantity, asset, speed_level, bundled, stakes }) => {
    const payments = stakes.map((stake) => `${stake.quantity} ${stake.note ?? ''}`.trim())
    const way = bundled ? 'bundled' : 'alone'
    return `${quantity} ${asset} ${speed_level} ${way}: ${payments.join(', ')}`
  })
}
