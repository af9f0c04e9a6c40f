/**
 * Accounts of the house that a person opens and names: INCOME for what is earned, EXPENSE for what
 * is spent, HOUSE for own funds. Deposits and withdrawals can be assigned to them.
 */
import type { Clock } from '../../core/clock.ts'
import { refuse } from '../../core/errors.ts'
import type { AccountId, WorkspaceId } from '../../core/ids.ts'
import type { Caller } from '../../http/index.ts'
import { constraintOf } from '../../store/db.ts'
import type { Reader, Tx } from '../../store/db.ts'
import { updateRow } from '../../store/rows.ts'
import { sql } from '../../store/sql.ts'
import { lockLane, publishEvents } from '../events.ts'
import { NAMED_ACCOUNTS } from '../ledger.schema.ts'
import type { Account, OpenAccountBody, RenameAccountBody } from '../ledger.schema.ts'
import { accountById, ACCOUNTS, openAccount } from './accounts.ts'

type Author = Pick<Caller, 'workspace' | 'by'>
type Transaction = { tx: Tx; clock: Clock }

/** Refuses DUPLICATE for a label that another named account has, in any case. */
export async function openNamedAccount(
  author: Author,
  { tx, clock }: Transaction,
  { type, label }: OpenAccountBody,
): Promise<Account> {
  const { workspace, by } = author
  await lockLane(tx, workspace)
  const account = await refuseDuplicates(label, () =>
    openAccount(author, { tx, clock }, { type, label, named: true }),
  )
  await publishEvents({ workspace }, { tx, clock }, [
    { type: 'account.opened', resource_id: account.id, data: { type, label, by } },
  ])
  return account
}

/**
 * Bookings keep the label that the account had. Throws 4004, 3001 RANGE for an account that nobody
 * named, and DUPLICATE.
 */
export async function renameAccount(
  { workspace, by }: Author,
  { tx, clock }: Transaction,
  id: AccountId,
  { label }: RenameAccountBody,
): Promise<Account> {
  await lockLane(tx, workspace)
  const before = await accountById(tx, workspace, id)
  if (!before.named)
    throw refuse(
      'RANGE',
      'account_id',
      `account ${id} is ${before.type}: only accounts that a user opened can be renamed`,
    )
  const update = updateRow(ACCOUNTS, {
    where: { workspace, id },
    set: { label },
    by,
    now: clock.now(),
  })
  await refuseDuplicates(label, () => tx.query(update))
  if (label !== before.label)
    await publishEvents({ workspace }, { tx, clock }, [
      { type: 'account.renamed', resource_id: id, data: { label, before: before.label, by } },
    ])
  return accountById(tx, workspace, id)
}

async function refuseDuplicates<T>(label: string, write: () => Promise<T>): Promise<T> {
  try {
    return await write()
  } catch (error) {
    if (constraintOf(error) === 'accounts_named')
      throw refuse('DUPLICATE', 'label', `another account of the house is named ${label}`)
    throw error
  }
}

/** Those of these accounts to which money of the house can be assigned. */
export async function houseAccountsAmong(
  reader: Reader,
  workspace: WorkspaceId,
  account_ids: readonly AccountId[],
): Promise<Set<string>> {
  if (account_ids.length === 0) return new Set()
  const rows = await reader.query<{ id: string }>(sql`
    select id
    from accounts
    where workspace = ${workspace}
      and id = any(${account_ids}::uuid[])
      and type = any(${NAMED_ACCOUNTS})`)
  return new Set(rows.map((row) => row.id))
}
