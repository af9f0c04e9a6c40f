/**
 * The security log: who got in, who was refused, and who changed users, roles, passwords, keys and
 * configuration. Rows are only ever added.
 *
 * What took effect is written in the transaction in which it did (`securityEntries`). What was
 * refused changed nothing, and costs the request nothing: it is noted here and written within a
 * second. A kill may lose the refusals of the last second, and nothing else.
 *
 * Refusals cost a caller nothing either, so each account, and all callers without one together,
 * have a budget of rows. Beyond it what is refused is counted, and told of once a minute.
 */
import type { Clock } from '../core/clock.ts'
import { idAt, NO_WORKSPACE } from '../core/ids.ts'
import type { ApiKeyId, UserId, WorkspaceId } from '../core/ids.ts'
import { TokenBuckets } from '../core/token-buckets.ts'
import type { Caller, Source } from '../http/index.ts'
import { only } from '../store/db.ts'
import type { Db, Reader, Tx } from '../store/db.ts'
import { insertRows, insertRowWhere, tableOf } from '../store/rows.ts'
import { sql } from '../store/sql.ts'
import type { Query } from '../store/sql.ts'
import { MAXIMUM_ADDRESS, MAXIMUM_AGENT, SecurityEntry } from './security-log.schema.ts'

const SECURITY_LOG = tableOf('security_log', SecurityEntry)

const WRITE_MILLISECONDS = 500
/** Rows of refusals of one kind: so many at once, then one a minute. */
const BUDGET = { burst: 60, per_second: 1 / 60 }
/** The budget of all callers without an account. */
const NOBODY = 'nobody'
/** Held in memory at most, should the database not answer. */
const MAXIMUM_HELD = 10_000

/** What happened, as its place in the code knows it. */
type Occurrence = {
  kind: SecurityEntry['kind']
  /** Whose account it is about. */
  user?: { id: UserId | ApiKeyId; email?: string } | undefined
  actor?: string | null
  source?: Partial<Source> | undefined
  details?: Readonly<Record<string, unknown>>
}

/** What was refused; without a workspace, as nobody knows whose it is. */
export type RefusedAttempt = Occurrence & { workspace?: WorkspaceId | undefined }

type Row = Omit<SecurityEntry, 'workspace'> & { workspace: WorkspaceId }

/** Inserts what has just taken effect. To be run in the transaction in which it did. */
export function securityEntries(
  workspace: WorkspaceId,
  now: number,
  occurrences: readonly Occurrence[],
): Query {
  const rows = occurrences.map((occurrence) => rowOf(workspace, now, occurrence))
  return insertRows(SECURITY_LOG, rows, { by: null, now })
}

/** The same for one, where the condition holds. */
export function securityEntryWhere(
  workspace: WorkspaceId,
  now: number,
  occurrence: Occurrence,
  condition: Query,
): Query {
  return insertRowWhere(
    SECURITY_LOG,
    rowOf(workspace, now, occurrence),
    { by: null, now },
    condition,
  )
}

/** The same for what concerns the whole installation. */
export async function recordForInstallation(
  tx: Tx,
  now: number,
  occurrences: readonly Occurrence[],
): Promise<void> {
  await tx.query(securityEntries(await workspaceOfInstallation(tx), now, occurrences))
}

/** A single tenant's installation is the tenant's own. Among several it is nobody's. */
async function workspaceOfInstallation(reader: Reader): Promise<WorkspaceId> {
  const [first, ...others] = await reader.query<{ id: WorkspaceId }>(sql`
    select id
    from workspaces
    order by id
    limit 2`)
  return others.length === 0 ? (first?.id ?? NO_WORKSPACE) : NO_WORKSPACE
}

/**
 * A configuration file was applied, of which these are the hashes of its sections. Nothing is
 * written when they are those of the last one. To be run under a lock of the workspace, in the
 * transaction in which they took effect.
 */
export async function recordConfiguration(
  { workspace, by }: Caller,
  { tx, clock }: { tx: Tx; clock: Clock },
  sections: Readonly<Record<string, string>>,
): Promise<void> {
  const before = (await appliedSections(tx, workspace)) ?? {}
  const changed = Object.keys({ ...before, ...sections })
    .filter((section) => before[section] !== sections[section])
    .toSorted()
  if (changed.length === 0) return
  const details = { changed, sections }
  await tx.query(
    securityEntries(workspace, clock.now(), [
      { kind: 'CONFIGURATION_APPLIED', actor: by, details },
    ]),
  )
}

/** The hashes of the sections of the file that was applied last; undefined before the first. */
export async function appliedSections(
  reader: Reader,
  workspace: WorkspaceId,
): Promise<Record<string, string> | undefined> {
  const last = only(
    await reader.query<{ details: { sections: Record<string, string> } }>(sql`
      select details
      from security_log
      where workspace = ${workspace}
        and kind = 'CONFIGURATION_APPLIED'
      order by id desc
      limit 1`),
  )
  return last?.details.sections
}

/** Where a request came from, as it is stored. */
export const placeOf = ({
  address,
  agent,
}: Partial<Source>): Pick<SecurityEntry, 'address' | 'agent'> => ({
  address: address?.slice(0, MAXIMUM_ADDRESS) ?? null,
  agent: agentOf(agent),
})

function rowOf(
  workspace: WorkspaceId,
  now: number,
  { kind, user, actor = null, source = {}, details = {} }: Occurrence,
): Row {
  return {
    workspace,
    id: idAt(now),
    kind,
    occurred_at: now,
    user_id: user?.id ?? null,
    email: user?.email ?? null,
    actor,
    session_id: source.session_id ?? null,
    ...placeOf(source),
    count: 1,
    details: { ...details },
  }
}

/** What a program calls itself, as far as it can be stored and shown. */
function agentOf(header = ''): string | null {
  const plain = header
    .slice(0, MAXIMUM_AGENT)
    .replaceAll(/[^\x20-\x7e]/g, '?')
    .trim()
  return plain === '' ? null : plain
}

export class SecurityLog {
  readonly #db: Db
  readonly #clock: Clock
  readonly #report: (error: unknown) => void
  readonly #budget: TokenBuckets
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
    this.#budget = new TokenBuckets(BUDGET, now)
  }

  /** Notes a refusal; it is written within a second. */
  note(attempt: RefusedAttempt): void {
    const row = rowOf(attempt.workspace ?? NO_WORKSPACE, this.#clock.now(), attempt)
    const rest = restOf(row)
    const [known, folded] = [this.#noted.get(keyOf(row)), this.#noted.get(keyOf(rest))]
    if (known !== undefined) known.count += 1
    else if (folded !== undefined) folded.count += 1
    else if (this.#isSpent(row)) this.#noted.set(keyOf(rest), rest)
    else {
      this.#budget.take(ownerOf(row), 1)
      this.#noted.set(keyOf(row), row)
    }
    this.#writeSoon()
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
    return this.#noted.size >= MAXIMUM_HELD || this.#budget.waitFor(ownerOf(row), 1) > 0
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
        if (this.#budget.waitFor(ownerOf(row), 1) > 0) continue
        this.#budget.take(ownerOf(row), 1)
      }
      this.#noted.delete(key)
      this.#taken.push(row)
    }
  }
}

/** Stands for all refusals of one kind to one account that are beyond its budget. */
function restOf({ workspace, id, kind, occurred_at, user_id, email }: Row): Row {
  const details = { beyond_budget: true }
  const unnamed = { actor: null, session_id: null, address: null, agent: null }
  return { workspace, id, kind, occurred_at, user_id, email, ...unnamed, count: 1, details }
}

/** Of each kind: floods from outside do not hide what a session does. */
const ownerOf = ({ user_id, kind }: Row): string => `${user_id ?? NOBODY} ${kind}`

const keyOf = ({ id: _id, occurred_at: _at, count: _count, ...row }: Row): string =>
  JSON.stringify(row)
