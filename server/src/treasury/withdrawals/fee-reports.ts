/**
 * What a venue reports of costs apart from the withdrawal itself. A charge by an entry of its own
 * is stored when it is read, and booked with the end, or at once when the end was before. Of a fee
 * that is reported otherwise after the end, the difference is booked.
 */
import { absolute, decimal, format, sum } from '../../core/decimal.ts'
import type { Decimal } from '../../core/decimal.ts'
import type { WithdrawalId, WorkspaceId } from '../../core/ids.ts'
import { isFinal } from '../../core/moves.ts'
import { retryOnStale } from '../../ledger/index.ts'
import type { Change } from '../../ledger/index.ts'
import type { Reader } from '../../store/db.ts'
import { insertRow, updateGuardedRow } from '../../store/rows.ts'
import { sql } from '../../store/sql.ts'
import type { Query } from '../../store/sql.ts'
import type { Outgoing } from '../../venues/index.ts'
import { TREASURY_WORKER } from '../app.ts'
import type { TreasuryApp } from '../app.ts'
import { assignmentsOf } from '../assignments/rows.ts'
import { valueDateOf } from '../bookings.ts'
import type { Share } from '../bookings.ts'
import { updateWalletPosition } from '../wallets/positions.ts'
import { bookCost, CHARGES, feeBearers } from './charges.ts'
import type { FeeAmount } from './charges.ts'
import {
  basisOf,
  sourceLocation,
  withdrawalsOfTransaction,
  withdrawalEvent,
  withdrawalGuard,
  withdrawalRow,
  withdrawalRows,
  WITHDRAWALS,
} from './rows.ts'
import type { WithdrawalRow } from './rows.ts'
import { mergeChanges, feePartsOf } from './shared-transaction.ts'
import { WITHDRAWAL_MOVES } from './withdrawals.schema.ts'

/** Stores what the venue charged for a withdrawal. The same charge again changes nothing. */
async function recordCharge(
  app: TreasuryApp,
  workspace: WorkspaceId,
  withdrawal_id: WithdrawalId,
  charge: Outgoing,
): Promise<void> {
  await retryOnStale(async () => {
    const row = await withdrawalRow(app.db, workspace, withdrawal_id)
    if (await isKnownCharge(app.db, row, charge.foreign_id)) return
    await app.lane.commit(await chargeChange(app, row, charge))
  })
}

/**
 * A charge for a transaction of several withdrawals, in parts. A part has the reference of the
 * whole and its place.
 */
export async function recordSharedCharge(
  app: TreasuryApp,
  workspace: WorkspaceId,
  ids: readonly WithdrawalId[],
  charge: Outgoing,
): Promise<void> {
  const rows = await withdrawalRows(app.db, workspace, ids)
  const parts = await feePartsOf(app.db, rows, charge)
  for (const [place, row] of rows.entries()) {
    const quantity = parts[place] ?? 0n
    const foreign_id = place === 0 ? charge.foreign_id : `${charge.foreign_id}:${place}`
    if (quantity > 0n)
      await recordCharge(app, workspace, row.id, { ...charge, foreign_id, quantity })
  }
}

async function isKnownCharge(
  reader: Reader,
  { workspace, venue_id }: WithdrawalRow,
  foreign_id: string,
): Promise<boolean> {
  const known = await reader.query(sql`
    select 1
    from withdrawal_charges
    where workspace = ${workspace}
      and venue_id = ${venue_id}
      and foreign_id = ${foreign_id}`)
  return known.length > 0
}

/** Stores the charge; of a withdrawal that has ended it is booked too. */
async function chargeChange(
  app: TreasuryApp,
  row: WithdrawalRow,
  charge: Outgoing,
): Promise<Change> {
  const now = app.clock.now()
  const ended = isFinal(WITHDRAWAL_MOVES, row.state)
  const stored = insertRow(
    CHARGES,
    {
      workspace: row.workspace,
      venue_id: row.venue_id,
      foreign_id: charge.foreign_id,
      withdrawal_id: row.id,
      asset: charge.asset,
      quantity: format(charge.quantity),
      booked_at: ended ? now : null,
    },
    { by: TREASURY_WORKER, now },
  )
  if (!ended) return feeChange(row, [stored])
  // The fee of the record is in one asset; what was charged in another is booked beside it.
  const fee_asset = row.fee_asset ?? charge.asset
  const fee = decimal(row.fee ?? '0') + (charge.asset === fee_asset ? charge.quantity : 0n)
  const { asset, quantity } = charge
  return bookedFeeChange(app, row, {
    booked: { asset, quantity, bearers: await successBearers(app.db, row, { asset, quantity }) },
    fee: { asset: fee_asset, quantity: fee },
    rows: [stored],
    value_date: charge.value_date ?? null,
  })
}

const feeChange = (row: WithdrawalRow, rows: Query[]): Change => ({
  workspace: row.workspace,
  class: 'fact',
  by: TREASURY_WORKER,
  guards: [withdrawalGuard(row, [row.state])],
  rows,
})

/** Who bears what is booked after the end: of a withdrawal that failed nobody but the house. */
async function successBearers(
  reader: Reader,
  row: WithdrawalRow,
  cost: FeeAmount,
): Promise<Share[]> {
  if (row.state !== 'SUCCESS') return []
  const assignments = await assignmentsOf(reader, row.workspace, { withdrawal_id: row.id })
  return feeBearers(reader, row, assignments, cost)
}

type BookedFeeDraft = {
  booked: FeeAmount & { bearers: Share[] }
  fee: FeeAmount
  rows: Query[]
  /** Of a charge by an entry of its own. */
  value_date?: string | null
}

/** Books a cost of a withdrawal that has ended; `fee` is what its record shows then. */
async function bookedFeeChange(
  app: TreasuryApp,
  row: WithdrawalRow,
  { booked, fee, rows, value_date = null }: BookedFeeDraft,
): Promise<Change> {
  const dated = await valueDateOf(app.db, row.workspace, value_date)
  const basis = { ...(await basisOf(app.db, row)), ...dated }
  const ledger = bookCost(basis, booked, booked.bearers)
  const shown = { fee: format(fee.quantity), fee_asset: fee.asset }
  return {
    ...feeChange(row, [
      ...updateWalletPosition(sourceLocation(row, basis.accounts), ledger),
      ...rows,
      ...(booked.asset === fee.asset
        ? [
            updateGuardedRow(WITHDRAWALS, {
              where: { workspace: row.workspace, id: row.id },
              set: shown,
            }),
          ]
        : []),
    ]),
    ledger,
    events: [
      withdrawalEvent('fee_adjusted', row, {
        charge: format(booked.quantity),
        charge_asset: booked.asset,
        ...shown,
      }),
    ],
  }
}

/**
 * Books what the fee that a venue reports of an ended withdrawal differs from the booked one. The
 * same report again changes nothing. Charges by an entry of their own are apart. The fee of a
 * shared transaction is reported as a whole.
 */
export async function recordFee(
  app: TreasuryApp,
  workspace: WorkspaceId,
  withdrawal_id: WithdrawalId,
  { fee, fee_asset }: Outgoing,
): Promise<void> {
  if (fee === null) return
  await retryOnStale(async () => {
    const rows = await leftTogether(app.db, await withdrawalRow(app.db, workspace, withdrawal_id))
    const [first] = rows
    if (first === undefined || rows.some((row) => !isFinal(WITHDRAWAL_MOVES, row.state))) return
    if (rows.length > 1 && fee === 0n) return
    const asset = fee_asset ?? first.fee_asset ?? first.asset
    // A fee that was booked in another asset is no difference to this one: a person sees it as a
    // break.
    if (rows.some((row) => row.fee !== null && row.fee_asset !== asset)) return
    const [change, ...further] = await feeCorrections(app, rows, { asset, quantity: fee })
    if (change !== undefined) await app.lane.commit(mergeChanges([change, ...further]))
  })
}

/**
 * The withdrawals that left in one transaction: those that were canceled before had no part in it.
 */
async function leftTogether(reader: Reader, row: WithdrawalRow): Promise<WithdrawalRow[]> {
  const rows = await withdrawalsOfTransaction(reader, row)
  return rows.filter((row) => row.outputs === 1 || row.submitted_at !== null)
}

/**
 * Books the difference to the reported fee on each withdrawal, in parts. None without a difference.
 */
async function feeCorrections(
  app: TreasuryApp,
  rows: readonly WithdrawalRow[],
  { asset, quantity }: FeeAmount,
): Promise<Change[]> {
  const booked = await bookedFees(app.db, rows, asset)
  const difference = quantity - feesWithoutCharges(booked)
  if (difference === 0n) return []
  const parts = await feePartsOf(app.db, rows, { asset, quantity: absolute(difference) })
  return Promise.all(
    booked.map(async ({ row, all }, index) => {
      const part = parts[index] ?? 0n
      const signed = difference > 0n ? part : -part
      const bearers = await successBearers(app.db, row, { asset, quantity: part })
      return bookedFeeChange(app, row, {
        booked: { asset, quantity: signed, bearers },
        fee: { asset, quantity: all + signed },
        rows: [],
      })
    }),
  )
}

type BookedFee = { row: WithdrawalRow; all: Decimal; charged: Decimal }

/** What is booked as fee of each withdrawal in this asset, and how much of it by charges. */
async function bookedFees(
  reader: Reader,
  rows: readonly WithdrawalRow[],
  fee_asset: string,
): Promise<BookedFee[]> {
  const charges = await reader.query<{ withdrawal_id: WithdrawalId; quantity: string }>(sql`
    select withdrawal_id, quantity
    from withdrawal_charges
    where workspace = ${rows[0]?.workspace ?? null}
      and withdrawal_id = any(${rows.map((row) => row.id)}::uuid[])
      and asset = ${fee_asset}
      and booked_at is not null`)
  return rows.map((row) => {
    const own = charges.filter((charge) => charge.withdrawal_id === row.id)
    const charged = sum(own.map((charge) => decimal(charge.quantity)))
    const hasFee = row.fee !== null && row.fee_asset === fee_asset
    return { row, charged, all: hasFee ? decimal(row.fee ?? '0') : charged }
  })
}

const feesWithoutCharges = (booked: readonly BookedFee[]): Decimal =>
  sum(booked.map((fee) => fee.all - fee.charged))

/**
 * Of money that left after its withdrawal had ended: the reported fee without what was booked with
 * that end, in which all of its transaction had a part.
 */
export async function withoutBookedFee(
  app: TreasuryApp,
  ended: WithdrawalRow,
  movement: Outgoing,
): Promise<Outgoing> {
  const { fee } = movement
  if (fee === null || fee <= 0n) return movement
  const asset = movement.fee_asset ?? ended.fee_asset ?? ended.asset
  const rows = await withdrawalsOfTransaction(app.db, ended)
  const booked = feesWithoutCharges(await bookedFees(app.db, rows, asset))
  return { ...movement, fee: fee > booked ? fee - booked : 0n }
}
