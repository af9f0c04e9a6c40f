/**
 * A custodian of managed wallets: it keeps the keys and makes wallets for its customers on request.
 * Everything that changes something is an asynchronous request under our reference, which the
 * custodian takes once and for ever; the network fee is paid on top of the amount.
 */
import type { AssetProtocols, Venue, VenueBalance, WalletCreation } from '../contract.ts'
import { openClient, readOf } from './client.ts'
import type { Client } from './client.ts'
import { isTagged, networkOf, shippedTerms, termsOf } from '../terms.ts'
import type { Term, Terms } from '../terms.ts'
import { assetProtocols } from '../unserved.ts'
import { assetOf, figure, termOn } from './networks.ts'
import { findRequest, outcomeOfPost, walletReport } from './requests.ts'
import type { CustodianRequest } from './requests.ts'
import { custodianTransfers, NO_TAGS } from './transfers.ts'

export type ManagedWalletConfig = {
  /** What we move there, in its words: what is shipped unless given. */
  terms?: readonly Term[]
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
  const terms = termsOf('the custodian', config.terms ?? shippedTerms('MANAGED_WALLET'))
  return {
    kind: 'MANAGED_WALLET',
    balances: () => balancesOf(client, terms),
    protocols: () => protocolsOf(client, terms),
    transfers: custodianTransfers(client, terms),
    wallets: creationOf(client, terms),
    close: () => client.close(),
  }
}

async function balancesOf(client: Client, terms: Terms): Promise<VenueBalance[]> {
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
        asset: assetOf(terms, wallet.asset),
        protocol: termOn(terms, wallet.asset, wallet.network)?.protocol ?? wallet.network,
        free,
        used: total - free,
        total,
      })
    }
    if (page.next === null) return balances
    after = page.next
  }
}

async function protocolsOf(client: Client, terms: Terms): Promise<AssetProtocols[]> {
  const { assets } = readOf(await client.get<{ assets: CustodianAsset[] }>('/assets'))
  return assetProtocols(terms.all, (term) => {
    if (isTagged(term)) return NO_TAGS
    const network = networkOf(term)
    const found = assets.find((known) => known.asset === term.native && known.network === network)
    if (found === undefined) return `the custodian keeps no ${term.native} on ${network}`
    return {
      protocol: term.protocol,
      native: `${term.native}/${network}`,
      decimals: found.decimals,
      tag_required: false,
      min_withdrawal: figure(found.min_withdrawal, 'a minimum'),
      max_withdrawal: null,
      deposit: true,
      withdraw: true,
    }
  })
}

function creationOf(client: Client, terms: Terms): WalletCreation {
  return {
    async create(order) {
      const term = terms.of(order.asset, order.protocol)
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
        asset: term.native,
        network: networkOf(term),
      })
      return outcomeOfPost(client, order.external_id, posted, walletReport)
    },
    find: (order) => findRequest(client, order.external_id, walletReport),
  }
}
