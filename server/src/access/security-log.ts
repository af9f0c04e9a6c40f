/**
 * The security log, and the audit trail that it is part of: who got in, who was refused, who
 * changed users, roles, passwords, keys and configuration, and each call. Rows are only added.
 *
 * What took effect is written in the transaction in which it did (`securityEntries`; of other calls
 * store/calls.ts), the rest by noted-entries.ts.
 */
import type { Clock } from '../core/clock.ts'
import { idAt, NO_WORKSPACE } from '../core/ids.ts'
import type { ApiKeyId, UserId, WorkspaceId } from '../core/ids.ts'
import type { Caller, Source } from '../http/index.ts'
import { callBeingServed, placeOf } from '../store/calls.ts'
import type { Call } from '../store/calls.ts'
import { only } from '../store/db.ts'
import type { Reader, Tx } from '../store/db.ts'
import { insertRows, insertRowWhere, tableOf } from '../store/rows.ts'
import { sql } from '../store/sql.ts'
import type { Query } from '../store/sql.ts'
import { StoredEntry } from './security-log.schema.ts'

export const SECURITY_LOG = tableOf('security_log', StoredEntry)

/** What happened, as its place in the code knows it. */
type Occurrence = {
  kind: StoredEntry['kind']
  /** Whose account it is about. */
  user?: { id: UserId | ApiKeyId; email?: string } | undefined
  actor?: string | null
  source?: Partial<Source> | undefined
  details?: Readonly<Record<string, unknown>>
  /** What it is about, where that is no account. */
  record_id?: string | null
  call?: { operation: string; request_id: string } | undefined
}

/** What was refused; without a workspace, as nobody knows whose it is. */
export type RefusedAttempt = Occurrence & { workspace?: WorkspaceId | undefined }

export type Row = Omit<StoredEntry, 'workspace'> & { workspace: WorkspaceId }

/** Inserts what has just taken effect. To be run in the transaction in which it did. */
export function securityEntries(
  workspace: WorkspaceId,
  now: number,
  occurrences: readonly Occurrence[],
): Query {
  const call = tellingOf()
  const rows = occurrences.map((occurrence) => rowOf(workspace, now, { call, ...occurrence }))
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
    rowOf(workspace, now, { call: tellingOf(), ...occurrence }),
    { by: null, now },
    condition,
  )
}

/** The call that the next commit is made for; no other entry tells of it. */
function tellingOf(): Call | undefined {
  const call = callBeingServed()
  if (call !== undefined) call.told = true
  return call
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
export async function workspaceOfInstallation(reader: Reader): Promise<WorkspaceId> {
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

export function rowOf(workspace: WorkspaceId, now: number, occurrence: Occurrence): Row {
  const { kind, user, actor = null, source = {}, details = {}, call } = occurrence
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
    operation: call?.operation ?? null,
    request_id: call?.request_id ?? null,
    record_id: occurrence.record_id ?? user?.id ?? null,
  }
}
