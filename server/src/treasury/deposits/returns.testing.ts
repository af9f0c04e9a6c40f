/** For tests: deposits that go back to their sender, and what the books say of them. */
import assert from 'node:assert/strict'
import type { Answer } from '../../http/testing.ts'
import type { Incoming } from '../../venues/index.ts'
import type { Deposit } from '../deposit-rows/deposits.schema.ts'
import { suspenseDifferences } from '../reports/suspense.ts'
import type { Withdrawal } from '../withdrawals/withdrawals.schema.ts'
import { openDeposits } from './deposits.testing.ts'

/** Code and field of each refusal; empty when nothing was refused. */
export const refusedWith = ({ error_details = [] }: Answer<unknown>): string =>
  error_details.map(({ path, code }) => `${code} ${path}`.trim()).join()

export async function openReturns() {
  const deposits = await openDeposits()
  const { place } = deposits
  const { bank } = place.models
  const askReturn = (id: string, body: object, more = {}): Promise<Answer<Withdrawal>> =>
    place.call<Withdrawal>(
      'POST',
      `/treasury/deposits/${id}/return`,
      { reason: 'not for us', ...body },
      more,
    )
  return {
    ...deposits,
    askReturn,
    /** A wire over SEPA, settled. */
    async arrives(quantity: string, more: Partial<Incoming> = {}): Promise<Deposit> {
      const name = await deposits.wire(quantity, { protocol: 'SEPA', ...more })
      return deposits.read(name)
    },
    async sends(id: string, body: object = {}): Promise<Withdrawal> {
      const made = await askReturn(id, body)
      assert.equal(made.status, 200, made.text)
      await place.work()
      return made.data
    },
    /** The bank says how it ended. */
    async ends(withdrawal: Withdrawal, state: 'SUCCESS' | 'FAILED' = 'SUCCESS'): Promise<void> {
      bank.finish(withdrawal.external_id, { state, reason: state === 'FAILED' ? 'AC04' : null })
      await place.later(60_000)
    },
    async counts(id: string) {
      const { state, returned_quantity, returning_quantity } = await deposits.readById(id)
      return { state, returned_quantity, returning_quantity }
    },
    suspense: () => place.total(place.house.SUSPENSE, 'EUR'),
    withdrawal: async (id: string) =>
      (await place.call<Withdrawal>('GET', `/treasury/withdrawals/${id}`)).data,
    returnsOf: async (id: string) =>
      (await place.call<Withdrawal[]>('GET', `/treasury/withdrawals?returns_deposit_id=${id}`))
        .data,
    async close(): Promise<void> {
      try {
        assert.deepEqual(await place.verify(), [])
        assert.deepEqual(await place.db.query(suspenseDifferences(place.workspace)), [])
      } finally {
        await place.close()
      }
    },
  }
}
