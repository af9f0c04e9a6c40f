/**
 * New wallets of the vault: a vault account of its own, or a further deposit address in a known
 * one. The vault keeps our reference as `customerRefId` of the account or of the address; each call
 * also carries it as idempotency key, so that one that is repeated at once makes nothing twice. An
 * account with that reference is ours, and so is what lies in it.
 */
import type { Fireblocks, VaultAccount, VaultWalletAddress } from '@fireblocks/ts-sdk'
import type { Lookup, Outcome, WalletCreation, WalletOrder, WalletReport } from '../contract.ts'
import { byAsset } from './assets.ts'
import type { VaultAsset } from './assets.ts'
import { ask, isAbsent, isRefusal, outcomeOf } from './client.ts'
import type { Answer, Failure } from './client.ts'

const PAGE = 200
const MAXIMUM_NAME = 100

export function vaultWallets(client: Fireblocks): WalletCreation {
  async function everyPage<Item>(
    read: (
      after: string | undefined,
    ) => Promise<Answer<{ items: Item[]; after: string | undefined }>>,
  ): Promise<Answer<Item[]>> {
    const items: Item[] = []
    let after: string | undefined
    do {
      const page = await read(after)
      if (!page.ok) return page
      items.push(...page.data.items)
      after = page.data.after
    } while (after !== undefined)
    return { ok: true, data: items, headers: {} }
  }

  /** The vault cannot be asked for an account by our reference, so all of them are read. */
  async function accountOf(external_id: string): Promise<Answer<VaultAccount | undefined>> {
    const all = await everyPage<VaultAccount>(async (after) => {
      const page = await ask(() =>
        client.vaults.getPagedVaultAccounts({ limit: PAGE, ...(after !== undefined && { after }) }),
      )
      return page.ok
        ? {
            ...page,
            data: { items: page.data.accounts ?? [], after: page.data.paging?.after || undefined },
          }
        : page
    })
    return all.ok
      ? {
          ...all,
          data: all.data.find((vaultAccount) => vaultAccount.customerRefId === external_id),
        }
      : all
  }

  /** No wallet is no address. */
  async function addressesOf(
    vaultAccountId: string,
    assetId: string,
  ): Promise<Answer<VaultWalletAddress[]>> {
    const all = await everyPage<VaultWalletAddress>(async (after) => {
      const page = await ask(() =>
        client.vaults.getVaultAccountAssetAddressesPaginated({
          vaultAccountId,
          assetId,
          limit: PAGE,
          ...(after !== undefined && { after }),
        }),
      )
      return page.ok
        ? {
            ...page,
            data: { items: page.data.addresses ?? [], after: page.data.paging?.after || undefined },
          }
        : page
    })
    return !all.ok && isAbsent(all.failure) ? { ok: true, data: [], headers: {} } : all
  }

  /**
   * In a vault of its own, and where the chain has one address only, it is the first one; elsewhere
   * the one with our reference.
   */
  const isOurs = (asset: VaultAsset, order: WalletOrder, address: VaultWalletAddress) =>
    order.vault_id === null || !asset.many_addresses
      ? !address.customerRefId
      : address.customerRefId === order.external_id

  async function find(order: WalletOrder): Promise<Lookup<WalletReport>> {
    const asset = byAsset(order.asset, order.protocol)
    const unknown = ({ reason }: Failure): Lookup<WalletReport> => ({ lookup: 'unknown', reason })
    const account = order.vault_id === null ? await accountOf(order.external_id) : undefined
    if (account?.ok === false) return unknown(account.failure)
    const vault = order.vault_id ?? account?.data?.id
    if (vault === undefined) return { lookup: 'absent' }
    const addresses = await addressesOf(vault, asset.native)
    if (!addresses.ok) return unknown(addresses.failure)
    const ours = addresses.data.find((vaultWalletAddress) =>
      isOurs(asset, order, vaultWalletAddress),
    )
    return ours?.address === undefined
      ? { lookup: 'absent' }
      : {
          lookup: 'found',
          report: { state: 'ACTIVE', wallet: vault, address: ours.address, tag: ours.tag || null },
        }
  }

  async function newVault(order: WalletOrder): Promise<Answer<VaultAccount>> {
    const known = await accountOf(order.external_id)
    if (!known.ok) return known
    if (known.data !== undefined) return { ...known, data: known.data }
    return ask(() =>
      client.vaults.createVaultAccount({
        idempotencyKey: `${order.external_id}-vault`,
        createVaultAccountRequest: {
          name: (order.vault_name ?? order.label).slice(0, MAXIMUM_NAME),
          customerRefId: order.external_id,
          autoFuel: false,
        },
      }),
    )
  }

  return {
    find,
    async create(order): Promise<Outcome<WalletReport>> {
      const asset = byAsset(order.asset, order.protocol)
      const account = order.vault_id === null ? await newVault(order) : undefined
      if (account?.ok === false) return outcomeOf(account.failure)
      const vault = order.vault_id ?? account?.data?.id
      if (vault === undefined)
        return { outcome: 'unknown', reason: 'the vault answered without an id' }
      const known = await addressesOf(vault, asset.native)
      if (!known.ok) return outcomeOf(known.failure)
      if (known.data.length === 0) {
        const activated = await ask(() =>
          client.vaults.createVaultAccountAsset({
            idempotencyKey: `${order.external_id}-asset`,
            vaultAccountId: vault,
            assetId: asset.native,
          }),
        )
        if (!activated.ok) return refusedOrKnown(order, activated.failure)
      }
      if (
        order.vault_id !== null &&
        asset.many_addresses &&
        !known.data.some((vaultWalletAddress) => isOurs(asset, order, vaultWalletAddress))
      ) {
        const made = await ask(() =>
          client.vaults.createVaultAccountAssetAddress({
            idempotencyKey: `${order.external_id}-address`,
            vaultAccountId: vault,
            assetId: asset.native,
            createAddressRequest: {
              description: order.label.slice(0, MAXIMUM_NAME),
              customerRefId: order.external_id,
            },
          }),
        )
        if (!made.ok) return refusedOrKnown(order, made.failure)
      }
      const found = await find(order)
      return found.lookup === 'found'
        ? { outcome: 'accepted', report: found.report }
        : { outcome: 'unknown', reason: 'the vault does not show the new wallet yet' }
    },
  }

  /** It may refuse because somebody was faster: what is there counts. */
  async function refusedOrKnown(
    order: WalletOrder,
    failure: Failure,
  ): Promise<Outcome<WalletReport>> {
    if (!isRefusal(failure)) return outcomeOf(failure)
    const known = await find(order)
    if (known.lookup === 'found') return { outcome: 'accepted', report: known.report }
    return known.lookup === 'absent'
      ? outcomeOf(failure)
      : { outcome: 'unknown', reason: known.reason }
  }
}
