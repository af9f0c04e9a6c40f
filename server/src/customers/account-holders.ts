/** Whose an account is: a customer's, or the house's own. */
import { refuse } from '../core/errors.ts'
import type { AccountId, CustomerId, WorkspaceId } from '../core/ids.ts'
import { accountById, houseAccountsAmong, NAMED_ACCOUNTS } from '../ledger/index.ts'
import type { Reader } from '../store/db.ts'
import { customerById, customersOfAccounts } from './customers.ts'

/** `customer_id` is null for the house. `active` is false for a customer who was deleted. */
type AccountHolder = { customer_id: CustomerId | null; active: boolean }

/** By account id; accounts to which nothing can be assigned are left out. */
export async function holdersOfAccounts(
  reader: Reader,
  workspace: WorkspaceId,
  account_ids: readonly AccountId[],
): Promise<Map<string, AccountHolder>> {
  const customers = await customersOfAccounts(reader, workspace, account_ids)
  const others = account_ids.filter((account_id) => !customers.has(account_id))
  const house = await houseAccountsAmong(reader, workspace, others)
  const holders = new Map<string, AccountHolder>()
  for (const [account_id, { id, state }] of customers)
    holders.set(account_id, { customer_id: id, active: state === 'ACTIVE' })
  for (const account_id of house) holders.set(account_id, { customer_id: null, active: true })
  return holders
}

/**
 * 4004 for an unknown account, 3001 RANGE for one to which nothing can be assigned, NOT_ACTIVE for
 * that of a deleted customer.
 */
export async function holderOfAccount(
  reader: Reader,
  workspace: WorkspaceId,
  account_id: AccountId,
  path: string,
): Promise<Pick<AccountHolder, 'customer_id'>> {
  const { type, customer_id } = await accountById(reader, workspace, account_id, path)
  if (customer_id !== null) return activeCustomer(reader, workspace, customer_id, path)
  if ((NAMED_ACCOUNTS as readonly string[]).includes(type)) return { customer_id: null }
  throw refuse(
    'RANGE',
    path,
    `account ${account_id} is ${type}: only accounts of customers, and those of type INCOME, ` +
      'EXPENSE or HOUSE, can be assigned',
  )
}

/** The active customer of the account; 3001 RANGE for any other account. */
export async function customerOfAccount(
  reader: Reader,
  workspace: WorkspaceId,
  account_id: AccountId,
  path: string,
): Promise<{ customer_id: CustomerId }> {
  const { type, customer_id } = await accountById(reader, workspace, account_id, path)
  if (customer_id !== null) return activeCustomer(reader, workspace, customer_id, path)
  throw refuse('RANGE', path, `account ${account_id} is ${type}, not the account of a customer`)
}

async function activeCustomer(
  reader: Reader,
  workspace: WorkspaceId,
  customer_id: CustomerId,
  path: string,
): Promise<{ customer_id: CustomerId }> {
  const { state } = await customerById(reader, workspace, customer_id, path)
  if (state !== 'ACTIVE') throw refuse('NOT_ACTIVE', path, `customer ${customer_id} was deleted`)
  return { customer_id }
}
