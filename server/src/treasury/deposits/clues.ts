/**
 * What points from a deposit to an account: the withdrawal that it comes from, its source,
 * matchings of its addresses, the words of its reference and of its sender's name, and its amount.
 * Every look-up is bounded and indexed.
 */
import { decimal, format } from '../../core/decimal.ts'
import type { AccountId } from '../../core/ids.ts'
import { assetByCode } from '../../ledger/index.ts'
import type { Reader } from '../../store/db.ts'
import { sql } from '../../store/sql.ts'
import { stateIn } from '../../store/states.ts'
import { ASSIGNMENT_MOVES } from '../assignments/assignments.schema.ts'
import { MATCHING_MOVES } from '../matchings/matchings.schema.ts'
import { addressKey, tokensOf } from '../matchings/rules.ts'
import type { DepositRow } from '../deposit-rows/rows.ts'
import { fromWithdrawals } from './customer-withdrawals.ts'
import type { Clue } from './suggestions.schema.ts'

const MAXIMUM_EXAMINED = 50
const SHORTEST_WORD = 3
const MAXIMUM_WORDS = 20

export async function cluesOf(reader: Reader, row: DepositRow): Promise<Clue[]> {
  const clues = await Promise.all([
    fromWithdrawals(reader, row),
    fromSource(reader, row),
    fromMatchings(reader, row),
    fromWords(reader, row),
    fromAmount(reader, row),
  ])
  return clues.flat()
}

/** Who was given what came from there before, who was paid there, and whose wallet it is. */
async function fromSource(
  reader: Reader,
  { workspace, id, source_address }: DepositRow,
): Promise<Clue[]> {
  if (source_address === null || source_address === '') return []
  const before = await reader.query<{ account_id: AccountId; count: number }>(sql`
    select a.account_id, count(*)::integer as count
    from (
      select id
      from deposits
      where workspace = ${workspace}
        and source_address = ${source_address}
        and id <> ${id}
      order by id desc
      limit ${MAXIMUM_EXAMINED}
    ) d
    join assignments a on a.workspace = ${workspace}
      and a.deposit_id = d.id
    where ${stateIn(ASSIGNMENT_MOVES, 'SUCCESSFUL', 'a.state')}
      and a.rectification_id is null
    group by a.account_id`)
  const paid = await reader.query<{ account_id: AccountId }>(sql`
    select distinct a.account_id
    from (
      select id
      from withdrawals
      where workspace = ${workspace}
        and destination_address = ${source_address}
      order by id desc
      limit ${MAXIMUM_EXAMINED}
    ) w
    join assignments a on a.workspace = ${workspace}
      and a.withdrawal_id = w.id
    where ${stateIn(ASSIGNMENT_MOVES, 'SUCCESSFUL', 'a.state')}
      and a.rectification_id is null`)
  const wallets = await reader.query<{ account_id: AccountId; label: string }>(
    sql`
      select account_id, label
      from wallets
      where workspace = ${workspace}
        and address = ${source_address}
        and type = 'CUSTOMER'
      order by id
      limit ${MAXIMUM_EXAMINED}`,
  )
  return [
    ...before.map(({ account_id, count }): Clue => ({
      account_id,
      code: 'SAME_SOURCE',
      explanation:
        count === 1
          ? `an earlier deposit from ${source_address} belongs to it`
          : `${count} earlier deposits from ${source_address} belong to it`,
    })),
    ...paid.map(({ account_id }): Clue => ({
      account_id,
      code: 'PAID_BEFORE',
      explanation: `it was paid at ${source_address} before`,
    })),
    ...wallets.map(({ account_id, label }): Clue => ({
      account_id,
      code: 'CUSTOMERS_WALLET',
      explanation: `its wallet ${label} has the address ${source_address}`,
    })),
  ]
}

/**
 * Matchings of one of its addresses that did not fire: their reference is missing, or several
 * accounts have one.
 */
async function fromMatchings(
  reader: Reader,
  { workspace, asset, source_address, destination_address }: DepositRow,
): Promise<Clue[]> {
  const { kind } = await assetByCode(reader, workspace, asset)
  const keys = [source_address, destination_address].flatMap((address) =>
    address === null || address === '' ? [] : [addressKey(kind, address)],
  )
  const rows = await reader.query<{ resource_id: string; reference: string | null }>(sql`
    select resource_id, reference
    from matchings
    where workspace = ${workspace}
      and asset = ${asset}
      and not is_withdrawal_matching
      and address_key = any(${keys}::text[])
      and ${stateIn(MATCHING_MOVES, 'ACTIVE')}
      and (type like 'SOURCE%' or reference_key is null)
    order by id
    limit ${MAXIMUM_EXAMINED}`)
  return rows.map(({ resource_id, reference }) => ({
    account_id: resource_id,
    code: 'MATCHING_ADDRESS',
    explanation: `a matching names this address${
      reference === null ? '' : `, with the reference ${reference}`
    }`,
  }))
}

/**
 * Runs of words of its reference, tag and sender's name that customers and matchings are known by.
 */
async function fromWords(
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
  const customer_ids = hits.filter((hit) => hit.kind === 'customer').map((hit) => hit.id)
  const customers = await reader.query<Known>(sql`
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
      and id = any(${customer_ids}::uuid[])`)
  const matching_ids = hits
    .filter((hit) => hit.kind === 'matching' && hit.field === 'reference')
    .map((hit) => hit.id)
  const matchings = await reader.query<{ resource_id: string; reference: string }>(sql`
    select resource_id, reference
    from matchings
    where workspace = ${workspace}
      and id = any(${matching_ids}::uuid[])
      and ${stateIn(MATCHING_MOVES, 'ACTIVE')}
      and reference is not null`)
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

/** Who was given just as much of the asset before. */
async function fromAmount(
  reader: Reader,
  { workspace, id, asset, quantity }: DepositRow,
): Promise<Clue[]> {
  const rows = await reader.query<{ account_id: AccountId }>(sql`
    select distinct a.account_id
    from (
      select id
      from search_terms
      where workspace = ${workspace}
        and kind = 'deposit'
        and term = ${`=${format(decimal(quantity))};`} collate "C"
        and id <> ${id}
      order by term, id desc
      limit ${MAXIMUM_EXAMINED}
    ) s
    join deposits d on d.workspace = ${workspace}
      and d.id = s.id
      and d.asset = ${asset}
    join assignments a on a.workspace = ${workspace}
      and a.deposit_id = d.id
    where ${stateIn(ASSIGNMENT_MOVES, 'SUCCESSFUL', 'a.state')}
      and a.rectification_id is null`)
  return rows.map(({ account_id }) => ({
    account_id,
    code: 'SAME_AMOUNT',
    explanation: `an earlier deposit of ${format(decimal(quantity))} ${asset} belongs to it`,
  }))
}
