/**
 * Runs the comparisons against a running service and prints rates and ratios; a name measures
 * something else instead. Started by `npm run bench`.
 */
import { beside } from './beside.ts'
import { bookings } from './bookings.ts'
import { deposits } from './deposits.ts'
import { executions } from './executions.ts'
import { jobs } from './jobs.ts'
import { partsFrom } from './machine.ts'
import { lists } from './lists.ts'
import { pending } from './pending.ts'
import { policy } from './policy.ts'
import { prices } from './prices.ts'
import { bookUpdates, quotes } from './quotes.ts'
import { withdrawals } from './withdrawals.ts'

const {
  BENCH_HOST: host = '127.0.0.1',
  BENCH_PORT: port = '4000',
  BENCH_EMAIL: email = '',
  BENCH_PASSWORD: password = '',
  BENCH_DATABASE_URL: databaseUrl = '',
  BENCH_SANDBOX_URL: sandboxUrl = '',
  BENCH_SANDBOX_FILE: sandboxFile = '',
} = process.env
const service = { host, port: Number(port), email, password }
const parts = partsFrom(process.env)

type Bar = { name: string; ratio: number; bar: string; met: boolean }

const BENCHES: Readonly<Record<string, () => Promise<Bar[] | void>>> = {
  beside: () => beside(service, databaseUrl),
  bookings: () => bookings(service, databaseUrl, sandboxUrl),
  jobs: () => jobs(service, databaseUrl),
  withdrawals: () => withdrawals(service, databaseUrl, sandboxUrl, parts),
  policy: () => policy(service, databaseUrl, sandboxUrl, parts),
  pending: () => pending(service, { databaseUrl, sandboxUrl, sandboxFile }, parts),
  deposits: () => deposits(service, databaseUrl, sandboxUrl, parts),
  executions: () => executions(service, databaseUrl, sandboxUrl, parts),
  quotes: () => quotes(service, databaseUrl, parts),
  'book-updates': () => bookUpdates(service, sandboxUrl),
  prices: () => prices(service, parts),
  lists: () => lists(databaseUrl, process.env['BENCH_LIST']),
}

for (const name of process.argv.length > 2 ? process.argv.slice(2) : ['bookings']) {
  const bench = BENCHES[name]
  if (bench === undefined)
    throw new Error(`there is no bench ${name}; there are ${Object.keys(BENCHES).join(', ')}`)
  const bars = (await bench()) ?? []
  if (bars.length > 0) process.stdout.write('\nratios\n')
  for (const bar of bars)
    process.stdout.write(
      `${bar.met ? 'met   ' : 'MISSED'}  ${bar.ratio.toFixed(2).padStart(8)}  ` +
        `${bar.bar.padEnd(8)} ${bar.name}\n`,
    )
}
