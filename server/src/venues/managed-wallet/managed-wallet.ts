/**
 * A custodian of managed wallets: it keeps the keys and makes wallets for its customers on request.
 * Everything that changes something is an asynchronous request under our reference, which the
 * custodian takes once and for ever; the network fee is paid on top of the amount.
 */
import { format, tryDecimal } from '../../core/decimal.ts'
import type { Decimal } from '../../core/decimal.ts'
import { ApiError, refuse } from '../../core/errors.ts'
import type {
  AssetProtocols,
  Incoming,
  Outgoing,
  Transfers,
  Venue,
  VenueBalance,
  WalletCreation,
} from '../contract.ts'
import { openClient, readOf } from './client.ts'
import type { Client } from './client.ts'
import {
  findRequest,
  incomingState,
  postedOutcome,
  transferReport,
  walletReport,
} from './requests.ts'
import type { CustodianRequest } from './requests.ts'

export type ManagedWalletConfig = {
  base_url: string
  api_key: string
  api_secret: string
  /** How long one request may take; 20 s by default. */
  request_timeout_ms?: number
}

const REQUEST_TIMEOUT_MILLISECONDS = 20_000
const PAGE = '500'
/** What we call the custodian's networks. */
const PROTOCOLS = [
  { asset: 'BTC', protocol: 'BTC', network: 'BTC', fee_asset: 'BTC' },
  { asset: 'ETH', protocol: 'ETH', network: 'ETH', fee_asset: 'ETH' },
] as const

type CustodianAsset = { asset: string; network: string; decimals: number; min_withdrawal: string }
type CustodianWallet = {
  wallet_id: string
  asset: string
  network: string
  address: string
  total: string
  available: string
}
type CustodianDeposit = {
  deposit_id: string
  sequence: number
  wallet_id: string
  asset: string
  network: string
  amount: string
  status: string
  transaction_hash: string
  output_index: number
  from_address: string
  to_address: string
  confirmations: number
  required_confirmations: number
  detected_at: number
}
/** A request to withdraw with what was asked, and the sequence of its last change. */
type CustodianWithdrawal = CustodianRequest & {
  sequence: number
  wallet_id: string
  asset: string
  network: string
  amount: string
  address: string
  created_at: number
}

export async function openManagedWallets(config: ManagedWalletConfig): Promise<Venue> {
  const client = openClient({
    ...config,
    request_timeout_ms: config.request_timeout_ms ?? REQUEST_TIMEOUT_MILLISECONDS,
  })
  return {
    kind: 'MANAGED_WALLET',
    balances: () => balancesOf(client),
    protocols: () => protocolsOf(client),
    transfers: transfersOf(client),
    wallets: creationOf(client),
    close: () => client.close(),
  }
}

function figure(text: string, what: string): Decimal {
  const value = tryDecimal(text)
  if (value === undefined)
    throw new ApiError('VenueUnreachable', `custodian: ${what} cannot be read`)
  return value
}

async function balancesOf(client: Client): Promise<VenueBalance[]> {
  const balances: VenueBalance[] = []
  let after = ''
  for (;;) {
    const page = readOf(
      await client.get<{ wallets: CustodianWallet[]; next: string | null }>('/wallets', {
        after,
        limit: PAGE,
      }),
    )
    for (const wallet of page.wallets) {
      const total = figure(wallet.total, 'a balance')
      const free = figure(wallet.available, 'a balance')
      balances.push({
        wallet: wallet.wallet_id,
        asset: wallet.asset,
        protocol: wallet.network,
        free,
        used: total - free,
        total,
      })
    }
    if (page.next === null) return balances
    after = page.next
  }
}

async function protocolsOf(client: Client): Promise<AssetProtocols[]> {
  const known = new Map<string, AssetProtocols>()
  for (const { asset, network, decimals, min_withdrawal } of readOf(
    await client.get<{ assets: CustodianAsset[] }>('/assets'),
  ).assets) {
    const protocol = PROTOCOLS.find(
      (protocol) => protocol.asset === asset && protocol.network === network,
    )?.protocol
    if (protocol === undefined) continue
    const entry = known.get(asset) ?? { asset, protocols: [] }
    entry.protocols.push({
      protocol,
      native: `${asset}/${network}`,
      decimals,
      tag_required: false,
      min_withdrawal: figure(min_withdrawal, 'a minimum'),
      max_withdrawal: null,
      deposit: true,
      withdraw: true,
    })
    known.set(asset, entry)
  }
  return [...known.values()]
}

/** Throws UNSUPPORTED_BY_VENUE. */
function networkOf(asset: string, protocol: string): (typeof PROTOCOLS)[number] {
  const found = PROTOCOLS.find((each) => each.asset === asset && each.protocol === protocol)
  if (found === undefined)
    throw refuse('UNSUPPORTED_BY_VENUE', 'protocol', `the custodian has no ${asset} on ${protocol}`)
  return found
}

const protocolOf = (asset: string, network: string): string | null =>
  PROTOCOLS.find((protocol) => protocol.asset === asset && protocol.network === network)
    ?.protocol ?? null

function transfersOf(client: Client): Transfers {
  return {
    fee_deducted: false,
    fields(asset, protocol) {
      networkOf(asset, protocol)
      return { from: [], to: [] }
    },
    async estimateFee(order) {
      const { network } = networkOf(order.asset, order.protocol)
      const told = readOf(await client.get<{ asset: string; fee: string }>('/fees', { network }))
      const fee = figure(told.fee, 'the fee')
      return {
        asset: told.asset,
        custom: false,
        speed_levels: { DEFAULT: fee, FAST: fee, SLOW: fee },
      }
    },
    async send(order) {
      const { network, fee_asset } = networkOf(order.asset, order.protocol)
      if (order.source_wallet === null)
        return { outcome: 'refused', reason: 'no managed wallet is named as source', native: null }
      if (order.speed_level === 'CUSTOM')
        return { outcome: 'refused', reason: 'the custodian takes no fee of our own', native: null }
      const posted = await client.post<CustodianRequest>('/withdrawals', {
        reference: order.external_id,
        wallet_id: order.source_wallet,
        asset: order.asset,
        network,
        amount: format(order.quantity),
        address: order.destination_address,
      })
      return postedOutcome(client, order.external_id, posted, (request) =>
        transferReport(request, fee_asset),
      )
    },
    find(lookup) {
      const { fee_asset } = networkOf(lookup.asset, lookup.protocol)
      return findRequest(client, lookup.external_id, (request) =>
        transferReport(request, fee_asset),
      )
    },
    incoming: (cursor) =>
      readPages(
        cursor,
        async (after) => {
          const { deposits, next } = readOf(
            await client.get<{ deposits: CustodianDeposit[]; next: number | null }>('/deposits', {
              after,
              limit: PAGE,
            }),
          )
          return { items: deposits, next }
        },
        incomingOf,
      ),
    outgoing: (cursor) =>
      readPages(
        cursor,
        async (after) => {
          const { withdrawals, next } = readOf(
            await client.get<{ withdrawals: CustodianWithdrawal[]; next: number | null }>(
              '/withdrawals',
              { after, limit: PAGE },
            ),
          )
          return { items: withdrawals, next }
        },
        outgoingOf,
      ),
  }
}

/** Both lists grow by the sequence of the last change; a changed entry comes again. */
async function readPages<Item extends { sequence: number }, Movement>(
  cursor: string | null,
  page: (after: string) => Promise<{ items: Item[]; next: number | null }>,
  movementOf: (item: Item) => Movement,
) {
  let after = readCursor(cursor)
  const movements: Movement[] = []
  for (;;) {
    const { items, next } = await page(String(after))
    movements.push(...items.map(movementOf))
    after = items.reduce((highest, item) => Math.max(highest, item.sequence), after)
    if (next === null) return { movements, cursor: String(after) }
  }
}

/** A cursor is the sequence of the last change. Throws for one that is not ours. */
function readCursor(cursor: string | null): number {
  const value = Number(cursor ?? '0')
  if (!Number.isSafeInteger(value) || value < 0)
    throw new RangeError('the cursor is not one of the custodian')
  return value
}

function incomingOf(deposit: CustodianDeposit): Incoming {
  return {
    foreign_id: deposit.deposit_id,
    state: incomingState(deposit.status),
    wallet: deposit.wallet_id,
    asset: deposit.asset,
    protocol: protocolOf(deposit.asset, deposit.network),
    quantity: figure(deposit.amount, `the amount of deposit ${deposit.deposit_id}`),
    transaction_hash: deposit.transaction_hash,
    output_index: deposit.output_index,
    source_address: deposit.from_address,
    destination_address: deposit.to_address,
    tag: null,
    reference_text: null,
    counterparty: null,
    confirmations: deposit.confirmations,
    required_confirmations: deposit.required_confirmations,
    related_external_id: null,
    occurred_at: deposit.detected_at,
  }
}

/** What was never broadcast, or came back, has not left. */
function outgoingOf(request: CustodianWithdrawal): Outgoing {
  const fee_asset =
    PROTOCOLS.find(
      (protocol) => protocol.asset === request.asset && protocol.network === request.network,
    )?.fee_asset ?? request.asset
  const report = transferReport(request, fee_asset)
  return {
    kind: 'TRANSFER',
    foreign_id: request.request_id,
    external_id: request.reference,
    state: report.state,
    left: report.transaction_hash !== null && report.state !== 'FAILED',
    sub_state: report.sub_state,
    wallet: request.wallet_id,
    asset: request.asset,
    protocol: protocolOf(request.asset, request.network) ?? request.network,
    quantity: figure(request.amount, `the amount of request ${request.request_id}`),
    fee: report.fee,
    fee_asset: report.fee_asset,
    transaction_hash: report.transaction_hash,
    destination_address: request.address,
    tag: null,
    reference_text: null,
    recipient_name: null,
    occurred_at: request.created_at,
  }
}

function creationOf(client: Client): WalletCreation {
  return {
    async create(order) {
      const { network } = networkOf(order.asset, order.protocol)
      if (order.customer_id === null)
        return {
          outcome: 'refused',
          reason: 'the custodian makes wallets for a customer of its own only',
          native: null,
        }
      const posted = await client.post<CustodianRequest>('/wallets', {
        reference: order.external_id,
        customer_id: order.customer_id,
        label: order.label,
        asset: order.asset,
        network,
      })
      return postedOutcome(client, order.external_id, posted, walletReport)
    },
    find: (order) => findRequest(client, order.external_id, walletReport),
  }
}
