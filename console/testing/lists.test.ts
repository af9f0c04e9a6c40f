/** What people do with a list: days, amounts, totals, views that they keep. */
import assert from 'node:assert/strict'
import { before, describe, it } from 'node:test'
import type { Locator, Page } from 'playwright-core'
import { openForTests, PATIENCE_MILLISECONDS, until } from './browser.ts'
import { choose, go as goOn, press, reads, waitForDeposit } from './hands.ts'

const { here, skip } = await openForTests()

const DEPOSITS = '/treasury/deposits'
/** The demo world has a larger deposit of its own. */
const OURS = 'asset=EUR&quantity_to=300'
const COLLEAGUE = { email: 'nora@kontor.local', password: 'a password for Nora' }

describe('a list', { skip }, () => {
  let page: Page
  const rowsOf = (of: Page): Locator => of.locator('tr.opens')
  const totals = (): Locator => page.getByLabel('Totals')
  const views = (of: Page): Locator => of.getByRole('region', { name: 'Saved views' })
  const shows = (count: number, of = page): Promise<void> =>
    until(`${count} rows are shown`, PATIENCE_MILLISECONDS, async () => {
      const found = await rowsOf(of).count()
      return found === count || `${found}`
    })

  const saved = async (button: string): Promise<string> => {
    const [download] = await Promise.all([page.waitForEvent('download'), press(page, button)])
    return Buffer.concat(await (await download.createReadStream()).toArray()).toString()
  }

  before(async () => {
    for (const quantity of ['100', '250.5', '7.25']) {
      await here.wire({ from_name: 'Payer', quantity, reference: `list ${quantity}` })
      // The next one follows: deposits that are read together have no order of their own.
      await waitForDeposit(here, `list ${quantity}`)
    }
    page = await here.page()
    await goOn(page, `${DEPOSITS}?${OURS}`)
    await shows(3)
  })

  it('says in its foot what its rows amount to', async () => {
    await reads(totals(), /^Total of all 3 rows, .*Amount 357\.75EUR$/)
    await page.getByLabel('Amount from').fill('7.3')
    await page.keyboard.press('Enter')
    await shows(2)
    await reads(totals(), /^Total of all 2 rows, .*Amount 350\.5EUR$/)
  })

  it('asks which amount is meant where a filter can be read in two ways', async () => {
    const from = page.getByLabel('Amount from')
    await from.fill('1.250')
    await from.press('Enter')
    await page.getByText('This can be read in two ways. Which amount?').waitFor()
    await shows(2)
    await from.fill('7.3')
    await from.press('Enter')
    await shows(2)
  })

  it('asks for what all rows amount to while it has not loaded them', async () => {
    const other = await here.page()
    // The first page is one row; the next ones do not come.
    await other.route(/\/api\/treasury\/deposits\?/, (route) => {
      const url = new URL(route.request().url())
      if (url.searchParams.has('cursor')) return
      url.searchParams.set('limit', '1')
      return route.continue({ url: url.href })
    })
    await goOn(other, `${DEPOSITS}?${OURS}`)
    await shows(1, other)
    await reads(other.getByLabel('Totals'), /^Total of all 3 rows, .*Amount 357\.75EUR$/)
    await other.context().close()
  })

  it('shows the days of the desk by name', async () => {
    await press(page, 'Clear filters')
    await page.getByLabel('Amount to').fill('300')
    await page.keyboard.press('Enter')
    await choose(page.getByLabel('Period'), 'Yesterday')
    await page.getByText('No rows match these filters').waitFor()
    assert.equal(new URL(page.url()).searchParams.get('period'), 'yesterday')
    const midnight = await page.evaluate(() => {
      const now = new Date()
      return [-1, 0].map((days) =>
        new Date(now.getFullYear(), now.getMonth(), now.getDate() + days).getTime(),
      )
    })
    const shown = (label: string) => page.getByLabel(label).inputValue()
    const said = await Promise.all(['Since', 'Until'].map(shown))
    assert.deepEqual(
      said,
      await page.evaluate(
        (times) => times.map((at) => `${new Date(at).toLocaleDateString('sv')} 00:00`),
        midnight,
      ),
    )
    await choose(page.getByLabel('Period'), 'Today')
    await shows(3)
  })

  it('is saved as it is shown, and raw beside it', async () => {
    const [shown, raw] = [await saved('CSV'), await saved('Raw CSV')]
    const [head = '', first = '', ...rest] = shown.trimEnd().split('\r\n')
    assert.match(
      head,
      /^\uFEFFSeen \(Europe\/Zurich\),State,Amount,Amount: currency,From,Reference,Owner,/,
    )
    assert.match(first, /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d,Unassigned,7\.25,EUR,Payer,/)
    assert.match(first, /,Nobody yet,.*,Sandbox Bank,/)
    assert.equal(rest.length, 2)
    assert.match(rest.join(), /,250\.50,EUR,.*,100\.00,EUR,/)
    assert.match(raw, /^id,workspace,/)
    assert.match(raw, /,250\.5,/)
  })

  it('leaves its rows most of a screen at 200 %', async () => {
    const other = await here.page()
    for (const size of [
      { width: 640, height: 400 },
      { width: 960, height: 540 },
    ]) {
      await other.setViewportSize(size)
      await goOn(other, DEPOSITS)
      await rowsOf(other).first().waitFor()
      const scroller = other.locator('.grid-scroller')
      const { y = size.height, height = 0 } = (await scroller.boundingBox()) ?? {}
      const seen = Math.min(height, size.height - y)
      assert.ok(seen > size.height * 0.45, `${seen} of ${size.height} at ${size.width}`)
    }
    await other.context().close()
  })

  it('is saved so on the trial balance too', async () => {
    const other = await here.page({ path: '/books/trial-balance' })
    await other.getByRole('row').nth(1).waitFor()
    const [download] = await Promise.all([other.waitForEvent('download'), press(other, 'CSV')])
    const text = Buffer.concat(await (await download.createReadStream()).toArray()).toString()
    assert.match(text, /^\uFEFFAsset,Accounts,Debit,Credit\r\n/)
    assert.match(text, /\r\nEUR,Total,(\d+\.\d\d),\1\r?\n/)
    await other.context().close()
  })

  it('is printed whole, in black on white, without what is around it', async () => {
    await page.emulateMedia({ media: 'print', colorScheme: 'dark' })
    await page.evaluate(() => window.dispatchEvent(new Event('beforeprint')))
    await page
      .locator('.print-head')
      .getByText(/printed .* \(Europe\/Zurich\)/)
      .waitFor()
    await page.locator('.print-head').getByText('Today (Europe/Zurich)').waitFor()
    for (const gone of ['navigation', 'search'] as const)
      assert.equal(await page.getByRole(gone).count(), 0, gone)
    assert.equal(await page.getByRole('button', { name: 'CSV', exact: true }).count(), 0)
    const looks = await page.evaluate(() => ({
      ink: getComputedStyle(document.querySelector('td') ?? document.body).color,
      paper: getComputedStyle(document.body).backgroundColor,
    }))
    assert.deepEqual(looks, { ink: 'rgb(0, 0, 0)', paper: 'rgb(255, 255, 255)' })
    const pdf = await page.pdf({ preferCSSPageSize: true })
    // A4 on its side, in points.
    assert.match(pdf.toString('latin1'), /\/MediaBox \[0 0 841\.\d+ 59[45]/)
    await page.evaluate(() => window.dispatchEvent(new Event('afterprint')))

    await page.emulateMedia({ media: 'screen', colorScheme: 'light' })
    await rowsOf(page).first().click()
    await page.getByRole('dialog', { name: 'Deposit' }).getByText('Nobody yet').first().waitFor()
    await page.emulateMedia({ media: 'print' })
    assert.equal(await page.locator('#root').isVisible(), false)
    const record = await page.pdf({ preferCSSPageSize: true })
    assert.match(record.toString('latin1'), /\/MediaBox \[0 0 59[45]\.\d+ 84[12]/)
    await page.emulateMedia({ media: null })
    await page.keyboard.press('Escape')
    await page.getByRole('dialog', { name: 'Deposit' }).waitFor({ state: 'hidden' })
  })

  it('keeps what it shows under a name, also for another computer', async () => {
    await page.getByLabel('Amount to').fill('200')
    await page.keyboard.press('Enter')
    await shows(2)
    await page.getByRole('button', { name: 'Amount', exact: true }).click()
    await press(page, 'Saved views')
    await views(page).getByLabel('Name of the view').fill('Small ones of today')
    await press(views(page), 'Save view')
    await views(page).getByRole('button', { name: 'Small ones of today', exact: true }).waitFor()

    const elsewhere = await here.page()
    await goOn(elsewhere, DEPOSITS)
    await press(elsewhere, 'Saved views')
    await press(views(elsewhere), 'Small ones of today')
    await shows(2, elsewhere)
    const { searchParams } = new URL(elsewhere.url())
    assert.deepEqual(Object.fromEntries(searchParams), {
      period: 'today',
      quantity_to: '200',
      sort: '-quantity',
    })
    await reads(rowsOf(elsewhere).first(), /100/)
    await elsewhere.context().close()
  })

  it('renames, shares and deletes a view', async () => {
    const list = views(page)
    await press(list, 'Rename Small ones of today')
    const name = list.getByLabel('New name of Small ones of today')
    await name.fill('Small')
    await name.press('Enter')
    await list.getByRole('button', { name: 'Small', exact: true }).waitFor()
    await list.getByLabel('Share Small with the workspace').click()
    await page.getByText('Small is shared').waitFor()

    const user = { ...COLLEAGUE, roles: ['TREASURER' as const], must_change_password: false }
    await here.kontor.post('/users', { body: user })
    const nora = await here.page(COLLEAGUE)
    await goOn(nora, DEPOSITS)
    await press(nora, 'Saved views')
    await press(views(nora), 'Small')
    await shows(2, nora)
    await press(nora, 'Saved views')
    assert.equal(await views(nora).getByRole('button', { name: 'Delete Small' }).count(), 0)
    await nora.context().close()

    await press(list, 'Delete Small')
    await page.getByRole('tooltip').getByRole('button', { name: 'Delete', exact: true }).click()
    await list.getByText('No saved view of this list yet').waitFor()
    assert.deepEqual(await here.kontor.get('/views'), [])
  })
})
