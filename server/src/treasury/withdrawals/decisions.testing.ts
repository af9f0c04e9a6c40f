/** For tests: withdrawals about which somebody decides, and venues that may not have got them. */
import assert from 'node:assert/strict'
import { sql } from '../../store/sql.ts'
import type { openMovements } from '../testing/movements.testing.ts'
import type { Withdrawal } from './withdrawals.schema.ts'

export const NOT_ALLOWED = '400 3001 STATE_NOT_ALLOWED '

export function decisionsAt(place: () => Awaited<ReturnType<typeof openMovements>>) {
  const ask = async (account_id: string) =>
    (
      await place().call<Withdrawal>(
        'POST',
        `/treasury/wallets/routes/${place().routes.payout.id}/withdrawals`,
        { quantity: '1', speed_level: 'DEFAULT', account_id },
      )
    ).data
  const read = async (id: string) =>
    (await place().call<Withdrawal>('GET', `/treasury/withdrawals/${id}`)).data
  const act = (
    id: string,
    what: 'cancel' | 'resolve' | 'recheck' | 'review-decision',
    body?: object,
    headers: Record<string, string> = {},
  ) => place().call<Withdrawal>('POST', `/treasury/withdrawals/${id}/${what}`, body, { headers })
  const funded = async (quantity = '3') => {
    const customer = await place().customer('Bob')
    await place().belongsTo(customer, place().wallets.alice)
    await place().fund(customer.account_id, 'BTC', quantity)
    return customer
  }
  const sends = (id: string) =>
    place().models.vault.sends.filter((send) => send.external_id === id).length
  /** One whose request may have left: the venue has it, or not. */
  async function unknown(account_id: string, mode: 'late' | 'lost' = 'late'): Promise<Withdrawal> {
    const { vault } = place().models
    vault.mode = mode
    const made = await ask(account_id)
    await place().work()
    vault.mode = 'accept'
    const row = await read(made.id)
    assert.equal(row.state, 'UNKNOWN')
    return row
  }
  /** Nobody is left with a blocked amount for what has ended. */
  const orphans = () =>
    place().db.query(
      sql`
        select h.id
        from holds h
        join withdrawals w on w.workspace = h.workspace
          and w.id = h.cause_id
        where h.state = 'OPEN'
          and w.state in ('SUCCESS', 'FAILED', 'REJECTED', 'CANCELED')`,
    )

  return { ask, read, act, funded, sends, unknown, orphans }
}
