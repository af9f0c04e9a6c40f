/** What pictures of several days are drawn from. Figures stand in the order of the days. */
import type { AccountId, VenueId } from '../../core/ids.ts'
import {
  asset,
  closed,
  decimalText,
  id,
  nullable,
  oneOf,
  text,
  time,
  Type,
} from '../../http/index.ts'
import type { Static } from '../../http/index.ts'
import { ACCOUNT_TYPES } from '../../ledger/index.ts'

const DAYS = Type.Array(
  closed({
    day: text(10, 'As 2026-03-02'),
    from: time('Its midnight'),
    to: time('The next midnight, or now'),
  }),
)
const totals = (description: string) =>
  Type.Array(nullable(decimalText()), {
    description: `${description}; null while the bookings of a day are still being summed`,
  })

export const PositionDaysRecord = closed(
  {
    days: DAYS,
    value_in: nullable(asset()),
    accounts: Type.Array(
      closed({
        account_id: id<AccountId>(),
        type: oneOf(ACCOUNT_TYPES),
        venue_id: nullable(id<VenueId>()),
        label: text(),
        asset: asset(),
        totals: totals("At the end of each day, in the account's normal sign"),
      }),
      { description: 'Of the house and its venues, as far as they held or owed something' },
    ),
    exposures: Type.Array(
      closed({
        asset: asset(),
        totals: totals('What the house itself owns at the end of each day; negative: it owes'),
        price: nullable(decimalText('Of now, in `value_in`; null: there is no fresh one')),
        values: Type.Array(nullable(decimalText()), {
          description: 'The totals at this price, rounded to the decimals of `value_in`',
        }),
      }),
    ),
  },
  { title: 'PositionDays' },
)
export type PositionDays = Static<typeof PositionDaysRecord>

const flows = (what: string) =>
  nullable(
    Type.Array(
      closed({
        asset: asset(),
        count: Type.Integer({ minimum: 0 }),
        quantity: decimalText('Of the whole day'),
        quantities: Type.Array(decimalText(), { description: 'Of each hour' }),
      }),
      { description: `${what}; null: the caller may not see them` },
    ),
  )

export const FlowsRecord = closed(
  {
    day: text(10),
    from: time(),
    to: time(),
    hours: Type.Array(time(), { description: 'When each hour begins' }),
    deposits: flows('What has come in'),
    withdrawals: flows('What goes out'),
    transfers: flows('What is moved between own wallets'),
    bought: flows('What customers got by trades: bases they bought, quotes they sold for'),
    sold: flows('What customers gave for it'),
  },
  { title: 'DayFlows' },
)
export type Flows = Static<typeof FlowsRecord>
export type Flow = NonNullable<Flows['deposits']>[number]

const counts = (description: string) => Type.Array(Type.Integer({ minimum: 0 }), { description })

export const BreakDaysRecord = closed(
  {
    days: DAYS,
    venues: Type.Array(
      closed({
        venue_id: id<VenueId>(),
        label: text(),
        opened: counts('On each day'),
        closed: counts('On each day'),
        open: counts('At the end of each day'),
      }),
      { description: 'That have had a break in these days' },
    ),
  },
  { title: 'BreakDays' },
)
export type BreakDays = Static<typeof BreakDaysRecord>
