/** What must be true when the day is over, to the last digit. */
import { setTimeout as pause } from 'node:timers/promises'
import { mustExist } from '../../../server/src/core/assert.ts'
import { decimal, format } from '../../../server/src/core/decimal.ts'
import { LOOK_MILLISECONDS, until } from './context.ts'
import type { Context } from './context.ts'

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

const AGREES_MILLISECONDS = 60_000

export async function prove(context: Context): Promise<Day> {
  const day = {
    comparisons: await readUntilEqual(() => compare(context)),
    equations: await readUntilEqual(() => houseEquation(context)),
    breaks: await reconcile(context),
  }
  print(day, context.say)
  return day
}

/** What the service itself finds: compared now, and no break left open. */
async function reconcile({ kontor }: Context): Promise<Break[]> {
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
async function readUntilEqual<T extends { difference: string }>(
  read: () => Promise<T[]>,
): Promise<T[]> {
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
    const account = mustExist(
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
