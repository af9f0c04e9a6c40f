/**
 * Vault accounts and their wallets, one per asset. `total` is what lies on the chain, `locked`
 * the part that outgoing transactions have reserved until they are broadcast, `frozen` what came
 * in and screening keeps; coins that are arriving count when they are final.
 */
import { amount, plain } from '../amount.ts'
import { coinOf, findCoin } from '../chain/protocols.ts'
import { KONTOR } from '../genesis.ts'
import type { Chain, Holding } from '../part.ts'
import type { World } from '../world.ts'
import { openAccountTable } from './account-table.ts'
import type { AccountTable, VaultAccount, VaultAddress, VaultWallet } from './account-table.ts'

export const PART = 'fireblocks'

const FIRST_TAG = 100_000
const TAGS_PER_ACCOUNT = 1_000

type NewAddress = { customer_ref_id: string | null; description: string }
type Change = { total?: bigint; locked?: bigint; frozen?: bigint }

export type Accounts = {
  create(account: { name: string; customer_ref_id: string | null; hidden: boolean }): VaultAccount
  account(id: string): VaultAccount | undefined
  all(): VaultAccount[]
  /** The wallet of this asset in this account; made when it does not exist. */
  createWallet(account_id: number, asset: string): VaultWallet
  wallet(account_id: number | string, asset: string): VaultWallet | undefined
  wallets(account_id: number): VaultWallet[]
  /** Every address of the wallet, the first one first. */
  addresses(wallet: VaultWallet): VaultAddress[]
  /**
   * A further address: of its own where coins are counted by outputs, a tag where the chain has
   * tags; undefined where the chain has neither.
   */
  addAddress(wallet: VaultWallet, more: NewAddress): VaultAddress | undefined
  free(wallet: VaultWallet): bigint
  /**
   * Changes what a wallet holds and what of it is locked or frozen; none falls below 0, and both
   * never exceed the total.
   */
  change(account_id: number, asset: string, by: Change): void
  holdings(): Holding[]
}

type Parts = { chain: Chain; table: AccountTable }

export function openAccounts(world: World, chain: Chain): Accounts {
  const table = openAccountTable(world.db)
  const parts: Parts = { chain, table }
  world.commit(() => {
    if (table.all().length === 0) endowTreasury(parts)
  })
  return {
    create: (account) => createAccount(table, account),
    account: (id) => (isAccountId(id) ? table.account(Number(id)) : undefined),
    all: table.all,
    createWallet: (account_id, asset) => createWallet(parts, account_id, asset),
    wallet: (account_id, asset) =>
      isAccountId(account_id) ? table.wallet(Number(account_id), asset) : undefined,
    wallets: table.wallets,
    addresses: (wallet) => addressesOf(table, wallet),
    addAddress: (wallet, more) => addAddress(parts, wallet, more),
    free: (wallet) => amount(wallet.total) - amount(wallet.locked) - amount(wallet.frozen),
    change: (account_id, asset, by) => {
      changeWallet(table, { account_id, asset }, by)
    },
    holdings: () =>
      table.all().flatMap((account) =>
        table.wallets(account.id).map((wallet) => ({
          holder: `${account.id} ${account.name}`,
          asset: wallet.asset,
          quantity: wallet.total,
        })),
      ),
  }
}

function isAccountId(id: number | string): boolean {
  return /^[0-9]{1,9}$/.test(String(id))
}

/** Makes the first account, which Kontor's coins lie in. */
function endowTreasury(parts: Parts): void {
  const { chain, table } = parts
  const account = { name: 'Treasury', customer_ref_id: null, hidden: false }
  const treasury = createAccount(table, account)
  for (const [asset, quantity] of Object.entries(KONTOR.fireblocks)) {
    const { address } = createWallet(parts, treasury.id, asset)
    chain.endow({ asset, address, quantity })
    changeWallet(table, { account_id: treasury.id, asset }, { total: amount(quantity) })
  }
}

function createAccount(
  table: AccountTable,
  account: { name: string; customer_ref_id: string | null; hidden: boolean },
): VaultAccount {
  const id = (table.all().at(-1)?.id ?? -1) + 1
  const created = { ...account, id, hidden: account.hidden ? 1 : 0 }
  table.insert(created)
  return created
}

function createWallet({ chain, table }: Parts, account_id: number, asset: string): VaultWallet {
  const known = table.wallet(account_id, asset)
  if (known !== undefined) return known
  const coin = findCoin(asset)
  if (coin === undefined) throw new Error(`${asset} is not supported`)
  const owner = { part: PART, locator: `${account_id}/${asset}` }
  // A token lives at the account's address of its chain, which pays its fees.
  const address =
    coin.contract === null
      ? chain.newAddress(coin.protocol.protocol, owner)
      : createWallet({ chain, table }, account_id, coin.protocol.asset).address
  table.insertWallet({ account_id, asset, address })
  return table.wallet(account_id, asset) as VaultWallet
}

function addressesOf(table: AccountTable, wallet: VaultWallet): VaultAddress[] {
  const first = { tag: '', customer_ref_id: null, description: '', position: 0 }
  return [{ address: wallet.address, ...first }, ...table.addresses(wallet)]
}

function addAddress(
  { chain, table }: Parts,
  wallet: VaultWallet,
  more: NewAddress,
): VaultAddress | undefined {
  const { account_id, asset } = wallet
  const { protocol, tags, many_outputs } = coinOf(asset).protocol
  if (!many_outputs && !tags) return undefined
  const position = addressesOf(table, wallet).length
  const owner = { part: PART, locator: `${account_id}/${asset}` }
  const added = {
    address: tags ? wallet.address : chain.newAddress(protocol, owner),
    tag: tags ? String(FIRST_TAG + account_id * TAGS_PER_ACCOUNT + position) : '',
    ...more,
    position,
  }
  table.insertAddress(wallet, added)
  return added
}

function changeWallet(
  table: AccountTable,
  { account_id, asset }: Pick<VaultWallet, 'account_id' | 'asset'>,
  by: Change,
): void {
  const wallet = table.wallet(account_id, asset)
  if (wallet === undefined) throw new Error(`vault account ${account_id} has no ${asset}`)
  const total = amount(wallet.total) + (by.total ?? 0n)
  const locked = amount(wallet.locked) + (by.locked ?? 0n)
  const frozen = amount(wallet.frozen) + (by.frozen ?? 0n)
  if (total < 0n || locked < 0n || frozen < 0n || locked + frozen > total) {
    const balance = `${plain(total)} ${asset}, ${plain(locked)} locked, ${plain(frozen)} frozen`
    throw new Error(`vault account ${account_id} would hold ${balance}`)
  }
  table.updateWallet({
    ...wallet,
    total: plain(total),
    locked: plain(locked),
    frozen: plain(frozen),
  })
}
