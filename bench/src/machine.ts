/**
 * What the measured processes cost while something runs: CPU seconds by part (Linux, from /proc),
 * and a profile of the service. The service opens its inspector when it is told to (SIGUSR1), so
 * nothing is profiled that is not asked for.
 */
import { readFileSync } from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'

export type Parts = { service: number; sandbox: number; database: number; inspect_port: number }
/**
 * Cores in use, by part; `stolen` are those that a virtual machine's host gave to others, and no
 * figure of that time means much.
 */
type Cores = {
  service: number
  database: number
  sandbox: number
  generator: number
  stolen: number
}

const TICKS_PER_SECOND = 100

export function partsFrom(env: NodeJS.ProcessEnv): Parts {
  const number = (name: string) => Number(env[name] ?? 0)
  return {
    service: number('BENCH_SERVICE_PID'),
    sandbox: number('BENCH_SANDBOX_PID'),
    database: number('BENCH_DATABASE_PID'),
    inspect_port: number('BENCH_INSPECT_PORT'),
  }
}

/**
 * CPU seconds of a process since it began, with `reaped` those of its ended children too; 0 where
 * the system does not say.
 */
export function secondsOf(pid: number, reaped = false): number {
  try {
    const [user = 0, system = 0, children_user = 0, children_system = 0] =
      readFileSync(`/proc/${pid}/stat`, 'utf8')
        .split(') ')[1]
        ?.split(' ')
        .slice(11, 15)
        .map(Number) ?? []
    return (user + system + (reaped ? children_user + children_system : 0)) / TICKS_PER_SECOND
  } catch {
    return 0
  }
}

/**
 * The flags of the runtime that a process was started with; none where the system does not say.
 */
export function flagsOf(pid: number): string[] {
  try {
    const [, ...args] = readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0')
    return args.slice(
      0,
      args.findIndex((arg) => !arg.startsWith('-')),
    )
  } catch {
    return []
  }
}

function childrenOf(pid: number): number[] {
  try {
    return readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8')
      .trim()
      .split(' ')
      .filter((part) => part !== '')
      .map(Number)
  } catch {
    return []
  }
}

/**
 * What the host of a virtual machine gave to others since it began; 0 where the system does not
 * say.
 */
function secondsStolen(): number {
  try {
    return (
      Number(readFileSync('/proc/stat', 'utf8').split('\n')[0]?.split(/\s+/)[8] ?? 0) /
      TICKS_PER_SECOND
    )
  } catch {
    return 0
  }
}

function spent({ service, sandbox, database }: Parts): Cores {
  const own = process.cpuUsage()
  return {
    service: secondsOf(service),
    sandbox: secondsOf(sandbox),
    generator: (own.user + own.system) / 1e6,
    database:
      secondsOf(database, true) +
      childrenOf(database).reduce((sum, child) => sum + secondsOf(child), 0),
    stolen: secondsStolen(),
  }
}

/** Runs `work` and answers, beside what it answers, how many cores each part used meanwhile. */
export async function watchCores<T>(
  parts: Parts,
  work: () => Promise<T>,
): Promise<{ result: T; cores: Cores }> {
  const [before, began] = [spent(parts), performance.now()]
  const result = await work()
  const [after, seconds] = [spent(parts), (performance.now() - began) / 1000]
  const part = (name: keyof Cores) => (after[name] - before[name]) / seconds
  return {
    result,
    cores: {
      service: part('service'),
      database: part('database'),
      sandbox: part('sandbox'),
      generator: part('generator'),
      stolen: part('stolen'),
    },
  }
}

export const coresText = (cores: Cores): string =>
  Object.entries(cores)
    .map(([name, value]) => `${name} ${value.toFixed(2)}`)
    .join(', ')

type Node = { id: number; callFrame: { functionName: string; url: string; lineNumber: number } }
type Profile = { nodes: Node[]; samples: number[]; timeDeltas: number[] }
type Share = { name: string; share: number }

/**
 * Runs `work` while the service is profiled; answers where its time went: by part and by function,
 * largest first, of the time it was not idle.
 */
export async function recordProfile<T>(
  parts: Parts,
  work: () => Promise<T>,
): Promise<{ result: T; by_part: Share[]; by_function: Share[] }> {
  const inspector = await openInspector(parts)
  try {
    await inspector.ask('Profiler.enable')
    await inspector.ask('Profiler.setSamplingInterval', { interval: 500 })
    await inspector.ask('Profiler.start')
    const result = await work()
    const { profile } = (await inspector.ask('Profiler.stop')) as { profile: Profile }
    return { result, by_part: shares(profile, partOf), by_function: shares(profile, functionOf) }
  } finally {
    inspector.close()
  }
}

const PATIENCE_MILLISECONDS = 10_000

async function openInspector({
  service,
  inspect_port,
}: Parts): Promise<{ ask(method: string, params?: object): Promise<unknown>; close(): void }> {
  process.kill(service, 'SIGUSR1')
  const limit = Date.now() + PATIENCE_MILLISECONDS
  let address: string | undefined
  while (address === undefined) {
    address = await fetch(`http://127.0.0.1:${inspect_port}/json/list`).then(
      async (answer) =>
        ((await answer.json()) as { webSocketDebuggerUrl: string }[])[0]?.webSocketDebuggerUrl,
      () => undefined,
    )
    if (Date.now() > limit) throw new Error('the service did not open its inspector')
    if (address === undefined) await pause(50)
  }
  const socket = new WebSocket(address)
  await new Promise((resolve, reject) => {
    socket.addEventListener('open', resolve)
    socket.addEventListener('error', () => {
      reject(new Error('the inspector of the service cannot be reached'))
    })
  })
  const waiting = new Map<number, (result: unknown) => void>()
  socket.addEventListener('message', ({ data }) => {
    const { id, result } = JSON.parse(String(data)) as { id?: number; result?: unknown }
    if (id !== undefined) waiting.get(id)?.(result)
  })
  let lastId = 0
  return {
    ask: (method, params = {}) =>
      new Promise((resolve) => {
        lastId += 1
        waiting.set(lastId, resolve)
        socket.send(JSON.stringify({ id: lastId, method, params }))
      }),
    close: () => {
      socket.close()
    },
  }
}

function shares(profile: Profile, nameOf: (node: Node) => string): Share[] {
  const names = new Map(profile.nodes.map((node) => [node.id, nameOf(node)]))
  const spentBy = new Map<string, number>()
  let busy = 0
  for (const [index, sample] of profile.samples.entries()) {
    const name = names.get(sample) ?? ''
    if (name === '(idle)') continue
    const delta = profile.timeDeltas[index] ?? 0
    busy += delta
    spentBy.set(name, (spentBy.get(name) ?? 0) + delta)
  }
  return [...spentBy]
    .map(([name, time]) => ({ name, share: time / busy }))
    .toSorted((a, b) => b.share - a.share)
}

const functionOf = ({ callFrame: { functionName, url, lineNumber } }: Node): string =>
  functionName.startsWith('(') && url === ''
    ? functionName
    : `${functionName || '(anonymous)'} ${url.split('/').slice(-2).join('/')}:${lineNumber + 1}`

/** A package, a folder of the service, or the runtime itself. */
function partOf({ callFrame: { functionName, url } }: Node): string {
  const packaged = /node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(url)?.[1]
  if (packaged !== undefined) return packaged
  const own = /server\/src\/([^/]+)/.exec(url)?.[1]
  if (own !== undefined) return `server/${own}`
  return url === '' && functionName.startsWith('(')
    ? functionName
    : `node ${url.split('/')[0] ?? ''}`
}

export function printProfile({
  by_part,
  by_function,
}: {
  by_part: Share[]
  by_function: Share[]
}): void {
  const line = ({ name, share }: Share) => `  ${(share * 100).toFixed(1).padStart(5)} %  ${name}\n`
  process.stdout.write(
    `service, self time by part\n${by_part.slice(0, 12).map(line).join('')}by function\n` +
      `${by_function.slice(0, 15).map(line).join('')}`,
  )
}
