import type {
  AccountId,
  DepositId,
  JobId,
  JobRunId,
  ServiceId,
  SettlementId,
  TreasuryRouteId,
  VenueId,
  WalletId,
  WithdrawalId,
} from '../../core/ids.ts'
import type { Moves } from '../../core/moves.ts'
import {
  asset,
  closed,
  currentVersion,
  dateText,
  decimalText,
  flag,
  id,
  nullable,
  optional,
  optionalBlank,
  notNegativeText,
  positiveText,
  record,
  requiredText,
  text,
  time,
  Type,
  oneOf,
} from '../../http/index.ts'
import type { Static } from '../../http/index.ts'
import { nature, soleCustomer } from '../assignments/ownership.ts'

export const WITHDRAWAL_STATES = [
  'PENDING_APPROVAL',
  'PENDING',
  'PENDING_REVIEW',
  'UNKNOWN',
  'SUCCESS',
  'FAILED',
  'REJECTED',
  'CANCELED',
] as const
export type WithdrawalState = (typeof WITHDRAWAL_STATES)[number]

const SENT_MOVES = ['PENDING_REVIEW', 'UNKNOWN', 'SUCCESS', 'FAILED'] as const

/**
 * See docs/domain.md, part 4. UNKNOWN is left only by the venue's answer, or by a person with
 * evidence. What waits for approval has not been sent; that it has left nevertheless a venue can
 * report once the database was set back.
 */
export const WITHDRAWAL_MOVES: Moves<WithdrawalState> = {
  PENDING_APPROVAL: ['PENDING', ...SENT_MOVES, 'REJECTED', 'CANCELED'],
  PENDING: ['PENDING_REVIEW', 'UNKNOWN', 'SUCCESS', 'FAILED', 'REJECTED', 'CANCELED'],
  PENDING_REVIEW: ['PENDING', 'UNKNOWN', 'SUCCESS', 'FAILED', 'REJECTED', 'CANCELED'],
  UNKNOWN: ['PENDING', 'PENDING_REVIEW', 'SUCCESS', 'FAILED', 'REJECTED', 'CANCELED'],
  SUCCESS: [],
  FAILED: [],
  REJECTED: [],
  CANCELED: [],
}

export const LIVE_STATES = [
  'PENDING',
  'PENDING_REVIEW',
  'UNKNOWN',
] as const satisfies readonly WithdrawalState[]

/** With those that wait for approval: what is asked for has not ended. */
export const OPEN_STATES = [
  'PENDING_APPROVAL',
  ...LIVE_STATES,
] as const satisfies readonly WithdrawalState[]

/** The ends at which nothing has left. */
export const UNSUCCESSFUL_STATES = [
  'FAILED',
  'REJECTED',
  'CANCELED',
] as const satisfies readonly WithdrawalState[]
export type UnsuccessfulState = (typeof UNSUCCESSFUL_STATES)[number]

export const isUnsuccessful = (state: WithdrawalState): state is UnsuccessfulState =>
  (UNSUCCESSFUL_STATES as readonly WithdrawalState[]).includes(state)

const REVIEW_DECISIONS = ['RELEASE', 'WITHDRAW'] as const

const WITHDRAWAL_ORIGINS = ['MANUAL', 'BATCH', 'JOB', 'SETTLEMENT', 'RETURN', 'EXTERNAL'] as const
export const SPEED_LEVELS = ['DEFAULT', 'FAST', 'SLOW', 'CUSTOM'] as const

/** As long as the remittance information of a payment message (ISO 20022, Ustrd). */
const MAXIMUM_PURPOSE = 140

/** What a payment is for. */
export const optionalPurpose = () =>
  optionalBlank(
    requiredText(
      MAXIMUM_PURPOSE,
      'What the payment is for: shown to the customer. A bank sends it after the reference of ' +
        'the route, if both fit into 140 characters; otherwise the reference alone',
    ),
  )

const MAXIMUM_CLIENT_REF = 200

export const optionalClientRef = () =>
  optionalBlank(
    requiredText(
      MAXIMUM_CLIENT_REF,
      "The caller's own name for it, by which the list finds it again. Need not be unique",
    ),
  )

/** What the payee of one payment reads, instead of the reference of the route. */
export const optionalReference = () =>
  optionalBlank(
    requiredText(
      MAXIMUM_PURPOSE,
      'What the payee reads, instead of the reference of the route. Where the venue sends one: ' +
        'a bank does',
    ),
  )

/** On a request: the payment may go to the wallet of a customer who does not pay. */
export const optionalThirdParty = () =>
  optional(
    flag(
      'True: the wallet that it goes to may belong to another customer than who pays. Needs the ' +
        'permission treasury.withdrawals.third_party',
    ),
  )

/** A payment; the interface specification calls it a stake. */
export const Stake = closed(
  {
    route_id: id<TreasuryRouteId>(),
    destination: text(500, 'The destination address'),
    quantity: decimalText(),
    account_id: nullable(id<AccountId>()),
    note: nullable(text()),
    purpose: optional(text(MAXIMUM_PURPOSE)),
    client_ref: optional(text(MAXIMUM_CLIENT_REF)),
    third_party: optionalThirdParty(),
  },
  { title: 'Stake' },
)
export type Stake = Static<typeof Stake>

export const WithdrawalRecord = record('Withdrawal', {
  id: id<WithdrawalId>(),
  state: oneOf(WITHDRAWAL_STATES),
  sub_state: nullable(text(500, "The venue's own term")),
  reason_code: nullable(text()),
  reason: nullable(Type.String()),
  origin: oneOf(WITHDRAWAL_ORIGINS),
  route_id: nullable(id<TreasuryRouteId>()),
  from_wallet_id: nullable(id<WalletId>('Null for an EXTERNAL one that left no wallet of ours')),
  to_wallet_id: nullable(id<WalletId>()),
  service_id: id<ServiceId>(),
  venue_id: id<VenueId>(),
  asset: asset(),
  protocol: text(),
  quantity: decimalText('What arrives'),
  transfer_quantity: decimalText(
    'What of it stays ours: no account owns it, and it goes to a wallet of ours. The rest of a ' +
      'payment that makes both is of accounts',
  ),
  fee: nullable(
    decimalText(
      'The fee that the venue took; of a shared transaction a part. Null while it is not known',
    ),
  ),
  fee_asset: nullable(asset()),
  fee_estimate: nullable(decimalText('The fee that was expected when the withdrawal was made')),
  speed_level: oneOf(SPEED_LEVELS),
  destination_address: text(),
  recipient_name: nullable(text(500, "The payee's name, where the payment has one")),
  tag: nullable(text()),
  reference_text: nullable(text()),
  note: nullable(text()),
  client_ref: nullable(text(MAXIMUM_CLIENT_REF, "The caller's own name for it")),
  purpose: nullable(text(MAXIMUM_PURPOSE, 'What the payment is for')),
  third_party: flag('Whether it may go to the wallet of a customer who does not pay'),
  unassigned: flag('It has left, and not all of it is assigned to accounts'),
  account_id: nullable(
    id<AccountId>(
      'The account given with the request; of several payments the account that owns all of them',
    ),
  ),
  customer_id: soleCustomer(),
  nature: nature(),
  stakes: nullable(Type.Array(Stake, { description: 'Of a batch: the payments that it makes' })),
  job_id: nullable(id<JobId>('The transfer job that asked for it')),
  job_run_id: nullable(id<JobRunId>('The run of that job')),
  settlement_id: nullable(id<SettlementId>('The settlement it pays a part of')),
  related_withdrawal_id: nullable(
    id<WithdrawalId>('The withdrawal that had ended here before this one left'),
  ),
  returns_deposit_id: nullable(id<DepositId>('The deposit that it returns to its sender')),
  approval_request_id: nullable(
    id(
      'The approval request that it waits for, or waited for: it says which approvals are missing',
    ),
  ),
  travel_rule_data_id: nullable(
    id('The travel-rule data that count: who sends the coins, and who gets them'),
  ),
  external_id: text(
    500,
    'Our reference, sent to the venue; withdrawals with the same one share a transaction',
  ),
  foreign_id: nullable(text(500, "The venue's reference")),
  transaction_hash: nullable(text()),
  former_transactions: Type.Array(
    closed({ foreign_id: text(500, "The venue's reference"), transaction_hash: text() }),
    {
      description: 'Transactions that lost their place to this one, or never got it, oldest first',
    },
  ),
  confirmations: nullable(Type.Integer({ minimum: 0 })),
  execution_date: nullable(
    dateText(
      'The day on which the bank is expected to execute it, in the zone of the bank: as of the ' +
        'request, and from sending on as the bank is asked. Null where nothing goes by the day',
    ),
  ),
  value_date: nullable(dateText("The bank's value date; null where the venue names none")),
  submitted_at: nullable(time('When sending began; from then on the request may have left')),
  completed_at: nullable(time()),
  resolved_by: nullable(text(500, 'Who entered the outcome by hand')),
  resolved_at: nullable(time()),
  evidence: nullable(Type.String({ description: 'The evidence for the outcome' })),
  payee_check: nullable(
    text(10, "What the bank found last about the payee's name: a code of ISO 20022 like RVNM"),
  ),
  payee_name: nullable(
    text(500, 'The name that the bank gives for the account, where it almost matches'),
  ),
  review_decision: nullable(
    oneOf(REVIEW_DECISIONS, 'What is to be done with it at the bank that holds it'),
  ),
  review_reason: nullable(text(500, 'Why it was decided so')),
  review_decided_by: nullable(text(500, 'Who decided')),
  review_decided_at: nullable(time()),
})
export type Withdrawal = Static<typeof WithdrawalRecord>

/** What a request says about a withdrawal and nothing is worked out from: stored as it is. */
const DETAILS = ['note', 'purpose', 'client_ref'] as const
export type WithdrawalDetails = Pick<Withdrawal, (typeof DETAILS)[number]>

type StatedDetails = {
  readonly [Name in keyof WithdrawalDetails]?: WithdrawalDetails[Name] | undefined
}

/** The details of a request, null where it has none. */
export function detailsOf(request: StatedDetails): WithdrawalDetails {
  const details = DETAILS.map((name) => [name, request[name] ?? null] as const)
  return Object.fromEntries(details) as WithdrawalDetails
}

/** The details of a payment in a batch, as its stake keeps them: those that it states. */
export function stakeDetails(payment: StatedDetails): Pick<Stake, keyof WithdrawalDetails> {
  const stated = DETAILS.filter((name) => (payment[name] ?? null) !== null)
  return { note: null, ...Object.fromEntries(stated.map((name) => [name, payment[name]])) }
}

/** The details on which all payments of a withdrawal agree, null where they differ. */
export function sharedDetails(payments: readonly StatedDetails[]): WithdrawalDetails {
  const [first = {}, ...others] = payments
  const agreed = DETAILS.filter((name) => others.every((other) => other[name] === first[name]))
  return detailsOf(Object.fromEntries(agreed.map((name) => [name, first[name]])))
}

/** The reason code of an UNKNOWN one that has left for certain, and was not taken where it went. */
export const NOT_CREDITED = 'NOT_CREDITED'

/** A withdrawal that takes longer than this to end is stuck. */
export const STUCK_AFTER_MILLISECONDS = 3_600_000

export const CancelWithdrawal = closed(
  { reason: optionalBlank(requiredText(500, 'Why')) },
  { title: 'CancelWithdrawal' },
)
export type CancelWithdrawalBody = Static<typeof CancelWithdrawal>

export const ResolveWithdrawal = closed(
  {
    state: oneOf(['SUCCESS', 'FAILED'], 'The outcome'),
    evidence: requiredText(2000, 'The evidence: who confirmed it, a block explorer, a statement'),
    foreign_id: optionalBlank(requiredText(200, "The venue's reference")),
    transaction_hash: optionalBlank(requiredText(200)),
    fee: optional(
      notNegativeText('The fee that the venue took, in the fee asset; also of a failure'),
    ),
    version: optional(currentVersion()),
  },
  { title: 'ResolveWithdrawal' },
)
export type ResolveWithdrawalBody = Static<typeof ResolveWithdrawal>

export const DecideReview = closed(
  {
    decision: oneOf(REVIEW_DECISIONS, 'RELEASE: pay it all the same. WITHDRAW: do not pay it'),
    payee_check: requiredText(10, 'The finding that is decided about, as the withdrawal shows it'),
    reason: requiredText(500, 'Why: who confirmed the name, for example'),
  },
  { title: 'DecideReview' },
)
export type ReviewDecisionBody = Static<typeof DecideReview>

export const CreateWithdrawal = closed(
  {
    quantity: positiveText('The quantity that arrives'),
    speed_level: oneOf(SPEED_LEVELS),
    fee: optional(
      notNegativeText(
        "The venue's estimate for the speed level; with CUSTOM it is required and any fee",
      ),
    ),
    note: optional(text()),
    client_ref: optionalClientRef(),
    purpose: optionalPurpose(),
    reference: optionalReference(),
    account_id: optionalBlank(
      id<AccountId>('The customer account to debit; the amount is blocked on it'),
    ),
    account: optionalBlank(id<AccountId>('Another name of account_id')),
    third_party: optionalThirdParty(),
  },
  { title: 'CreateWithdrawal' },
)
export type CreateWithdrawalBody = Static<typeof CreateWithdrawal>
