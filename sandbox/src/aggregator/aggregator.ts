/**
 * A price aggregator that speaks CoinGecko's interface at /coingecko/api/v3, for holders of a
 * demo key. It knows how many coins circulate; prices it leaves to the exchanges, as null.
 *   GET  /control/coingecko          the coins
 *   POST /control/coingecko/coins    {id, circulating_supply}: a decimal text; null: not known
 * Faults `{venue: "coingecko", operation: "coins/markets"}`; REFUSE: too many requests.
 */
import { randomBytes } from 'node:crypto'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { tryAmount } from '../amount.ts'
import { credential } from '../credentials.ts'
import type { Part } from '../part.ts'
import { underFault } from '../under-fault.ts'
import type { Answer } from '../under-fault.ts'
import type { World } from '../world.ts'

const PART = 'coingecko'
const COINS = [
  {
    id: 'bitcoin',
    symbol: 'btc',
    name: 'Bitcoin',
    circulating_supply: '19950000',
    max_supply: '21000000',
  },
  {
    id: 'ethereum',
    symbol: 'eth',
    name: 'Ethereum',
    circulating_supply: '120700000.25',
    max_supply: null,
  },
  {
    id: 'ripple',
    symbol: 'xrp',
    name: 'XRP',
    circulating_supply: '60100000000',
    max_supply: '100000000000',
  },
  {
    id: 'usd-coin',
    symbol: 'usdc',
    name: 'USDC',
    circulating_supply: '74000000000',
    max_supply: null,
  },
  {
    id: 'litecoin',
    symbol: 'ltc',
    name: 'Litecoin',
    circulating_supply: '76500000',
    max_supply: '84000000',
  },
  {
    id: 'stellar',
    symbol: 'xlm',
    name: 'Stellar',
    circulating_supply: '32000000000',
    max_supply: '50001806812',
  },
] as const
const MOST_PER_PAGE = 250
const USUAL_PER_PAGE = 100
const RETRY_AFTER_SECONDS = 30

type Coin = {
  id: string
  symbol: string
  name: string
  circulating_supply: string | null
  max_supply: string | null
}
type Query = { vs_currency?: string; ids?: string; per_page?: string; page?: string }

export function openAggregator(world: World): Part {
  const { api_key } = JSON.parse(
    credential(
      world.dir,
      'coingecko.json',
      () => `${JSON.stringify({ api_key: `CG-${randomBytes(12).toString('hex')}` }, null, 2)}\n`,
    ),
  ) as { api_key: string }
  world.db.exec(
    `create table if not exists coingecko_coins (
      id text primary key,
      symbol text not null,
      name text not null,
      circulating_supply text,
      max_supply text
    )`,
  )
  const insert = world.db.prepare(
    `insert or ignore into coingecko_coins (id, symbol, name, circulating_supply, max_supply)
    values (?, ?, ?, ?, ?)`,
  )
  for (const { id, symbol, name, circulating_supply, max_supply } of COINS)
    insert.run(id, symbol, name, circulating_supply, max_supply)
  const select = world.db.prepare(`
    select id, symbol, name, circulating_supply, max_supply
    from coingecko_coins
    order by id`)
  const list = () => select.all() as Coin[]

  return {
    name: PART,
    mount(server) {
      server.get(`/${PART}/api/v3/ping`, (_request, reply) =>
        reply.send({ gecko_says: '(V3) To the Moon!' }),
      )
      server.get<{ Querystring: Query }>(`/${PART}/api/v3/coins/markets`, (request, reply) =>
        underFault({ world, venue: PART, operation: 'coins/markets', request, reply }, (refuse) =>
          refuse ? rateLimitAnswer() : markets(world, list, request, api_key),
        ),
      )
      mountControl(server, world, list)
    },
  }
}

function markets(
  world: World,
  list: () => Coin[],
  request: FastifyRequest<{ Querystring: Query }>,
  api_key: string,
): Answer {
  const { vs_currency, ids, per_page = String(USUAL_PER_PAGE), page = '1' } = request.query
  if (request.headers['x-cg-demo-api-key'] !== api_key)
    return refused(401, 10_002, 'API Key Missing')
  if (vs_currency === undefined)
    return { status: 422, body: { error: 'Missing parameter vs_currency' } }
  const [size, from] = [Math.min(MOST_PER_PAGE, Number(per_page)), Number(page) - 1]
  const wanted = ids?.split(',')
  const coins = list()
    .filter((coin) => wanted?.includes(coin.id) ?? true)
    .slice(size * from, size * (from + 1))
  world.received(PART, 'coins/markets', ids ?? '')
  return {
    status: 200,
    headers: { 'content-type': 'application/json; charset=utf-8' },
    body: `[${coins.map((coin) => text(coin, world.now())).join()}]`,
  }
}

function rateLimitAnswer(): Answer {
  return {
    ...refused(429, 429, "You've exceeded the Rate Limit."),
    headers: { 'retry-after': String(RETRY_AFTER_SECONDS) },
  }
}

const coinSchema = {
  body: {
    type: 'object',
    required: ['id', 'circulating_supply'],
    additionalProperties: false,
    properties: { id: { type: 'string' }, circulating_supply: { type: ['string', 'null'] } },
  },
}

function mountControl(server: FastifyInstance, world: World, list: () => Coin[]): void {
  const change = world.db.prepare('update coingecko_coins set circulating_supply = ? where id = ?')
  server.get(`/control/${PART}`, (_request, reply) => reply.send(list()))
  server.post<{ Body: { id: string; circulating_supply: string | null } }>(
    `/control/${PART}/coins`,
    { schema: coinSchema },
    (request, reply) => {
      const { id, circulating_supply } = request.body
      if (circulating_supply !== null && tryAmount(circulating_supply) === undefined)
        return reply.code(400).send({ error: 'circulating_supply is no amount' })
      if (change.run(circulating_supply, id).changes === 0)
        return reply.code(404).send({ error: 'no such coin' })
      return reply.send(list())
    },
  )
}

const refused = (status: number, error_code: number, error_message: string): Answer => ({
  status,
  body: { status: { error_code, error_message } },
})

/** Numbers with every digit they have. */
function text({ id, symbol, name, circulating_supply, max_supply }: Coin, now: number): string {
  const fields = {
    id,
    symbol,
    name,
    image: '',
    current_price: null,
    market_cap: null,
    market_cap_rank: null,
    total_volume: null,
    last_updated: new Date(now).toISOString(),
  }
  const supply = circulating_supply ?? 'null'
  const figures = [
    `"circulating_supply":${supply}`,
    `"total_supply":${supply}`,
    `"max_supply":${max_supply ?? 'null'}`,
  ]
  return `${JSON.stringify(fields).slice(0, -1)},${figures.join(',')}}`
}
