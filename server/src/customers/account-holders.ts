/** Whose the accounts are to which movements may be assigned: a customer's, or the house's own. */
import { mustExist } from '../core/assert.ts'
import { refuse } from '../core/errors.ts'
import type { AccountId, CustomerId, WorkspaceId } from '../core/ids.ts'
import { accountById, houseAccountsAmong } from '../ledger/index.ts'
import type { Reader } from '../store/db.ts'
import { customersOfAccounts } from './customers.ts'

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
): Promise<AccountHolder> {
  const account = await accountById(reader, workspace, account_id, path)
  const holder = (await holdersOfAccounts(reader, workspace, [account_id])).get(account_id)
  if (holder === undefined)
    throw refuse(
      'RANGE',
      path,
      `account ${account_id} is ${account.type}: only accounts of customers, and those of type ` +
        'INCOME, EXPENSE or HOUSE, can be assigned',
    )
  if (!holder.active)
    throw refuse(
      'NOT_ACTIVE',
      path,
      `customer ${mustExist(account.customer_id, 'the house is active')} was deleted`,
    )
  return holder
}
