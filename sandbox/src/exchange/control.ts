/** The hand of the experimenter on an exchange, below /control/<its name>; a GET there tells what there is. */
import type { FastifyInstance, FastifyReply } from 'fastify'
import { STATUSES } from './exchange.ts'
import type { Exchange, Status } from './exchange.ts'
import { plain, tryFigure } from './figures.ts'
import type { MarketSettings } from './market.ts'
import { ORDER_ROUTES, mountOrderControl } from './order-control.ts'
import type { Asset, Pair } from './rules.ts'

type Fields = Record<string, unknown>

export const bad = (reply: FastifyReply, message: string) =>
  reply.code(400).send({ error: message })

/** `findAsset`, `findPair` read the exchange's own words too; `more` are routes and faults it has beyond these. */
export type Words = {
  findAsset(name: string): Asset | undefined
  findPair(name: string): Pair | undefined
  more: string[]
  faults: string
}

export function mountControl(
  server: FastifyInstance,
  exchange: Exchange,
  { findAsset, findPair, more, faults }: Words,
  setStatus: (status: Status) => void,
): void {
  const { rules, accounts, funding, market, matching } = exchange
  const root = `/control/${rules.part}`

  const marketView = (pair: Pair) => {
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

  server.get(root, async () => ({
    status: exchange.status(),
    routes: [
      'POST market {pair?, price?, frozen?, volatility_ppm?, spread_ppm?, depth?}',
      'GET market',
      'POST halt {status: online|maintenance|cancel_only|limit_only}',
      ...ORDER_ROUTES,
      'GET holdings',
      'POST fees {asset, fee}',
      'GET withdrawals',
      'POST withdrawals/:refid {action: hold|release|fail}',
      'GET deposits',
      'POST deposits/:refid/release',
      ...more,
    ].map((orderRoute) => orderRoute.replace(/^(\w+) /, `$1 ${root}/`)),
    faults: `${faults}; upgrade (DOWN or REFUSE: no websocket), websocket (DOWN: cut, TIMEOUT_AFTER_ACCEPT: silent), book (REFUSE: an update is lost, TWICE), crossed (REFUSE: one book bids more than it asks)`,
    funding: rules.assets.map((asset) => ({ asset: asset.common, ...funding.address(asset) })),
    wire_reference: funding.reference,
  }))
  server.get(`${root}/market`, async () => rules.pairs.map(marketView))
  server.post<{ Body: Fields }>(`${root}/market`, async (request, reply) => {
    const {
      pair: name,
      price,
      frozen,
      volatility_ppm,
      spread_ppm,
      depth,
      ...unknown
    } = request.body ?? {}
    if (Object.keys(unknown).length > 0)
      return bad(reply, `unknown field ${Object.keys(unknown).join(', ')}`)
    const pairs = name === undefined ? [...rules.pairs] : [findPair(String(name))]
    const change: Partial<MarketSettings> = {}
    if (price !== undefined) {
      const value = typeof price === 'string' ? tryFigure(price) : undefined
      if (value === undefined || value === 0n || name === undefined)
        return bad(reply, 'price is a decimal string and needs a pair')
      change.price = value
    }
    if (frozen !== undefined) {
      if (typeof frozen !== 'boolean') return bad(reply, 'frozen is true or false')
      change.frozen = frozen
    }
    const whole: [
      keyof MarketSettings & ('volatility_ppm' | 'spread_ppm' | 'depth'),
      unknown,
      number,
    ][] = [
      ['volatility_ppm', volatility_ppm, 500_000],
      ['spread_ppm', spread_ppm, 500_000],
      ['depth', depth, 1000],
    ]
    for (const [field, value, greatest] of whole) {
      if (value === undefined) continue
      if (typeof value !== 'number' || !Number.isInteger(value) || value < 0 || value > greatest)
        return bad(reply, `${field} is an integer from 0 to ${greatest}`)
      change[field] = value
    }
    for (const pair of pairs) {
      if (pair === undefined) return bad(reply, 'no such pair')
      market.change(pair, change)
    }
    return pairs.map((pair) => marketView(pair as Pair))
  })
  server.post<{ Body: Fields }>(`${root}/halt`, async (request, reply) => {
    const status = STATUSES.find((status) => status === (request.body?.['status'] ?? 'maintenance'))
    if (status === undefined) return bad(reply, `status is one of ${STATUSES.join(', ')}`)
    setStatus(status)
    return { status }
  })
  mountOrderControl(server, exchange, root, findPair)
  server.get(`${root}/holdings`, async () => accounts.all())
  server.post<{ Body: Fields }>(`${root}/fees`, async (request, reply) => {
    const asset = findAsset(String(request.body?.['asset']))
    const fee = tryFigure(String(request.body?.['fee']))
    if (asset === undefined || fee === undefined) return bad(reply, 'asset and fee are needed')
    funding.setFee(asset, plain(fee))
    return { asset: asset.common, fee: plain(fee) }
  })
  server.get(`${root}/withdrawals`, async () => funding.withdrawals({ limit: 1000 }))
  server.post<{ Params: { refid: string }; Body: Fields }>(
    `${root}/withdrawals/:refid`,
    async (request, reply) => {
      const action = (['hold', 'release', 'fail'] as const).find(
        (each) => each === request.body?.['action'],
      )
      if (action === undefined) return bad(reply, 'action is hold, release or fail')
      if (!funding.decide(request.params.refid, action))
        return bad(reply, 'there is no such withdrawal that waits')
      return { done: true }
    },
  )
  server.get(`${root}/deposits`, async () => funding.deposits({ limit: 1000 }))
  server.post<{ Params: { refid: string } }>(
    `${root}/deposits/:refid/release`,
    async (request, reply) => {
      if (!funding.releaseDeposit(request.params.refid))
        return bad(reply, 'there is no such deposit on hold')
      return { done: true }
    },
  )
}
