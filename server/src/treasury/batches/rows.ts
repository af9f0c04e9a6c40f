/** Batches and their requests, as they are stored and read. */
import { notFound } from '../../core/errors.ts'
import type { BatchId, BatchRequestId, WithdrawalId, WorkspaceId } from '../../core/ids.ts'
import { id, nullable, oneOf, record, text, time, Type } from '../../http/index.ts'
import type { EventOf } from '../../ledger/index.ts'
import { only } from '../../store/db.ts'
import type { Reader } from '../../store/db.ts'
import { columnsOf, tableOf } from '../../store/rows.ts'
import { sql } from '../../store/sql.ts'
import { BATCH_REQUEST_STATES, BatchRecord } from './batches.schema.ts'
import type { Batch, BatchRequest, BatchWithRequests } from './batches.schema.ts'

export const BATCHES = tableOf('withdrawal_batches', BatchRecord)
export const BATCH_COLUMNS = columnsOf(BatchRecord)

const StoredRequest = record('StoredBatchRequest', {
  id: id<BatchRequestId>(),
  prepare_id: id<BatchId>(),
  state: oneOf(BATCH_REQUEST_STATES),
  expires_at: time(),
  request: Type.Unsafe<BatchRequest>({ type: 'object' }),
  bundle_key: text(),
  withdrawal_id: nullable(id<WithdrawalId>()),
})
export const BATCH_REQUESTS = tableOf('batch_requests', StoredRequest)
export type PreparedRequest = NonNullable<typeof BATCH_REQUESTS.types>['row']

/** Throws 4004. */
export async function batchById(
  reader: Reader,
  workspace: WorkspaceId,
  batch_id: BatchId,
): Promise<Batch> {
  const rows = await reader.query<Batch>(sql`
    select ${BATCH_COLUMNS}
    from withdrawal_batches
    where workspace = ${workspace}
      and id = ${batch_id}`)
  const row = only(rows)
  if (row === undefined) throw notFound('batch', batch_id, 'batch_id')
  return row
}

/** In the order in which they were prepared. */
export const requestsOf = (
  reader: Reader,
  { workspace, id: batch_id }: Pick<Batch, 'workspace' | 'id'>,
): Promise<PreparedRequest[]> =>
  reader.query<PreparedRequest>(sql`
    select ${columnsOf(StoredRequest)}
    from batch_requests
    where workspace = ${workspace}
      and prepare_id = ${batch_id}
    order by id`)

/** Throws 4004. */
export async function batchWithRequests(
  reader: Reader,
  workspace: WorkspaceId,
  batch_id: BatchId,
): Promise<BatchWithRequests> {
  const batch = await batchById(reader, workspace, batch_id)
  const requests = await requestsOf(reader, batch)
  return {
    ...batch,
    requests: requests.map(({ state, withdrawal_id, request }) => ({
      state,
      withdrawal_id,
      request,
    })),
  }
}

export const batchEvent = (
  type: EventOf<'batch'>,
  {
    id: resource_id,
    state,
    transactions,
    submitted,
    sums,
  }: Pick<Batch, 'id' | 'state' | 'transactions' | 'submitted' | 'sums'>,
) => ({
  type: `batch.${type}` as const,
  resource_id,
  data: { state, transactions, submitted, sums },
})
