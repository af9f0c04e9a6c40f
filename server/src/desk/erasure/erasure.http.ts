import type { CustomerId } from '../../core/ids.ts'
import { closed, endpoint, id, listEndpoint, queryId } from '../../http/index.ts'
import type { Endpoint } from '../../http/index.ts'
import { sql } from '../../store/sql.ts'
import { ERASURE_COLUMNS, eraseCustomer } from './erasure.ts'
import type { ErasureApp } from './erasure.ts'
import { EraseCustomer, ErasureRecord } from './erasure.schema.ts'

const common = {
  tag: 'Customers',
  origin: { ours: 'personal data ends, and the books stay' },
  data: ErasureRecord,
} as const

export const erasureEndpoints = ({ clock }: ErasureApp): Endpoint[] => [
  endpoint({
    ...common,
    method: 'POST',
    operation_id: 'eraseCustomer',
    path: '/customers/:customer_id/erase',
    summary: 'Erase the personal data of a customer',
    permission: 'customers.erase',
    effect: 'transaction',
    description:
      'Names, addresses, bank accounts, references, notes, mails and raw records go. Bookings, ' +
      'amounts and ids stay. A task does it within moments; it cannot be undone. What another ' +
      'customer has part in too stays until that one is erased. Refused: STATE_NOT_ALLOWED (not ' +
      'deleted), IN_USE (balances, holds, open records), RETENTION_PERIOD (the time for which it ' +
      'must be kept is not over). A repeat erases what has come since.',
    params: closed({ customer_id: id<CustomerId>() }),
    body: EraseCustomer,
    example: { reason: 'Request 2031/17' },
    handle: ({ params, body, caller }, tx) =>
      eraseCustomer(caller, tx, clock, { ...params, ...body }),
  }),
  listEndpoint({
    ...common,
    operation_id: 'listErasures',
    path: '/erasures',
    summary: 'List erasures of personal data',
    permission: 'customers.read',
    query: closed({ customer_id: queryId<CustomerId>() }),
    list: ({ caller, query }) => ({
      select: sql`
        select ${ERASURE_COLUMNS}
        from erasures`,
      conditions: [
        sql`workspace = ${caller.workspace}`,
        ...(query.customer_id === undefined ? [] : [sql`customer_id = ${query.customer_id}`]),
      ],
      key: { column: 'id', type: 'uuid' },
    }),
  }),
]
