/**
 * Pages of 100 of every list, with its main filters, the first page and one from the middle: p99
 * with 10⁶ rows beside 10⁴. Two services of their own, each on a database of its own beside the
 * other in one server, asked in turns; the rows are made set-wise.
 */
import { execFile, spawn } from 'node:child_process'
import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import pg from 'pg'
import { GROUPS } from './lists/groups.ts'
import type { List } from './lists/groups.ts'
import { empty, fill, FILLS, openRows } from './lists/rows.ts'
import { get, run } from './load.ts'
import type { Measurement } from './load.ts'
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
type Line = { name: string; few: Measurement; many: Measurement; rows: string; ratio: number }

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
    const rounds: [Measurement[], Measurement[]] = [[], []]
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
    ) as [Measurement, Measurement]
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

const programOf = (name: string): string =>
  fileURLToPath(new URL(`../../server/src/${name}.ts`, import.meta.url))

async function openWorld(databaseUrl: string, n: number): Promise<World> {
  const database = `bench_lists_${n}`
  await asSuperuser(databaseUrl, [
    `drop database if exists ${database} with (force)`,
    `create database ${database}`,
  ])
  const url = new URL(databaseUrl)
  url.pathname = `/${database}`
  const env = { PATH: process.env['PATH'] ?? '', DATABASE_URL: url.href }
  await promisify(execFile)(process.execPath, [programOf('preparation')], {
    env: { ...env, KONTOR_ADMIN_PASSWORD: PASSWORD },
  })
  const child = spawn(process.execPath, [programOf('main')], {
    env: {
      ...env,
      KONTOR_ROLE: 'api',
      KONTOR_PARENT: 'stdin',
      PORT: '0',
      LOG_LEVEL: 'error',
    },
    stdio: ['pipe', 'pipe', 'inherit'],
  })
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
