/**
 * The control routes of an exchange, below /control/<its name>. A GET there lists what can be done.
 */
import type { FastifyInstance } from 'fastify'
import { bad } from './bad-request.ts'
import { STATUSES } from './exchange.ts'
import type { Exchange, Status } from './exchange.ts'
import { plain, tryFigure } from './figures.ts'
import type { MarketSettings } from './markets.ts'
import { ORDER_ROUTES, mountOrderControl } from './order-control.ts'
import type { Asset, Pair } from './rules.ts'

type Fields = Record<string, unknown>
type ByRefid = { Params: { refid: string }; Body: Fields }

/** `findAsset` and `findPair` also know the exchange's own names. */
type Face = {
  findAsset(name: string): Asset | undefined
  findPair(name: string): Pair | undefined
  /** Routes that this exchange has beyond the common ones. */
  moreRoutes: string[]
  /** The operations for which faults can be set. */
  faults: string
  setStatus(status: Status): void
}

const ROUTES = [
  'POST market {pair?, price?, frozen?, volatility_ppm?, spread_ppm?, depth?}',
  'GET market',
  'POST halt {status: online|maintenance|cancel_only|limit_only}',
  ...ORDER_ROUTES,
  'GET holdings',
  'POST fees {asset, fee}',
  'GET withdrawals',
  'POST withdrawals/:refid {action: hold|release|fail|return}',
  'GET deposits',
  'POST deposits/:refid/release',
  'POST deposits/:refid/return',
]
const STREAM_FAULTS = [
  'upgrade (DOWN or REFUSE: no websocket)',
  'websocket (DOWN: cut, TIMEOUT_AFTER_ACCEPT: silent)',
  'book (REFUSE: an update is lost, TWICE)',
  'crossed (REFUSE: one book bids more than it asks)',
]
const LISTED = 1_000
/** The greatest value of each whole number among the market's settings. */
const GREATEST = { volatility_ppm: 500_000, spread_ppm: 500_000, depth: 1000 } as const

export function mountControl(server: FastifyInstance, exchange: Exchange, face: Face): void {
  const { rules, accounts, funding } = exchange
  const root = `/control/${rules.part}`
  server.get(root, async () => ({
    status: exchange.status(),
    routes: [...ROUTES, ...face.moreRoutes].map((route) => route.replace(/^(\w+) /, `$1 ${root}/`)),
    faults: `${face.faults}; ${STREAM_FAULTS.join(', ')}`,
    funding: rules.assets.map((asset) => ({ asset: asset.common, ...funding.address(asset) })),
    wire_reference: funding.reference,
  }))
  mountMarket(server, exchange, root, face)
  mountOrderControl(server, exchange, root, face.findPair)
  server.get(`${root}/holdings`, async () => accounts.all())
  mountFunding(server, exchange, root, face)
}

function mountMarket(
  server: FastifyInstance,
  { rules, market, matching }: Exchange,
  root: string,
  { findPair, setStatus }: Face,
): void {
  const view = (pair: Pair) => {
    const { price, ...rest } = market.settings(pair)
    const { bids, asks } = matching.book(pair)
    return {
      pair: pair.symbol,
      price: plain(price),
      ...rest,
      bid: plain(bids[0]?.price ?? 0n),
      ask: plain(asks[0]?.price ?? 0n),
    }
  }
  server.get(`${root}/market`, async () => rules.pairs.map(view))
  server.post<{ Body: Fields }>(`${root}/market`, async (request, reply) => {
    const { pair: name, ...fields } = request.body ?? {}
    const change = readMarketChange(fields, name !== undefined)
    if ('error' in change) return bad(reply, change.error)
    const pairs = name === undefined ? [...rules.pairs] : [findPair(String(name))]
    if (pairs[0] === undefined) return bad(reply, 'no such pair')
    const listed = pairs.filter((pair) => pair !== undefined)
    for (const pair of listed) market.change(pair, change)
    return listed.map(view)
  })
  server.post<{ Body: Fields }>(`${root}/halt`, async (request, reply) => {
    const wanted = request.body?.['status'] ?? 'maintenance'
    const status = STATUSES.find((known) => known === wanted)
    if (status === undefined) return bad(reply, `status is one of ${STATUSES.join(', ')}`)
    setStatus(status)
    return { status }
  })
}

function readMarketChange(
  fields: Fields,
  hasPair: boolean,
): Partial<MarketSettings> | { error: string } {
  const { price, frozen, volatility_ppm, spread_ppm, depth, ...unknown } = fields
  if (Object.keys(unknown).length > 0)
    return { error: `unknown field ${Object.keys(unknown).join(', ')}` }
  const change: Partial<MarketSettings> = {}
  if (price !== undefined) {
    const value = typeof price === 'string' ? tryFigure(price) : undefined
    if (value === undefined || value === 0n || !hasPair)
      return { error: 'price is a decimal string and needs a pair' }
    change.price = value
  }
  if (frozen !== undefined) {
    if (typeof frozen !== 'boolean') return { error: 'frozen is true or false' }
    change.frozen = frozen
  }
  for (const [name, value] of Object.entries({ volatility_ppm, spread_ppm, depth })) {
    const field = name as keyof typeof GREATEST
    if (value === undefined) continue
    if (!isWholeNumber(value, GREATEST[field]))
      return { error: `${field} is an integer from 0 to ${GREATEST[field]}` }
    change[field] = value
  }
  return change
}

function isWholeNumber(value: unknown, greatest: number): value is number {
  return typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= greatest
}

function mountFunding(
  server: FastifyInstance,
  { funding }: Exchange,
  root: string,
  { findAsset }: Face,
): void {
  server.post<{ Body: Fields }>(`${root}/fees`, async (request, reply) => {
    const asset = findAsset(String(request.body?.['asset']))
    const fee = tryFigure(String(request.body?.['fee']))
    if (asset === undefined || fee === undefined) return bad(reply, 'asset and fee are needed')
    funding.setFee(asset, plain(fee))
    return { asset: asset.common, fee: plain(fee) }
  })
  server.get(`${root}/withdrawals`, async () => funding.withdrawals({ limit: LISTED }))
  server.post<ByRefid>(`${root}/withdrawals/:refid`, async (request, reply) => {
    const wanted = request.body?.['action']
    const action = (['hold', 'release', 'fail', 'return'] as const).find(
      (known) => known === wanted,
    )
    if (action === undefined) return bad(reply, 'action is hold, release, fail or return')
    const { refid } = request.params
    if (!(action === 'return' ? funding.comeBack(refid) : funding.decide(refid, action)))
      return bad(reply, 'there is no such withdrawal that waits')
    return { done: true }
  })
  server.get(`${root}/deposits`, async () => funding.deposits({ limit: LISTED }))
  server.post<ByRefid>(`${root}/deposits/:refid/release`, async (request, reply) => {
    if (!funding.releaseDeposit(request.params.refid))
      return bad(reply, 'there is no such deposit on hold')
    return { done: true }
  })
  server.post<ByRefid>(`${root}/deposits/:refid/return`, async (request, reply) => {
    if (!funding.takeBackDeposit(request.params.refid))
      return bad(reply, 'there is no such deposit that was credited')
    return { done: true }
  })
}
