import { endpoint, Type } from '../../http/index.ts'
import type { Endpoint } from '../../http/index.ts'
import type { TreasuryApp } from '../app.ts'
import { assertThirdPartyPermitted } from '../withdrawals/third-parties.ts'
import { WithdrawalRecord } from '../withdrawals/withdrawals.schema.ts'
import { prepareBatch } from './batches.ts'
import { BatchWithdrawalRequest, PrepareBatch, SubmitBatch } from './batches.schema.ts'
import { submitBatch } from './submission.ts'

const PREPARED = {
  withdrawals: [
    {
      id: '01a1fc75-ea2a-7589-aa8f-000000000018',
      prepare_id: '01a1fc75-ea2a-7589-aa8f-000000000011',
      expires_at: 1772530200000,
      source_wallet_id: '01a1fc75-ea2a-7589-aa8f-000000000004',
      destination_wallet_id: '01a1fc75-ea2a-7589-aa8f-000000000005',
      asset: 'BTC',
      protocol: 'BTC',
      speed_level: 'DEFAULT',
      quantity: '0.25',
      fee_estimate: '0.00004',
      fee_asset: 'BTC',
      bundled: false,
      stakes: [
        {
          route_id: '01a1fc75-ea2a-7589-aa8f-000000000006',
          destination: 'bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4',
          quantity: '0.25',
          account_id: '01a1fc75-ea2a-7589-aa8f-000000000001',
          note: null,
        },
      ],
    },
  ],
}

export function batchesEndpoints(app: TreasuryApp): Endpoint[] {
  const tag = 'Withdrawals'
  const permission = 'treasury.withdrawals.create'
  return [
    endpoint({
      method: 'POST',
      operation_id: 'prepareWithdrawals',
      path: '/treasury/withdrawals/batch/prepare',
      origin: 'SPECIFIED',
      tag,
      summary: 'Prepare a batch of withdrawals',
      permission,
      effect: 'lane',
      description:
        'Checks every payment like a single withdrawal, all or none. Blocks for ten minutes what ' +
        'items with an account pay, and answers which go together. Payments become one ' +
        'withdrawal when they have the same source and destination wallet, asset, protocol, ' +
        'speed level, purpose, third_party and transfer.to. Where the transactions of the venue ' +
        'can pay several destinations (BTC from a vault), payments of one source wallet, asset, ' +
        'protocol and speed level share a transaction and its fee.',
      body: PrepareBatch,
      example: {
        withdrawals: [
          {
            route_id: '01a1fc75-ea2a-7589-aa8f-000000000006',
            quantity: '0.25',
            speed_level: 'DEFAULT',
            account_id: '01a1fc75-ea2a-7589-aa8f-000000000001',
          },
        ],
      },
      data: Type.Array(BatchWithdrawalRequest),
      handle: ({ body, caller, principal }) => {
        assertThirdPartyPermitted(principal, body.withdrawals)
        return prepareBatch(caller, app, body)
      },
    }),
    endpoint({
      method: 'POST',
      operation_id: 'submitWithdrawals',
      path: '/treasury/withdrawals/batch/submit',
      origin: 'SPECIFIED',
      tag,
      summary: 'Submit prepared withdrawals',
      permission,
      effect: 'lane',
      description:
        'Takes what prepare answered, all or some, unchanged, and makes the withdrawals, ' +
        'one per destination, all or none. Withdrawals with the same external_id share a ' +
        'transaction. What was submitted before is answered again, not made again. Refused: ' +
        'CONFLICT (changed), STATE_NOT_ALLOWED (expired), DUPLICATE, ' +
        'and as a single withdrawal is.',
      body: SubmitBatch,
      example: PREPARED,
      data: Type.Array(WithdrawalRecord),
      handle: ({ body, caller, principal }) => {
        assertThirdPartyPermitted(
          principal,
          body.withdrawals.flatMap((request) => request.stakes),
        )
        return submitBatch(caller, app, body)
      },
    }),
  ]
}
