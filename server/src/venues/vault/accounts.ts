/** The vault's accounts and their addresses, read page by page. */
import type { Fireblocks, VaultAccount, VaultWalletAddress } from '@fireblocks/ts-sdk'
import { ask, isAbsent } from './client.ts'
import type { Answer } from './client.ts'

const PAGE = 200

type Page<Item> = { items: Item[]; after: string | undefined }

async function readEveryPage<Item>(
  read: (after: string | undefined) => Promise<Answer<Page<Item>>>,
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

export const readAccounts = (client: Fireblocks): Promise<Answer<VaultAccount[]>> =>
  readEveryPage(async (after) => {
    const page = await ask(() =>
      client.vaults.getPagedVaultAccounts({ limit: PAGE, ...(after !== undefined && { after }) }),
    )
    if (!page.ok) return page
    const { accounts, paging } = page.data
    return { ...page, data: { items: accounts ?? [], after: paging?.after || undefined } }
  })

/** The vault cannot be asked for an account by our reference, so all of them are read. */
export async function findAccount(
  client: Fireblocks,
  external_id: string,
): Promise<Answer<VaultAccount | undefined>> {
  const all = await readAccounts(client)
  if (!all.ok) return all
  return { ...all, data: all.data.find((account) => account.customerRefId === external_id) }
}

/** No wallet is no address. */
export async function readAddresses(
  client: Fireblocks,
  vaultAccountId: string,
  assetId: string,
): Promise<Answer<VaultWalletAddress[]>> {
  const all = await readEveryPage<VaultWalletAddress>(async (after) => {
    const page = await ask(() =>
      client.vaults.getVaultAccountAssetAddressesPaginated({
        vaultAccountId,
        assetId,
        limit: PAGE,
        ...(after !== undefined && { after }),
      }),
    )
    if (!page.ok) return page
    const { addresses, paging } = page.data
    return { ...page, data: { items: addresses ?? [], after: paging?.after || undefined } }
  })
  return !all.ok && isAbsent(all.failure) ? { ok: true, data: [], headers: {} } : all
}
