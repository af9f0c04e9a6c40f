/** Positions at the end of a day (UTC), valued at the prices of that day and at no others. */
import { mustExist } from '../../core/assert.ts'
import type { Clock } from '../../core/clock.ts'
import { DAY_MILLISECONDS, dayAt, endOfDay } from '../../core/days.ts'
import { decimal, format, multiply, sum } from '../../core/decimal.ts'
import type { Decimal } from '../../core/decimal.ts'
import { refuse } from '../../core/errors.ts'
import type { WorkspaceId } from '../../core/ids.ts'
import type { ListQuery } from '../../http/index.ts'
import { ACCOUNT_TYPES, assetByCode, positionsBefore, typesBefore } from '../../ledger/index.ts'
import type { BooksReader, DayPosition, PositionFilter } from '../../ledger/index.ts'
import { dailyPrices } from '../../market-data/index.ts'
import type { Reader } from '../../store/db.ts'
import type { ValuedPosition, ValuedTotals } from './valuation.schema.ts'

export type ValuationApp = { db: Reader; clock: Clock }

type Asked = { day?: string; value_in?: string }
/** What a quantity has beside it. `worth` is its value, exact; null: it has no price. */
type Valued = {
  shown: Pick<
    ValuedPosition,
    'day' | 'asset' | 'quantity' | 'value_in' | 'price' | 'timing' | 'priced_at' | 'value' | 'parts'
  >
  worth: Decimal | null
}

/** The day that ended last, where none was asked for; and the midnight that ends it. */
function dayOf(asked: string | undefined, clock: Clock): { day: string; at: number } {
  const now = clock.now()
  const day = asked ?? dayAt(now - DAY_MILLISECONDS)
  const at = mustExist(endOfDay(day), 'the query takes days alone')
  if (at > now) throw refuse('RANGE', 'day', `${day} (UTC) is not over yet`)
  return { day, at }
}

/** Refuses RANGE for a day that is not over, UNKNOWN_ASSET for `value_in`. */
export async function valuedPositions(
  { db, clock }: ValuationApp,
  workspace: WorkspaceId,
  { day: asked, value_in, ...filter }: Asked & PositionFilter,
): Promise<ListQuery<ValuedPosition>> {
  const books = { reader: db, clock, workspace }
  const { day, at } = dayOf(asked, clock)
  const value = await valuer(books, day, value_in)
  return {
    ...(await positionsBefore(books, at, filter)),
    key: { column: 'b.account_id', type: 'uuid', second: 'b.asset' },
    item: ({ asset, quantity, ...row }: DayPosition) => ({
      ...row,
      ...value(asset, quantity).shown,
    }),
  }
}

async function valuer(
  { reader, workspace }: BooksReader,
  day: string,
  value_in: string | undefined,
): Promise<(asset: string, quantity: string) => Valued> {
  const none = { price: null, timing: null, priced_at: null, value: null, parts: [] }
  if (value_in === undefined)
    return (asset, quantity) => ({
      shown: { day, asset, quantity, value_in: null, ...none },
      worth: null,
    })
  const { scale } = await assetByCode(reader, workspace, value_in, 'value_in')
  const prices = await dailyPrices(reader, workspace, day)
  return (asset, quantity) => {
    const known = prices.of(asset, value_in)
    const position = { day, asset, quantity, value_in }
    if (known === undefined) return { shown: { ...position, ...none }, worth: null }
    const { price, ...of } = known
    const worth = multiply(decimal(quantity), price, scale, 'half_even')
    return { shown: { ...position, ...of, price: format(price), value: format(worth) }, worth }
  }
}

/** Throws what `valuedPositions` throws. */
export async function valuedTotals(
  { db, clock }: ValuationApp,
  workspace: WorkspaceId,
  asked: Asked,
): Promise<ValuedTotals> {
  const books = { reader: db, clock, workspace }
  const { day, at } = dayOf(asked.day, clock)
  const value = await valuer(books, day, asked.value_in)
  const lines = (await typesBefore(books, at)).map(({ type, asset, total }) => ({
    account_type: type,
    ...value(asset, format(total)),
  }))
  const without = lines.filter(({ worth }) => worth === null).map(({ shown }) => shown.asset)
  return {
    day,
    value_in: asked.value_in ?? null,
    complete: without.length === 0,
    without_price: asked.value_in === undefined ? [] : [...new Set(without)],
    lines: lines.map(({ account_type, shown }) => ({ account_type, ...shown })),
    totals: ACCOUNT_TYPES.flatMap((account_type) => {
      const worths = lines
        .filter((line) => line.account_type === account_type)
        .map(({ worth }) => worth)
      if (worths.length === 0) return []
      const known = worths.filter((worth) => worth !== null)
      const total = known.length === 0 ? null : format(sum(known))
      return [{ account_type, value: total, complete: known.length === worths.length }]
    }),
  }
}
