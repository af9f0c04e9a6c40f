/** Closing the day: what venues and books said is signed off, by a person who explained nothing. */
import assert from 'node:assert/strict'
import { before, describe, it } from 'node:test'
import pg from 'pg'
import type { Locator, Page } from 'playwright-core'
import { openForTests, PATIENCE_MILLISECONDS, until } from './browser.ts'
import { cannot, carryOut, dialog, go, itIsAccessible, press } from './hands.ts'

const { here, skip } = await openForTests()

describe('closing the day', { skip }, () => {
  let page: Page

  /** As if a day had passed since the last comparison. */
  async function dayPasses(): Promise<void> {
    const db = new pg.Client({ connectionString: here.database_url })
    await db.connect()
    await db.query('update positions set compared_at = compared_at - 86400000')
    await db.end()
  }
  const days = () => here.kontor.get('/desk/reconciliation/days')

  before(async () => {
    await until('a day of a venue is over', PATIENCE_MILLISECONDS, async () => {
      if ((await here.kontor.post('/desk/reconciliation/run')).length === 0) return false
      await dayPasses()
      await here.kontor.post('/desk/reconciliation/run')
      return (await days()).some(({ line_count }) => line_count > 0)
    })
    page = await here.page({ path: '/desk/reconciled-days' })
  })

  const row = (text: string): Locator => page.locator('tr.opens').filter({ hasText: text }).first()
  const record = () => dialog(page, 'Reconciled day')

  it('signs off what was compared, and leaves it for good', async () => {
    await row('Open').click()
    await record().getByRole('tab', { name: 'Lines' }).click()
    await record().getByText('Venue held').waitFor()
    await press(record(), 'Sign off')
    await carryOut(dialog(page, 'Sign off'), 'Sign off')
    await record().getByText('Signed off').first().waitFor()
    await cannot(record().getByRole('button', { name: 'Sign off' }), /already signed off/)
    const [download] = await Promise.all([page.waitForEvent('download'), press(record(), 'PDF')])
    const bytes = Buffer.concat(await (await download.createReadStream()).toArray())
    assert.match(bytes.toString('latin1'), /^%PDF-1\.7[\s\S]*%%EOF\s*$/)
    const [lines] = await Promise.all([page.waitForEvent('download'), press(record(), 'CSV')])
    const text = Buffer.concat(await (await lines.createReadStream()).toArray()).toString()
    assert.match(text, /State.*Asset.*Venue held/)
  })

  it('reopens it with a reason, and shows who has signed', async () => {
    // What is told of the button before lies over this one.
    await page.mouse.move(0, 0)
    await press(record(), 'Reopen')
    const form = dialog(page, 'Reopen')
    await press(form, 'Reopen')
    await form.getByText('is required').waitFor()
    await form.getByRole('textbox').fill('Another statement has come')
    await carryOut(form, 'Reopen')
    await record().getByRole('tab', { name: 'Signatures' }).click()
    await record().getByText('Another statement has come').waitFor()
    const [signed] = (await days()).filter(({ version }) => version > 1)
    assert.equal(signed?.state, 'OPEN')
  })

  it('leads to the first closing of a period, which is reopened with a reason', async () => {
    await go(page, '/books/periods')
    const guide = page.getByRole('list', { name: 'The first closing' })
    await guide.getByRole('listitem', { name: 'Reconciled days' }).getByText('left').waitFor()
    const last_day = new Date(Date.now() - 86_400_000).toISOString().slice(0, 10)
    await press(guide, 'Close a period')
    const form = dialog(page, 'Close a period')
    await form.getByLabel(/^Last day/).fill(last_day)
    await press(form, 'Continue')
    await form.getByLabel('To be confirmed').getByText(last_day).waitFor()
    await carryOut(form, 'Close a period')
    await row(last_day).click()
    await guide.waitFor({ state: 'detached' })
    const period = dialog(page, 'Period')
    await period.getByRole('tab', { name: 'Frozen trial balance' }).click()
    await period.getByText('Total').first().waitFor()
    const value = (
      await here.kontor.get('/settings/{key}', { params: { key: 'open_period_from' } })
    ).value
    assert.equal(value, Date.parse(last_day) + 86_400_000)
    await press(period, 'Reopen')
    const reopen = dialog(page, 'Reopen')
    await reopen.getByRole('textbox').fill('An invoice is missing')
    await carryOut(reopen, 'Reopen')
    await period.getByRole('tab', { name: 'Fields' }).click()
    await period.getByText('An invoice is missing').waitFor()
  })

  it('values what was held at the end of a day once its prices are entered', async () => {
    const day = new Date(Date.now() - 86_400_000).toISOString().slice(0, 10)
    const db = new pg.Client({ connectionString: here.database_url })
    await db.connect()
    await db.query('set session_replication_role = replica')
    await db.query('update batches set committed_at = committed_at - 86400000')
    await db.end()
    await go(page, '/books/valued-positions?assets=BTC')
    await page.getByText('A price is missing').first().waitFor()
    await page.getByRole('status').getByRole('link', { name: 'Daily prices' }).click()
    await press(page, 'Enter a price')
    const form = dialog(page, 'Enter a price')
    await form.getByLabel(/^Day/).fill(day)
    await form.getByLabel(/^One unit of/).fill('btc')
    await form.getByLabel(/^Priced in/).fill('EUR')
    await form.getByLabel(/^Price\b/).fill('60000')
    await press(form, 'Enter a price')
    await form.getByText('is required').waitFor()
    await form.getByLabel(/^Source/).fill('Archive of the exchange')
    await carryOut(form, 'Enter a price')
    await page.locator('tr').filter({ hasText: 'Archive of the exchange' }).first().waitFor()
    await go(page, '/books/valued-positions?assets=BTC')
    await row('BTC/EUR Archive of the exchange').waitFor()
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      press(page, 'CSV of the totals'),
    ])
    const text = Buffer.concat(await (await download.createReadStream()).toArray()).toString()
    assert.match(text, /BTC.*60000.*BTC\/EUR Archive of the exchange/)
  })

  itIsAccessible(here, [
    '/desk/reconciled-days',
    '/books/periods',
    '/books/valued-positions',
    '/books/daily-prices',
  ])
})
