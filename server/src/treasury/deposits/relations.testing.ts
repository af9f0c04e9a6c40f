/** For tests: own transfers from an exchange to our bank, and wires that may be their arrival. */
import assert from 'node:assert/strict'
import type { Answer } from '../../http/testing.ts'
import { sql } from '../../store/sql.ts'
import type { Withdrawal } from '../withdrawals/withdrawals.schema.ts'
import type { Deposit } from '../deposit-rows/deposits.schema.ts'
import { openDeposits } from './deposits.testing.ts'
import type { TransferSuggestion } from './relations.schema.ts'

/** From which the exchange pays. */
export const PAYOUT_IBAN = 'LU280019400644750000'

export async function openRelations() {
  const deposits = await openDeposits()
  const { place } = deposits
  const { call, db, models, workspace } = place
  const exchangeToBank = await place.route(place.wallets.exchangeEur, place.wallets.bank, 'SEPA', {
    from: { key: 'bank' },
  })
  const post = (id: string, what: string, body: object, more = {}): Promise<Answer<Deposit>> =>
    call<Deposit>('POST', `/treasury/deposits/${id}/${what}`, body, more)
  return {
    ...deposits,
    routes: { ...place.routes, exchangeToBank },
    payoutIbans: (ibans: readonly string[], venue_id = place.exchange.id) =>
      db.query(sql`
        update venues
        set payout_ibans = ${ibans}::text[]
        where workspace = ${workspace}
          and id = ${venue_id}`),
    /** Asked for over a route from the exchange, and left. */
    async leaves(quantity: string, route = exchangeToBank): Promise<Withdrawal> {
      const made = await call<Withdrawal>(
        'POST',
        `/treasury/wallets/routes/${route.id}/withdrawals`,
        { quantity, speed_level: 'DEFAULT' },
      )
      assert.equal(made.status, 200, made.text)
      await place.work()
      models.exchange.finish(made.data.external_id, {})
      await place.later(2_000)
      return made.data
    },
    relate: (id: string, body: object, more = {}) => post(id, 'relate', body, more),
    unrelate: (id: string, reason = 'not the arrival', more = {}) =>
      post(id, 'unrelate', { reason }, more),
    suggestions: async (id: string) =>
      (
        await call<TransferSuggestion[]>('GET', `/treasury/deposits/${id}/transfer-suggestions`)
      ).data.map(({ withdrawal_id, part_id, score, reasons }) => ({
        of: withdrawal_id ?? part_id,
        score,
        reasons: reasons.map(({ code }) => code),
      })),
    async hasArrived(id: string): Promise<boolean> {
      const [row] = await db.query<{ arrived: boolean }>(sql`
        select arrived_at is not null as arrived
        from withdrawals
        where id = ${id}`)
      return row?.arrived === true
    },
    suspenseAndTransit: async () => [
      await place.total(place.house.SUSPENSE, 'EUR'),
      await place.total(place.house.TRANSIT, 'EUR'),
    ],
  }
}
