/**
 * Prices of days. Markets that never close have no closing price, so it is the middle of bid and
 * ask when the day ends (our rule), with the venue whose market it is, and when it was seen there.
 */
import type { VenueId } from '../core/ids.ts'
import {
  asset,
  closed,
  dateText,
  id,
  integer,
  nullable,
  oneOf,
  positiveText,
  requiredText,
  text,
  time,
} from '../http/index.ts'
import type { Static } from '../http/index.ts'
import { tableOf } from '../store/rows.ts'

export const PRICE_TIMINGS = ['CLOSE', 'EARLIER', 'ENTERED'] as const

const priceFields = {
  id: id(),
  day: dateText('UTC'),
  base_asset: asset(),
  quote_asset: asset(),
  price: positiveText('Quote units per base unit'),
  timing: oneOf(
    PRICE_TIMINGS,
    'CLOSE: seen in the last minute of the day. EARLIER: at most two hours before its end. ' +
      'ENTERED: by a person',
  ),
  venue_id: nullable(id<VenueId>('Whose order book it is from; null: a person entered it')),
  priced_at: nullable(time('When the venue had this price, to within ten seconds')),
  source: nullable(text(500, 'Where a person who entered it has it from; null: from the venue')),
}

export const DailyPriceRecord = closed(
  {
    ...priceFields,
    system_created_at: time('When it was taken or entered'),
    system_created_by: nullable(text()),
  },
  { title: 'DailyPrice' },
)
export type DailyPrice = Static<typeof DailyPriceRecord>

export const DAILY_PRICES = tableOf('daily_prices', DailyPriceRecord, {
  inside: { workspace: id() },
})

/** A price of the day, as a converted one names those that it is made of. */
export const PricePart = closed(priceFields, { title: 'DailyPricePart' })
export type PricePart = Static<typeof PricePart>

export const EnterDailyPrice = closed(
  {
    day: dateText('UTC; it must be over'),
    base_asset: asset(),
    quote_asset: asset(),
    price: positiveText('Quote units per base unit'),
    source: requiredText(500, 'Where it is from'),
  },
  { title: 'EnterDailyPrice' },
)
export type EnterDailyPriceBody = Static<typeof EnterDailyPrice>

const PRICE_DAY_STATES = ['OPEN', 'TAKEN', 'MISSING'] as const
const count = (description: string) => integer(0, Number.MAX_SAFE_INTEGER, description)

export const PriceDay = closed(
  {
    day: dateText('UTC'),
    state: oneOf(
      PRICE_DAY_STATES,
      'OPEN: it goes on. TAKEN: it has prices of venues or of people. MISSING: it is over and ' +
        "has none; no other day's price is used",
    ),
    taken_count: count('Prices of venues'),
    untimely_count: count('Of these, how many are not of the last minute of the day'),
    entered_count: count('Prices that people entered'),
  },
  { title: 'PriceDay' },
)
export type PriceDay = Static<typeof PriceDay>
