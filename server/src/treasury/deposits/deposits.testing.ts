/** For tests: wires to our bank, whose they are, and what people decide about them. */
import assert from 'node:assert/strict'
import type { Incoming } from '../../venues/index.ts'
import type { DepositAssignment } from '../assignments/assignments.schema.ts'
import { openMovements } from '../testing/movements.testing.ts'
import { IBAN, movement } from '../testing/venue.fixture.ts'
import type { Deposit } from '../deposit-rows/deposits.schema.ts'

export const PAYER = 'FR1420041010050500013M02606'

export async function openDeposits() {
  const place = await openMovements()
  const { call } = place
  let count = 0
  const urlOf = (id: string) => `/treasury/deposits/${id}`
  return {
    place,
    /** A wire to our bank, seen by the next reading. */
    async wire(quantity: string, more: Partial<Incoming> = {}): Promise<string> {
      count += 1
      const foreign_id = `wire-${count}`
      place.arrives(
        place.bank,
        movement(foreign_id, 'EUR', quantity, {
          wallet: IBAN,
          destination_address: IBAN,
          source_address: PAYER,
          counterparty: { name: 'Payer', iban: PAYER, bic: null },
          ...more,
        }),
      )
      await place.later(10_000)
      return foreign_id
    },
    async read(foreign_id: string): Promise<Deposit> {
      const [deposit] = (
        await call<Deposit[]>('GET', `/treasury/deposits?foreign_id=${foreign_id}`)
      ).data
      assert.ok(deposit !== undefined, `${foreign_id} was seen`)
      return deposit
    },
    readById: async (id: string) => (await call<Deposit>('GET', urlOf(id))).data,
    assignments: async (id: string) =>
      (await call<DepositAssignment[]>('GET', `${urlOf(id)}/assignments`)).data,
    match: (resource_id: string, type: string, details: object) =>
      call<{ id: string }>('POST', '/accounts/matchings', {
        resource_id,
        type,
        details: { asset: 'EUR', is_withdrawal_matching: false, ...details },
      }),
    /** One part is answered as a record, several as a list. */
    assign: <Answered = DepositAssignment>(
      id: string,
      parts: readonly { account_id: string; quantity: string }[],
      headers: Record<string, string> = {},
    ) => call<Answered>('POST', `${urlOf(id)}/assignments`, parts, { headers }),
    decide: (id: string, assignment: string, status: string) =>
      call<DepositAssignment>('PATCH', `${urlOf(id)}/assignments`, { id: assignment, status }),
  }
}
