/**
 * Asynchronous requests: accepted at once, worked off later, polled by the client until COMPLETED
 * or CANCELLED. COMPLETED only says that the work is over: with an `error` nothing was made or
 * sent. A reference of the client is taken once for ever.
 *
 *   CREATE_WALLET  RECEIVED → PROCESSING → COMPLETED
 *   WITHDRAW       RECEIVED (amount and fee reserved) → PROCESSING → (the coins leave) CONFIRMING
 *   → COMPLETED; IN_REVIEW by hand before that
 *
 * Faults, venue `managed`: `provision` REFUSE completes the next wallet with an error,
 * `broadcast` REFUSE the next withdrawal.
 */
import { randomUUID } from 'node:crypto'
import { amount, plain } from '../amount.ts'
import type { Chain } from '../part.ts'
import type { World } from '../world.ts'
import { PART } from './wallets.ts'
import type { Wallets } from './wallets.ts'

export type WalletOrder = { customer_id: string; label: string; asset: string; network: string }
export type WithdrawalOrder = {
  wallet_id: string
  asset: string
  network: string
  amount: string
  address: string
}

export type Kind = 'CREATE_WALLET' | 'WITHDRAW'
export type Status =
  | 'RECEIVED'
  | 'IN_REVIEW'
  | 'PROCESSING'
  | 'CONFIRMING'
  | 'COMPLETED'
  | 'CANCELLED'
export type Request = {
  request_id: string
  reference: string
  kind: Kind
  asked: string
  status: Status
  error_code: string | null
  error_message: string | null
  wallet_id: string | null
  fee: string
  reserved: number
  transaction_hash: string | null
  confirmations: number
  sequence: number
  created_at: number
  updated_at: number
  next_at: number
}
export type Decision = 'hold' | 'release' | 'CANCELLED' | 'COMPLIANCE_REJECTED'

export type Requests = {
  /**
   * The request of this reference: a new one, or the known one; undefined when the reference
   * stands for something else.
   */
  take(reference: string, kind: 'CREATE_WALLET', order: WalletOrder): Request | undefined
  take(reference: string, kind: 'WITHDRAW', order: WithdrawalOrder): Request | undefined
  byId(request_id: string): Request | undefined
  byReference(reference: string): Request | undefined
  /** Withdrawals in the order of their last changes, after this sequence. */
  withdrawals(after: number, limit: number): Request[]
  /** By hand, before a withdrawal has left. False when it is too late. */
  decide(request_id: string, decision: Decision): boolean
}

const FIRST_STEP_MILLISECONDS = 500
const SECOND_STEP_MILLISECONDS = 1_000
const COLUMNS =
  'request_id, reference, kind, asked, status, error_code, error_message, wallet_id, fee, reserved, transaction_hash, confirmations, sequence, created_at, updated_at, next_at'

export function openRequests(world: World, chain: Chain, wallets: Wallets): Requests {
  const { db } = world
  db.exec(`
    create table if not exists managed_requests (
      request_id text primary key, reference text not null unique, kind text not null, asked text not null, status text not null, error_code text, error_message text, wallet_id text,
      fee text not null, reserved integer not null, transaction_hash text, confirmations integer not null, sequence integer not null unique, created_at integer not null, updated_at integer not null, next_at integer not null);
    create index if not exists managed_requests_live on managed_requests (next_at) where status in ('RECEIVED', 'PROCESSING', 'CONFIRMING');
  `)
  const insert = db.prepare(
    `insert into managed_requests (${COLUMNS}) values (${COLUMNS.split(',')
      .map(() => '?')
      .join(', ')})`,
  )
  const update = db.prepare(
    `update managed_requests set status = ?, error_code = ?, error_message = ?, wallet_id = ?, reserved = ?, transaction_hash = ?, confirmations = ?, sequence = ?, updated_at = ?, next_at = ? where request_id = ?`,
  )
  const selectById = db.prepare(`select ${COLUMNS} from managed_requests where request_id = ?`)
  const selectByReference = db.prepare(
    `select ${COLUMNS} from managed_requests where reference = ?`,
  )
  const selectLive = db.prepare(
    `select ${COLUMNS} from managed_requests where status in ('RECEIVED', 'PROCESSING', 'CONFIRMING') and next_at <= ? order by created_at, request_id`,
  )

  const selectWithdrawals = db.prepare(
    `select ${COLUMNS} from managed_requests where kind = 'WITHDRAW' and sequence > ? order by sequence limit ?`,
  )
  const newest = db.prepare('select coalesce(max(sequence), 0) as sequence from managed_requests')
  const nextSequence = () => (newest.get() as { sequence: number }).sequence + 1

  const save = (row: Request, change: Partial<Request>) => {
    const next = { ...row, ...change, updated_at: world.now() }
    update.run(
      next.status,
      next.error_code,
      next.error_message,
      next.wallet_id,
      next.reserved,
      next.transaction_hash,
      next.confirmations,
      nextSequence(),
      next.updated_at,
      next.next_at,
      next.request_id,
    )
  }
  const orderOf = (row: Request) => JSON.parse(row.asked) as WithdrawalOrder
  const sum = (row: Request) => amount(orderOf(row).amount) + amount(row.fee)

  /** Ends what has not left, with an error or cancelled; what was reserved is free again. */
  const end = (
    row: Request,
    status: 'COMPLETED' | 'CANCELLED',
    error: [code: string, message: string] | null,
  ) => {
    if (row.reserved === 1) wallets.change(orderOf(row).wallet_id, { reserved: -sum(row) })
    save(row, {
      status,
      reserved: 0,
      error_code: error?.[0] ?? null,
      error_message: error?.[1] ?? null,
    })
  }
  const provision = (row: Request) => {
    const order = JSON.parse(row.asked) as WalletOrder
    if (world.faults.takeNamed(PART, 'provision')?.kind === 'REFUSE')
      return end(row, 'COMPLETED', ['PROVISIONING_FAILED', 'the wallet could not be made'])
    if (!wallets.customers().some((customer) => customer.customer_id === order.customer_id))
      return end(row, 'COMPLETED', [
        'CUSTOMER_NOT_FOUND',
        `there is no customer ${order.customer_id}`,
      ])
    save(row, { status: 'COMPLETED', wallet_id: wallets.create(order).wallet_id })
  }
  const broadcast = (row: Request, now: number) => {
    const order = orderOf(row)
    if (row.reserved === 0)
      return end(row, 'COMPLETED', [
        'INSUFFICIENT_FUNDS',
        'the wallet does not hold amount and fee',
      ])
    if (world.faults.takeNamed(PART, 'broadcast')?.kind === 'REFUSE')
      return end(row, 'COMPLETED', ['BROADCAST_FAILED', 'the network did not take the transaction'])
    wallets.change(order.wallet_id, { total: -sum(row), reserved: -sum(row) })
    const { transaction_hash } = chain.send({
      asset: order.asset,
      protocol: order.network,
      from_address: wallets.wallet(order.wallet_id)?.address ?? '',
      to_address: order.address,
      tag: null,
      quantity: order.amount,
      fee: row.fee,
    })
    save(row, { status: 'CONFIRMING', reserved: 0, transaction_hash, next_at: now })
  }
  const confirm = (row: Request) => {
    const seen = chain.transaction(row.transaction_hash ?? '')
    if (seen?.state === 'FAILED') {
      wallets.change(orderOf(row).wallet_id, { total: amount(orderOf(row).amount) })
      save(row, {
        status: 'COMPLETED',
        error_code: 'DROPPED_BY_NETWORK',
        error_message: 'the network dropped the transaction; the fee is lost',
      })
    } else if (seen?.state === 'FINAL')
      save(row, { status: 'COMPLETED', confirmations: seen.confirmations })
    else if (seen !== undefined && seen.confirmations !== row.confirmations)
      save(row, { confirmations: seen.confirmations })
  }
  const advance = (row: Request, now: number) => {
    if (row.status === 'CONFIRMING') return confirm(row)
    if (row.status === 'RECEIVED')
      return save(row, { status: 'PROCESSING', next_at: now + SECOND_STEP_MILLISECONDS })
    return row.kind === 'CREATE_WALLET' ? provision(row) : broadcast(row, now)
  }
  world.onTick((now) => {
    const live = selectLive.all(now) as Request[]
    if (live.length > 0)
      world.commit(() => {
        for (const row of live) advance(row, now)
      })
  })

  const byId = (request_id: string) => selectById.get(request_id) as Request | undefined
  const byReference = (reference: string) => selectByReference.get(reference) as Request | undefined
  return {
    byId,
    byReference,
    withdrawals: (after, limit) => selectWithdrawals.all(after, limit) as Request[],
    take(reference: string, kind: Kind, order: WalletOrder | WithdrawalOrder) {
      const asked = JSON.stringify(order)
      const known = byReference(reference)
      if (known !== undefined)
        return known.kind === kind && known.asked === asked ? known : undefined
      const now = world.now()
      const fee = 'amount' in order ? chain.fee(order.network, 'MEDIUM').fee : '0'
      const wallet = 'amount' in order ? wallets.wallet(order.wallet_id) : undefined
      const needed = 'amount' in order ? amount(order.amount) + amount(fee) : 0n
      const reserved = wallet !== undefined && wallets.free(wallet) >= needed
      if (reserved) wallets.change(wallet.wallet_id, { reserved: needed })
      const request_id = randomUUID()
      insert.run(
        request_id,
        reference,
        kind,
        asked,
        'RECEIVED',
        null,
        null,
        null,
        plain(amount(fee)),
        reserved ? 1 : 0,
        null,
        0,
        nextSequence(),
        now,
        now,
        now + FIRST_STEP_MILLISECONDS,
      )
      return byId(request_id)
    },
    decide(request_id, decision) {
      const row = byId(request_id)
      if (
        row === undefined ||
        row.kind !== 'WITHDRAW' ||
        !['RECEIVED', 'IN_REVIEW', 'PROCESSING'].includes(row.status)
      )
        return false
      if (decision === 'hold') save(row, { status: 'IN_REVIEW' })
      else if (decision === 'release') save(row, { status: 'PROCESSING', next_at: world.now() })
      else if (decision === 'CANCELLED') end(row, 'CANCELLED', null)
      else end(row, 'COMPLETED', ['COMPLIANCE_REJECTED', 'the compliance department said no'])
      return true
    },
  }
}
