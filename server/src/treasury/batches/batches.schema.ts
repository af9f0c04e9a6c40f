import type { AccountId, BatchRequestId, TreasuryRouteId, WalletId } from '../../core/ids.ts'
import type { Moves } from '../../core/moves.ts'
import {
  asset,
  closed,
  decimalText,
  flag,
  id,
  nullable,
  optional,
  optionalBlank,
  positiveText,
  text,
  time,
  Type,
  oneOf,
} from '../../http/index.ts'
import type { Static } from '../../http/index.ts'
import { optionalPurpose, optionalThirdParty, Stake } from '../withdrawals/withdrawals.schema.ts'

const BATCH_SPEED_LEVELS = ['SLOW', 'DEFAULT', 'FAST'] as const
/** For this long, what was prepared may be submitted, and its amounts stay blocked. */
export const PREPARED_FOR_MILLISECONDS = 600_000
const MAXIMUM_PAYMENTS = 100

export const BATCH_REQUEST_STATES = ['PREPARED', 'SUBMITTED'] as const
type BatchRequestState = (typeof BATCH_REQUEST_STATES)[number]
export const BATCH_REQUEST_MOVES: Moves<BatchRequestState> = {
  PREPARED: ['SUBMITTED'],
  SUBMITTED: [],
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
    id: id(),
    prepare_id: id<BatchRequestId>('The same for all requests prepared together'),
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
