/**
 * Money that arrives at a venue: read from where the last reading ended, and stored together with
 * how far it was read, in one change. A repeated sight changes nothing. What is final is then
 * settled by a task of its own (deposit-settling.ts).
 */
import { assert } from '../../core/assert.ts'
import { format, round } from '../../core/decimal.ts'
import type { Decimal } from '../../core/decimal.ts'
import { withFailpoints } from '../../core/failpoint.ts'
import { idAt } from '../../core/ids.ts'
import type { WorkspaceId } from '../../core/ids.ts'
import { assertMove } from '../../core/moves.ts'
import { assetsOf, bookingsOf, venueAccounts } from '../../ledger/index.ts'
import type {
  Asset,
  Change,
  EventDraft,
  Guard,
  LedgerStep,
  TaskOfChange,
} from '../../ledger/index.ts'
import { only } from '../../store/db.ts'
import type { Reader } from '../../store/db.ts'
import { sql } from '../../store/sql.ts'
import type { Query } from '../../store/sql.ts'
import { nextPollAt } from '../../store/tasks.ts'
import type { TaskHandler } from '../../store/tasks.ts'
import { isUnreachable, venueById } from '../../venues/index.ts'
import type { Incoming, VenueRecord } from '../../venues/index.ts'
import { assignmentsOf } from '../assignments/rows.ts'
import { bookReversals } from '../bookings.ts'
import { depositEvent, insertDeposit, knownDeposits } from '../deposits/rows.ts'
import type { DepositRow } from '../deposits/rows.ts'
import { liveSum } from '../assignments/assignments.schema.ts'
import { DEPOSIT_MOVES } from '../deposits/deposits.schema.ts'
import { arrivalGuard, arrivalOfDeposit } from '../deposits/expected-arrivals.ts'
import { openingStatusOf, earlierIncomingChange, openingReversal } from '../opening/opening.ts'
import { SETTLE_TASK } from '../tasks.ts'
import type { TreasuryApp } from '../app.ts'
import { updateWalletPosition } from '../wallets/positions.ts'
import { walletByVenueLocator } from '../wallets/wallets.ts'
import { pollOutgoing } from './outgoing.ts'

export const POLL_MILLISECONDS = 10_000
const WORKER = 'treasury'

type PollDraft = {
  guards: Guard[]
  ledger: LedgerStep[]
  rows: Query[]
  events: EventDraft[]
  tasks: TaskOfChange[]
}
type PollContext = {
  app: TreasuryApp
  workspace: WorkspaceId
  venue: VenueRecord
  service_id: string
  assets: ReadonlyMap<string, Asset>
  now: number
  asked_at: number
}

/**
 * Subject: the venue, from its connection on. Comes back every ten seconds; a push only makes it
 * due earlier.
 */
export const pollTask =
  (app: TreasuryApp): TaskHandler =>
  async ({ workspace, subject_id }) => {
    const again = { again_at: nextPollAt({ subject_id }, app.clock.now(), POLL_MILLISECONDS) }
    try {
      if ((await venueById(app.db, workspace, subject_id)).state === 'DISABLED') return 'done'
      // What left first: an own transfer is known when it arrives. Trouble with it does not keep
      // deposits waiting.
      const trouble = await pollOutgoing(app, workspace, subject_id).then(
        () => undefined,
        (error: unknown) => ({ error }),
      )
      await pollVenue(app, workspace, subject_id)
      if (trouble !== undefined) throw trouble.error
      return again
    } catch (error) {
      // The venue's own state tells that it is down; the next reading continues where this one
      // began.
      if (isUnreachable(error)) return again
      throw error
    }
  }

/** Reads what is new at the venue and stores it. Answers how many movements it showed. */
async function pollVenue(
  app: TreasuryApp,
  workspace: WorkspaceId,
  venue_id: string,
): Promise<number> {
  const { venue, adapter } = await app.venues.connected(workspace, venue_id)
  const service = venue.services.find((service) => service.type === 'WOMS')
  if (adapter.transfers === undefined || service === undefined) return 0
  const from = await cursorOf(app.db, workspace, venue_id)
  const { transfers } = adapter
  const asked_at = app.clock.now()
  const { movements, cursor } = await withFailpoints('deposit.read', venue_id, () =>
    transfers.incoming(from),
  )
  const store = sql`
    insert into incoming_cursors (workspace, venue_id, cursor, system_updated_at)
    values (${workspace}, ${venue_id}, ${cursor}, ${app.clock.now()})
    on conflict (workspace, venue_id) do update set cursor = excluded.cursor,
      system_updated_at = excluded.system_updated_at`
  // What is not open yet is read again from the same place: then it is known whether the opening
  // balance contains it.
  const draft = await pollDraft(
    {
      app,
      workspace,
      venue,
      service_id: service.id,
      assets: await assetsOf(app.db, workspace),
      now: app.clock.now(),
      asked_at,
    },
    movements,
  )
  if (draft === 'not open') return 0
  if (draft.rows.length > 0 || draft.guards.length > 0) {
    const change: Change = {
      workspace,
      class: 'fact',
      by: WORKER,
      ...draft,
      rows: [...draft.rows, store],
    }
    await withFailpoints('deposit.store', venue_id, () => app.lane.commit(change))
  } else if (cursor !== from) {
    await app.db.query(store)
  }
  return movements.length
}

async function cursorOf(
  reader: Reader,
  workspace: WorkspaceId,
  venue_id: string,
): Promise<string | null> {
  return (
    only(
      await reader.query<{ cursor: string | null }>(
        sql`
          select cursor
          from incoming_cursors
          where workspace = ${workspace}
            and venue_id = ${venue_id}`,
      ),
    )?.cursor ?? null
  )
}

async function pollDraft(
  context: PollContext,
  movements: readonly Incoming[],
): Promise<PollDraft | 'not open'> {
  const { app, workspace, service_id } = context
  const draft: PollDraft = { guards: [], ledger: [], rows: [], events: [], tasks: [] }
  // Of several sights of one movement the last counts.
  const last = new Map(movements.map((movement) => [movement.foreign_id, movement]))
  const ids = [...last.keys()]
  const known = await knownDeposits(app.db, workspace, service_id, ids)
  for (const movement of last.values()) {
    const row = known.get(movement.foreign_id)
    if (row !== undefined) await addDepositChange(context, draft, row, movement)
    else if (!(await addNewDeposit(context, draft, movement))) return 'not open'
  }
  return draft
}

/** False while the venue's opening balance of this asset is not booked yet. */
async function addNewDeposit(
  { app, workspace, venue, service_id, assets, now }: PollContext,
  draft: PollDraft,
  movement: Incoming,
): Promise<boolean> {
  if (movement.state === 'FAILED' || movement.state === 'REVERSED') {
    // What failed before it was ever seen has moved nothing, unless the opening balance contains
    // it.
    const reversal = await openingReversal(app.db, venue, movement.foreign_id, movement.wallet)
    draft.ledger.push(...(reversal?.ledger ?? []))
    draft.rows.push(...(reversal?.rows ?? []))
    draft.events.push(...(reversal?.events ?? []))
    return true
  }
  // An asset that is not configured is not in the books at all.
  if (movement.quantity <= 0n || !assets.has(movement.asset)) return true
  const wallet = await walletByVenueLocator(
    app.db,
    workspace,
    venue.id,
    movement.wallet,
    movement.asset,
    movement.protocol,
    movement.destination_address,
    movement.tag,
  )
  const integration = await openingStatusOf(app.db, workspace, venue.id, wallet, movement)
  if (integration === 'NOT_OPEN') return false
  if (integration === 'COUNTED') return true
  if (integration === 'OPENING') {
    if (movement.state === 'FINAL') {
      const late = await earlierIncomingChange(app.db, venue, movement)
      draft.ledger.push(...(late.ledger ?? []))
      draft.rows.push(...(late.rows ?? []))
    }
    return true
  }
  const id = idAt(now)
  const final_at = movement.state === 'FINAL' ? now : null
  draft.rows.push(
    insertDeposit({
      workspace,
      id,
      service_id,
      venue_id: venue.id,
      wallet_id: wallet?.id ?? null,
      assignable: assignableOf(assets, movement),
      final_at,
      at: now,
      by: WORKER,
      movement,
    }),
  )
  draft.events.push(
    depositEvent('detected', {
      id,
      state: 'PENDING',
      asset: movement.asset,
      quantity: format(movement.quantity),
      wallet_id: wallet?.id ?? null,
      foreign_id: movement.foreign_id,
      transaction_hash: movement.transaction_hash,
      related_withdrawal_id: null,
    }),
  )
  if (final_at !== null) draft.tasks.push({ kind: SETTLE_TASK, subject_id: id, due_at: now })
  return true
}

/** Accounts are assigned amounts of the asset's scale; what is finer stays with the house. */
function assignableOf(assets: ReadonlyMap<string, Asset>, movement: Incoming): Decimal {
  const scale = assets.get(movement.asset)?.scale
  return scale === undefined ? movement.quantity : round(movement.quantity, scale, 'down')
}

async function addDepositChange(
  context: PollContext,
  draft: PollDraft,
  row: DepositRow,
  movement: Incoming,
): Promise<void> {
  const { assets, now } = context
  const gone = movement.state === 'FAILED' || movement.state === 'REVERSED'
  if (row.state === 'PENDING') {
    if (gone) return addDepositEnd(draft, row, 'FAILED', now)
    if (row.final_at !== null) return
    const final = movement.state === 'FINAL'
    const told = {
      transaction_hash: movement.transaction_hash ?? row.transaction_hash,
      confirmations: movement.confirmations ?? row.confirmations,
      quantity: format(movement.quantity),
    }
    if (
      !final &&
      told.transaction_hash === row.transaction_hash &&
      told.confirmations === row.confirmations &&
      told.quantity === row.quantity
    )
      return
    draft.guards.push(depositGuard(row))
    draft.rows.push(sql`
      update deposits
      set transaction_hash = ${told.transaction_hash}, confirmations = ${told.confirmations},
        quantity = ${told.quantity},
        assignable_quantity = ${format(assignableOf(assets, movement))},
        reference_text = coalesce(${movement.reference_text}, reference_text),
        related_external_id = coalesce(${movement.related_external_id}, related_external_id),
        final_at = ${final ? now : null}
      where workspace = ${row.workspace}
        and id = ${row.id}`)
    if (final) draft.tasks.push({ kind: SETTLE_TASK, subject_id: row.id, due_at: now })
    return
  }
  if (movement.state === 'FINAL' && (await isReinstated(context, row, movement)))
    addReinstatement(context, draft, row, movement)
  else if (gone && row.state !== 'FAILED' && row.state !== 'REVERSED')
    await addReversal(context, draft, row)
}

/**
 * It is there after all: only FINAL says so, since an older word may come late. Of what the venue
 * had taken back it must have been asked after that was stored, and what is assigned must fit into
 * it still: else a person sees a break.
 */
async function isReinstated(
  { app, assets, asked_at }: PollContext,
  row: DepositRow,
  movement: Incoming,
): Promise<boolean> {
  if (row.state !== 'REVERSED') return row.state === 'FAILED'
  return (
    asked_at > row.system_updated_at &&
    liveSum(await assignmentsOf(app.db, row.workspace, { deposit_id: row.id })) <=
      assignableOf(assets, movement)
  )
}

/** Settled like any other; to whom it was assigned it belongs again. */
function addReinstatement(
  { assets, now }: PollContext,
  draft: PollDraft,
  row: DepositRow,
  movement: Incoming,
): void {
  assertMove(DEPOSIT_MOVES, row.state, 'PENDING')
  const quantity = format(movement.quantity)
  draft.guards.push({ ...depositGuard(row), to: 'PENDING' })
  draft.rows.push(sql`
    update deposits
    set transaction_hash = coalesce(${movement.transaction_hash}, transaction_hash),
      confirmations = coalesce(${movement.confirmations}::integer, confirmations),
      quantity = ${quantity}, assignable_quantity = ${format(assignableOf(assets, movement))},
      reference_text = coalesce(${movement.reference_text}, reference_text),
      related_external_id = coalesce(${movement.related_external_id}, related_external_id),
      final_at = ${now}, reason_code = null, reason = null,
      related_withdrawal_id = case when not own_transfer then related_withdrawal_id end,
      own_transfer = false, settlement_id = null
    where workspace = ${row.workspace}
      and id = ${row.id}`)
  draft.events.push(depositEvent('reinstated', { ...row, state: 'PENDING', quantity }))
  draft.tasks.push({ kind: SETTLE_TASK, subject_id: row.id, due_at: now })
}

const depositGuard = (row: DepositRow): Guard => ({
  table: 'deposits',
  resource: 'deposit',
  id: row.id,
  from: [row.state],
  version: row.version,
})

function addDepositEnd(
  draft: PollDraft,
  row: DepositRow,
  to: 'FAILED' | 'REVERSED',
  now: number,
): void {
  assertMove(DEPOSIT_MOVES, row.state, to)
  draft.guards.push({ ...depositGuard(row), to })
  draft.rows.push(
    sql`
      update deposits
      set assigned_quantity = 0, final_at = coalesce(final_at, ${to === 'REVERSED' ? now : null}),
        reason_code = ${to === 'FAILED' ? 'FAILED_AT_VENUE' : 'REVERSED_BY_VENUE'}
      where workspace = ${row.workspace}
        and id = ${row.id}`,
  )
  draft.events.push(
    to === 'FAILED'
      ? depositEvent('failed', { ...row, state: to })
      : depositEvent('reversed', { ...row, state: to }, { alert: true }),
  )
}

/**
 * The venue took a final deposit back: every booking it made is reversed, whatever the accounts
 * hold by now.
 */
async function addReversal(
  { app, now }: PollContext,
  draft: PollDraft,
  row: DepositRow,
): Promise<void> {
  const bookings = await bookingsOf(app.db, row.workspace, row.id)
  assert(bookings.length > 0, `deposit ${row.id} is final and booked`)
  const reversals = bookReversals({ reference_type: 'deposit', reference_id: row.id }, bookings)
  const { VENUE } = await venueAccounts(app.db, row.workspace, row.venue_id)
  draft.ledger.push(...reversals)
  draft.rows.push(
    ...updateWalletPosition(
      {
        workspace: row.workspace,
        venue_id: row.venue_id,
        account_id: VENUE,
        wallet: row.venue_wallet,
      },
      reversals,
    ),
  )
  for (const assignment of await assignmentsOf(app.db, row.workspace, { deposit_id: row.id })) {
    if (assignment.state !== 'PENDING') continue
    draft.guards.push({
      table: 'assignments',
      resource: 'assignment',
      id: assignment.id,
      from: ['PENDING'],
      to: 'REJECTED',
      version: assignment.version,
    })
    draft.rows.push(
      sql`
        update assignments
        set decided_by = ${WORKER}, decided_at = ${now}
        where workspace = ${row.workspace}
          and id = ${assignment.id}`,
    )
  }
  if (row.settlement_id !== null) await addExpectationAgain(app, draft, row)
  // An own transfer is on the way again.
  if (row.own_transfer && row.related_withdrawal_id !== null)
    draft.rows.push(
      sql`
        update withdrawals
        set arrived_at = null
        where workspace = ${row.workspace}
          and id = ${row.related_withdrawal_id}`,
    )
  addDepositEnd(draft, row, 'REVERSED', now)
}

/** What a venue owed is owed again. */
async function addExpectationAgain(
  app: TreasuryApp,
  draft: PollDraft,
  { workspace, id }: DepositRow,
): Promise<void> {
  const arrival = await arrivalOfDeposit(app.db, workspace, id)
  if (arrival === undefined) return
  draft.guards.push(arrivalGuard(arrival, 'EXPECTED'))
  draft.rows.push(
    sql`
      update expected_arrivals
      set deposit_id = null
      where workspace = ${workspace}
        and id = ${arrival.id}`,
  )
}
