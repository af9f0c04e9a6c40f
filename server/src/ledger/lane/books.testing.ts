/** Books for tests: a workspace with its house account and one customer, and its changes. */
import type { Clock } from '../../core/clock.ts'
import { decimal } from '../../core/decimal.ts'
import { newId } from '../../core/ids.ts'
import type { AccountId, WorkspaceId } from '../../core/ids.ts'
import type { Db } from '../../store/db.ts'
import { houseAccounts, openAccount, openBooks } from '../accounts/accounts.ts'
import { balancesOf } from '../accounts/balances.ts'
import type { Change } from '../changes.ts'

export type TestBooks = { workspace: WorkspaceId; house: AccountId; customer: AccountId }

export async function openTestBooks(
  db: Db,
  clock: Clock,
  workspace: WorkspaceId = newId<WorkspaceId>(),
): Promise<TestBooks> {
  const author = { workspace, by: 'test' }
  return db.tx(async (tx) => {
    await openBooks(author, { tx, clock })
    const { id } = await openAccount(
      author,
      { tx, clock },
      { type: 'CUSTOMER', label: 'Alice', customer_id: newId() },
    )
    return { workspace, house: (await houseAccounts(tx, workspace)).HOUSE, customer: id }
  })
}

type Movement = { from: string; to: string; quantity: string; asset?: string }

/** A command that debits one account and credits another. */
export function bookingChange(
  workspace: WorkspaceId,
  { from, to, quantity, asset = 'EUR' }: Movement,
  more: Partial<Change> = {},
): Change {
  const booking = {
    id: newId(),
    type: 'MANUAL' as const,
    asset,
    legs: [
      { account_id: from, type: 'DEBIT' as const, quantity: decimal(quantity) },
      { account_id: to, type: 'CREDIT' as const, quantity: decimal(quantity) },
    ],
  }
  return { workspace, class: 'command', by: 'test', ledger: [{ step: 'book', booking }], ...more }
}

/** The customer's balance in EUR. */
export async function customerTotal(db: Db, { workspace, customer }: TestBooks): Promise<bigint> {
  const balances = await balancesOf(db, workspace, customer)
  return balances.find((balance) => balance.asset === 'EUR')?.total ?? 0n
}
