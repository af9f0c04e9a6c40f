/** What accounts get of a deposit that is assigned without a person, once screening lets it. */
import { mustExist } from '../../core/assert.ts'
import { format } from '../../core/decimal.ts'
import { newId } from '../../core/ids.ts'
import type { Json } from '../../core/json.ts'
import { holdersOfAccounts } from '../../customers/index.ts'
import type { EventDraft } from '../../ledger/index.ts'
import { TREASURY_WORKER } from '../app.ts'
import type { TreasuryApp } from '../app.ts'
import type { AssignedPart } from '../assignments/assignments.schema.ts'
import { insertAssignment } from '../assignments/rows.ts'
import { depositEvent } from '../deposit-rows/rows.ts'
import type { DepositRow } from '../deposit-rows/rows.ts'
import { isHeldReason, screenDeposit } from '../withdrawals/held-deposits.ts'
import type { ScreeningHold } from '../withdrawals/held-deposits.ts'
import type { AccountsOrNobody } from './owner.ts'

type Accounts = Extract<AccountsOrNobody, { owner: 'accounts' }>

const sharesOf = (owner: AccountsOrNobody): Accounts['shares'] =>
  owner.owner === 'accounts' ? owner.shares.filter(({ quantity }) => quantity > 0n) : []

/** The gate of the shares; nothing is screened where nothing is assigned. */
export async function screenShares(
  app: TreasuryApp,
  row: DepositRow,
  owner: Accounts,
): ReturnType<typeof screenDeposit> {
  const accounts = sharesOf(owner).map((share) => share.account_id)
  return accounts.length === 0 ? { filed: [] } : screenDeposit(app, row, accounts)
}

/** A deposit that is held is nobody's, and says why. A transfer that comes with it has arrived. */
export function withheld(owner: Accounts, hold: ScreeningHold | undefined): AccountsOrNobody {
  if (hold === undefined) return owner
  const { transfer, returned } = owner
  return {
    owner: 'nobody',
    ...hold,
    ...(transfer === undefined ? {} : { transfer }),
    ...(returned === undefined ? {} : { returned }),
  }
}

/**
 * What events say of the owner: `matched` is null when nothing named an account. Whoever is told of
 * the deposit is not told what screening has found.
 */
export function ownerEventData(owner: AccountsOrNobody): Record<string, Json> {
  if (owner.owner === 'nobody' && isHeldReason(owner))
    return { matched: null, reason_code: null, reason: null }
  if (owner.owner === 'nobody')
    return { matched: null, reason_code: owner.reason_code, reason: owner.reason }
  return {
    matched: owner.matched ?? { level: 'RETURN', withdrawal_id: owner.returned?.id ?? null },
  }
}

/** The shares of the accounts as assignments, with the writes that store them. */
export async function newAssignments(
  app: TreasuryApp,
  row: DepositRow,
  owner: AccountsOrNobody,
  booked: boolean,
) {
  const { workspace } = row
  const now = app.clock.now()
  const shares = sharesOf(owner)
  const accounts = shares.map((share) => share.account_id)
  const holders = await holdersOfAccounts(app.db, workspace, accounts)
  const state: AssignedPart['state'] = booked ? 'SUCCESSFUL' : 'PENDING'
  return shares.map(({ account_id, quantity, matching_id }) => {
    const id = newId(now)
    const { customer_id } = mustExist(holders.get(account_id), 'an assigned account has a holder')
    const assignment = {
      workspace,
      id,
      state,
      deposit_id: row.id,
      account_id,
      customer_id,
      asset: row.asset,
      quantity: format(quantity),
      source: 'MATCHING' as const,
      matching_id,
      decided_by: booked ? TREASURY_WORKER : null,
      decided_at: booked ? now : null,
      booked_at: booked ? now : null,
    }
    const insert = insertAssignment(assignment, { by: TREASURY_WORKER, now })
    return {
      id,
      state,
      account_id,
      customer_id,
      quantity,
      rectification_id: null,
      insert,
    }
  })
}

type NewAssignment = Awaited<ReturnType<typeof newAssignments>>[number]

export const assignedEvents = (
  after: DepositRow,
  owner: AccountsOrNobody,
  assigned: readonly NewAssignment[],
): EventDraft[] =>
  assigned.map(({ id, state, account_id, customer_id, quantity }) =>
    depositEvent(state === 'SUCCESSFUL' ? 'assigned' : 'assignment_requested', after, {
      assignment_id: id,
      account_id,
      customer_id,
      quantity: format(quantity),
      ...ownerEventData(owner),
      deposit_quantity: after.quantity,
    }),
  )
