/**
 * Search by anything that a record is known by: ids by the tables' keys, everything else by prefix
 * in one index of terms per kind (migration 0180), and by the indexes of the tables that grow with
 * every trade. Each look-up reads at most a page of an index: its cost does not grow with history.
 * Who may not see a kind does not find it.
 */
import { tryDecimal, format } from '../../core/decimal.ts'
import type { WorkspaceId } from '../../core/ids.ts'
import type { Principal } from '../../http/index.ts'
import type { Reader } from '../../store/db.ts'
import type { Searchable } from '../../store/desk-feed.ts'
import { join, raw, sql } from '../../store/sql.ts'
import type { Query } from '../../store/sql.ts'
import type { RecordKind } from './kinds.ts'
import { MINIMUM_SEARCH } from './search.schema.ts'
import type { Hit } from './search.schema.ts'

type Match = {
  kind: RecordKind
  id: string
  field: string
  matched: string
  exact: boolean
  rank: number
}

/** `kinds`: those that the caller may see. */
type SearchQuery = {
  reader: Reader
  workspace: WorkspaceId
  kinds: readonly Searchable[]
  text: string
  limit: number
}

/** Ranks: an id, then what is wholly the same, then the beginning of a field. */
const [BY_ID, WHOLE, BEGINNING] = [0, 1, 2]

/** Best first. `q` is trimmed, and has `MINIMUM_SEARCH` characters or more. */
export async function search(
  reader: Reader,
  { workspace, permissions }: Pick<Principal, 'workspace' | 'permissions'>,
  searchables: readonly Searchable[],
  { q: text, limit }: { q: string; limit: number },
): Promise<Hit[]> {
  const kinds = searchables.filter((searchable) => permissions.has(searchable.permission))
  if (kinds.length === 0) return []
  const query: SearchQuery = { reader, workspace, kinds, text, limit }
  const order = new Map(searchables.map((searchable, index) => [searchable.kind, index]))
  const matches = (
    await Promise.all([findById(query), findByTerm(query), findByLookup(query)])
  ).flat()
  const best = new Map<string, Match>()
  for (const match of matches.toSorted((a, b) => a.rank - b.rank))
    if (!best.has(`${match.kind} ${match.id}`)) best.set(`${match.kind} ${match.id}`, match)
  const ranked = [...best.values()].toSorted(
    (a, b) =>
      a.rank - b.rank ||
      (order.get(a.kind) ?? 0) - (order.get(b.kind) ?? 0) ||
      (a.id < b.id ? 1 : -1),
  )
  return describeMatches(query, chooseFairly(ranked, limit))
}

/** No kind takes all the places: of each rank the kinds in turn. */
function chooseFairly(ranked: readonly Match[], limit: number): Match[] {
  const chosen: Match[] = []
  for (const rank of [BY_ID, WHOLE, BEGINNING]) {
    const kinds = [
      ...Map.groupBy(
        ranked.filter((match) => match.rank === rank),
        (match) => match.kind,
      ).values(),
    ]
    const shares = sharesOf(
      kinds.map((matches) => matches.length),
      limit - chosen.length,
    )
    chosen.push(...kinds.flatMap((matches, index) => matches.slice(0, shares[index])))
  }
  return chosen
}

/** How many of each kind: one of each in turn, until the room is full or none is left. */
function sharesOf(sizes: readonly number[], room: number): number[] {
  const shares = sizes.map(() => 0)
  const rounds = Math.max(0, ...sizes)
  let taken = 0
  for (let round = 0; round < rounds; round += 1)
    sizes.forEach((size, kind) => {
      if (taken >= room || round >= size) return
      shares[kind] = round + 1
      taken += 1
    })
  return shares
}

/** A record may have the same beginning in several fields. */
const TERMS_OF_A_RECORD = 4

const ID_BEGINNING = /^[0-9a-f]{8}(-?[0-9a-f-]{0,28})$/

/** An id, or its beginning from eight digits on. */
async function findById({ reader, workspace, kinds, text, limit }: SearchQuery): Promise<Match[]> {
  const small = text.toLowerCase()
  const digits = small.replaceAll('-', '')
  if (!ID_BEGINNING.test(small) || digits.length > 32) return []
  const bound = (fill: string) =>
    digits.padEnd(32, fill).replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')
  const [low, high] = [bound('0'), bound('f')]
  const rows = await reader.query<{ kind: RecordKind; id: string }>(
    join(
      kinds.map(
        ({ kind, table }) =>
          sql`
            (
              select ${kind}::text as kind, id
              from ${raw(table)}
              where workspace = ${workspace}
                and id >= ${low}::uuid
                and id <= ${high}::uuid
              order by id
              limit ${limit}
            )`,
      ),
      ' union all ',
    ),
  )
  return rows.map(({ kind, id }) => ({
    kind,
    id,
    field: 'id',
    matched: id,
    exact: digits.length === 32,
    rank: BY_ID,
  }))
}

async function findByTerm({
  reader,
  workspace,
  kinds,
  text,
  limit,
}: SearchQuery): Promise<Match[]> {
  const amount = tryDecimal(text)
  const rows = await reader.query<{
    kind: RecordKind
    id: string
    field: string
    term: string
    exact: boolean
  }>(sql`
    select k.kind, t.id, t.field, t.term, t.term = f.form as exact
    from unnest(${kinds.map((searchable) => searchable.kind)}::text[]) as k (kind)
    cross join (
      select distinct form
      from unnest(
        array[search_text(${text}), search_code(${text}),
        ${amount === undefined ? null : `=${format(amount)};`}::text]
      ) as u (form)
      where length(form) >= ${MINIMUM_SEARCH}
    ) f
    cross join lateral (
      select s.term, s.id, s.field
      from search_terms s
      where s.workspace = ${workspace}
        and s.kind = k.kind
        and s.term >= f.form collate "C"
        and s.term < (f.form || chr(1114111)) collate "C"
      order by s.term, s.id desc
      limit ${limit * TERMS_OF_A_RECORD}
    ) t`)
  return rows.map(({ kind, id, field, term, exact }) => ({
    kind,
    id,
    field,
    matched: term.replace(/^=(.*);$/, '$1'),
    exact,
    rank: exact ? WHOLE : BEGINNING,
  }))
}

async function findByLookup({
  reader,
  workspace,
  kinds,
  text,
  limit,
}: SearchQuery): Promise<Match[]> {
  const parts = kinds.flatMap(({ kind, lookups = [] }) =>
    lookups.flatMap(({ field, find }): Query[] => {
      const found = find(workspace, text, limit)
      return found === undefined
        ? []
        : [
            sql`
              (
                select ${kind}::text as kind, ${field}::text as field, l.id, l.matched
                from (${found}) l
              )`,
          ]
    }),
  )
  if (parts.length === 0) return []
  const rows = await reader.query<{ kind: RecordKind; field: string; id: string; matched: string }>(
    join(parts, ' union all '),
  )
  return rows.map((row) => {
    const exact = row.matched.toLowerCase() === text.toLowerCase() || tryDecimal(text) !== undefined
    return { ...row, exact, rank: exact ? WHOLE : BEGINNING }
  })
}

type RecordSummary = {
  id: string
  title: string
  subtitle: string | null
  state: string | null
  at: number | null
  parent_kind: string | null
  parent_id: string | null
}

async function describeMatches(
  { reader, workspace, kinds }: SearchQuery,
  matches: readonly Match[],
): Promise<Hit[]> {
  const rows = new Map<string, RecordSummary>()
  await Promise.all(
    kinds.map(async ({ kind, show }) => {
      const ids = matches.filter((match) => match.kind === kind).map((match) => match.id)
      if (ids.length > 0)
        for (const row of await reader.query<RecordSummary>(show(workspace, ids)))
          rows.set(`${kind} ${row.id}`, row)
    }),
  )
  return matches.flatMap(({ kind, id, field, matched, exact }) => {
    const row = rows.get(`${kind} ${id}`)
    if (row === undefined) return []
    const { title, subtitle, state, at, parent_kind, parent_id } = row
    return [
      {
        kind,
        id,
        title,
        subtitle: subtitle === '' ? null : subtitle,
        state,
        at,
        matched_field: field,
        matched_text: matched,
        exact,
        parent:
          parent_kind === null || parent_id === null ? null : { kind: parent_kind, id: parent_id },
      },
    ]
  })
}
