/**
 * What an hour of a busy desk leaves in the browser's memory: its events, made fast, while pages
 * are open.
 */
import type { Page } from 'playwright-core'
import { until } from './browser.ts'
import type { Installation } from './browser.ts'
import { passedRows } from './figures-scroll.ts'

/** Two a second. */
const HOUR_EVENTS = 7_200
const AT_ONCE = 4
const PER_SECOND = 60
const PATIENCE_MILLISECONDS = 30_000
/** Rows below the pages that are read again as a whole. */
const FAR_ROWS = 1_500

export type Memory = { events: number; page: string; heap_mb: number; nodes: number }

/** At the beginning, after half of the events and at the end, each after the garbage is gone. */
export async function memory(here: Installation, say: (line: string) => void): Promise<Memory[]> {
  const book = await booker(here)
  await book(2_000)
  const first = await here.page({ path: '/overview' })
  const list = await first.context().newPage()
  const far = await first.context().newPage()
  for (const page of [list, far]) await page.goto(`${here.url}/books/bookings`)
  await far.locator('.grid-scroller tr[data-index]').first().waitFor()
  await far.locator('.grid-scroller').hover()
  await until('the list is scrolled far', PATIENCE_MILLISECONDS, async () => {
    await far.mouse.wheel(0, 3_000)
    return (await passedRows(far)) > FAR_ROWS
  })
  const pages = Object.entries({
    overview: first,
    'list at its top': list,
    'list scrolled far': far,
  })
  const found: Memory[] = []
  // The first events bring what only events bring.
  await book(HOUR_EVENTS / 10)
  for (const events of [0, HOUR_EVENTS / 2, HOUR_EVENTS]) {
    if (events > 0) await book(HOUR_EVENTS / 2)
    for (const [page, tab] of pages) found.push({ events, page, ...(await weigh(tab)) })
    say(
      `after ${events} events: ${found
        .slice(-pages.length)
        .map((memory) => `${memory.page} ${memory.heap_mb} MB`)
        .join(', ')}`,
    )
  }
  await first.context().close()
  return found
}

/** Bookings by hand, several at once, this many a second: each is an event. */
async function booker({ kontor }: Installation): Promise<(count: number) => Promise<void>> {
  await until(
    'the customers are there',
    PATIENCE_MILLISECONDS,
    async () => (await kontor.get('/customers')).length === 2,
  )
  const accounts = await kontor.get('/accounts')
  const [house, account_id] = (['HOUSE', 'CUSTOMER'] as const).map(
    (type) => accounts.find((account) => account.type === type)?.id ?? '',
  ) as [string, string]
  return async (count) => {
    const begun = performance.now()
    let next = 0
    await Promise.all(
      Array.from({ length: AT_ONCE }, async () => {
        while (next < count) {
          const due = begun + (next++ / PER_SECOND) * 1000
          await new Promise((done) => {
            setTimeout(done, Math.max(0, due - performance.now()))
          })
          await kontor.post('/bookings', {
            body: {
              asset: 'EUR',
              description: 'An hour of a busy desk',
              legs: [
                { account_id: house, quantity: '1', type: 'DEBIT' },
                { account_id, quantity: '1', type: 'CREDIT' },
              ],
            },
          })
        }
      }),
    )
  }
}

async function weigh(page: Page): Promise<{ heap_mb: number; nodes: number }> {
  const session = await page.context().newCDPSession(page)
  await session.send('HeapProfiler.enable')
  await session.send('HeapProfiler.collectGarbage')
  await session.send('Performance.enable')
  const { metrics } = await session.send('Performance.getMetrics')
  await session.detach()
  const of = (name: string): number => metrics.find((metric) => metric.name === name)?.value ?? 0
  return { heap_mb: Math.round(of('JSHeapUsedSize') / 100_000) / 10, nodes: of('Nodes') }
}
