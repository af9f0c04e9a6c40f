/**
 * What is built ahead of a start: `<dist>/<stamp>/`, where the stamp is the hash of its sources.
 * `current` names the last one. A build that is there is not made again.
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

export type Build = {
  /** Folder of all its builds. */
  dist: string
  /** Files and folders of the repository; of folders the files that `counts` names. */
  sources: readonly string[]
  counts: RegExp
  /** Writes it into this folder. */
  make(folder: string): Promise<void>
}

/** Running services still serve from the builds before. */
const KEPT_BUILDS = 3
const KEPT_MILLISECONDS = 3_600_000
const SMALLEST_COMPRESSED_BYTES = 1024
/** 9 of 11: the last two steps cost ten times the time for a twentieth of the size. */
const BROTLI_QUALITY = 9

export async function isBuilt(build: Build): Promise<boolean> {
  const stamp = await wantedStamp(build)
  return existsSync(join(build.dist, stamp, 'index.html')) && (await currentOf(build)) === stamp
}

/** The name of the folder that was built last; empty before there is one. */
export const currentOf = async ({ dist }: Build): Promise<string> =>
  (await readFile(join(dist, 'current'), 'utf8').catch(() => '')).trim()

/** Answers whether there was something to do. */
export async function buildOnce(build: Build): Promise<boolean> {
  if (await isBuilt(build)) return false
  const { dist } = build
  await mkdir(dist, { recursive: true })
  const lock = await takeLock(join(dist, 'lock'), () => undefined)
  try {
    if (await isBuilt(build)) return false
    const stamp = await wantedStamp(build)
    if (!existsSync(join(dist, stamp, 'index.html'))) await make(build, join(dist, stamp))
    const current = join(dist, 'current')
    await writeFile(`${current}.new`, `${stamp}\n`)
    await rename(`${current}.new`, current)
    await forgetOldBuilds(dist, stamp)
    return true
  } finally {
    await lock.release()
  }
}

async function make({ dist, make: makeInto }: Build, target: string): Promise<void> {
  const folder = await mkdtemp(join(dist, 'making-'))
  try {
    await makeInto(folder)
    await rm(target, { recursive: true, force: true })
    // Another user may start what one has built.
    await chmod(folder, 0o755)
    await rename(folder, target)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

/** Writes compressed copies beside the text files of this folder. */
export async function compressFiles(folder: string): Promise<void> {
  await Promise.all((await readdir(folder)).map((name) => compress(join(folder, name))))
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

async function forgetOldBuilds(dist: string, current: string): Promise<void> {
  const builds = (await readdir(dist, { withFileTypes: true })).filter(
    (dirent) => dirent.isDirectory() && dirent.name !== current,
  )
  const aged = await Promise.all(
    builds.map(async ({ name }) => ({ name, at: (await stat(join(dist, name))).mtimeMs })),
  )
  const old = aged
    .toSorted((a, b) => b.at - a.at)
    .slice(KEPT_BUILDS - 1)
    .filter(({ at }) => Date.now() - at > KEPT_MILLISECONDS)
  for (const { name } of old) await rm(join(dist, name), { recursive: true, force: true })
}

async function wantedStamp({ sources, counts }: Build): Promise<string> {
  const hash = createHash('sha256')
  for (const source of sources) {
    const path = join(ROOT, source)
    if (!existsSync(path)) continue
    const names = (await stat(path)).isDirectory()
      ? (await readdir(path, { recursive: true })).filter((name) => counts.test(name)).toSorted()
      : ['']
    for (const name of names)
      hash.update(`${source}/${name}\0`).update(await readFile(join(path, name)))
  }
  return hash.digest('hex').slice(0, 16)
}
