import type {
  AccountId,
  BatchId,
  BatchRequestId,
  TreasuryRouteId,
  WalletId,
  WithdrawalId,
} from '../../core/ids.ts'
import type { Moves } from '../../core/moves.ts'
import {
  asset,
  closed,
  currentVersion,
  decimalText,
  flag,
  id,
  integer,
  nullable,
  optional,
  optionalBlank,
  positiveText,
  record,
  text,
  time,
  Type,
  oneOf,
} from '../../http/index.ts'
import type { Static } from '../../http/index.ts'
import {
  optionalClientRef,
  optionalPurpose,
  optionalThirdParty,
  Stake,
} from '../withdrawals/withdrawals.schema.ts'

const BATCH_SPEED_LEVELS = ['SLOW', 'DEFAULT', 'FAST'] as const
/** For this long, what was prepared may be submitted, and its amounts stay blocked. */
export const PREPARED_FOR_MILLISECONDS = 600_000
/** Subject: a batch. Releases what it blocks once its time is over. */
export const BATCH_EXPIRY_TASK = 'expire_batch'
const MAXIMUM_PAYMENTS = 100

export const BATCH_REQUEST_STATES = ['PREPARED', 'SUBMITTED', 'GIVEN_UP', 'EXPIRED'] as const
type BatchRequestState = (typeof BATCH_REQUEST_STATES)[number]
/** Of a batch, and of each of its requests. What leaves PREPARED blocks nothing any more. */
export const BATCH_REQUEST_MOVES: Moves<BatchRequestState> = {
  PREPARED: ['SUBMITTED', 'GIVEN_UP', 'EXPIRED'],
  SUBMITTED: [],
  GIVEN_UP: [],
  EXPIRED: [],
}

export const PrepareBatch = closed(
  {
    withdrawals: Type.Array(
      closed({
        route_id: id<TreasuryRouteId>(),
        quantity: positiveText('The quantity that arrives'),
        speed_level: oneOf(BATCH_SPEED_LEVELS),
        note: optional(text()),
        purpose: optionalPurpose(),
        client_ref: optionalClientRef(),
        account_id: optionalBlank(
          id<AccountId>('The customer account to debit; the quantity is blocked on it'),
        ),
        third_party: optionalThirdParty(),
      }),
      { minItems: 1, maxItems: MAXIMUM_PAYMENTS },
    ),
  },
  { title: 'PrepareBatch' },
)
export type PrepareBatchBody = Static<typeof PrepareBatch>

export const BatchWithdrawalRequest = closed(
  {
    id: id<BatchRequestId>(),
    prepare_id: id<BatchId>('The same for all requests prepared together: the id of the batch'),
    expires_at: time('Until then it can be submitted, and its quantities are blocked'),
    source_wallet_id: id<WalletId>(),
    destination_wallet_id: nullable(
      id<WalletId>('Null when one transaction pays several destinations: its stakes name them'),
    ),
    asset: asset(),
    protocol: text(),
    speed_level: oneOf(BATCH_SPEED_LEVELS),
    quantity: decimalText('The sum of its payments: what one transaction sends'),
    fee_estimate: decimalText('Of the transaction'),
    fee_asset: asset(),
    bundled: flag('Several payments go together in one transaction'),
    stakes: Type.Array(Stake, { minItems: 1, maxItems: MAXIMUM_PAYMENTS }),
  },
  { title: 'BatchWithdrawalRequest' },
)
export type BatchRequest = Static<typeof BatchWithdrawalRequest>

export const SubmitBatch = closed(
  {
    withdrawals: Type.Array(BatchWithdrawalRequest, { minItems: 1, maxItems: MAXIMUM_PAYMENTS }),
  },
  { title: 'SubmitBatch' },
)
export type SubmitBatchBody = Static<typeof SubmitBatch>

const batchFields = {
  id: id<BatchId>('What its requests call prepare_id'),
  state: oneOf(
    BATCH_REQUEST_STATES,
    'PREPARED: some of it can still be submitted. SUBMITTED: all of it was. GIVEN_UP, EXPIRED: ' +
      'what was not submitted before is released',
  ),
  expires_at: time('Until then it can be submitted, and its quantities are blocked'),
  transactions: integer(1, MAXIMUM_PAYMENTS, 'How many requests prepare answered'),
  payments: integer(1, MAXIMUM_PAYMENTS),
  submitted: integer(0, MAXIMUM_PAYMENTS, 'How many of its transactions'),
  sums: Type.Array(closed({ asset: asset(), quantity: decimalText() }), {
    description: 'What its transactions send, by asset',
  }),
}

export const BatchRecord = record('Batch', batchFields)
export type Batch = Static<typeof BatchRecord>

export const BatchWithRequests = record('BatchWithRequests', {
  ...batchFields,
  requests: Type.Array(
    closed({
      state: oneOf(BATCH_REQUEST_STATES),
      withdrawal_id: nullable(id<WithdrawalId>('The first of its transaction, once SUBMITTED')),
      request: BatchWithdrawalRequest,
    }),
    { description: 'In the order in which they were prepared' },
  ),
})
export type BatchWithRequests = Static<typeof BatchWithRequests>

export const GiveUpBatch = closed({ version: optional(currentVersion()) }, { title: 'GiveUpBatch' })
export type GiveUpBatchBody = Static<typeof GiveUpBatch>
