/** Positions at the end of a day (UTC), valued at the prices of that day and at no others. */
import { mustExist } from '../../core/assert.ts'
import type { Clock } from '../../core/clock.ts'
import { decimal, format, multiply, sum } from '../../core/decimal.ts'
import type { WorkspaceId } from '../../core/ids.ts'
import type { ListQuery } from '../../http/index.ts'
import { ACCOUNT_TYPES, assetByCode, positionsBefore, typesBefore } from '../../ledger/index.ts'
import type { BooksReader, DayPosition, PositionFilter } from '../../ledger/index.ts'
import { dailyPrices, endOfDay } from '../../market-data/index.ts'
import type { Reader } from '../../store/db.ts'
import type { ValuedPosition, ValuedTotals } from './valuation.schema.ts'

export type ValuationApp = { db: Reader; clock: Clock }

type Asked = { day?: string; value_in?: string }
/** What a quantity has beside it. */
type Valued = Pick<
  ValuedPosition,
  'day' | 'asset' | 'quantity' | 'value_in' | 'price' | 'timing' | 'priced_at' | 'value' | 'parts'
>

const DAY_MILLISECONDS = 86_400_000

/** The day that ended last, where none was asked for. */
const dayOf = (day: string | undefined, clock: Clock): string =>
  day ?? new Date(clock.now() - DAY_MILLISECONDS).toISOString().slice(0, 10)

/** Refuses RANGE for a day that is not over, UNKNOWN_ASSET for `value_in`. */
export async function valuedPositions(
  { db, clock }: ValuationApp,
  workspace: WorkspaceId,
  { day: asked, value_in, ...filter }: Asked & PositionFilter,
): Promise<ListQuery<ValuedPosition>> {
  const books = { reader: db, clock, workspace }
  const day = dayOf(asked, clock)
  const value = await valuer(books, day, value_in)
  return {
    ...(await positionsBefore(books, momentOf(day), filter)),
    key: { column: 'b.account_id', type: 'uuid', second: 'b.asset' },
    item: ({ asset, quantity, ...row }: DayPosition) => ({ ...row, ...value(asset, quantity) }),
  }
}

const momentOf = (day: string) => ({
  at: mustExist(endOfDay(day), 'the query takes days alone'),
  path: 'day',
})

async function valuer(
  { reader, workspace }: BooksReader,
  day: string,
  value_in: string | undefined,
): Promise<(asset: string, quantity: string) => Valued> {
  const none = { price: null, timing: null, priced_at: null, value: null, parts: [] }
  if (value_in === undefined)
    return (asset, quantity) => ({ day, asset, quantity, value_in: null, ...none })
  const { scale } = await assetByCode(reader, workspace, value_in, 'value_in')
  const prices = await dailyPrices(reader, workspace, day)
  return (asset, quantity) => {
    const known = prices.of(asset, value_in)
    const position = { day, asset, quantity, value_in }
    if (known === undefined) return { ...position, ...none }
    const { price, ...of } = known
    const value = format(multiply(decimal(quantity), price, scale, 'half_even'))
    return { ...position, ...of, price: format(price), value }
  }
}

/** Throws what `valuedPositions` throws. */
export async function valuedTotals(
  { db, clock }: ValuationApp,
  workspace: WorkspaceId,
  asked: Asked,
): Promise<ValuedTotals> {
  const books = { reader: db, clock, workspace }
  const day = dayOf(asked.day, clock)
  const value = await valuer(books, day, asked.value_in)
  const lines = (await typesBefore(books, momentOf(day))).map(({ type, asset, total }) => ({
    account_type: type,
    ...value(asset, format(total)),
  }))
  const without = lines.filter((line) => line.value === null).map(({ asset }) => asset)
  return {
    day,
    value_in: asked.value_in ?? null,
    complete: without.length === 0,
    without_price: [...new Set(without)],
    lines,
    totals: ACCOUNT_TYPES.flatMap((account_type) => {
      const values = lines
        .filter((line) => line.account_type === account_type)
        .map((line) => line.value)
      if (values.length === 0) return []
      const known = values.filter((one) => one !== null)
      const total = format(sum(known.map((one) => decimal(one))))
      return [{ account_type, value: total, complete: known.length === values.length }]
    }),
  }
}
