/**
 * The custodian's customers and their wallets: each wallet has one asset and one address of its
 * own. `total` is what lies on the chain, `reserved` the part that withdrawals will take; coins
 * that are arriving count when they are final.
 */
import { amount, plain } from '../amount.ts'
import { PROTOCOLS } from '../chain/protocols.ts'
import { KONTOR } from '../genesis.ts'
import type { Chain, Holding } from '../part.ts'
import type { World } from '../world.ts'

export const PART = 'managed'

/** What this custodian keeps; addresses that need a tag are not its business. */
export const NETWORKS = PROTOCOLS.filter((protocol) => !protocol.tags).map(
  ({ asset, protocol, decimals }) => ({
    asset,
    network: protocol,
    decimals,
    min_withdrawal: asset === 'BTC' ? '0.0001' : '0.001',
  }),
)

/** The customer that Kontor itself is. */
export const HOUSE_CUSTOMER = 'kontor'

export type Customer = { customer_id: string; name: string }
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

export type Wallets = {
  customers(): Customer[]
  /** Adds the customer when the id is new. */
  addCustomer(customer: Customer): void
  create(wallet: Pick<Wallet, 'customer_id' | 'label' | 'asset' | 'network'>): Wallet
  wallet(wallet_id: string): Wallet | undefined
  /** In the order of their ids, after this one. */
  list(after: string, limit: number): Wallet[]
  all(): Wallet[]
  free(wallet: Wallet): bigint
  /** Neither falls below 0, and reserved never exceeds total. */
  change(wallet_id: string, by: { total?: bigint; reserved?: bigint }): void
  holdings(): Holding[]
}

/** Ids are in the order of creation, also as text. */
const ID_DIGITS = 8
const COLUMNS = 'wallet_id, customer_id, label, asset, network, address, total, reserved'

export function openWallets(world: World, chain: Chain): Wallets {
  const { db } = world
  db.exec(`
    create table if not exists managed_customers (customer_id text primary key, name text not null);
    create table if not exists managed_wallets (
      wallet_id text primary key, customer_id text not null references managed_customers (customer_id), label text not null, asset text not null, network text not null,
      address text not null unique, total text not null, reserved text not null);
  `)
  const insertCustomer = db.prepare(
    'insert or ignore into managed_customers (customer_id, name) values (?, ?)',
  )
  const insertWallet = db.prepare(
    `insert into managed_wallets (${COLUMNS}) values (?, ?, ?, ?, ?, ?, '0', '0')`,
  )
  const selectWallet = db.prepare(`select ${COLUMNS} from managed_wallets where wallet_id = ?`)
  const selectAfter = db.prepare(
    `select ${COLUMNS} from managed_wallets where wallet_id > ? order by wallet_id limit ?`,
  )
  const update = db.prepare(
    'update managed_wallets set total = ?, reserved = ? where wallet_id = ?',
  )
  const customers = () =>
    db
      .prepare('select customer_id, name from managed_customers order by customer_id')
      .all() as Customer[]

  const wallets: Wallets = {
    customers,
    addCustomer: ({ customer_id, name }) => {
      insertCustomer.run(customer_id, name)
    },
    create({ customer_id, label, asset, network }) {
      const wallet_id = `mw_${String(wallets.all().length + 1).padStart(ID_DIGITS, '0')}`
      insertWallet.run(
        wallet_id,
        customer_id,
        label,
        asset,
        network,
        chain.newAddress(network, { part: PART, locator: wallet_id }),
      )
      return wallets.wallet(wallet_id) as Wallet
    },
    wallet: (wallet_id) => selectWallet.get(wallet_id) as Wallet | undefined,
    list: (after, limit) => selectAfter.all(after, limit) as Wallet[],
    all: () => wallets.list('', -1),
    free: (wallet) => amount(wallet.total) - amount(wallet.reserved),
    change(wallet_id, by) {
      const wallet = wallets.wallet(wallet_id)
      if (wallet === undefined) throw new Error(`there is no wallet ${wallet_id}`)
      const total = amount(wallet.total) + (by.total ?? 0n)
      const reserved = amount(wallet.reserved) + (by.reserved ?? 0n)
      if (total < 0n || reserved < 0n || reserved > total)
        throw new Error(
          `wallet ${wallet_id} would hold ${plain(total)} ${wallet.asset}, ${plain(reserved)} of it reserved`,
        )
      update.run(plain(total), plain(reserved), wallet_id)
    },
    holdings: () =>
      wallets.all().map((wallet) => ({
        holder: `${wallet.wallet_id} ${wallet.label}`,
        asset: wallet.asset,
        quantity: wallet.total,
      })),
  }

  world.commit(() => {
    if (customers().length > 0) return
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
  })
  return wallets
}
