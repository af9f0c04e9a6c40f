/**
 * Pages of 100 of every list, with its main filters, the first page and one from the middle: p99
 * with 10⁶ rows beside 10⁴. Two services of their own, each on a database of its own beside the
 * other in one server, asked in turns; the rows are made set-wise.
 */
import { spawn } from 'node:child_process'
import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import pg from 'pg'
import { empty, fill, FILLS, openRows } from './list-rows.ts'
import type { Filled } from './list-rows.ts'
import { get, run } from './load.ts'
import type { Measured } from './load.ts'
import { connectTo } from './report.ts'
import type { Api } from './report.ts'

const ROUNDS = Number(process.env['BENCH_ROUNDS'] ?? 10)
const SECONDS = Number(process.env['BENCH_SECONDS'] ?? 0.3)
const SIZES = [
  Number(process.env['BENCH_FEW'] ?? 10_000),
  Number(process.env['BENCH_MANY'] ?? 1_000_000),
] as const
const BAR = 1.5
const PASSWORD = 'bench-password-of-this-run'
const PAGE = 100

type World = {
  n: number
  port: number
  api: Api
  process: ChildProcess
  rows: Awaited<ReturnType<typeof openRows>>
  database: string
}
type Ids = (kind: Parameters<World['rows']['idAt']>[0], i: number) => Promise<string>
/**
 * `queries` beside the plain list; `deep`: the key of the row in the middle, unless the list is one
 * of few rows.
 */
type List = {
  path(id: Ids, n: number): Promise<string> | string
  queries?: (id: Ids, n: number) => Promise<string[]>
  deep?: (id: Ids, n: number) => Promise<string> | string
}
type Group = { fills: Filled[]; lists: Record<string, List> }

const middle = (kind: Parameters<Ids>[0]) => (id: Ids, n: number) => id(kind, n / 2)
/** So much of the ninety days after their beginning. */
const day = (share: number) => Math.floor(Date.now() - 90 * 86_400_000 * (1 - share))
const words =
  (...queries: string[]) =>
  async () =>
    queries
const window = (from: string, to: string) => words(`${from}=${day(0.48)}&${to}=${day(0.52)}`)
const several =
  (...parts: ((id: Ids, n: number) => Promise<string[]>)[]) =>
  async (id: Ids, n: number) =>
    (await Promise.all(parts.map((part) => part(id, n)))).flat()

const GROUPS: Group[] = [
  {
    fills: ['users'],
    lists: {
      '/users': {
        path: () => '/users',
        queries: words('state=ACTIVE', 'state=DISABLED', 'email=bench77@example.org'),
        deep: middle('other'),
      },
    },
  },
  {
    fills: [],
    lists: {
      '/customers': {
        path: () => '/customers',
        queries: words('state=ACTIVE', 'state=DELETED'),
        deep: middle('customer'),
      },
      '/accounts': { path: () => '/accounts', deep: middle('account') },
    },
  },
  {
    fills: ['deposits', 'deposit_assignments', 'deposit_rectifications'],
    lists: {
      '/treasury/deposits': {
        path: () => '/treasury/deposits',
        queries: several(
          words('state=SUCCESSFUL', 'state=PENDING', 'foreign_id=D777'),
          window('system_created_at_from', 'system_created_at_to'),
        ),
        deep: middle('deposit'),
      },
      '/treasury/deposits/:id/assignments': {
        path: async (id, n) => `/treasury/deposits/${await id('deposit', n / 2)}/assignments`,
      },
      '/treasury/deposits/:id/rectifications': {
        path: async (id, n) => `/treasury/deposits/${await id('deposit', n / 2)}/rectifications`,
      },
      '/treasury/account/:id/deposits/assignments': {
        path: async (id) => `/treasury/account/${await id('account', 7)}/deposits/assignments`,
        deep: middle('other'),
      },
    },
  },
  {
    fills: ['withdrawals', 'withdrawal_assignments', 'withdrawal_rectifications'],
    lists: {
      '/treasury/withdrawals': {
        path: () => '/treasury/withdrawals',
        queries: words('state=SUCCESS', 'state=PENDING', 'stuck=true', 'stuck=false'),
        deep: middle('withdrawal'),
      },
      '/treasury/withdrawals/:id/assignments': {
        path: async (id, n) => `/treasury/withdrawals/${await id('withdrawal', n / 2)}/assignments`,
      },
      '/treasury/withdrawals/:id/rectifications': {
        path: async (id, n) =>
          `/treasury/withdrawals/${await id('withdrawal', n / 2)}/rectifications`,
      },
      '/treasury/account/:id/withdrawals/assignments': {
        path: async (id) => `/treasury/account/${await id('account', 7)}/withdrawals/assignments`,
        deep: middle('other'),
      },
    },
  },
  {
    fills: ['wallets', 'routes', 'jobs', 'schedules', 'runs', 'matchings'],
    lists: {
      '/treasury/wallets': {
        path: () => '/treasury/wallets',
        queries: several(
          words('address=bc1q777', 'reference_text=R777', 'foreign_id=F777'),
          async (id) => [
            `customer_id=${await id('customer', 7)}`,
            `venue_id=${await id('venue', 2)}`,
          ],
        ),
        deep: middle('wallet'),
      },
      '/treasury/wallets/routes': {
        path: () => '/treasury/wallets/routes',
        queries: several(words('protocol=BTC'), async (id) => [
          `from_wallet_id=${await id('wallet', 70)}`,
          `to_wallet_id=${await id('wallet', 777)}`,
        ]),
        deep: middle('route'),
      },
      '/accounts/matchings': {
        path: () => '/accounts/matchings',
        queries: async (id) => [`account_id=${await id('account', 7)}`],
        deep: middle('other'),
      },
      '/treasury/jobs': {
        path: () => '/treasury/jobs',
        queries: words('state=ACTIVE'),
        deep: middle('job'),
      },
      '/treasury/jobs/:id/runs': {
        path: async (id) => `/treasury/jobs/${await id('job', 7)}/runs`,
        deep: middle('other'),
      },
    },
  },
  {
    fills: ['batches', 'bookings', 'debits', 'credits', 'events', 'mails'],
    lists: {
      '/bookings': {
        path: () => '/bookings',
        deep: (_id, n) => String(n / 2),
        queries: several(
          words('type=EXECUTION', 'type=MANUAL'),
          window('from', 'to'),
          async (id) => [
            `account_id=${await id('account', 7)}`,
            `account_id=${await id('account', 5_000)}`,
            `account_id=${await id('account', 7)}&type=DEPOSIT`,
            `reference_id=${await id('execution', 77)}`,
          ],
        ),
      },
      '/bookings/accounts/:id/statement': {
        path: async (id) =>
          `/bookings/accounts/${await id('account', 7)}/statement?from=${day(0.02)}`,
        queries: words('assets=EUR'),
      },
      '/events': {
        path: () => '/events',
        queries: several(
          words('type=withdrawal.failed', 'type=deposit.assigned,execution.filled'),
          async (id, n) => [`after=${n}`, `resource_id=${await id('deposit', 77)}`],
        ),
        deep: (_id, n) => String(n),
      },
      '/mails': {
        path: () => '/mails',
        queries: several(words('state=SENT', 'state=PENDING'), async (id) => [
          `customer_id=${await id('customer', 7)}`,
        ]),
        deep: middle('other'),
      },
    },
  },
  {
    fills: [
      'price_routes',
      'quotes',
      'executions',
      'execution_customers',
      'orders',
      'fills',
      'settlements',
    ],
    lists: {
      '/price-stream/routes': { path: () => '/price-stream/routes', deep: middle('price_route') },
      '/price-stream/quotes': { path: () => '/price-stream/quotes', deep: middle('quote') },
      '/executions': {
        path: () => '/executions',
        queries: several(
          words('state=DONE', 'state=PROCESSING', 'stuck=true', 'stuck=false', 'client_ref=ref777'),
          window('created_at_from', 'created_at_to'),
          async (id) => [`customer_id=${await id('customer', 7)}`],
        ),
        deep: middle('execution'),
      },
      '/executions/:id/orders': {
        path: async (id, n) => `/executions/${await id('execution', n / 2)}/orders`,
      },
      '/executions/:id/orders/fills': {
        path: async (id, n) => `/executions/${await id('execution', n / 2)}/orders/fills`,
      },
      '/toms/:id/fills': {
        path: async (id) => `/toms/${await id('service', 1)}/fills`,
        queries: window('from', 'to'),
        deep: middle('fill'),
      },
      '/settlements': {
        path: () => '/settlements',
        queries: words('state=SETTLED', 'state=PREPARING'),
        deep: middle('settlement'),
      },
      '/settlements/:id/fills': {
        path: async (id) => `/settlements/${await id('settlement', 1)}/fills`,
        deep: middle('fill'),
      },
      '/settlements/:id/available-fills': {
        path: async (id) =>
          `/settlements/${await id('settlement', 1)}/available-fills?venue_id=` +
          `${await id('venue', 2)}`,
        deep: middle('fill'),
      },
    },
  },
  {
    fills: ['breaks', 'halts'],
    lists: {
      '/desk/breaks': {
        path: () => '/desk/breaks',
        queries: several(
          words('state=CLOSED', 'state=OPEN', 'asset=EUR', 'cause=FEE'),
          async (id) => [`venue_id=${await id('venue', 2)}`],
        ),
        deep: middle('other'),
      },
      '/desk/halts': {
        path: () => '/desk/halts',
        queries: words('state=RELEASED'),
        deep: middle('other'),
      },
    },
  },
  { fills: [], lists: { '/venues': { path: () => '/venues', deep: middle('venue') } } },
]

type Line = { name: string; few: Measured; many: Measured; rows: string; ratio: number }

export async function lists(
  databaseUrl: string,
  only: string | undefined,
): Promise<{ name: string; ratio: number; bar: string; met: boolean }[]> {
  const worlds: World[] = []
  const lines: Line[] = []
  try {
    for (const n of SIZES) worlds.push(await openWorld(databaseUrl, n))
    for (const world of worlds) await base(world)
    process.stdout.write(
      `\npages of ${PAGE}: p99 with ${SIZES[1]} rows ÷ with ${SIZES[0]}\n` +
        `${'list'.padEnd(90)}${'rows'.padStart(9)}${'p50 ms'.padStart(9)}` +
        `${'p99 ms'.padStart(9)}${'p50 ms'.padStart(9)}${'p99 ms'.padStart(9)}` +
        `${'ratio'.padStart(8)}\n`,
    )
    for (const group of GROUPS) {
      const wanted = Object.entries(group.lists).filter(
        ([name]) => only?.split(',').some((beginning) => name.startsWith(beginning)) ?? true,
      )
      if (wanted.length === 0) continue
      for (const world of worlds)
        for (const name of group.fills)
          await fill(world.rows.db, world.rows.workspace, FILLS[name], world.n)
      // What was filled in is on the disk before anything is measured.
      await worlds[0]?.rows.db.query('checkpoint')
      for (const [name, list] of wanted)
        lines.push(...(await measureList(name, list, worlds as [World, World])))
      for (const world of worlds)
        for (const name of group.fills) await empty(world.rows.db, FILLS[name].table)
    }
  } finally {
    for (const world of worlds) await close(world, databaseUrl)
  }
  const worst = lines.toSorted((a, b) => b.ratio - a.ratio)[0]
  if (worst === undefined) throw new Error(`there is no list ${only}`)
  return [
    {
      name: `p99 of ${lines.length} pages of lists, the worst: ${worst.name}`,
      ratio: worst.ratio,
      bar: `≤ ${BAR}`,
      met: worst.ratio <= BAR,
    },
  ]
}

async function measureList(
  name: string,
  list: List,
  worlds: readonly [World, World],
): Promise<Line[]> {
  const plans = await Promise.all(
    worlds.map(async ({ rows: { idAt }, n }) => {
      const path = await list.path(idAt, n)
      const cursor =
        list.deep === undefined
          ? undefined
          : Buffer.from(await list.deep(idAt, n)).toString('base64url')
      return ['', ...((await list.queries?.(idAt, n)) ?? [])].flatMap((query) => {
        const url =
          `${path}${path.includes('?') ? '&' : '?'}limit=${PAGE}` +
          `${query === '' ? '' : `&${query}`}`
        return [
          { name: query, url },
          ...(cursor === undefined
            ? []
            : [{ name: `${query} from the middle`.trim(), url: `${url}&cursor=${cursor}` }]),
        ]
      })
    }),
  )
  const lines: Line[] = []
  for (const [index, { name: variant }] of (plans[1] ?? []).entries()) {
    const urls = plans.map((plan) => plan[index]?.url ?? '')
    const counts = await Promise.all(
      worlds.map(
        async ({ api }, which) => (await api.call<unknown[]>('GET', urls[which] ?? '')).length,
      ),
    )
    const rounds: [Measured[], Measured[]] = [[], []]
    for (let round = 0; round < ROUNDS; round += 1) {
      for (const which of [0, 1] as const) {
        const { port, api } = worlds[which]
        const measured = await run({
          host: '127.0.0.1',
          port,
          connections: 1,
          seconds: SECONDS,
          request: () => get(`/api${urls[which]}`, api.token(), `127.0.0.1:${port}`),
        })
        if (measured.failed > 0)
          throw new Error(`${urls[which]}: ${measured.failed} requests were not answered with 200`)
        rounds[which].push(measured)
      }
    }
    const [few, many] = rounds.map(
      (round) => round.toSorted((a, b) => a.p99_ms - b.p99_ms)[Math.floor(round.length / 2)],
    ) as [Measured, Measured]
    const line = {
      name: `${name} ${variant}`.trim().replaceAll(/[0-9a-f]{8}-[0-9a-f-]{27}/g, '…'),
      few,
      many,
      rows: counts.join('/'),
      ratio: many.p99_ms / few.p99_ms,
    }
    lines.push(line)
    const figures = [few.p50_ms, few.p99_ms, many.p50_ms, many.p99_ms]
      .map((figure) => figure.toFixed(2).padStart(9))
      .join('')
    process.stdout.write(
      `${line.name.padEnd(90)}${line.rows.padStart(9)}${figures}` +
        `${line.ratio.toFixed(2).padStart(8)}${line.ratio > BAR ? '  MISSED' : ''}\n`,
    )
  }
  return lines
}

async function openWorld(databaseUrl: string, n: number): Promise<World> {
  const database = `bench_lists_${n}`
  await asSuperuser(databaseUrl, [
    `drop database if exists ${database} with (force)`,
    `create database ${database}`,
  ])
  const url = new URL(databaseUrl)
  url.pathname = `/${database}`
  const child = spawn(
    process.execPath,
    [fileURLToPath(new URL('../../server/src/main.ts', import.meta.url))],
    {
      env: {
        PATH: process.env['PATH'] ?? '',
        DATABASE_URL: url.href,
        KONTOR_ROLE: 'api',
        KONTOR_PARENT: 'stdin',
        KONTOR_ADMIN_PASSWORD: PASSWORD,
        PORT: '0',
        LOG_LEVEL: 'error',
      },
      stdio: ['pipe', 'pipe', 'inherit'],
    },
  )
  const [line] = (await once(createInterface({ input: child.stdout }), 'line')) as [string]
  const { port } = JSON.parse(line) as { port: number }
  const api = await connectTo({
    host: '127.0.0.1',
    port,
    email: 'admin@kontor.local',
    password: PASSWORD,
  })
  return { n, port, api, process: child, rows: await openRows(url.href, n), database }
}

/** Who and where: in every group. */
async function base({ rows: { db, workspace }, n }: World): Promise<void> {
  for (const name of ['customers', 'accounts', 'venues', 'services'] as const)
    await fill(db, workspace, FILLS[name], n)
}

async function close(
  { rows, process: child, database }: World,
  databaseUrl: string,
): Promise<void> {
  await rows.db.end()
  child.kill('SIGTERM')
  if (child.exitCode === null) await once(child, 'exit')
  await asSuperuser(databaseUrl, [`drop database if exists ${database} with (force)`])
}

async function asSuperuser(url: string, statements: string[]): Promise<void> {
  const db = new pg.Client({ connectionString: url })
  await db.connect()
  for (const statement of statements) await db.query(statement)
  await db.end()
}
