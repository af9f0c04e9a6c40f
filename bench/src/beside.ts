/**
 * POST /bookings beside what could slow it: many assets, descriptions that are searched, readers of
 * large lists, a snapshot that stays open, the verification of the books. Interleaved rounds, and
 * each case against the bookings alone of its own round.
 */
import { spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import pg from 'pg'
import { get, post, run } from './load.ts'
import type { Measurement } from './load.ts'
import { connectTo, table } from './report.ts'
import type { Api, Service } from './report.ts'

const ROUNDS = Number(process.env['BENCH_ROUNDS'] ?? 5)
const SECONDS = Number(process.env['BENCH_SECONDS'] ?? 4)
const CONNECTIONS = 256
const ACCOUNTS = 1000
const READERS = 8
const COMMANDS = fileURLToPath(new URL('../../tools/setup/command.mjs', import.meta.url))
const WORDS = ['coupon', 'custody', 'invoice', 'margin', 'monthly', 'premium', 'rebate', 'rent']

type Bar = { name: string; ratio: number; bar: string; met: boolean }
type Booking = { asset: string; description?: string }
/** Stops what runs beside, and says what it did. Throws when it did not do what it is for. */
type Beside = { stop(): Promise<string> }
type Case = { name: string; at_least: number; booking(): Booking; begin?: () => Promise<Beside> }
type World = { service: Service; databaseUrl: string; api: Api }

export async function beside(service: Service, databaseUrl: string): Promise<Bar[]> {
  const api = await connectTo(service)
  const world = { service, databaseUrl, api }
  const requestOf = await requestsOf(world)
  const cases = await casesOf(world)
  const alone = { name: 'alone', at_least: 0, booking: inEuro }
  const rounds = new Map<string, Measurement[]>()
  const ratios = new Map<string, number[]>()
  for (let round = 0; round < ROUNDS; round += 1) {
    const first = await measure(world, alone, requestOf)
    keep(rounds, alone.name, first)
    for (const beside of cases) {
      const measured = await measure(world, beside, requestOf)
      keep(rounds, beside.name, measured)
      keep(ratios, beside.name, measured.rate / first.rate)
    }
  }
  table(
    'POST /bookings, the median round',
    new Map([...rounds].map(([name, all]) => [name, medianBy(all, ({ rate }) => rate)])),
  )
  const [first, last] = [rounds.get(alone.name)?.[0], rounds.get(alone.name)?.at(-1)]
  const years = (last?.rate ?? Number.NaN) / (first?.rate ?? Number.NaN)
  return [
    ...cases.map(({ name, at_least }) => {
      const ratio = medianBy(ratios.get(name) ?? [], (value) => value)
      return { name: `${name} ÷ alone`, ratio, bar: `≥ ${at_least}`, met: ratio >= at_least }
    }),
    {
      name: 'alone: the last round ÷ the first, on empty tables',
      ratio: years,
      bar: '≥ 0.8',
      met: years >= 0.8,
    },
  ]
}

const inEuro = (): Booking => ({ asset: 'EUR' })
const oneOf = <Item>(items: readonly Item[]): Item =>
  items[Math.floor(Math.random() * items.length)] as Item

async function casesOf(world: World): Promise<Case[]> {
  const wallets = await world.api.call<{ asset: string }[]>('GET', '/treasury/wallets')
  const assets = [...new Set(wallets.map(({ asset }) => asset))]
  const sixWords = () => Array.from({ length: 6 }, () => oneOf(WORDS)).join(' ')
  return [
    { name: `${assets.length} assets`, at_least: 0.8, booking: () => ({ asset: oneOf(assets) }) },
    {
      name: 'six words of description',
      at_least: 0.6,
      booking: () => ({ asset: 'EUR', description: sixWords() }),
    },
    ...['/bookings/trial-balance', '/events?limit=100', '/bookings?limit=100'].map((path) => ({
      name: `${READERS} readers of ${path.split('?')[0]}`,
      at_least: 0.5,
      booking: inEuro,
      begin: () => readers(world, path),
    })),
    {
      name: 'a snapshot that stays open',
      at_least: 0.8,
      booking: inEuro,
      begin: () => snapshot(world),
    },
    { name: 'verify', at_least: 0.5, booking: inEuro, begin: () => verify(world) },
  ]
}

async function requestsOf({ service, api }: World): Promise<(booking: Booking) => string> {
  const accounts = await api.customerAccounts(ACCOUNTS)
  return ({ asset, description }) =>
    post({
      path: '/api/bookings',
      token: api.token(),
      host: `${service.host}:${service.port}`,
      key: randomUUID(),
      body: JSON.stringify({
        asset,
        ...(description === undefined ? {} : { description }),
        legs: [
          { account_id: oneOf(accounts), type: 'DEBIT', quantity: '1' },
          { account_id: oneOf(accounts), type: 'CREDIT', quantity: '1' },
        ],
      }),
    })
}

async function measure(
  { service }: World,
  { name, booking, begin }: Case,
  requestOf: (booking: Booking) => string,
): Promise<Measurement> {
  const running = await begin?.()
  const request = () => requestOf(booking())
  const measured = await run({ ...service, connections: CONNECTIONS, seconds: SECONDS, request })
  const said = await running?.stop()
  if (said !== undefined) process.stdout.write(`${name}: ${said}\n`)
  if (measured.failed > 0)
    throw new Error(`${name}: ${measured.failed} requests were not answered with 200`)
  return measured
}

/** Each asks again when it is answered. What it may not read so often is refused, and counted. */
async function readers({ service, api }: World, path: string): Promise<Beside> {
  const request = () => get(`/api${path}`, api.token(), `${service.host}:${service.port}`)
  const reading = run({ ...service, connections: READERS, seconds: SECONDS, request })
  // Told when it is stopped.
  reading.catch(() => undefined)
  return {
    async stop() {
      const { answered, failed, refused, ended } = await reading
      const said = `${READERS} readers: ${answered} pages were answered, ${refused} refused`
      if (answered === 0 || failed > refused)
        throw new Error(`${path}: ${said}, ${failed - refused} failed; ${ended} readers were cut`)
      return said
    },
  }
}

/** As a backup holds one, or a report that somebody left open. */
async function snapshot({ databaseUrl }: World): Promise<Beside> {
  const client = new pg.Client({ connectionString: databaseUrl })
  await client.connect()
  await client.query('begin isolation level repeatable read')
  await client.query('select 1 from balances limit 1')
  return {
    async stop() {
      await client.query('rollback')
      await client.end()
      return 'held for the whole case'
    },
  }
}

async function verify({ databaseUrl }: World): Promise<Beside> {
  const said: string[] = []
  let stopped = false
  const keepVerifying = async () => {
    while (!stopped) {
      const command = spawn(process.execPath, [COMMANDS, 'verify'], {
        env: { ...process.env, DATABASE_URL: databaseUrl },
      })
      let text = ''
      command.stdout.on('data', (chunk: Buffer) => {
        text += chunk.toString()
      })
      const [code] = (await once(command, 'exit')) as [number | null]
      if (code !== 0) throw new Error(`npm run verify ended with ${code}: ${text}`)
      said.push(text.trim().split('\n').at(-1) ?? '')
    }
  }
  const verifying = keepVerifying()
  // Told when it is stopped.
  verifying.catch(() => undefined)
  return {
    async stop() {
      stopped = true
      await verifying
      return said.join('; ')
    },
  }
}

function keep<Value>(into: Map<string, Value[]>, name: string, value: Value): void {
  into.set(name, [...(into.get(name) ?? []), value])
}

function medianBy<Value>(values: readonly Value[], figure: (value: Value) => number): Value {
  const sorted = values.toSorted((one, other) => figure(one) - figure(other))
  const median = sorted[Math.floor(sorted.length / 2)]
  if (median === undefined) throw new Error('nothing was measured')
  return median
}
