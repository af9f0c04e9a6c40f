/**
 * Builds the console ahead: `console/dist/<stamp>/`, where the stamp is the hash of its sources,
 * and `current` names the last one. A build that is there is not made again. As a program of its
 * own its memory is gone when it ends.
 */
import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import {
  chmod,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  rename,
  rm,
  stat,
  writeFile,
} from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import { takeLock } from '../../server/src/core/file-lock.mjs'
import { ROOT } from './setup.mjs'

const DIST = join(ROOT, 'console/dist')
const CURRENT = join(DIST, 'current')
const SOURCES = [
  'console/index.html',
  'console/vite.config.ts',
  'console/src',
  'client/src',
  'package-lock.json',
]
/** Running services still serve from the builds before. */
const KEPT_BUILDS = 3
const KEPT_MILLISECONDS = 3_600_000
const SMALLEST_COMPRESSED_BYTES = 1024
/** 9 of 11: the last two steps cost ten times the time for a twentieth of the size. */
const BROTLI_QUALITY = 9

export async function consoleIsBuilt(): Promise<boolean> {
  const stamp = await wantedStamp()
  return (
    existsSync(join(DIST, stamp, 'index.html')) &&
    (await readFile(CURRENT, 'utf8').catch(() => '')).trim() === stamp
  )
}

/** Answers whether there was something to do. */
export async function buildConsole(): Promise<boolean> {
  if (await consoleIsBuilt()) return false
  await mkdir(DIST, { recursive: true })
  const lock = await takeLock(join(DIST, 'lock'), () => undefined)
  try {
    if (await consoleIsBuilt()) return false
    const stamp = await wantedStamp()
    if (!existsSync(join(DIST, stamp, 'index.html'))) await build(join(DIST, stamp))
    await writeFile(`${CURRENT}.new`, `${stamp}\n`)
    await rename(`${CURRENT}.new`, CURRENT)
    await forgetOldBuilds(stamp)
    return true
  } finally {
    await lock.release()
  }
}

async function build(target: string): Promise<void> {
  const { build: viteBuild } = await import('vite')
  const folder = await mkdtemp(join(DIST, 'making-'))
  try {
    await viteBuild({
      root: join(ROOT, 'console'),
      configFile: join(ROOT, 'console/vite.config.ts'),
      logLevel: 'warn',
      build: { outDir: folder, emptyOutDir: false },
    })
    await assertNamed(folder)
    await Promise.all(
      (await readdir(join(folder, 'assets'))).map((name) => compress(join(folder, 'assets', name))),
    )
    await rm(target, { recursive: true, force: true })
    // Another user may start what one has built.
    await chmod(folder, 0o755)
    await rename(folder, target)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

/** Every file that a page is sent with is there. */
async function assertNamed(folder: string): Promise<void> {
  const named = Object.values(
    JSON.parse(await readFile(join(folder, 'pages.json'), 'utf8')) as Record<string, string[]>,
  ).flat()
  const missing = named.find((file) => !existsSync(join(folder, file)))
  if (missing !== undefined)
    throw new Error(`the console's pages name ${missing}, which was not built`)
}

async function compress(path: string): Promise<void> {
  const text = await readFile(path)
  if (text.length < SMALLEST_COMPRESSED_BYTES || !/\.(js|css|svg|json)$/.test(path)) return
  await writeFile(
    `${path}.br`,
    await promisify(brotliCompress)(text, {
      params: { [constants.BROTLI_PARAM_QUALITY]: BROTLI_QUALITY },
    }),
  )
  await writeFile(`${path}.gz`, await promisify(gzip)(text))
}

async function forgetOldBuilds(current: string): Promise<void> {
  const builds = (await readdir(DIST, { withFileTypes: true })).filter(
    (dirent) => dirent.isDirectory() && dirent.name !== current,
  )
  const aged = await Promise.all(
    builds.map(async ({ name }) => ({ name, at: (await stat(join(DIST, name))).mtimeMs })),
  )
  const old = aged
    .toSorted((a, b) => b.at - a.at)
    .slice(KEPT_BUILDS - 1)
    .filter(({ at }) => Date.now() - at > KEPT_MILLISECONDS)
  for (const { name } of old) await rm(join(DIST, name), { recursive: true, force: true })
}

async function wantedStamp(): Promise<string> {
  const hash = createHash('sha256')
  for (const source of SOURCES) {
    const path = join(ROOT, source)
    const names = (await stat(path)).isDirectory()
      ? (await readdir(path, { recursive: true }))
          .filter((name) => /\.(tsx?|css|svg)$/.test(name))
          .toSorted()
      : ['']
    for (const name of names)
      hash.update(`${source}/${name}\0`).update(await readFile(join(path, name)))
  }
  return hash.digest('hex').slice(0, 16)
}

if (import.meta.main) {
  const began = Date.now()
  if (await buildConsole())
    process.stderr.write(
      `kontor: the console is built, ${Math.ceil((Date.now() - began) / 1000)} s\n`,
    )
}
