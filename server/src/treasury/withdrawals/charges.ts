/**
 * What a venue charges for a withdrawal of ours by an entry of its own, before or after the withdrawal has ended: stored when it
 * is told, booked as WITHDRAWAL_FEE with the end, or at once when the end was before.
 */
import { absolute, decimal, format, FRACTION_DIGITS, sum } from '../../core/decimal.ts'
import type { Decimal } from '../../core/decimal.ts'
import type { WorkspaceId } from '../../core/ids.ts'
import { isFinal } from '../../core/moves.ts'
import { assetsOf, retryOnStale } from '../../ledger/index.ts'
import type { Change } from '../../ledger/index.ts'
import type { Reader } from '../../store/db.ts'
import { sql } from '../../store/sql.ts'
import type { Outgoing } from '../../venues/index.ts'
import { assignmentsOf } from '../assignments/rows.ts'
import { bookWithdrawalFee, feeParts, feeShares } from '../bookings.ts'
import type { Share } from '../bookings.ts'
import { updateWalletPosition } from '../wallets/positions.ts'
import type { TreasuryApp } from '../app.ts'
import { allOf, transactionOf } from './shared-transaction.ts'
import { bookingAccounts, sourceSpot, withdrawalEvent, withdrawalRow } from './withdrawals.ts'
import type { WithdrawalRow } from './withdrawals.ts'
import { WITHDRAWAL_MOVES } from './withdrawals.schema.ts'

/** What a withdrawal costs in one asset. */
export type Cost = { asset: string; quantity: Decimal }

/** What has not been booked yet of what a withdrawal costs: first all that is in `told.asset`, then what was charged in others; `charged`: by entries of their own. */
export async function openCosts(
  reader: Reader,
  row: Pick<WithdrawalRow, 'workspace' | 'id'>,
  told: Cost,
): Promise<{ costs: [Cost, ...Cost[]]; charged: boolean }> {
  const charges = await reader.query<{ asset: string; quantity: string }>(sql`
    select asset, sum(quantity) as quantity from withdrawal_charges where workspace = ${row.workspace} and withdrawal_id = ${row.id} and booked_at is null group by asset order by asset`)
  const costs = charges.map(({ asset, quantity }): Cost => ({ asset, quantity: decimal(quantity) }))
  const fee = {
    asset: told.asset,
    quantity:
      told.quantity +
      sum(costs.filter((cost) => cost.asset === told.asset).map((cost) => cost.quantity)),
  }
  return {
    costs: [fee, ...costs.filter((cost) => cost.asset !== told.asset)],
    charged: costs.length > 0,
  }
}

/** The write that goes with the booking of `openCosts`; the guard on the withdrawal keeps both to the same charges. */
export const chargesBooked = (row: Pick<WithdrawalRow, 'workspace' | 'id'>, now: number) => sql`
  update withdrawal_charges set booked_at = ${now} where workspace = ${row.workspace} and withdrawal_id = ${row.id} and booked_at is null`

/** What of this fee the customers bear, where they do: those who were named with the withdrawal. */
export async function bearersOf(
  reader: Reader,
  row: Pick<WithdrawalRow, 'workspace' | 'fee_borne_by' | 'quantity'>,
  assignments: readonly (Share & { source: string })[],
  fee_asset: string,
  fee: Decimal,
): Promise<Share[]> {
  if (row.fee_borne_by !== 'CUSTOMER') return []
  const scale = (await assetsOf(reader, row.workspace)).get(fee_asset)?.scale ?? FRACTION_DIGITS
  return feeShares(
    fee,
    decimal(row.quantity),
    assignments.filter((assignment) => assignment.source === 'ROUTE'),
    scale,
  )
}

/** Takes in what the venue charged for a withdrawal; the same charge again changes nothing. */
export async function takeCharge(
  app: TreasuryApp,
  workspace: WorkspaceId,
  withdrawal_id: string,
  charge: Outgoing,
): Promise<void> {
  await retryOnStale(async () => {
    const row = await withdrawalRow(app.db, workspace, withdrawal_id)
    const known = await app.db.query(
      sql`select 1 from withdrawal_charges where workspace = ${workspace} and venue_id = ${row.venue_id} and foreign_id = ${charge.foreign_id}`,
    )
    if (known.length > 0) return
    const now = app.clock.now()
    const ended = isFinal(WITHDRAWAL_MOVES, row.state)
    const accounts = await bookingAccounts(app.db, workspace, row.venue_id)
    const bearers =
      row.state === 'SUCCESS'
        ? await bearersOf(
            app.db,
            row,
            await assignmentsOf(app.db, workspace, { withdrawal_id }),
            charge.asset,
            charge.quantity,
          )
        : []
    // The fee of the record is in one asset; what was charged in another is booked beside it.
    const fee_asset = row.fee_asset ?? charge.asset
    const fee = decimal(row.fee ?? '0') + (charge.asset === fee_asset ? charge.quantity : 0n)
    const ledger = ended
      ? bookWithdrawalFee(
          accounts,
          { reference_type: 'withdrawal', reference_id: row.id },
          charge.asset,
          charge.quantity,
          bearers,
        )
      : []
    await app.lane.commit({
      workspace,
      class: 'fact',
      by: 'treasury',
      guards: [
        {
          table: 'withdrawals',
          resource: 'withdrawal',
          id: row.id,
          from: [row.state],
          version: row.version,
        },
      ],
      ledger,
      rows: [
        ...updateWalletPosition(sourceSpot(row, accounts), ledger),
        sql`insert into withdrawal_charges (workspace, venue_id, foreign_id, withdrawal_id, asset, quantity, booked_at, system_created_at)
          values (${workspace}, ${row.venue_id}, ${charge.foreign_id}, ${row.id}, ${charge.asset}, ${format(charge.quantity)}, ${ended ? now : null}, ${now})`,
        ...(ended && charge.asset === fee_asset
          ? [
              sql`update withdrawals set fee = ${format(fee)}, fee_asset = ${fee_asset} where workspace = ${workspace} and id = ${row.id}`,
            ]
          : []),
      ],
      events: ended
        ? [
            withdrawalEvent('charged', row, {
              charge: format(charge.quantity),
              charge_asset: charge.asset,
              fee: format(fee),
              fee_asset,
            }),
          ]
        : [],
    })
  })
}

/**
 * What the venue says now that an ended withdrawal cost: what differs from the booked fee is booked, the same word again changes
 * nothing. Charges by an entry of their own are apart. Of a shared transaction the whole fee is told once.
 */
export async function takeFee(
  app: TreasuryApp,
  workspace: WorkspaceId,
  withdrawal_id: string,
  movement: Outgoing,
): Promise<void> {
  const { fee: told, fee_asset: told_asset } = movement
  if (told === null) return
  await retryOnStale(async () => {
    // One that was canceled before it left had no part in it.
    const rows = (
      await transactionOf(app.db, await withdrawalRow(app.db, workspace, withdrawal_id))
    ).filter((row) => row.outputs === 1 || row.submitted_at !== null)
    const [first] = rows
    if (
      first === undefined ||
      rows.some((row) => !isFinal(WITHDRAWAL_MOVES, row.state)) ||
      (rows.length > 1 && told === 0n)
    )
      return
    const fee_asset = told_asset ?? first.fee_asset ?? first.asset
    // A fee that was booked in another asset is no difference to this one: a person sees it as a break.
    if (rows.some((row) => row.fee !== null && row.fee_asset !== fee_asset)) return
    const booked = await bookedFees(app.db, rows, fee_asset)
    const difference = told - lessCharges(booked)
    if (difference === 0n) return
    const accounts = await bookingAccounts(app.db, workspace, first.venue_id)
    const scale = (await assetsOf(app.db, workspace)).get(fee_asset)?.scale ?? FRACTION_DIGITS
    const parts =
      rows.length === 1
        ? [absolute(difference)]
        : feeParts(
            absolute(difference),
            rows.map((row) => decimal(row.quantity)),
            scale,
          )
    const changes = await Promise.all(
      booked.map(async ({ row, all }, place): Promise<Change> => {
        const part = parts[place] ?? 0n
        const bearers =
          row.state === 'SUCCESS'
            ? await bearersOf(
                app.db,
                row,
                await assignmentsOf(app.db, workspace, { withdrawal_id: row.id }),
                fee_asset,
                part,
              )
            : []
        const signed = difference > 0n ? part : -part
        const fee = all + signed
        const ledger = bookWithdrawalFee(
          accounts,
          { reference_type: 'withdrawal', reference_id: row.id },
          fee_asset,
          signed,
          bearers,
        )
        return {
          workspace,
          class: 'fact',
          by: 'treasury',
          guards: [
            {
              table: 'withdrawals',
              resource: 'withdrawal',
              id: row.id,
              from: [row.state],
              version: row.version,
            },
          ],
          ledger,
          rows: [
            ...updateWalletPosition(sourceSpot(row, accounts), ledger),
            sql`update withdrawals set fee = ${format(fee)}, fee_asset = ${fee_asset} where workspace = ${workspace} and id = ${row.id}`,
          ],
          events: [
            withdrawalEvent('charged', row, {
              charge: format(signed),
              charge_asset: fee_asset,
              fee: format(fee),
              fee_asset,
            }),
          ],
        }
      }),
    )
    const [change, ...further] = changes
    if (change !== undefined) await app.lane.commit(allOf([change, ...further]))
  })
}

/** What is booked as the fee of each of these withdrawals in this asset: all of it, and of that what was charged by entries of their own. */
async function bookedFees(
  reader: Reader,
  rows: readonly WithdrawalRow[],
  fee_asset: string,
): Promise<{ row: WithdrawalRow; all: Decimal; charged: Decimal }[]> {
  const charges = await reader.query<{ withdrawal_id: string; quantity: string }>(sql`
    select withdrawal_id, quantity from withdrawal_charges where workspace = ${rows[0]?.workspace ?? null} and withdrawal_id = any(${rows.map((row) => row.id)}::uuid[]) and asset = ${fee_asset} and booked_at is not null`)
  return rows.map((row) => {
    const charged = sum(
      charges
        .filter((charge) => charge.withdrawal_id === row.id)
        .map((charge) => decimal(charge.quantity)),
    )
    return {
      row,
      charged,
      all: row.fee === null || row.fee_asset !== fee_asset ? charged : decimal(row.fee),
    }
  })
}

const lessCharges = (booked: readonly { all: Decimal; charged: Decimal }[]): Decimal =>
  sum(booked.map((each) => each.all - each.charged))

/** Money that left after its withdrawal had ended: of the fee that the venue tells, what was not booked with that end, of which all of its transaction had a part. */
export async function lessBooked(
  app: TreasuryApp,
  ended: WithdrawalRow,
  movement: Outgoing,
): Promise<Outgoing> {
  if (movement.fee === null || movement.fee <= 0n) return movement
  const booked = lessCharges(
    await bookedFees(
      app.db,
      await transactionOf(app.db, ended),
      movement.fee_asset ?? ended.fee_asset ?? ended.asset,
    ),
  )
  return { ...movement, fee: movement.fee > booked ? movement.fee - booked : 0n }
}
