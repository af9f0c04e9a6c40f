/**
 * Loading the service takes most of a second of a processor. So modest test files of one folder
 * share a process, in which they run one after another. A file that is named alone runs alone.
 */
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'

const MODEST = /^(server|sandbox|console|client)\/src\//
const TOGETHER = 8
/** Folders below this depth belong to the one at it. */
const DEPTH = 3
/**
 * What would reach the files beside it (hooks and waiting outside of every suite, the environment,
 * the clock), what measures time, and what starts programs.
 */
const IMMODEST = [
  /^(before|after|beforeEach|afterEach)\(/m,
  /^(const|let) [^=]*= await |^await /m,
  /process\.(env\[[^\]]+\] = |chdir|on\()/,
  /mock\.timers|performance\.now/,
  /spawn\(|[sS]andbox/,
]

/**
 * The programs to run in the place of these files of `root`; those of several files are written
 * into `folder`.
 * @param {string} root @param {readonly string[]} files @param {string} folder
 */
export async function inSharedProcesses(root, files, folder) {
  /** @type {Map<string, string[]>} */
  const groups = new Map()
  for (const file of files) {
    const key = (await isModest(root, file))
      ? dirname(file).split('/').slice(0, DEPTH).join('/')
      : file
    groups.set(key, [...(groups.get(key) ?? []), file])
  }
  const programs = []
  for (const members of groups.values())
    for (let first = 0; first < members.length; first += TOGETHER)
      programs.push(await programOf(root, members.slice(first, first + TOGETHER), folder))
  return programs
}

/** @param {string} root @param {string} file */
async function isModest(root, file) {
  if (!MODEST.test(file)) return false
  const text = await readFile(join(root, file), 'utf8')
  return !IMMODEST.some((pattern) => pattern.test(text))
}

/** @param {string} root @param {readonly string[]} files @param {string} folder */
async function programOf(root, files, folder) {
  const [first = '', ...others] = files
  if (others.length === 0) return first
  const path = join(folder, dirname(first), `${basename(first, '.test.ts')}+${others.length}.mjs`)
  await mkdir(dirname(path), { recursive: true })
  await writeFile(path, loading(files.map((file) => pathToFileURL(join(root, file)).href)))
  return path
}

/** One that cannot be loaded fails; the others run. @param {readonly string[]} urls */
const loading = (urls) => `import { test } from 'node:test'
for (const url of ${JSON.stringify(urls)})
  await import(url).catch((error) => test(url, () => { throw error }))
`
