/**
 * `npm run quality figures`: what the console weighs, how soon it can be used, how a long list
 * scrolls, and what an hour of events leaves in memory. Fails when a page with a cache takes longer
 * than 1.5 s, when a frame is blank, when memory keeps growing: run it on a machine that does
 * nothing else. One part alone: `npm run quality figures pages`, `memory`, `scroll`.
 */
import { readdir, readFile, stat } from 'node:fs/promises'
import { loadavg } from 'node:os'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { ROOT } from '../../tools/setup/setup.mjs'
import { openInstallation } from './browser.ts'
import type { Installation } from './browser.ts'
import { memory } from './figures-memory.ts'
import type { Memory } from './figures-memory.ts'
import { ROWS, scrollThrough } from './figures-scroll.ts'
import type { ScrollFigures } from './figures-scroll.ts'

const INTERACTIVE_MILLISECONDS = 1_500
const QUIET_LOAD = 1.5
/** From the half to the end of the hour. */
const GROWTH = 1.1
const load = loadavg()[0] ?? 0
const installation = await openInstallation()
if (installation === undefined) throw new Error('there is no browser to measure with')
const part = process.argv[2]
const wrong: string[] = []
const say = (line: string): void => {
  process.stdout.write(`${line}\n`)
}
/** A row of a table. */
const sayRow = (...cells: readonly unknown[]): void => {
  say(`| ${cells.join(' | ')} |`)
}
try {
  const verdict =
    load < QUIET_LOAD ? 'quiet' : 'not quiet: the times below are of a machine that has other work'
  say(`load of the machine before: ${load.toFixed(2)}, ${verdict}\n`)
  await bundle()
  if (part === undefined || part === 'pages') await pages(installation)
  if (part === undefined || part === 'memory') await hour(installation)
  if (part === undefined || part === 'scroll') await scroll(installation)
} finally {
  await installation.close()
}
if (wrong.length > 0) throw new Error(wrong.join('; '))

async function bundle(): Promise<void> {
  const dir = join(
    ROOT,
    'console/dist',
    (await readFile(join(ROOT, 'console/dist/current'), 'utf8')).trim(),
    'assets',
  )
  const files = await Promise.all(
    (await readdir(dir)).map(async (name) => ({ name, bytes: (await stat(join(dir, name))).size })),
  )
  const sum = (ending: string): number =>
    files.filter(({ name }) => name.endsWith(ending)).reduce((total, { bytes }) => total + bytes, 0)
  const scripts = files.filter(({ name }) => name.endsWith('.js'))
  const size = `${kilo(sum('.js'))} kB of scripts in ${scripts.length} files`
  say(`bundle: ${size}, ${kilo(sum('.js.br'))} kB as sent (brotli)\n`)
}

type Visit = { kilobytes: number; milliseconds: number }

async function pages(here: Installation): Promise<void> {
  const first = await here.page()
  const paths = await first
    .getByRole('navigation')
    .getByRole('link')
    .evaluateAll((all) => all.map((link) => link.getAttribute('href') ?? ''))
  const login = await here.page({ out: true })
  await login.getByLabel('E-mail').waitFor()
  const entered = await measure(login)
  say(`login: ${entered.kilobytes} kB, ${entered.milliseconds} ms\n`)
  say('| page | first visit kB | ms | again kB | ms |\n|---|---:|---:|---:|---:|')
  for (const path of paths) {
    const cold = await visit(here, first, path, true)
    const warm = await visit(here, first, path, false)
    if (warm.milliseconds > INTERACTIVE_MILLISECONDS)
      wrong.push(`${path} takes ${warm.milliseconds} ms, more than ${INTERACTIVE_MILLISECONDS}`)
    sayRow(path, cold.kilobytes, cold.milliseconds, warm.kilobytes, warm.milliseconds)
  }
  say('')
  await Promise.all([first.context().close(), login.context().close()])
}

/** From the beginning of the navigation until the page shows what it read and answers to a key. */
async function visit(here: Installation, page: Page, path: string, cold: boolean): Promise<Visit> {
  if (cold) {
    const session = await page.context().newCDPSession(page)
    await session.send('Network.clearBrowserCache')
    await session.detach()
  }
  await page.goto(here.url + path, { waitUntil: 'commit' })
  await page.getByRole('heading', { level: 1 }).waitFor()
  await page.getByRole('status', { name: 'Loading' }).waitFor({ state: 'detached' })
  return measure(page)
}

async function measure(page: Page): Promise<Visit> {
  return page.evaluate(
    () =>
      new Promise<Visit>((done) => {
        // The second frame comes when the first is painted and the script has nothing else to do.
        requestAnimationFrame(() => {
          requestAnimationFrame(() => {
            const loaded = performance.getEntriesByType('resource') as PerformanceResourceTiming[]
            const bytes = loaded
              .filter(({ name }) => name.includes('/assets/'))
              .reduce((total, { transferSize }) => total + transferSize, 0)
            done({
              kilobytes: Math.round(bytes / 1000),
              milliseconds: Math.round(performance.now()),
            })
          })
        })
      }),
  )
}

async function hour(here: Installation): Promise<void> {
  const found = await memory(here, (line) => {
    process.stderr.write(`${line}\n`)
  })
  const names = [...new Set(found.map((memory) => memory.page))]
  const of = (page: string, events: number): Memory | undefined =>
    found.find((memory) => memory.page === page && memory.events === events)
  const moments = [...new Set(found.map((memory) => memory.events))]
  sayRow('memory after events', ...moments.flatMap((events) => [`${events}: MB`, 'elements']))
  say(`|---|${moments.map(() => '---:|---:|').join('')}`)
  for (const page of names) {
    const figures = moments.map((events) => of(page, events))
    sayRow(page, ...figures.flatMap((figure) => [figure?.heap_mb, figure?.nodes]))
    const [half, end] = moments.slice(-2).map((events) => of(page, events)?.heap_mb ?? 0)
    if ((end ?? 0) > (half ?? 0) * GROWTH)
      wrong.push(`the memory of the ${page} keeps growing: ${half} MB, then ${end} MB`)
  }
  say('')
}

async function scroll(here: Installation): Promise<void> {
  const { hand, leaps } = await scrollThrough(here)
  const columns = ['rows passed', 's', 'frames', 'blank', 'late', 'longest frame ms']
  sayRow(`scrolling through ${ROWS} rows`, ...columns)
  say('|---|---:|---:|---:|---:|---:|---:|')
  for (const [how, figures] of [
    ['as fast as a hand', hand],
    ['as fast as the rows come', leaps],
  ] as [string, ScrollFigures][]) {
    const { rows, seconds, frames, blank, late, worst_ms } = figures
    sayRow(how, rows, seconds, frames, blank, late, worst_ms)
    if (blank > 0) wrong.push(`${blank} of ${frames} frames were blank when scrolled ${how}`)
  }
  if (hand.late > 0) wrong.push(`the rows came late ${hand.late} times`)
}

function kilo(bytes: number): number {
  return Math.round(bytes / 1000)
}
