/**
 * Screens a movement, and keeps what was found. An answer holds while the same lists, in the same
 * versions, answered for the same names and addresses. A hit that people have not cleared opens a
 * case: the movement waits for its decision.
 */
import { notFound } from '../core/errors.ts'
import { newId } from '../core/ids.ts'
import type { WorkspaceId } from '../core/ids.ts'
import { canonicalJson } from '../core/json.ts'
import { move } from '../core/moves.ts'
import { id } from '../http/index.ts'
import type { Change, EventDraft } from '../ledger/index.ts'
import { only } from '../store/db.ts'
import type { Reader } from '../store/db.ts'
import { allColumnsOf, columnsOf, insertRow, tableOf, updateGuardedRow } from '../store/rows.ts'
import { sql } from '../store/sql.ts'
import { stateIn } from '../store/states.ts'
import { CASE_MOVES, ScreeningCaseRecord, ScreeningRecord } from './cases.schema.ts'
import type { Match, ScreenedKind, Screening, ScreeningCase, Subject } from './cases.schema.ts'
import type { ScreeningProvider } from './provider.ts'

const SCREENINGS = tableOf('screenings', ScreeningRecord, {
  inside: { workspace: id<WorkspaceId>() },
})
export const SCREENING_COLUMNS = columnsOf(ScreeningRecord)
export const CASES = tableOf('screening_cases', ScreeningCaseRecord, {
  inside: { workspace: id<WorkspaceId>() },
})
export const CASE_COLUMNS = columnsOf(ScreeningCaseRecord)
type CaseRow = NonNullable<typeof CASES.types>['row']

/** What is screened, and what its case shows of it. */
export type Screened = {
  workspace: WorkspaceId
  record_kind: ScreenedKind
  record_id: string
  asset: string
  quantity: string
  subject: Subject
}

type ScreeningVerdict = 'PASS' | 'CASE' | { unknown: string }

/** `change`: what was found, to be committed before anything follows from it. */
type Result = { verdict: ScreeningVerdict; change?: Change }

/** Throws 4004. */
export async function caseRow(
  reader: Reader,
  workspace: WorkspaceId,
  case_id: string,
): Promise<CaseRow> {
  const rows = await reader.query<CaseRow>(sql`
    select ${allColumnsOf(CASES)}
    from screening_cases
    where workspace = ${workspace}
      and id = ${case_id}`)
  const row = only(rows)
  if (row === undefined) throw notFound('screening case', case_id, 'case_id')
  return row
}

/** Whether people have still to decide about it, whatever is screened now. */
export async function openCaseOf(
  reader: Reader,
  { workspace, record_id }: Pick<Screened, 'workspace' | 'record_id'>,
): Promise<CaseRow | undefined> {
  const rows = await reader.query<CaseRow>(sql`
    select ${allColumnsOf(CASES)}
    from screening_cases
    where workspace = ${workspace}
      and record_id = ${record_id}
      and ${stateIn(CASE_MOVES, 'OPEN')}`)
  return only(rows)
}

/** Whether people have still to decide about it, or have refused it. */
export async function heldCaseState(
  reader: Reader,
  { workspace, record_id }: Pick<Screened, 'workspace' | 'record_id'>,
): Promise<'OPEN' | 'REFUSED' | undefined> {
  const [row] = await reader.query<{ state: 'OPEN' | 'REFUSED' }>(sql`
    select state
    from screening_cases
    where workspace = ${workspace}
      and record_id = ${record_id}
      and ${stateIn(CASE_MOVES, ['OPEN', 'REFUSED'])}
    order by id desc
    limit 1`)
  return row?.state
}

export async function screenMovement(
  reader: Reader,
  provider: ScreeningProvider,
  screened: Screened,
  stamp: { by: string; now: number },
): Promise<Result> {
  const basis = await provider.basis()
  if (!Array.isArray(basis)) return { verdict: basis }
  const open = await openCaseOf(reader, screened)
  const last = await lastScreening(reader, screened)
  if (last !== undefined && isSame(last.basis, basis) && isSame(last.subject, screened.subject))
    return { verdict: await verdictOn(reader, screened, last.matches, open) }
  const matches = await provider.screen(screened.subject)
  // A version that was loaded in between: whoever asks next asks it.
  if (!isSame(await provider.basis(), basis))
    return { verdict: { unknown: 'a sanctions list was loaded just now' } }
  const outcome = matches.length === 0 ? ('CLEAR' as const) : ('HIT' as const)
  const verdict = await verdictOn(reader, screened, matches, open)
  const filed = verdict === 'CASE' ? fileCase(screened, matches, open, stamp) : NOTHING_FILED
  const result = { ...recordOf(screened), subject: screened.subject, basis, outcome, matches }
  const row = { id: newId(stamp.now), ...result, case_id: filed.case_id }
  return {
    verdict,
    change: {
      workspace: screened.workspace,
      class: 'fact',
      by: stamp.by,
      ...filed.change,
      rows: [...filed.change.rows, insertRow(SCREENINGS, row, stamp)],
    },
  }
}

const isSame = (one: unknown, other: unknown): boolean =>
  canonicalJson(one as never) === canonicalJson(other as never)

const recordOf = ({ workspace, record_kind, record_id }: Screened) => ({
  workspace,
  record_kind,
  record_id,
})

async function lastScreening(
  reader: Reader,
  { workspace, record_id }: Screened,
): Promise<Screening | undefined> {
  const rows = await reader.query<Screening>(sql`
    select ${SCREENING_COLUMNS}
    from screenings
    where workspace = ${workspace}
      and record_id = ${record_id}
    order by id desc
    limit 1`)
  return only(rows)
}

/** An entry that a list has changed since it was cleared was not cleared. */
async function verdictOn(
  reader: Reader,
  { workspace, record_id, subject }: Screened,
  matches: readonly Match[],
  open: CaseRow | undefined,
): Promise<'PASS' | 'CASE'> {
  if (open !== undefined) return 'CASE'
  if (matches.length === 0) return 'PASS'
  const cleared = await reader.query<ScreeningCase>(sql`
    select ${CASE_COLUMNS}
    from screening_cases
    where workspace = ${workspace}
      and record_id = ${record_id}
      and ${stateIn(CASE_MOVES, 'CLEARED')}`)
  const known = new Set(
    cleared
      .filter((one) => isSame(one.subject, subject))
      .flatMap((one) => one.matches.map(identityOf)),
  )
  return matches.every((match) => known.has(identityOf(match))) ? 'PASS' : 'CASE'
}

const identityOf = ({ list, entry, entry_since, kind, listed }: Match): string =>
  JSON.stringify([list, entry, entry_since, kind, listed])

type Filed = {
  case_id: string | null
  change: { rows: NonNullable<Change['rows']> } & Pick<Change, 'guards' | 'events'>
}

const NOTHING_FILED: Filed = { case_id: null, change: { rows: [] } }

function fileCase(
  screened: Screened,
  matches: Match[],
  open: CaseRow | undefined,
  stamp: { by: string; now: number },
): Filed {
  const { workspace, asset, quantity, subject } = screened
  const case_id = open?.id ?? newId(stamp.now)
  const event: EventDraft = {
    type: open === undefined ? 'screening_case.opened' : 'screening_case.extended',
    resource_id: case_id,
    data: { ...aboutCase(screened), matches: matches.length },
  }
  if (open === undefined) {
    const row = { id: case_id, state: 'OPEN' as const, ...recordOf(screened), asset, quantity }
    const insert = insertRow(CASES, { ...row, subject, matches }, stamp)
    return { case_id, change: { rows: [insert], events: [event] } }
  }
  // Its version grows, so that nobody decides about less than was found.
  const guard = { ...caseGuard(open), from: ['OPEN'] }
  const set = { matches, subject }
  const update = updateGuardedRow(CASES, { where: { workspace, id: case_id }, set })
  return { case_id, change: { guards: [guard], rows: [update], events: [event] } }
}

const caseGuard = ({ id: of, version }: Pick<CaseRow, 'id' | 'version'>) => ({
  table: 'screening_cases',
  resource: 'screening case',
  id: of,
  version,
})

const aboutCase = ({ record_kind, record_id }: Pick<Screened, 'record_kind' | 'record_id'>) => ({
  record_kind,
  record_id,
})

const EVENT_OF = { CLEARED: 'screening_case.cleared', REFUSED: 'screening_case.refused' } as const

/** The case as it was read is decided; what it is about goes on or ends in the same change. */
export function decidedCase(
  row: CaseRow,
  { to, reason, by, now }: { to: keyof typeof EVENT_OF; reason: string; by: string; now: number },
): { change: Change; after: CaseRow } {
  const { workspace } = row
  const set = { reason, decided_by: by, decided_at: now }
  const stamp = { system_updated_at: now, system_updated_by: by }
  return {
    after: { ...row, ...set, ...stamp, state: to, version: row.version + 1 },
    change: {
      workspace,
      class: 'command',
      by,
      guards: [{ ...caseGuard(row), ...move(CASE_MOVES, row.state, to) }],
      rows: [updateGuardedRow(CASES, { where: { workspace, id: row.id }, set })],
      events: [{ type: EVENT_OF[to], resource_id: row.id, data: { ...aboutCase(row), by } }],
    },
  }
}
