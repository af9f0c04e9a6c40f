/**
 * Positions at the prices of a day. The fields are those that a valuation is read by: what was
 * held, the price, when and where it was seen, and how it was converted, so that each value can be
 * worked out again. It is a price at the measurement date; whether it is fair value under IFRS 13
 * is for the accountant. What has no price has no value here, and none is made up.
 */
import type { AccountId, CustomerId, VenueId } from '../../core/ids.ts'
import {
  asset,
  closed,
  dateText,
  decimalText,
  flag,
  id,
  nullable,
  oneOf,
  positiveText,
  text,
  time,
  Type,
} from '../../http/index.ts'
import type { Static } from '../../http/index.ts'
import { ACCOUNT_TYPES } from '../../ledger/index.ts'
import { PRICE_TIMINGS, PricePart } from '../../market-data/index.ts'

const valued = {
  day: dateText('UTC: as booked before the midnight that ends it'),
  asset: asset(),
  quantity: decimalText("In the account's normal sign"),
  value_in: nullable(asset()),
  price: nullable(
    positiveText('Of one unit in `value_in` at the end of the day; null: there is none'),
  ),
  timing: nullable(
    oneOf(PRICE_TIMINGS, 'Of the price; null: there is none, or the asset is `value_in`'),
  ),
  priced_at: nullable(
    time(
      'The oldest price that it is made of; null: there is none, the asset is `value_in`, or a ' +
        'person entered one',
    ),
  ),
  value: nullable(decimalText('quantity × price, rounded half-even to the decimals of `value_in`')),
  parts: Type.Array(PricePart, { description: 'The prices that the price is made of' }),
}

export const ValuedPosition = closed(
  {
    account_id: id<AccountId>(),
    account_type: oneOf(ACCOUNT_TYPES),
    account_label: text(),
    customer_id: nullable(id<CustomerId>()),
    venue_id: nullable(id<VenueId>()),
    ...valued,
  },
  { title: 'ValuedPosition' },
)
export type ValuedPosition = Static<typeof ValuedPosition>

export const ValuedTotals = closed(
  {
    day: valued.day,
    value_in: valued.value_in,
    complete: flag('Whether everything that was held has a price'),
    without_price: Type.Array(asset(), { description: 'They are in no total' }),
    lines: Type.Array(closed({ account_type: oneOf(ACCOUNT_TYPES), ...valued }), {
      description: 'What the accounts of a type held together',
    }),
    totals: Type.Array(
      closed({
        account_type: oneOf(ACCOUNT_TYPES),
        value: nullable(
          decimalText('The sum of the values of its lines; null: none of them has a price'),
        ),
        complete: flag('Whether each of its lines has a value'),
      }),
    ),
  },
  { title: 'ValuedTotals' },
)
export type ValuedTotals = Static<typeof ValuedTotals>
