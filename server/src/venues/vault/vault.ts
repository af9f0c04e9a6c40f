/**
 * A vault custodian by the Fireblocks SDK: vault accounts hold one wallet per asset; coins leave
 * for addresses on the vault's allow-list only, under our reference; what arrives is polled, and
 * pushed by signed webhooks.
 */
import type { Fireblocks, VaultAccount } from '@fireblocks/ts-sdk'
import { tryDecimal } from '../../core/decimal.ts'
import type { AssetProtocols, Venue, VenueBalance } from '../contract.ts'
import { readAccounts } from './accounts.ts'
import { vaultAllowlist } from './allowlist.ts'
import { isTagged, shippedTerms, termsOf } from '../terms.ts'
import type { Term, Terms } from '../terms.ts'
import { assetProtocols } from '../unserved.ts'
import { ask, readOf } from './client.ts'
import { vaultTransfers } from './transfers.ts'
import { vaultWallets } from './wallets.ts'
import { webhookVerifier } from './webhook.ts'

export type VaultConfig = {
  /** What we move there, in its words: what is shipped unless given. */
  terms?: readonly Term[]
  /** Up to and including the version: `https://api.fireblocks.io/v1`. */
  base_url: string
  api_key: string
  /** The API user's RSA private key. */
  secret_pem: string
  /** Without it no webhook is believed. */
  webhook_public_key_pem?: string
  /** How long one request may take; 20 s by default. */
  request_timeout_ms?: number
}

const REQUEST_TIMEOUT_MILLISECONDS = 20_000

export async function openVault(config: VaultConfig): Promise<Venue> {
  // Loaded late: the SDK is large, and a workspace without a vault needs none of it. Its entry also
  // loads a file for each of the 1,100 types, most of which hold nothing at runtime.
  const sdk = await import('@fireblocks/ts-sdk/dist/client/client.js')
  const client = new sdk.Fireblocks({
    apiKey: config.api_key,
    secretKey: config.secret_pem,
    basePath: config.base_url.replace(/\/+$/, ''),
    additionalOptions: {
      isAnonymousPlatform: true,
      baseOptions: {
        timeout: config.request_timeout_ms ?? REQUEST_TIMEOUT_MILLISECONDS,
        maxRedirects: 0,
      },
    },
  })
  const terms = termsOf('the vault', config.terms ?? shippedTerms('CUSTODY_VAULT'))
  return {
    kind: 'CUSTODY_VAULT',
    balances: async () =>
      readOf(await readAccounts(client)).flatMap((account) => balancesOf(terms, account)),
    protocols: () => protocolsOf(client, terms),
    transfers: vaultTransfers(client, terms, webhookVerifier(config.webhook_public_key_pem)),
    allowlist: vaultAllowlist(client, terms),
    wallets: vaultWallets(client, terms),
    close: async () => {},
  }
}

/** `used` is what is not available: locked, pending and frozen. */
function balancesOf({ byNative }: Terms, account: VaultAccount): VenueBalance[] {
  return (account.assets ?? []).flatMap((asset) => {
    if (asset.id === undefined) return []
    const total = tryDecimal(asset.total ?? '') ?? null
    const free = tryDecimal(asset.available ?? '') ?? null
    const known = byNative(asset.id)
    return [
      {
        wallet: account.id ?? null,
        asset: known?.asset ?? asset.id,
        protocol: known?.protocol ?? null,
        free,
        total,
        used: total === null || free === null ? null : total - free,
      },
    ]
  })
}

/**
 * The vault says of each asset how fine it is and which one pays its network fees ("List supported
 * assets", docs of the Fireblocks API: `decimals`, `nativeAsset`).
 */
async function protocolsOf(client: Fireblocks, terms: Terms): Promise<AssetProtocols[]> {
  const supported = readOf(await ask(() => client.blockchainsAssets.getSupportedAssets()))
  return assetProtocols(terms.all, (term) => {
    const asset = supported.find(({ id }) => id === term.native)
    if (asset === undefined) return `the vault supports no asset ${term.native}`
    const { decimals = term.decimals, nativeAsset = '' } = asset
    const payer = terms.byNative(nativeAsset)?.asset ?? nativeAsset
    if (payer !== '' && payer !== term.fee_asset)
      return `the vault pays the fees of ${term.native} in ${payer}, not in ${term.fee_asset}`
    return {
      protocol: term.protocol,
      native: term.native,
      decimals,
      tag_required: isTagged(term),
      min_withdrawal: null,
      max_withdrawal: null,
      deposit: true,
      withdraw: true,
    }
  })
}
