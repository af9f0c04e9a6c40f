/**
 * Where the client may withdraw to: Kraken sends only to what was registered before, and is told
 * its name.
 */
import type { World } from '../../world.ts'
import { isMoney } from '../rules.ts'
import { asset as assetOf } from './assets.ts'

export type WithdrawalKey = { key: string; asset: string; address: string; tag: string | null }

export type Keys = {
  all(): WithdrawalKey[]
  add(key: WithdrawalKey): void
  /** Whether the client's money goes to this account; what comes from there is the client's too. */
  knowsAccount(iban: string): boolean
}

export function openKeys(world: World, tables: string): Keys {
  const table = `${tables}_withdrawal_keys`
  world.db.exec(
    `create table if not exists ${table} (
      key text primary key,
      asset text not null,
      address text not null,
      tag text
    )`,
  )
  const insert = world.db.prepare(`
    insert or replace into ${table} (key, asset, address, tag)
    values (?, ?, ?, ?)`)
  const select = world.db.prepare(`
    select key, asset, address, tag
    from ${table}
    order by key`)
  const all = () => select.all() as WithdrawalKey[]
  return {
    all,
    add: ({ key, asset, address, tag }) => {
      insert.run(key, asset, address, tag)
    },
    knowsAccount: (iban) =>
      all().some(
        (withdrawalKey) => isMoney(assetOf(withdrawalKey.asset)) && withdrawalKey.address === iban,
      ),
  }
}
