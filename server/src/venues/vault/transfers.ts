/**
 * Transfers of the vault. Our reference is the vault's `externalTxId`, which it takes once and for
 * ever; the network fee is paid on top of the amount. The vault sends to what its allow-list holds,
 * not to what we name, so both are compared first.
 */
import type { Fireblocks, TransactionResponse } from '@fireblocks/ts-sdk'
import { decimal, divide, format, multiply, sum, tryDecimal, ZERO } from '../../core/decimal.ts'
import type { Decimal } from '../../core/decimal.ts'
import { ApiError } from '../../core/errors.ts'
import type {
  FeeEstimate,
  Incoming,
  Lookup,
  Outcome,
  Outgoing,
  TransferDetails,
  TransferFields,
  TransferLookup,
  TransferOrder,
  TransferOutput,
  TransferReport,
  Transfers,
} from '../contract.ts'
import { byAsset, byNative, sameAddress } from './assets.ts'
import type { VaultAsset } from './assets.ts'
import { ask, isAbsent, isRefusal, outcomeOf, readOf } from './client.ts'
import { allowlistState, incomingState, transferState } from './states.ts'
import type { VerifyWebhook } from './webhook.ts'

const PAGE = 500
/**
 * How far behind the newest transaction a poll looks again, for those that the vault lists late.
 */
const OVERLAP_MILLISECONDS = 600_000
const FEE_LEVELS = { SLOW: 'LOW', DEFAULT: 'MEDIUM', FAST: 'HIGH' } as const
const SATOSHI: Decimal = decimal('0.00000001')
const FEE_RATE_DECIMALS = 6
/** States of movements, either way, that will still change. */
const LIVE: ReadonlySet<string> = new Set(['PENDING', 'PENDING_REVIEW', 'UNKNOWN'])

export function sourceOf(order: {
  source_wallet: string | null
  transfer: TransferDetails
}): string {
  return order.transfer.from['source_vault_account_id'] || order.source_wallet || ''
}

export function externalWalletOf(transfer: TransferDetails): string {
  return transfer.from['destination_external_account_id'] ?? ''
}

export function tagOf(order: { tag: string | null; transfer: TransferDetails }): string {
  return order.tag || order.transfer.to['tag'] || ''
}

export function vaultTransfers(client: Fireblocks, verify: VerifyWebhook): Transfers {
  const estimate = (asset: VaultAsset, order: PaidOutput) =>
    ask(() =>
      client.transactions.estimateTransactionFee({
        transactionRequest: {
          operation: 'TRANSFER',
          assetId: asset.native,
          ...destinationsOf(order),
        },
      }),
    )

  /**
   * Why the vault must not be asked to send this, undefined when it may; nothing has left either
   * way.
   */
  async function objection(
    asset: VaultAsset,
    order: TransferOrder,
  ): Promise<Outcome<TransferReport> | undefined> {
    const source = sourceOf(order)
    if (source === '') return refused('no vault account is named as source')
    const outputs = outputsOf(order)
    if (outputs.length > 1 && !asset.many_outputs)
      return refused(`${asset.asset} goes to one destination at a time`)
    if (outputs.some((output) => sourceOf({ ...order, ...output }) !== source))
      return refused('one transaction leaves one vault account')
    for (const output of outputs) {
      const stop = await objectionTo(asset, output)
      if (stop !== undefined) return stop
    }
    return undefined
  }

  /** The same for one destination: it must be what the allow-list holds. */
  async function objectionTo(
    asset: VaultAsset,
    order: TransferOutput,
  ): Promise<Outcome<TransferReport> | undefined> {
    const walletId = externalWalletOf(order.transfer)
    if (walletId === '') return refused('the destination is not on the allow-list')
    const entry = await ask(() =>
      client.externalWallets.getExternalWalletAsset({ walletId, assetId: asset.native }),
    )
    if (!entry.ok)
      return isAbsent(entry.failure)
        ? refused('the destination is not on the allow-list')
        : { outcome: 'unknown', reason: `allow-list: ${entry.failure.reason}` }
    const state = allowlistState(entry.data.status ?? '')
    if (state !== 'APPROVED') return refused(`the destination is ${state} on the allow-list`)
    if (!sameAddress(entry.data.address ?? '', order.destination_address))
      return refused('the allow-list holds another address for this destination')
    if ((entry.data.tag ?? '') !== tagOf(order))
      return refused('the allow-list holds another tag for this destination')
    return undefined
  }

  /**
   * The fee part of the request, or why it could not be made. A BTC fee is told per byte, so the
   * vault is asked for the size.
   */
  async function feePart(
    asset: VaultAsset,
    order: TransferOrder,
  ): Promise<
    | { feeLevel: 'LOW' | 'MEDIUM' | 'HIGH' }
    | { networkFee: string }
    | { fee: string }
    | Outcome<TransferReport>
  > {
    if (order.speed_level !== 'CUSTOM') return { feeLevel: FEE_LEVELS[order.speed_level] }
    if (asset.custom_fee === 'networkFee') return { networkFee: format(order.fee) }
    if (asset.custom_fee === 'fee') return { fee: format(order.fee) }
    const current = await estimate(asset, order)
    if (!current.ok) return outcomeOf(current.failure)
    const whole = tryDecimal(current.data.medium.networkFee ?? '') ?? ZERO
    const perByte = tryDecimal(current.data.medium.feePerByte ?? '') ?? ZERO
    if (whole <= ZERO || perByte <= ZERO)
      return { outcome: 'unknown', reason: 'the vault did not tell the size of the transaction' }
    const wanted = divide(
      multiply(order.fee, perByte, 18, 'down'),
      whole,
      FEE_RATE_DECIMALS,
      'down',
    )
    if (wanted <= ZERO || order.fee < SATOSHI)
      return { outcome: 'refused', reason: 'the fee is too low', native: null }
    return { fee: format(wanted) }
  }

  async function find({
    external_id,
  }: Pick<TransferLookup, 'external_id'>): Promise<Lookup<TransferReport>> {
    const found = await ask(() =>
      client.transactions.getTransactionByExternalId({ externalTxId: external_id }),
    )
    if (found.ok) return { lookup: 'found', report: reportOf(found.data) }
    return isAbsent(found.failure)
      ? { lookup: 'absent' }
      : { lookup: 'unknown', reason: found.failure.reason }
  }

  async function readOn<Movement extends { state: string }>(
    cursor: string | null,
    side: { destType: 'VAULT_ACCOUNT' } | { sourceType: 'VAULT_ACCOUNT' },
    read: (transaction: TransactionResponse) => Movement[],
  ): Promise<{ movements: Movement[]; cursor: string | null }> {
    const seen = readCursor(cursor)
    const movements: Movement[] = []
    let newest = seen
    let oldestLive = Number.POSITIVE_INFINITY
    let next: string | undefined
    do {
      const page = await ask(() =>
        client.transactions.getTransactions({
          after: String(Math.max(1, seen - OVERLAP_MILLISECONDS)),
          orderBy: 'createdAt',
          sort: 'ASC',
          limit: PAGE,
          ...side,
          ...(next !== undefined && { next }),
        }),
      )
      for (const transaction of readOf(page)) {
        const found = read(transaction)
        movements.push(...found)
        newest = Math.max(newest, transaction.createdAt ?? 0)
        if (found.some((movement) => LIVE.has(movement.state)))
          oldestLive = Math.min(oldestLive, transaction.createdAt ?? 0)
      }
      next = page.ok ? nextPage(page.headers['next-page']) : undefined
    } while (next !== undefined)
    // The vault filters by the time of creation: what is still on its way has to stay in view until
    // it is final.
    return { movements, cursor: String(Math.min(newest, oldestLive)) }
  }

  return {
    fee_deducted: false,
    output_group: (order) =>
      byAsset(order.asset, order.protocol).many_outputs ? sourceOf(order) : null,
    fields: (asset, protocol) => fieldsOf(byAsset(asset, protocol)),

    async estimateFee(order): Promise<FeeEstimate> {
      const asset = byAsset(order.asset, order.protocol)
      const { low, medium, high } = readOf(await estimate(asset, order))
      const level = (fee: { networkFee?: string }) => feeFigure(fee.networkFee)
      return {
        asset: asset.fee_asset,
        custom: true,
        speed_levels: { SLOW: level(low), DEFAULT: level(medium), FAST: level(high) },
      }
    },

    async send(order) {
      const asset = byAsset(order.asset, order.protocol)
      const stop = await objection(asset, order)
      if (stop !== undefined) return stop
      const fee = await feePart(asset, order)
      if ('outcome' in fee) return fee
      const sent = await ask(() =>
        client.transactions.createTransaction({
          idempotencyKey: order.external_id,
          transactionRequest: {
            operation: 'TRANSFER',
            externalTxId: order.external_id,
            assetId: asset.native,
            ...destinationsOf(order),
            ...fee,
          },
        }),
      )
      if (sent.ok && sent.data.id !== undefined)
        return { outcome: 'accepted', report: reportOf(sent.data) }
      if (sent.ok) return { outcome: 'unknown', reason: 'the vault answered without an id' }
      if (!isRefusal(sent.failure)) return outcomeOf(sent.failure)
      // It may refuse because it has this reference already; only its own word that it has not
      // makes a refusal certain.
      const known = await find(order)
      if (known.lookup === 'found') return { outcome: 'accepted', report: known.report }
      return known.lookup === 'absent'
        ? outcomeOf(sent.failure)
        : { outcome: 'unknown', reason: known.reason }
    },

    find,

    incoming: (cursor) => readOn(cursor, { destType: 'VAULT_ACCOUNT' }, movementsOf),
    outgoing: (cursor) => readOn(cursor, { sourceType: 'VAULT_ACCOUNT' }, outgoingOf),

    async push(body, headers) {
      const event = await verify(body, headers)
      const found = event.data === undefined ? [] : movementsOf(event.data)
      return found.length === 0 ? undefined : found
    },
  }
}

const refused = (reason: string): Outcome<TransferReport> => ({
  outcome: 'refused',
  reason,
  native: null,
})

type PaidOutput = Pick<
  TransferOrder,
  'quantity' | 'source_wallet' | 'destination_address' | 'transfer' | 'further_outputs'
>

const outputsOf = <Order extends PaidOutput>(order: Order) => [
  order,
  ...(order.further_outputs ?? []),
]

/** Whence, whither and how much; `amount` is the sum where there are several destinations. */
function destinationsOf(order: PaidOutput) {
  const outputs = outputsOf(order)
  const peer = ({
    transfer,
    destination_address,
  }: Pick<PaidOutput, 'transfer' | 'destination_address'>) => {
    const id = externalWalletOf(transfer)
    return id === ''
      ? ({ type: 'ONE_TIME_ADDRESS', oneTimeAddress: { address: destination_address } } as const)
      : ({ type: 'EXTERNAL_WALLET', id } as const)
  }
  return {
    amount: format(sum(outputs.map((output) => output.quantity))),
    source: { type: 'VAULT_ACCOUNT', id: sourceOf(order) } as const,
    ...(outputs.length === 1
      ? { destination: peer(order) }
      : {
          destinations: outputs.map((output) => ({
            amount: format(output.quantity),
            destination: peer(output),
          })),
        }),
  }
}

function fieldsOf(asset: VaultAsset): TransferFields {
  return {
    from: [
      {
        name: 'source_vault_account_id',
        type: 'string',
        required: true,
        description: 'Vault account used as source',
      },
      {
        name: 'destination_external_account_id',
        type: 'string',
        required: false,
        description:
          'Allow-list collection that holds, or shall hold, the destination address; a new one is made when empty',
      },
    ],
    to: [
      { name: 'tag', type: 'string', required: asset.tag_required, description: 'Destination tag' },
      {
        name: 'on_allowlist',
        type: 'boolean',
        required: false,
        description: 'Answered: the venue has approved the destination',
      },
    ],
  }
}

function feeFigure(text: string | undefined): Decimal {
  const value = tryDecimal(text ?? '')
  if (value === undefined)
    throw new ApiError('VenueUnreachable', 'vault: the fee estimate cannot be read')
  return value
}

/** A cursor is a creation time. Throws for one that is not ours. */
function readCursor(cursor: string | null): number {
  const value = Number(cursor ?? '0')
  if (!Number.isSafeInteger(value) || value < 0)
    throw new RangeError('the cursor is not one of the vault')
  return value
}

/** The header is a cursor, or the address of the next page that carries one. */
function nextPage(header: string | undefined): string | undefined {
  if (header === undefined || header === '') return undefined
  return /^https?:/.test(header) ? (new URL(header).searchParams.get('next') ?? undefined) : header
}

function reportOf(transaction: TransactionResponse): TransferReport {
  const status = transaction.status ?? ''
  const hash = transaction.txHash || null
  const state = transferState(status)
  // Before the coins have left, the vault shows what it expects to pay; what failed has cost
  // something once it is in a block.
  const paid = hash !== null && (state !== 'FAILED' || (transaction.numOfConfirmations ?? 0) > 0)
  return {
    foreign_id: transaction.id ?? '',
    state,
    sub_state: transaction.subStatus ? `${status}/${transaction.subStatus}` : status,
    reason: transaction.errorDescription || null,
    transaction_hash: hash,
    confirmations: transaction.numOfConfirmations ?? null,
    fee: paid ? (tryDecimal(transaction.feeInfo?.networkFee ?? '') ?? null) : null,
    fee_asset: !paid ? null : nameOf(transaction.feeCurrency ?? ''),
  }
}

function nameOf(native: string): string | null {
  return native === '' ? null : (byNative(native)?.asset ?? native)
}

/** What a transaction brings into accounts of the vault; several outputs are several movements. */
export function movementsOf(transaction: TransactionResponse): Incoming[] {
  const { id, assetId, destination, destinations = [], amountInfo } = transaction
  if (
    id === undefined ||
    assetId === undefined ||
    (transaction.operation ?? 'TRANSFER') !== 'TRANSFER'
  )
    return []
  const outputs =
    destinations.length > 0
      ? destinations.map((destination) => ({
          peer: destination.destination,
          amount: destination.amount,
        }))
      : [{ peer: destination, amount: amountInfo?.netAmount ?? amountInfo?.amount }]
  return outputs.flatMap(({ peer, amount }, position) => {
    if (peer?.type !== 'VAULT_ACCOUNT') return []
    const quantity = tryDecimal(amount ?? '')
    if (quantity === undefined)
      throw new ApiError(
        'VenueUnreachable',
        `vault: the amount of transaction ${id} cannot be read`,
      )
    return [
      {
        foreign_id: `${id}:${position}`,
        state: incomingState(transaction.status ?? ''),
        wallet: peer.id ?? null,
        asset: byNative(assetId)?.asset ?? assetId,
        protocol: byNative(assetId)?.protocol ?? null,
        quantity,
        transaction_hash: transaction.txHash || null,
        output_index: transaction.index ?? null,
        source_address: transaction.sourceAddress || null,
        destination_address: transaction.destinationAddress || null,
        tag: transaction.destinationTag || null,
        reference_text: null,
        counterparty: null,
        confirmations: transaction.numOfConfirmations ?? null,
        required_confirmations: null,
        related_external_id: transaction.externalTxId ?? null,
        occurred_at: transaction.createdAt ?? 0,
      },
    ]
  })
}

/**
 * What a transaction takes out of an account of the vault; several outputs are several movements,
 * the fee is told with the first.
 */
export function outgoingOf(transaction: TransactionResponse): Outgoing[] {
  const { id, assetId, source, destination, destinations = [], amountInfo } = transaction
  if (
    id === undefined ||
    assetId === undefined ||
    source?.type !== 'VAULT_ACCOUNT' ||
    (transaction.operation ?? 'TRANSFER') !== 'TRANSFER'
  )
    return []
  const several = destinations.length > 1
  const outputs =
    destinations.length > 0
      ? destinations.map((destination) => ({
          peer: destination.destination,
          amount: destination.amount,
        }))
      : [{ peer: destination, amount: amountInfo?.netAmount ?? amountInfo?.amount }]
  const report = reportOf(transaction)
  return outputs.map(({ peer, amount }, position): Outgoing => {
    const quantity = tryDecimal(amount ?? '')
    if (quantity === undefined)
      throw new ApiError(
        'VenueUnreachable',
        `vault: the amount of transaction ${id} cannot be read`,
      )
    return {
      kind: 'TRANSFER',
      ...(several ? { foreign_id: `${id}:${position}`, output: position } : { foreign_id: id }),
      external_id: transaction.externalTxId || null,
      state: report.state,
      sub_state: report.sub_state,
      left: report.transaction_hash !== null && report.state !== 'FAILED',
      wallet: source.id ?? null,
      asset: byNative(assetId)?.asset ?? assetId,
      protocol: byNative(assetId)?.protocol ?? assetId,
      quantity,
      fee: position === 0 ? report.fee : ZERO,
      fee_asset: report.fee_asset,
      transaction_hash: report.transaction_hash,
      // The vault tells the address of one output only.
      destination_address: several ? null : transaction.destinationAddress || null,
      tag: several ? null : transaction.destinationTag || null,
      reference_text: transaction.note || null,
      recipient_name: peer?.name || null,
      occurred_at: transaction.createdAt ?? 0,
    }
  })
}
