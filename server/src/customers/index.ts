export { customerOfAccount, holderOfAccount, holdersOfAccounts } from './account-holders.ts'
export { bookTransfersEndpoints } from './book-transfers.http.ts'
export { BOOK_TRANSFER_TASK, bookTransferTask } from './book-transfer-task.ts'
export {
  activeCustomersRead,
  createCustomer,
  customerById,
  customersOfAccounts,
  markErased,
} from './customers.ts'
export { customersEndpoints } from './customers.http.ts'
export { BOOK_TRANSFER_MOVES } from './book-transfers.schema.ts'
export { customersDeskFeed, latestBookTransfers } from './desk-feed.ts'
export type { Customer } from './customers.schema.ts'
