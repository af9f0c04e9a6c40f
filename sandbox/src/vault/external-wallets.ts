/**
 * The allow-list: external wallets, each a named collection of one address per asset. An address
 * waits for approval, which comes by itself after a while, or by hand where the control interface
 * asked for that.
 *
 * Fault, venue `fireblocks`, operation `approval`: REFUSE rejects the address that would be
 * approved next.
 */
import { randomUUID } from 'node:crypto'
import type { DatabaseSync } from 'node:sqlite'
import type { World } from '../world.ts'

const APPROVAL_MILLISECONDS = 5_000

export type AddressStatus =
  | 'WAITING_FOR_APPROVAL'
  | 'APPROVED'
  | 'REJECTED'
  | 'CANCELLED'
  | 'FAILED'
export type ExternalAsset = {
  wallet_id: string
  asset: string
  address: string
  tag: string | null
  status: AddressStatus
  approve_at: number
}
export type ExternalWallet = { id: string; name: string; customer_ref_id: string | null }

type Approval = 'AUTO' | 'MANUAL'

export type ExternalWallets = {
  create(wallet: Omit<ExternalWallet, 'id'>): ExternalWallet
  all(): ExternalWallet[]
  wallet(id: string): ExternalWallet | undefined
  assets(wallet_id: string): ExternalAsset[]
  asset(wallet_id: string, asset: string): ExternalAsset | undefined
  /**
   * Asks for the approval of an address; undefined when the wallet already has a live one for
   * this asset.
   */
  add(entry: Omit<ExternalAsset, 'status' | 'approve_at'>): ExternalAsset | undefined
  remove(wallet_id: string, asset: string): boolean
  decide(wallet_id: string, asset: string, status: AddressStatus): boolean
  approval(): Approval
  setApproval(mode: Approval): void
}

const WALLET_COLUMNS = 'id, name, customer_ref_id'
const ASSET_COLUMNS = 'wallet_id, asset, address, tag, status, approve_at'

export function openExternalWallets(world: World): ExternalWallets {
  createTables(world.db)
  const assets = openAssets(world)
  const approval = openApproval(world.db)
  world.onTick((now) => {
    const due = assets.due(now)
    if (due.length === 0 || approval.approval() === 'MANUAL') return
    world.commit(() => {
      for (const { wallet_id, asset } of due) {
        const refused = world.faults.takeNamed('fireblocks', 'approval')?.kind === 'REFUSE'
        assets.decide(wallet_id, asset, refused ? 'REJECTED' : 'APPROVED')
      }
    })
  })
  const { due: _inside, ...shown } = assets
  return { ...openWallets(world), ...shown, ...approval }
}

function createTables(db: DatabaseSync): void {
  db.exec(`
    create table if not exists vault_external_wallets (
      id text primary key,
      name text not null,
      customer_ref_id text,
      created_at integer not null
    );
    create table if not exists vault_external_assets (
      wallet_id text not null references vault_external_wallets (id),
      asset text not null,
      address text not null,
      tag text,
      status text not null,
      approve_at integer not null,
      primary key (wallet_id, asset)
    );
    create table if not exists vault_approval (
      id integer primary key check (id = 1),
      mode text not null
    );
    insert or ignore into vault_approval (id, mode)
    values (1, 'AUTO');
  `)
}

function openWallets({
  db,
  now,
}: Pick<World, 'db' | 'now'>): Pick<ExternalWallets, 'create' | 'all' | 'wallet'> {
  const insert = db.prepare(`
    insert into vault_external_wallets (${WALLET_COLUMNS}, created_at)
    values (?, ?, ?, ?)`)
  const all = db.prepare(`
    select ${WALLET_COLUMNS}
    from vault_external_wallets
    order by created_at, id`)
  const wallet = db.prepare(`
    select ${WALLET_COLUMNS}
    from vault_external_wallets
    where id = ?`)
  return {
    create({ name, customer_ref_id }) {
      const id = randomUUID()
      insert.run(id, name, customer_ref_id, now())
      return { id, name, customer_ref_id }
    },
    all: () => all.all() as ExternalWallet[],
    wallet: (id) => wallet.get(id) as ExternalWallet | undefined,
  }
}

type Assets = Pick<ExternalWallets, 'assets' | 'asset' | 'add' | 'remove' | 'decide'> & {
  /** Those that wait for an approval that is due. */
  due(now: number): ExternalAsset[]
}

function openAssets(world: World): Assets {
  const { db } = world
  const byWallet = db.prepare(`
    select ${ASSET_COLUMNS}
    from vault_external_assets
    where wallet_id = ?
    order by asset`)
  const one = db.prepare(`
    select ${ASSET_COLUMNS}
    from vault_external_assets
    where wallet_id = ?
      and asset = ?`)
  const due = db.prepare(`
    select ${ASSET_COLUMNS}
    from vault_external_assets
    where status = 'WAITING_FOR_APPROVAL'
      and approve_at <= ?`)
  const upsert = db.prepare(`
    insert or replace into vault_external_assets (${ASSET_COLUMNS})
    values (:wallet_id, :asset, :address, :tag, :status, :approve_at)`)
  const updateStatus = db.prepare(`
    update vault_external_assets
    set status = ?
    where wallet_id = ?
      and asset = ?`)
  const remove = db.prepare(`
    delete from vault_external_assets
    where wallet_id = ?
      and asset = ?`)
  const find = (wallet_id: string, asset: string) =>
    one.get(wallet_id, asset) as ExternalAsset | undefined
  return {
    assets: (wallet_id) => byWallet.all(wallet_id) as ExternalAsset[],
    asset: find,
    due: (now) => due.all(now) as ExternalAsset[],
    add(entry) {
      const known = find(entry.wallet_id, entry.asset)
      if (known !== undefined && isLive(known)) return undefined
      const approve_at = world.now() + APPROVAL_MILLISECONDS
      upsert.run({ ...entry, status: 'WAITING_FOR_APPROVAL', approve_at })
      return find(entry.wallet_id, entry.asset)
    },
    remove: (wallet_id, asset) => remove.run(wallet_id, asset).changes > 0,
    decide: (wallet_id, asset, status) => updateStatus.run(status, wallet_id, asset).changes > 0,
  }
}

function isLive({ status }: ExternalAsset): boolean {
  return status === 'APPROVED' || status === 'WAITING_FOR_APPROVAL'
}

function openApproval(db: DatabaseSync): Pick<ExternalWallets, 'approval' | 'setApproval'> {
  const select = db.prepare('select mode from vault_approval')
  const update = db.prepare('update vault_approval set mode = ?')
  return {
    approval: () => (select.get() as { mode: Approval }).mode,
    setApproval: (mode) => {
      update.run(mode)
    },
  }
}
