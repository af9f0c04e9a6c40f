/**
 * The parts of a settlement on their way. An outgoing part and its withdrawal are made in one
 * commit, an incoming part and the expectation of its deposit too; what became of them is looked up
 * by a task, until none is under way. The last part to move settles the fills in the same commit.
 */
import { isDeepStrictEqual } from 'node:util'
import { mustExist } from '../core/assert.ts'
import { decimal, sum } from '../core/decimal.ts'
import type { Decimal } from '../core/decimal.ts'
import { ApiError, notFound, refuse } from '../core/errors.ts'
import type { PartId, SettlementId, VenueId, WorkspaceId } from '../core/ids.ts'
import { withIdempotentReplay } from '../http/index.ts'
import type { Idempotency } from '../http/index.ts'
import { assertNotHalted, houseAccounts, retryOnStale, venueAccounts } from '../ledger/index.ts'
import type { HaltScope, Change, EventDraft, Guard, LedgerStep } from '../ledger/index.ts'
import type { Reader } from '../store/db.ts'
import type { Query } from '../store/sql.ts'
import type { TaskHandler } from '../store/tasks.ts'
import { fillsClaimedBy, moveFills, releaseCredits } from '../trading/index.ts'
import {
  arrivalGuard,
  assignToSettlement,
  creditInstead,
  expectArrival,
  expectedArrival,
  transferOutcome,
  routeById,
  withdrawalDraft,
} from '../treasury/index.ts'
import { venueById } from '../venues/index.ts'
import { bookDepositOfPart, bookOutgoingPart, bookRounding, bookIncomingPart } from './bookings.ts'
import type { SettlingAccounts } from './bookings.ts'
import { assertRouteFits } from './coverage.ts'
import { netsInBooks } from './nets.ts'
import {
  commitSettlement,
  partGuard,
  SETTLEMENT_TASK,
  settlementEvent,
  settlementRow,
  updatePart,
} from './rows.ts'
import type { PartRow, SettlementRow, SettlementsApp } from './rows.ts'
import { stateOfParts } from './settlements.schema.ts'
import type { ConfirmPartBody, InitiateSettlementBody, Settlement } from './settlements.schema.ts'

const WORKER = 'settlements'
const LOOK_AGAIN_MILLISECONDS = 2_000

type Draft = {
  guards: Guard[]
  ledger: LedgerStep[]
  rows: Query[]
  events: EventDraft[]
  tasks: NonNullable<Change['tasks']>
  halts: HaltScope[]
  parts: Map<string, PartRow>
}
const emptyDraft = (): Draft => ({
  guards: [],
  ledger: [],
  rows: [],
  events: [],
  tasks: [],
  halts: [],
  parts: new Map(),
})

/**
 * In READY, or again after a part failed. Refused: CONFLICT (a fill was taken back since it was
 * covered), STATE_NOT_ALLOWED (also for a part under way: its outcome comes first), REQUIRED (no
 * route), and as any withdrawal.
 */
export function initiateSettlement(
  app: SettlementsApp,
  workspace: WorkspaceId,
  id: SettlementId,
  { part_ids }: InitiateSettlementBody,
  by: string,
  idempotency: Idempotency | undefined,
): Promise<Settlement> {
  return withIdempotentReplay(app, workspace, idempotency, () =>
    retryOnStale(async () => {
      const before = await settlementRow(app.db, workspace, id)
      if (before.state === 'PREPARING' || before.state === 'SETTLED' || before.state === 'CANCELED')
        throw refuse(
          'STATE_NOT_ALLOWED',
          '',
          `settlement ${id} is ${before.state}: parts are initiated once they cover it, until it has ended`,
        )
      const chosen =
        part_ids === undefined
          ? before.parts.filter((part) => isIdle(part) && part.route_id !== null)
          : part_ids.map((part_id, index) => findIdlePart(before, part_id, `part_ids[${index}]`))
      if (
        before.state === 'READY' &&
        !isDeepStrictEqual(
          await netsInBooks(app.db, workspace, await fillsClaimedBy(app.db, workspace, id)),
          before.nets,
        )
      ) {
        throw refuse(
          'CONFLICT',
          '',
          `a fill of settlement ${id} was taken back by its venue since it was covered: cover it anew`,
        )
      }
      // In READY nothing has begun: parts without a route, all that there are, then wait for
      // somebody who confirms them.
      if (chosen.length === 0 && before.state !== 'READY')
        throw refuse(
          'STATE_NOT_ALLOWED',
          '',
          `settlement ${id} has no part that can be initiated: each has moved, is under way, or has no route`,
        )
      const draft = emptyDraft()
      for (const part of new Set(chosen))
        await namePartInRefusal(part, () => initiatePart(app, before, part, by, draft))
      const after = applyDraft(
        before,
        draft,
        before.parts.length === 0 ? 'TRANSFERRING' : undefined,
      )
      return commitSettlement(
        app,
        'initiate',
        before,
        after,
        {
          class: 'command',
          guards: draft.guards,
          ledger: draft.ledger,
          rows: draft.rows,
          ...haltScope(draft.halts),
          events: [
            settlementEvent('initiated', after, { part_ids: chosen.map((part) => part.id) }),
            ...draft.events,
          ],
          tasks: [
            ...draft.tasks,
            { kind: SETTLEMENT_TASK, subject_id: id, due_at: app.clock.now() },
          ],
        },
        by,
        idempotency,
      )
    }),
  )
}

const isIdle = (part: PartRow): boolean => part.state === 'OPEN' || part.state === 'FAILED'

function findIdlePart(settlement: SettlementRow, part_id: PartId, path: string): PartRow {
  const part = settlement.parts.find((part) => part.id === part_id)
  if (part === undefined) throw notFound('part', part_id, path)
  if (!isIdle(part))
    throw refuse(
      'STATE_NOT_ALLOWED',
      path,
      `part ${part_id} is ${part.state}: only an OPEN or FAILED one is initiated`,
    )
  return part
}

/** A refusal says which part it is about. */
async function namePartInRefusal(part: PartRow, work: () => Promise<void>): Promise<void> {
  try {
    await work()
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    const message = `part of ${part.quantity} ${part.asset}: ${error.message}`
    throw new ApiError(
      error.kind,
      message,
      error.details.map((errorDetail) => ({
        ...errorDetail,
        path: 'part_ids',
        message: `part ${part.id}: ${errorDetail.message}`,
      })),
      error.retryAfter,
    )
  }
}

function haltScope(halts: readonly HaltScope[]): Pick<Change, 'halt'> {
  if (halts.length === 0) return {}
  return {
    halt: {
      action: 'WITHDRAWALS',
      venue_ids: [...new Set(halts.flatMap((halt) => halt.venue_ids))],
      assets: [...new Set(halts.flatMap((halt) => halt.assets))],
    },
  }
}

async function initiatePart(
  app: SettlementsApp,
  { workspace, id }: SettlementRow,
  part: PartRow,
  by: string,
  draft: Draft,
): Promise<void> {
  if (part.route_id === null)
    throw refuse(
      'REQUIRED',
      'part_ids',
      'it has no route: cover the settlement anew, or confirm it by hand',
    )
  const route = await routeById(app.db, workspace, part.route_id)
  assertRouteFits(route, part, 'part_ids')
  const now = app.clock.now()
  const begun: PartRow = { ...part, state: 'INITIATED', reason: null, initiated_at: now }
  draft.guards.push(partGuard(part, 'INITIATED'))
  if (part.direction === 'OUTGOING') {
    const { withdrawal, change } = await withdrawalDraft({ by }, app, route, {
      quantity: part.quantity,
      speed_level: 'DEFAULT',
      note: `Settlement ${id}`,
      source: { origin: 'SETTLEMENT', job_id: null, job_run_id: null, settlement_id: id },
    })
    begun.withdrawal_id = withdrawal.id
    draft.ledger.push(...(change.ledger ?? []))
    draft.rows.push(...(change.rows ?? []))
    draft.events.push(...(change.events ?? []))
    draft.tasks.push(...(change.tasks ?? []))
    if (change.halt !== undefined) draft.halts.push(change.halt)
  } else {
    begun.arrival = 'EXPECTED'
    const receiver = await venueById(
      app.db,
      workspace,
      mustExist(route.to_wallet.venue_id, 'an incoming part reaches a venue of ours'),
    )
    const { TRADING } = await venueAccounts(app.db, workspace, part.venue_id)
    draft.rows.push(
      expectArrival(
        {
          id: part.id,
          workspace,
          wallet_id: route.to_wallet_id,
          asset: part.asset,
          quantity: decimal(part.quantity),
          source_address:
            receiver.kind === 'BANK' && route.from_wallet.address !== ''
              ? route.from_wallet.address
              : null,
          counter_account_id: TRADING,
          settlement_id: id,
          expected_since: now,
        },
        by,
      ),
    )
  }
  addPart(draft, { workspace }, begun)
}

function addPart(draft: Draft, settlement: Pick<SettlementRow, 'workspace'>, part: PartRow): void {
  draft.rows.push(updatePart(settlement, part))
  draft.parts.set(part.id, part)
}

function applyDraft(before: SettlementRow, draft: Draft, state?: 'TRANSFERRING'): SettlementRow {
  const parts = before.parts.map((part) => draft.parts.get(part.id) ?? part)
  return { ...before, parts, state: state ?? stateOfParts(parts) }
}

/** Subject: the settlement. Comes back while a part is under way. */
export const settlementTask =
  (app: SettlementsApp): TaskHandler =>
  ({ workspace, subject_id }) =>
    retryOnStale(async () => {
      const before = await settlementRow(app.db, workspace, subject_id)
      if (before.state === 'SETTLED' || before.state === 'CANCELED') return 'done'
      const draft = emptyDraft()
      for (const part of before.parts.filter((part) => part.state === 'INITIATED'))
        await followPart(app, before, part, draft)
      const after = applyDraft(before, draft)
      if (draft.parts.size > 0 || after.state !== before.state)
        await commitProgress(app, 'progress', before, after, draft, { class: 'fact' }, WORKER)
      return after.parts.some((part) => part.state === 'INITIATED')
        ? { again_at: app.clock.now() + LOOK_AGAIN_MILLISECONDS }
        : 'done'
    })

async function followPart(
  app: SettlementsApp,
  settlement: SettlementRow,
  part: PartRow,
  draft: Draft,
): Promise<void> {
  const { workspace, id } = settlement
  const completed_at = app.clock.now()
  if (part.direction === 'INCOMING') {
    const arrival = await expectedArrival(app.db, workspace, part.id)
    if (arrival?.state !== 'ARRIVED') return
    draft.guards.push(partGuard(part, 'SUCCESS'), arrivalGuard(arrival))
    return addPart(draft, settlement, {
      ...part,
      state: 'SUCCESS',
      deposit_id: arrival.deposit_id,
      arrival: arrival.state,
      completed_at,
    })
  }
  const outcome = await transferOutcome(
    app.db,
    workspace,
    mustExist(part.withdrawal_id, 'an outgoing part under way has its withdrawal'),
    part.venue_id,
  )
  if (outcome.outcome === 'under way') return
  if (outcome.outcome === 'failed') {
    draft.guards.push(partGuard(part, 'FAILED'))
    return addPart(draft, settlement, {
      ...part,
      state: 'FAILED',
      reason: outcome.reason.slice(0, 500),
    })
  }
  draft.guards.push(partGuard(part, 'SUCCESS'))
  draft.ledger.push(
    bookOutgoingPart(
      await settlingAccounts(app.db, workspace, part.venue_id),
      id,
      part.asset,
      decimal(part.quantity),
    ),
  )
  addPart(draft, settlement, {
    ...part,
    state: 'SUCCESS',
    deposit_id: outcome.deposit_id,
    completed_at,
  })
}

/**
 * Somebody knows that it has moved. What it books lies with the venue until the money itself is
 * seen: an outgoing payment still on its way, or a deposit still to come, then moves it from there.
 * Refused: STATE_NOT_ALLOWED; CONFLICT while a withdrawal's outcome decides.
 */
export function confirmPart(
  app: SettlementsApp,
  workspace: WorkspaceId,
  id: SettlementId,
  part_id: PartId,
  body: ConfirmPartBody,
  by: string,
  idempotency: Idempotency | undefined,
): Promise<Settlement> {
  return withIdempotentReplay(app, workspace, idempotency, () =>
    retryOnStale(async () => {
      const before = await settlementRow(app.db, workspace, id)
      const part = before.parts.find((part) => part.id === part_id)
      if (part === undefined) throw notFound('part', part_id, 'part_id')
      const begun =
        before.state === 'TRANSFERRING' ||
        before.state === 'PARTIALLY_SETTLED' ||
        before.state === 'FAILED'
      if (!begun || part.state === 'SUCCESS' || part.state === 'CONFIRMED_MANUALLY')
        throw refuse(
          'STATE_NOT_ALLOWED',
          '',
          `settlement ${id} is ${before.state} and its part ${part_id} is ${part.state}`,
        )
      await assertNotHalted(app.db, workspace, {
        action: 'WITHDRAWALS',
        venue_ids: [part.venue_id],
        assets: [part.asset],
      })
      const draft = emptyDraft()
      draft.guards.push(partGuard(part, 'CONFIRMED_MANUALLY'))
      if (part.direction === 'OUTGOING') await confirmOutgoing(app, before, part, body, draft)
      else await confirmIncoming(app, before, part, body, draft)
      addPart(draft, before, {
        ...part,
        state: 'CONFIRMED_MANUALLY',
        note: body.note,
        confirmed_by: by,
        deposit_id: body.deposit_id ?? part.deposit_id,
        arrival:
          part.arrival === 'EXPECTED' && body.deposit_id !== undefined ? 'ARRIVED' : part.arrival,
        completed_at: app.clock.now(),
      })
      return commitProgress(
        app,
        'confirm',
        before,
        applyDraft(before, draft),
        draft,
        { class: 'command', note: body.note },
        by,
        idempotency,
      )
    }),
  )
}

async function confirmOutgoing(
  app: SettlementsApp,
  { workspace, id }: SettlementRow,
  part: PartRow,
  body: ConfirmPartBody,
  draft: Draft,
): Promise<void> {
  if (body.deposit_id !== undefined)
    throw refuse(
      'CONFLICT',
      'deposit_id',
      'the part is OUTGOING: no deposit of ours is its payment',
    )
  if (part.state === 'INITIATED') {
    const outcome = await transferOutcome(
      app.db,
      workspace,
      mustExist(part.withdrawal_id, 'an outgoing part under way has its withdrawal'),
      part.venue_id,
    )
    if (outcome.outcome !== 'under way' || !outcome.left)
      throw refuse(
        'CONFLICT',
        '',
        `withdrawal ${part.withdrawal_id} ${outcome.outcome === 'under way' ? 'has not left for certain' : 'has ended'}: its outcome decides`,
      )
  }
  draft.ledger.push(
    bookOutgoingPart(
      await settlingAccounts(app.db, workspace, part.venue_id),
      id,
      part.asset,
      decimal(part.quantity),
      body.note,
    ),
  )
}

async function confirmIncoming(
  app: SettlementsApp,
  { workspace, id }: SettlementRow,
  part: PartRow,
  body: ConfirmPartBody,
  draft: Draft,
): Promise<void> {
  const accounts = await settlingAccounts(app.db, workspace, part.venue_id)
  const arrival = await expectedArrival(app.db, workspace, part.id)
  if (arrival?.state === 'ARRIVED')
    throw refuse(
      'CONFLICT',
      '',
      `deposit ${arrival.deposit_id} is its payment: it is being settled`,
    )
  let rest = decimal(part.quantity)
  if (body.deposit_id !== undefined) {
    const found = await assignToSettlement(app, workspace, body.deposit_id, {
      settlement_id: id,
      asset: part.asset,
      most: rest,
      arrival,
    })
    draft.guards.push(...found.guards)
    draft.rows.push(...found.rows)
    draft.events.push(...found.events)
    draft.ledger.push(
      bookDepositOfPart(accounts, body.deposit_id, part.asset, found.quantity, body.note),
    )
    rest -= found.quantity
  } else if (arrival?.state === 'EXPECTED') {
    draft.guards.push(arrivalGuard(arrival))
    draft.rows.push(creditInstead(arrival, accounts.VENUE))
  }
  if (rest > 0n) draft.ledger.push(bookIncomingPart(accounts, id, part.asset, rest, body.note))
}

async function commitProgress(
  app: SettlementsApp,
  name: string,
  before: SettlementRow,
  moved: SettlementRow,
  draft: Draft,
  how: Pick<Change, 'class'> & { note?: string },
  by: string,
  idempotency?: Idempotency,
): Promise<Settlement> {
  const ended = moved.state === 'SETTLED'
  const after: SettlementRow = ended ? { ...moved, completed_at: app.clock.now() } : moved
  const completion = ended
    ? await completeSettlement(app, after, by)
    : { ledger: [], guards: [], rows: [] }
  const told = [...draft.parts.values()].map((part) =>
    settlementEvent(part.state === 'FAILED' ? 'part_failed' : 'part_settled', after, {
      part_id: part.id,
      part_state: part.state,
      venue_id: part.venue_id,
      asset: part.asset,
      quantity: part.quantity,
      direction: part.direction,
      withdrawal_id: part.withdrawal_id,
      deposit_id: part.deposit_id,
      reason: part.reason,
      note: part.note,
    }),
  )
  const turned =
    after.state === before.state
      ? []
      : ended
        ? [settlementEvent('settled', after)]
        : after.state === 'FAILED'
          ? [settlementEvent('failed', after)]
          : []
  return commitSettlement(
    app,
    name,
    before,
    after,
    {
      class: how.class,
      guards: [...draft.guards, ...completion.guards],
      ledger: [...draft.ledger, ...completion.ledger],
      rows: [...draft.rows, ...completion.rows],
      events: [...draft.events, ...told, ...turned],
    },
    by,
    idempotency,
  )
}

/** TRADING ends at 0 for these fills, and what customers got by them is theirs to withdraw. */
async function completeSettlement(
  app: SettlementsApp,
  settlement: SettlementRow,
  by: string,
): Promise<{ ledger: LedgerStep[]; guards: Guard[]; rows: Query[] }> {
  const { workspace, id, nets, parts } = settlement
  const fills = await fillsClaimedBy(app.db, workspace, id)
  const ledger: LedgerStep[] = []
  for (const net of nets) {
    const moved = sum(
      parts
        .filter((part) => part.venue_id === net.venue_id && part.asset === net.asset)
        .map((part) => decimal(part.quantity)),
    )
    const left: Decimal = decimal(net.quantity) - moved
    ledger.push(
      ...bookRounding(
        await settlingAccounts(app.db, workspace, net.venue_id),
        id,
        net.asset,
        net.direction === 'OUTGOING' ? left : -left,
      ),
    )
  }
  const freed = await releaseCredits(app.db, workspace, fills)
  return {
    ledger: [...ledger, ...freed.ledger],
    guards: freed.guards,
    rows: [
      moveFills(
        workspace,
        fills.map((fill) => fill.id),
        { settlement_id: id, state: 'SETTLED' },
        { by, now: app.clock.now() },
      ),
    ],
  }
}

async function settlingAccounts(
  reader: Reader,
  workspace: WorkspaceId,
  venue_id: VenueId,
): Promise<SettlingAccounts> {
  return {
    ...(await houseAccounts(reader, workspace)),
    ...(await venueAccounts(reader, workspace, venue_id)),
  }
}
