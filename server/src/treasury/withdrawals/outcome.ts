/**
 * What a venue reports of a transaction becomes the state of its withdrawals, by one change for all
 * of them. All of it is fact: it has happened at the venue. What the ends book is in success.ts and
 * failure.ts.
 */
import type { Change } from '../../ledger/index.ts'
import { updateGuardedRow } from '../../store/rows.ts'
import type { TransferReport } from '../../venues/index.ts'
import { TREASURY_WORKER } from '../app.ts'
import type { TreasuryApp } from '../app.ts'
import { unsuccessfulChange } from './failure.ts'
import { reportedFields, withdrawalEvent, withdrawalMove, WITHDRAWALS } from './rows.ts'
import type { TransactionGroup, WithdrawalRow } from './rows.ts'
import { mergeChanges, splitReport } from './shared-transaction.ts'
import { successChange } from './success.ts'
import { isUnsuccessful, NOT_CREDITED } from './withdrawals.schema.ts'
import type { LIVE_STATES } from './withdrawals.schema.ts'

/** The venue refused for certain: nothing left and nothing will. */
export async function recordRefusal(
  app: TreasuryApp,
  rows: TransactionGroup,
  reason: string,
  native: string | null,
): Promise<void> {
  await commitAll(app, rows, (row) =>
    unsuccessfulChange(app, row, {
      to: 'REJECTED',
      reason_code: 'REFUSED_BY_VENUE',
      reason,
      sub_state: native ?? row.sub_state,
    }),
  )
}

/**
 * The outcome was not observed: the amount stays blocked until the venue says more. Of one that is
 * UNKNOWN already, and of which the venue has never told anything, a later lookup may say why.
 */
export async function recordUnknown(
  app: TreasuryApp,
  rows: TransactionGroup,
  reason: string,
): Promise<void> {
  const observed = rows.filter(
    (row) => row.state !== 'UNKNOWN' || (row.foreign_id === null && row.reason !== reason),
  )
  await commitAll(app, observed, (row) => ({
    workspace: row.workspace,
    class: 'fact',
    by: TREASURY_WORKER,
    guards: [withdrawalMove(row, 'UNKNOWN')],
    rows: [
      updateGuardedRow(WITHDRAWALS, {
        where: { workspace: row.workspace, id: row.id },
        set: { reason_code: 'OUTCOME_UNKNOWN', reason },
      }),
    ],
    events:
      row.state === 'UNKNOWN'
        ? []
        : [withdrawalEvent(EVENT_OF.UNKNOWN, { ...row, state: 'UNKNOWN', reason })],
  }))
}

/** The venue knows for certain that it never got the transaction: it may be sent (again). */
export async function recordAbsent(app: TreasuryApp, rows: TransactionGroup): Promise<void> {
  await commitAll(app, rows, (row) => ({
    workspace: row.workspace,
    class: 'fact',
    by: TREASURY_WORKER,
    guards: [withdrawalMove(row, 'PENDING')],
    rows: [
      updateGuardedRow(WITHDRAWALS, {
        where: { workspace: row.workspace, id: row.id },
        set: {
          submitted_at: null,
          looked_up_at: app.clock.now(),
          reason_code: null,
          reason: null,
        },
      }),
    ],
  }))
}

/** Moves the withdrawals to what the venue reports. The same report again changes nothing. */
export async function recordReport(
  app: TreasuryApp,
  rows: TransactionGroup,
  report: TransferReport,
): Promise<void> {
  const { state } = report
  if (state === 'SUCCESS') {
    const reports = await splitReport(app.db, rows, report)
    await commitAll(app, reports, async (part) => {
      const { change } = await successChange(app, part.row, part.report)
      return change
    })
  } else if (isUnsuccessful(state)) {
    const { reason, sub_state } = report
    const end = { to: state, reason_code: 'ENDED_BY_VENUE', reason, sub_state }
    const reports = await splitReport(app.db, rows, report)
    await commitAll(app, reports, (part) =>
      unsuccessfulChange(app, part.row, { ...end, report: part.report }),
    )
  } else {
    const changes = rows.flatMap((row) => progressChange(row, { ...report, state }) ?? [])
    await commitAll(app, changes, (change) => change)
  }
}

/** The changes of all of them in one. */
async function commitAll<Item>(
  app: TreasuryApp,
  items: readonly Item[],
  changeOf: (item: Item) => Change | Promise<Change>,
): Promise<void> {
  const [first, ...further] = await Promise.all(items.map(changeOf))
  if (first !== undefined) await app.lane.commit(mergeChanges([first, ...further]))
}

type LiveState = (typeof LIVE_STATES)[number]

const EVENT_OF = {
  PENDING: 'submitted',
  PENDING_REVIEW: 'review_started',
  UNKNOWN: 'outcome_unknown',
} as const satisfies Record<LiveState, string>

/** Undefined when the row has all of it already. */
function progressChange(
  row: WithdrawalRow,
  report: TransferReport & { state: LiveState },
): Change | undefined {
  const { state, reason } = report
  const fields = reportedFields(row, report)
  const moved = state !== row.state
  const names = Object.keys(fields) as (keyof typeof fields)[]
  if (!moved && names.every((name) => fields[name] === row[name])) return undefined
  const event = withdrawalEvent(EVENT_OF[state], { ...row, ...fields, state, reason })
  const unknown = report.not_credited === true ? NOT_CREDITED : 'OUTCOME_UNKNOWN'
  const reason_code = state === 'UNKNOWN' ? unknown : null
  return {
    workspace: row.workspace,
    class: 'fact',
    by: TREASURY_WORKER,
    guards: [withdrawalMove(row, state)],
    rows: [
      updateGuardedRow(WITHDRAWALS, {
        where: { workspace: row.workspace, id: row.id },
        set: { ...fields, reason_code, reason },
      }),
    ],
    events: moved || row.foreign_id === null ? [event] : [],
  }
}
