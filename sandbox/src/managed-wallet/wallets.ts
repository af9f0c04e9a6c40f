/**
 * The custodian's customers and their wallets: each wallet has the coin of one network, and one
 * address of its own. Tokens of the network lie in the same wallet, which pays their fees. `total`
 * is what lies on the chain, `reserved` the part that withdrawals will take; coins that are
 * arriving count when they are final.
 */
import type { DatabaseSync } from 'node:sqlite'
import { amount, plain } from '../amount.ts'
import { coinOf, COINS } from '../chain/protocols.ts'
import { payerOf } from '../chain/spending.ts'
import type { Spending } from '../chain/spending.ts'
import { KONTOR } from '../genesis.ts'
import type { Chain, Holding } from '../part.ts'
import type { World } from '../world.ts'

export const PART = 'managed'

type Kept = keyof typeof KONTOR.managed

const MINIMA: Readonly<Record<Kept, string>> = {
  BTC: '0.0001',
  ETH: '0.001',
  USDC: '1',
  LTC: '0.001',
}

/** What this custodian keeps. Its requests have no field for a tag. */
export const NETWORKS = COINS.filter(({ asset }) => asset in KONTOR.managed).map(
  ({ asset, protocol, decimals }) => ({
    asset,
    network: protocol.protocol,
    decimals,
    min_withdrawal: MINIMA[asset as Kept],
  }),
)

/** The customer that Kontor itself is. */
const HOUSE_CUSTOMER = 'kontor'

type Customer = { customer_id: string; name: string }
/** What a wallet holds of one asset. */
export type Wallet = {
  wallet_id: string
  customer_id: string
  label: string
  asset: string
  network: string
  address: string
  total: string
  reserved: string
}

type NewWallet = Pick<Wallet, 'customer_id' | 'label' | 'asset' | 'network'>
type Change = { total?: bigint; reserved?: bigint }

export type Wallets = {
  customers(): Customer[]
  /** Adds the customer when the id is new. */
  addCustomer(customer: Customer): void
  create(wallet: NewWallet): Wallet
  /** Of its coin, or of a token that it holds. */
  wallet(wallet_id: string, asset?: string): Wallet | undefined
  /** So many wallets in the order of their ids, after this one, each with its tokens. */
  list(after: string, limit: number): Wallet[]
  all(): Wallet[]
  free(wallet: Wallet): bigint
  /** Neither falls below 0, and reserved never exceeds total. */
  change(wallet_id: string, asset: string, by: Change): void
  /** The same of all assets of a transfer. */
  changeAll(wallet_id: string, spending: Spending, by: { [Field in keyof Change]: 1n | -1n }): void
  holdings(): Holding[]
}

/** Ids are in the order of creation, also as text. */
const ID_DIGITS = 8

export function openWallets(world: World, chain: Chain): Wallets {
  createTables(world.db)
  const customers = openCustomerTable(world.db)
  const table = openWalletTable(world.db)
  const all = () => table.list('', -1)
  const wallets: Wallets = {
    customers: customers.all,
    addCustomer: customers.add,
    create({ asset, ...wallet }) {
      const wallet_id = `mw_${String(table.count() + 1).padStart(ID_DIGITS, '0')}`
      const address = chain.newAddress(wallet.network, { part: PART, locator: wallet_id })
      table.insert({ ...wallet, asset: payerOf(asset), wallet_id, address })
      table.hold(wallet_id, asset)
      return mustFind(table.byId(wallet_id, asset), wallet_id, asset)
    },
    wallet: table.byId,
    list: table.list,
    all,
    free: (wallet) => amount(wallet.total) - amount(wallet.reserved),
    change: (wallet_id, asset, by) => {
      changeWallet(table, { wallet_id, asset }, by)
    },
    changeAll: (wallet_id, spending, { total = 0n, reserved = 0n }) => {
      for (const [asset, quantity] of spending) {
        const by = { total: total * quantity, reserved: reserved * quantity }
        changeWallet(table, { wallet_id, asset }, by)
      }
    },
    holdings: () =>
      all().map((wallet) => ({
        holder: `${wallet.wallet_id} ${wallet.label}`,
        asset: wallet.asset,
        quantity: wallet.total,
      })),
  }
  world.commit(() => {
    endowHouse(wallets, chain)
  })
  return wallets
}

/** The house's wallet that holds this, or would hold it. */
export const houseWallet = (wallets: Wallets, asset: string): Wallet | undefined =>
  wallets.all().find((wallet) => wallet.customer_id === HOUSE_CUSTOMER && wallet.asset === asset)

/** Each asset once: a world from before a coin gets it now. Tokens go to the wallet of the coin. */
function endowHouse(wallets: Wallets, chain: Chain): void {
  wallets.addCustomer({ customer_id: HOUSE_CUSTOMER, name: 'Kontor' })
  for (const [asset, quantity] of Object.entries(KONTOR.managed)) {
    if (houseWallet(wallets, asset) !== undefined) continue
    const { wallet_id, address } =
      houseWallet(wallets, payerOf(asset)) ??
      wallets.create({
        customer_id: HOUSE_CUSTOMER,
        label: `Kontor ${asset}`,
        asset,
        network: coinOf(asset).protocol.protocol,
      })
    chain.endow({ asset, address, quantity })
    wallets.change(wallet_id, asset, { total: amount(quantity) })
  }
}

function mustFind(wallet: Wallet | undefined, wallet_id: string, asset: string): Wallet {
  if (wallet === undefined) throw new Error(`there is no wallet ${wallet_id} of ${asset}`)
  return wallet
}

/** A token may come to any wallet of its network. */
function changeWallet(
  table: WalletTable,
  { wallet_id, asset }: Pick<Wallet, 'wallet_id' | 'asset'>,
  by: Change,
): void {
  table.hold(wallet_id, asset)
  const wallet = mustFind(table.byId(wallet_id, asset), wallet_id, asset)
  const total = amount(wallet.total) + (by.total ?? 0n)
  const reserved = amount(wallet.reserved) + (by.reserved ?? 0n)
  if (total < 0n || reserved < 0n || reserved > total) {
    const balance = `${plain(total)} ${wallet.asset}, ${plain(reserved)} of it reserved`
    throw new Error(`wallet ${wallet_id} would hold ${balance}`)
  }
  table.update({ ...wallet, total: plain(total), reserved: plain(reserved) })
}

function createTables(db: DatabaseSync): void {
  db.exec(`
    create table if not exists managed_customers (
      customer_id text primary key,
      name text not null
    );
    create table if not exists managed_wallets (
      wallet_id text primary key,
      customer_id text not null references managed_customers (customer_id),
      label text not null,
      asset text not null,
      network text not null,
      address text not null unique,
      total text not null,
      reserved text not null
    );
    create table if not exists managed_tokens (
      wallet_id text not null references managed_wallets (wallet_id),
      asset text not null,
      total text not null,
      reserved text not null,
      primary key (wallet_id, asset)
    );
  `)
}

function openCustomerTable(db: DatabaseSync): {
  all(): Customer[]
  add(customer: Customer): void
} {
  const all = db.prepare(`
    select customer_id, name
    from managed_customers
    order by customer_id`)
  const insert = db.prepare(`
    insert or ignore into managed_customers (customer_id, name)
    values (?, ?)`)
  return {
    all: () => all.all() as Customer[],
    add: ({ customer_id, name }) => {
      insert.run(customer_id, name)
    },
  }
}

type WalletTable = Pick<Wallets, 'list'> & {
  insert(wallet: Omit<Wallet, 'total' | 'reserved'>): void
  count(): number
  /** From now on the wallet holds this token too; of a coin it does nothing. */
  hold(wallet_id: string, asset: string): void
  /** Stores total and reserved. */
  update(wallet: Wallet): void
  byId: Wallets['wallet']
}

const COLUMNS = 'wallet_id, customer_id, label, asset, network, address, total, reserved'
/** Each wallet as often as it holds an asset. */
const HOLDINGS = `
  select ${COLUMNS}
  from managed_wallets
  union all
  select w.wallet_id, w.customer_id, w.label, t.asset, w.network, w.address, t.total, t.reserved
  from managed_wallets w
  join managed_tokens t on t.wallet_id = w.wallet_id`

function openWalletTable(db: DatabaseSync): WalletTable {
  const insert = db.prepare(`
    insert into managed_wallets (${COLUMNS})
    values (?, ?, ?, ?, ?, ?, '0', '0')`)
  const hold = db.prepare(`
    insert or ignore into managed_tokens (wallet_id, asset, total, reserved)
    values (?, ?, '0', '0')`)
  const count = db.prepare('select count(*) as count from managed_wallets')
  const updates = ['managed_wallets', 'managed_tokens'].map((table) =>
    db.prepare(`
      update ${table}
      set total = ?, reserved = ?
      where wallet_id = ?
        and asset = ?`),
  )
  const byId = db.prepare(`
    select ${COLUMNS}
    from (${HOLDINGS})
    where wallet_id = ?1
      and asset = coalesce(?2, (select asset from managed_wallets where wallet_id = ?1))`)
  const list = db.prepare(`
    select ${COLUMNS}
    from (${HOLDINGS})
    where wallet_id in (
      select wallet_id
      from managed_wallets
      where wallet_id > ?
      order by wallet_id
      limit ?
    )
    order by wallet_id, network <> asset, asset`)
  return {
    insert: ({ wallet_id, customer_id, label, asset, network, address }) => {
      insert.run(wallet_id, customer_id, label, asset, network, address)
    },
    count: () => (count.get() as { count: number }).count,
    hold: (wallet_id, asset) => {
      if (payerOf(asset) !== asset) hold.run(wallet_id, asset)
    },
    update: ({ total, reserved, wallet_id, asset }) => {
      for (const update of updates) update.run(total, reserved, wallet_id, asset)
    },
    byId: (wallet_id, asset) => byId.get(wallet_id, asset ?? null) as Wallet | undefined,
    list: (after, limit) => list.all(after, limit) as Wallet[],
  }
}
