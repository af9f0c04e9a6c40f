/**
 * What a venue charges for a withdrawal of ours by an entry of its own, before or after the withdrawal has ended: stored when it
 * is told, booked as WITHDRAWAL_FEE with the end, or at once when the end was before.
 */
import { absolute, decimal, format, FRACTION_DIGITS, sum } from '../core/decimal.ts'
import type { Decimal } from '../core/decimal.ts'
import { isFinal } from '../core/moves.ts'
import { assetsOf } from '../ledger/index.ts'
import type { Change } from '../ledger/index.ts'
import type { Reader } from '../store/db.ts'
import { sql } from '../store/sql.ts'
import type { Outgoing } from '../venues/index.ts'
import { assignmentsOf, onFreshRows } from './assignment-rows.ts'
import { bookWithdrawalFee, feeParts, feeShares } from './bookings.ts'
import type { Share } from './bookings.ts'
import type { TreasuryApp } from './wallets.ts'
import { allOf, transactionOf } from './withdrawal-transaction.ts'
import { bookingAccounts, withdrawalEvent, withdrawalRow } from './withdrawals.ts'
import type { WithdrawalRow } from './withdrawals.ts'
import { WITHDRAWAL_MOVES } from './withdrawals.schema.ts'

/** Charged and not booked yet, in `fee_asset`. */
export async function openCharges(reader: Reader, row: Pick<WithdrawalRow, 'workspace' | 'id'>, fee_asset: string): Promise<Decimal> {
  const rows = await reader.query<{ quantity: string }>(sql`
    select quantity from withdrawal_charges where workspace = ${row.workspace} and withdrawal_id = ${row.id} and asset = ${fee_asset} and booked_at is null`)
  return sum(rows.map((each) => decimal(each.quantity)))
}

/** The write that goes with the booking of `openCharges`; the guard on the withdrawal keeps both to the same charges. */
export const chargesBooked = (row: Pick<WithdrawalRow, 'workspace' | 'id'>, fee_asset: string, now: number) => sql`
  update withdrawal_charges set booked_at = ${now} where workspace = ${row.workspace} and withdrawal_id = ${row.id} and asset = ${fee_asset} and booked_at is null`

/** What of this fee the customers bear, where they do: those who were named with the withdrawal. */
export async function bearersOf(reader: Reader, row: Pick<WithdrawalRow, 'workspace' | 'fee_borne_by' | 'quantity'>, assignments: readonly (Share & { source: string })[], fee_asset: string, fee: Decimal): Promise<Share[]> {
  if (row.fee_borne_by !== 'CUSTOMER') return []
  const scale = (await assetsOf(reader, row.workspace)).get(fee_asset)?.scale ?? FRACTION_DIGITS
  return feeShares(fee, decimal(row.quantity), assignments.filter((each) => each.source === 'ROUTE'), scale)
}

/** Takes in what the venue charged for a withdrawal; the same charge again changes nothing. */
export async function takeCharge(app: TreasuryApp, workspace: string, withdrawal_id: string, charge: Outgoing): Promise<void> {
  await onFreshRows(async () => {
    const row = await withdrawalRow(app.db, workspace, withdrawal_id)
    const known = await app.db.query(sql`select 1 from withdrawal_charges where workspace = ${workspace} and venue_id = ${row.venue_id} and foreign_id = ${charge.foreign_id}`)
    if (known.length > 0) return
    const now = app.clock.now()
    const ended = isFinal(WITHDRAWAL_MOVES, row.state)
    const accounts = await bookingAccounts(app.db, workspace, row.venue_id)
    const bearers = row.state === 'SUCCESS' ? await bearersOf(app.db, row, await assignmentsOf(app.db, workspace, { withdrawal_id }), charge.asset, charge.quantity) : []
    const fee = decimal(row.fee ?? '0') + charge.quantity
    await app.lane.commit({
      workspace, class: 'fact', by: 'treasury',
      guards: [{ table: 'withdrawals', resource: 'withdrawal', id: row.id, from: [row.state], version: row.version }],
      ledger: ended ? bookWithdrawalFee(accounts, { reference_type: 'withdrawal', reference_id: row.id }, charge.asset, charge.quantity, bearers) : [],
      rows: [
        sql`insert into withdrawal_charges (workspace, venue_id, foreign_id, withdrawal_id, asset, quantity, booked_at, system_created_at)
          values (${workspace}, ${row.venue_id}, ${charge.foreign_id}, ${row.id}, ${charge.asset}, ${format(charge.quantity)}, ${ended ? now : null}, ${now})`,
        ...(ended ? [sql`update withdrawals set fee = ${format(fee)}, fee_asset = ${charge.asset} where workspace = ${workspace} and id = ${row.id}`] : []),
      ],
      events: ended ? [withdrawalEvent('charged', row, { charge: format(charge.quantity), fee: format(fee), fee_asset: charge.asset })] : [],
    })
  })
}

/**
 * What the venue says now that an ended withdrawal cost: what differs from the booked fee is booked, the same word again changes
 * nothing. Charges by an entry of their own are apart. Of a shared transaction the whole fee is told once.
 */
export async function takeFee(app: TreasuryApp, workspace: string, withdrawal_id: string, movement: Outgoing): Promise<void> {
  const { fee: told, fee_asset: told_asset } = movement
  if (told === null) return
  await onFreshRows(async () => {
    // One that was canceled before it left had no part in it.
    const rows = (await transactionOf(app.db, await withdrawalRow(app.db, workspace, withdrawal_id))).filter((row) => row.outputs === 1 || row.submitted_at !== null)
    const [first] = rows
    if (first === undefined || rows.some((row) => !isFinal(WITHDRAWAL_MOVES, row.state)) || (rows.length > 1 && told === 0n)) return
    const fee_asset = told_asset ?? first.fee_asset ?? first.asset
    // A fee that was booked in another asset is no difference to this one: a person sees it as a break.
    if (rows.some((row) => row.fee !== null && row.fee_asset !== fee_asset)) return
    const charged = await app.db.query<{ quantity: string }>(sql`
      select quantity from withdrawal_charges where workspace = ${workspace} and withdrawal_id = any(${rows.map((row) => row.id)}::uuid[]) and asset = ${fee_asset} and booked_at is not null`)
    const booked = sum(rows.map((row) => decimal(row.fee ?? '0'))) - sum(charged.map((each) => decimal(each.quantity)))
    const difference = told - booked
    if (difference === 0n) return
    const accounts = await bookingAccounts(app.db, workspace, first.venue_id)
    const scale = (await assetsOf(app.db, workspace)).get(fee_asset)?.scale ?? FRACTION_DIGITS
    const parts = rows.length === 1 ? [absolute(difference)] : feeParts(absolute(difference), rows.map((row) => decimal(row.quantity)), scale)
    const changes = await Promise.all(rows.map(async (row, place): Promise<Change> => {
      const part = parts[place] ?? 0n
      const bearers = row.state === 'SUCCESS' ? await bearersOf(app.db, row, await assignmentsOf(app.db, workspace, { withdrawal_id: row.id }), fee_asset, part) : []
      const signed = difference > 0n ? part : -part
      const fee = decimal(row.fee ?? '0') + signed
      return {
        workspace, class: 'fact', by: 'treasury',
        guards: [{ table: 'withdrawals', resource: 'withdrawal', id: row.id, from: [row.state], version: row.version }],
        ledger: bookWithdrawalFee(accounts, { reference_type: 'withdrawal', reference_id: row.id }, fee_asset, signed, bearers),
        rows: [sql`update withdrawals set fee = ${format(fee)}, fee_asset = ${fee_asset} where workspace = ${workspace} and id = ${row.id}`],
        events: [withdrawalEvent('charged', row, { charge: format(signed), fee: format(fee), fee_asset })],
      }
    }))
    const [change, ...further] = changes
    if (change !== undefined) await app.lane.commit(allOf([change, ...further]))
  })
}
