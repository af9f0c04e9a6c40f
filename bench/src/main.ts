/** Runs the comparisons against a running service and prints rates and ratios; `jobs` measures the transfer jobs instead. Started by `npm run bench`. */
import { bookings } from './bookings.ts'
import { jobs } from './jobs.ts'

const { BENCH_HOST: host = '127.0.0.1', BENCH_PORT: port = '4000', BENCH_EMAIL: email = '', BENCH_PASSWORD: password = '', BENCH_DATABASE_URL: databaseUrl = '', BENCH_SANDBOX_URL: sandboxUrl = '' } = process.env
const service = { host, port: Number(port), email, password }

if (process.argv[2] === 'jobs') {
  await jobs(service, databaseUrl)
} else {
  const bars = await bookings(service, databaseUrl, sandboxUrl)
  process.stdout.write('\nratios\n')
  for (const bar of bars) process.stdout.write(`${bar.met ? 'met   ' : 'MISSED'}  ${bar.ratio.toFixed(2).padStart(8)}  ${bar.bar.padEnd(8)} ${bar.name}\n`)
}
