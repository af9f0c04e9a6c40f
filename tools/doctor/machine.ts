/** The machine: Node, memory, folders, space, and who listens at the ports. */
import { constants, existsSync } from 'node:fs'
import { access, stat } from 'node:fs/promises'
import { request as plainRequest } from 'node:http'
import { request as tlsRequest } from 'node:https'
import { totalmem } from 'node:os'
import { dirname, join } from 'node:path'
import { isLoopback } from '../../server/src/core/networks.ts'
import { headsPlaceFrom, readKeyFile } from '../../server/src/heads/index.ts'
import { DiskWatch, freeBytesOf } from '../../server/src/store/disk-watch.ts'
import { ROOT } from '../setup/setup.mjs'
import { bad, good, messageOf, warning } from './findings.ts'
import type { Check, Finding, Installation } from './findings.ts'

const NODE_MAJOR = 24
const MEGABYTE = 1_048_576
const SMALLEST_MEGABYTES = 500
const USUAL_MEGABYTES = 1_000
/** PostgreSQL keeps up to 4 GB of log, and needs as much beside it. */
const SPARE_MEGABYTES = 5_000
const WRITTEN_BY_OTHERS = 0o022
const PROBE_MILLISECONDS = 3_000

export const node: Check = async () => {
  const { node: version } = process.versions
  return Number(version.split('.')[0]) >= NODE_MAJOR
    ? good('node', `Node ${version}`)
    : bad('node', `Node ${version} is too old`, `install Node ${NODE_MAJOR} or newer`)
}

export const memory: Check = async () => {
  // A container has less than its machine; 0 where nothing limits it.
  const allowed = process.constrainedMemory() || Number.POSITIVE_INFINITY
  const megabytes = Math.floor(Math.min(allowed, totalmem()) / MEGABYTE)
  const says = `${megabytes} MB of memory`
  if (megabytes >= USUAL_MEGABYTES) return good('memory', says)
  const remedy = `give it ${USUAL_MEGABYTES} MB; all parts together take up to 500 MB`
  return megabytes < SMALLEST_MEGABYTES
    ? bad('memory', says, remedy)
    : warning('memory', says, remedy)
}

export const folders: Check = async ({ env, settings, embedded }) => {
  const needed: [name: string, folder: string | undefined][] = [
    ['DATA_DIR', env['DATA_DIR']],
    ['KONTOR_HISTORY', settings?.role === 'api' ? undefined : settings?.app.historyFolder],
    ['KONTOR_BANK_FOLDERS', settings?.role === 'api' ? undefined : settings?.app.bankFolders],
    ['KONTOR_HEADS', settings?.role === 'api' ? undefined : headsPlaceFrom(env)?.folder],
  ]
  const named = needed.filter((one): one is [string, string] => one[1] !== undefined)
  const faults = (await Promise.all(named.map((one) => folderFault(...one)))).flat()
  if (faults.length > 0) return faults
  if (named.length === 0 && embedded === undefined)
    return warning(
      'folders',
      'no folder is named: nothing is remembered outside the database',
      'set DATA_DIR to a folder that only the user of the service may write to',
    )
  return good('folders', named.map(([, folder]) => folder).join(', '))
}

async function folderFault(variable: string, folder: string): Promise<Finding[]> {
  const place = nearest(folder)
  try {
    await access(place, constants.R_OK | constants.W_OK | constants.X_OK)
  } catch {
    const remedy = `let the user that Kontor runs as own ${folder}`
    return [bad('folders', `${variable}: ${place} cannot be written to`, remedy)]
  }
  const { mode } = await stat(place)
  // A folder above it may be shared, as /tmp is.
  if (place !== folder || (mode & WRITTEN_BY_OTHERS) === 0) return []
  return [bad('folders', `${variable}: others may write to ${folder}`, `chmod go-w ${folder}`)]
}

/** The folder itself or, where it is yet to be made, the one above it that is there. */
function nearest(folder: string): string {
  return existsSync(folder) || dirname(folder) === folder ? folder : nearest(dirname(folder))
}

export const keyOfHeads: Check = async ({ env, settings }) => {
  const place = headsPlaceFrom(env)
  if (settings?.role === 'api') return []
  if (place === undefined)
    return warning(
      'key of heads',
      'no heads are signed: neither KONTOR_HEADS with KONTOR_HEADS_KEY nor DATA_DIR is set',
      'name a folder and a file for them (docs/operations.md, Signed heads)',
    )
  try {
    const key = await readKeyFile(place.key)
    const says = key === undefined ? `${place.key} is made at the first head` : place.key
    return good('key of heads', says)
  } catch (error) {
    return bad('key of heads', messageOf(error), 'let nobody but the service read it')
  }
}

export const disk: Check = async ({ env, settings, embedded }) => {
  const limit_mb = settings?.app.disk.limit_mb ?? 0
  const folder = settings?.app.disk.folder ?? embedded ?? env['DATA_DIR']
  if (folder === undefined) return good('disk', 'the database has no disk of this machine')
  const remedy = 'make room; 5 GB beside the data are for the log of the database'
  const watch = new DiskWatch({ folder: nearest(folder), limit_mb })
  await watch.look()
  const shortage = watch.shortage()
  if (shortage !== undefined)
    return bad('disk', `money does not move: ${shortage}`, `${remedy} (KONTOR_DISK_FREE_MB)`)
  const free = Math.floor((await freeBytesOf(nearest(folder))) / MEGABYTE)
  const says = `${free} MB are free at ${folder}`
  return free < SPARE_MEGABYTES ? warning('disk', says, remedy) : good('disk', says)
}

export const builtConsole: Check = async ({ settings }) => {
  if (settings?.role === 'worker') return []
  return existsSync(join(ROOT, 'console/dist/current'))
    ? good('console', 'the console is built')
    : warning('console', 'the console is not built', 'npm run build')
}

export const ports: Check = async ({ settings }) => {
  if (settings === undefined) return []
  const { door, place, port } = settings
  return Promise.all([
    ...(door === undefined ? [] : [portFinding('PORT', { port, ...door })]),
    ...(place === undefined ? [] : [portFinding('KONTOR_METRICS_PORT', place)]),
  ])
}

type Place = NonNullable<Installation['settings']>['place'] & { fixed?: boolean }

async function portFinding(
  variable: string,
  { host, port, tls, fixed = true }: Omit<Place, 'fixed' | 'plain' | 'names'> & { fixed?: boolean },
): Promise<Finding> {
  const name = variable === 'PORT' ? 'port' : 'port of the metrics'
  const at = isLoopback(host) || /^(0\.0\.0\.0|::)$/.test(host) ? '127.0.0.1' : host
  const answer = await probe(`${tls === undefined ? 'http' : 'https'}://${bracketed(at)}:${port}`)
  switch (answer.state) {
    case 'free':
      return good(name, `${port} is free: no service runs here now`)
    case 'ready':
      return good(name, `Kontor answers at ${port} and is ready`)
    default: {
      const says =
        answer.state === 'strange'
          ? `another program listens at ${port}`
          : `a Kontor answers at ${port} and is not ready: ${answer.reason ?? ''}`
      const remedy = `end it or mend it, or set ${variable} to another port`
      return fixed ? bad(name, says, remedy) : warning(name, says, remedy)
    }
  }
}

const bracketed = (host: string): string => (host.includes(':') ? `[${host}]` : host)

type Probed = { state: 'free' | 'ready' | 'strange' | 'not ready'; reason?: string }

/** Who answers there. The certificate is that of another name, and is judged by itself. */
function probe(address: string): Promise<Probed> {
  return new Promise((done) => {
    const request = address.startsWith('https') ? tlsRequest : plainRequest
    const asked = request(
      `${address}/readyz`,
      { timeout: PROBE_MILLISECONDS, rejectUnauthorized: false },
      (response) => {
        let text = ''
        response.setEncoding('utf8').on('data', (piece: string) => {
          text = (text + piece).slice(0, MEGABYTE)
        })
        response.on('end', () => {
          done(probedFrom(text))
        })
      },
    )
    asked.on('timeout', () => asked.destroy())
    asked.on('error', (error: NodeJS.ErrnoException) => {
      done({ state: error.code === 'ECONNREFUSED' ? 'free' : 'strange' })
    })
    asked.end()
  })
}

function probedFrom(text: string): Probed {
  try {
    const { status, reason = '' } = JSON.parse(text) as { status?: string; reason?: string }
    if (status === 'ready') return { state: 'ready' }
    return status === 'not ready' ? { state: 'not ready', reason } : { state: 'strange' }
  } catch {
    return { state: 'strange' }
  }
}
