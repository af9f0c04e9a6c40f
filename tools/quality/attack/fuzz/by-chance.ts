/** Requests by chance, in as many processes as there are cores to spare. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { shownCounts, sumOf } from './counts.ts'
import type { Found } from './storm.ts'

const STORM = new URL('./storm.ts', import.meta.url).pathname
const PROCESSES = 2
/** Between the seeds of two processes: each round of one has a seed of its own. */
const SEEDS = 1_000_000

type Chance = { requests: number; seed: number; minutes: number }

async function storm({ requests, seed, minutes }: Chance): Promise<Found> {
  const child = spawn(process.execPath, [STORM, `${requests}`, `${seed}`, `${minutes}`], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  let text = ''
  child.stdout.on('data', (part: Buffer) => {
    text += part.toString()
  })
  const [code] = (await once(child, 'close')) as [number | null]
  const line = text.trim().split('\n').at(-1) ?? ''
  if (code !== 0 || !line.startsWith('{'))
    throw new Error(`the requests of seed ${seed} ended with ${code}: ${text.slice(-2_000)}`)
  return JSON.parse(line) as Found
}

/** A line as an attack has, and what went wrong. */
export async function byChance(chance: Chance): Promise<{ line: string; faults: string[] }> {
  const start = performance.now()
  const parts = await Promise.all(
    Array.from({ length: PROCESSES }, (_, index) =>
      storm({
        ...chance,
        requests: Math.ceil(chance.requests / PROCESSES),
        seed: chance.seed + index * SEEDS,
      }),
    ),
  )
  const sum = (count: (found: Found) => number) =>
    parts.reduce((total, found) => total + count(found), 0)
  const faults = parts.flatMap((found) => found.faults)
  const [answers, ended] = [
    sumOf(parts.flatMap((found) => found.answers)),
    sumOf(parts.flatMap((found) => found.ended)),
  ]
  const seen =
    `${sum(({ requests }) => requests)} requests (seed ${chance.seed}; ` +
    `${sum(({ sockets }) => sockets)} over sockets; connections that ended without an answer: ` +
    `${shownCounts(ended)}), ${sum(({ inputs }) => inputs)} texts for parsers; ` +
    `${sum(({ harmless }) => harmless)} refused ones changed nothing; ${shownCounts(answers)}`
  const verdict = faults.length === 0 ? 'held ' : 'BROKE'
  const head =
    `${verdict} CHANCE  requests by chance | ` +
    'wanted 0 unexpected 5xx, 0 changes by what is refused, an answer to each'
  const seconds = Math.round((performance.now() - start) / 1000)
  return {
    line: [
      `${head} | seen ${seen} | ${seconds} s`,
      ...faults.map((fault) => `        ${fault}`),
    ].join('\n'),
    faults,
  }
}
