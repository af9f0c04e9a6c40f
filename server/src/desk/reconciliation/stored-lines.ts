/** The lines of an asset at a venue as they were last compared, and what the venue held. */
import { decimal, format, sum } from '../../core/decimal.ts'
import type { Decimal } from '../../core/decimal.ts'
import type { Json } from '../../core/json.ts'
import type { Tx } from '../../store/db.ts'
import { sql } from '../../store/sql.ts'
import type { VenueRecord } from '../../venues/index.ts'
import type { Judgement } from './comparison.ts'
import type { Line } from './wallet-lines.ts'

/**
 * `wallet` is '' for what lies in none. On that line alone `wallets` is all that the venue
 * reported.
 */
export type StoredLine = {
  asset: string
  wallet: string
  ledger: string
  venue: string
  on_the_way: string
  difference: string
  since: number
  accepted: string
  wallets: Json
}

export type JudgedLine = { line: Line; judgement: Judgement }

type AssetLines = {
  asset: string
  held: ReadonlyMap<string | null, Decimal>
  stored: readonly StoredLine[]
}

export function storedLines(tx: Tx, { workspace, id }: VenueRecord): Promise<StoredLine[]> {
  return tx.query<StoredLine>(
    sql`
      select asset, wallet, ledger, venue, on_the_way, difference, since, accepted, wallets
      from positions
      where workspace = ${workspace}
        and venue_id = ${id}`,
  )
}

/**
 * Of a thousand wallets only the few that have changed are written. The line of what lies in no
 * wallet is always written: its time is when all were compared.
 */
export async function storeLines(
  { tx, venue: { workspace, id }, now }: { tx: Tx; venue: VenueRecord; now: number },
  { asset, held, stored }: AssetLines,
  judged: readonly JudgedLine[],
): Promise<void> {
  const known = new Map(stored.map((line) => [line.wallet, line]))
  const changed = judged.filter(
    ({ line, judgement }) =>
      line.wallet === null || !isUnchanged(known.get(line.wallet), line, judgement),
  )
  const at_venue = [...held].map(([wallet, total]) => ({ wallet, total: format(total) }))
  const wallets = JSON.stringify(at_venue)
  const column = (value: (line: JudgedLine) => Decimal) =>
    changed.map((line) => format(value(line)))
  const keys = new Set(judged.map(({ line }) => line.wallet ?? ''))
  await tx.query(sql`
    insert into positions (
      workspace, venue_id, asset, wallet, ledger, venue, on_the_way, difference, wallets, since,
      compared_at, accepted
    )
    select ${workspace}::uuid, ${id}::uuid, ${asset}, l.wallet, l.ledger, l.venue, l.on_the_way,
      l.difference, case when l.wallet = '' then ${wallets}::jsonb else '[]' end, l.since, ${now},
      l.accepted
    from unnest(
      ${changed.map(({ line }) => line.wallet ?? '')}::text[],
      ${column(({ line }) => line.ledger)}::numeric[],
      ${column(({ line }) => line.venue)}::numeric[],
      ${column(({ line }) => line.on_the_way)}::numeric[],
      ${column(({ line }) => line.difference)}::numeric[],
      ${changed.map(({ judgement }) => judgement.since)}::bigint[],
      ${column(({ judgement }) => judgement.accepted)}::numeric[]
    ) as l (wallet, ledger, venue, on_the_way, difference, since, accepted)
    on conflict (workspace, venue_id, asset, wallet) do update
    set ledger = excluded.ledger, venue = excluded.venue, on_the_way = excluded.on_the_way,
      difference = excluded.difference, wallets = excluded.wallets, since = excluded.since,
      compared_at = excluded.compared_at, accepted = excluded.accepted`)
  const gone = [...known.keys()].filter((wallet) => !keys.has(wallet))
  if (gone.length > 0)
    await tx.query(
      sql`
        delete from positions
        where workspace = ${workspace}
          and venue_id = ${id}
          and asset = ${asset}
          and wallet = any(${gone}::text[])`,
    )
  const before = known.get('')
  if (before !== undefined && sameWallets(before.wallets, at_venue)) return
  await tx.query(sql`
    insert into position_snapshots (workspace, venue_id, asset, taken_at, total, wallets)
    values (
      ${workspace}, ${id}, ${asset}, ${now}, ${format(sum(held.values()))}, ${wallets}::jsonb
    )
    on conflict (workspace, venue_id, asset, taken_at) do update
    set total = excluded.total, wallets = excluded.wallets`)
}

function isUnchanged(
  before: StoredLine | undefined,
  { ledger, venue, on_the_way, difference }: Line,
  { since, accepted }: Judgement,
): boolean {
  return (
    before !== undefined &&
    before.since === since &&
    (
      [
        ['ledger', ledger],
        ['venue', venue],
        ['on_the_way', on_the_way],
        ['difference', difference],
        ['accepted', accepted],
      ] as const
    ).every(([figure, now]) => decimal(before[figure]) === now)
  )
}

type WalletTotals = { wallet: string | null; total: string }[]

/** Wherever the database put the keys, and however it orders them. */
function sameWallets(stored: Json, now: WalletTotals): boolean {
  const text = (wallets: WalletTotals) =>
    wallets
      .map(({ wallet, total }) => `${wallet} ${total}`)
      .toSorted()
      .join('; ')
  return text(stored as WalletTotals) === text(now)
}
