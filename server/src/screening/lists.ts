/**
 * The versions of lists. A load compares what was read with what counts until now, and stores what
 * is new; the lane is taken for the event alone, at the end.
 */
import { createHash } from 'node:crypto'
import { mustExist } from '../core/assert.ts'
import type { Clock } from '../core/clock.ts'
import { newId } from '../core/ids.ts'
import type { ScreeningListId, WorkspaceId } from '../core/ids.ts'
import { canonicalJson } from '../core/json.ts'
import { storableText } from '../core/storable.ts'
import { UsageError } from '../core/usage.ts'
import { closed, id, text, Type } from '../http/index.ts'
import { publishEvents } from '../ledger/index.ts'
import { only } from '../store/db.ts'
import type { Reader, Tx } from '../store/db.ts'
import { columnsOf, insertRow, insertRows, tableOf } from '../store/rows.ts'
import { sql } from '../store/sql.ts'
import { MAXIMUM_FAULTS, ScreeningListRecord } from './lists.schema.ts'
import type { ListName, ScreeningList } from './lists.schema.ts'
import { normalAddress, normalBic, normalName } from './names.ts'
import type { RecognisedList } from './read-files.ts'
import type { ListedEntry } from './read-list.ts'

/** A list that loses more than this at once was probably not loaded whole. */
const SMALLEST_SHARE = 0.9
const ROWS_AT_ONCE = 2_000

const LISTS = tableOf('screening_lists', ScreeningListRecord, { computed: ['current'] })
export const LIST_COLUMNS = columnsOf(ScreeningListRecord, {
  computed: {
    current: sql`not exists (
      select
      from screening_lists later
      where later.workspace = screening_lists.workspace
        and later.list = screening_lists.list
        and later.number > screening_lists.number
    )`,
  },
})

const ENTRIES = tableOf(
  'screening_entries',
  closed({
    workspace: id<WorkspaceId>(),
    id: id(),
    list: text(),
    key: text(),
    digest: text(),
    entry: Type.Unsafe<ListedEntry>({ type: 'object' }),
    since: Type.Integer(),
  }),
)

export const TERM_KINDS = ['NAME', 'ADDRESS', 'BIC'] as const
export type TermKind = (typeof TERM_KINDS)[number]
export type Term = { kind: TermKind; term: string; listed: string }

const TERMS = tableOf(
  'screening_terms',
  closed({
    workspace: id<WorkspaceId>(),
    entry_id: id(),
    kind: text(),
    term: text(),
    listed: text(),
  }),
)

/** By what an entry is found. */
function termsOf({ names, addresses }: ListedEntry): Term[] {
  const terms = new Map<string, Term>()
  const add = (kind: TermKind, term: string, listed: string): void => {
    if (term !== '' && !terms.has(`${kind} ${term}`))
      terms.set(`${kind} ${term}`, { kind, term, listed })
  }
  for (const name of names) add('NAME', normalName(name), name)
  for (const { kind, address } of addresses)
    if (kind === 'BIC') add('BIC', normalBic(address), address)
    else add('ADDRESS', normalAddress(address), address)
  return [...terms.values()]
}

export type LoadedList =
  | { outcome: 'loaded'; list: ScreeningList }
  | { outcome: 'known'; list: ScreeningList }

type Loading = { by: string; smaller: boolean }

/**
 * Stores what was read as the next version. Files that are loaded already change nothing. Throws
 * UsageError for a list without entries, and for one that has lost a tenth, unless `smaller`.
 */
export async function loadList(
  { tx, clock }: { tx: Tx; clock: Clock },
  workspace: WorkspaceId,
  read: RecognisedList,
  { by, smaller }: Loading,
): Promise<LoadedList> {
  const lock = `screening list ${workspace} ${read.list}`
  await tx.query(sql`
    select pg_advisory_xact_lock(hashtextextended(${lock}, 0))`)
  const last = await lastVersion(tx, workspace, read.list)
  if (last?.sha256 === read.sha256) return { outcome: 'known', list: last }
  const number = (last?.number ?? 0) + 1
  const { fresh, ended, counts } = await compared(tx, workspace, read)
  assertWhole(read, counts, smaller)
  await endEntries(tx, workspace, ended, number)
  await storeEntries({ tx, clock }, workspace, { list: read.list, number, entries: fresh })
  const { list, published, sha256, files, faults } = read
  const row = {
    workspace,
    id: newId<ScreeningListId>(clock.now()),
    list,
    number,
    published,
    sha256,
    files,
    ...counts,
    terms: await countTerms(tx, workspace, list),
    fault_count: faults.length,
    faults: faults.slice(0, MAXIMUM_FAULTS).map(({ file, line, reason }) => ({
      file,
      line,
      reason: storableText(reason).slice(0, 500),
    })),
  }
  await tx.query(insertRow(LISTS, row, { by, now: clock.now() }))
  const { entries, added, changed, removed, kept } = counts
  await publishEvents({ workspace, by }, { tx, clock }, [
    {
      type: 'screening_list.loaded',
      resource_id: row.id,
      data: { list, number, entries, added, changed, removed, kept, faults: faults.length },
    },
  ])
  const stored = await lastVersion(tx, workspace, list)
  return { outcome: 'loaded', list: mustExist(stored, 'the version was stored') }
}

/** The version with which movements are screened. */
export async function lastVersion(
  reader: Reader,
  workspace: WorkspaceId,
  list: ListName,
): Promise<ScreeningList | undefined> {
  const rows = await reader.query<ScreeningList>(sql`
    select ${LIST_COLUMNS}
    from screening_lists
    where workspace = ${workspace}
      and list = ${list}
    order by number desc
    limit 1`)
  return only(rows)
}

const digestOf = (entry: ListedEntry): string =>
  createHash('sha256').update(canonicalJson(entry)).digest('hex')

type Counts = Record<'entries' | 'added' | 'changed' | 'removed' | 'kept', number>

/** What cannot be read in this version stays as it was: a fault takes nobody off a list. */
async function compared(tx: Tx, workspace: WorkspaceId, { list, entries, faults }: RecognisedList) {
  const known = await tx.query<{ key: string; digest: string; id: string }>(sql`
    select key, digest, id
    from screening_entries
    where workspace = ${workspace}
      and list = ${list}
      and until is null`)
  const before = new Map(known.map((entry) => [entry.key, entry]))
  const unreadable = new Set(faults.flatMap(({ key }) => key ?? []))
  const read = new Set(entries.map((entry) => entry.key))
  const digested = entries.map((entry) => ({ entry, digest: digestOf(entry) }))
  const fresh = digested.filter(({ entry, digest }) => before.get(entry.key)?.digest !== digest)
  const missing = known.filter(({ key }) => !read.has(key))
  const gone = missing.filter(({ key }) => !unreadable.has(key))
  const replaced = fresh.flatMap(({ entry }) => before.get(entry.key) ?? [])
  const kept = missing.length - gone.length
  const counts: Counts = {
    entries: entries.length + kept,
    added: fresh.length - replaced.length,
    changed: replaced.length,
    removed: gone.length,
    kept,
  }
  return { fresh, ended: [...gone, ...replaced].map((entry) => entry.id), counts }
}

function assertWhole(
  { list, entries: read }: RecognisedList,
  { entries, added, removed }: Counts,
  smaller: boolean,
): void {
  if (read.length === 0) throw new UsageError(`the files of ${list} have no entry that can be read`)
  const before = entries - added + removed
  if (!smaller && entries < before * SMALLEST_SHARE)
    throw new UsageError(
      `${list} had ${before} entries and would have ${entries}: nothing was changed. ` +
        'When the list has really become so much shorter, say --smaller',
    )
}

async function endEntries(
  tx: Tx,
  workspace: WorkspaceId,
  ids: readonly string[],
  number: number,
): Promise<void> {
  await tx.query(sql`
    update screening_entries
    set until = ${number}
    where workspace = ${workspace}
      and id = any(${ids}::uuid[])`)
}

type Fresh = {
  list: ListName
  number: number
  entries: readonly { entry: ListedEntry; digest: string }[]
}

async function storeEntries(
  { tx, clock }: { tx: Tx; clock: Clock },
  workspace: WorkspaceId,
  { list, number, entries }: Fresh,
): Promise<void> {
  const stamp = { by: null, now: clock.now() }
  for (let from = 0; from < entries.length; from += ROWS_AT_ONCE) {
    const rows = entries.slice(from, from + ROWS_AT_ONCE).map(({ entry, digest }) => ({
      workspace,
      id: newId(clock.now()),
      list,
      key: entry.key,
      digest,
      entry,
      since: number,
    }))
    const terms = rows.flatMap(({ id: entry_id, entry }) =>
      termsOf(entry).map((term) => ({ workspace, entry_id, ...term })),
    )
    await tx.query(insertRows(ENTRIES, rows, stamp))
    if (terms.length > 0) await tx.query(insertRows(TERMS, terms, stamp))
  }
}

async function countTerms(tx: Tx, workspace: WorkspaceId, list: ListName): Promise<number> {
  const [counted] = await tx.query<{ count: number }>(sql`
    select count(*) as count
    from screening_terms t
    join screening_entries e on e.workspace = t.workspace
      and e.id = t.entry_id
    where e.workspace = ${workspace}
      and e.list = ${list}
      and e.until is null`)
  return Number(counted?.count ?? 0)
}
