import type { VenueId } from '../../core/ids.ts'
import {
  asset,
  closed,
  decimalText,
  id,
  integer,
  nullable,
  text,
  time,
  Type,
  oneOf,
} from '../../http/index.ts'
import type { Static } from '../../http/index.ts'
import { NEED_KINDS } from './kinds.ts'

const MAXIMUM_REASON = 1_000
const count = () => Type.Integer({ minimum: 0 })

const OverviewAsset = closed(
  {
    asset: asset(),
    held: decimalText('At venues, by the books'),
    held_by_venues: nullable(
      decimalText('At venues, as each reported last; null when one of them does not report it'),
    ),
    owed: decimalText('To customers, all together'),
    transit: decimalText('Own transfers in flight between wallets'),
    pending_in: decimalText('Deposits that were seen and may still fail: not in the books yet'),
    pending_out: decimalText('Withdrawals of customers that have not ended: still in the books'),
    unassigned: decimalText("Arrived, or left, and nobody's yet"),
    house: decimalText('Own funds'),
    trading: decimalText('Unsettled trades: a positive amount is owed by us'),
    margin: decimalText(),
    risk: decimalText(),
    fee: decimalText('Costs of venues and networks'),
    rounding: decimalText(),
    income: decimalText('Income, by accounts that users opened'),
    expense: decimalText('Expenses, by accounts that users opened'),
    venues: Type.Array(
      closed({
        venue_id: id<VenueId>(),
        label: text(),
        held: decimalText('By the books'),
        reported: nullable(
          decimalText('As the venue reported last; null when it does not report it'),
        ),
        reported_at: nullable(time()),
      }),
      { description: 'Where it is held' },
    ),
  },
  { title: 'OverviewAsset' },
)

export const OverviewNeed = closed(
  {
    kind: oneOf(NEED_KINDS),
    title: text(),
    count: count(),
    oldest_at: nullable(time('null when nothing needs attention')),
    age_ms: integer(0, Number.MAX_SAFE_INTEGER, 'Of the oldest; 0 when there is none'),
    reasons: Type.Array(text(MAXIMUM_REASON), {
      description: 'Some of them, and why, where that can be said in a sentence',
    }),
    link: closed({
      list: text(500, 'The address of the list that shows them'),
      filter: Type.Unsafe<Record<string, string>>({
        type: 'object',
        additionalProperties: { type: 'string' },
        description: 'Its query',
      }),
    }),
  },
  { title: 'OverviewNeed' },
)

const moved = (description: string) =>
  nullable(
    Type.Array(closed({ asset: asset(), count: count(), quantity: decimalText() }), {
      description,
    }),
  )

export const OverviewShape = closed(
  {
    at: time(),
    from: time('The movements since then'),
    assets: nullable(
      Type.Array(OverviewAsset, {
        description: 'Only assets that are or were held; null without accounts.read',
      }),
    ),
    needs: Type.Array(OverviewNeed, {
      description:
        'What a person must look at, also what there is none of just now; only what the caller ' +
        'may see',
    }),
    movements: closed({
      deposits: moved('From outside; null without treasury.deposits.read'),
      withdrawals: moved('To outside; null without treasury.withdrawals.read'),
      transfers: moved('Between own wallets; null without treasury.withdrawals.read'),
      executions: nullable(
        Type.Array(
          closed({
            symbol: text(),
            base_asset: asset(),
            quote_asset: asset(),
            side: oneOf(['BUY', 'SELL']),
            count: count(),
            amount: decimalText('Filled, of the base asset'),
            volume: decimalText('Filled, of the quote asset'),
          }),
          { description: 'Executions with a fill; null without trading.executions.read' },
        ),
      ),
    }),
  },
  { title: 'Overview' },
)
export type Overview = Static<typeof OverviewShape>
export type OverviewNeed = Static<typeof OverviewNeed>
