import { closed, listEndpoint, queryTime } from '../../http/index.ts'
import type { Endpoint } from '../../http/index.ts'
import type { Db } from '../../store/db.ts'
import { orderRecords, transactionRecords } from './records.ts'
import { OrderEntry, TransactionEntry } from './records.schema.ts'

const common = {
  tag: 'Records',
  permission: 'records.read',
  personal: true,
  query: closed({ from: queryTime(), to: queryTime() }),
} as const

const FORM =
  'from `from` (inclusive) to `to` (exclusive), oldest first, in the fields of the Annex of ' +
  'Delegated Regulation (EU) 2025/1140. A field that Kontor stores no value for is null. CSV by ' +
  '`Accept: text/csv`. Refused: RANGE.'

export function recordsEndpoints({ db }: { db: Db }): Endpoint[] {
  return [
    listEndpoint({
      ...common,
      operation_id: 'listOrderRecords',
      ordered_by: 'id and text',
      path: '/records/orders',
      origin: { ours: 'supervisors ask for the details of orders in one uniform form (MiCA)' },
      summary: 'List the records of orders',
      description: `Each order in crypto-assets of each customer that was placed ${FORM}`,
      data: OrderEntry,
      list: ({ principal: { workspace }, query }) => orderRecords({ reader: db, workspace }, query),
    }),
    listEndpoint({
      ...common,
      operation_id: 'listTransactionRecords',
      ordered_by: 'sequence and text',
      path: '/records/transactions',
      origin: {
        ours: 'supervisors ask for the details of transactions in one uniform form (MiCA)',
      },
      summary: 'List the records of transactions',
      description: `Each trade in crypto-assets at a venue that was made ${FORM}`,
      data: TransactionEntry,
      list: ({ principal: { workspace }, query }) =>
        transactionRecords({ reader: db, workspace }, query),
    }),
  ]
}
