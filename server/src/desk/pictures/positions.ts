/** What the house held at the end of each day, and what of it was its own. */
import type { Clock } from '../../core/clock.ts'
import { format, multiply, ONE, sum } from '../../core/decimal.ts'
import type { Decimal } from '../../core/decimal.ts'
import type { WorkspaceId } from '../../core/ids.ts'
import { assetByCode, positionsAt } from '../../ledger/index.ts'
import type { PositionLine } from '../../ledger/index.ts'
import { referencePrice } from '../../market-data/index.ts'
import type { PriceBook } from '../../market-data/index.ts'
import type { Db } from '../../store/db.ts'
import type { Venues } from '../../venues/index.ts'
import { daysOf } from './days.ts'
import type { AskedDays } from './days.ts'
import type { PositionDays } from './pictures.schema.ts'

export type PicturesApp = {
  db: Db
  clock: Clock
  prices: PriceBook
  venues: Pick<Venues, 'list'>
}

type PriceOf = (asset: string) => Decimal | undefined

/** What is its own is what these accounts say; all others hold or owe what is somebody's. */
const OWN_SIGN: Readonly<Partial<Record<PositionLine['type'], 1n | -1n>>> = {
  HOUSE: 1n,
  MARGIN: 1n,
  RISK: 1n,
  ROUNDING: 1n,
  INCOME: 1n,
  FEE: -1n,
  EXPENSE: -1n,
}

/** Throws RANGE, FORMAT, and UNKNOWN_ASSET for `value_in`. */
export async function positionDays(
  app: PicturesApp,
  workspace: WorkspaceId,
  asked: AskedDays & { value_in?: string },
): Promise<PositionDays> {
  const { db, clock } = app
  const now = clock.now()
  const days = daysOf(asked, now)
  const lines = await positionsAt(
    { reader: db, clock, workspace },
    days.map(({ to }) => (to === now ? undefined : to)),
  )
  const moved = lines.filter(({ totals }) => totals.some((total) => total !== 0n && total !== null))
  const value_in = asked.value_in ?? null
  const scale =
    value_in === null ? 0 : (await assetByCode(db, workspace, value_in, 'value_in')).scale
  const priceOf = value_in === null ? () => undefined : await pricesIn(app, workspace, value_in)
  return {
    days,
    value_in,
    accounts: moved.map((line) => ({ ...line, totals: line.totals.map(textOf) })),
    exposures: exposuresOf(moved, days.length, { priceOf, scale }),
  }
}

const textOf = (total: Decimal | null): string | null => (total === null ? null : format(total))

async function pricesIn(
  app: PicturesApp,
  workspace: WorkspaceId,
  value_in: string,
): Promise<PriceOf> {
  const venue_ids = (await app.venues.list(workspace)).map(({ id }) => id)
  return (asset) => (asset === value_in ? ONE : referencePrice(app, venue_ids, asset, value_in))
}

function exposuresOf(
  lines: readonly PositionLine[],
  days: number,
  { priceOf, scale }: { priceOf: PriceOf; scale: number },
): PositionDays['exposures'] {
  const own = lines.filter(({ type }) => OWN_SIGN[type] !== undefined)
  return [...Map.groupBy(own, ({ asset }) => asset)]
    .toSorted(([one], [other]) => (one < other ? -1 : 1))
    .map(([asset, of]) => {
      const price = priceOf(asset)
      const totals = Array.from({ length: days }, (_none, day) => ownTotal(of, day))
      const valueOf = (total: Decimal | null) =>
        total === null || price === undefined
          ? null
          : format(multiply(total, price, scale, 'half_even'))
      return {
        asset,
        totals: totals.map(textOf),
        price: price === undefined ? null : format(price),
        values: totals.map(valueOf),
      }
    })
}

/** Null when the day is not known yet, of any of the accounts. */
function ownTotal(lines: readonly PositionLine[], day: number): Decimal | null {
  const parts = lines.map(({ type, totals }) => {
    const total = totals[day] ?? null
    return total === null ? null : total * (OWN_SIGN[type] ?? 0n)
  })
  return parts.some((part) => part === null) ? null : sum(parts.filter((part) => part !== null))
}
