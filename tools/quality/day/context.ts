/** Who plays the day, and what every part of it needs. */
import { setTimeout as pause } from 'node:timers/promises'
import { KontorError } from '../../../client/src/index.ts'
import type { Client } from '../../../client/src/index.ts'
import { mustExist } from '../../../server/src/core/assert.ts'

export type DayOptions = {
  base_url: string
  email: string
  password: string
  sandbox_url: string
  say(line: string): void
}

export type Context = DayOptions & { kontor: Client; mark: string }

const PATIENCE_MILLISECONDS = 120_000
export const LOOK_MILLISECONDS = 200

/** By the labels of the demo world, where more than one venue may be of a kind. */
export async function walletAt(kontor: Client, label: string, asset: string) {
  const venues = new Map((await kontor.get('/venues')).map((venue) => [venue.id, venue.label]))
  const wallets = await kontor.get('/treasury/wallets')
  return mustExist(
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

export async function priceRoute(kontor: Client, label: string) {
  return until(`prices of ${label} stream`, async () =>
    (await kontor.get('/price-stream/routes')).find(
      (route) => route.label === label && route.state === 'UP',
    ),
  )
}

/** Where there is no fresh price it is asked for again. */
export async function retryOnStalePrice<T>(ask: () => Promise<T>): Promise<T> {
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

export async function balanceText(kontor: Client, account_id: string): Promise<string> {
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

export async function control<T>(
  base: string,
  method: string,
  path: string,
  body?: unknown,
): Promise<T> {
  const answer = await fetch(`${base}${path}`, {
    method,
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${await answer.text()}`)
  return (await answer.json()) as T
}

export async function until<T>(what: string, look: () => Promise<T | undefined>): Promise<T> {
  const limit = Date.now() + PATIENCE_MILLISECONDS
  for (;;) {
    const found = await look()
    if (found !== undefined) return found
    if (Date.now() > limit) throw new Error(`waited in vain until ${what}`)
    await pause(LOOK_MILLISECONDS)
  }
}
