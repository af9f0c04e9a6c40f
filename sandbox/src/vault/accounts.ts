/**
 * Vault accounts and their wallets, one per asset. `total` is what lies on the chain, `locked`
 * the part that outgoing transactions have reserved until they are broadcast; coins that are
 * arriving count when they are final.
 */
import { amount, plain } from '../amount.ts'
import { PROTOCOLS, protocolOf } from '../chain/protocols.ts'
import { KONTOR } from '../genesis.ts'
import type { Chain, Holding } from '../part.ts'
import type { World } from '../world.ts'

export const PART = 'fireblocks'

const FIRST_TAG = 100_000
const TAGS_PER_ACCOUNT = 1_000

export type VaultAccount = {
  id: number
  name: string
  customer_ref_id: string | null
  hidden: number
}
export type VaultWallet = {
  account_id: number
  asset: string
  address: string
  total: string
  locked: string
}

/** A deposit address; the wallet's first one has no customer_ref_id. */
export type VaultAddress = {
  address: string
  tag: string
  customer_ref_id: string | null
  description: string
  position: number
}

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
  addAddress(
    wallet: VaultWallet,
    more: { customer_ref_id: string | null; description: string },
  ): VaultAddress | undefined
  free(wallet: VaultWallet): bigint
  /**
   * Changes what a wallet holds and what of it is locked; neither falls below 0, locked never
   * exceeds total.
   */
  change(account_id: number, asset: string, by: { total?: bigint; locked?: bigint }): void
  holdings(): Holding[]
}

export function openAccounts(world: World, chain: Chain): Accounts {
  const { db } = world
  db.exec(`
    create table if not exists vault_accounts (id integer primary key, name text not null, customer_ref_id text, hidden integer not null);
    create table if not exists vault_wallets (
      account_id integer not null references vault_accounts (id), asset text not null, address text not null unique, total text not null, locked text not null,
      primary key (account_id, asset));
    create table if not exists vault_addresses (
      account_id integer not null, asset text not null, position integer not null, address text not null, tag text not null, customer_ref_id text, description text not null,
      primary key (account_id, asset, position));
  `)
  const insertAccount = db.prepare(
    'insert into vault_accounts (id, name, customer_ref_id, hidden) values (?, ?, ?, ?)',
  )
  const selectAccount = db.prepare(
    'select id, name, customer_ref_id, hidden from vault_accounts where id = ?',
  )
  const selectWallet = db.prepare(
    'select account_id, asset, address, total, locked from vault_wallets where account_id = ? and asset = ?',
  )
  const insertWallet = db.prepare(
    "insert into vault_wallets (account_id, asset, address, total, locked) values (?, ?, ?, '0', '0')",
  )
  const updateWallet = db.prepare(
    'update vault_wallets set total = ?, locked = ? where account_id = ? and asset = ?',
  )
  const selectAddresses = db.prepare(
    'select address, tag, customer_ref_id, description, position from vault_addresses where account_id = ? and asset = ? order by position',
  )
  const insertAddress = db.prepare(
    'insert into vault_addresses (account_id, asset, position, address, tag, customer_ref_id, description) values (?, ?, ?, ?, ?, ?, ?)',
  )
  const all = () =>
    db
      .prepare('select id, name, customer_ref_id, hidden from vault_accounts order by id')
      .all() as VaultAccount[]

  const accounts: Accounts = {
    create({ name, customer_ref_id, hidden }) {
      const id = (all().at(-1)?.id ?? -1) + 1
      insertAccount.run(id, name, customer_ref_id, hidden ? 1 : 0)
      return { id, name, customer_ref_id, hidden: hidden ? 1 : 0 }
    },
    account: (id) =>
      /^[0-9]{1,9}$/.test(id)
        ? (selectAccount.get(Number(id)) as VaultAccount | undefined)
        : undefined,
    all,
    createWallet(account_id, asset) {
      const known = accounts.wallet(account_id, asset)
      if (known !== undefined) return known
      const protocol = PROTOCOLS.find((protocol) => protocol.asset === asset)
      if (protocol === undefined) throw new Error(`${asset} is not supported`)
      insertWallet.run(
        account_id,
        asset,
        chain.newAddress(protocol.protocol, { part: PART, locator: `${account_id}/${asset}` }),
      )
      return accounts.wallet(account_id, asset) as VaultWallet
    },
    wallet: (account_id, asset) =>
      /^[0-9]{1,9}$/.test(String(account_id))
        ? (selectWallet.get(Number(account_id), asset) as VaultWallet | undefined)
        : undefined,
    wallets: (account_id) =>
      db
        .prepare(
          'select account_id, asset, address, total, locked from vault_wallets where account_id = ? order by asset',
        )
        .all(account_id) as VaultWallet[],
    addresses: (wallet) => [
      { address: wallet.address, tag: '', customer_ref_id: null, description: '', position: 0 },
      ...(selectAddresses.all(wallet.account_id, wallet.asset) as VaultAddress[]),
    ],
    addAddress(wallet, { customer_ref_id, description }) {
      const protocol = protocolOf(
        PROTOCOLS.find((protocol) => protocol.asset === wallet.asset)?.protocol ?? wallet.asset,
      )
      const position = accounts.addresses(wallet).length
      if (protocol.protocol !== 'BTC' && !protocol.tags) return undefined
      const address = protocol.tags
        ? wallet.address
        : chain.newAddress(protocol.protocol, {
            part: PART,
            locator: `${wallet.account_id}/${wallet.asset}`,
          })
      const tag = protocol.tags
        ? String(FIRST_TAG + wallet.account_id * TAGS_PER_ACCOUNT + position)
        : ''
      insertAddress.run(
        wallet.account_id,
        wallet.asset,
        position,
        address,
        tag,
        customer_ref_id,
        description,
      )
      return { address, tag, customer_ref_id, description, position }
    },
    free: (wallet) => amount(wallet.total) - amount(wallet.locked),
    change(account_id, asset, by) {
      const wallet = accounts.wallet(account_id, asset)
      if (wallet === undefined) throw new Error(`vault account ${account_id} has no ${asset}`)
      const total = amount(wallet.total) + (by.total ?? 0n)
      const locked = amount(wallet.locked) + (by.locked ?? 0n)
      if (total < 0n || locked < 0n || locked > total)
        throw new Error(
          `vault account ${account_id} would hold ${plain(total)} ${asset}, ${plain(locked)} of it locked`,
        )
      updateWallet.run(plain(total), plain(locked), account_id, asset)
    },
    holdings: () =>
      all().flatMap((account) =>
        accounts.wallets(account.id).map((wallet) => ({
          holder: `${account.id} ${account.name}`,
          asset: wallet.asset,
          quantity: wallet.total,
        })),
      ),
  }

  world.commit(() => {
    if (all().length > 0) return
    const treasury = accounts.create({ name: 'Treasury', customer_ref_id: null, hidden: false })
    for (const [asset, quantity] of Object.entries(KONTOR.fireblocks)) {
      const { address } = accounts.createWallet(treasury.id, asset)
      chain.endow({ asset, address, quantity })
      accounts.change(treasury.id, asset, { total: amount(quantity) })
    }
  })
  return accounts
}
