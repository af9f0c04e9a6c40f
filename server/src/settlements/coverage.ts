/** Which parts, over which treasury routes, pay what a settlement comes to. */
import { mustExist } from '../core/assert.ts'
import { format } from '../core/decimal.ts'
import type { Decimal } from '../core/decimal.ts'
import { refuse } from '../core/errors.ts'
import { newId } from '../core/ids.ts'
import type { SettlementId, VenueId } from '../core/ids.ts'
import type { Caller } from '../http/index.ts'
import { amountOf, assertVersion, assetByCode } from '../ledger/index.ts'
import { insertRow } from '../store/rows.ts'
import type { Stamp } from '../store/rows.ts'
import { sql } from '../store/sql.ts'
import type { Query } from '../store/sql.ts'
import { stateIn } from '../store/states.ts'
import { fillsClaimedBy } from '../trading/index.ts'
import { routeById, routesBetween } from '../treasury/index.ts'
import type { Route } from '../treasury/index.ts'
import { changeSettlement, commitSettlement, SettlementDraft, settlementEvent } from './changes.ts'
import { leftOfNets, netsInBooks, payable, sumOfParts } from './nets.ts'
import type { Direction, Net } from './nets.ts'
import { PARTS } from './rows.ts'
import type { PartRow, SettlementRow, SettlementsApp } from './rows.ts'
import {
  hasEnded,
  IDLE_PART_STATES,
  isIdle,
  isPrepared,
  PART_MOVES,
  stateOfParts,
} from './settlements.schema.ts'
import type {
  CoverSettlementBody,
  Part,
  Settlement,
  SettlementState,
} from './settlements.schema.ts'

type Leg = { venue_id: VenueId; asset: string; direction: Direction }
/** What is still to be covered, at the asset's scale. */
type Uncovered = Leg & { quantity: Decimal }
type PartDraft = Leg & Pick<Part, 'quantity' | 'route_id'>

/**
 * What has begun stays; the rest is replaced. Until transfers begin the nets are those of the fills
 * as they are now.
 */
export function coverSettlement(
  caller: Caller,
  app: SettlementsApp,
  id: SettlementId,
  body: CoverSettlementBody,
): Promise<Settlement> {
  return changeSettlement(caller, app, id, async (before) => {
    assertVersion('settlement', before, body.version)
    if (hasEnded(before))
      throw refuse(
        'STATE_NOT_ALLOWED',
        '',
        `settlement ${id} is ${before.state}: its parts can no longer change`,
      )
    const nets = isPrepared(before) ? await currentNets(app, before) : before.nets
    const kept = before.parts.filter((part) => !isIdle(part))
    // Without parts it is prepared again.
    const cleared = isPrepared(before) && body.parts?.length === 0
    const chosen = cleared ? [] : await chooseParts(app, before, { nets, kept }, body.parts)
    const parts = chosen.map(openPart)
    const all = [...kept, ...parts]
    const draft = new SettlementDraft(before)
    const state = cleared ? 'PREPARING' : stateOnceCovered(before, all)
    const after = draft.after({ nets, parts: all, state })
    const stamp = { by: caller.by, now: app.clock.now() }
    draft.add({
      rows: [deleteIdleParts(before), ...insertParts(before, parts, kept.length + 1, stamp)],
      events: [settlementEvent('changed', after, { parts: parts.length })],
    })
    return commitSettlement(caller, app, draft, { name: 'cover', after })
  })
}

async function currentNets(
  { db }: SettlementsApp,
  { workspace, id }: SettlementRow,
): Promise<Net[]> {
  const fills = await fillsClaimedBy(db, workspace, id)
  if (fills.length === 0)
    throw refuse('STATE_NOT_ALLOWED', '', `settlement ${id} has no fills: there is nothing to pay`)
  return netsInBooks(db, workspace, fills)
}

/** Covering never ends a settlement: one whose every part has moved waits to be netted again. */
function stateOnceCovered(before: SettlementRow, parts: readonly PartRow[]): SettlementState {
  if (isPrepared(before)) return 'READY'
  const state = stateOfParts(parts)
  if (state === 'SETTLED')
    throw refuse(
      'STATE_NOT_ALLOWED',
      '',
      `settlement ${before.id} has nothing left to cover: net it again without the busted trade`,
    )
  return state
}

export const openPart = (part: PartDraft): PartRow => ({
  ...part,
  id: newId(),
  state: 'OPEN',
  withdrawal_id: null,
  deposit_id: null,
  arrival: null,
  reason: null,
  note: null,
  confirmed_by: null,
  initiated_at: null,
  completed_at: null,
  version: 1,
})

const deleteIdleParts = ({ workspace, id }: SettlementRow): Query => sql`
  delete from settlement_parts
  where workspace = ${workspace}
    and settlement_id = ${id}
    and ${stateIn(PART_MOVES, IDLE_PART_STATES)}`

export const insertParts = (
  { workspace, id: settlement_id }: SettlementRow,
  parts: readonly PartRow[],
  first_no: number,
  stamp: Stamp,
): Query[] =>
  parts.map(({ id, state, venue_id, asset, quantity, direction, route_id }, index) =>
    insertRow(
      PARTS,
      {
        workspace,
        id,
        settlement_id,
        part_no: first_no + index,
        state,
        venue_id,
        asset,
        quantity,
        direction,
        route_id,
      },
      stamp,
    ),
  )

type CoverBasis = { nets: readonly Net[]; kept: readonly Part[] }
type RequestedPart = NonNullable<CoverSettlementBody['parts']>[number]

async function chooseParts(
  app: SettlementsApp,
  before: SettlementRow,
  basis: CoverBasis,
  requested: readonly RequestedPart[] | undefined,
): Promise<PartDraft[]> {
  const uncovered = await findUncovered(app, before, basis)
  return requested === undefined
    ? Promise.all(uncovered.map((rest) => proposePart(app, before, rest)))
    : checkParts(app, before, uncovered, requested)
}

/** What the parts that are kept leave of the nets, as far as it can be paid. */
export async function findUncovered(
  { db }: SettlementsApp,
  { workspace }: SettlementRow,
  { nets, kept }: CoverBasis,
): Promise<Uncovered[]> {
  const all = await Promise.all(
    leftOfNets(nets, kept).map(async (left) => {
      const { scale } = await assetByCode(db, workspace, left.asset)
      return { ...left, quantity: payable(left.quantity, scale) }
    }),
  )
  return all.filter(({ quantity }) => quantity > 0n)
}

/**
 * One part, over the oldest active route that fits; without one it can only be confirmed by hand.
 */
export async function proposePart(
  { db }: SettlementsApp,
  { workspace }: SettlementRow,
  { venue_id, asset, direction, quantity }: Uncovered,
): Promise<PartDraft> {
  const leg = { venue_id, asset, direction }
  const end = direction === 'OUTGOING' ? { to_venue_id: venue_id } : { from_venue_id: venue_id }
  const routes = await routesBetween(db, workspace, asset, end)
  const route_id = routes.find((route) => routeFits(route, leg))?.id ?? null
  return { ...leg, quantity: format(quantity), route_id }
}

async function checkParts(
  app: SettlementsApp,
  before: SettlementRow,
  uncovered: readonly Uncovered[],
  requested: readonly RequestedPart[],
): Promise<PartDraft[]> {
  const parts: PartDraft[] = []
  for (const [index, item] of requested.entries())
    parts.push(await checkPart(app, before, uncovered, { item, path: `parts[${index}]` }))
  for (const left of uncovered) {
    const { venue_id, asset, direction, quantity } = left
    const covered = sumOfParts(parts, left)
    if (covered !== quantity)
      throw refuse(
        'SUM_MISMATCH',
        'parts',
        `${format(quantity)} ${asset} ${direction} with venue ${venue_id} ` +
          `are to be covered, the parts come to ${format(covered)}`,
      )
  }
  return parts
}

async function checkPart(
  { db }: SettlementsApp,
  { workspace }: SettlementRow,
  uncovered: readonly Uncovered[],
  { item, path }: { item: RequestedPart; path: string },
): Promise<PartDraft> {
  const { venue_id, asset, route_id } = item
  const found = uncovered.find((left) => left.venue_id === venue_id && left.asset === asset)
  if (found === undefined)
    throw refuse('SUM_MISMATCH', path, `nothing of ${asset} is to be paid with venue ${venue_id}`)
  const known = await assetByCode(db, workspace, asset)
  const quantity = format(amountOf(item.quantity, known, `${path}.quantity`))
  const leg = { venue_id, asset, direction: found.direction }
  if (route_id !== undefined) {
    const route = await routeById(db, workspace, route_id, `${path}.route_id`)
    assertRouteFits(route, leg, `${path}.route_id`)
  }
  return { ...leg, quantity, route_id: route_id ?? null }
}

/**
 * OUTGOING: from a wallet of the house to one of ours at the venue that is owed; INCOMING: the
 * other way. No customer's wallet is used for it, on either side.
 */
function routeFits(
  { from_wallet, to_wallet, state }: Route,
  { venue_id, asset, direction }: Leg,
): boolean {
  const [theirs, ours] =
    direction === 'OUTGOING' ? [to_wallet, from_wallet] : [from_wallet, to_wallet]
  return (
    state === 'ACTIVE' &&
    from_wallet.asset === asset &&
    theirs.type === 'VENUE' &&
    theirs.venue_id === venue_id &&
    ours.type === 'VENUE' &&
    ours.venue_id !== null &&
    ours.venue_id !== venue_id
  )
}

export function assertRouteFits(route: Route, leg: Leg, path: string): void {
  if (routeFits(route, leg)) return
  const label = mustExist(route.label, 'a route has its label')
  const way =
    leg.direction === 'OUTGOING' ? 'from a wallet of the house to one at' : 'from a wallet at'
  throw refuse(
    'CONFLICT',
    path,
    `route ${label} does not lead ${way} venue ${leg.venue_id} for ${leg.asset}`,
  )
}
