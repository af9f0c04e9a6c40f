import type { Clock } from '../../core/clock.ts'
import { decimal, format } from '../../core/decimal.ts'
import type { Decimal } from '../../core/decimal.ts'
import { notFound, refuse } from '../../core/errors.ts'
import { newId } from '../../core/ids.ts'
import type { AccountId, CustomerId, VenueId, WorkspaceId } from '../../core/ids.ts'
import type { Reader, Tx } from '../../store/db.ts'
import { only } from '../../store/db.ts'
import { raw, sql } from '../../store/sql.ts'
import type { Query } from '../../store/sql.ts'
import { GENESIS_HASH } from '../lane/chain.ts'
import { lockLane, publishEvents } from '../events.ts'
import { HOUSE_ACCOUNTS } from '../ledger.schema.ts'
import type { Account, AccountType, HouseAccount } from '../ledger.schema.ts'

export const ACCOUNT_COLUMNS = raw(
  'id, workspace, type, label, customer_id, venue_id, foreign_id, frozen, frozen_reason, system_created_at, system_created_by, system_updated_at, system_updated_by, version',
)

export type AccountDraft = {
  id?: string
  workspace: WorkspaceId
  type: AccountType
  label: string
  customer_id?: string
  venue_id?: VenueId
  foreign_id?: string
  /** The customer's ignore_balance_check. */
  overdraft?: boolean
}

/** Opens the books of a new workspace: its lane and the house's own accounts. */
export async function openBooks(
  tx: Tx,
  clock: Clock,
  workspace: WorkspaceId,
  by: string,
): Promise<void> {
  await tx.query(
    sql`
      insert into lanes (
        workspace, booking_sequence, event_sequence, batch_no, last_hash, committed_at
      )
      values (${workspace}, 0, 0, 0, ${GENESIS_HASH}, 0)`,
  )
  for (const type of HOUSE_ACCOUNTS)
    await openAccount(
      tx,
      clock,
      { workspace, type, label: type.charAt(0) + type.slice(1).toLowerCase() },
      by,
    )
}

export async function openAccount(
  tx: Tx,
  clock: Clock,
  draft: AccountDraft,
  by: string,
): Promise<Account> {
  const now = clock.now()
  const rows = await tx.query<Account>(sql`
    insert into accounts (
      workspace, id, type, label, customer_id, venue_id, foreign_id, overdraft, system_created_at,
      system_created_by, system_updated_at, system_updated_by
    )
    values (
      ${draft.workspace}, ${draft.id ?? newId()}, ${draft.type}, ${draft.label},
      ${draft.customer_id ?? null}, ${draft.venue_id ?? null}, ${draft.foreign_id ?? null},
      ${draft.overdraft ?? false}, ${now}, ${by}, ${now}, ${by}
    )
    returning ${ACCOUNT_COLUMNS}`)
  return rows[0] as Account
}

/** The accounts of a venue, opened when they are not there yet. */
export async function openVenueAccounts(
  tx: Tx,
  clock: Clock,
  workspace: WorkspaceId,
  venue_id: VenueId,
  label: string,
  by: string,
): Promise<void> {
  for (const type of ['VENUE', 'TRADING'] as const) {
    const known = await tx.query(
      sql`
        select 1
        from accounts
        where workspace = ${workspace}
          and venue_id = ${venue_id}
          and type = ${type}`,
    )
    if (known.length === 0)
      await openAccount(
        tx,
        clock,
        { workspace, type, venue_id, label: type === 'VENUE' ? label : `${label} trading` },
        by,
      )
  }
}

/** Throws 4004 when the workspace has no such account; `path` names the field that asked. */
export async function accountById(
  reader: Reader,
  workspace: WorkspaceId,
  id: AccountId,
  path = 'account_id',
): Promise<Account> {
  const account = only(
    await reader.query<Account>(
      sql`
        select ${ACCOUNT_COLUMNS}
        from accounts
        where workspace = ${workspace}
          and id = ${id}`,
    ),
  )
  if (account === undefined) throw notFound('account', id, path)
  return account
}

export async function customerAccount(
  reader: Reader,
  workspace: WorkspaceId,
  customer_id: CustomerId,
): Promise<Account | undefined> {
  return only(
    await reader.query<Account>(
      sql`
        select ${ACCOUNT_COLUMNS}
        from accounts
        where workspace = ${workspace}
          and customer_id = ${customer_id}`,
    ),
  )
}

/** Per connection pool: these accounts, once opened, are never others. */
const accountsByReader = new WeakMap<Reader, Map<string, Record<string, string>>>()

async function cachedAccounts<Type extends string>(
  reader: Reader,
  key: string,
  all: number,
  query: Query,
): Promise<Record<Type, string>> {
  const kept = accountsByReader.get(reader) ?? new Map<string, Record<string, string>>()
  accountsByReader.set(reader, kept)
  const seen = kept.get(key)
  if (seen !== undefined) return seen
  const rows = await reader.query<{ type: string; id: string }>(query)
  const accounts = Object.fromEntries(rows.map((row) => [row.type, row.id]))
  if (rows.length === all) kept.set(key, accounts)
  return accounts as Record<Type, string>
}

/** The id of each house account of the workspace. */
export function houseAccounts(
  reader: Reader,
  workspace: WorkspaceId,
): Promise<Record<HouseAccount, string>> {
  return cachedAccounts(
    reader,
    workspace,
    HOUSE_ACCOUNTS.length,
    sql`
      select type, id
      from accounts
      where workspace = ${workspace}
        and customer_id is null
        and venue_id is null`,
  )
}

/** The ids of a venue's VENUE and TRADING accounts. */
export function venueAccounts(
  reader: Reader,
  workspace: WorkspaceId,
  venue_id: VenueId,
): Promise<{ VENUE: string; TRADING: string }> {
  return cachedAccounts(
    reader,
    `${workspace} ${venue_id}`,
    2,
    sql`
      select type, id
      from accounts
      where workspace = ${workspace}
        and venue_id = ${venue_id}`,
  )
}

/**
 * Renames a customer's account, and sets whether its debits are bounded. Takes the lane's lock
 * before the balances.
 */
export async function changeAccount(
  tx: Tx,
  clock: Clock,
  workspace: WorkspaceId,
  id: AccountId,
  change: { label: string; overdraft: boolean },
  by: string,
): Promise<void> {
  await tx.query(sql`
    select 1
    from lanes
    where workspace = ${workspace}
    for update`)
  await tx.query(sql`
    update accounts
    set label = ${change.label}, overdraft = ${change.overdraft}, version = version + 1,
      system_updated_at = ${clock.now()}, system_updated_by = ${by}
    where workspace = ${workspace}
      and id = ${id}`)
  await tx.query(sql`
    update balances
    set floor = case when ${change.overdraft} then null else least(
      0, total - held_withdrawal - held_trading
    ) end
    where workspace = ${workspace}
      and account_id = ${id}`)
}

/**
 * Freezes a customer's account or lets it go, and tells so. Takes the lane's lock, so that whatever
 * command comes after it in the lane sees it. Throws 4004, and 3001 RANGE for an account that is no
 * customer's; what is so already changes only its reason.
 */
export async function freezeAccount(
  tx: Tx,
  clock: Clock,
  workspace: WorkspaceId,
  id: AccountId,
  { frozen, reason }: { frozen: boolean; reason: string },
  by: string,
): Promise<Account> {
  await lockLane(tx, workspace)
  const before = await accountById(tx, workspace, id)
  if (before.type !== 'CUSTOMER')
    throw refuse(
      'RANGE',
      'account_id',
      `account ${id} is ${before.type}: only customers' accounts are frozen`,
    )
  const rows = await tx.query<Account>(sql`
    update accounts
    set frozen = ${frozen}, frozen_reason = ${frozen ? reason : null}, version = version + 1,
      system_updated_at = ${clock.now()}, system_updated_by = ${by}
    where workspace = ${workspace}
      and id = ${id}
    returning ${ACCOUNT_COLUMNS}`)
  if (frozen !== before.frozen)
    await publishEvents(tx, clock, workspace, [
      {
        type: frozen ? 'account.frozen' : 'account.unfrozen',
        resource_id: id,
        data: { label: before.label, customer_id: before.customer_id, reason, by },
      },
    ])
  return rows[0] as Account
}

export type Balance = {
  asset: string
  total: Decimal
  held_withdrawal: Decimal
  held_trading: Decimal
  unsettled: Decimal
}

export async function balancesOf(
  reader: Reader,
  workspace: WorkspaceId,
  account_id: AccountId,
): Promise<Balance[]> {
  const rows = await reader.query<
    Record<'asset' | 'total' | 'held_withdrawal' | 'held_trading' | 'unsettled', string>
  >(sql`
    select asset, total, held_withdrawal, held_trading, unsettled
    from balances
    where workspace = ${workspace}
      and account_id = ${account_id}
    order by asset`)
  return rows.map((row) => ({
    asset: row.asset,
    total: decimal(row.total),
    held_withdrawal: decimal(row.held_withdrawal),
    held_trading: decimal(row.held_trading),
    unsettled: decimal(row.unsettled),
  }))
}

/** What the balance endpoint answers; domain decisions part 2. */
export function balanceShape(
  balances: readonly Balance[],
): Record<string, { withdrawing: string; trading: string; total: string }> {
  return Object.fromEntries(
    balances.map((balance) => {
      const trading = balance.total - balance.held_withdrawal - balance.held_trading
      return [
        balance.asset,
        {
          withdrawing: format(trading - balance.unsettled),
          trading: format(trading),
          total: format(balance.total),
        },
      ]
    }),
  )
}

/** Whether the account holds or owes anything, or has something blocked. */
export async function isAccountInUse(
  reader: Reader,
  workspace: WorkspaceId,
  account_id: AccountId,
): Promise<boolean> {
  const rows = await reader.query(sql`
      select 1
      from balances
      where workspace = ${workspace}
        and account_id = ${account_id}
        and (total <> 0 or held_withdrawal <> 0 or held_trading <> 0 or unsettled <> 0)
      limit 1`)
  return rows.length > 0
}
