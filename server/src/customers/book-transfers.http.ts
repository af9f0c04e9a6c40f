import type { Clock } from '../core/clock.ts'
import type { AccountId, BookTransferId } from '../core/ids.ts'
import { closed, endpoint, id, listEndpoint, queryId, queryOneOf } from '../http/index.ts'
import type { Endpoint } from '../http/index.ts'
import type { Lane } from '../ledger/index.ts'
import type { Db } from '../store/db.ts'
import { columnsOf } from '../store/rows.ts'
import { columnIn, sql } from '../store/sql.ts'
import { bookTransferById } from './book-transfer-rows.ts'
import { cancelBookTransfer, createBookTransfer } from './book-transfers.ts'
import {
  BOOK_TRANSFER_STATES,
  BookTransferRecord,
  CancelBookTransfer,
  CreateBookTransfer,
} from './book-transfers.schema.ts'

type TransferApp = { db: Db; clock: Clock; lane: Lane }

const common = {
  tag: 'Book transfers',
  origin: { ours: 'a customer may give another what the books say they have' },
} as const
const params = closed({ book_transfer_id: id<BookTransferId>() })

export const bookTransfersEndpoints = (app: TransferApp): Endpoint[] => [
  list(),
  read(app),
  create(app),
  cancel(app),
]

const list = () =>
  listEndpoint({
    ...common,
    operation_id: 'listBookTransfers',
    tagged: 'book_transfer',
    path: '/book-transfers',
    summary: 'List book transfers',
    permission: 'bookings.read',
    data: BookTransferRecord,
    description: '`account_id`: those that this account gives or gets.',
    query: closed({ state: queryOneOf(BOOK_TRANSFER_STATES), account_id: queryId<AccountId>() }),
    list: ({ caller, query }) => ({
      select: sql`
        select ${columnsOf(BookTransferRecord)}
        from book_transfers`,
      conditions: [
        sql`workspace = ${caller.workspace}`,
        ...(query.state === undefined ? [] : [columnIn('state', query.state)]),
        ...(query.account_id === undefined
          ? []
          : [sql`(from_account_id = ${query.account_id} or to_account_id = ${query.account_id})`]),
      ],
      key: { column: 'id', type: 'uuid' },
    }),
  })

const read = (app: TransferApp) =>
  endpoint({
    ...common,
    method: 'GET',
    operation_id: 'getBookTransfer',
    path: '/book-transfers/:book_transfer_id',
    summary: 'One book transfer',
    permission: 'bookings.read',
    effect: 'read',
    params,
    data: BookTransferRecord,
    handle: ({ params: { book_transfer_id }, caller }) =>
      bookTransferById(app.db, caller.workspace, book_transfer_id),
  })

const create = (app: TransferApp) =>
  endpoint({
    ...common,
    method: 'POST',
    operation_id: 'createBookTransfer',
    path: '/book-transfers',
    summary: 'Transfer between customers',
    permission: 'book-transfers.create',
    effect: 'lane',
    description:
      'Holds the amount on the account of the customer who gives it, and books it to the other ' +
      'customer within moments. Nothing moves at a venue. It waits while withdrawals of the ' +
      'asset are halted or the account of who gives is frozen. Both customers get a mail with ' +
      'the reason. Refused: CONFLICT (the same account), RANGE (no account of a customer), ' +
      'NOT_ACTIVE, SCALE, HALTED, FROZEN, INSUFFICIENT_BALANCE.',
    body: CreateBookTransfer,
    example: {
      from_account_id: '01a1fc75-ea2a-7589-aa8f-000000000001',
      to_account_id: '01a1fc75-ea2a-7589-aa8f-000000000002',
      asset: 'EUR',
      quantity: '250',
      reason: 'Gift',
    },
    data: BookTransferRecord,
    handle: ({ body, caller }) => createBookTransfer(caller, app, body),
  })

const cancel = (app: TransferApp) =>
  endpoint({
    ...common,
    method: 'POST',
    operation_id: 'cancelBookTransfer',
    path: '/book-transfers/:book_transfer_id/cancel',
    summary: 'Cancel a book transfer that waits',
    permission: 'book-transfers.create',
    effect: 'lane',
    description: 'Releases the amount. Refused: STATE_NOT_ALLOWED once it is booked.',
    params,
    body: CancelBookTransfer,
    example: { reason: 'The customer changed their mind' },
    data: BookTransferRecord,
    handle: ({ params: { book_transfer_id }, body, caller }) =>
      cancelBookTransfer(caller, app, book_transfer_id, body),
  })
