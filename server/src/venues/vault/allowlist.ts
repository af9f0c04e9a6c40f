/**
 * The vault's allow-list: external wallets, collections that hold one address per asset, each
 * approved by the vault's own people.
 */
import type { Fireblocks, UnmanagedWallet } from '@fireblocks/ts-sdk'
import type {
  Allowlist,
  AllowlistDestination,
  AllowlistEntry,
  AllowlistState,
  Outcome,
  TransferDetails,
} from '../contract.ts'
import type { Terms } from '../terms.ts'
import { sameAddress } from './assets.ts'
import { ask, isAbsent, outcomeOf, readOf } from './client.ts'
import { externalWalletOf, tagOf } from './destinations.ts'
import { allowlistState } from './states.ts'

const MAXIMUM_NAME = 100

type Order = Parameters<Allowlist['allow']>[0]
type FailedOutcome = Outcome<never>

export function vaultAllowlist(client: Fireblocks, terms: Terms): Allowlist {
  const nativeOf = ({ asset, protocol }: AllowlistDestination) => terms.of(asset, protocol).native
  return {
    collect: async (order) => collect(client, order, nativeOf(order)),
    allow: async (order) => allow(client, order, nativeOf(order)),
    state: async (order) => readState(client, order, nativeOf(order)),
  }
}

async function collect(
  client: Fireblocks,
  order: Order,
  native: string,
): Promise<Outcome<{ collection: string }>> {
  const wallet = await walletFor(client, order, native)
  return 'outcome' in wallet ? wallet : { outcome: 'accepted', report: { collection: wallet.id } }
}

async function allow(
  client: Fireblocks,
  order: Order,
  native: string,
): Promise<Outcome<AllowlistEntry>> {
  const wallet = await walletFor(client, order, native)
  if ('outcome' in wallet) return wallet
  const accepted = (status: string): Outcome<AllowlistEntry> => ({
    outcome: 'accepted',
    report: {
      state: allowlistState(status),
      transfer: withExternalWallet(order.transfer, wallet.id),
    },
  })
  const entry = wallet.assets?.find((asset) => asset.id === native)
  const status = entry?.status ?? ''
  if (status === 'APPROVED' || status === 'WAITING_FOR_APPROVAL') {
    if (holds(wallet, native, order)) return accepted(status)
    return {
      outcome: 'refused',
      reason: 'the collection already holds another address for this asset',
      native: null,
    }
  }
  // No idempotency key: after a rejection the same address is asked for again, and a replayed
  // answer would hide that.
  const tag = tagOf(order)
  const added = await ask(() =>
    client.externalWallets.addAssetToExternalWallet({
      walletId: wallet.id,
      assetId: native,
      addAssetToExternalWalletRequest: {
        address: order.destination_address,
        ...(tag !== '' && { tag }),
      },
    }),
  )
  return added.ok ? accepted(added.data.status ?? '') : outcomeOf(added.failure)
}

/**
 * The collection that the route names, or the one that an earlier call made for it, or a new one.
 */
async function walletFor(
  client: Fireblocks,
  order: Order,
  native: string,
): Promise<UnmanagedWallet | FailedOutcome> {
  const walletId = externalWalletOf(order.transfer)
  if (walletId !== '') {
    const named = await ask(() => client.externalWallets.getExternalWallet({ walletId }))
    return named.ok ? named.data : outcomeOf(named.failure)
  }
  const all = await ask(() => client.externalWallets.getExternalWallets())
  if (!all.ok) return outcomeOf(all.failure)
  if (!Array.isArray(all.data))
    return { outcome: 'unknown', reason: 'the vault answered no list of wallets' }
  const known =
    all.data.find((wallet) => holds(wallet, native, order)) ??
    all.data.find((wallet) => wallet.customerRefId === order.external_id)
  if (known !== undefined) return known
  const made = await ask(() =>
    client.externalWallets.createExternalWallet({
      idempotencyKey: order.external_id,
      createWalletRequest: {
        name: order.label.slice(0, MAXIMUM_NAME),
        customerRefId: order.external_id,
      },
    }),
  )
  return made.ok ? made.data : outcomeOf(made.failure)
}

async function readState(
  client: Fireblocks,
  order: AllowlistDestination,
  native: string,
): Promise<AllowlistState | null> {
  const walletId = externalWalletOf(order.transfer)
  if (walletId === '') return null
  const entry = await ask(() =>
    client.externalWallets.getExternalWalletAsset({ walletId, assetId: native }),
  )
  if (!entry.ok && isAbsent(entry.failure)) return null
  const { address = '', tag = '', status = '' } = readOf(entry)
  return sameAddress(address, order.destination_address) && tag === tagOf(order)
    ? allowlistState(status)
    : null
}

function holds(
  wallet: UnmanagedWallet,
  native: string,
  order: Pick<Order, 'destination_address' | 'tag' | 'transfer'>,
): boolean {
  return (wallet.assets ?? []).some(
    (asset) =>
      asset.id === native &&
      sameAddress(asset.address ?? '', order.destination_address) &&
      (asset.tag ?? '') === tagOf(order),
  )
}

function withExternalWallet(transfer: TransferDetails, id: string): TransferDetails {
  return { from: { ...transfer.from, destination_external_account_id: id }, to: transfer.to }
}
