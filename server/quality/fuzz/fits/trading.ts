/** Quotes and executions. */
import { newId } from '../../../src/core/ids.ts'
import type { Author } from '../author.ts'
import type { JsonRecord } from '../known-records.ts'
import { generousCustomer, known, parameterOf } from './fit.ts'
import type { Fits } from './fit.ts'

/** Trades are those of a trading service. */
const tradingService = (author: Author): Record<string, string> | undefined => {
  const services = (venue: JsonRecord | undefined) =>
    (venue?.['services'] ?? []) as { id: string; type: string }[]
  const venue = known(author, 'venue_id', (one) => services(one).some(isTrading))
  return parameterOf('service_id', services(venue).find(isTrading)?.id)
}
const isTrading = ({ type }: { type: string }): boolean => type === 'TOMS'

export const TRADING: Fits = {
  'GET /toms/:service_id/fills': (_body, author) => tradingService(author),
  'GET /toms/:service_id/fills/totals': (_body, author) => tradingService(author),
  'DELETE /executions/:execution_id': (_body, author) =>
    parameterOf(
      'execution_id',
      known(author, 'execution_id', (record) => record['state'] === 'WAITING_FOR_TRIGGER')?.['id'],
    ),
  'POST /executions/:execution_id/recheck': (_body, author) =>
    parameterOf(
      'execution_id',
      known(author, 'execution_id', (record) => record['state'] === 'PROCESSING')?.['id'],
    ),
  'POST /executions/:execution_id/resolve': (body, author) => {
    for (const name of ['foreign_id', 'fills', 'version']) delete body[name]
    return parameterOf(
      'execution_id',
      known(author, 'execution_id', (record) => record['state'] === 'UNKNOWN')?.['id'],
    )
  },
  'POST /price-stream/quotes': (body, author) => {
    const { draws } = author
    Object.assign(body, {
      route_id: tradeRoute(author),
      customer_id: known(author, 'customer_id')?.['id'] ?? newId(),
      request_asset: draws.once(20) ? 'XRP' : draws.pick(['BTC', 'BTC', 'EUR']),
      request_quantity: draws.pick(['0.01', '1', '50']),
    })
    delete body['margin']
  },
  'POST /executions': (body, author) => {
    const { draws, own } = author
    // The older ones have expired.
    const quote = draws.once(2)
      ? own.newest('quote_id', (record) => record['request_asset'] === 'BTC')
      : undefined
    const customer = quote?.['customer_id'] ?? generousCustomer(author)?.['id'] ?? newId()
    for (const name of Object.keys(body)) delete body[name]
    const kind =
      quote !== undefined || draws.once(2)
        ? { execution_type: 'MARKET' }
        : draws.pick<JsonRecord>([
            {
              execution_type: 'LIMIT',
              price: draws.pick(['30000', '90000']),
              tif_mode: draws.pick(['GTC', 'IOC', 'FOK']),
            },
            {
              execution_type: 'STOP_MARKET',
              price: '30000',
              stop_order_condition: draws.pick(['STOP_LOSS', 'TAKE_PROFIT']),
            },
            { execution_type: 'MARKET', mode: 'VOLUME', volume: '1000', amount: undefined },
          ])
    Object.assign(body, {
      route_id: tradeRoute(author),
      side: draws.pick(['BUY', 'SELL']),
      amount: quote?.['request_quantity'] ?? '0.01',
      customers: [{ customer_id: customer }],
      ...kind,
      ...(quote === undefined ? {} : { quote_id: quote['id'] }),
    })
  },
}

const tradeRoute = (author: Author) =>
  known(author, 'route_id', (record) => record['symbol'] !== undefined)?.['id'] ?? newId()
