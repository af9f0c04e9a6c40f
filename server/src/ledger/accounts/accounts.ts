import type { Clock } from '../../core/clock.ts'
import { notFound, refuse } from '../../core/errors.ts'
import { newId } from '../../core/ids.ts'
import type { AccountId, CustomerId, VenueId, WorkspaceId } from '../../core/ids.ts'
import { flag } from '../../http/index.ts'
import type { Caller } from '../../http/index.ts'
import { only } from '../../store/db.ts'
import type { Reader, Tx } from '../../store/db.ts'
import { columnsOf, insertRow, tableOf, updateRow } from '../../store/rows.ts'
import { sql } from '../../store/sql.ts'
import type { Query } from '../../store/sql.ts'
import { lockLane, publishEvents } from '../events.ts'
import { GENESIS_HASH } from '../lane/chain.ts'
import { AccountRecord, HOUSE_ACCOUNTS } from '../ledger.schema.ts'
import type { Account, AccountType, HouseAccount } from '../ledger.schema.ts'

/** `overdraft`: the debits of a customer's account are not bounded. */
export const ACCOUNTS = tableOf('accounts', AccountRecord, { inside: { overdraft: flag() } })
const ACCOUNT_COLUMNS = columnsOf(AccountRecord)

export const SELECT_ACCOUNTS = sql`
  select ${ACCOUNT_COLUMNS}
  from accounts`

type AccountDraft = {
  id?: string
  type: AccountType
  label: string
  customer_id?: string
  venue_id?: VenueId
  foreign_id?: string
  /** The customer's ignore_balance_check. */
  overdraft?: boolean
  /** A person opens it, for money of the house. */
  named?: boolean
}

type Author = Pick<Caller, 'workspace' | 'by'>
type Transaction = { tx: Tx; clock: Clock }

/** Opens the books of a new workspace: its lane and the house's own accounts. */
export async function openBooks(author: Author, app: Transaction): Promise<void> {
  await app.tx.query(
    sql`
      insert into lanes (
        workspace, booking_sequence, event_sequence, batch_no, last_hash, committed_at
      )
      values (${author.workspace}, 0, 0, 0, ${GENESIS_HASH}, 0)`,
  )
  for (const type of HOUSE_ACCOUNTS)
    await openAccount(author, app, {
      type,
      label: type.charAt(0) + type.slice(1).toLowerCase(),
    })
}

export async function openAccount(
  { workspace, by }: Author,
  { tx, clock }: Transaction,
  draft: AccountDraft,
): Promise<Account> {
  const {
    id = newId(),
    type,
    label,
    customer_id = null,
    venue_id = null,
    foreign_id = null,
    overdraft = false,
    named = false,
  } = draft
  const insert = insertRow(
    ACCOUNTS,
    { workspace, id, type, label, customer_id, venue_id, foreign_id, overdraft, named },
    { by, now: clock.now() },
  )
  const rows = await tx.query<Account>(sql`${insert} returning ${ACCOUNT_COLUMNS}`)
  return rows[0] as Account
}

/** Opens the accounts of a venue that do not exist yet. */
export async function openVenueAccounts(
  author: Author,
  app: Transaction,
  { id, label }: { id: VenueId; label: string },
): Promise<void> {
  for (const type of ['VENUE', 'TRADING'] as const) {
    const known = await app.tx.query(
      sql`
        select 1
        from accounts
        where workspace = ${author.workspace}
          and venue_id = ${id}
          and type = ${type}`,
    )
    if (known.length === 0)
      await openAccount(author, app, {
        type,
        venue_id: id,
        label: type === 'VENUE' ? label : `${label} trading`,
      })
  }
}

/** Throws 4004 when the workspace has no such account; `path` names the field of the request. */
export async function accountById(
  reader: Reader,
  workspace: WorkspaceId,
  id: AccountId,
  path = 'account_id',
): Promise<Account> {
  const account = only(
    await reader.query<Account>(
      sql`
        ${SELECT_ACCOUNTS}
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
        ${SELECT_ACCOUNTS}
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

/** The id of each house account that was opened with the books. */
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
        and venue_id is null
        and not named`,
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
  { workspace, by }: Author,
  { tx, clock }: Transaction,
  id: AccountId,
  { label, overdraft }: { label: string; overdraft: boolean },
): Promise<void> {
  await lockLane(tx, workspace)
  await tx.query(
    updateRow(ACCOUNTS, {
      where: { workspace, id },
      set: { label, overdraft },
      by,
      now: clock.now(),
    }),
  )
  await tx.query(sql`
    update balances
    set floor = case when ${overdraft} then null else least(
      0, total - held_withdrawal - held_trading
    ) end
    where workspace = ${workspace}
      and account_id = ${id}`)
}

/**
 * Freezes a customer's account or releases it, and publishes the event. Takes the lane's lock, so
 * that whatever command comes after it in the lane sees it. Throws 4004, and 3001 RANGE for an
 * account that is no customer's. A repeat changes only the reason.
 */
export async function freezeAccount(
  caller: Author,
  { tx, clock }: Transaction,
  id: AccountId,
  { frozen, reason }: { frozen: boolean; reason: string },
): Promise<Account> {
  const { workspace, by } = caller
  await lockLane(tx, workspace)
  const before = await accountById(tx, workspace, id)
  if (before.type !== 'CUSTOMER')
    throw refuse(
      'RANGE',
      'account_id',
      `account ${id} is ${before.type}: only customers' accounts can be frozen`,
    )
  const update = updateRow(ACCOUNTS, {
    where: { workspace, id },
    set: { frozen, frozen_reason: frozen ? reason : null },
    by,
    now: clock.now(),
  })
  const rows = await tx.query<Account>(sql`${update} returning ${ACCOUNT_COLUMNS}`)
  if (frozen !== before.frozen)
    await publishEvents({ workspace }, { tx, clock }, [
      {
        type: frozen ? 'account.frozen' : 'account.unfrozen',
        resource_id: id,
        data: { label: before.label, customer_id: before.customer_id, reason, by },
      },
    ])
  return rows[0] as Account
}
