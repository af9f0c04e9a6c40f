/**
 * The custodian's customers and their wallets: each wallet has one asset and one address of its
 * own. `total` is what lies on the chain, `reserved` the part that withdrawals will take; coins
 * that are arriving count when they are final.
 */
import type { DatabaseSync } from 'node:sqlite'
import { amount, plain } from '../amount.ts'
import { PROTOCOLS } from '../chain/protocols.ts'
import { KONTOR } from '../genesis.ts'
import type { Chain, Holding } from '../part.ts'
import type { World } from '../world.ts'

export const PART = 'managed'

/** What this custodian keeps. */
export const NETWORKS = PROTOCOLS.filter(({ asset }) => asset in KONTOR.managed).map(
  ({ asset, protocol, decimals }) => ({
    asset,
    network: protocol,
    decimals,
    min_withdrawal: asset === 'BTC' ? '0.0001' : '0.001',
  }),
)

/** The customer that Kontor itself is. */
export const HOUSE_CUSTOMER = 'kontor'

type Customer = { customer_id: string; name: string }
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
  wallet(wallet_id: string): Wallet | undefined
  /** In the order of their ids, after this one. */
  list(after: string, limit: number): Wallet[]
  all(): Wallet[]
  free(wallet: Wallet): bigint
  /** Neither falls below 0, and reserved never exceeds total. */
  change(wallet_id: string, by: Change): void
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
    create(wallet) {
      const wallet_id = `mw_${String(all().length + 1).padStart(ID_DIGITS, '0')}`
      const address = chain.newAddress(wallet.network, { part: PART, locator: wallet_id })
      table.insert({ ...wallet, wallet_id, address })
      return table.byId(wallet_id) as Wallet
    },
    wallet: table.byId,
    list: table.list,
    all,
    free: (wallet) => amount(wallet.total) - amount(wallet.reserved),
    change: (wallet_id, by) => {
      changeWallet(table, wallet_id, by)
    },
    holdings: () =>
      all().map((wallet) => ({
        holder: `${wallet.wallet_id} ${wallet.label}`,
        asset: wallet.asset,
        quantity: wallet.total,
      })),
  }
  world.commit(() => {
    if (customers.all().length === 0) endowHouse(wallets, chain)
  })
  return wallets
}

function endowHouse(wallets: Wallets, chain: Chain): void {
  wallets.addCustomer({ customer_id: HOUSE_CUSTOMER, name: 'Kontor' })
  for (const [asset, quantity] of Object.entries(KONTOR.managed)) {
    const { wallet_id, address } = wallets.create({
      customer_id: HOUSE_CUSTOMER,
      label: `Kontor ${asset}`,
      asset,
      network: asset,
    })
    chain.endow({ asset, address, quantity })
    wallets.change(wallet_id, { total: amount(quantity) })
  }
}

function changeWallet(table: WalletTable, wallet_id: string, by: Change): void {
  const wallet = table.byId(wallet_id)
  if (wallet === undefined) throw new Error(`there is no wallet ${wallet_id}`)
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
  /** Stores total and reserved. */
  update(wallet: Wallet): void
  byId(wallet_id: string): Wallet | undefined
}

const COLUMNS = 'wallet_id, customer_id, label, asset, network, address, total, reserved'

function openWalletTable(db: DatabaseSync): WalletTable {
  const insert = db.prepare(`
    insert into managed_wallets (${COLUMNS})
    values (?, ?, ?, ?, ?, ?, '0', '0')`)
  const update = db.prepare(`
    update managed_wallets
    set total = ?, reserved = ?
    where wallet_id = ?`)
  const byId = db.prepare(`
    select ${COLUMNS}
    from managed_wallets
    where wallet_id = ?`)
  const list = db.prepare(`
    select ${COLUMNS}
    from managed_wallets
    where wallet_id > ?
    order by wallet_id
    limit ?`)
  return {
    insert: ({ wallet_id, customer_id, label, asset, network, address }) => {
      insert.run(wallet_id, customer_id, label, asset, network, address)
    },
    update: ({ total, reserved, wallet_id }) => {
      update.run(total, reserved, wallet_id)
    },
    byId: (wallet_id) => byId.get(wallet_id) as Wallet | undefined,
    list: (after, limit) => list.all(after, limit) as Wallet[],
  }
}
