/** Which parts, over which treasury routes, pay what a settlement comes to. */
import { mustExist } from '../core/assert.ts'
import { decimal, format, sum } from '../core/decimal.ts'
import type { Decimal } from '../core/decimal.ts'
import { refuse } from '../core/errors.ts'
import { newId } from '../core/ids.ts'
import type { SettlementId, VenueId, WorkspaceId } from '../core/ids.ts'
import { withIdempotentReplay } from '../http/index.ts'
import type { Idempotency } from '../http/index.ts'
import { amountOf, assetByCode, retryOnStale } from '../ledger/index.ts'
import { sql } from '../store/sql.ts'
import { fillsClaimedBy } from '../trading/index.ts'
import { routeById, routesBetween } from '../treasury/index.ts'
import type { Route } from '../treasury/index.ts'
import { netsInBooks, payable } from './nets.ts'
import type { Direction, Net } from './nets.ts'
import { commitSettlement, settlementEvent, settlementRow } from './rows.ts'
import type { PartRow, SettlementRow, SettlementsApp } from './rows.ts'
import { assertVersion } from './settlements.ts'
import { stateOfParts } from './settlements.schema.ts'
import type { CoverSettlementBody, Part, Settlement } from './settlements.schema.ts'

type PartDraft = Pick<Part, 'venue_id' | 'asset' | 'direction' | 'route_id'> & { quantity: Decimal }

/**
 * What has begun stays; the rest is replaced. Until transfers begin the nets are those of the fills
 * as they are now.
 */
export function coverSettlement(
  app: SettlementsApp,
  workspace: WorkspaceId,
  id: SettlementId,
  body: CoverSettlementBody,
  by: string,
  idempotency: Idempotency | undefined,
): Promise<Settlement> {
  return withIdempotentReplay(app, workspace, idempotency, () =>
    retryOnStale(async () => {
      const before = await settlementRow(app.db, workspace, id)
      assertVersion(before, body.version)
      if (before.state === 'SETTLED' || before.state === 'CANCELED')
        throw refuse(
          'STATE_NOT_ALLOWED',
          '',
          `settlement ${id} is ${before.state}: its parts do not change any more`,
        )
      const begun = before.state !== 'PREPARING' && before.state !== 'READY'
      const fills = begun ? [] : await fillsClaimedBy(app.db, workspace, id)
      if (!begun && fills.length === 0)
        throw refuse(
          'STATE_NOT_ALLOWED',
          '',
          `settlement ${id} holds no fill: there is nothing to pay`,
        )
      const nets = begun ? before.nets : await netsInBooks(app.db, workspace, fills)
      const kept = before.parts.filter((part) => part.state !== 'OPEN' && part.state !== 'FAILED')
      const back = !begun && body.parts?.length === 0
      const wanted = back
        ? []
        : body.parts === undefined
          ? await proposeParts(app, workspace, nets, kept)
          : await checkParts(app, workspace, nets, kept, body.parts)
      const parts = wanted.map((part): PartRow => ({
        ...part,
        id: newId(),
        quantity: format(part.quantity),
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
      }))
      const all = [...kept, ...parts]
      const after: SettlementRow = {
        ...before,
        nets,
        parts: all,
        state: back ? 'PREPARING' : begun ? stateOfParts(all) : 'READY',
      }
      const now = app.clock.now()
      return commitSettlement(
        app,
        'cover',
        before,
        after,
        {
          class: 'command',
          rows: [
            sql`
              delete from settlement_parts
              where workspace = ${workspace}
                and settlement_id = ${id}
                and state in ('OPEN', 'FAILED')`,
            ...parts.map(
              (part, index) => sql`
                insert into settlement_parts (
                  workspace, id, settlement_id, part_no, state, venue_id, asset, quantity,
                  direction, route_id, system_created_at, system_created_by, system_updated_at,
                  system_updated_by
                )
                values (
                  ${workspace}, ${part.id}, ${id}, ${kept.length + index + 1}, 'OPEN',
                  ${part.venue_id}, ${part.asset}, ${part.quantity}, ${part.direction},
                  ${part.route_id}, ${now}, ${by}, ${now}, ${by}
                )`,
            ),
          ],
          events: [settlementEvent('changed', after, { parts: parts.length })],
        },
        by,
        idempotency,
      )
    }),
  )
}

/** What of each net is still to be covered. */
async function findUncovered(
  app: SettlementsApp,
  workspace: WorkspaceId,
  nets: readonly Net[],
  kept: readonly Part[],
): Promise<{ net: Net; quantity: Decimal }[]> {
  const all = await Promise.all(
    nets.map(async (net) => {
      const { scale } = await assetByCode(app.db, workspace, net.asset)
      const covered = sum(
        kept
          .filter((part) => part.venue_id === net.venue_id && part.asset === net.asset)
          .map((part) => decimal(part.quantity)),
      )
      return { net, quantity: payable(net.quantity, scale) - covered }
    }),
  )
  return all.filter((each) => each.quantity > 0n)
}

/**
 * One part per net, over the oldest active route that fits; without one it can only be confirmed by
 * hand.
 */
async function proposeParts(
  app: SettlementsApp,
  workspace: WorkspaceId,
  nets: readonly Net[],
  kept: readonly Part[],
): Promise<PartDraft[]> {
  return Promise.all(
    (await findUncovered(app, workspace, nets, kept)).map(
      async ({ net: { venue_id, asset, direction }, quantity }): Promise<PartDraft> => {
        const routes = await routesBetween(
          app.db,
          workspace,
          asset,
          direction === 'OUTGOING' ? { to_venue_id: venue_id } : { from_venue_id: venue_id },
        )
        return {
          venue_id,
          asset,
          direction,
          quantity,
          route_id:
            routes.find((route) => routeFits(route, { venue_id, asset, direction }))?.id ?? null,
        }
      },
    ),
  )
}

async function checkParts(
  app: SettlementsApp,
  workspace: WorkspaceId,
  nets: readonly Net[],
  kept: readonly Part[],
  items: NonNullable<CoverSettlementBody['parts']>,
): Promise<PartDraft[]> {
  const left = await findUncovered(app, workspace, nets, kept)
  const wanted: PartDraft[] = []
  for (const [index, item] of items.entries()) {
    const path = `parts[${index}]`
    const found = left.find(({ net }) => net.venue_id === item.venue_id && net.asset === item.asset)
    if (found === undefined)
      throw refuse(
        'SUM_MISMATCH',
        path,
        `nothing of ${item.asset} is to be paid with venue ${item.venue_id}`,
      )
    const quantity = amountOf(
      item.quantity,
      await assetByCode(app.db, workspace, item.asset),
      `${path}.quantity`,
    )
    const { direction } = found.net
    if (item.route_id !== undefined)
      assertRouteFits(
        await routeById(app.db, workspace, item.route_id, `${path}.route_id`),
        { ...item, direction },
        `${path}.route_id`,
      )
    wanted.push({
      venue_id: item.venue_id,
      asset: item.asset,
      direction,
      quantity,
      route_id: item.route_id ?? null,
    })
  }
  for (const { net, quantity } of left) {
    const covered = sum(
      wanted
        .filter((part) => part.venue_id === net.venue_id && part.asset === net.asset)
        .map((part) => part.quantity),
    )
    if (covered !== quantity)
      throw refuse(
        'SUM_MISMATCH',
        'parts',
        `${format(quantity)} ${net.asset} ${net.direction} with venue ${net.venue_id} are to be covered, the parts come to ${format(covered)}`,
      )
  }
  return wanted
}

type Leg = { venue_id: VenueId; asset: string; direction: Direction }

/**
 * OUTGOING: from a wallet of the house to one at the venue that is owed; INCOMING: the other way. A
 * customer's wallet is not used for it.
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
    theirs.venue_id === venue_id &&
    ours.type === 'VENUE' &&
    ours.venue_id !== null &&
    ours.venue_id !== venue_id
  )
}

export function assertRouteFits(route: Route, leg: Leg, path: string): void {
  if (routeFits(route, leg)) return
  const way =
    leg.direction === 'OUTGOING' ? 'from a wallet of the house to one at' : 'from a wallet at'
  throw refuse(
    'CONFLICT',
    path,
    `route ${mustExist(route.label, 'a route has its label')} does not lead ${way} venue ${leg.venue_id} for ${leg.asset}`,
  )
}
