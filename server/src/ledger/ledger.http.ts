import type { Clock } from '../core/clock.ts'
import { assert } from '../core/assert.ts'
import { ApiError } from '../core/errors.ts'
import type { AccountId, BookingId, WorkspaceId } from '../core/ids.ts'
import {
  closed,
  endpoint,
  id,
  listEndpoint,
  queryAssets,
  queryFlag,
  queryId,
  queryInteger,
  queryTime,
  queryOneOf,
  storedReplyId,
} from '../http/index.ts'
import type { Endpoint, Idempotency } from '../http/index.ts'
import type { Db } from '../store/db.ts'
import { sql } from '../store/sql.ts'
import { accountById, ACCOUNT_COLUMNS, balancesOf, balanceShape } from './accounts/accounts.ts'
import { shapeOfCommitted, bookingById, listBookings, composeManualBooking } from './bookings.ts'
import type { OpenPeriod } from './bookings.ts'
import { balancesAt, statementOf, trialBalance } from './reports/books.ts'
import { StatementLineRecord, TrialBalanceRecord } from './reports/books.schema.ts'
import type { Lane } from './lane/lane.ts'
import {
  ACCOUNT_TYPES,
  AccountBalance,
  AccountRecord,
  BookingRecord,
  BOOKING_TYPES,
  CreateBooking,
} from './ledger.schema.ts'
import type { Booking, CreateBookingBody } from './ledger.schema.ts'

export type LedgerApp = {
  db: Db
  clock: Clock
  lane: Lane
  /** The workspace's open period, a setting. */
  openPeriod(workspace: WorkspaceId): Promise<OpenPeriod>
}

const SEQUENCE_MAXIMUM = Number.MAX_SAFE_INTEGER

export function ledgerEndpoints(app: LedgerApp): Endpoint[] {
  return [
    listEndpoint({
      path: '/accounts',
      origin: 'SPECIFIED',
      tag: 'Accounts',
      summary: 'List accounts',
      permission: 'accounts.read',
      data: AccountRecord,
      query: closed({ type: queryOneOf(ACCOUNT_TYPES), venue_id: queryId(), frozen: queryFlag() }),
      list: ({ query, principal }) => ({
        select: sql`
          select ${ACCOUNT_COLUMNS}
          from accounts`,
        conditions: [
          sql`workspace = ${principal.workspace}`,
          ...(query.type === undefined ? [] : [sql`type = any(${query.type})`]),
          ...(query.venue_id === undefined ? [] : [sql`venue_id = ${query.venue_id}`]),
          ...(query.frozen === undefined ? [] : [sql`frozen = ${query.frozen}`]),
        ],
        key: { column: 'id', type: 'uuid' },
      }),
    }),
    endpoint({
      method: 'GET',
      path: '/accounts/:account_id',
      origin: { ours: 'one account, for whoever has its id' },
      tag: 'Accounts',
      summary: 'One account',
      permission: 'accounts.read',
      effect: 'read',
      params: closed({ account_id: id<AccountId>() }),
      data: AccountRecord,
      handle: ({ params, principal }) =>
        accountById(app.db, principal.workspace, params.account_id),
    }),
    endpoint({
      method: 'GET',
      path: '/bookings/accounts/:account_id/balance',
      origin: 'SPECIFIED',
      tag: 'Accounts',
      summary: 'Balances of an account, keyed by asset',
      permission: 'accounts.read',
      effect: 'read',
      description:
        "`total` is what is booked, `trading` what can be traded now, `withdrawing` what can be withdrawn now; each in the account's normal sign. With `at`: what was booked before that time; `trading` and `withdrawing` are null then. Refused: RANGE for a time to come.",
      params: closed({ account_id: id<AccountId>() }),
      query: closed({ at: queryTime() }),
      data: AccountBalance,
      handle: async ({ params, query, principal }) => {
        if (query.at !== undefined)
          return balancesAt(app.db, app.clock, principal.workspace, params.account_id, query.at)
        await accountById(app.db, principal.workspace, params.account_id)
        return balanceShape(await balancesOf(app.db, principal.workspace, params.account_id))
      },
    }),
    listEndpoint({
      path: '/bookings/accounts/:account_id/statement',
      origin: { ours: "an account's bookings between its opening and its closing balance" },
      tag: 'Accounts',
      summary: 'Statement of an account',
      permission: 'bookings.read',
      data: StatementLineRecord,
      description:
        'Oldest first: per asset the opening balance, then every booking from `from` (inclusive) to `to` (exclusive; both times of booking) with the balance after it, then per asset the closing balance. CSV by `Accept: text/csv`. Opening and closing lines come beyond `limit`, with the first and the last page.',
      params: closed({ account_id: id<AccountId>() }),
      query: closed({ from: queryTime(), to: queryTime(), assets: queryAssets() }),
      list: ({ params, query, principal }) =>
        statementOf(app.db, app.clock, principal.workspace, params.account_id, query),
    }),
    endpoint({
      method: 'GET',
      path: '/bookings/trial-balance',
      origin: { ours: 'debit and credit balances by type of account prove the books' },
      tag: 'Bookings',
      summary: 'Trial balance',
      permission: 'bookings.read',
      effect: 'read',
      description:
        'Per asset the debit and credit balances by type of account, of now or as booked before `at`; the sums of both columns are equal. Refused: RANGE for a time to come.',
      query: closed({ at: queryTime() }),
      data: TrialBalanceRecord,
      handle: ({ query, principal }) =>
        trialBalance(app.db, app.clock, principal.workspace, query.at),
    }),
    listEndpoint({
      path: '/bookings',
      origin: 'SPECIFIED',
      tag: 'Bookings',
      summary: 'List bookings',
      permission: 'bookings.read',
      data: BookingRecord,
      description:
        '`sequence_from` and `from` are inclusive, `sequence_to` and `to` exclusive; `from` and `to` are times of booking.',
      query: closed({
        sequence_from: queryInteger(0, SEQUENCE_MAXIMUM),
        sequence_to: queryInteger(0, SEQUENCE_MAXIMUM),
        from: queryTime(),
        to: queryTime(),
        type: queryOneOf(BOOKING_TYPES),
        account_id: queryId(),
        reference_id: queryId(),
      }),
      list: ({ query, principal }) => listBookings(app.db, principal.workspace, query),
    }),
    endpoint({
      method: 'GET',
      path: '/bookings/:booking_id',
      origin: 'SPECIFIED',
      tag: 'Bookings',
      summary: 'One booking',
      permission: 'bookings.read',
      effect: 'read',
      params: closed({ booking_id: id<BookingId>() }),
      data: BookingRecord,
      handle: ({ params, principal }) =>
        bookingById(app.db, principal.workspace, params.booking_id),
    }),
    endpoint({
      method: 'POST',
      path: '/bookings',
      origin: 'SPECIFIED',
      tag: 'Bookings',
      summary: 'Book by hand',
      permission: 'bookings.create',
      effect: 'lane',
      description:
        'One MANUAL booking: at least two legs whose DEBIT and CREDIT quantities are equal in sum. Refused: UNBALANCED, SCALE, UNKNOWN_ASSET, PERIOD_CLOSED, INSUFFICIENT_BALANCE.',
      body: CreateBooking,
      example: {
        asset: 'EUR',
        legs: [
          { account_id: '01a1fc75-ea2a-7589-aa8f-000000000001', type: 'DEBIT', quantity: '12.50' },
          { account_id: '01a1fc75-ea2a-7589-aa8f-000000000019', type: 'CREDIT', quantity: '12.50' },
        ],
        description: 'Fee taken back',
      },
      data: BookingRecord,
      handle: async ({ body, principal, idempotency }) => {
        const { workspace } = principal
        try {
          return await bookByHand(app, workspace, body, principal.user_id, idempotency)
        } catch (error) {
          // What was booked before is answered again, also when the period has been closed since.
          const booking_id =
            error instanceof ApiError
              ? await storedReplyId(app.db, app.clock, workspace, idempotency)
              : undefined
          if (booking_id === undefined) throw error
          return bookingById(app.db, workspace, booking_id)
        }
      },
    }),
  ]
}

async function bookByHand(
  app: LedgerApp,
  workspace: WorkspaceId,
  body: CreateBookingBody,
  by: string,
  idempotency: Idempotency | undefined,
): Promise<Booking> {
  const change = await composeManualBooking(
    app.db,
    workspace,
    body,
    await app.openPeriod(workspace),
    by,
    idempotency,
  )
  const committed = await app.lane.commit(change)
  if (committed.verdict === 'accepted') {
    const [booked] = committed.bookings
    assert(booked !== undefined, 'the change books once')
    return shapeOfCommitted(workspace, booked)
  }
  assert('booking_id' in committed.reply, 'a booking replays by its id')
  return bookingById(app.db, workspace, committed.reply.booking_id)
}
