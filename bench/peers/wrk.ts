/** Load over HTTP: wrk with booking.lua, which costs little beside what it measures. */
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { HTTP_LOADS } from './peer.ts'
import type { Load, Measured, Running } from './peer.ts'
import { output } from './programs.ts'

const SCRIPT = join(import.meta.dirname, 'booking.lua')
/** An answer that takes longer counts as none. */
const PATIENCE = '10s'
const WARM_UP = { name: 'warm-up', connections: 64, is_busy: false, seconds: 3 }

export type Bookings = {
  /** For files. */
  folder: string
  url: string
  /** `{key}` is filled in. */
  headers: Readonly<Record<string, string>>
  /** `{key}`, `{debit}` and `{credit}` are filled in. */
  body: object
  accounts: readonly string[]
  /** Debit and credit of every booking on the busy account. */
  busy: readonly [string, string]
}

type Shape = { name: string; connections: number; is_busy: boolean }

export function httpLoads(bookings: Bookings): Pick<Running, 'loads' | 'warmUp'> {
  return {
    loads: HTTP_LOADS.map((shape): Load => async (seconds) => [
      await ask(bookings, { ...shape, seconds }),
    ]),
    async warmUp() {
      await ask(bookings, WARM_UP)
    },
  }
}

export async function ask(
  bookings: Bookings,
  { name, connections, is_busy, seconds }: Shape & { seconds: number },
): Promise<Measured> {
  const request = join(bookings.folder, 'request')
  const accounts = join(bookings.folder, 'accounts')
  await writeFile(request, requestText(bookings, is_busy))
  await writeFile(accounts, `${bookings.accounts.join('\n')}\n`)
  const load = ['-t1', `-c${connections}`, `-d${seconds}s`, '--timeout', PATIENCE]
  const said = await output('wrk', [...load, '-s', SCRIPT, bookings.url, '--', request, accounts])
  const counted = /answered (\d+) refused (\d+) broken (\d+) microseconds (\d+)/.exec(said)
  if (counted === null) throw new Error(`wrk did not say what it counted:\n${said}`)
  const [answered = 0, refused = 0, broken = 0, microseconds = 0] = counted.slice(1).map(Number)
  // Whoever waits when wrk ends has no answer either: where nothing is answered, all of them.
  const unanswered = answered === 0 ? connections : broken
  return {
    name,
    rate: (answered - refused) / (microseconds / 1e6),
    failed_share: (refused + unanswered) / (answered + unanswered),
  }
}

function requestText({ headers, body, busy }: Bookings, isBusy: boolean): string {
  const lines = Object.entries({ 'Content-Type': 'application/json', ...headers })
  const text = JSON.stringify(body)
  const [debit, credit] = isBusy ? busy : ['{debit}', '{credit}']
  return [
    ...lines.map(([name, value]) => `${name}: ${value}`),
    '',
    text.replace('{debit}', debit).replace('{credit}', credit),
    '',
  ].join('\n')
}
