/**
 * `node tools/command.mjs figures`: what the console weighs and how soon it can be used. Per page: bytes over the wire (all of a first
 * visit, and of one with the browser's cache), and milliseconds until what it read stands there. Fails when a page with a
 * cache takes longer than 1.5 s: run it on a machine that does nothing else.
 */
import { readdir, readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { ROOT } from '../../tools/setup.mjs'
import { openPlace } from './browser.ts'
import type { Place } from './browser.ts'

const INTERACTIVE_MILLISECONDS = 1_500
const place = await openPlace()
if (place === undefined) throw new Error('there is no browser to measure with')
const say = (line: string): void => { process.stdout.write(`${line}\n`) }
let slow = 0
try {
  await bundle()
  await pages(place)
} finally {
  await place.close()
}
if (slow > 0) throw new Error(`${slow} pages take longer than ${INTERACTIVE_MILLISECONDS} ms`)

async function bundle(): Promise<void> {
  const dir = join(ROOT, 'console/dist', (await readFile(join(ROOT, 'console/dist/current'), 'utf8')).trim(), 'assets')
  const files = await Promise.all((await readdir(dir)).map(async (name) => ({ name, bytes: (await stat(join(dir, name))).size })))
  const sum = (ending: string): number => files.filter(({ name }) => name.endsWith(ending)).reduce((total, { bytes }) => total + bytes, 0)
  say(`bundle: ${kilo(sum('.js'))} kB of scripts in ${files.filter(({ name }) => name.endsWith('.js')).length} files, ${kilo(sum('.js.br'))} kB as sent (brotli)\n`)
}

type Visit = { kilobytes: number; milliseconds: number }

async function pages(here: Place): Promise<void> {
  const first = await here.page()
  const paths = await first.getByRole('navigation').getByRole('link').evaluateAll((all) => all.map((link) => link.getAttribute('href') ?? ''))
  const login = await here.page({ out: true })
  await login.getByLabel('E-mail').waitFor()
  say(`login: ${(await measured(login)).milliseconds} ms\n`)
  say('| page | first visit kB | ms | again kB | ms |\n|---|---:|---:|---:|---:|')
  for (const path of paths) {
    const cold = await visit(here, first, path, true)
    const warm = await visit(here, first, path, false)
    if (warm.milliseconds > INTERACTIVE_MILLISECONDS) slow++
    say(`| ${path} | ${cold.kilobytes} | ${cold.milliseconds} | ${warm.kilobytes} | ${warm.milliseconds} |`)
  }
  await Promise.all([first.context().close(), login.context().close()])
}

/** From the beginning of the navigation until the page shows what it read and answers to a key. */
async function visit(here: Place, page: Page, path: string, cold: boolean): Promise<Visit> {
  if (cold) {
    const session = await page.context().newCDPSession(page)
    await session.send('Network.clearBrowserCache')
    await session.detach()
  }
  await page.goto(here.url + path, { waitUntil: 'commit' })
  await page.getByRole('heading', { level: 1 }).waitFor()
  await page.getByRole('status', { name: 'Loading' }).waitFor({ state: 'detached' })
  return measured(page)
}

async function measured(page: Page): Promise<Visit> {
  return page.evaluate(() => new Promise<Visit>((done) => {
    // The second frame comes when the first is painted and the script has nothing else to do.
    requestAnimationFrame(() => { requestAnimationFrame(() => {
      const loaded = performance.getEntriesByType('resource') as PerformanceResourceTiming[]
      const bytes = loaded.filter((each) => each.name.includes('/assets/')).reduce((total, each) => total + each.transferSize, 0)
      done({ kilobytes: Math.round(bytes / 1000), milliseconds: Math.round(performance.now()) })
    }) })
  }))
}

function kilo(bytes: number): number {
  return Math.round(bytes / 1000)
}
