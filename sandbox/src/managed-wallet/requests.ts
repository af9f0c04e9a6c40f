/**
 * Asynchronous requests: accepted at once, carried out later, polled by the client until COMPLETED
 * or CANCELLED. COMPLETED only says that the work is over: with an `error` nothing was made or
 * sent. A reference of the client names one request for ever.
 *
 *   CREATE_WALLET  RECEIVED → PROCESSING → COMPLETED
 *   WITHDRAW       RECEIVED (amount and fee reserved) → PROCESSING → (the coins leave)
 *                  CONFIRMING → COMPLETED; IN_REVIEW by hand before the coins leave
 *
 * Faults, venue `managed`: `provision` REFUSE completes the next wallet with an error,
 * `broadcast` REFUSE the next withdrawal.
 */
import { randomUUID } from 'node:crypto'
import { amount, plain } from '../amount.ts'
import { NOTHING, spendingOf } from '../chain/spending.ts'
import type { Spending } from '../chain/spending.ts'
import type { Chain } from '../part.ts'
import type { World } from '../world.ts'
import { openRequestTable } from './request-table.ts'
import type { Kind, Request, RequestTable, WalletOrder, WithdrawalOrder } from './request-table.ts'
import { PART } from './wallets.ts'
import type { Wallets } from './wallets.ts'

export type Decision = 'hold' | 'release' | 'CANCELLED' | 'COMPLIANCE_REJECTED' | 'boost'

export type Requests = Pick<RequestTable, 'byId' | 'byReference' | 'withdrawals'> & {
  /** The new or known request of this reference; undefined when the reference names another. */
  take(reference: string, kind: 'CREATE_WALLET', order: WalletOrder): Request | undefined
  take(reference: string, kind: 'WITHDRAW', order: WithdrawalOrder): Request | undefined
  /** By hand, before a withdrawal has left; `boost` once it is stuck. False when it is too late. */
  decide(request_id: string, decision: Decision): boolean
}

const FIRST_STEP_MILLISECONDS = 500
const SECOND_STEP_MILLISECONDS = 1_000
const BEFORE_BROADCAST = ['RECEIVED', 'IN_REVIEW', 'PROCESSING']

type Parts = { world: World; chain: Chain; wallets: Wallets; table: RequestTable }

export function openRequests(world: World, chain: Chain, wallets: Wallets): Requests {
  const table = openRequestTable(world)
  const parts: Parts = { world, chain, wallets, table }
  world.onTick((now) => {
    const due = table.due(now)
    if (due.length === 0) return
    world.commit(() => {
      for (const row of due) advance(parts, row, now)
    })
  })
  return {
    byId: table.byId,
    byReference: table.byReference,
    withdrawals: table.withdrawals,
    take: (reference: string, kind: Kind, order: WalletOrder | WithdrawalOrder) =>
      take(parts, reference, kind, order),
    decide: (request_id, decision) => decide(parts, request_id, decision),
  }
}

function take(
  parts: Parts,
  reference: string,
  kind: Kind,
  order: WalletOrder | WithdrawalOrder,
): Request | undefined {
  const { world, table } = parts
  const asked = JSON.stringify(order)
  const known = table.byReference(reference)
  if (known !== undefined) return known.kind === kind && known.asked === asked ? known : undefined
  const now = world.now()
  const { fee, reserved } =
    'amount' in order ? reserve(parts, order) : { fee: '0', reserved: false }
  const request_id = randomUUID()
  table.insert({
    request_id,
    reference,
    kind,
    asked,
    status: 'RECEIVED',
    error_code: null,
    error_message: null,
    wallet_id: null,
    fee: plain(amount(fee)),
    reserved: reserved ? 1 : 0,
    transaction_hash: null,
    confirmations: 0,
    created_at: now,
    updated_at: now,
    next_at: now + FIRST_STEP_MILLISECONDS,
  })
  return table.byId(request_id)
}

/** Reserves amount and network fee when the wallet has both. */
function reserve(
  { chain, wallets }: Parts,
  order: WithdrawalOrder,
): { fee: string; reserved: boolean } {
  const { fee } = chain.fee(order.network, 'MEDIUM', order.asset)
  const needed = spendingOf({ ...order, fee })
  const reserved = isThere(wallets, order.wallet_id, needed)
  if (reserved) wallets.changeAll(order.wallet_id, needed, { reserved: 1n })
  return { fee, reserved }
}

const isThere = (wallets: Wallets, wallet_id: string, needed: Spending): boolean =>
  [...needed].every(([asset, quantity]) => {
    const wallet = wallets.wallet(wallet_id, asset)
    return wallet !== undefined && wallets.free(wallet) >= quantity
  })

function decide(parts: Parts, request_id: string, decision: Decision): boolean {
  const { world, table } = parts
  const row = table.byId(request_id)
  if (row?.kind === 'WITHDRAW' && decision === 'boost') return sendAgain(parts, row)
  if (row?.kind !== 'WITHDRAW' || !BEFORE_BROADCAST.includes(row.status)) return false
  if (decision === 'hold') table.save(row, { status: 'IN_REVIEW' })
  else if (decision === 'release') table.save(row, { status: 'PROCESSING', next_at: world.now() })
  else if (decision === 'CANCELLED') end(parts, row, 'CANCELLED', null)
  else {
    const error = ['COMPLIANCE_REJECTED', 'the compliance department said no'] as const
    end(parts, row, 'COMPLETED', error)
  }
  return true
}

function withdrawalOf(row: Request): WithdrawalOrder {
  return JSON.parse(row.asked) as WithdrawalOrder
}

const spentBy = (row: Request): Spending => spendingOf({ ...withdrawalOf(row), fee: row.fee })

function advance(parts: Parts, row: Request, now: number): void {
  if (row.status === 'CONFIRMING') return confirm(parts, row)
  if (row.status === 'RECEIVED')
    return parts.table.save(row, { status: 'PROCESSING', next_at: now + SECOND_STEP_MILLISECONDS })
  return row.kind === 'CREATE_WALLET' ? provision(parts, row) : broadcast(parts, row, now)
}

/** Ends what has not left, with an error or cancelled. What was reserved is free again. */
function end(
  { wallets, table }: Parts,
  row: Request,
  status: 'COMPLETED' | 'CANCELLED',
  error: readonly [code: string, message: string] | null,
): void {
  if (row.reserved === 1)
    wallets.changeAll(withdrawalOf(row).wallet_id, spentBy(row), { reserved: -1n })
  const [error_code, error_message] = error ?? [null, null]
  table.save(row, { status, reserved: 0, error_code, error_message })
}

function provision(parts: Parts, row: Request): void {
  const { world, wallets, table } = parts
  const order = JSON.parse(row.asked) as WalletOrder
  if (world.faults.takeNamed(PART, 'provision')?.kind === 'REFUSE')
    return end(parts, row, 'COMPLETED', ['PROVISIONING_FAILED', 'the wallet could not be made'])
  const { customer_id } = order
  if (!wallets.customers().some((customer) => customer.customer_id === customer_id)) {
    const message = `there is no customer ${customer_id}`
    return end(parts, row, 'COMPLETED', ['CUSTOMER_NOT_FOUND', message])
  }
  table.save(row, { status: 'COMPLETED', wallet_id: wallets.create(order).wallet_id })
}

function broadcast(parts: Parts, row: Request, now: number): void {
  const { world, chain, wallets, table } = parts
  const order = withdrawalOf(row)
  if (row.reserved === 0) {
    const message = 'the wallet does not hold amount and fee'
    return end(parts, row, 'COMPLETED', ['INSUFFICIENT_FUNDS', message])
  }
  if (world.faults.takeNamed(PART, 'broadcast')?.kind === 'REFUSE') {
    const message = 'the network did not take the transaction'
    return end(parts, row, 'COMPLETED', ['BROADCAST_FAILED', message])
  }
  wallets.changeAll(order.wallet_id, spentBy(row), { total: -1n, reserved: -1n })
  const { transaction_hash } = sendCoins({ chain, wallets }, order, row.fee)
  table.save(row, { status: 'CONFIRMING', reserved: 0, transaction_hash, next_at: now })
}

const sendCoins = (
  { chain, wallets }: Pick<Parts, 'chain' | 'wallets'>,
  order: WithdrawalOrder,
  fee: string,
): { transaction_hash: string } =>
  chain.send({
    asset: order.asset,
    protocol: order.network,
    from_address: wallets.wallet(order.wallet_id)?.address ?? '',
    to_address: order.address,
    tag: null,
    quantity: order.amount,
    fee,
  })

/**
 * The same payment in place of the one that is stuck, or was dropped, with a higher fee. That the
 * request stays the same, and shows the new hash, is assumed.
 */
function sendAgain({ world, chain, wallets, table }: Parts, row: Request): boolean {
  const stuck = row.status === 'CONFIRMING' && chain.drop(row.transaction_hash ?? '')
  if (!stuck && row.error_code !== 'DROPPED_BY_NETWORK') return false
  const order = withdrawalOf(row)
  const fee = plain(amount(row.fee) * 2n)
  wallets.changeAll(order.wallet_id, stuck ? spentBy(row) : NOTHING, { total: 1n })
  wallets.changeAll(order.wallet_id, spendingOf({ ...order, fee }), { total: -1n })
  const { transaction_hash } = sendCoins({ chain, wallets }, order, fee)
  table.save(row, {
    status: 'CONFIRMING',
    error_code: null,
    error_message: null,
    confirmations: 0,
    fee,
    transaction_hash,
    next_at: world.now(),
  })
  return true
}

function confirm({ chain, wallets, table }: Parts, row: Request): void {
  const seen = chain.transaction(row.transaction_hash ?? '')
  if (seen?.state === 'FAILED') {
    wallets.changeAll(withdrawalOf(row).wallet_id, spentBy(row), { total: 1n })
    table.save(row, {
      status: 'COMPLETED',
      error_code: 'DROPPED_BY_NETWORK',
      error_message: 'the network dropped the transaction',
    })
  } else if (seen?.state === 'FINAL')
    table.save(row, { status: 'COMPLETED', confirmations: seen.confirmations })
  else if (seen !== undefined && seen.confirmations !== row.confirmations)
    table.save(row, { confirmations: seen.confirmations })
}
