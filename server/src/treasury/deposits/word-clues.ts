/** Whom a deposit names: by reference, tag, and the name of its sender. */
import type { AccountId, WorkspaceId } from '../../core/ids.ts'
import type { Reader } from '../../store/db.ts'
import { sql } from '../../store/sql.ts'
import { stateIn } from '../../store/states.ts'
import type { DepositRow } from '../deposit-rows/rows.ts'
import { MATCHING_MOVES } from '../matchings/matchings.schema.ts'
import { tokensOf } from '../matchings/rules.ts'
import type { Clue } from './suggestions.schema.ts'

const MAXIMUM_EXAMINED = 50
const SHORTEST_WORD = 3
const MAXIMUM_WORDS = 20

/**
 * Runs of words of its reference, tag and sender's name that customers and matchings are known by.
 */
export async function fromWords(
  reader: Reader,
  { workspace, reference_text, tag, counterparty }: DepositRow,
): Promise<Clue[]> {
  const given = [reference_text, tag].filter((text) => text !== null).join(' ')
  const runs = [...new Set([...wordSequences(given), ...wordSequences(counterparty?.name ?? '')])]
  if (runs.length === 0) return []
  const hits = await reader.query<{
    kind: 'customer' | 'matching'
    id: string
    field: string
    term: string
  }>(sql`
    select s.kind, s.id, s.field, s.term
    from (
      select distinct unnest(array[search_text(r), search_code(r)]) as term
      from unnest(${runs}::text[]) r
    ) t
    cross join unnest(array['customer', 'matching']) as k (kind)
    cross join lateral (
      select kind, id, field, term
      from search_terms
      where workspace = ${workspace}
        and kind = k.kind
        and term = t.term collate "C"
      order by term, id desc
      limit ${MAXIMUM_EXAMINED}
    ) s
    where length(t.term) >= ${SHORTEST_WORD}
      and s.field in (
        'foreign_id', 'label', 'first_name', 'last_name', 'company_name', 'joint_name', 'reference'
      )`)
  if (hits.length === 0) return []
  const idsOf = (kind: 'customer' | 'matching') =>
    hits
      .filter((hit) => hit.kind === kind && (kind === 'customer' || hit.field === 'reference'))
      .map(({ id }) => id)
  const customers = await customersAmong(reader, workspace, idsOf('customer'))
  const matchings = await matchingsAmong(reader, workspace, idsOf('matching'))
  const named = wholeReferences(given)
  return [
    ...customers.flatMap((customer) =>
      hits
        .filter((hit) => hit.id === customer.id)
        .flatMap((hit): Clue[] => customerClue(customer, hit, named)),
    ),
    ...matchings
      .filter(({ reference }) => named.has(unspaced(reference)))
      .map(({ resource_id, reference }): Clue => ({
        account_id: resource_id,
        code: 'MATCHING_REFERENCE',
        explanation: `a matching has the reference ${reference}`,
      })),
  ]
}

type Known = {
  id: string
  account_id: AccountId
  foreign_id: string | null
  names: string[]
  /** In the same order, as search has them. */
  sought_names: string[]
}

function customersAmong(
  reader: Reader,
  workspace: WorkspaceId,
  ids: readonly string[],
): Promise<Known[]> {
  return reader.query<Known>(sql`
    select id, account_id, foreign_id,
      array_remove(
        array[label, company_name, joint_name, concat_ws(' ', first_name, last_name)],
        null
      ) as names,
      array_remove(
        array[
          search_text(label), search_text(company_name), search_text(joint_name),
          search_text(concat_ws(' ', first_name, last_name))
        ],
        null
      ) as sought_names
    from customers
    where workspace = ${workspace}
      and id = any(${ids}::uuid[])`)
}

function matchingsAmong(reader: Reader, workspace: WorkspaceId, ids: readonly string[]) {
  return reader.query<{ resource_id: string; reference: string }>(sql`
    select resource_id, reference
    from matchings
    where workspace = ${workspace}
      and id = any(${ids}::uuid[])
      and ${stateIn(MATCHING_MOVES, 'ACTIVE')}
      and reference is not null`)
}

function customerClue(
  { account_id, foreign_id, names, sought_names }: Known,
  { field, term }: { field: string; term: string },
  named: ReadonlySet<string>,
): Clue[] {
  if (field === 'foreign_id') {
    if (foreign_id === null || !named.has(unspaced(foreign_id))) return []
    const explanation = `the text has the customer's reference ${foreign_id}`
    return [{ account_id, code: 'FOREIGN_ID', explanation }]
  }
  const whole = names[sought_names.indexOf(term)]
  if (whole !== undefined && term.includes(' '))
    return [{ account_id, code: 'NAME', explanation: `the text has the name ${whole}` }]
  const explanation = `the text has a part of the name: ${asWritten(term, names)}`
  return [{ account_id, code: 'PART_OF_NAME', explanation }]
}

/** Search has its words in small letters. */
function asWritten(term: string, names: readonly string[]): string {
  const words = names.flatMap((name) => name.split(/[^\p{L}\p{N}]+/u))
  return term
    .split(' ')
    .map((one) => words.find((word) => word.toLowerCase() === one) ?? one)
    .join(' ')
}

/**
 * Runs of one to four words, without the signs inside them. A part of a word names nothing: KELLER
 * is not in KELLER-2.
 */
function wholeReferences(text: string): ReadonlySet<string> {
  const words = tokensOf(text).slice(0, MAXIMUM_WORDS)
  return new Set(
    words.flatMap((_word, start) =>
      [1, 2, 3, 4].map((length) => unspaced(words.slice(start, start + length).join(' '))),
    ),
  )
}

const unspaced = (text: string): string => normalize(text).replaceAll(' ', '')

/** The words as search has them (migration 0180). */
const normalize = (text: string): string =>
  text
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== '')
    .join(' ')

/** Runs of one to four words, and each word as it stands there with the signs inside it. */
function wordSequences(text: string): string[] {
  const words = normalize(text)
    .split(' ')
    .filter((word) => word !== '')
    .slice(0, MAXIMUM_WORDS)
  const runs = words.flatMap((_word, start) =>
    [1, 2, 3, 4]
      .filter((length) => start + length <= words.length)
      .map((length) => words.slice(start, start + length).join(' ')),
  )
  const codes = text
    .split(/[\s,;:()]+/)
    .map((word) => word.replace(/^[^\p{L}\p{N}]+|[^\p{L}\p{N}]+$/gu, ''))
    .slice(0, MAXIMUM_WORDS)
  return [...runs, ...codes].filter((run) => run.length >= SHORTEST_WORD)
}
