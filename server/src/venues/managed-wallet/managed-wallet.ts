/**
 * A custodian of managed wallets: it keeps the keys and makes wallets for its customers on request.
 * Everything that changes something is an asynchronous request under our reference, which the
 * custodian takes once and for ever; the network fee is paid on top of the amount.
 */
import type { AssetProtocols, Venue, VenueBalance, WalletCreation } from '../contract.ts'
import { openClient, readOf } from './client.ts'
import type { Client } from './client.ts'
import { figure, networkOf, protocolOf } from './networks.ts'
import { findRequest, outcomeOfPost, walletReport } from './requests.ts'
import type { CustodianRequest } from './requests.ts'
import { custodianTransfers } from './transfers.ts'

export type ManagedWalletConfig = {
  base_url: string
  api_key: string
  api_secret: string
  /** How long one request may take; 20 s by default. */
  request_timeout_ms?: number
}

const REQUEST_TIMEOUT_MILLISECONDS = 20_000
const PAGE = '500'
type CustodianAsset = { asset: string; network: string; decimals: number; min_withdrawal: string }
type CustodianWallet = {
  wallet_id: string
  asset: string
  network: string
  address: string
  total: string
  available: string
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
    transfers: custodianTransfers(client),
    wallets: creationOf(client),
    close: () => client.close(),
  }
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
    const protocol = protocolOf(asset, network)
    if (protocol === null) continue
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
      return outcomeOfPost(client, order.external_id, posted, walletReport)
    },
    find: (order) => findRequest(client, order.external_id, walletReport),
  }
}
