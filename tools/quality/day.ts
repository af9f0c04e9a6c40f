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
import { setTimeout as pause } from 'node:timers/promises'
import { connect, KontorError } from '../../client/src/index.ts'
import type { Client } from '../../client/src/index.ts'
import { decimal, format } from '../../server/src/core/decimal.ts'
import { ROOT } from '../setup/setup.mjs'

type DayOptions = {
  base_url: string
  email: string
  password: string
  sandbox_url: string
  say(line: string): void
}

type Comparison = {
  venue: string
  asset: string
  ledger: string
  held: string
  difference: string
}
type Equation = {
  asset: string
  assets_side: string
  claims_side: string
  difference: string
  open: { trading: string; transit: string; suspense: string }
}
type Break = {
  venue_id: string
  asset: string
  difference: string
  cause: string
  explanation: string
}
export type Day = { comparisons: Comparison[]; equations: Equation[]; breaks: Break[] }

const PATIENCE_MILLISECONDS = 120_000
const LOOK_MILLISECONDS = 200
const AGREES_MILLISECONDS = 60_000

type Context = DayOptions & { kontor: Client; mark: string }

export async function playDay(options: DayOptions): Promise<Day> {
  const kontor = await connect(options)
  const context: Context = {
    ...options,
    kontor,
    mark: randomBytes(3).toString('hex').toUpperCase(),
  }
  const { say } = options
  const venues = await connectedVenues(context)
  say(`Venues: ${[...venues.values()].map((venue) => `${venue.label} (${venue.kind})`).join(', ')}`)

  const customer = await newCustomer(context)
  await moneyArrives(context, customer, '20000')
  await buy(context, customer, '0.25')
  await sell(context, customer, '0.05')
  await toTheVault(context, '0.25')
  await toTheCustomer(context, customer, '0.12')
  await mailed(context)

  const day = {
    comparisons: await agreed(() => compare(context)),
    equations: await agreed(() => houseEquation(context)),
    breaks: await reconciled(context),
  }
  print(day, say)
  return day
}

// ---------------------------------------------------------------- the steps

async function connectedVenues({ kontor }: Context) {
  return until('every venue is connected', async () => {
    const venues = await kontor.get('/venues')
    return venues.length >= 3 && venues.every((venue) => venue.state === 'CONNECTED')
      ? new Map(venues.map((venue) => [venue.id, venue]))
      : undefined
  })
}

type DayCustomer = { id: string; account_id: string; label: string; reference: string }

async function newCustomer({ kontor, say, mark }: Context): Promise<DayCustomer> {
  const label = `Daniela Day ${mark}`
  const customer = await kontor.post('/customers', {
    body: {
      type: 'RETAIL',
      first_name: 'Daniela',
      last_name: 'Day',
      label,
      margin: 'DEFAULT',
      booking_schema: 'ADVANCED',
      ignore_balance_check: false,
      ignore_margin: false,
      notification_recipients: [mailOf(mark)],
    },
  })
  const account = present(
    (await kontor.get('/accounts')).find((account) => account.customer_id === customer.id),
    'the customer has an account',
  )
  const bank = await walletAt(kontor, 'Sandbox Bank', 'EUR')
  const reference = `DAY-${mark}`
  await kontor.post('/accounts/matchings', {
    body: {
      resource_id: account.id,
      type: 'DESTINATION_WITH_REFERENCE',
      details: {
        asset: 'EUR',
        is_withdrawal_matching: false,
        destination_address: bank.address,
        reference,
      },
    },
  })
  say(`${label} opens an account; wires to ${bank.address} that carry ${reference} are hers`)
  return { id: customer.id, account_id: account.id, label, reference }
}

const mailOf = (mark: string) => `daniela.${mark.toLowerCase()}@customer.example`

async function moneyArrives(
  { kontor, say, sandbox_url }: Context,
  customer: DayCustomer,
  quantity: string,
): Promise<void> {
  const bank = await walletAt(kontor, 'Sandbox Bank', 'EUR')
  await control(sandbox_url, 'POST', '/control/bank/wire', {
    from_name: 'Daniela Day',
    to_iban: bank.address,
    quantity,
    currency: 'EUR',
    reference: `Savings ${customer.reference}`,
  })
  say(`She wires ${quantity} EUR from her bank`)
  const deposit = await until('the wire is booked to her', async () => {
    const found = (await kontor.get('/treasury/deposits', { query: { state: 'SUCCESSFUL' } })).find(
      (deposit) => deposit.reference_text?.includes(customer.reference) === true,
    )
    return found
  })
  const [assignment] = await kontor.get('/treasury/deposits/{deposit_id}/assignments', {
    params: { deposit_id: deposit.id },
  })
  if (assignment?.account_id !== customer.account_id) throw new Error('the deposit is not hers')
  say(
    `Deposit ${deposit.id}: ${deposit.quantity} EUR from ` +
      `${deposit.counterparty?.name ?? deposit.source_address}, assigned to her by ` +
      `matching ${assignment.matching_id}`,
  )
  say(`Balance: ${await balanceText(kontor, customer.account_id)}`)
}

async function buy(context: Context, customer: DayCustomer, amount: string): Promise<void> {
  const { kontor, say } = context
  const route = await priceRoute(kontor, 'BTC/EUR at Kraken')
  const quote = await priced(() =>
    kontor.post('/price-stream/quotes', {
      body: {
        route_id: route.id,
        request_asset: 'BTC',
        request_quantity: amount,
        request_side: 'BUY',
        risk_duration_ms: 60_000,
        customer_id: customer.id,
      },
    }),
  )
  say(
    `Quote for ${amount} BTC, firm until ${new Date(quote.expires_at).toISOString()}: ` +
      `BUY ${quote.buy.volume} EUR, SELL ${quote.sell.volume} EUR`,
  )
  const execution = await kontor.post('/executions', {
    body: {
      route_id: route.id,
      amount,
      side: 'BUY',
      execution_type: 'MARKET',
      customers: [{ customer_id: customer.id }],
      quote_id: quote.id,
      client_ref: `day-buy-${customer.reference}`,
    },
  })
  await executed(context, customer, execution.id, 'She takes it')
}

async function sell(context: Context, customer: DayCustomer, amount: string): Promise<void> {
  const { kontor } = context
  const route = await priceRoute(kontor, 'BTC/EUR at Kraken')
  const execution = await priced(() =>
    kontor.post('/executions', {
      body: {
        route_id: route.id,
        amount,
        side: 'SELL',
        execution_type: 'MARKET',
        customers: [{ customer_id: customer.id }],
        client_ref: `day-sell-${customer.reference}`,
      },
    }),
  )
  await executed(context, customer, execution.id, 'She sells some at the market')
}

/** The wire, two executions and the withdrawal: one mail each. */
async function mailed({ say, sandbox_url, mark }: Context): Promise<void> {
  const mails = await until('she has mail of everything', async () => {
    const found = await control<{ subject: string }[]>(
      sandbox_url,
      'GET',
      `/control/mailbox?to=${mailOf(mark)}`,
    )
    return found.length >= 4 ? found : undefined
  })
  say(
    `Her mail: ${mails
      .map((mail) => mail.subject)
      .toReversed()
      .join(' · ')}`,
  )
  if (mails.length > 4) throw new Error('she was written to more than once about the same')
}

async function executed(
  { kontor, say }: Context,
  customer: DayCustomer,
  execution_id: string,
  why: string,
): Promise<void> {
  const execution = await until('the execution is done', async () => {
    const now = await kontor.get('/executions/{execution_id}', { params: { execution_id } })
    if (['FAILED', 'CANCELED', 'EXPIRED', 'REJECTED'].includes(now.state))
      throw new Error(`execution ${execution_id} ended ${now.state}: ${now.reason}`)
    return now.state === 'DONE' ? now : undefined
  })
  const fills = await kontor.get('/executions/{execution_id}/orders/fills', {
    params: { execution_id },
  })
  say(
    `${why}: ${execution.side} ${execution.filled_amount} BTC for ` +
      `${execution.filled_volume} EUR; ${fills.length} fills at ` +
      `${fills.map((fill) => fill.price).join(', ')}`,
  )
  say(`Balance: ${await balanceText(kontor, customer.account_id)}`)
}

async function toTheVault({ kontor, say }: Context, quantity: string): Promise<void> {
  const [from, to] = [
    await walletAt(kontor, 'Kraken', 'BTC'),
    await walletAt(kontor, 'Fireblocks', 'BTC'),
  ]
  const route = present(
    (
      await kontor.get('/treasury/wallets/routes', {
        query: { from_wallet_id: from.id, to_wallet_id: to.id },
      })
    )[0],
    'a route leads from the exchange to the vault',
  )
  const made = await kontor.post('/treasury/wallets/routes/{treasury_route_id}/withdrawals', {
    params: { treasury_route_id: route.id },
    body: { quantity, speed_level: 'DEFAULT', note: 'to the vault' },
  })
  const sent = await withdrawn(kontor, made.id)
  const arrived = await until('the coins are in the vault', async () =>
    (await kontor.get('/treasury/deposits', { query: { state: 'SUCCESSFUL' } })).find(
      (deposit) => deposit.related_withdrawal_id === made.id,
    ),
  )
  say(
    `Own transfer ${route.label}: ${quantity} BTC sent (fee ${sent.fee} ${sent.fee_asset}), ` +
      `seen in the vault as deposit ${arrived.id}, no customer's`,
  )
}

async function toTheCustomer(
  { kontor, say, sandbox_url, mark }: Context,
  customer: DayCustomer,
  quantity: string,
): Promise<void> {
  const { address } = await control<{ address: string }>(
    sandbox_url,
    'POST',
    '/control/chain/addresses',
    { protocol: 'BTC', name: customer.label },
  )
  const vault = await walletAt(kontor, 'Fireblocks', 'BTC')
  const wallet = await kontor.post('/treasury/wallets', {
    body: {
      type: 'CUSTOMER',
      asset: 'BTC',
      address,
      label: `${customer.label}'s own`,
      account_id: customer.account_id,
      customer_id: customer.id,
      access_type: 'EXTERNAL',
    },
  })
  const fields = await kontor.get('/treasury/wallets/routes/fields/{from_wallet_id}/{protocol}', {
    params: { from_wallet_id: vault.id, protocol: 'BTC' },
  })
  say(
    `A route from the vault to her address ${address} needs ` +
      `${fields.from.map((field) => field.name).join(', ')}`,
  )
  const source = vault.foreign_id ?? ''
  const route = await kontor.post('/treasury/wallets/routes', {
    body: {
      from_wallet_id: vault.id,
      to_wallet_id: wallet.id,
      protocol: 'BTC',
      label: `Vault → Daniela ${mark}`,
      transfer: {
        from: { source_vault_account_id: source, destination_external_account_id: '' },
        to: {},
      },
    },
  })
  await kontor.put('/treasury/wallets/routes/{route_id}/allow', {
    params: { route_id: route.id },
    body: { from_wallet_id: vault.id, to_wallet_id: wallet.id, label: route.label },
  })
  await until('the custodian has allowed the address', async () => {
    const [now] = await kontor.get('/treasury/wallets/routes', { query: { id: route.id } })
    return now?.transfer.to.on_allowlist === true ? now : undefined
  })
  const estimate = await kontor.post('/treasury/wallets/routes/{route_id}/estimate-fee', {
    params: { route_id: route.id },
    body: { quantity },
  })
  say(
    'The custodian has allowed her address; sending costs ' +
      `${estimate.speed_levels.DEFAULT.fee} ${estimate.asset}`,
  )
  const made = await kontor.post('/treasury/wallets/routes/{treasury_route_id}/withdrawals', {
    params: { treasury_route_id: route.id },
    body: {
      quantity,
      speed_level: 'DEFAULT',
      fee: estimate.speed_levels.DEFAULT.fee,
      account_id: customer.account_id,
    },
  })
  say(
    `Withdrawal ${made.id} of ${quantity} BTC: ${made.state}; while it is under way the ` +
      `amount is blocked: ${await balanceText(kontor, customer.account_id)}`,
  )
  const sent = await withdrawn(kontor, made.id)
  say(
    `It is on her address, transaction ${sent.transaction_hash}; network fee ${sent.fee} ` +
      `${sent.fee_asset}, borne by the house`,
  )
  say(`Balance: ${await balanceText(kontor, customer.account_id)}`)
}

async function withdrawn(kontor: Client, withdrawals_id: string) {
  return until('the withdrawal has succeeded', async () => {
    const now = await kontor.get('/treasury/withdrawals/{withdrawals_id}', {
      params: { withdrawals_id },
    })
    if (['FAILED', 'REJECTED', 'CANCELED'].includes(now.state))
      throw new Error(`withdrawal ${withdrawals_id} ended ${now.state}: ${now.reason}`)
    return now.state === 'SUCCESS' ? now : undefined
  })
}

// ---------------------------------------------------------------- the proof

/** What the service itself finds: compared now, and no break left open. */
async function reconciled({ kontor }: Context): Promise<Break[]> {
  await until('no venue is in doubt', async () =>
    (await kontor.post('/desk/reconciliation/run')).every((venue) => venue.state !== 'CHECKING')
      ? true
      : undefined,
  )
  return kontor.get('/desk/breaks', { query: { state: 'OPEN' } })
}

/**
 * What arrives while both sides are read stands on one of them first: they are read again until
 * they agree, for a while.
 */
async function agreed<T extends { difference: string }>(read: () => Promise<T[]>): Promise<T[]> {
  const limit = Date.now() + AGREES_MILLISECONDS
  for (;;) {
    const rows = await read()
    if (rows.every((row) => row.difference === '0') || Date.now() > limit) return rows
    await pause(LOOK_MILLISECONDS)
  }
}

/** Per venue and asset: what the ledger says it holds for us, and what the venue says. */
async function compare({ kontor }: Context): Promise<Comparison[]> {
  const comparisons: Comparison[] = []
  const accounts = await kontor.get('/accounts')
  for (const venue of await kontor.get('/venues')) {
    const account = present(
      accounts.find((account) => account.venue_id === venue.id && account.type === 'VENUE'),
      `${venue.label} has an account`,
    )
    const booked = await kontor.get('/bookings/accounts/{account_id}/balance', {
      params: { account_id: account.id },
    })
    const { balances } = await kontor.get('/venues/{venue_id}/balances', {
      params: { venue_id: venue.id },
    })
    for (const asset of [
      ...new Set([...Object.keys(booked), ...Object.keys(balances)]),
    ].toSorted()) {
      const [ledger, held] = [booked[asset]?.total ?? '0', balances[asset]?.total ?? '0']
      comparisons.push({
        venue: venue.label,
        asset,
        ledger,
        held,
        difference: format(decimal(ledger) - decimal(held)),
      })
    }
  }
  return comparisons
}

/**
 * Σ VENUE + FEE + TRANSIT = Σ CUSTOMER + HOUSE + MARGIN + RISK + ROUNDING + SUSPENSE + TRADING, per
 * asset.
 */
async function houseEquation({ kontor }: Context): Promise<Equation[]> {
  const sums = new Map<string, Map<string, bigint>>()
  for (const account of await kontor.get('/accounts')) {
    const balance = await kontor.get('/bookings/accounts/{account_id}/balance', {
      params: { account_id: account.id },
    })
    for (const [asset, { total }] of Object.entries(balance)) {
      const byType = sums.get(asset) ?? new Map<string, bigint>()
      sums.set(asset, byType)
      byType.set(account.type, (byType.get(account.type) ?? 0n) + decimal(total))
    }
  }
  return [...sums]
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([asset, byType]) => {
      const of = (...types: string[]) =>
        types.reduce((sum, type) => sum + (byType.get(type) ?? 0n), 0n)
      const [held, owed] = [
        of('VENUE', 'FEE', 'TRANSIT'),
        of('CUSTOMER', 'HOUSE', 'MARGIN', 'RISK', 'ROUNDING', 'SUSPENSE', 'TRADING'),
      ]
      return {
        asset,
        assets_side: format(held),
        claims_side: format(owed),
        difference: format(held - owed),
        open: {
          trading: format(of('TRADING')),
          transit: format(of('TRANSIT')),
          suspense: format(of('SUSPENSE')),
        },
      }
    })
}

const breakText = ({ difference, asset, cause, explanation }: Break): string =>
  `${difference} ${asset} (${cause}: ${explanation})`

function print(day: Day, say: (line: string) => void): void {
  say('')
  say(
    day.breaks.length === 0
      ? 'Reconciliation finds no break'
      : `Breaks: ${day.breaks.map(breakText).join('; ')}`,
  )
  say('')
  say(
    `${'venue'.padEnd(28)}${'asset'.padEnd(8)}${'ledger'.padStart(28)}` +
      `${'venue holds'.padStart(28)}${'difference'.padStart(14)}`,
  )
  for (const row of day.comparisons)
    say(
      `${row.venue.padEnd(28)}${row.asset.padEnd(8)}${row.ledger.padStart(28)}` +
        `${row.held.padStart(28)}${row.difference.padStart(14)}`,
    )
  say('')
  say(
    `${'asset'.padEnd(8)}${'venues + fees'.padStart(28)}` +
      `${'customers + house'.padStart(28)}${'difference'.padStart(14)}   trading, transit, ` +
      'suspense',
  )
  for (const row of day.equations)
    say(
      `${row.asset.padEnd(8)}${row.assets_side.padStart(28)}${row.claims_side.padStart(28)}` +
        `${row.difference.padStart(14)}   ${row.open.trading}, ${row.open.transit}, ` +
        `${row.open.suspense}`,
    )
}

// ---------------------------------------------------------------- helpers

/** By the labels of the demo world, where more than one venue may be of a kind. */
async function walletAt(kontor: Client, label: string, asset: string) {
  const venues = new Map((await kontor.get('/venues')).map((venue) => [venue.id, venue.label]))
  const wallets = await kontor.get('/treasury/wallets')
  return present(
    wallets.find(
      (wallet) =>
        wallet.type === 'VENUE' &&
        wallet.asset === asset &&
        wallet.venue_id !== null &&
        venues.get(wallet.venue_id) === label,
    ),
    `a ${asset} wallet at ${label}`,
  )
}

async function priceRoute(kontor: Client, label: string) {
  return until(`prices of ${label} stream`, async () =>
    (await kontor.get('/price-stream/routes')).find(
      (route) => route.label === label && route.state === 'UP',
    ),
  )
}

/** Who is told that there is no fresh price asks again. */
async function priced<T>(ask: () => Promise<T>): Promise<T> {
  return until('there is a fresh price', async () => {
    try {
      return await ask()
    } catch (error) {
      if (
        error instanceof KontorError &&
        error.error_details.some(({ code }) => code === 'STALE_PRICE' || code === 'NO_LIQUIDITY')
      )
        return undefined
      throw error
    }
  })
}

async function balanceText(kontor: Client, account_id: string): Promise<string> {
  const balance = await kontor.get('/bookings/accounts/{account_id}/balance', {
    params: { account_id },
  })
  return Object.entries(balance)
    .map(
      ([asset, amounts]) =>
        `${amounts.total} ${asset}` +
        `${amounts.total === amounts.trading ? '' : ` (${amounts.trading} free)`}`,
    )
    .join(', ')
}

async function control<T>(base: string, method: string, path: string, body?: unknown): Promise<T> {
  const answer = await fetch(`${base}${path}`, {
    method,
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${await answer.text()}`)
  return (await answer.json()) as T
}

async function until<T>(what: string, look: () => Promise<T | undefined>): Promise<T> {
  const limit = Date.now() + PATIENCE_MILLISECONDS
  for (;;) {
    const found = await look()
    if (found !== undefined) return found
    if (Date.now() > limit) throw new Error(`waited in vain until ${what}`)
    await pause(LOOK_MILLISECONDS)
  }
}

function present<T>(value: T | undefined, what: string): T {
  if (value === undefined) throw new Error(`expected that ${what}`)
  return value
}

function sandboxUrl(): string {
  const given = process.env['SANDBOX_URL']
  if (given !== undefined) return given
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
