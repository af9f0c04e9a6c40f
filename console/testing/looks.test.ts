/**
 * Every page as it is reached: nothing serious for axe in both themes, and no text that is cut or
 * lies upon another, at 1280 and 1920 columns and at 200 %.
 */
import assert from 'node:assert/strict'
import { before, describe, it } from 'node:test'
import { openForTests, seriousFindings, until } from './browser.ts'
import { openFirst } from './hands.ts'
import { passedRows, seedDeposits, frameCounts, watch } from './figures-scroll.ts'
import { HALF, isLaidOut, layoutFaults, LOW } from './layout.ts'
import { givePeopleMoney, tradeAtPrime } from './money.ts'

const { here, skip } = await openForTests()

const SMALL = { width: 1280, height: 800 }
const LARGE = { width: 1920, height: 1080 }
const LONG = 3_000
const PATIENCE_MILLISECONDS = 60_000

describe('every page', { skip }, () => {
  before(async () => {
    await givePeopleMoney(here)
    await tradeAtPrime(here, 'BUY', '0.1')
  })

  it('has no text cut or covered, and nothing serious for axe, in either theme', async () => {
    const page = await here.page()
    const paths = await page
      .getByRole('navigation', { includeHidden: true })
      .getByRole('link', { includeHidden: true })
      .evaluateAll((all) => all.map((link) => link.getAttribute('href') ?? ''))
    assert.ok(paths.length > 20)
    for (const path of [...paths, '/search?q=jonas']) {
      await page.setViewportSize(SMALL)
      await page.emulateMedia({ colorScheme: 'light' })
      await page.goto(here.url + path)
      await page.getByRole('heading', { level: 1 }).waitFor()
      await page.getByRole('status', { name: 'Loading' }).first().waitFor({ state: 'detached' })
      await isLaidOut(page, `${path} at 1280`, SMALL)
      if (await openFirst(page)) {
        await page.locator('.record').locator('[role="tablist"], .failure').first().waitFor()
        await page.getByRole('status', { name: 'Loading' }).first().waitFor({ state: 'detached' })
        await isLaidOut(page, `the record of ${path} at 1280`, SMALL)
        await isLaidOut(page, `the record of ${path} at 960`, LOW)
        await page.setViewportSize(SMALL)
      }
      assert.deepEqual(await seriousFindings(page), [], path)
      await isLaidOut(page, `${path} at 1920`, LARGE)
      await page.emulateMedia({ colorScheme: 'dark' })
      await isLaidOut(page, `${path} at 200 %`, HALF)
      assert.deepEqual(await seriousFindings(page), [], `${path}, dark, at 200 %`)
    }
    await page.context().close()
  })

  it('is measured: text that is cut, text upon text, and what is too wide are found', async () => {
    const page = await here.page({ out: true })
    await page.setContent(`<p style="width: 40px; overflow: hidden; white-space: nowrap">cut off</p>
      <p>one line</p><p style="margin-top: -28px">upon another</p>
      <div style="width: 5000px">wide</div>
      <table class="grid" style="width: 60px; table-layout: fixed"><tr>
        <td style="white-space: nowrap; overflow: hidden; text-overflow: ellipsis">
          <span class="amount" title="234567.89">234,567.89 EUR</span>
      </td></tr></table>`)
    assert.deepEqual(
      (await layoutFaults(page)).map((fault) => fault.replace(/ \d+ px| “[^”]*”$/, '')),
      ['the page is wide', 'cut: p.', 'cut: td.', '“one line” lies upon'],
    )
    await page.context().close()
  })

  it('folds a narrow navigation away once something was chosen in it, not before', async () => {
    const page = await here.page({ size: HALF, path: '/treasury/deposits' })
    const unfolded = Promise.withResolvers<undefined>()
    await page.route('**/assets/overview-*.js', async (route) => {
      await unfolded.promise
      await route.continue()
    })
    await page.goto(here.url, { waitUntil: 'commit' })
    const bookings = page.getByRole('link', { name: 'Bookings' })
    await bookings.waitFor({ state: 'hidden' })
    await page.getByRole('button', { name: 'Menu' }).click()
    await bookings.waitFor()
    unfolded.resolve(undefined)
    await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor()
    await bookings.click()
    await page.getByRole('heading', { name: 'Bookings' }).waitFor()
    await bookings.waitFor({ state: 'hidden' })
    await page.context().close()
  })

  it('scrolls a long list without a blank frame, and says that newer rows came', async () => {
    await seedDeposits(here, LONG)
    const page = await here.page({ path: '/treasury/deposits' })
    const list = page.locator('.grid-scroller')
    await list.locator('tr[data-index="20"]').waitFor()
    await list.hover()
    await watch(page)
    await until('the list is scrolled far', PATIENCE_MILLISECONDS, async () => {
      await page.mouse.wheel(0, 2_000)
      return (await passedRows(page)) > LONG / 2
    })
    const { frames, blank } = await frameCounts(page)
    assert.ok(frames > 0)
    assert.equal(blank, 0)

    // Until all of it is read and the wheel has come to rest.
    await page.locator('.page-head .count').filter({ hasNotText: 'more' }).waitFor()
    await list.evaluate(async (element) => {
      for (let [at, still] = [element.scrollTop, 0]; still < 30; at = element.scrollTop) {
        await new Promise(requestAnimationFrame)
        still = element.scrollTop === at ? still + 1 : 0
      }
    })
    const keys = () =>
      list
        .locator('tr[data-key]')
        .evaluateAll((rows) => rows.map((row) => row.getAttribute('data-key')))
    const before = await keys()
    await here.wire({ from_name: 'Nora New', quantity: '77', reference: 'NEWER THAN ALL' })
    const newer = page.getByRole('button', { name: 'Newer rows available: refresh' })
    await newer.waitFor()
    assert.deepEqual(await keys(), before)
    await newer.click()
    await page.getByRole('row').filter({ hasText: 'NEWER THAN ALL' }).waitFor()
    await newer.waitFor({ state: 'hidden' })
    await page.context().close()
  })
})
