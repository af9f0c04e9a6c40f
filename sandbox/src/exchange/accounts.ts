/**
 * The exchange's own books: who of its clients owns how much of what it holds at its bank and on
 * the chain. Owners: `kontor` the client with the API key, `maker` the market maker, `house` the
 * exchange itself (fees), `transit` what has been withdrawn and not yet sent, `unclaimed` what
 * has arrived and nobody's account is known for. Together they are what the exchange holds at its
 * bank and on the chain. Where the client's coins come to and go from a wallet that does not
 * trade, that one is `funding`, and `kontor` is the one that trades. Every change is a transfer
 * between two owners, or comes in and goes out with a deposit or withdrawal; all inside a commit.
 */
import type { World } from '../world.ts'
import { figure, plain } from './figures.ts'
import type { Figure } from './figures.ts'

export type Owner = 'kontor' | 'funding' | 'maker' | 'house' | 'transit' | 'unclaimed'
type Holding = { total: Figure; held: Figure }

export type Accounts = {
  of(owner: Owner, asset: string): Holding
  free(owner: Owner, asset: string): Figure
  /** Adds (or with a negative quantity takes) from outside the exchange's books. */
  change(owner: Owner, asset: string, quantity: Figure): void
  move(from: Owner, to: Owner, asset: string, quantity: Figure): void
  hold(owner: Owner, asset: string, quantity: Figure): void
  all(): { owner: Owner; asset: string; total: string; held: string }[]
}

/** `credit`: how far below nothing the client may go, by the exchange's asset id. */
export function openAccounts(
  world: World,
  tables: string,
  credit: ReadonlyMap<string, Figure> = new Map(),
): Accounts {
  const table = `${tables}_balances`
  world.db.exec(`
    create table if not exists ${table} (
      owner text not null,
      asset text not null,
      total text not null,
      held text not null,
      primary key (owner, asset)
    )`)
  const select = world.db.prepare(`
    select total, held
    from ${table}
    where owner = ?
      and asset = ?`)
  const selectAll = world.db.prepare(`
    select owner, asset, total, held
    from ${table}
    order by owner, asset`)
  const upsert = world.db.prepare(`
    insert into ${table} (owner, asset, total, held)
    values (?, ?, ?, ?)
    on conflict (owner, asset) do update
    set total = excluded.total, held = excluded.held`)

  const lineOf = (owner: Owner, asset: string): Figure =>
    owner === 'kontor' ? (credit.get(asset) ?? 0n) : 0n
  const of = (owner: Owner, asset: string): Holding => {
    const row = select.get(owner, asset) as { total: string; held: string } | undefined
    return row === undefined
      ? { total: 0n, held: 0n }
      : { total: figure(row.total), held: figure(row.held) }
  }
  const store = (owner: Owner, asset: string, holding: Holding) => {
    if (holding.total < -lineOf(owner, asset) || holding.held < 0n)
      throw new Error(`${owner} would hold less than nothing of ${asset}`)
    upsert.run(owner, asset, plain(holding.total), plain(holding.held))
  }
  const change = (owner: Owner, asset: string, quantity: Figure) => {
    const holding = of(owner, asset)
    store(owner, asset, { total: holding.total + quantity, held: holding.held })
  }
  return {
    of,
    free: (owner, asset) => {
      const { total, held } = of(owner, asset)
      return total + lineOf(owner, asset) - held
    },
    change,
    move: (from, to, asset, quantity) => {
      change(from, asset, -quantity)
      change(to, asset, quantity)
    },
    hold: (owner, asset, quantity) => {
      const holding = of(owner, asset)
      store(owner, asset, { total: holding.total, held: holding.held + quantity })
    },
    all: () => selectAll.all() as ReturnType<Accounts['all']>,
  }
}
