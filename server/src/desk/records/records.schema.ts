/** The shapes of the records of orders and transactions. */
import type { CustomerId, ExecutionId, FillId } from '../../core/ids.ts'
import { closed, id, nullable } from '../../http/index.ts'
import { shapesOf } from './fields.ts'
import { ORDER_FIELDS } from './order-fields.ts'
import { TRANSACTION_FIELDS } from './transaction-fields.ts'

const OURS = 'Leads to the record; no field of the Annex'

export const OrderEntry = closed(
  {
    execution_id: id<ExecutionId>(OURS),
    customer_id: id<CustomerId>(OURS),
    ...shapesOf('Table 2', ORDER_FIELDS),
  },
  { title: 'OrderEntry' },
)

export const TransactionEntry = closed(
  {
    fill_id: id<FillId>(OURS),
    execution_id: nullable(id<ExecutionId>(`${OURS}; null: an outside trade`)),
    ...shapesOf('Table 3', TRANSACTION_FIELDS),
  },
  { title: 'TransactionEntry' },
)

type Filled = Record<string, string | null>
export type OrderEntry = Filled & { execution_id: ExecutionId; customer_id: CustomerId }
export type TransactionEntry = Filled & { fill_id: FillId; execution_id: ExecutionId | null }
