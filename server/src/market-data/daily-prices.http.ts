import type { Clock } from '../core/clock.ts'
import {
  closed,
  endpoint,
  listEndpoint,
  queryAsset,
  queryDay,
  queryInteger,
  Type,
} from '../http/index.ts'
import type { Endpoint } from '../http/index.ts'
import type { Db } from '../store/db.ts'
import { DailyPriceRecord, EnterDailyPrice, PriceDay } from './daily-prices.schema.ts'
import { enterDailyPrice, listDailyPrices, priceDays } from './daily-prices.ts'

const MOST_DAYS = 366
const USUAL_DAYS = 31

const tag = 'Market data'

export function dailyPricesEndpoints({ db, clock }: { db: Db; clock: Clock }): Endpoint[] {
  return [
    listEndpoint({
      operation_id: 'listDailyPrices',
      path: '/market-data/daily-prices',
      origin: { ours: 'positions and trades are valued at prices that stay' },
      tag,
      summary: 'List the prices of days',
      description:
        'What each pair cost at the end of each day (UTC), newest first: the last mid of the ' +
        'order book of each venue, taken once, and what people entered. All of them stay.',
      permission: 'market-data.read',
      query: closed({ day: queryDay(), base_asset: queryAsset(), quote_asset: queryAsset() }),
      data: DailyPriceRecord,
      list: ({ query, principal }) => listDailyPrices(principal.workspace, query),
    }),
    endpoint({
      method: 'GET',
      operation_id: 'listPriceDays',
      path: '/market-data/daily-prices/days',
      origin: { ours: 'a day without prices is seen before anything is valued at it' },
      tag,
      summary: 'Which days have prices',
      description:
        'The last `days` days (31 by default) up to `day` (today by default), newest first. ' +
        'Refused: RANGE for a day in the future.',
      permission: 'market-data.read',
      effect: 'read',
      read_cost: 400,
      query: closed({ day: queryDay(), days: queryInteger(1, MOST_DAYS) }),
      data: Type.Array(PriceDay),
      handle: ({ query: { day, days = USUAL_DAYS }, principal }) =>
        priceDays({ db, clock }, principal.workspace, { day, days }),
    }),
    endpoint({
      method: 'POST',
      operation_id: 'enterDailyPrice',
      path: '/market-data/daily-prices',
      origin: { ours: 'a price that no venue has told is entered, with its source' },
      tag,
      summary: 'Enter the price of a day by hand',
      description:
        'It counts instead of those of venues and of what was entered before, which stay. ' +
        'Refused: RANGE for a day that is not over, UNKNOWN_ASSET, CONFLICT for one asset ' +
        'in itself.',
      permission: 'market-data.daily-prices.enter',
      effect: 'transaction',
      body: EnterDailyPrice,
      example: {
        day: '2026-11-30',
        base_asset: 'EUR',
        quote_asset: 'USD',
        price: '1.0573',
        source: 'Reference rate of the ECB of that day',
      },
      data: DailyPriceRecord,
      handle: ({ body, caller }, tx) => enterDailyPrice(caller, { tx, clock }, body),
    }),
  ]
}
