/** Somebody else, who asks for little again and again while an attack goes on. */
import { setTimeout as pause } from 'node:timers/promises'
import type { Ask } from './client.ts'
import type { Target } from './target.ts'

const BETWEEN_MILLISECONDS = 10
const OTHERS_ADDRESS = '127.0.0.77'

type Beside<Result> = {
  result: Result
  asked: number
  /** That were not answered with 200. */
  failed: string[]
  longest_ms: number
}

export const LIVE: Ask = { method: 'GET', path: '/livez', from: OTHERS_ADDRESS }

/** With a token: something that the database is asked for. */
export const littleOf = ({ other }: Target): Ask => ({
  method: 'GET',
  path: '/api/accounts?limit=5',
  token: other.people.READER.access_token,
  from: OTHERS_ADDRESS,
})

export async function beside<Result>(
  { client }: Target,
  request: Ask,
  work: () => Promise<Result>,
): Promise<Beside<Result>> {
  const seen = { asked: 0, failed: [] as string[], longest_ms: 0 }
  const ask = async (): Promise<void> => {
    const start = performance.now()
    try {
      const { status, text } = await client.ask(request)
      if (status !== 200) seen.failed.push(`${request.path}: ${status} ${text.slice(0, 100)}`)
    } catch (error) {
      seen.failed.push(`${request.path}: ${String(error)}`)
    }
    seen.asked += 1
    seen.longest_ms = Math.max(seen.longest_ms, Math.round(performance.now() - start))
  }
  await ask()
  seen.longest_ms = 0
  const ended = new AbortController()
  const asking = (async () => {
    while (!ended.signal.aborted) {
      await ask()
      await pause(BETWEEN_MILLISECONDS)
    }
  })()
  try {
    return { result: await work(), ...(await endOf(asking, ended, seen)) }
  } finally {
    ended.abort()
  }
}

async function endOf<Seen>(
  asking: Promise<void>,
  ended: AbortController,
  seen: Seen,
): Promise<Seen> {
  ended.abort()
  await asking
  return seen
}
