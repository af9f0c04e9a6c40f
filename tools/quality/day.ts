/**
 * `npm run day`: one customer's day against a running Kontor and its sandbox, through the client
 * alone. Money arrives at the bank, is matched and booked, is quoted and traded at the exchange,
 * moves to the vault, and leaves it to the customer's own address; then every balance is compared
 * with the venues, to the last digit.
 *
 * KONTOR_URL (http://localhost:4000), KONTOR_ADMIN_EMAIL, KONTOR_ADMIN_PASSWORD, SANDBOX_URL (else
 * DATA_DIR's sandbox).
 */
import { randomBytes } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { connect } from '../../client/src/index.ts'
import { ROOT } from '../setup/setup.mjs'
import { until } from './day/context.ts'
import type { Context, DayOptions } from './day/context.ts'
import { readMail, receiveMoney, createCustomer } from './day/customer.ts'
import { prove } from './day/proof.ts'
import type { Day } from './day/proof.ts'
import { buy, sell } from './day/trading.ts'
import { withdrawToCustomer, moveToVault } from './day/transfers.ts'

export async function playDay(options: DayOptions): Promise<Day> {
  const kontor = await connect(options)
  const mark = randomBytes(3).toString('hex').toUpperCase()
  const context: Context = { ...options, kontor, mark }
  await everyVenueIsThere(context)
  const customer = await createCustomer(context)
  await receiveMoney(context, customer, '20000')
  await buy(context, customer, '0.25')
  await sell(context, customer, '0.05')
  await moveToVault(context, '0.25')
  await withdrawToCustomer(context, customer, '0.12')
  await readMail(context)
  return prove(context)
}

async function everyVenueIsThere({ kontor, say }: Context): Promise<void> {
  const venues = await until('every venue is connected', async () => {
    const all = await kontor.get('/venues')
    const isDone = all.length >= 3 && all.every((venue) => venue.state === 'CONNECTED')
    return isDone ? all : undefined
  })
  say(`Venues: ${venues.map((venue) => `${venue.label} (${venue.kind})`).join(', ')}`)
}

function sandboxUrl(): string {
  const url = process.env['SANDBOX_URL']
  if (url !== undefined) return url
  const file = join(process.env['DATA_DIR'] ?? join(ROOT, 'data'), 'sandbox/port')
  if (!existsSync(file))
    throw new Error(
      'no sandbox found: set SANDBOX_URL, or DATA_DIR to the folder of the running Kontor',
    )
  return `http://127.0.0.1:${readFileSync(file, 'utf8').trim()}`
}

if (import.meta.main) {
  const {
    KONTOR_URL = 'http://localhost:4000',
    KONTOR_ADMIN_EMAIL = 'admin@kontor.local',
    KONTOR_ADMIN_PASSWORD = '',
  } = process.env
  if (KONTOR_ADMIN_PASSWORD === '')
    throw new Error('set KONTOR_ADMIN_PASSWORD to the password that npm start showed')
  const day = await playDay({
    base_url: KONTOR_URL,
    email: KONTOR_ADMIN_EMAIL,
    password: KONTOR_ADMIN_PASSWORD,
    sandbox_url: sandboxUrl(),
    say: (line) => {
      process.stdout.write(`${line}\n`)
    },
  })
  const wrong = [...day.comparisons, ...day.equations].filter((row) => row.difference !== '0')
  process.exit(wrong.length === 0 && day.breaks.length === 0 ? 0 : 1)
}
