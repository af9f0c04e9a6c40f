/** One asset at a venue: its lines are judged and stored, and its breaks opened and closed. */
import { decimal, format } from '../../core/decimal.ts'
import type { Decimal } from '../../core/decimal.ts'
import type { EventDraft } from '../../ledger/index.ts'
import type { Tx } from '../../store/db.ts'
import { addToWalletPositions, initializeWalletPositions } from '../../treasury/index.ts'
import type { VenueRecord } from '../../venues/index.ts'
import { causeOf } from './break-causes.ts'
import { closeVanishedBreak, openBreak, refreshBreak } from './breaks.ts'
import type { OpenBreak } from './breaks.ts'
import { judge } from './comparison.ts'
import type { EarlierDifference } from './comparison.ts'
import { partsOf, youngOrders } from './open-orders.ts'
import { storeLines } from './stored-lines.ts'
import type { JudgedLine, StoredLine } from './stored-lines.ts'
import { ordersOf } from './venue-books.ts'
import type { VenueBooks } from './venue-books.ts'
import { attributeUnplaced, linesOf } from './wallet-lines.ts'
import type { Line, Sides } from './wallet-lines.ts'

/** One comparison of a venue with the books, in one transaction under the lane's lock. */
type Comparison = { tx: Tx; venue: VenueRecord; books: VenueBooks; now: number }

/** `held`: what the venue reports, by wallet. */
type AssetCase = {
  asset: string
  held: ReadonlyMap<string | null, Decimal>
  stored: readonly StoredLine[]
  open: readonly OpenBreak[]
}

type JudgedBreak = JudgedLine & { open: OpenBreak | undefined }

/** `checking`: a line of the asset is in doubt. */
export async function recordAsset(
  comparison: Comparison,
  known: AssetCase,
): Promise<{ checking: boolean; events: EventDraft[] }> {
  const lines = await attributeLines(comparison, known)
  const judged = judgeLines(lines, known, comparison.now)
  await storeLines(comparison, known, judged)
  const events: EventDraft[] = []
  for (const line of judged)
    events.push(...(await recordBreak(comparison, known.asset, judged, line)))
  if (judged.every(({ judgement }) => judgement.verdict === 'BALANCED'))
    await adoptWallets(comparison, known)
  return { checking: judged.some(({ judgement }) => judgement.verdict === 'CHECKING'), events }
}

/**
 * What was booked by hand names no wallet. Where it can only have been meant for one, it belongs to
 * that one from now on.
 */
async function attributeLines(
  { tx, venue: { workspace, id: venue_id }, books, now }: Comparison,
  { asset, held, stored, open }: AssetCase,
): Promise<Line[]> {
  const isKnown = open.length > 0 || stored.some(({ accepted }) => decimal(accepted) !== 0n)
  const sides: Sides = {
    held,
    ledger: books.ledger.get(asset) ?? 0n,
    positions: books.wallets.get(asset),
    moving: [
      ...books.in_flight.filter((movement) => movement.asset === asset),
      // An order that might explain a break does not close it, nor end that it was accepted.
      ...(isKnown ? [] : partsOf(youngOrders(ordersOf(books, asset), now), asset)),
    ],
    shown: open.flatMap(({ wallet }) => wallet ?? []),
  }
  const lines = linesOf(sides)
  const attributed = attributeUnplaced(lines)
  if (attributed.length === 0) return lines
  const additions = attributed.map(({ wallet, quantity }) => ({ wallet, quantity, asset }))
  for (const write of addToWalletPositions({ workspace, venue_id }, additions))
    await tx.query(write)
  const positions = new Map(sides.positions)
  for (const { wallet, quantity } of attributed)
    positions.set(wallet, (positions.get(wallet) ?? 0n) + quantity)
  return linesOf({ ...sides, positions })
}

function judgeLines(
  lines: readonly Line[],
  { stored, open }: AssetCase,
  now: number,
): JudgedBreak[] {
  const byWallet = new Map(stored.map((line) => [line.wallet, line]))
  return lines.map((line) => {
    const known = open.find(({ wallet }) => wallet === line.wallet)
    const before = byWallet.get(line.wallet ?? '')
    const earlier: EarlierDifference | undefined = before && {
      difference: decimal(before.difference),
      since: before.since,
      accepted: decimal(before.accepted),
      open: known !== undefined,
    }
    return { line, open: known, judgement: judge(earlier, line, now) }
  })
}

/** Answers the event, where there is one. */
async function recordBreak(
  { tx, venue, books, now }: Comparison,
  asset: string,
  judged: readonly JudgedLine[],
  { line, open, judgement: { verdict, since } }: JudgedBreak,
): Promise<EventDraft[]> {
  const transaction = { tx, workspace: venue.workspace, now }
  const figures = {
    venue_id: venue.id,
    wallet: line.wallet,
    asset,
    ledger: format(line.ledger),
    venue: format(line.venue),
    on_the_way: format(line.on_the_way),
    difference: format(line.difference),
  }
  const lines = judged.map((other) => other.line)
  const cause = () => causeOf(tx, { venue, asset, line, lines, books, now })
  if (verdict === 'OPENS') return [await openBreak(transaction, figures, await cause(), since)]
  if (verdict === 'VANISHED' && open !== undefined)
    return [await closeVanishedBreak(transaction, open)]
  if (verdict === 'STAYS' && open !== undefined && line.difference !== 0n)
    await refreshBreak(transaction, open, figures, await cause())
  return []
}

/**
 * Of what was opened before the books knew wallets: once both sides are the same and nothing moves,
 * the books hold what the venue reports.
 */
async function adoptWallets(
  { tx, venue, books, now }: Comparison,
  { asset, held }: AssetCase,
): Promise<void> {
  const unknown =
    !books.wallets.has(asset) &&
    books.opened.has(asset) &&
    [...held.keys()].some((wallet) => wallet !== null)
  const moving =
    books.in_flight.some((movement) => movement.asset === asset) ||
    youngOrders(ordersOf(books, asset), now).length > 0
  if (!unknown || moving) return
  const placed = [...held].flatMap(([wallet, quantity]) =>
    wallet === null ? [] : [{ wallet, asset, quantity }],
  )
  const owner = { workspace: venue.workspace, venue_id: venue.id }
  for (const write of initializeWalletPositions(owner, asset, placed, now)) await tx.query(write)
}
