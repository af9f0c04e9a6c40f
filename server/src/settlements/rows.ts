/** Settlements, their parts and their claims on fills, as they are stored and read. */
import { notFound } from '../core/errors.ts'
import type { FillId, SettlementId, VenueId, WorkspaceId } from '../core/ids.ts'
import { closed, flag, id, record, Type } from '../http/index.ts'
import { houseAccounts, venueAccounts } from '../ledger/index.ts'
import { only } from '../store/db.ts'
import type { Reader } from '../store/db.ts'
import { columnsOf, insertRows, tableOf, updateRow } from '../store/rows.ts'
import type { Stamp } from '../store/rows.ts'
import { raw, sql } from '../store/sql.ts'
import type { Query } from '../store/sql.ts'
import { stateIn } from '../store/states.ts'
import { isUncorrected, moveFills } from '../trading/index.ts'
import { ARRIVAL_MOVES } from '../treasury/index.ts'
import type { TreasuryApp } from '../treasury/index.ts'
import type { SettlingAccounts } from './bookings.ts'
import {
  isPrepared,
  PART_MOVES,
  PartShape,
  SETTLEMENT_MOVES,
  SETTLEMENT_STATES,
  SettlementRecord,
} from './settlements.schema.ts'
import type { Part, Settlement } from './settlements.schema.ts'

export type SettlementsApp = TreasuryApp
export const SETTLEMENT_TASK = 'settlement'

export const SETTLEMENTS = tableOf('settlements', SettlementRecord, {
  computed: ['parts', 'uncorrected_fills'],
})

export const PARTS = tableOf(
  'settlement_parts',
  record('StoredSettlementPart', PartShape.properties),
  {
    inside: {
      settlement_id: id<SettlementId>(),
      part_no: Type.Integer({ description: 'Its place among the parts of the settlement' }),
    },
    computed: ['arrival'],
  },
)

const CLAIMS = tableOf(
  'settlement_fills',
  closed({
    workspace: id<WorkspaceId>(),
    settlement_id: id<SettlementId>(),
    fill_id: id<FillId>(),
    live: flag('It holds the fill; at most one settlement does'),
  }),
)

export type PartRow = Part & { version: number }
export type SettlementRow = Omit<Settlement, 'parts'> & { parts: PartRow[] }

/** What stands for a field of a part that is not its column. */
const EXPRESSIONS: Readonly<Record<string, string>> = {
  quantity: 'p.quantity::text',
  // One that was taken back is not its payment any more, and another may come.
  deposit_id:
    "case when a.state = 'EXPECTED' then null else coalesce(a.deposit_id, p.deposit_id) end",
  arrival: 'a.state',
}

/** Of settlements `s`: what its fills come to is fixed, and corrected by lines alone. */
const IS_INITIATED = stateIn(
  SETTLEMENT_MOVES,
  SETTLEMENT_STATES.filter((state) => !isPrepared({ state }) && state !== 'CANCELED'),
  's.state',
)

function settlementColumns(partFields: readonly string[]): Query {
  const pairs = partFields.map((field) => `'${field}', ${EXPRESSIONS[field] ?? `p.${field}`}`)
  const parts = sql`
    (
      select coalesce(
        json_agg(json_build_object(${raw(pairs.join(', '))}) order by p.part_no, p.id), '[]'::json
      )
      from settlement_parts p
      left join expected_arrivals a on a.workspace = p.workspace
        and a.id = p.id
      where p.workspace = s.workspace
        and p.settlement_id = s.id
    )`
  const uncorrected_fills = sql`
    (
      select count(*)::integer
      from fills f
      where f.workspace = s.workspace
        and f.settlement_id = s.id
        and ${isUncorrected}
        and ${IS_INITIATED}
    )`
  return columnsOf(SettlementRecord, { of: 's', computed: { parts, uncorrected_fills } })
}

const PART_FIELDS = Object.keys(PartShape.properties)
export const SETTLEMENT_SELECT = sql`
  select ${settlementColumns(PART_FIELDS)}
  from settlements s`

/**
 * Of parts `p` with their arrivals `a`: the money is waited for though the part was confirmed by
 * hand, or its deposit was taken back.
 */
export const isUnseenPart = sql`
  ${stateIn(ARRIVAL_MOVES, 'EXPECTED', 'a.state')}
    and ${stateIn(PART_MOVES, ['CONFIRMED_MANUALLY', 'SUCCESS'], 'p.state')}`

/** Of settlements `s`. */
export const hasUnseenPart = sql`
  s.id in (
    select p.settlement_id
    from expected_arrivals a
    join settlement_parts p on p.workspace = a.workspace
      and p.id = a.id
    where a.workspace = s.workspace
      and ${isUnseenPart}
  )`

/** Of settlements `s`: a fill was busted after it was initiated, and is still in its nets. */
export const hasUncorrectedFill = sql`
  ${IS_INITIATED}
    and s.id in (
      select f.settlement_id
      from fills f
      where f.workspace = s.workspace
        and ${isUncorrected}
    )`

/** Amounts come with their column's digits from json. */
const trimZeros = (quantity: string): string =>
  quantity.includes('.') ? quantity.replace(/\.?0+$/, '') : quantity

export function shapeSettlement<Row extends { parts: Part[] }>(row: Row): Row {
  const parts = row.parts.map((part) => ({ ...part, quantity: trimZeros(part.quantity) }))
  return { ...row, parts }
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
        select ${settlementColumns([...PART_FIELDS, 'version'])}
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

type SettlementKey = Pick<Settlement, 'workspace' | 'id'>

/** Fails on `settlement_fills_live` when another settlement holds one of them. */
export function claimFills(
  { workspace, id: settlement_id }: SettlementKey,
  ids: readonly FillId[],
  stamp: Stamp,
): Query[] {
  if (ids.length === 0) return []
  const claims = ids.map((fill_id) => ({ workspace, settlement_id, fill_id, live: true }))
  return [
    sql`
      ${insertRows(CLAIMS, claims, stamp)}
      on conflict (workspace, settlement_id, fill_id) do update
      set live = true`,
    moveFills(workspace, ids, { settlement_id, state: 'IN_SETTLEMENT' }, stamp),
  ]
}

export function releaseFills(
  { workspace, id: settlement_id }: SettlementKey,
  ids: readonly FillId[],
  stamp: Stamp,
): Query[] {
  if (ids.length === 0) return []
  const where = { workspace, settlement_id, fill_id: ids }
  return [
    updateRow(CLAIMS, { where, set: { live: false }, ...stamp }),
    moveFills(workspace, ids, { settlement_id: null, state: 'UNSETTLED' }, stamp),
  ]
}

export async function settlingAccounts(
  reader: Reader,
  workspace: WorkspaceId,
  venue_id: VenueId,
): Promise<SettlingAccounts> {
  return {
    ...(await houseAccounts(reader, workspace)),
    ...(await venueAccounts(reader, workspace, venue_id)),
  }
}
