/**
 * What the venue says of a withdrawal becomes its state, and at the end its bookings: one change each. Success captures what
 * was blocked and books it; every other end releases it. All of it is fact: it has happened at the venue. Withdrawals of one
 * transaction move together, in one change.
 */
import { settingsOf } from '../../access/index.ts'
import { customersOfAccounts } from '../../customers/index.ts'
import { mustExist } from '../../core/assert.ts'
import { decimal, format, least, round } from '../../core/decimal.ts'
import type { Decimal } from '../../core/decimal.ts'
import { newId } from '../../core/ids.ts'
import type { Json } from '../../core/json.ts'
import { assertMove } from '../../core/moves.ts'
import { assetsOf, holdsOf } from '../../ledger/index.ts'
import type { Change, EventDraft, EventOf, Guard, Hold, LedgerStep } from '../../ledger/index.ts'
import { sql } from '../../store/sql.ts'
import type { Query } from '../../store/sql.ts'
import type { TransferReport } from '../../venues/index.ts'
import { assignmentsOf, insertAssignment } from '../assignments/rows.ts'
import type { AssignmentRow } from '../assignments/rows.ts'
import {
  bookTransferOut,
  bookWithdrawal,
  bookWithdrawalAssignment,
  bookWithdrawalFee,
} from '../bookings.ts'
import type { Cause, Share } from '../bookings.ts'
import type { MatchReason } from '../matchings/rules.ts'
import { findMatch } from '../matchings/matchings.ts'
import { updateWalletPosition } from '../wallets/positions.ts'
import type { TreasuryApp } from '../app.ts'
import { walletById } from '../wallets/wallets.ts'
import { bearersOf, chargesBooked, openCosts } from './charges.ts'
import type { Cost } from './charges.ts'
import { allOf, reportsOf } from './shared-transaction.ts'
import type { Together } from './shared-transaction.ts'
import { bookingAccounts, sourceSpot, withdrawalEvent } from './withdrawals.ts'
import type { WithdrawalRow } from './withdrawals.ts'
import { LIVE_STATES, WITHDRAWAL_MOVES } from './withdrawals.schema.ts'
import type { WithdrawalState } from './withdrawals.schema.ts'

export const TREASURY_WORKER = 'treasury'

/** The ends at which nothing has left. */
export const ENDED_STATES = [
  'FAILED',
  'REJECTED',
  'CANCELED',
] as const satisfies readonly WithdrawalState[]
const isEnd = (state: WithdrawalState): state is (typeof ENDED_STATES)[number] =>
  (ENDED_STATES as readonly WithdrawalState[]).includes(state)

/** What is known of a withdrawal at its end: from the venue, or from somebody who found out. */
type Told = Omit<TransferReport, 'state' | 'foreign_id' | 'sub_state'> & {
  foreign_id: string | null
  sub_state: string | null
}
/** `by`: who ends it, the worker when absent; `told`: further data of the event. */
type Ending = { by?: string; told?: Record<string, Json> }

/** What is told when a withdrawal comes to this state. */
const EVENT_OF: Readonly<Record<WithdrawalState, EventOf<'withdrawal'>>> = {
  PENDING: 'submitted',
  PENDING_REVIEW: 'held',
  UNKNOWN: 'unobserved',
  SUCCESS: 'succeeded',
  FAILED: 'failed',
  REJECTED: 'rejected',
  CANCELED: 'canceled',
}

/** The venue refused for certain: nothing left and nothing will. */
export async function recordRefusal(
  app: TreasuryApp,
  rows: Together,
  reason: string,
  native: string | null,
): Promise<void> {
  await commitAll(app, rows, (row) =>
    endChange(app, row, 'REJECTED', {
      reason_code: 'REFUSED_BY_VENUE',
      reason,
      sub_state: native ?? row.sub_state,
    }),
  )
}

/** The changes of all of them in one. */
async function commitAll<Item>(
  app: TreasuryApp,
  items: readonly Item[],
  changeOf: (item: Item) => Change | Promise<Change>,
): Promise<void> {
  const [first, ...further] = await Promise.all(items.map(changeOf))
  if (first !== undefined) await app.lane.commit(allOf([first, ...further]))
}

/** The outcome was not observed: blocked until the venue answers. */
export async function recordUnknown(
  app: TreasuryApp,
  rows: Together,
  reason: string,
): Promise<void> {
  await commitAll(
    app,
    rows.filter((row) => row.state !== 'UNKNOWN'),
    (row) => ({
      workspace: row.workspace,
      class: 'fact',
      by: TREASURY_WORKER,
      guards: [moveTo(row, 'UNKNOWN')],
      rows: [
        sql`update withdrawals set reason_code = 'OUTCOME_UNKNOWN', reason = ${reason} where workspace = ${row.workspace} and id = ${row.id}`,
      ],
      events: [withdrawalEvent(EVENT_OF.UNKNOWN, { ...row, state: 'UNKNOWN', reason })],
    }),
  )
}

/** The venue knows for certain that it never got it: free to be sent (again). */
export async function recordAbsent(app: TreasuryApp, rows: Together): Promise<void> {
  await commitAll(app, rows, (row) => ({
    workspace: row.workspace,
    class: 'fact',
    by: TREASURY_WORKER,
    guards: [moveTo(row, 'PENDING')],
    rows: [
      sql`update withdrawals set submitted_at = null, reason_code = null, reason = null where workspace = ${row.workspace} and id = ${row.id}`,
    ],
  }))
}

/** Brings the withdrawals to what the venue reports of their transaction; the same report again changes nothing. */
export async function recordReport(
  app: TreasuryApp,
  rows: Together,
  report: TransferReport,
): Promise<void> {
  const { state } = report
  if (state === 'SUCCESS') {
    await commitAll(app, await reportsOf(app.db, rows, report), (each) =>
      successChange(app, each.row, each.report),
    )
  } else if (isEnd(state)) {
    await commitAll(app, await reportsOf(app.db, rows, report), (each) =>
      endChange(
        app,
        each.row,
        state,
        { reason_code: 'ENDED_BY_VENUE', reason: report.reason, sub_state: report.sub_state },
        { report: each.report },
      ),
    )
  } else {
    await commitAll(
      app,
      rows.flatMap((row) => progressChange(row, { ...report, state }) ?? []),
      (change) => change,
    )
  }
}

type Progress = TransferReport & { state: (typeof LIVE_STATES)[number] }

/** Undefined when the row tells it already. */
function progressChange(row: WithdrawalRow, report: Progress): Change | undefined {
  const told = {
    foreign_id: report.foreign_id,
    sub_state: report.sub_state,
    transaction_hash: report.transaction_hash ?? row.transaction_hash,
    confirmations: report.confirmations ?? row.confirmations,
  }
  const moved = report.state !== row.state
  if (
    !moved &&
    (Object.keys(told) as (keyof typeof told)[]).every((field) => told[field] === row[field])
  )
    return undefined
  return {
    workspace: row.workspace,
    class: 'fact',
    by: TREASURY_WORKER,
    guards: [moveTo(row, report.state)],
    rows: [
      reported(
        row,
        report,
        sql`reason_code = ${report.state === 'UNKNOWN' ? 'OUTCOME_UNKNOWN' : null}, reason = ${report.reason}`,
      ),
    ],
    events:
      moved || row.foreign_id === null
        ? [
            withdrawalEvent(EVENT_OF[report.state], {
              ...row,
              ...told,
              state: report.state,
              reason: report.reason,
            }),
          ]
        : [],
  }
}

/** The row must be as it was read; a move that the table does not have is our mistake. */
function moveTo(row: WithdrawalRow, to: WithdrawalState): Guard {
  const guard: Guard = {
    table: 'withdrawals',
    resource: 'withdrawal',
    id: row.id,
    from: LIVE_STATES,
    version: row.version,
  }
  if (row.state === to) return guard
  assertMove(WITHDRAWAL_MOVES, row.state, to)
  return { ...guard, to }
}

function reported(row: WithdrawalRow, report: Told, more: Query): Query {
  return sql`
    update withdrawals set foreign_id = ${report.foreign_id}, sub_state = ${report.sub_state}, transaction_hash = coalesce(${report.transaction_hash}, transaction_hash),
      confirmations = coalesce(${report.confirmations}::integer, confirmations), ${more}
    where workspace = ${row.workspace} and id = ${row.id}`
}

/** FAILED, REJECTED, CANCELED: what was blocked is free again, and so says its assignment. A fee that the venue took nevertheless is the house's. */
export async function endChange(
  app: TreasuryApp,
  row: WithdrawalRow,
  to: 'FAILED' | 'REJECTED' | 'CANCELED',
  why: { reason_code: string; reason: string | null; sub_state: string | null },
  ending: Ending & { report?: Told } = {},
): Promise<Change> {
  const { by = TREASURY_WORKER, report } = ending
  const now = app.clock.now()
  const assignments = (
    await assignmentsOf(app.db, row.workspace, { withdrawal_id: row.id })
  ).filter((assignment) => assignment.state === 'PENDING')
  const holds = await openHolds(app, row)
  const fee_asset = report?.fee_asset ?? row.fee_asset ?? row.asset
  const { costs, charged } = await openCosts(app.db, row, {
    asset: fee_asset,
    quantity: report?.fee ?? 0n,
  })
  const [{ quantity: fee }] = costs
  const accounts = await bookingAccounts(app.db, row.workspace, row.venue_id)
  const ledger = [
    ...holds.map((hold): LedgerStep => ({ step: 'release', hold_id: hold.id })),
    ...costs.flatMap((cost) =>
      bookWithdrawalFee(accounts, causeOf(row), cost.asset, cost.quantity),
    ),
  ]
  const ended = sql`reason_code = ${why.reason_code}, reason = ${why.reason}, completed_at = ${now}`
  return {
    workspace: row.workspace,
    class: 'fact',
    by,
    guards: [moveTo(row, to), ...assignments.map((assignment) => decided(assignment, 'REJECTED'))],
    ledger,
    rows: [
      ...updateWalletPosition(sourceSpot(row, accounts), ledger),
      ...(charged ? [chargesBooked(row, now)] : []),
      ...(fee === 0n
        ? []
        : [
            sql`update withdrawals set fee = ${format(fee)}, fee_asset = ${fee_asset} where workspace = ${row.workspace} and id = ${row.id}`,
          ]),
      report === undefined
        ? sql`update withdrawals set sub_state = ${why.sub_state}, ${ended} where workspace = ${row.workspace} and id = ${row.id}`
        : reported(row, report, ended),
      sql`update assignments set decided_by = ${by}, decided_at = ${now} where workspace = ${row.workspace} and id = any(${assignments.map((assignment) => assignment.id)}::uuid[])`,
    ],
    events: [
      withdrawalEvent(
        EVENT_OF[to],
        { ...row, state: to, reason: why.reason },
        { ...ending.told, ...concerned(assignments) },
      ),
    ],
  }
}

const decided = (assignment: AssignmentRow, to: 'REJECTED' | 'SUCCESSFUL'): Guard => ({
  table: 'assignments',
  resource: 'assignment',
  id: assignment.id,
  from: ['PENDING'],
  to,
  version: assignment.version,
})

/** Whom an event concerns, each with its part. */
const concerned = (
  assignments: readonly Pick<AssignmentRow, 'customer_id' | 'account_id' | 'quantity'>[],
) => ({
  customers: assignments.map(({ customer_id, account_id, quantity }) => ({
    customer_id,
    account_id,
    quantity: format(quantity),
  })),
})

const openHolds = async (app: TreasuryApp, row: WithdrawalRow): Promise<Hold[]> =>
  (await holdsOf(app.db, row.workspace, row.id)).filter((hold) => hold.state === 'OPEN')

export async function successChange(
  app: TreasuryApp,
  row: WithdrawalRow,
  report: Told,
  ending: Ending = {},
): Promise<Change> {
  const { by = TREASURY_WORKER } = ending
  const { workspace } = row
  const now = app.clock.now()
  const cause = causeOf(row)
  const accounts = await bookingAccounts(app.db, workspace, row.venue_id)
  const assignments = (await assignmentsOf(app.db, workspace, { withdrawal_id: row.id })).filter(
    (assignment) => assignment.state === 'PENDING',
  )
  const quantity = decimal(row.quantity)
  const fee_asset = report.fee_asset ?? row.fee_asset ?? row.asset
  const { costs, charged } = await openCosts(app.db, row, {
    asset: fee_asset,
    quantity: report.fee ?? 0n,
  })
  const [{ quantity: fee }] = costs
  const borne = await Promise.all(
    costs.map(async (cost): Promise<Borne> => ({
      ...cost,
      bearers: await bearersOf(app.db, row, assignments, cost.asset, cost.quantity),
    })),
  )
  const assignable = await assignableOf(app, row)

  const booked: LedgerStep[] = row.own_transfer
    ? [bookTransferOut(accounts, cause, row.asset, quantity)]
    : row.venue_charge
      ? bookWithdrawalFee(accounts, cause, row.asset, quantity)
      : [bookWithdrawal(accounts, cause, row.asset, quantity, assignments, assignable)]
  booked.push(
    ...borne.flatMap((cost) =>
      bookWithdrawalFee(accounts, cause, cost.asset, cost.quantity, cost.bearers),
    ),
  )
  const debited = debits(row, assignments, borne)
  const match =
    row.own_transfer || row.venue_charge || assignable === 0n || assignments.length > 0
      ? undefined
      : await matchWithdrawal(app, row)
  const matched = match?.match === 'account' ? match : undefined
  if (matched?.booked === true)
    booked.push(
      bookWithdrawalAssignment(accounts, cause, row.asset, {
        account_id: matched.account_id,
        quantity: assignable,
      }),
    )

  const events: EventDraft[] = [
    withdrawalEvent(
      EVENT_OF.SUCCESS,
      {
        ...row,
        state: 'SUCCESS',
        foreign_id: report.foreign_id,
        transaction_hash: report.transaction_hash,
        reason: null,
      },
      {
        ...ending.told,
        fee: format(fee),
        fee_asset,
        ...(match === undefined ? {} : { matched: matched?.by ?? null }),
        ...concerned(matched === undefined ? assignments : [{ ...matched, quantity }]),
      },
    ),
  ]
  return {
    workspace,
    class: 'fact',
    by,
    guards: [
      moveTo(row, 'SUCCESS'),
      ...assignments.map((assignment) => decided(assignment, 'SUCCESSFUL')),
    ],
    ledger: [...(await openHolds(app, row)).flatMap((hold) => endHold(hold, debited)), ...booked],
    rows: [
      ...updateWalletPosition(sourceSpot(row, accounts), booked),
      reported(
        row,
        report,
        sql`fee = ${report.fee === null && fee === 0n ? null : format(fee)}, fee_asset = ${fee_asset}, reason_code = ${match?.match === 'ambiguous' ? 'AMBIGUOUS_MATCH' : null}, reason = ${match?.match === 'ambiguous' ? 'several accounts match' : null}, completed_at = ${now}`,
      ),
      ...(charged ? [chargesBooked(row, now)] : []),
      sql`update assignments set decided_by = ${by}, decided_at = ${now}, booked_at = ${now} where workspace = ${workspace} and id = any(${assignments.map((assignment) => assignment.id)}::uuid[])`,
      ...(matched === undefined
        ? []
        : [
            insertAssignment({
              workspace,
              id: newId(),
              state: matched.booked ? 'SUCCESSFUL' : 'PENDING',
              deposit_id: null,
              withdrawal_id: row.id,
              account_id: matched.account_id,
              customer_id: matched.customer_id,
              asset: row.asset,
              quantity: format(assignable),
              source: 'MATCHING',
              matching_id: matched.matching_id,
              decided_by: matched.booked ? TREASURY_WORKER : null,
              decided_at: matched.booked ? now : null,
              booked_at: matched.booked ? now : null,
              at: now,
              by: TREASURY_WORKER,
            }),
          ]),
    ],
    events,
  }
}

const causeOf = (row: WithdrawalRow): Cause => ({
  reference_type: 'withdrawal',
  reference_id: row.id,
})

/** Accounts are assigned amounts of the asset's scale; what a movement outside had beyond it stays with the house. */
export async function assignableOf(
  app: TreasuryApp,
  row: Pick<WithdrawalRow, 'workspace' | 'asset' | 'quantity'>,
): Promise<Decimal> {
  const scale = (await assetsOf(app.db, row.workspace)).get(row.asset)?.scale
  return scale === undefined ? decimal(row.quantity) : round(decimal(row.quantity), scale, 'down')
}

/** A cost, and what of it customers bear. */
type Borne = Cost & { bearers: Share[] }
type Debited = Map<string, Decimal>
const debitKey = (account_id: string, asset: string) => `${account_id} ${asset}`

/** What this success takes from each account, per asset: so much of its hold is captured, the rest is released. */
function debits(
  row: WithdrawalRow,
  assignments: readonly AssignmentRow[],
  costs: readonly Borne[],
): Debited {
  const taken: Debited = new Map()
  const add = (account_id: string, asset: string, quantity: Decimal) => {
    taken.set(
      debitKey(account_id, asset),
      (taken.get(debitKey(account_id, asset)) ?? 0n) + quantity,
    )
  }
  for (const assignment of assignments) add(assignment.account_id, row.asset, assignment.quantity)
  for (const { asset, bearers } of costs)
    for (const bearer of bearers) add(bearer.account_id, asset, bearer.quantity)
  return taken
}

function endHold(hold: Hold, taken: Debited): LedgerStep[] {
  const key = debitKey(hold.account_id, hold.asset)
  const wanted = taken.get(key) ?? 0n
  const captured = least(hold.remaining, wanted)
  taken.set(key, wanted - captured)
  return [
    ...(captured === 0n
      ? []
      : [{ step: 'capture' as const, hold_id: hold.id, quantity: captured }]),
    ...(captured === hold.remaining ? [] : [{ step: 'release' as const, hold_id: hold.id }]),
  ]
}

type Matched = {
  match: 'account'
  account_id: string
  customer_id: string
  matching_id: string | null
  by: MatchReason
  booked: boolean
}
type Unmatched = { match: 'none' | 'ambiguous' }

/** Nobody was named: the withdrawal matchings are asked; else it stays on SUSPENSE until somebody assigns it. */
async function matchWithdrawal(app: TreasuryApp, row: WithdrawalRow): Promise<Matched | Unmatched> {
  const from =
    row.from_wallet_id === null
      ? undefined
      : await walletById(app.db, row.workspace, row.from_wallet_id)
  const match = await findMatch(app.db, row.workspace, {
    asset: row.asset,
    is_withdrawal: true,
    destination_address: row.destination_address,
    source_address: from?.address ?? row.source_wallet,
    tag: row.tag,
    reference_text: row.reference_text,
    wallet_account_id: from?.type === 'CUSTOMER' ? from.account_id : null,
  })
  if (match.match !== 'account') return { match: match.match }
  const customer = mustExist(
    (await customersOfAccounts(app.db, row.workspace, [match.account_id])).get(match.account_id),
    'a matched account has a customer',
  )
  const { compliance } = await settingsOf(app.db, row.workspace)
  return { ...match, customer_id: customer.id, booked: !compliance }
}
