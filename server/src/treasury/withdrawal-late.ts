/**
 * A withdrawal that had ended here (failed, refused, canceled) and that the venue let go after all. Ended stays ended: what left is
 * a withdrawal of its own, of origin EXTERNAL, that names the first one. It is taken from whom the first one was for, whatever they
 * hold by now, since it has happened.
 */
import { customersOfAccounts } from '../customers/index.ts'
import { format, round, sum } from '../core/decimal.ts'
import type { Decimal } from '../core/decimal.ts'
import { newId } from '../core/ids.ts'
import { assetsOf } from '../ledger/index.ts'
import type { EventDraft } from '../ledger/index.ts'
import type { Query } from '../store/sql.ts'
import type { Outgoing } from '../venues/index.ts'
import { assignmentsOf, insertAssignment } from './assignment-rows.ts'
import type { TreasuryApp } from './wallets.ts'
import { withdrawalEvent, withdrawalRow } from './withdrawals.ts'
import type { Owned, WithdrawalRow } from './withdrawals.ts'

/** What the withdrawal of what left late has of the one that had ended; no owners: it waits on SUSPENSE to be assigned. */
export type Late = { ended: WithdrawalRow; owners: Owned[] }

export async function lateOf(app: TreasuryApp, workspace: string, ended_id: string, movement: Outgoing): Promise<Late> {
  const ended = await withdrawalRow(app.db, workspace, ended_id)
  const scale = (await assetsOf(app.db, workspace)).get(movement.asset)?.scale
  const left = scale === undefined ? movement.quantity : round(movement.quantity, scale, 'down')
  return { ended, owners: movement.asset === ended.asset ? await ownersOf(app, ended, left) : [] }
}

/** In the same parts when all of it left, else the only owner. Nobody when one of them is no customer any more. */
async function ownersOf(app: TreasuryApp, ended: WithdrawalRow, left: Decimal): Promise<Owned[]> {
  const parts = (await assignmentsOf(app.db, ended.workspace, { withdrawal_id: ended.id })).filter((each) => each.rectification_id === null)
  const customers = await customersOfAccounts(app.db, ended.workspace, parts.map((each) => each.account_id))
  const [first] = parts
  if (first === undefined || left === 0n || parts.some((each) => customers.get(each.account_id)?.state !== 'ACTIVE')) return []
  if (sum(parts.map((each) => each.quantity)) === left) return parts.map(({ account_id, customer_id, quantity }) => ({ account_id, customer_id, quantity }))
  return parts.every((each) => each.account_id === first.account_id) ? [{ account_id: first.account_id, customer_id: first.customer_id, quantity: left }] : []
}

/** Booked with its success, which follows. */
export function lateAssignments({ ended, owners }: Late, withdrawal_id: string, at: number, by: string): Query[] {
  return owners.map((owner) => insertAssignment({
    workspace: ended.workspace, id: newId(), state: 'PENDING', deposit_id: null, withdrawal_id, account_id: owner.account_id, customer_id: owner.customer_id, asset: ended.asset, quantity: format(owner.quantity),
    source: 'ROUTE', matching_id: null, decided_by: null, decided_at: null, booked_at: null, at, by,
  }))
}

export const lateEvent = ({ ended, owners }: Late, withdrawal_id: string): EventDraft => withdrawalEvent('left_late', ended, {
  alert: true, late_withdrawal_id: withdrawal_id, owners: owners.map(({ account_id, customer_id, quantity }) => ({ account_id, customer_id, quantity: format(quantity) })),
})
