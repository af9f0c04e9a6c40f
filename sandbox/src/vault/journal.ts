/** Stores each transaction and each change of one, and tells who listens. */
import type { World } from '../world.ts'
import type { Transaction } from './transaction-row.ts'
import type { TransactionTable } from './transaction-table.ts'

export type OnChange = (transaction: Transaction, created: boolean) => void

export type Journal = {
  add(row: Transaction): Transaction
  save(before: Transaction, change: Partial<Transaction>): void
}

export const openJournal = (world: World, table: TransactionTable, changed: OnChange): Journal => ({
  add(row) {
    table.insert(row)
    changed(row, true)
    return row
  },
  save(before, change) {
    const row = { ...before, ...change, last_updated: world.now() }
    table.update(row)
    changed(row, false)
  },
})
