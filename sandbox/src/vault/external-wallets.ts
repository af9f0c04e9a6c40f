/**
 * The allow-list: external wallets, each a named collection of one address per asset. An address
 * waits for approval, which comes by itself after a while, or by hand where the control interface
 * asked for that.
 *
 * Fault, venue `fireblocks`, operation `approval`: REFUSE rejects the address that would be
 * approved next.
 */
import { randomUUID } from 'node:crypto'
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

export type ExternalWallets = {
  create(wallet: { name: string; customer_ref_id: string | null }): ExternalWallet
  all(): ExternalWallet[]
  wallet(id: string): ExternalWallet | undefined
  assets(wallet_id: string): ExternalAsset[]
  asset(wallet_id: string, asset: string): ExternalAsset | undefined
  /**
   * Asks for the approval of an address; undefined when the wallet already has a live one for
   * this asset.
   */
  add(entry: {
    wallet_id: string
    asset: string
    address: string
    tag: string | null
  }): ExternalAsset | undefined
  remove(wallet_id: string, asset: string): boolean
  decide(wallet_id: string, asset: string, status: AddressStatus): boolean
  approval(): 'AUTO' | 'MANUAL'
  setApproval(mode: 'AUTO' | 'MANUAL'): void
}

const COLUMNS = 'wallet_id, asset, address, tag, status, approve_at'

export function openExternalWallets(world: World): ExternalWallets {
  const { db } = world
  db.exec(`
    create table if not exists vault_external_wallets (id text primary key, name text not null, customer_ref_id text, created_at integer not null);
    create table if not exists vault_external_assets (
      wallet_id text not null references vault_external_wallets (id), asset text not null, address text not null, tag text, status text not null, approve_at integer not null,
      primary key (wallet_id, asset));
    create table if not exists vault_approval (id integer primary key check (id = 1), mode text not null);
    insert or ignore into vault_approval (id, mode) values (1, 'AUTO');
  `)
  const selectAsset = db.prepare(
    `select ${COLUMNS} from vault_external_assets where wallet_id = ? and asset = ?`,
  )
  const upsertAsset = db.prepare(
    `insert or replace into vault_external_assets (${COLUMNS}) values (?, ?, ?, ?, ?, ?)`,
  )
  const selectDue = db.prepare(
    `select ${COLUMNS} from vault_external_assets where status = 'WAITING_FOR_APPROVAL' and approve_at <= ?`,
  )
  const updateStatus = db.prepare(
    'update vault_external_assets set status = ? where wallet_id = ? and asset = ?',
  )
  const wallet = (id: string) =>
    db
      .prepare('select id, name, customer_ref_id from vault_external_wallets where id = ?')
      .get(id) as ExternalWallet | undefined
  const asset = (wallet_id: string, name: string) =>
    selectAsset.get(wallet_id, name) as ExternalAsset | undefined
  const approval = () =>
    (db.prepare('select mode from vault_approval').get() as { mode: 'AUTO' | 'MANUAL' }).mode

  world.onTick((now) => {
    const due = selectDue.all(now) as ExternalAsset[]
    if (due.length === 0 || approval() === 'MANUAL') return
    world.commit(() => {
      for (const externalAsset of due)
        updateStatus.run(
          world.faults.takeNamed('fireblocks', 'approval')?.kind === 'REFUSE'
            ? 'REJECTED'
            : 'APPROVED',
          externalAsset.wallet_id,
          externalAsset.asset,
        )
    })
  })

  return {
    wallet,
    asset,
    approval,
    create({ name, customer_ref_id }) {
      const id = randomUUID()
      db.prepare(
        'insert into vault_external_wallets (id, name, customer_ref_id, created_at) values (?, ?, ?, ?)',
      ).run(id, name, customer_ref_id, world.now())
      return { id, name, customer_ref_id }
    },
    all: () =>
      db
        .prepare(
          'select id, name, customer_ref_id from vault_external_wallets order by created_at, id',
        )
        .all() as ExternalWallet[],
    assets: (wallet_id) =>
      db
        .prepare(`select ${COLUMNS} from vault_external_assets where wallet_id = ? order by asset`)
        .all(wallet_id) as ExternalAsset[],
    add(entry) {
      const known = asset(entry.wallet_id, entry.asset)
      if (
        known !== undefined &&
        (known.status === 'APPROVED' || known.status === 'WAITING_FOR_APPROVAL')
      )
        return undefined
      upsertAsset.run(
        entry.wallet_id,
        entry.asset,
        entry.address,
        entry.tag,
        'WAITING_FOR_APPROVAL',
        world.now() + APPROVAL_MILLISECONDS,
      )
      return asset(entry.wallet_id, entry.asset)
    },
    remove: (wallet_id, name) =>
      db
        .prepare('delete from vault_external_assets where wallet_id = ? and asset = ?')
        .run(wallet_id, name).changes > 0,
    decide: (wallet_id, name, status) => updateStatus.run(status, wallet_id, name).changes > 0,
    setApproval: (mode) => {
      db.prepare('update vault_approval set mode = ?').run(mode)
    },
  }
}
