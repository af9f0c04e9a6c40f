/**
 * Price reads beside a bare Fastify route that answers the same bytes, head and body, in a process
 * of its own with the same settings. Beside the rates stands what each answer costs its process: on
 * a machine that is busy otherwise that is steadier.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { flagsOf, printProfile, recordProfile, secondsOf } from './machine.ts'
import type { Parts } from './machine.ts'
import { ask, get, run } from './load.ts'
import type { Measurement } from './load.ts'
import { medianOf, table } from './report.ts'
import type { Service } from './report.ts'
import { openDesk } from './trading.ts'

const ROUNDS = Number(process.env['BENCH_ROUNDS'] ?? 5)
const SECONDS = Number(process.env['BENCH_SECONDS'] ?? 4)
/**
 * Both sides are measured as processes that have run for a while: what is compiled late is
 * compiled.
 */
const WARM_SECONDS = 20
const CONNECTIONS = 32
const BAR = 0.8
const PATH = '/api/market-data/prices/v2/EUR'

type Side = {
  name: string
  port: number
  pid: number
  rounds: Measurement[]
  microseconds: number[]
}

type Target = (port: number) => { host: string; port: number; request(): string }
type Bar = { name: string; ratio: number; bar: string; met: boolean }

export async function prices(service: Service, parts: Parts): Promise<Bar[]> {
  const { api, host } = await openDesk(service)
  const target: Target = (port) => ({
    host: service.host,
    port,
    request: () => get(PATH, api.token(), host),
  })
  const answer = await ask(target(service.port))
  const bare = await openBareRoute(parts, answer)
  try {
    const copy = await ask(target(bare.port))
    if (shapeOf(copy) !== shapeOf(answer))
      throw new Error(`the bare route answers other bytes:\n${copy}\ninstead of:\n${answer}`)
    const ours = sideOf('Kontor', service.port, parts.service)
    const theirs = sideOf('bare Fastify', bare.port, bare.pid)
    await measureBoth([ours, theirs], target)
    print([ours, theirs], answer.length)
    if (parts.inspect_port > 0)
      printProfile(await recordProfile(parts, () => load(target, service.port, SECONDS)))
    const ratio = medianOf(ours.rounds).rate / medianOf(theirs.rounds).rate
    return [
      {
        name: 'price reads ÷ bare Fastify route with the same bytes',
        ratio,
        bar: `≥ ${BAR}`,
        met: ratio >= BAR,
      },
    ]
  } finally {
    await bare.close()
  }
}

const sideOf = (name: string, port: number, pid: number): Side => ({
  name,
  port,
  pid,
  rounds: [],
  microseconds: [],
})

/** In a session of its own, as the service is: a busy Linux divides processors among sessions. */
async function openBareRoute(parts: Parts, answer: string) {
  const bare = spawn(
    process.execPath,
    [...flagsOf(parts.service), fileURLToPath(new URL('bare-route.ts', import.meta.url))],
    {
      env: { ...process.env, BENCH_ANSWER: answer, BENCH_PATH: PATH },
      stdio: ['pipe', 'pipe', 'inherit'],
      detached: true,
    },
  )
  const [line] = (await once(createInterface({ input: bare.stdout }), 'line')) as [string]
  return {
    port: Number(line),
    pid: bare.pid ?? 0,
    async close() {
      bare.kill('SIGTERM')
      await once(bare, 'exit')
    },
  }
}

const load = (target: Target, port: number, seconds: number) =>
  run({ ...target(port), connections: CONNECTIONS, seconds, awake: true })

async function measureBoth(sides: readonly Side[], target: Target): Promise<void> {
  for (const side of sides) await load(target, side.port, WARM_SECONDS)
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const side of sides) {
      const before = secondsOf(side.pid)
      const measured = await load(target, side.port, SECONDS)
      side.rounds.push(measured)
      side.microseconds.push(((secondsOf(side.pid) - before) * 1e6) / measured.answered)
    }
  }
}

function print([ours, theirs]: readonly [Side, Side], bytes: number): void {
  table(
    `GET ${PATH}, ${bytes} bytes`,
    new Map([ours, theirs].map(({ name, rounds }) => [name, medianOf(rounds)])),
  )
  const cost = (side: Side) =>
    side.microseconds.toSorted((a, b) => a - b)[Math.floor(ROUNDS / 2)] ?? Number.NaN
  process.stdout.write(
    `microseconds of its process for each answer: Kontor ${cost(ours).toFixed(1)}, bare ` +
      `${cost(theirs).toFixed(1)}, ratio ${(cost(theirs) / cost(ours)).toFixed(2)}\n`,
  )
}

/**
 * Without what differs from moment to moment, the date and the figures, and the case of header
 * names.
 */
function shapeOf(answer: string): string {
  return answer
    .toLowerCase()
    .replace(/^date: .*$/m, 'date')
    .replace(/\d+/g, '0')
}
