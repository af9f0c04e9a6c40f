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
import { addressKey } from '../matchings/rules.ts'
import type { DepositRow } from '../deposit-rows/rows.ts'
import { fromWithdrawals } from './customer-withdrawals.ts'
import type { Clue } from './suggestions.schema.ts'
import { fromWords } from './word-clues.ts'

const MAXIMUM_EXAMINED = 50

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
