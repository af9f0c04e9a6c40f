/**
 * The first sending of what was made before this start. The database may have been set back since:
 * then it was sent, and nobody here knows. So it counts as sent when it was made, until its venue
 * has been asked. That is done by the same steps as after any sending whose outcome is unknown, and
 * under a halt too: nothing is sent by it.
 */
import { refuse } from '../../core/errors.ts'
import { only } from '../../store/db.ts'
import type { Reader } from '../../store/db.ts'
import { sql } from '../../store/sql.ts'
import type { TaskResult } from '../../store/tasks.ts'
import type { TransferReport } from '../../venues/index.ts'
import type { TreasuryApp } from '../app.ts'
import { wasAssumed } from './claimed-references.ts'
import { storeAssumption } from './intents.ts'
import { recordReport, recordUnknown } from './outcome.ts'
import type { TransactionGroup, WithdrawalRow } from './rows.ts'

/**
 * What was made just before the start may still be on its way, and so may what a process sent that
 * did not notice yet that the database was set back. A list that was read before is forgotten.
 */
const SETTLED_MILLISECONDS = 10_000

/** Whether a withdrawal that is not sent must be looked up before it is sent. */
export async function mustLookFirst(
  app: TreasuryApp,
  rows: readonly WithdrawalRow[],
): Promise<boolean> {
  const before = await app.history.lookUpBefore()
  return rows.some((row) => isOlder(row, before))
}

const isOlder = ({ system_created_at, looked_up_at }: WithdrawalRow, before: number): boolean =>
  system_created_at < before && (looked_up_at ?? 0) < before

/**
 * Over this connection, where its venue had no other one since it was made, or where nothing is
 * lost of that time: then it was not sent over another one, whatever was changed at the start.
 */
export async function assumeSent(
  app: TreasuryApp,
  way: { sent_over: string | null; reached_since: number },
  rows: TransactionGroup,
): Promise<TaskResult> {
  const made_at = Math.min(...rows.map((row) => row.system_created_at))
  const now = app.clock.now()
  const lost_until = await app.history.setBackAt()
  const settled_at = Math.max(made_at, lost_until) + SETTLED_MILLISECONDS
  if (now < settled_at) return { again_at: settled_at }
  const isHere = made_at > way.reached_since || made_at > lost_until
  const sent_over = isHere ? way.sent_over : null
  const assumed = await storeAssumption(app, rows, { submitted_at: made_at, sent_over })
  // Another one with the same content may be in doubt: it comes first.
  return { again_at: assumed === undefined ? now + SETTLED_MILLISECONDS : now }
}

/** Refuses STATE_NOT_ALLOWED for what may have left before the database was set back. */
export async function assertNotInDoubt(app: TreasuryApp, row: WithdrawalRow): Promise<void> {
  if (!(await mustLookFirst(app, [row]))) return
  throw refuse(
    'STATE_NOT_ALLOWED',
    '',
    `withdrawal ${row.id} was made before this start: its venue is asked first whether it has left`,
  )
}

/**
 * What is found may be recorded as made outside already. Which of the two it is, a person says.
 */
export async function recordFound(
  app: TreasuryApp,
  rows: TransactionGroup,
  report: TransferReport,
): Promise<void> {
  const [first] = rows
  const other =
    first.foreign_id === null && wasAssumed(first, first.submitted_at ?? 0)
      ? await ownerOf(app.db, first, report.foreign_id)
      : undefined
  if (other === undefined) await recordReport(app, rows, report)
  else
    await recordUnknown(
      app,
      rows,
      `the venue lists ${report.foreign_id}, which is recorded as withdrawal ${other}`,
    )
}

async function ownerOf(
  reader: Reader,
  { workspace, venue_id, external_id }: WithdrawalRow,
  foreign_id: string,
): Promise<string | undefined> {
  const rows = await reader.query<{ id: string }>(sql`
    select id
    from withdrawals
    where workspace = ${workspace}
      and venue_id = ${venue_id}
      and foreign_id = ${foreign_id}
      and related_withdrawal_id is null
      and external_id <> ${external_id}
    order by id
    limit 1`)
  return only(rows)?.id
}
