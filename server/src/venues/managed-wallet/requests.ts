/**
 * The custodian's asynchronous requests and what their words mean here. COMPLETED says that the
 * work is over, not that it was done: only without an error is it. A word or an error that is not
 * in the tables is UNKNOWN, never a guess.
 */
import { tryDecimal } from '../../core/decimal.ts'
import type {
  IncomingState,
  Lookup,
  Outcome,
  TransferReport,
  TransferState,
  WalletReport,
} from '../contract.ts'
import { isRefusal, outcomeOf } from './client.ts'
import type { Answer, Client } from './client.ts'

export type CustodianRequest = {
  request_id: string
  reference: string
  kind: string
  status: string
  error: { code: string; message: string } | null
  /**
   * wallet_id and address of a made wallet; transaction_hash, fee and confirmations of a withdrawal
   * that has left.
   */
  result: {
    wallet_id?: string
    address?: string
    transaction_hash?: string
    fee?: string
    confirmations?: number
  } | null
}

const STATES: Record<string, TransferState> = {
  RECEIVED: 'PENDING',
  PROCESSING: 'PENDING',
  IN_REVIEW: 'PENDING_REVIEW',
  CONFIRMING: 'PENDING',
  COMPLETED: 'SUCCESS',
  CANCELLED: 'CANCELED',
}
/**
 * Errors that say for certain that nothing is on its way any more, of what was never broadcast. A
 * transaction that was broadcast may confirm until its nonce or inputs are spent by something else,
 * which the custodian does not tell.
 */
const ENDED: Record<string, TransferState> = {
  INSUFFICIENT_FUNDS: 'FAILED',
  INVALID_DESTINATION: 'FAILED',
  BROADCAST_FAILED: 'FAILED',
  COMPLIANCE_REJECTED: 'REJECTED',
}
const INCOMING_STATES: Record<string, IncomingState> = {
  DETECTED: 'PENDING',
  CONFIRMED: 'FINAL',
  FAILED: 'FAILED',
}

export function transferState({
  status,
  error,
  result,
}: Pick<CustodianRequest, 'status' | 'error' | 'result'>): TransferState {
  const state = error === null ? STATES[status] : ENDED[error.code]
  const wasBroadcast = result?.transaction_hash !== undefined
  if (wasBroadcast && (error !== null || state === 'CANCELED')) return 'UNKNOWN'
  return state ?? 'UNKNOWN'
}

/** An unknown word is not final. */
export function incomingState(status: string): IncomingState {
  return INCOMING_STATES[status] ?? 'PENDING'
}

export function transferReport(request: CustodianRequest, fee_asset: string): TransferReport {
  const { result, error } = request
  const fee = tryDecimal(result?.fee ?? '') ?? null
  return {
    foreign_id: request.request_id,
    state: transferState(request),
    sub_state: error === null ? request.status : `${request.status}/${error.code}`,
    reason: error?.message ?? null,
    transaction_hash: result?.transaction_hash ?? null,
    confirmations: result?.confirmations ?? null,
    fee,
    fee_asset: fee === null ? null : fee_asset,
  }
}

/**
 * A wallet is made when the work is over without an error and the custodian says where; cancelled
 * or with an error it never will be.
 */
export function walletReport({ status, error, result }: CustodianRequest): WalletReport {
  if (error !== null) return { state: 'FAILED', reason: `${error.code}: ${error.message}` }
  if (status === 'CANCELLED')
    return { state: 'FAILED', reason: 'the custodian cancelled the request' }
  if (status === 'COMPLETED' && result?.wallet_id !== undefined && result.address !== undefined)
    return { state: 'ACTIVE', wallet: result.wallet_id, address: result.address, tag: null }
  return { state: 'CREATING' }
}

/** The request that our reference stands for. */
export async function findRequest<Report>(
  client: Client,
  reference: string,
  report: (request: CustodianRequest) => Report,
): Promise<Lookup<Report>> {
  const answer = await client.get<{ requests?: CustodianRequest[] }>('/requests', { reference })
  if (!answer.ok) return { lookup: 'unknown', reason: answer.failure.reason }
  const { requests } = answer.data
  // Only a list without it says that the custodian never got it.
  if (!Array.isArray(requests))
    return { lookup: 'unknown', reason: 'the custodian answered no list of requests' }
  const found = requests.find((request) => request.reference === reference)
  return found === undefined ? { lookup: 'absent' } : { lookup: 'found', report: report(found) }
}

/**
 * What a posted request became. A refusal is certain only when the custodian does not know the
 * reference otherwise.
 */
export async function outcomeOfPost<Report>(
  client: Client,
  reference: string,
  posted: Answer<CustodianRequest>,
  report: (request: CustodianRequest) => Report,
): Promise<Outcome<Report>> {
  if (posted.ok)
    return posted.data.reference === reference
      ? { outcome: 'accepted', report: report(posted.data) }
      : { outcome: 'unknown', reason: 'the custodian answered another request' }
  if (!isRefusal(posted.failure)) return outcomeOf(posted.failure)
  const known = await findRequest(client, reference, report)
  if (known.lookup === 'found') return { outcome: 'accepted', report: known.report }
  return known.lookup === 'absent'
    ? outcomeOf(posted.failure)
    : { outcome: 'unknown', reason: known.reason }
}
