/** The customer to whom a movement, or a part of it, may be assigned. */
import { refuse } from '../../core/errors.ts'
import type { AccountId, WorkspaceId } from '../../core/ids.ts'
import { customersOfAccounts } from '../../customers/index.ts'
import type { Customer } from '../../customers/index.ts'
import { accountById } from '../../ledger/index.ts'
import type { Reader } from '../../store/db.ts'

/**
 * The active customer behind the account; 4004 for an unknown account, 3001 for one of the house.
 */
export async function customerOfAccount(
  reader: Reader,
  workspace: WorkspaceId,
  account_id: AccountId,
  path: string,
): Promise<Customer> {
  const account = await accountById(reader, workspace, account_id, path)
  const customer = (await customersOfAccounts(reader, workspace, [account_id])).get(account_id)
  if (customer === undefined)
    throw refuse(
      'RANGE',
      path,
      `account ${account_id} is ${account.type}: only customers' accounts can be assigned`,
    )
  if (customer.state !== 'ACTIVE')
    throw refuse('NOT_ACTIVE', path, `customer ${customer.id} was deleted`)
  return customer
}
