/** The vault's accounts, wallets and addresses as stored rows. */
import type { DatabaseSync } from 'node:sqlite'

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
  frozen: string
}

/** A deposit address; the wallet's first one has no customer_ref_id. */
export type VaultAddress = {
  address: string
  tag: string
  customer_ref_id: string | null
  description: string
  position: number
}

export type AccountTable = {
  insert(account: VaultAccount): void
  account(id: number): VaultAccount | undefined
  /** In the order of their ids. */
  all(): VaultAccount[]
  insertWallet(wallet: Omit<VaultWallet, 'total' | 'locked' | 'frozen'>): void
  updateWallet(wallet: VaultWallet): void
  wallet(account_id: number, asset: string): VaultWallet | undefined
  wallets(account_id: number): VaultWallet[]
  insertAddress(wallet: VaultWallet, address: VaultAddress): void
  /** Without the wallet's first one. */
  addresses(wallet: VaultWallet): VaultAddress[]
}

const ACCOUNT_COLUMNS = 'id, name, customer_ref_id, hidden'
const WALLET_COLUMNS = 'account_id, asset, address, total, locked, frozen'
const ADDRESS_COLUMNS = 'address, tag, customer_ref_id, description, position'

const WALLETS = `
  create table if not exists vault_wallets (
    account_id integer not null references vault_accounts (id),
    asset text not null,
    address text not null,
    total text not null,
    locked text not null,
    frozen text not null default '0',
    primary key (account_id, asset)
  );`

function createTables(db: DatabaseSync): void {
  db.exec(`
    create table if not exists vault_accounts (
      id integer primary key,
      name text not null,
      customer_ref_id text,
      hidden integer not null
    );
    ${WALLETS}
    create table if not exists vault_addresses (
      account_id integer not null,
      asset text not null,
      position integer not null,
      address text not null,
      tag text not null,
      customer_ref_id text,
      description text not null,
      primary key (account_id, asset, position)
    );
  `)
  // For a world from before anything was frozen.
  const columns = db.prepare('pragma table_info(vault_wallets)').all() as { name: string }[]
  if (!columns.some((column) => column.name === 'frozen'))
    db.exec("alter table vault_wallets add column frozen text not null default '0'")
  shareAddresses(db)
}

/** In a world from before tokens no two wallets have one address. */
function shareAddresses(db: DatabaseSync): void {
  const isUnique = db
    .prepare('pragma index_list(vault_wallets)')
    .all()
    .some((index) => (index as { origin: string }).origin === 'u')
  if (!isUnique) return
  db.exec(`begin;
    alter table vault_wallets rename to vault_wallets_before;
    ${WALLETS}
    insert into vault_wallets (${WALLET_COLUMNS})
    select ${WALLET_COLUMNS}
    from vault_wallets_before;
    drop table vault_wallets_before;
    commit;`)
}

export function openAccountTable(db: DatabaseSync): AccountTable {
  createTables(db)
  const insert = db.prepare(`
    insert into vault_accounts (${ACCOUNT_COLUMNS})
    values (:id, :name, :customer_ref_id, :hidden)`)
  const account = db.prepare(`
    select ${ACCOUNT_COLUMNS}
    from vault_accounts
    where id = ?`)
  const all = db.prepare(`
    select ${ACCOUNT_COLUMNS}
    from vault_accounts
    order by id`)
  return {
    insert: (row) => {
      insert.run(row)
    },
    account: (id) => account.get(id) as VaultAccount | undefined,
    all: () => all.all() as VaultAccount[],
    ...walletStatements(db),
    ...addressStatements(db),
  }
}

function walletStatements(
  db: DatabaseSync,
): Pick<AccountTable, 'insertWallet' | 'updateWallet' | 'wallet' | 'wallets'> {
  const insert = db.prepare(`
    insert into vault_wallets (${WALLET_COLUMNS})
    values (?, ?, ?, '0', '0', '0')`)
  const update = db.prepare(`
    update vault_wallets
    set total = ?, locked = ?, frozen = ?
    where account_id = ?
      and asset = ?`)
  const wallet = db.prepare(`
    select ${WALLET_COLUMNS}
    from vault_wallets
    where account_id = ?
      and asset = ?`)
  const wallets = db.prepare(`
    select ${WALLET_COLUMNS}
    from vault_wallets
    where account_id = ?
    order by asset`)
  return {
    insertWallet: ({ account_id, asset, address }) => {
      insert.run(account_id, asset, address)
    },
    updateWallet: ({ account_id, asset, total, locked, frozen }) => {
      update.run(total, locked, frozen, account_id, asset)
    },
    wallet: (account_id, asset) => wallet.get(account_id, asset) as VaultWallet | undefined,
    wallets: (account_id) => wallets.all(account_id) as VaultWallet[],
  }
}

function addressStatements(db: DatabaseSync): Pick<AccountTable, 'insertAddress' | 'addresses'> {
  const insert = db.prepare(`
    insert into vault_addresses (account_id, asset, ${ADDRESS_COLUMNS})
    values (:account_id, :asset, :address, :tag, :customer_ref_id, :description, :position)`)
  const addresses = db.prepare(`
    select ${ADDRESS_COLUMNS}
    from vault_addresses
    where account_id = ?
      and asset = ?
    order by position`)
  return {
    insertAddress: ({ account_id, asset }, address) => {
      insert.run({ account_id, asset, ...address })
    },
    addresses: ({ account_id, asset }) => addresses.all(account_id, asset) as VaultAddress[],
  }
}
