/**
 * The rows of settlements and their parts, and the one way they are changed: one change through the
 * lane, at the version that was read.
 */
import { notFound } from '../core/errors.ts'
import { withFailpoints } from '../core/failpoint.ts'
import type { SettlementId, WorkspaceId } from '../core/ids.ts'
import { canMove } from '../core/moves.ts'
import { assert } from '../core/assert.ts'
import type { Json } from '../core/json.ts'
import type { Idempotency } from '../http/index.ts'
import type { Change, EventDraft, EventOf, Guard } from '../ledger/index.ts'
import { only } from '../store/db.ts'
import type { Reader } from '../store/db.ts'
import { raw, sql } from '../store/sql.ts'
import type { Query } from '../store/sql.ts'
import type { TreasuryApp } from '../treasury/index.ts'
import { PART_MOVES, SETTLEMENT_MOVES } from './settlements.schema.ts'
import type { Part, PartState, Settlement } from './settlements.schema.ts'

export type SettlementsApp = TreasuryApp
export const SETTLEMENT_TASK = 'settlement'

const PART = `'id', p.id, 'venue_id', p.venue_id, 'asset', p.asset, 'quantity', p.quantity::text, 'direction', p.direction, 'route_id', p.route_id, 'state', p.state, 'withdrawal_id', p.withdrawal_id, 'deposit_id', coalesce(p.deposit_id, a.deposit_id), 'arrival', a.state,
  'reason', p.reason, 'note', p.note, 'confirmed_by', p.confirmed_by, 'initiated_at', p.initiated_at, 'completed_at', p.completed_at`
const columns = (part: string) =>
  raw(`
    s.id, s.workspace, s.state, s.timerange_from, s.timerange_to, s.nets, s.reason, s.completed_at,
      (
        select coalesce(json_agg(json_build_object(${part}) order by p.part_no), '[]'::json)
        from settlement_parts p
        left join expected_arrivals a on a.workspace = p.workspace
          and a.id = p.id
        where p.workspace = s.workspace
          and p.settlement_id = s.id
      ) as parts,
      s.system_created_at, s.system_created_by, s.system_updated_at, s.system_updated_by, s.version`)
export const SETTLEMENT_SELECT = sql`
  select ${columns(PART)}
  from settlements s`

/** Of settlements `s`: the money of a part that was confirmed by hand is waited for. */
export const isUnseen = sql`
  s.id in (
    select p.settlement_id
    from expected_arrivals a
    join settlement_parts p on p.workspace = a.workspace
      and p.id = a.id
    where a.workspace = s.workspace
      and a.state = 'EXPECTED'
      and p.state = 'CONFIRMED_MANUALLY'
  )`

export type PartRow = Part & { version: number }
export type SettlementRow = Omit<Settlement, 'parts'> & { parts: PartRow[] }

/** Amounts come with their column's digits from json. */
const trimZeros = (quantity: string): string =>
  quantity.includes('.') ? quantity.replace(/\.?0+$/, '') : quantity
export function shapeSettlement<Row extends { parts: Part[] }>(row: Row): Row {
  return {
    ...row,
    parts: row.parts.map((part) => ({ ...part, quantity: trimZeros(part.quantity) })),
  }
}

/** Throws 4004. */
export async function settlementRow(
  reader: Reader,
  workspace: WorkspaceId,
  id: SettlementId,
): Promise<SettlementRow> {
  const row = only(
    await reader.query<SettlementRow>(
      sql`
        select ${columns(`${PART}, 'version', p.version`)}
        from settlements s
        where s.workspace = ${workspace}
          and s.id = ${id}`,
    ),
  )
  if (row === undefined) throw notFound('settlement', id, 'settlement_id')
  return shapeSettlement(row)
}

export function showSettlement({ parts, ...row }: SettlementRow): Settlement {
  return { ...row, parts: parts.map(({ version: _version, ...part }) => part) }
}

export async function settlementById(
  reader: Reader,
  workspace: WorkspaceId,
  id: SettlementId,
): Promise<Settlement> {
  return showSettlement(await settlementRow(reader, workspace, id))
}

export function settlementEvent(
  type: EventOf<'settlement'>,
  { id, state, nets }: Pick<Settlement, 'id' | 'state' | 'nets'>,
  more: Record<string, Json> = {},
): EventDraft {
  return { type: `settlement.${type}`, resource_id: id, data: { state, nets, ...more } }
}

/** The part as it was read, moving to `to`. */
export function partGuard({ id, state, version }: PartRow, to: PartState): Guard {
  assert(canMove(PART_MOVES, state, to), `no move of a part from ${state} to ${to}`)
  return { table: 'settlement_parts', resource: 'settlement part', id, from: [state], to, version }
}

export const updatePart = ({ workspace }: Pick<Settlement, 'workspace'>, part: Part): Query => sql`
  update settlement_parts
  set withdrawal_id = ${part.withdrawal_id}, deposit_id = ${part.deposit_id},
    reason = ${part.reason}, note = ${part.note}, confirmed_by = ${part.confirmed_by},
    initiated_at = ${part.initiated_at}, completed_at = ${part.completed_at}
  where workspace = ${workspace}
    and id = ${part.id}`

type Altered = Pick<Change, 'class'> & { guards?: Guard[] } & Partial<
    Pick<Change, 'ledger' | 'rows' | 'events' | 'tasks' | 'halt'>
  >

/**
 * `name` is the failpoint's. Answers the settlement as it is then, or was when this request was
 * done before.
 */
export async function commitSettlement(
  app: SettlementsApp,
  name: string,
  before: SettlementRow,
  after: SettlementRow,
  altered: Altered,
  by: string,
  idempotency?: Idempotency,
): Promise<Settlement> {
  const { workspace, id, state, version } = before
  const moved = after.state !== state
  assert(
    !moved || canMove(SETTLEMENT_MOVES, state, after.state),
    `no move of a settlement from ${state} to ${after.state}`,
  )
  const now = app.clock.now()
  const record: Settlement = {
    ...showSettlement(after),
    version: version + 1,
    system_updated_at: now,
    system_updated_by: by,
  }
  const guard: Guard = {
    table: 'settlements',
    resource: 'settlement',
    id,
    from: [state],
    version,
    ...(moved ? { to: after.state } : {}),
  }
  const rows = [
    sql`
      update settlements
      set nets = ${JSON.stringify(after.nets)}::jsonb, reason = ${after.reason},
        completed_at = ${after.completed_at}
      where workspace = ${workspace}
        and id = ${id}`,
    ...(altered.rows ?? []),
  ]
  const change: Change = {
    workspace,
    by,
    ...altered,
    guards: [guard, ...(altered.guards ?? [])],
    rows,
    ...(idempotency === undefined
      ? {}
      : { idempotency: { ...idempotency, reply: { data: record } } }),
  }
  const committed = await withFailpoints(`settlement.${name}`, id, () => app.lane.commit(change))
  return committed.verdict === 'replayed' && 'data' in committed.reply
    ? (committed.reply.data as Settlement)
    : record
}
