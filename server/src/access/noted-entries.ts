/**
 * Entries of what changed nothing: refusals and reads. They cost the request nothing: they are
 * noted here and written within a second. A kill may lose what was noted in the last second, and
 * nothing else.
 *
 * Refusals cost a caller nothing either, so each account, and all callers without one together,
 * have a budget of rows. Beyond it what is refused is counted, and told of once a minute.
 */
import type { Clock } from '../core/clock.ts'
import { NO_WORKSPACE } from '../core/ids.ts'
import { TokenBuckets } from '../core/token-buckets.ts'
import type { Db } from '../store/db.ts'
import { insertRows } from '../store/rows.ts'
import { sql } from '../store/sql.ts'
import { rowOf, SECURITY_LOG, workspaceOfInstallation } from './security-log.ts'
import type { RefusedAttempt, Row } from './security-log.ts'

const WRITE_MILLISECONDS = 500
/** Rows of refusals of one kind: so many at once, then one a minute. */
const BUDGET = { burst: 60, per_second: 1 / 60 }
/** Of calls by an account that was let in: so many at once, then one a second. */
const CALL_BUDGET = { burst: 600, per_second: 1 }
/** Of one read of the same: at once, then one for all within ten minutes. */
const READ_BUDGET = { burst: 1, per_second: 1 / 600 }
/** The budget of all callers without an account. */
const NOBODY = 'nobody'
/** Held in memory at most, should the database not answer. */
const MAXIMUM_HELD = 10_000

export class SecurityLog {
  readonly #db: Db
  readonly #clock: Clock
  readonly #report: (error: unknown) => void
  readonly #budgets: { refusals: TokenBuckets; calls: TokenBuckets; reads: TokenBuckets }
  /** By what makes two refusals the same. */
  readonly #noted = new Map<string, Row>()
  /** Taken from `#noted`; kept until they are written. */
  #taken: Row[] = []
  #timer: NodeJS.Timeout | undefined
  #writing: Promise<void> | undefined

  /** `report` is told when the database does not take rows, which are then kept. */
  constructor(
    db: Db,
    clock: Clock,
    { report = () => undefined, now }: { report?(error: unknown): void; now?(): number } = {},
  ) {
    this.#db = db
    this.#clock = clock
    this.#report = report
    this.#budgets = {
      refusals: new TokenBuckets(BUDGET, now),
      calls: new TokenBuckets(CALL_BUDGET, now),
      reads: new TokenBuckets(READ_BUDGET, now),
    }
  }

  /** Notes a refusal or a read; it is written within a second. */
  note(attempt: RefusedAttempt): void {
    const row = rowOf(attempt.workspace ?? NO_WORKSPACE, this.#clock.now(), attempt)
    const rest = restOf(row, this.#isFull())
    const [known, folded] = [this.#noted.get(keyOf(row)), this.#noted.get(keyOf(rest))]
    if (known !== undefined) known.count += 1
    else if (folded !== undefined) folded.count += 1
    else if (this.#isSpent(row)) this.#noted.set(keyOf(rest), rest)
    else {
      this.#budgetOf(row).take(ownerOf(row), 1)
      this.#noted.set(keyOf(row), row)
    }
    this.#writeSoon()
  }

  /** How much was noted and is not written yet. */
  get held(): number {
    const rows = [...this.#taken, ...this.#noted.values()]
    return rows.reduce((sum, { count }) => sum + count, 0)
  }

  /** Writes what may be written now. */
  async write(): Promise<void> {
    while (this.#writing !== undefined) await this.#writing
    this.#writing = this.#write().finally(() => {
      this.#writing = undefined
    })
    await this.#writing
  }

  /** Writes all that was noted. */
  async close(): Promise<void> {
    clearTimeout(this.#timer)
    // What is being written is forgotten at its end.
    while (this.#writing !== undefined) await this.#writing
    this.#taken.push(...this.#noted.values())
    this.#noted.clear()
    await this.write()
    clearTimeout(this.#timer)
  }

  #isSpent(row: Row): boolean {
    return this.#isFull() || this.#budgetOf(row).waitFor(ownerOf(row), 1) > 0
  }

  #isFull(): boolean {
    return this.#noted.size >= MAXIMUM_HELD
  }

  #budgetOf({ kind }: Row): TokenBuckets {
    if (kind === 'READ') return this.#budgets.reads
    return kind === 'CALL_REFUSED' || kind === 'CALL_FAILED'
      ? this.#budgets.calls
      : this.#budgets.refusals
  }

  #writeSoon(): void {
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined
      void this.write()
    }, WRITE_MILLISECONDS).unref()
  }

  async #write(): Promise<void> {
    this.#take()
    const rows = this.#taken
    if (rows.length > 0) {
      try {
        const isOfInstallation = ({ workspace }: Row): boolean => workspace === NO_WORKSPACE
        const home = rows.some(isOfInstallation) && (await workspaceOfInstallation(this.#db))
        const placed = rows.map((row) =>
          home && isOfInstallation(row) ? { ...row, workspace: home } : row,
        )
        const insert = insertRows(SECURITY_LOG, placed, { by: null, now: this.#clock.now() })
        // After a lost answer they may be there already.
        await this.#db.query(sql`
          ${insert}
          on conflict do nothing`)
        this.#taken = []
      } catch (error) {
        this.#taken.length = Math.min(rows.length, MAXIMUM_HELD)
        this.#report(error)
      }
    }
    if (this.#taken.length > 0 || this.#noted.size > 0) this.#writeSoon()
  }

  /** Moves what may be written: of what is beyond a budget, once the budget allows a row. */
  #take(): void {
    for (const [key, row] of this.#noted) {
      if ('beyond_budget' in row.details) {
        const budget = this.#budgetOf(row)
        if (budget.waitFor(ownerOf(row), 1) > 0) continue
        budget.take(ownerOf(row), 1)
      }
      this.#noted.delete(key)
      this.#taken.push(row)
    }
  }
}

/**
 * Stands for all refusals of one kind to one account that are beyond its budget, and for all reads
 * of the same; `full`: whatever they are of.
 */
function restOf(row: Row, full: boolean): Row {
  const details = { beyond_budget: true }
  const unnamed = { session_id: null, address: null, agent: null, request_id: null }
  const { operation, record_id } = row
  if (row.kind === 'READ' && !full)
    return { ...row, ...unnamed, operation, record_id, count: 1, details }
  const actor = isOfCall(row) ? row.actor : null
  return { ...row, ...unnamed, actor, operation: null, record_id: null, count: 1, details }
}

const isOfCall = ({ kind }: Row): boolean =>
  kind === 'READ' || kind === 'CALL_REFUSED' || kind === 'CALL_FAILED'

/** Of each kind: floods from outside do not hide what a session does. */
const ownerOf = (row: Row): string =>
  row.kind === 'READ'
    ? `${row.actor} ${row.kind} ${row.operation} ${row.record_id}`
    : `${(isOfCall(row) ? row.actor : row.user_id) ?? NOBODY} ${row.kind}`

const keyOf = ({
  id: _id,
  occurred_at: _at,
  count: _count,
  request_id: _of,
  ...row
}: Row): string => JSON.stringify(row)
