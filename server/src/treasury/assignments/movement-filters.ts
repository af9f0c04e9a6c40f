/** Filters that the lists of deposits and of withdrawals have in common; an index serves each. */
import type { AccountId, CustomerId, WalletId, WorkspaceId } from '../../core/ids.ts'
import {
  quantityConditions,
  queryAssets,
  queryId,
  queryQuantity,
  queryTag,
  queryTime,
  tagCondition,
} from '../../http/index.ts'
import { customerAccount } from '../../ledger/index.ts'
import type { Reader } from '../../store/db.ts'
import { columnIn, raw, sql } from '../../store/sql.ts'
import type { Query } from '../../store/sql.ts'

export const MOVEMENT_FILTERS = {
  system_created_at_from: queryTime(),
  system_created_at_to: queryTime(),
  asset: queryAssets(),
  account_id: queryId<AccountId>(),
  customer_id: queryId<CustomerId>(),
  wallet_id: queryId<WalletId>(),
  quantity_from: queryQuantity(),
  quantity_to: queryQuantity(),
  tag: queryTag(),
}

export const MOVEMENT_FILTERS_TEXT =
  '`system_created_at_from` is inclusive, `system_created_at_to` exclusive. ' +
  '`account_id` and `customer_id`: those of which an account has a part or was to have one. ' +
  '`quantity_from` and `quantity_to` are both inclusive.'

type OwnerFilter = { account_id?: AccountId; customer_id?: CustomerId }

/** The account that the filters name: `null` is none, undefined any. */
export async function ownerOf(
  reader: Reader,
  workspace: WorkspaceId,
  { account_id, customer_id }: OwnerFilter,
): Promise<string | null | undefined> {
  if (customer_id === undefined) return account_id
  const account = await customerAccount(reader, workspace, customer_id)
  if (account === undefined) return null
  return account_id === undefined || account_id === account.id ? account.id : null
}

const COLUMN = { deposits: 'deposit_id', withdrawals: 'withdrawal_id' } as const

/**
 * What a list selects from. Those of one owner come from their assignments, in the order of the
 * list, and each is looked up (`offset 0` keeps it so): a page costs the same however many there
 * are and wherever it begins.
 */
export function movementsOf(
  of: keyof typeof COLUMN,
  workspace: WorkspaceId,
  owner: string | null | undefined,
  table = raw(of),
): Query {
  if (owner === undefined || owner === null) return table
  const column = raw(COLUMN[of])
  return sql`(
      select distinct ${column} as id
      from assignments
      where workspace = ${workspace}
        and account_id = ${owner}
        and ${column} is not null
        and rectification_id is null
      order by ${column} desc
    ) as owned
    join lateral (
      select *
      from ${table}
      where ${raw(of)}.workspace = ${workspace}
        and ${raw(of)}.id = owned.id
      offset 0
    ) as ${raw(of)} using (id)`
}

type ListFilter = OwnerFilter & {
  quantity_from?: string
  quantity_to?: string
  asset?: string[]
  tag?: string
}

const KIND = { deposits: 'deposit', withdrawals: 'withdrawal' } as const

/** `owner`: what `ownerOf` answered. */
export async function movementConditions(
  reader: Reader,
  of: keyof typeof COLUMN,
  workspace: WorkspaceId,
  { owner, asset, tag, ...filter }: ListFilter & { owner: string | null | undefined },
): Promise<Query[]> {
  return [
    sql`workspace = ${workspace}`,
    ...(owner === null ? [sql`false`] : []),
    ...(asset === undefined ? [] : [columnIn('asset', asset)]),
    ...tagCondition({ workspace, kind: KIND[of], id: 'id' }, tag),
    ...(await quantityConditions(
      reader,
      {
        table: of,
        column: 'quantity',
        of: { id: 'id', quantity: 'quantity' },
        among: [sql`workspace = ${workspace}`],
      },
      { from: filter.quantity_from, to: filter.quantity_to },
    )),
  ]
}
