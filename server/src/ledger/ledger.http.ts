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
  queryTag,
  queryTime,
  queryOneOf,
} from '../http/index.ts'
import type { Endpoint } from '../http/index.ts'
import { sql } from '../store/sql.ts'
import { accountById, SELECT_ACCOUNTS } from './accounts/accounts.ts'
import { balancesOf, balanceShape } from './accounts/balances.ts'
import { openNamedAccount, renameAccount } from './accounts/named-accounts.ts'
import { assetEndpoints } from './assets.http.ts'
import { bookingById, listBookings } from './bookings.ts'
import { listAccountHolds } from './holds/holds.ts'
import {
  ACCOUNT_TYPES,
  AccountBalance,
  AccountHold,
  AccountRecord,
  BookingRecord,
  BOOKING_TYPES,
  CreateBooking,
  OpenAccount,
  RenameAccount,
} from './ledger.schema.ts'
import { bookByHand } from './manual-bookings.ts'
import type { LedgerApp } from './manual-bookings.ts'
import { balancesAt, trialBalance } from './reports/books.ts'
import { StatementLineRecord, TrialBalanceRecord } from './reports/books.schema.ts'
import { statementOf } from './reports/statement.ts'

const SEQUENCE_MAXIMUM = Number.MAX_SAFE_INTEGER

export function ledgerEndpoints(app: LedgerApp): Endpoint[] {
  return [
    ...assetEndpoints(app),
    ...accountEndpoints(app),
    ...namedAccountEndpoints(app),
    ...balanceEndpoints(app),
    accountHoldsEndpoint(app),
    ...bookingEndpoints(app),
  ]
}

function accountEndpoints(app: LedgerApp): Endpoint[] {
  return [
    listEndpoint({
      operation_id: 'listAccounts',
      tagged: 'account',
      path: '/accounts',
      origin: 'SPECIFIED',
      tag: 'Accounts',
      summary: 'List accounts',
      permission: 'accounts.read',
      data: AccountRecord,
      query: closed({ type: queryOneOf(ACCOUNT_TYPES), venue_id: queryId(), frozen: queryFlag() }),
      list: ({ query, principal }) => ({
        select: SELECT_ACCOUNTS,
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
      operation_id: 'getAccount',
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
  ]
}

function namedAccountEndpoints({ clock }: LedgerApp): Endpoint[] {
  const common = {
    tag: 'Accounts',
    permission: 'accounts.write',
    effect: 'transaction',
    data: AccountRecord,
  } as const
  return [
    endpoint({
      ...common,
      method: 'POST',
      operation_id: 'openAccount',
      path: '/accounts',
      origin: { ours: 'interest, own capital and bank charges have accounts of their own' },
      summary: 'Open an account of the house',
      description:
        'INCOME takes what is earned, EXPENSE what is spent, HOUSE own funds. Deposits, ' +
        'withdrawals and matchings can be assigned to it. Refused: DUPLICATE (label).',
      body: OpenAccount,
      example: { type: 'INCOME', label: 'Interest' },
      handle: ({ body, caller }, tx) => openNamedAccount(caller, { tx, clock }, body),
    }),
    endpoint({
      ...common,
      method: 'PUT',
      operation_id: 'renameAccount',
      path: '/accounts/:account_id',
      origin: { ours: 'a name that was mistyped can be mended' },
      summary: 'Rename an account of the house',
      description:
        'Bookings keep the label that the account had. Refused: RANGE for an account that no ' +
        'user opened, DUPLICATE (label).',
      params: closed({ account_id: id<AccountId>() }),
      body: RenameAccount,
      example: { label: 'Interest income' },
      handle: ({ params, body, caller }, tx) =>
        renameAccount(caller, { tx, clock }, params.account_id, body),
    }),
  ]
}

const accountHoldsEndpoint = (app: LedgerApp) =>
  listEndpoint({
    operation_id: 'listAccountHolds',
    path: '/accounts/:account_id/holds',
    origin: { ours: 'somebody asks why a balance cannot be used, and what frees it' },
    tag: 'Accounts',
    summary: 'What is held on an account, and by what',
    permission: 'accounts.read',
    params: closed({ account_id: id<AccountId>() }),
    data: AccountHold,
    list: async ({ params: { account_id }, principal: { workspace } }) => {
      await accountById(app.db, workspace, account_id)
      return listAccountHolds(workspace, account_id)
    },
  })

/** An account's balances and statement, and the trial balance. */
function balanceEndpoints({ db, clock }: LedgerApp): Endpoint[] {
  const books = ({ workspace }: { workspace: WorkspaceId }) => ({ reader: db, clock, workspace })
  return [
    endpoint({
      method: 'GET',
      operation_id: 'getAccountBalance',
      path: '/bookings/accounts/:account_id/balance',
      origin: 'SPECIFIED',
      tag: 'Accounts',
      summary: 'Balances of an account, keyed by asset',
      permission: 'accounts.read',
      effect: 'read',
      description:
        '`total` is what is booked, `trading` what can be traded now, `withdrawing` what can be ' +
        "withdrawn now; each in the account's normal sign. With `at`: what was booked before " +
        'that time; `trading` and `withdrawing` are null then. ' +
        'Refused: RANGE for a time in the future.',
      params: closed({ account_id: id<AccountId>() }),
      query: closed({ at: queryTime() }),
      data: AccountBalance,
      handle: async ({ params, query, principal }) => {
        if (query.at !== undefined) return balancesAt(books(principal), params.account_id, query.at)
        await accountById(db, principal.workspace, params.account_id)
        return balanceShape(await balancesOf(db, principal.workspace, params.account_id))
      },
    }),
    listEndpoint({
      operation_id: 'listStatementLines',
      personal: true,
      ordered_by: 'sequence',
      path: '/bookings/accounts/:account_id/statement',
      origin: { ours: "an account's bookings between its opening and its closing balance" },
      tag: 'Accounts',
      summary: 'Statement of an account',
      permission: 'bookings.read',
      data: StatementLineRecord,
      description:
        'Oldest first: per asset the opening balance, then every booking from `from` (inclusive) ' +
        'to `to` (exclusive; both times of booking) with the balance after it, then per asset ' +
        'the closing balance. CSV by `Accept: text/csv`. Opening and closing lines come beyond ' +
        '`limit`, with the first and the last page.',
      params: closed({ account_id: id<AccountId>() }),
      query: closed({ from: queryTime(), to: queryTime(), assets: queryAssets() }),
      list: ({ params, query, principal }) =>
        statementOf(books(principal), params.account_id, query),
    }),
    endpoint({
      method: 'GET',
      operation_id: 'getTrialBalance',
      path: '/bookings/trial-balance',
      origin: { ours: 'debit and credit balances by type of account prove the books' },
      tag: 'Bookings',
      summary: 'Trial balance',
      permission: 'bookings.read',
      effect: 'read',
      read_cost: 1_000,
      description:
        'Per asset the debit and credit balances by type of account, of now or as booked before ' +
        '`at`; the sums of both columns are equal. Refused: RANGE for a time in the future.',
      query: closed({ at: queryTime() }),
      data: TrialBalanceRecord,
      handle: ({ query, principal }) => trialBalance(books(principal), query.at),
    }),
  ]
}

function bookingEndpoints(app: LedgerApp): Endpoint[] {
  return [
    listEndpoint({
      operation_id: 'listBookings',
      ordered_by: 'sequence',
      path: '/bookings',
      origin: 'SPECIFIED',
      tag: 'Bookings',
      summary: 'List bookings',
      permission: 'bookings.read',
      data: BookingRecord,
      description:
        '`sequence_from` and `from` are inclusive, `sequence_to` and `to` exclusive; ' +
        '`from` and `to` are times of booking.',
      query: closed({
        sequence_from: queryInteger(0, SEQUENCE_MAXIMUM),
        sequence_to: queryInteger(0, SEQUENCE_MAXIMUM),
        from: queryTime(),
        to: queryTime(),
        type: queryOneOf(BOOKING_TYPES),
        account_id: queryId(),
        reference_id: queryId(),
        tag: queryTag(),
      }),
      list: ({ query, principal }) => listBookings(app.db, principal.workspace, query),
    }),
    endpoint({
      method: 'GET',
      operation_id: 'getBooking',
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
      operation_id: 'createBooking',
      unrecorded: 'a booking is its own record: it says who made it, and when',
      path: '/bookings',
      origin: 'SPECIFIED',
      tag: 'Bookings',
      summary: 'Make a manual booking',
      permission: 'bookings.create',
      effect: 'lane',
      description:
        'One MANUAL booking: at least two legs whose DEBIT and CREDIT quantities are equal in ' +
        'sum. Refused: UNBALANCED, SCALE, UNKNOWN_ASSET, PERIOD_CLOSED, INSUFFICIENT_BALANCE.',
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
      handle: ({ body, caller }) => bookByHand(caller, app, body),
    }),
  ]
}
