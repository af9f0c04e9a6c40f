/**
 * How a list of 100,000 rows scrolls: frames in which rows were missing where somebody looks, and
 * the longest frame.
 */
import type { Page } from 'playwright-core'
import { fill, FILLS, openRows } from '../../bench/src/lists/rows.ts'
import type { Installation } from './browser.ts'

export const ROWS = 100_000
/** As fast as a hand turns a wheel: 10,000 pixels a second. */
const HAND = { pixels: 160, every_ms: 16, seconds: 10 }
/** Per turn of the wheel, until all rows have passed. */
const LEAP_PIXELS = 4_000
const LIMIT_MILLISECONDS = 240_000

/**
 * `blank`: frames with a gap where rows belong. `late`: the wheel was faster than the rows before
 * they were drawn.
 */
export type ScrollFigures = {
  rows: number
  seconds: number
  frames: number
  blank: number
  late: number
  worst_ms: number
}

type FrameCounts = Omit<ScrollFigures, 'rows' | 'seconds'>
type Watching = { kontorWatch: FrameCounts }

export const frameCounts = (page: Page): Promise<FrameCounts> =>
  page.evaluate(() => (window as unknown as Watching).kontorWatch)

export async function scrollThrough(
  here: Installation,
): Promise<{ hand: ScrollFigures; leaps: ScrollFigures }> {
  await seedDeposits(here, ROWS)
  const page = await here.page({ path: '/treasury/deposits' })
  await page.locator('tr[data-index="20"]').waitFor()
  await page.locator('.grid-scroller').hover()
  await watch(page)
  const hand = await measure(page, async (begun) => {
    for (let turn = 1; performance.now() - begun < HAND.seconds * 1000; turn += 1) {
      await page.mouse.wheel(0, HAND.pixels)
      await new Promise((done) => {
        setTimeout(done, Math.max(0, begun + turn * HAND.every_ms - performance.now()))
      })
    }
  })
  const leaps = await measure(page, async (begun) => {
    while (!(await atEnd(page))) {
      if (performance.now() - begun > LIMIT_MILLISECONDS)
        throw new Error(`only ${await passedRows(page)} rows have passed`)
      for (let turn = 0; turn < 10; turn += 1) await page.mouse.wheel(0, LEAP_PIXELS)
    }
  })
  await page.context().close()
  return { hand, leaps }
}

/** Straight into the database, at a venue and a wallet that are there. */
export async function seedDeposits(
  { database_url, kontor }: Installation,
  count: number,
): Promise<void> {
  const { db, workspace } = await openRows(database_url, count)
  try {
    await fill(db, workspace, FILLS.deposits, count)
    const bank = (await kontor.get('/venues')).find(({ label }) => label === 'Sandbox Bank')?.id
    const wallet = (await kontor.get('/treasury/wallets')).find(
      ({ venue_id }) => venue_id === bank,
    )?.id
    await db.query(
      `update deposits
       set venue_id = $1, wallet_id = $2
       where foreign_id like 'D%'`,
      [bank, wallet],
    )
  } finally {
    await db.end()
  }
}

async function measure(page: Page, act: (begun: number) => Promise<void>): Promise<ScrollFigures> {
  const before = await passedRows(page)
  await page.evaluate(() => {
    Object.assign((window as unknown as Watching).kontorWatch, {
      frames: 0,
      blank: 0,
      late: 0,
      worst_ms: 0,
    })
  })
  const begun = performance.now()
  await act(begun)
  const found = await frameCounts(page)
  return {
    ...found,
    worst_ms: Math.round(found.worst_ms),
    rows: (await passedRows(page)) - before,
    seconds: Math.round((performance.now() - begun) / 100) / 10,
  }
}

/** The last row that is there. */
export const passedRows = (page: Page): Promise<number> =>
  page
    .locator('tr[data-index]')
    .last()
    .evaluate((row) => Number((row as HTMLElement).dataset['index']))

/** The last of all rows is there, and nothing is below it. */
async function atEnd(page: Page): Promise<boolean> {
  if ((await passedRows(page)) < ROWS - 1) return false
  return page
    .locator('.grid-scroller')
    .evaluate((scroller) => scroller.scrollTop + scroller.clientHeight >= scroller.scrollHeight - 2)
}

/**
 * Looks at every frame; and at every scroll before the list has answered to it, when the screen may
 * already show the place.
 */
export async function watch(page: Page): Promise<void> {
  await page.evaluate(() => {
    const scroller = document.querySelector('.grid-scroller')
    if (scroller === null) throw new Error('there is no list')
    const seen = { frames: 0, blank: 0, late: 0, worst_ms: 0 }
    Object.assign(window, { kontorWatch: seen })
    const covered = (): boolean => {
      const { top } = scroller.getBoundingClientRect()
      const rows = scroller.querySelectorAll('tr[data-index]')
      const [first, last] = [
        rows[0]?.getBoundingClientRect(),
        rows[rows.length - 1]?.getBoundingClientRect(),
      ]
      const head = scroller.querySelector('thead')?.getBoundingClientRect().height ?? 0
      return (
        first !== undefined &&
        last !== undefined &&
        first.top <= top + head + 1 &&
        last.bottom >=
          Math.min(top + scroller.clientHeight, top + scroller.scrollHeight - scroller.scrollTop) -
            1
      )
    }
    document.addEventListener(
      'scroll',
      () => {
        if (!covered()) seen.late += 1
      },
      { capture: true },
    )
    let before = performance.now()
    const frame = (now: number): void => {
      seen.frames += 1
      seen.worst_ms = Math.max(seen.worst_ms, now - before)
      before = now
      if (!covered()) seen.blank += 1
      requestAnimationFrame(frame)
    }
    requestAnimationFrame(frame)
  })
}
