import type { BatchId, WorkspaceId } from '../../core/ids.ts'
import { closed, endpoint, id, listEndpoint, queryId, queryOneOf, Type } from '../../http/index.ts'
import type { Endpoint } from '../../http/index.ts'
import { columnIn, sql } from '../../store/sql.ts'
import type { TreasuryApp } from '../app.ts'
import { assertThirdPartyPermitted } from '../withdrawals/third-parties.ts'
import { WithdrawalRecord } from '../withdrawals/withdrawals.schema.ts'
import { prepareBatch } from './batches.ts'
import {
  BATCH_REQUEST_STATES,
  BatchRecord,
  BatchWithdrawalRequest,
  BatchWithRequests,
  GiveUpBatch,
  PrepareBatch,
  SubmitBatch,
} from './batches.schema.ts'
import { giveUpBatch } from './ending.ts'
import { BATCH_COLUMNS, batchWithRequests } from './rows.ts'
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

const tag = 'Withdrawals'
const permission = 'treasury.withdrawals.create'

export const batchesEndpoints = (app: TreasuryApp): Endpoint[] => [
  ...preparingEndpoints(app),
  ...recordEndpoints(app),
]

function recordEndpoints(app: TreasuryApp): Endpoint[] {
  const params = closed({ batch_id: id<BatchId>() })
  return [
    listEndpoint({
      operation_id: 'listBatches',
      tagged: 'batch',
      path: '/treasury/batches',
      origin: { ours: 'whoever did not prepare a batch, or lost its answer, can go on with it' },
      tag,
      summary: 'List batches of withdrawals',
      description: '`request_id`: the batch that has this request.',
      permission: 'treasury.withdrawals.read',
      data: BatchRecord,
      query: closed({ state: queryOneOf(BATCH_REQUEST_STATES), request_id: queryId() }),
      list: ({ query, principal: { workspace } }) => ({
        select: sql`
          select ${BATCH_COLUMNS}
          from withdrawal_batches`,
        conditions: [
          sql`workspace = ${workspace}`,
          ...(query.state === undefined ? [] : [columnIn('state', query.state)]),
          ...(query.request_id === undefined ? [] : [hasRequest(workspace, query.request_id)]),
        ],
        key: { column: 'id', type: 'uuid' },
      }),
    }),
    endpoint({
      method: 'GET',
      operation_id: 'getBatch',
      path: '/treasury/batches/:batch_id',
      origin: { ours: 'what prepare answered can be read again, and submitted' },
      tag,
      summary: 'One batch with its requests',
      permission: 'treasury.withdrawals.read',
      effect: 'read',
      params,
      data: BatchWithRequests,
      handle: ({ params: { batch_id }, principal }) =>
        batchWithRequests(app.db, principal.workspace, batch_id),
    }),
    endpoint({
      method: 'POST',
      operation_id: 'giveUpBatch',
      path: '/treasury/batches/:batch_id/give-up',
      origin: { ours: 'what a batch blocks can be used again at once' },
      tag,
      summary: 'Give a batch up',
      description:
        'Releases at once what the batch blocks. What was submitted before stays. ' +
        'Refused: STATE_NOT_ALLOWED when all of it was submitted, or it was given up or expired.',
      permission,
      effect: 'lane',
      params,
      body: GiveUpBatch,
      example: { version: 1 },
      data: BatchRecord,
      handle: ({ params: { batch_id }, body, caller }) => giveUpBatch(caller, app, batch_id, body),
    }),
  ]
}

const hasRequest = (workspace: WorkspaceId, request_id: string) => sql`
  id in (
    select prepare_id
    from batch_requests
    where workspace = ${workspace}
      and id = ${request_id}
  )`

function preparingEndpoints(app: TreasuryApp): Endpoint[] {
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
        'speed level, purpose, client_ref, third_party and transfer.to. Where the transactions ' +
        'of the venue can pay several destinations (BTC from a vault), payments of one source ' +
        'wallet, asset, protocol and speed level share a transaction and its fee.',
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
