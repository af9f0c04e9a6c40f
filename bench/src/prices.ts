/** Price reads beside a bare Fastify route, in a process of its own, that answers the same bytes to whoever asks. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { printProfile, profiled } from './machine.ts'
import type { Parts } from './machine.ts'
import { get, run } from './load.ts'
import type { Measured } from './load.ts'
import { middle, table } from './report.ts'
import type { Service } from './report.ts'
import { openDesk } from './trading.ts'

const ROUNDS = Number(process.env['BENCH_ROUNDS'] ?? 5)
const SECONDS = Number(process.env['BENCH_SECONDS'] ?? 3)
const CONNECTIONS = 32
const BAR = 0.8
const PATH = '/api/market-data/prices/v2/EUR'

export async function prices(service: Service, parts: Parts): Promise<{ name: string; ratio: number; bar: string; met: boolean }[]> {
  const { api, host } = await openDesk(service)
  const answer = await fetch(`http://${host}${PATH}`, { headers: { authorization: `Bearer ${api.token()}` } })
  const body = await answer.text()
  const bare = spawn(process.execPath, [fileURLToPath(new URL('bare-route.ts', import.meta.url))], { env: { ...process.env, BENCH_BODY: body, BENCH_PATH: PATH }, stdio: ['pipe', 'pipe', 'inherit'] })
  try {
    const [line] = await once(createInterface({ input: bare.stdout }), 'line') as [string]
    const load = (port: number) => ({ host: service.host, port, connections: CONNECTIONS, seconds: SECONDS, request: () => get(PATH, api.token(), host) })
    const rounds = new Map<string, Measured[]>([['Kontor', []], ['bare Fastify', []]])
    for (let round = 0; round < ROUNDS; round += 1) {
      rounds.get('Kontor')?.push(await run(load(service.port)))
      rounds.get('bare Fastify')?.push(await run(load(Number(line))))
    }
    const median = new Map([...rounds].map(([name, each]) => [name, middle(each)]))
    table(`GET ${PATH}, ${body.length} bytes`, median)
    if (parts.inspect_port > 0) printProfile(await profiled(parts, () => run(load(service.port))))
    const ratio = (median.get('Kontor')?.rate ?? Number.NaN) / (median.get('bare Fastify')?.rate ?? Number.NaN)
    return [{ name: 'price reads ÷ bare Fastify route with the same bytes', ratio, bar: `≥ ${BAR}`, met: ratio >= BAR }]
  } finally {
    bare.kill('SIGTERM')
    await once(bare, 'exit')
  }
}
