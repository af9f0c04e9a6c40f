/**
 * New wallets of the vault: a vault account of its own, or a further deposit address in a known
 * one. The vault keeps our reference as `customerRefId` of the account or of the address; each call
 * also carries it as idempotency key, so that one that is repeated at once makes nothing twice. An
 * account with that reference is ours, and so is what lies in it.
 */
import type { Fireblocks, VaultAccount, VaultWalletAddress } from '@fireblocks/ts-sdk'
import type { Lookup, Outcome, WalletCreation, WalletOrder, WalletReport } from '../contract.ts'
import { findAccount, readAddresses } from './accounts.ts'
import type { Term, Terms } from '../terms.ts'
import { hasManyAddresses } from './assets.ts'
import { ask, isRefusal, outcomeOf } from './client.ts'
import type { Answer, Failure } from './client.ts'

const MAXIMUM_NAME = 100

/**
 * The key of one step: vault account, wallet or address. It has 38 characters; the vault takes 40
 * (developers.fireblocks.com/reference/api-idempotency).
 */
const keyOf = ({ external_id }: WalletOrder, step: 'v' | 'w' | 'a') => `${external_id}-${step}`

export function vaultWallets(client: Fireblocks, terms: Terms): WalletCreation {
  return {
    create: async (order) => create(client, order, terms.of(order.asset, order.protocol)),
    find: async (order) => find(client, order, terms.of(order.asset, order.protocol)),
  }
}

async function find(
  client: Fireblocks,
  order: WalletOrder,
  asset: Term,
): Promise<Lookup<WalletReport>> {
  const unknown = ({ reason }: Failure): Lookup<WalletReport> => ({ lookup: 'unknown', reason })
  const account = order.vault_id === null ? await findAccount(client, order.external_id) : undefined
  if (account?.ok === false) return unknown(account.failure)
  const vault = order.vault_id ?? account?.data?.id
  if (vault === undefined) return { lookup: 'absent' }
  const addresses = await readAddresses(client, vault, asset.native)
  if (!addresses.ok) return unknown(addresses.failure)
  const ours = addresses.data.find((address) => isOurs(asset, order, address))
  return ours?.address === undefined
    ? { lookup: 'absent' }
    : {
        lookup: 'found',
        report: { state: 'ACTIVE', wallet: vault, address: ours.address, tag: ours.tag || null },
      }
}

/**
 * In a vault of its own, and where the chain has one address only, it is the first one; elsewhere
 * the one with our reference.
 */
function isOurs(asset: Term, order: WalletOrder, address: VaultWalletAddress): boolean {
  return order.vault_id === null || !hasManyAddresses(asset)
    ? !address.customerRefId
    : address.customerRefId === order.external_id
}

/** A vault account, its wallet and a further address, as far as they are missing. */
async function create(
  client: Fireblocks,
  order: WalletOrder,
  asset: Term,
): Promise<Outcome<WalletReport>> {
  const account = order.vault_id === null ? await mustHaveAccount(client, order) : undefined
  if (account?.ok === false) return outcomeOf(account.failure)
  const vault = order.vault_id ?? account?.data?.id
  if (vault === undefined) return { outcome: 'unknown', reason: 'the vault answered without an id' }
  const known = await readAddresses(client, vault, asset.native)
  if (!known.ok) return outcomeOf(known.failure)
  if (known.data.length === 0) {
    const activated = await activate(client, order, asset, vault)
    if (!activated.ok) return outcomeAfterRefusal(client, order, asset, activated.failure)
  }
  if (
    order.vault_id !== null &&
    hasManyAddresses(asset) &&
    !known.data.some((address) => isOurs(asset, order, address))
  ) {
    const made = await addAddress(client, order, asset, vault)
    if (!made.ok) return outcomeAfterRefusal(client, order, asset, made.failure)
  }
  const found = await find(client, order, asset)
  return found.lookup === 'found'
    ? { outcome: 'accepted', report: found.report }
    : { outcome: 'unknown', reason: 'the vault does not show the new wallet yet' }
}

/** The one with our reference; it is made when there is none. */
async function mustHaveAccount(
  client: Fireblocks,
  order: WalletOrder,
): Promise<Answer<VaultAccount>> {
  const known = await findAccount(client, order.external_id)
  if (!known.ok) return known
  if (known.data !== undefined) return { ...known, data: known.data }
  return ask(() =>
    client.vaults.createVaultAccount({
      idempotencyKey: keyOf(order, 'v'),
      createVaultAccountRequest: {
        name: (order.vault_name ?? order.label).slice(0, MAXIMUM_NAME),
        customerRefId: order.external_id,
        autoFuel: false,
      },
    }),
  )
}

const activate = (client: Fireblocks, order: WalletOrder, asset: Term, vaultAccountId: string) =>
  ask(() =>
    client.vaults.createVaultAccountAsset({
      idempotencyKey: keyOf(order, 'w'),
      vaultAccountId,
      assetId: asset.native,
    }),
  )

const addAddress = (client: Fireblocks, order: WalletOrder, asset: Term, vaultAccountId: string) =>
  ask(() =>
    client.vaults.createVaultAccountAssetAddress({
      idempotencyKey: keyOf(order, 'a'),
      vaultAccountId,
      assetId: asset.native,
      createAddressRequest: {
        description: order.label.slice(0, MAXIMUM_NAME),
        customerRefId: order.external_id,
      },
    }),
  )

/** It may refuse because somebody was faster: what is there counts. */
async function outcomeAfterRefusal(
  client: Fireblocks,
  order: WalletOrder,
  asset: Term,
  failure: Failure,
): Promise<Outcome<WalletReport>> {
  if (!isRefusal(failure)) return outcomeOf(failure)
  const known = await find(client, order, asset)
  if (known.lookup === 'found') return { outcome: 'accepted', report: known.report }
  return known.lookup === 'absent'
    ? outcomeOf(failure)
    : { outcome: 'unknown', reason: known.reason }
}
