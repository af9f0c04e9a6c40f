/**
 * Settlements before anything moves: which fills, what they come to, and that all of it is given
 * up.
 */
import { refuse } from '../core/errors.ts'
import { withFailpoints } from '../core/failpoint.ts'
import { newId } from '../core/ids.ts'
import type { FillId, SettlementId, WorkspaceId } from '../core/ids.ts'
import { withIdempotentReplay, timeOf } from '../http/index.ts'
import type { Idempotency } from '../http/index.ts'
import { retryOnStale } from '../ledger/index.ts'
import type { Guard } from '../ledger/index.ts'
import { constraintOf } from '../store/db.ts'
import { sql } from '../store/sql.ts'
import type { Query } from '../store/sql.ts'
import { fillsByIds, fillsClaimedBy, moveFills, unsettledFills } from '../trading/index.ts'
import type { Fill } from '../trading/index.ts'
import { arrivalGuard, expectedArrival } from '../treasury/index.ts'
import { netsInBooks } from './nets.ts'
import { commitSettlement, partGuard, settlementEvent, settlementRow, updatePart } from './rows.ts'
import type { PartRow, SettlementRow, SettlementsApp } from './rows.ts'
import { MAXIMUM_FILLS } from './settlements.schema.ts'
import type {
  CancelSettlementBody,
  ChangeFillsBody,
  CreateSettlementBody,
  Settlement,
} from './settlements.schema.ts'

const MAXIMUM_ATTEMPTS = 20

/**
 * Claims every fill in the range that nobody settles yet. Refused: FORMAT, RANGE (no range, or
 * nothing in it), ABOVE_MAXIMUM.
 */
export function createSettlement(
  app: SettlementsApp,
  workspace: WorkspaceId,
  body: CreateSettlementBody,
  by: string,
  idempotency: Idempotency | undefined,
): Promise<Settlement> {
  return withIdempotentReplay(app, workspace, idempotency, () =>
    retryOnClaim(() => claimRange(app, workspace, body, by, idempotency)),
  )
}

/** Somebody else had a fill first: chosen anew from what is left. */
async function retryOnClaim<T>(attempt: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await attempt()
    } catch (error) {
      if (constraintOf(error) !== 'settlement_fills_live' || tries >= MAXIMUM_ATTEMPTS) throw error
    }
  }
}

async function claimRange(
  app: SettlementsApp,
  workspace: WorkspaceId,
  body: CreateSettlementBody,
  by: string,
  idempotency: Idempotency | undefined,
): Promise<Settlement> {
  const [from, to] = [
    readTime(body.timerange_from, 'timerange_from'),
    readTime(body.timerange_to, 'timerange_to'),
  ]
  if (from >= to) throw refuse('RANGE', 'timerange_to', 'timerange_to is after timerange_from')
  const fills = await unsettledFills(app.db, workspace, { from, to, limit: MAXIMUM_FILLS + 1 })
  if (fills.length === 0)
    throw refuse(
      'RANGE',
      'timerange_from',
      'no unsettled fill of a venue that settles after the trade lies in this range',
    )
  if (fills.length > MAXIMUM_FILLS)
    throw refuse(
      'ABOVE_MAXIMUM',
      'timerange_to',
      `more than ${MAXIMUM_FILLS} fills lie in this range: settle a shorter one`,
    )
  const now = app.clock.now()
  const id = newId(now)
  const settlement: Settlement = {
    id,
    workspace,
    state: 'PREPARING',
    timerange_from: from,
    timerange_to: to,
    nets: await netsInBooks(app.db, workspace, fills),
    parts: [],
    reason: null,
    completed_at: null,
    system_created_at: now,
    system_created_by: by,
    system_updated_at: now,
    system_updated_by: by,
    version: 1,
  }
  const ids = fills.map((fill) => fill.id)
  const committed = await withFailpoints('settlement.create', id, () =>
    app.lane.commit({
      workspace,
      class: 'command',
      by,
      rows: [
        sql`
          insert into settlements (
            workspace, id, state, timerange_from, timerange_to, nets, system_created_at,
            system_created_by, system_updated_at, system_updated_by
          )
          values (
            ${workspace}, ${id}, 'PREPARING', ${from}, ${to},
            ${JSON.stringify(settlement.nets)}::jsonb, ${now}, ${by}, ${now}, ${by}
          )`,
        claimFills(workspace, id, ids),
        moveFills(workspace, ids, { settlement_id: id, state: 'IN_SETTLEMENT' }, { by, now }),
      ],
      events: [
        settlementEvent('created', settlement, {
          timerange_from: from,
          timerange_to: to,
          fills: ids.length,
        }),
      ],
      ...(idempotency === undefined
        ? {}
        : { idempotency: { ...idempotency, reply: { data: settlement } } }),
    }),
  )
  return committed.verdict === 'replayed' && 'data' in committed.reply
    ? (committed.reply.data as Settlement)
    : settlement
}

function readTime(given: number | string, path: string): number {
  const time = timeOf(String(given))
  if (time === undefined)
    throw refuse(
      'FORMAT',
      path,
      `${path} is not a time: give ISO 8601 or an integer of 10 (s), 13 (ms), 16 (µs) or 19 (ns) digits`,
    )
  return time
}

const claimFills = (
  workspace: WorkspaceId,
  id: SettlementId,
  fills: readonly FillId[],
): Query => sql`
  insert into settlement_fills (workspace, settlement_id, fill_id, live)
  select ${workspace}::uuid, ${id}::uuid, unnest(${fills}::uuid[]), true
  on conflict (workspace, settlement_id, fill_id) do update
  set live = true`

const releaseFills = (
  workspace: WorkspaceId,
  id: SettlementId,
  fills: readonly FillId[],
): Query => sql`
  update settlement_fills
  set live = false
  where workspace = ${workspace}
    and settlement_id = ${id}
    and fill_id = any(${fills}::uuid[])`

/**
 * While PREPARING. Refused: STATE_NOT_ALLOWED, CONFLICT (another settlement holds it, it is outside
 * of the range, or not held), STALE_VERSION; 4004.
 */
export function changeFills(
  app: SettlementsApp,
  workspace: WorkspaceId,
  id: SettlementId,
  body: ChangeFillsBody,
  by: string,
  idempotency: Idempotency | undefined,
): Promise<Settlement> {
  return withIdempotentReplay(app, workspace, idempotency, () =>
    retryOnClaim(() =>
      retryOnStale(async () => {
        const before = await settlementRow(app.db, workspace, id)
        assertVersion(before, body.version)
        if (before.state !== 'PREPARING')
          throw refuse(
            'STATE_NOT_ALLOWED',
            '',
            `settlement ${id} is ${before.state}: fills are taken in and left out while it is PREPARING`,
          )
        const [take, leave] = [[...new Set(body.take)], [...new Set(body.leave)]]
        const fills = new Map(
          (await fillsByIds(app.db, workspace, [...take, ...leave])).map((fill) => [fill.id, fill]),
        )
        take.forEach((fill_id, index) => {
          assertFree(before, fills.get(fill_id), fill_id, `take[${index}]`)
        })
        leave.forEach((fill_id, index) => {
          assertHeld(before, fills.get(fill_id), fill_id, `leave[${index}]`)
        })
        const left = new Set(leave)
        const held = [
          ...(await fillsClaimedBy(app.db, workspace, id)),
          ...take
            .map((fill_id) => fills.get(fill_id) as Fill)
            .filter((fill) => fill.settlement_id === null),
        ].filter((fill) => !left.has(fill.id))
        if (held.length > MAXIMUM_FILLS)
          throw refuse('ABOVE_MAXIMUM', 'take', `a settlement holds at most ${MAXIMUM_FILLS} fills`)
        const after: SettlementRow = { ...before, nets: await netsInBooks(app.db, workspace, held) }
        const now = app.clock.now()
        return commitSettlement(
          app,
          'fills',
          before,
          after,
          {
            class: 'command',
            rows: [
              claimFills(workspace, id, take),
              moveFills(
                workspace,
                take,
                { settlement_id: id, state: 'IN_SETTLEMENT' },
                { by, now },
              ),
              releaseFills(workspace, id, leave),
              moveFills(workspace, leave, { settlement_id: null, state: 'UNSETTLED' }, { by, now }),
            ],
            events: [settlementEvent('changed', after, { fills: held.length })],
          },
          by,
          idempotency,
        )
      }),
    ),
  )
}

export function assertVersion(
  { id, version }: Pick<Settlement, 'id' | 'version'>,
  given: number | undefined,
): void {
  if (given !== undefined && given !== version)
    throw refuse(
      'STALE_VERSION',
      'version',
      `settlement ${id} has version ${version}, not ${given}`,
    )
}

function assertFree(
  settlement: SettlementRow,
  fill: Fill | undefined,
  fill_id: FillId,
  path: string,
): void {
  if (fill === undefined) throw refuse('NOT_FOUND', path, `fill ${fill_id} does not exist`)
  if (fill.settlement_state === 'SETTLED')
    throw refuse('CONFLICT', path, `fill ${fill_id} is settled`)
  if (fill.settlement_id !== null && fill.settlement_id !== settlement.id)
    throw refuse('CONFLICT', path, `settlement ${fill.settlement_id} holds fill ${fill_id}`)
  if (fill.busted)
    throw refuse(
      'CONFLICT',
      path,
      `the venue took fill ${fill_id} back: there is nothing to settle`,
    )
  if (fill.executed_at < settlement.timerange_from || fill.executed_at >= settlement.timerange_to)
    throw refuse('CONFLICT', path, `fill ${fill_id} lies outside of the settlement's range`)
}

function assertHeld(
  settlement: SettlementRow,
  fill: Fill | undefined,
  fill_id: FillId,
  path: string,
): void {
  if (fill?.settlement_id !== settlement.id)
    throw refuse(
      fill === undefined ? 'NOT_FOUND' : 'CONFLICT',
      path,
      fill === undefined
        ? `fill ${fill_id} does not exist`
        : `settlement ${settlement.id} does not hold fill ${fill_id}`,
    )
}

/** Its fills are free again. Refused: STATE_NOT_ALLOWED once a part has moved or may have left. */
export function cancelSettlement(
  app: SettlementsApp,
  workspace: WorkspaceId,
  id: SettlementId,
  { reason }: CancelSettlementBody,
  by: string,
  idempotency: Idempotency | undefined,
): Promise<Settlement> {
  return withIdempotentReplay(app, workspace, idempotency, () =>
    retryOnStale(async () => {
      const before = await settlementRow(app.db, workspace, id)
      const begun = before.parts.find(
        (part) =>
          part.state === 'SUCCESS' ||
          part.state === 'CONFIRMED_MANUALLY' ||
          (part.state === 'INITIATED' && part.direction === 'OUTGOING'),
      )
      if (before.state === 'SETTLED' || before.state === 'CANCELED' || begun !== undefined) {
        throw refuse(
          'STATE_NOT_ALLOWED',
          '',
          `settlement ${id} is ${before.state}${begun === undefined ? '' : ` and its part of ${begun.quantity} ${begun.asset} is ${begun.state}`}: only what has not moved is canceled`,
        )
      }
      const guards: Guard[] = []
      const dropped: PartRow[] = []
      for (const part of before.parts.filter((part) => part.state === 'INITIATED')) {
        const arrival = await expectedArrival(app.db, workspace, part.id)
        if (arrival?.state !== 'EXPECTED')
          throw refuse(
            'STATE_NOT_ALLOWED',
            '',
            `the part of ${part.quantity} ${part.asset} has arrived`,
          )
        guards.push(arrivalGuard(arrival, 'DROPPED'), partGuard(part, 'FAILED'))
        dropped.push({
          ...part,
          state: 'FAILED',
          arrival: 'DROPPED',
          reason: 'the settlement was canceled',
        })
      }
      const now = app.clock.now()
      const after: SettlementRow = {
        ...before,
        state: 'CANCELED',
        reason: reason ?? null,
        completed_at: now,
        parts: before.parts.map((part) => dropped.find((each) => each.id === part.id) ?? part),
      }
      const fills = (await fillsClaimedBy(app.db, workspace, id)).map((fill) => fill.id)
      return commitSettlement(
        app,
        'cancel',
        before,
        after,
        {
          class: 'command',
          guards,
          rows: [
            releaseFills(workspace, id, fills),
            moveFills(workspace, fills, { settlement_id: null, state: 'UNSETTLED' }, { by, now }),
            ...dropped.map((part) => updatePart(before, part)),
          ],
          events: [settlementEvent('canceled', after, { reason: after.reason })],
        },
        by,
        idempotency,
      )
    }),
  )
}
