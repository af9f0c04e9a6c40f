import { endpoint, Type } from '../../http/index.ts'
import type { Endpoint } from '../../http/index.ts'
import { prepareBatch, submitBatch } from './batches.ts'
import { BatchWithdrawalRequest, PrepareBatch, SubmitBatch } from './batches.schema.ts'
import type { TreasuryApp } from '../app.ts'
import { WithdrawalRecord } from '../withdrawals/withdrawals.schema.ts'

export function batchesEndpoints(app: TreasuryApp): Endpoint[] {
  const tag = 'Withdrawals'
  const permission = 'treasury.withdrawals.create'
  return [
    endpoint({
      method: 'POST',
      path: '/treasury/withdrawals/batch/prepare',
      tag,
      summary: 'Prepare a batch of withdrawals',
      permission,
      effect: 'lane',
      description:
        "Checks every payment like a single withdrawal, all or none, blocks for ten minutes what items with an account pay, and answers what goes together. Payments with the same source and destination wallet, asset, protocol, speed level and transfer.to become one withdrawal; where the venue's transactions can pay several destinations (BTC from a vault), those of one source wallet, asset, protocol and speed level share a transaction and its fee.",
      body: PrepareBatch,
      data: Type.Array(BatchWithdrawalRequest),
      handle: ({ body, principal, idempotency }) =>
        prepareBatch(app, principal.workspace, body, principal.user_id, idempotency),
    }),
    endpoint({
      method: 'POST',
      path: '/treasury/withdrawals/batch/submit',
      tag,
      summary: 'Submit prepared withdrawals',
      permission,
      effect: 'lane',
      description:
        'Takes what prepare answered, unchanged, all or a part of it, and makes the withdrawals, one per destination, all or none; those with the same external_id share a transaction. What was submitted before is answered again, not made again. Refused: CONFLICT (changed), STATE_NOT_ALLOWED (expired), DUPLICATE, and as a single withdrawal is.',
      body: SubmitBatch,
      data: Type.Array(WithdrawalRecord),
      handle: ({ body, principal, idempotency }) =>
        submitBatch(app, principal.workspace, body, principal.user_id, idempotency),
    }),
  ]
}
