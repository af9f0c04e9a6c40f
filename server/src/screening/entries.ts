/** Entries of the lists that count now, by what they are found. */
import type { WorkspaceId } from '../core/ids.ts'
import { closed, nullable, oneOf, requiredQueryText, text, Type } from '../http/index.ts'
import type { Static } from '../http/index.ts'
import type { Reader } from '../store/db.ts'
import { sql } from '../store/sql.ts'
import { LIST_NAMES } from './lists.schema.ts'
import type { ListName } from './lists.schema.ts'
import { TERM_KINDS } from './lists.ts'
import type { Term, TermKind } from './lists.ts'
import { normalAddress, normalBic, normalName } from './names.ts'
import type { ListedEntry } from './read-list.ts'

/** A name that many bear. */
const MAXIMUM_ENTRIES = 200

export const FoundEntryShape = closed(
  {
    list: oneOf(LIST_NAMES),
    list_version: text(20, 'The number of the version of the list'),
    entry: text(200, "The list's own number of the entry"),
    kind: oneOf(TERM_KINDS, 'What was the same'),
    listed: text(1_000, 'As the list has it'),
    names: Type.Array(text(500), { description: 'Of the entry' }),
    addresses: Type.Array(closed({ kind: text(20), address: text(1_000) }), {
      description: 'Of coins, with their currency; of banks, with BIC',
    }),
    type: nullable(text(200)),
    programs: Type.Array(text(200)),
    remarks: nullable(text(4_000, 'What the list says further')),
  },
  { title: 'ScreeningListEntry' },
)
type FoundEntry = Static<typeof FoundEntryShape>

export const EntriesQuery = closed({ q: requiredQueryText(2, 500) })

type Found = {
  list: ListName
  version: number
  key: string
  since: number
  entry: ListedEntry
  kind: TermKind
  term: string
  listed: string
}

/** Exactly these terms. */
export function entriesByTerms(
  reader: Reader,
  workspace: WorkspaceId,
  terms: readonly Pick<Term, 'kind' | 'term'>[],
): Promise<Found[]> {
  return reader.query<Found>(sql`
    select e.list, e.key, e.since, e.entry, t.kind, t.term, t.listed, (
        select max(l.number)
        from screening_lists l
        where l.workspace = e.workspace
          and l.list = e.list
      ) as version
    from unnest(${terms.map(({ kind }) => kind)}::text[], ${terms.map(({ term }) => term)}::text[])
      as asked (kind, term)
    join screening_terms t on t.workspace = ${workspace}
      and t.kind = asked.kind
      and t.term = asked.term
    join screening_entries e on e.workspace = t.workspace
      and e.id = t.entry_id
      and e.until is null
    order by e.list, e.key, t.kind, t.term`)
}

/** Whatever it is: a name, an address or the code of a bank. */
export async function findEntries(
  reader: Reader,
  workspace: WorkspaceId,
  words: string,
): Promise<FoundEntry[]> {
  const terms = [
    { kind: 'NAME' as const, term: normalName(words) },
    { kind: 'ADDRESS' as const, term: normalAddress(words) },
    { kind: 'BIC' as const, term: normalBic(words) },
  ]
  const asked = terms.filter(({ term }) => term !== '')
  const found = await entriesByTerms(reader, workspace, asked)
  return found.slice(0, MAXIMUM_ENTRIES).map(({ list, version, key, kind, listed, entry }) => ({
    list,
    list_version: String(version),
    entry: key,
    kind,
    listed,
    names: entry.names,
    addresses: entry.addresses,
    type: entry.type,
    programs: entry.programs,
    remarks: entry.remarks,
  }))
}
