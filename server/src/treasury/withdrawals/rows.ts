/** Rows of withdrawals: what the API shows, what sending and booking need, what events carry. */
import { decimal, format } from '../../core/decimal.ts'
import type { Decimal } from '../../core/decimal.ts'
import { notFound } from '../../core/errors.ts'
import type { WithdrawalId, WorkspaceId } from '../../core/ids.ts'
import type { Json } from '../../core/json.ts'
import { move } from '../../core/moves.ts'
import { flag, nullable, oneOf, text, time, Type } from '../../http/index.ts'
import { assetsOf } from '../../ledger/index.ts'
import type { Counted, EventDraft, EventOf, Guard } from '../../ledger/index.ts'
import { only } from '../../store/db.ts'
import type { Reader } from '../../store/db.ts'
import { allColumnsOf, columnsOf, shownOf, tableOf } from '../../store/rows.ts'
import { sql } from '../../store/sql.ts'
import { stateIn } from '../../store/states.ts'
import type { FormerTransaction, TransferDetails, TransferReport } from '../../venues/index.ts'
import { ownershipColumns, ownershipOf } from '../assignments/ownership.ts'
import { assignablePart, bookingAccounts } from '../bookings.ts'
import type { BookingAccounts, BookingBasis, HolderShare } from '../bookings.ts'
import type { WalletLocation } from '../wallets/positions.ts'
import {
  OPEN_STATES,
  UNSUCCESSFUL_STATES,
  WITHDRAWAL_MOVES,
  WithdrawalRecord,
} from './withdrawals.schema.ts'
import type { Withdrawal, WithdrawalState } from './withdrawals.schema.ts'

export const WITHDRAWALS = tableOf('withdrawals', WithdrawalRecord, {
  inside: {
    own_transfer: flag(),
    venue_charge: flag("The venue's own price, booked to FEE: nobody's to assign"),
    fee_borne_by: oneOf(['HOUSE', 'CUSTOMER']),
    source_wallet: nullable(text(500, 'The wallet inside the venue that it leaves')),
    transfer: Type.Unsafe<TransferDetails>({ type: 'object' }),
    output: Type.Integer({ description: 'Which output of its transaction it is' }),
    outputs: Type.Integer({ description: 'How many outputs its transaction has' }),
    arrived_at: nullable(time('When the arrival of an own transfer was booked')),
    looked_up_at: nullable(time('When the venue last had nothing of it for certain')),
    sent_over: nullable(text(100, 'The connection of its venue over which it was sent')),
    policy_version: nullable(Type.Integer({ description: 'Of the policy that was asked' })),
    counted: nullable(Type.Unsafe<Counted[]>({ type: 'array' })),
  },
  computed: ['customer_id', 'nature'],
})
export type WithdrawalRow = NonNullable<typeof WITHDRAWALS.types>['row']

const { customer_id, nature } = ownershipColumns({
  of: 'withdrawals',
  by_venue: sql`venue_charge`,
  ended: stateIn(WITHDRAWAL_MOVES, UNSUCCESSFUL_STATES, 'withdrawals.state'),
})
export const WITHDRAWAL_COLUMNS = columnsOf(WithdrawalRecord, {
  computed: { customer_id, nature },
})
const ALL_COLUMNS = allColumnsOf(WITHDRAWALS)

/** The withdrawals that one transaction pays, in the order of its outputs. */
export type TransactionGroup = readonly [WithdrawalRow, ...WithdrawalRow[]]

/** `owners`: of its assignments that count then. */
export const withdrawalOf = (
  row: WithdrawalRow,
  owners: readonly { account_id: string; customer_id: string | null }[],
): Withdrawal => {
  const { customer_id, nature } = ownershipOf({ ...row, by_venue: row.venue_charge }, owners)
  return shownOf(WITHDRAWALS, { ...row, customer_id, nature })
}

/** Throws 4004. */
export async function withdrawalById(
  reader: Reader,
  workspace: WorkspaceId,
  id: WithdrawalId,
): Promise<Withdrawal> {
  const rows = await reader.query<Withdrawal>(sql`
    select ${WITHDRAWAL_COLUMNS}
    from withdrawals
    where workspace = ${workspace}
      and id = ${id}`)
  const row = only(rows)
  if (row === undefined) throw notFound('withdrawal', id, 'withdrawal_id')
  return row
}

export async function withdrawalRow(
  reader: Reader,
  workspace: WorkspaceId,
  id: WithdrawalId,
): Promise<WithdrawalRow> {
  const rows = await reader.query<WithdrawalRow>(sql`
    select ${ALL_COLUMNS}
    from withdrawals
    where workspace = ${workspace}
      and id = ${id}`)
  const row = only(rows)
  if (row === undefined) throw notFound('withdrawal', id, 'withdrawal_id')
  return row
}

/** In the order of the outputs of their transaction. */
export function withdrawalRows(
  reader: Reader,
  workspace: WorkspaceId,
  ids: readonly WithdrawalId[],
): Promise<WithdrawalRow[]> {
  return reader.query<WithdrawalRow>(sql`
    select ${ALL_COLUMNS}
    from withdrawals
    where workspace = ${workspace}
      and id = any(${ids}::uuid[])
    order by output`)
}

/** All withdrawals that share the transaction of this one, itself among them, in any state. */
export async function withdrawalsOfTransaction(
  reader: Reader,
  row: WithdrawalRow,
): Promise<WithdrawalRow[]> {
  if (row.outputs === 1) return [row]
  return reader.query<WithdrawalRow>(sql`
    select ${ALL_COLUMNS}
    from withdrawals
    where workspace = ${row.workspace}
      and venue_id = ${row.venue_id}
      and external_id = ${row.external_id}
    order by output`)
}

/** The row must be in one of these states, and as it was read. */
export const withdrawalGuard = (row: WithdrawalRow, from: readonly string[]): Guard => ({
  table: 'withdrawals',
  resource: 'withdrawal',
  id: row.id,
  from,
  version: row.version,
})

/** Moves the row from the state that it was read in. */
export function withdrawalMove(row: WithdrawalRow, to: WithdrawalState): Guard {
  const guard = withdrawalGuard(row, OPEN_STATES)
  return row.state === to ? guard : { ...guard, to: move(WITHDRAWAL_MOVES, row.state, to).to }
}

/** What is known of a withdrawal at its end: from the venue, or from somebody who found out. */
export type FinalReport = Omit<TransferReport, 'state' | 'foreign_id' | 'sub_state'> & {
  foreign_id: string | null
  sub_state: string | null
}

/** Who ends it, the worker when absent; further data of the event. */
export type EndOptions = { by?: string; eventData?: Record<string, Json> }

/** What a report changes of the row; what it does not name stays as it is. */
export const reportedFields = (
  row: WithdrawalRow,
  report: Pick<FinalReport, 'foreign_id' | 'sub_state' | 'confirmations' | 'value_date'> &
    Pick<FinalReport, 'payee_check'> &
    ReportedTransactions,
) => ({
  ...payeeFields(row, report.payee_check),
  foreign_id: report.foreign_id,
  sub_state: report.sub_state,
  transaction_hash: report.transaction_hash ?? row.transaction_hash,
  former_transactions: formerTransactions(row, report),
  confirmations: report.confirmations ?? row.confirmations,
  value_date: report.value_date ?? row.value_date,
})

/** A decision was about what the bank had found: it ends with another finding. */
function payeeFields(row: WithdrawalRow, check: FinalReport['payee_check']) {
  if (check === undefined) return {}
  const { code, payee } = check
  return code === row.payee_check && payee === row.payee_name
    ? {}
    : { payee_check: code, payee_name: payee, ...NOT_DECIDED }
}

type ReportedTransactions = Pick<FinalReport, 'transaction_hash' | 'former'>

/** With those that the venue names, and the one that was shown until now. */
export function formerTransactions(
  row: Pick<WithdrawalRow, 'foreign_id' | 'transaction_hash' | 'former_transactions'>,
  { transaction_hash, former = [] }: ReportedTransactions,
): WithdrawalRow['former_transactions'] {
  const shown = transaction_hash ?? row.transaction_hash
  const until_now =
    row.foreign_id === null || row.transaction_hash === null
      ? []
      : [{ foreign_id: row.foreign_id, transaction_hash: row.transaction_hash }]
  const all = [...row.former_transactions, ...former, ...until_now]
  const others = all.filter(
    (transaction, place) =>
      !isTransaction(transaction, shown) &&
      all.findIndex((one) => isTransaction(one, transaction.transaction_hash)) === place,
  )
  return others.length === row.former_transactions.length &&
    others.every((transaction, place) =>
      isTransaction(transaction, row.former_transactions[place]?.transaction_hash ?? null),
    )
    ? row.former_transactions
    : others
}

/** Hashes of some chains have two spellings. */
export const isTransaction = (one: FormerTransaction, hash: string | null): boolean =>
  one.transaction_hash.toLowerCase() === hash?.toLowerCase()

/** Where the money leaves from. */
export const sourceLocation = (
  row: Pick<WithdrawalRow, 'workspace' | 'venue_id' | 'source_wallet'>,
  { VENUE }: Pick<BookingAccounts, 'VENUE'>,
): WalletLocation => ({
  workspace: row.workspace,
  venue_id: row.venue_id,
  account_id: VENUE,
  wallet: row.source_wallet,
})

/** What of it is accounts', or nobody's yet: all that is no own transfer. */
export const leavingPart = ({
  quantity,
  transfer_quantity,
}: Pick<WithdrawalRow, 'quantity' | 'transfer_quantity'>): Decimal =>
  decimal(quantity) - decimal(transfer_quantity)

/** What accounts can be assigned of it: what was made outside may be finer. */
export async function assignableOf(
  reader: Reader,
  row: Pick<WithdrawalRow, 'workspace' | 'asset' | 'quantity' | 'transfer_quantity'>,
): Promise<Decimal> {
  const assets = await assetsOf(reader, row.workspace)
  return assignablePart(assets, { asset: row.asset, quantity: leavingPart(row) })
}

/** What the bookings of this withdrawal have in common. */
export async function basisOf(reader: Reader, row: WithdrawalRow): Promise<BookingBasis> {
  return {
    accounts: await bookingAccounts(reader, row.workspace, row.venue_id),
    cause: { reference_type: 'withdrawal', reference_id: row.id },
    asset: row.asset,
  }
}

/** Nobody has decided about what a bank holds. */
const NOT_DECIDED = {
  review_decision: null,
  review_reason: null,
  review_decided_by: null,
  review_decided_at: null,
} as const

/** What a withdrawal has only after its sending. */
export const NOT_SENT = {
  travel_rule_data_id: null,
  sub_state: null,
  reason_code: null,
  reason: null,
  fee: null,
  related_withdrawal_id: null,
  unassigned: false,
  foreign_id: null,
  transaction_hash: null,
  former_transactions: [] as WithdrawalRow['former_transactions'],
  confirmations: null,
  value_date: null,
  submitted_at: null,
  completed_at: null,
  arrived_at: null,
  looked_up_at: null,
  sent_over: null,
  resolved_by: null,
  resolved_at: null,
  evidence: null,
  payee_check: null,
  payee_name: null,
  ...NOT_DECIDED,
  venue_charge: false,
} as const

const EVENT_FIELDS = [
  'state',
  'asset',
  'quantity',
  'account_id',
  'destination_address',
  'purpose',
  'third_party',
  'foreign_id',
  'transaction_hash',
  'reason',
] as const

/** The event carries what the withdrawal is after the change, and `more`. */
export function withdrawalEvent(
  type: EventOf<'withdrawal'>,
  row: Pick<Withdrawal, 'id' | 'returns_deposit_id' | (typeof EVENT_FIELDS)[number]>,
  more: Record<string, Json> = {},
): EventDraft {
  const { id, returns_deposit_id } = row
  const fields = Object.fromEntries(EVENT_FIELDS.map((field) => [field, row[field]]))
  const returned = returns_deposit_id === null ? {} : { returns_deposit_id }
  return {
    type: `withdrawal.${type}`,
    resource_id: id,
    data: { ...fields, ...returned, ...more },
  }
}

/** Which customers an event concerns, each with their part. */
export const customersInEvent = (shares: readonly HolderShare[]) => ({
  customers: shares.flatMap(({ customer_id, account_id, quantity }) =>
    customer_id === null ? [] : [{ customer_id, account_id, quantity: format(quantity) }],
  ),
})
