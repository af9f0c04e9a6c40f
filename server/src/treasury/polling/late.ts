/**
 * What a venue says otherwise of a withdrawal that has ended here. Ended stays ended. What it let
 * go after all (failed, refused, canceled here) is a withdrawal of its own, of origin EXTERNAL,
 * that names the first one; it is taken from whom the first one was for, whatever they hold by now,
 * since it has happened. What never left though a person had said so comes back as a deposit.
 */
import { customersOfAccounts } from '../../customers/index.ts'
import { decimal, format, round, sum } from '../../core/decimal.ts'
import type { Decimal } from '../../core/decimal.ts'
import { newId } from '../../core/ids.ts'
import type { WorkspaceId } from '../../core/ids.ts'
import { assetsOf, retryOnStale } from '../../ledger/index.ts'
import type { EventDraft } from '../../ledger/index.ts'
import { sql } from '../../store/sql.ts'
import type { Query } from '../../store/sql.ts'
import type { Outgoing } from '../../venues/index.ts'
import { assignmentsOf, insertAssignment } from '../assignments/rows.ts'
import { depositEvent, insertDeposit } from '../deposits/rows.ts'
import { outgoingKey } from '../opening/opening.ts'
import { SETTLE_TASK } from '../tasks.ts'
import type { TreasuryApp } from '../app.ts'
import { withdrawalEvent, withdrawalRow } from '../withdrawals/rows.ts'
import type { WithdrawalRow } from '../withdrawals/rows.ts'
import type { OwnerShare } from '../withdrawals/withdrawals.ts'

/**
 * What the withdrawal of what left late has of the one that had ended; no owners: it waits on
 * SUSPENSE to be assigned.
 */
export type LateWithdrawal = { ended: WithdrawalRow; owners: OwnerShare[] }

export async function lateWithdrawalOf(
  app: TreasuryApp,
  workspace: WorkspaceId,
  ended_id: string,
  movement: Outgoing,
): Promise<LateWithdrawal> {
  const ended = await withdrawalRow(app.db, workspace, ended_id)
  const scale = (await assetsOf(app.db, workspace)).get(movement.asset)?.scale
  const left = scale === undefined ? movement.quantity : round(movement.quantity, scale, 'down')
  return {
    ended,
    owners: movement.asset === ended.asset ? await ownersOfLate(app, ended, left) : [],
  }
}

/**
 * In the same parts when all of it left, else the only owner. Nobody when one of them is no
 * customer any more.
 */
async function ownersOfLate(
  app: TreasuryApp,
  ended: WithdrawalRow,
  left: Decimal,
): Promise<OwnerShare[]> {
  const parts = (await assignmentsOf(app.db, ended.workspace, { withdrawal_id: ended.id })).filter(
    (assignment) => assignment.rectification_id === null,
  )
  const customers = await customersOfAccounts(
    app.db,
    ended.workspace,
    parts.map((part) => part.account_id),
  )
  const [first] = parts
  if (
    first === undefined ||
    left === 0n ||
    parts.some((part) => customers.get(part.account_id)?.state !== 'ACTIVE')
  )
    return []
  if (sum(parts.map((part) => part.quantity)) === left)
    return parts.map(({ account_id, customer_id, quantity }) => ({
      account_id,
      customer_id,
      quantity,
    }))
  return parts.every((part) => part.account_id === first.account_id)
    ? [{ account_id: first.account_id, customer_id: first.customer_id, quantity: left }]
    : []
}

/** Booked with its success, which follows. */
export function lateAssignments(
  { ended, owners }: LateWithdrawal,
  withdrawal_id: string,
  at: number,
  by: string,
): Query[] {
  return owners.map((owner) =>
    insertAssignment(
      {
        workspace: ended.workspace,
        id: newId(),
        state: 'PENDING',
        withdrawal_id,
        account_id: owner.account_id,
        customer_id: owner.customer_id,
        asset: ended.asset,
        quantity: format(owner.quantity),
        source: 'ROUTE',
      },
      { by, now: at },
    ),
  )
}

export const lateWithdrawalEvent = (
  { ended, owners }: LateWithdrawal,
  withdrawal_id: string,
): EventDraft =>
  withdrawalEvent('sent_after_end', ended, {
    alert: true,
    late_withdrawal_id: withdrawal_id,
    owners: owners.map(({ account_id, customer_id, quantity }) => ({
      account_id,
      customer_id,
      quantity: format(quantity),
    })),
  })

/**
 * A person had resolved it as SUCCESS, and the venue says for certain that it failed: what was
 * booked as gone is there, and comes back like any return, as a deposit that names the withdrawal.
 * Not when something has arrived or come back of it already: then both cannot be true, and a person
 * sees a break. Told again it changes nothing.
 */
export async function recordFailedAfterSuccess(
  app: TreasuryApp,
  workspace: WorkspaceId,
  service_id: string,
  withdrawal_id: string,
  movement: Outgoing,
): Promise<void> {
  await retryOnStale(async () => {
    const row = await withdrawalRow(app.db, workspace, withdrawal_id)
    const came = await app.db.query(sql`
      select 1
      from deposits
      where workspace = ${workspace}
        and (
          related_withdrawal_id = ${row.id}
          or service_id = ${service_id}
          and foreign_id = ${outgoingKey(movement)}
        )
        and state <> 'REVERSED'
      limit 1`)
    if (row.state !== 'SUCCESS' || row.resolved_at === null || came.length > 0) return
    const now = app.clock.now()
    const id = newId(now)
    const scale = (await assetsOf(app.db, workspace)).get(row.asset)?.scale
    const quantity = decimal(row.quantity)
    const reference_text = `${movement.state} at the venue: ${movement.sub_state}`
    await app.lane.commit({
      workspace,
      class: 'fact',
      by: 'treasury',
      guards: [
        {
          table: 'withdrawals',
          resource: 'withdrawal',
          id: row.id,
          from: ['SUCCESS'],
          version: row.version,
        },
      ],
      rows: [
        insertDeposit({
          workspace,
          id,
          service_id,
          venue_id: row.venue_id,
          wallet_id: row.from_wallet_id,
          assignable: scale === undefined ? quantity : round(quantity, scale, 'down'),
          final_at: now,
          at: now,
          by: 'treasury',
          related_withdrawal_id: row.id,
          movement: {
            foreign_id: outgoingKey(movement),
            state: 'FINAL',
            wallet: row.source_wallet,
            asset: row.asset,
            protocol: row.protocol,
            quantity,
            transaction_hash: null,
            output_index: null,
            source_address: null,
            destination_address: null,
            tag: null,
            reference_text,
            counterparty: null,
            confirmations: null,
            required_confirmations: null,
            related_external_id: null,
            occurred_at: now,
          },
        }),
      ],
      events: [
        withdrawalEvent('failed_after_success', row, {
          alert: true,
          deposit_id: id,
          told: reference_text,
          resolved_by: row.resolved_by,
        }),
        depositEvent('detected', {
          id,
          state: 'PENDING',
          asset: row.asset,
          quantity: row.quantity,
          wallet_id: row.from_wallet_id,
          foreign_id: outgoingKey(movement),
          transaction_hash: null,
          related_withdrawal_id: row.id,
        }),
      ],
      tasks: [{ kind: SETTLE_TASK, subject_id: id, due_at: now }],
    })
  })
}
