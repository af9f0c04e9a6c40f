/**
 * Fills of venues that are paid after the trade, as settlements take, free and settle them; and
 * what customers got by them, which is theirs to trade and not to withdraw before it has come.
 */
import { decimal, least, round, sum } from '../../core/decimal.ts'
import type { Decimal } from '../../core/decimal.ts'
import { notFound } from '../../core/errors.ts'
import { newId } from '../../core/ids.ts'
import type { AccountId, ExecutionId, FillId, SettlementId, WorkspaceId } from '../../core/ids.ts'
import { isFinal, statesOf } from '../../core/moves.ts'
import { assetsOf, holdsOf } from '../../ledger/index.ts'
import type { Guard, Hold, LedgerStep } from '../../ledger/index.ts'
import { only } from '../../store/db.ts'
import type { Reader } from '../../store/db.ts'
import { updateRow } from '../../store/rows.ts'
import type { Stamp } from '../../store/rows.ts'
import { sql } from '../../store/sql.ts'
import type { Query } from '../../store/sql.ts'
import { FILL_COLUMNS, FILLS } from '../executions/rows.ts'
import { EXECUTION_MOVES } from '../states.ts'
import type { Fill } from '../executions/fills.schema.ts'

/** Throws 4004. */
export async function fillById(reader: Reader, workspace: WorkspaceId, id: FillId): Promise<Fill> {
  const fill = only(
    await reader.query<Fill>(
      sql`
        select ${FILL_COLUMNS}
        from fills
        where workspace = ${workspace}
          and id = ${id}`,
    ),
  )
  if (fill === undefined) throw notFound('fill', id, 'fill_id')
  return fill
}

/**
 * What nobody settles yet, oldest first, at most `limit`; times in milliseconds, `to` exclusive.
 * What the venue took back is nothing to settle.
 */
export function unsettledFills(
  reader: Reader,
  workspace: WorkspaceId,
  { from, to, limit }: { from: number; to: number; limit: number },
): Promise<Fill[]> {
  return reader.query<Fill>(sql`
    select ${FILL_COLUMNS}
    from fills
    where workspace = ${workspace}
      and settlement_state = 'UNSETTLED'
      and executed_at >= ${from}
      and executed_at < ${to}
      and not busted
    order by executed_at, id
    limit ${limit}`)
}

export const isClaimedBy = (settlement_id: SettlementId): Query =>
  sql`settlement_id = ${settlement_id}`

/** Conditions of the fills that a settlement of this range holds or may take. */
export const isClaimableBy = (settlement: {
  id: string
  timerange_from: number
  timerange_to: number
}): Query[] => [
  sql`executed_at >= ${settlement.timerange_from}`,
  sql`executed_at < ${settlement.timerange_to}`,
  sql`not busted`,
  sql`
    (
      settlement_state = 'UNSETTLED'
      or (${isClaimedBy(settlement.id)} and settlement_state = 'IN_SETTLEMENT')
    )`,
]

export function fillsClaimedBy(
  reader: Reader,
  workspace: WorkspaceId,
  settlement_id: SettlementId,
): Promise<Fill[]> {
  return reader.query<Fill>(
    sql`
      select ${FILL_COLUMNS}
      from fills
      where workspace = ${workspace}
        and ${isClaimedBy(settlement_id)}
      order by executed_at, id`,
  )
}

export function fillsByIds(
  reader: Reader,
  workspace: WorkspaceId,
  ids: readonly FillId[],
): Promise<Fill[]> {
  return reader.query<Fill>(
    sql`
      select ${FILL_COLUMNS}
      from fills
      where workspace = ${workspace}
        and id = any(${ids}::uuid[])`,
  )
}

/** The write of a settlement that takes these fills (null: frees them), or has settled them. */
export function moveFills(
  workspace: WorkspaceId,
  ids: readonly FillId[],
  { settlement_id, state }: { settlement_id: SettlementId | null; state: Fill['settlement_state'] },
  stamp: Stamp,
): Query {
  const set = { settlement_id, settlement_state: state }
  return updateRow(FILLS, { where: { workspace, id: ids }, set, ...stamp })
}

/** Of fills `f`: the venue busted it, and its settlement has not been netted again without it. */
export const isUncorrected: Query = sql`
  f.busted
    and f.settlement_id is not null
    and f.corrected_at is null`

/** Those that the settlement holds, oldest first. */
export function uncorrectedFills(
  reader: Reader,
  workspace: WorkspaceId,
  settlement_id: SettlementId,
): Promise<Fill[]> {
  return reader.query<Fill>(sql`
    select ${FILL_COLUMNS}
    from fills f
    where workspace = ${workspace}
      and ${isClaimedBy(settlement_id)}
      and ${isUncorrected}
    order by executed_at, id`)
}

/** The write of a settlement that is netted without these fills. */
export const correctFills = (workspace: WorkspaceId, ids: readonly FillId[], stamp: Stamp): Query =>
  updateRow(FILLS, { where: { workspace, id: ids }, set: { corrected_at: stamp.now }, ...stamp })

const ENDED = statesOf(EXECUTION_MOVES).filter((state) => isFinal(EXECUTION_MOVES, state))

const isCredit = (hold: Hold): boolean => hold.kind === 'UNSETTLED' && hold.state === 'OPEN'

/**
 * What a customer gets by fills at a venue that pays later is not settled yet; negative: no longer.
 * `holds` are the execution's.
 */
export function adjustCredit(
  execution_id: ExecutionId,
  credit: { account_id: AccountId; asset: string; quantity: Decimal },
  holds: readonly Hold[],
): LedgerStep[] {
  const { account_id, asset, quantity } = credit
  if (quantity > 0n)
    return [
      {
        step: 'hold',
        hold: {
          id: newId(),
          kind: 'UNSETTLED',
          account_id,
          asset,
          quantity,
          cause_type: 'settlement',
          cause_id: execution_id,
        },
      },
    ]
  let left = -quantity
  return holds
    .filter((hold) => isCredit(hold) && hold.account_id === account_id && hold.asset === asset)
    .flatMap((hold): LedgerStep[] => {
      const released = least(left, hold.remaining)
      left -= released
      return released === 0n ? [] : [{ step: 'release', hold_id: hold.id, quantity: released }]
    })
}

/** What the customers receive of this asset by a fill. */
function proceedsIn(fill: Fill, asset: string): Decimal {
  const [received, quantity] =
    fill.side === 'BUY' ? [fill.base_asset, fill.quantity] : [fill.quote_asset, fill.volume]
  return received === asset ? decimal(quantity) : 0n
}

/** A trade by which customers receive something, and how much. */
export type Proceeds = { id: FillId; quantity: Decimal }

/**
 * How much of the proceeds of these trades is not settled, of all of it. Read after the holds: what
 * is settled meanwhile is no longer theirs to release.
 */
export async function readUnsettledShare(
  reader: Reader,
  workspace: WorkspaceId,
  trades: readonly Proceeds[],
): Promise<{ open: Decimal; all: Decimal }> {
  const all = sum(trades.map((trade) => trade.quantity))
  if (all === 0n) return { open: 0n, all: 1n }
  const rows = await reader.query<{ id: string }>(
    sql`
      select id
      from fills
      where workspace = ${workspace}
        and id = any(${trades.map((trade) => trade.id)}::uuid[])
        and settlement_state = 'SETTLED'`,
  )
  const settled = new Set(rows.map((row) => row.id))
  return {
    open: sum(trades.filter((trade) => !settled.has(trade.id)).map((trade) => trade.quantity)),
    all,
  }
}

/** What of a customer's credits by an execution is not settled yet. */
export const sumCredits = (holds: readonly Hold[], account_id: AccountId, asset: string): Decimal =>
  sum(
    holds
      .filter((hold) => isCredit(hold) && hold.account_id === account_id && hold.asset === asset)
      .map((hold) => hold.remaining),
  )

/**
 * Frees what customers got by these fills, in proportion to what of their executions is settled by
 * then; by the last one all. The guards: an execution whose customers get the proceeds of its fills
 * only when all hops have ended does not end meanwhile.
 */
export async function releaseCredits(
  reader: Reader,
  workspace: WorkspaceId,
  fills: readonly Fill[],
): Promise<{ ledger: LedgerStep[]; guards: Guard[] }> {
  const assets = await assetsOf(reader, workspace)
  const settling = new Set(fills.map((fill) => fill.id))
  const executions = [...new Set(fills.flatMap((fill) => fill.execution_id ?? []))]
  const guards = await guardUnended(reader, workspace, executions)
  // Before the fills: of a fill that comes in between nothing is freed.
  const credits = new Map<ExecutionId, Hold[]>()
  for (const execution_id of executions)
    credits.set(execution_id, (await holdsOf(reader, workspace, execution_id)).filter(isCredit))
  const unsettled = await fillsToSettle(reader, workspace, executions)
  const ledger = executions.flatMap((execution_id) => {
    const open = unsettled.filter((fill) => fill.execution_id === execution_id)
    return (credits.get(execution_id) ?? []).flatMap((hold): LedgerStep[] => {
      const scale = assets.get(hold.asset)?.scale ?? 0
      const quantity = releasedOf(hold, open, settling, scale)
      return quantity > 0n ? [{ step: 'release', hold_id: hold.id, quantity }] : []
    })
  })
  return { ledger, guards }
}

async function guardUnended(
  reader: Reader,
  workspace: WorkspaceId,
  executions: readonly ExecutionId[],
): Promise<Guard[]> {
  const rows = await reader.query<{ id: ExecutionId; version: number }>(sql`
    select id, version
    from executions
    where workspace = ${workspace}
      and id = any(${executions}::uuid[])
      and jsonb_array_length(hops) > 1
      and not state = any(${ENDED}::text[])`)
  return rows.map(({ id, version }) => ({
    table: 'executions',
    resource: 'execution',
    id,
    from: statesOf(EXECUTION_MOVES),
    version,
  }))
}

/** What of these executions is not settled, all that is being settled included. */
function fillsToSettle(
  reader: Reader,
  workspace: WorkspaceId,
  executions: readonly ExecutionId[],
): Promise<Fill[]> {
  return reader.query<Fill>(
    sql`
      select ${FILL_COLUMNS}
      from fills
      where workspace = ${workspace}
        and execution_id = any(${executions}::uuid[])
        and settlement_state <> 'SETTLED'
        and not busted`,
  )
}

/** What of a credit is free once these fills are settled. `open`: those of its execution. */
function releasedOf(
  hold: Hold,
  open: readonly Fill[],
  settling: ReadonlySet<FillId>,
  scale: number,
): Decimal {
  const proceeds = (fills: readonly Fill[]) =>
    sum(fills.map((fill) => proceedsIn(fill, hold.asset)))
  const [whole, part] = [proceeds(open), proceeds(open.filter((fill) => settling.has(fill.id)))]
  if (part >= whole) return hold.remaining
  return round((hold.remaining * part) / whole, scale, 'down')
}
