/** For tests: assigned wires and payouts, and their rectifications over HTTP. */
import assert from 'node:assert/strict'
import { sql } from '../../store/sql.ts'
import type { DepositAssignment } from '../assignments/assignments.schema.ts'
import type { Deposit } from '../deposit-rows/deposits.schema.ts'
import { openMovements } from '../testing/movements.testing.ts'
import { IBAN, movement } from '../testing/venue.fixture.ts'
import type { DepositRectification, WithdrawalRectification } from './rectifications.schema.ts'

export type Wire = { id: string; foreign_id: string; origins: string[] }

export async function openRectifications() {
  const place = await openMovements()
  let count = 0
  /** A final wire, assigned in these parts; its origins are the assignments in their order. */
  async function wire(
    parts: { account_id: string; quantity: string }[],
    total = '100',
  ): Promise<Wire> {
    count += 1
    const foreign_id = `wire-${count}`
    place.arrives(
      place.bank,
      movement(foreign_id, 'EUR', total, { wallet: IBAN, destination_address: IBAN }),
    )
    await place.later(10_000)
    const { data: deposits } = await place.call<Deposit[]>(
      'GET',
      `/treasury/deposits?foreign_id=${foreign_id}`,
    )
    const [deposit] = deposits
    assert.ok(deposit !== undefined)
    const made = await place.call<DepositAssignment[] | DepositAssignment>(
      'POST',
      `/treasury/deposits/${deposit.id}/assignments`,
      parts,
    )
    assert.equal(made.status, 200, made.text)
    return { id: deposit.id, foreign_id, origins: [made.data].flat().map((row) => row.id) }
  }
  return {
    place,
    wire,
    ofDeposit: (id: string, body: object, query = '', headers: Record<string, string> = {}) =>
      place.call<DepositRectification>(
        'POST',
        `/treasury/deposits/${id}/rectifications${query}`,
        { reason: 'WRONG_ACCOUNT', ...body },
        { headers },
      ),
    ofWithdrawal: (id: string, body: object) =>
      place.call<WithdrawalRectification>('POST', `/treasury/withdrawals/${id}/rectifications`, {
        reason: 'WRONG_ACCOUNT',
        ...body,
      }),
    assignments: async (id: string) =>
      (await place.call<DepositAssignment[]>('GET', `/treasury/deposits/${id}/assignments`)).data,
    totals: (...customers: { account_id: string }[]) =>
      Promise.all(customers.map(({ account_id }) => place.total(account_id))),
    counted: async () =>
      (
        await place.db.query(sql`
          select (select count(*) from bookings) as bookings,
            (select count(*) from rectifications) as rectifications,
            (select count(*) from assignments) as assignments`)
      )[0],
  }
}

export const to = (account_id: string, quantity: string) => [{ account_id, quantity }]
