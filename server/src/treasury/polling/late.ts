/**
 * A venue reports otherwise of a withdrawal that has ended here. Ended stays ended.
 *
 * It left after all: the movement becomes an external withdrawal that names the first one. It is
 * taken from the same owners, whatever they hold by now, because it has happened.
 *
 * It never left, though a person had resolved it as SUCCESS: it comes back as a deposit.
 */
import { stateNotIn } from '../../store/states.ts'
import { DEPOSIT_MOVES } from '../deposit-rows/deposits.schema.ts'
import type { ServiceId, WithdrawalId, WorkspaceId } from '../../core/ids.ts'
import { holdersOfAccounts } from '../../customers/index.ts'
import { decimal, format, sum } from '../../core/decimal.ts'
import type { Decimal } from '../../core/decimal.ts'
import { newId } from '../../core/ids.ts'
import { assetsOf, retryOnStale } from '../../ledger/index.ts'
import type { Change, EventDraft } from '../../ledger/index.ts'
import type { Reader } from '../../store/db.ts'
import type { Stamp } from '../../store/rows.ts'
import { sql } from '../../store/sql.ts'
import type { Query } from '../../store/sql.ts'
import type { Outgoing, VenueRecord } from '../../venues/index.ts'
import { TREASURY_WORKER } from '../app.ts'
import type { TreasuryApp } from '../app.ts'
import { assignmentsOf, insertAssignment } from '../assignments/rows.ts'
import { assignablePart } from '../bookings.ts'
import type { HolderShare } from '../bookings.ts'
import { depositEvent, depositRow, insertDeposit, unassignedOf } from '../deposit-rows/rows.ts'
import type { DepositRow } from '../deposit-rows/rows.ts'
import { outgoingKey } from '../opening/movements.ts'
import { SETTLE_TASK } from '../tasks.ts'
import { isFinalDeposit, leftOfAccount } from '../withdrawals/returned-deposits.ts'
import { withdrawalEvent, withdrawalRow } from '../withdrawals/rows.ts'
import type { WithdrawalRow } from '../withdrawals/rows.ts'

/** The venue and the service of it whose movements are read. */
export type Source = { venue: VenueRecord; service_id: ServiceId }

/** Without owners it waits on SUSPENSE to be assigned. */
export type LateWithdrawal = { ended: WithdrawalRow; owners: HolderShare[] }

export async function lateWithdrawalOf(
  app: TreasuryApp,
  workspace: WorkspaceId,
  ended_id: WithdrawalId,
  movement: Outgoing,
): Promise<LateWithdrawal> {
  const ended = await withdrawalRow(app.db, workspace, ended_id)
  if (movement.asset !== ended.asset) return { ended, owners: [] }
  const left = assignablePart(await assetsOf(app.db, workspace), movement)
  return { ended, owners: await ownersOfLate(app, ended, left) }
}

/**
 * In the same parts when all of it left, else the only owner. None when one of them was deleted, or
 * when nobody can say how much of it an own transfer was.
 */
async function ownersOfLate(
  app: TreasuryApp,
  { workspace, id, transfer_quantity }: WithdrawalRow,
  left: Decimal,
): Promise<HolderShare[]> {
  const assignments = await assignmentsOf(app.db, workspace, { withdrawal_id: id })
  const parts = assignments.filter((assignment) => assignment.rectification_id === null)
  const accounts = parts.map((part) => part.account_id)
  const holders = await holdersOfAccounts(app.db, workspace, accounts)
  const [first] = parts
  if (first === undefined || left === 0n) return []
  if (accounts.some((account_id) => holders.get(account_id)?.active !== true)) return []
  const transfer = decimal(transfer_quantity)
  if (sum(parts.map((part) => part.quantity)) + transfer === left)
    return parts.map(({ account_id, customer_id, quantity }) => ({
      account_id,
      customer_id,
      quantity,
    }))
  const { account_id, customer_id } = first
  return transfer === 0n && accounts.every((account) => account === account_id)
    ? [{ account_id, customer_id, quantity: left }]
    : []
}

/**
 * The deposit that it returns as the first one should have; undefined when that much of it is not
 * left: then the late withdrawal waits for a person on SUSPENSE.
 */
export async function depositReturnedLate(
  reader: Reader,
  { ended }: LateWithdrawal,
  late: Pick<WithdrawalRow, 'quantity' | 'account_id'>,
): Promise<DepositRow | undefined> {
  const { workspace, returns_deposit_id, account_id } = ended
  if (returns_deposit_id === null || account_id !== late.account_id) return undefined
  const deposit = await depositRow(reader, workspace, returns_deposit_id)
  const left =
    account_id === null ? unassignedOf(deposit) : await leftOfAccount(reader, deposit, account_id)
  return isFinalDeposit(deposit) && decimal(late.quantity) <= left ? deposit : undefined
}

/** Booked with the success of the late withdrawal, which follows. */
export const lateAssignments = (
  { ended, owners }: LateWithdrawal,
  withdrawal_id: string,
  stamp: Stamp,
): Query[] =>
  owners.map(({ account_id, customer_id, quantity }) =>
    insertAssignment(
      {
        workspace: ended.workspace,
        id: newId(),
        state: 'PENDING',
        withdrawal_id,
        account_id,
        customer_id,
        asset: ended.asset,
        quantity: format(quantity),
        source: 'ROUTE',
      },
      stamp,
    ),
  )

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
 * A person had resolved the withdrawal as SUCCESS, and the venue is certain that it failed. What
 * was booked as gone comes back like any return, as a deposit that names the withdrawal. Nothing is
 * done when something of it has arrived or come back already: both cannot be true, and a person
 * sees a break. A repeat changes nothing.
 */
export async function recordFailedAfterSuccess(
  app: TreasuryApp,
  { venue, service_id }: Source,
  withdrawal_id: WithdrawalId,
  movement: Outgoing,
): Promise<void> {
  const { workspace } = venue
  await retryOnStale(async () => {
    const row = await withdrawalRow(app.db, workspace, withdrawal_id)
    if (row.state !== 'SUCCESS' || row.resolved_at === null) return
    const related = await app.db.query(sql`
      select 1
      from deposits
      where workspace = ${workspace}
        and (
          related_withdrawal_id = ${row.id}
          or (
            service_id = ${service_id}
            and foreign_id = ${outgoingKey(movement)}
          )
        )
        and ${stateNotIn(DEPOSIT_MOVES, 'REVERSED')}
      limit 1`)
    if (related.length > 0) return
    await app.lane.commit(await comesBackChange(app, service_id, row, movement))
  })
}

async function comesBackChange(
  app: TreasuryApp,
  service_id: ServiceId,
  row: WithdrawalRow,
  movement: Outgoing,
): Promise<Change> {
  const { workspace, asset, venue_id, from_wallet_id: wallet_id } = row
  const now = app.clock.now()
  const id = newId(now)
  const quantity = decimal(row.quantity)
  const reference_text = `${movement.state} at the venue: ${movement.sub_state}`
  const deposit = {
    workspace,
    id,
    service_id,
    venue_id,
    wallet_id,
    related_withdrawal_id: row.id,
    assignable: assignablePart(await assetsOf(app.db, workspace), { asset, quantity }),
    final_at: now,
    movement: {
      ...NOTHING_KNOWN,
      foreign_id: outgoingKey(movement),
      wallet: row.source_wallet,
      asset,
      protocol: row.protocol,
      quantity,
      reference_text,
      occurred_at: now,
    },
  }
  return {
    workspace,
    class: 'fact',
    by: TREASURY_WORKER,
    guards: [
      {
        table: 'withdrawals',
        resource: 'withdrawal',
        id: row.id,
        from: [row.state],
        version: row.version,
      },
    ],
    rows: [insertDeposit(deposit, { by: TREASURY_WORKER, now })],
    events: [
      withdrawalEvent('failed_after_success', row, {
        alert: true,
        deposit_id: id,
        reported: reference_text,
        resolved_by: row.resolved_by,
      }),
      depositEvent('detected', {
        id,
        state: 'PENDING',
        asset,
        quantity: row.quantity,
        wallet_id,
        foreign_id: outgoingKey(movement),
        transaction_hash: null,
        related_withdrawal_id: row.id,
      }),
    ],
    tasks: [{ kind: SETTLE_TASK, subject_id: id, due_at: now }],
  }
}

/** The venue reports only that it failed. */
const NOTHING_KNOWN = {
  state: 'FINAL',
  transaction_hash: null,
  output_index: null,
  source_address: null,
  destination_address: null,
  tag: null,
  counterparty: null,
  confirmations: null,
  required_confirmations: null,
  related_external_id: null,
} as const
