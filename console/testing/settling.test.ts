/** Settling, and the overview of a day, by clicks in a real browser: each action right and wrong. */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import type { Locator, Page } from 'playwright-core'
import { openPlace, seriousFindings, until } from './browser.ts'
import type { Place } from './browser.ts'
import { givePeopleMoney } from './money.ts'

const place = await openPlace()
const PATIENCE_MILLISECONDS = 15_000

describe('settling in the console', { skip: place === undefined && 'no Chromium runs here' }, () => {
  let here: Place
  let page: Page
  before(async () => {
    if (place === undefined) return
    here = place
    await givePeopleMoney(here)
    page = await here.page({ path: '/trading/settlements' })
    page.setDefaultTimeout(PATIENCE_MILLISECONDS)
  })
  after(() => here?.close())

  const dialog = (name: RegExp | string): Locator => page.getByRole('dialog', { name })
  const fresh = async (path: string): Promise<void> => {
    await page.goto(here.url + path)
    await page.getByRole('heading', { level: 1 }).waitFor()
  }

  it('settles: claims, leaves out and takes in, covers, changes parts, initiates, confirms', async () => {
    const prime = (await here.kontor.get('/price-stream/routes')).find((each) => each.label === 'BTC/EUR at Prime')?.id ?? ''
    const customer_id = (await here.kontor.get('/customers'))[0]?.id ?? ''
    for (const [side, amount] of [['BUY', '0.25'], ['SELL', '0.1']] as const) {
      const { id } = await here.kontor.post('/executions', { body: { route_id: prime, side, execution_type: 'MARKET', amount, customers: [{ customer_id }] } })
      await until('it is traded', PATIENCE_MILLISECONDS, async () => (await here.kontor.get('/executions/{execution_id}', { params: { execution_id: id } })).state === 'DONE')
    }
    await fresh('/trading/settlements')
    await page.getByRole('button', { name: 'New settlement' }).click()
    const claim = dialog('New settlement')
    await claim.getByLabel('Trades before').fill('2020-01-01T00:00')
    await claim.getByRole('button', { name: 'New settlement' }).click()
    await claim.getByText('timerange_to is after timerange_from').waitFor()
    await claim.getByLabel('Trades before').fill('2090-01-01T00:00')
    await claim.getByRole('button', { name: 'New settlement' }).click()
    await page.getByRole('row').filter({ hasText: 'Preparing' }).click()
    const record = page.getByRole('dialog', { name: 'Settlement' })

    await record.getByRole('tab', { name: 'Trades' }).click()
    await record.getByRole('button', { name: 'Leave out' }).first().click()
    await dialog(/^Leave out/).getByRole('button', { name: 'Leave out' }).click()
    await record.getByRole('button', { name: 'Take in' }).click()
    await dialog(/^Take in/).getByRole('button', { name: 'Take in' }).click()
    await record.getByText('Every trade of its time').waitFor()

    await record.getByRole('button', { name: 'Cover', exact: true }).click()
    await dialog(/^Cover/).getByRole('button', { name: 'Cover' }).click()
    await record.getByRole('tab', { name: 'Parts' }).click()
    await record.getByText('We pay').waitFor()
    await record.getByRole('button', { name: 'Change parts' }).click()
    const change = dialog(/^Change parts/)
    await change.getByLabel('Amount 1').fill('0.01')
    await change.getByRole('button', { name: 'Change parts' }).click()
    await change.getByText('are to be covered').waitFor()
    await change.getByRole('button', { name: 'Cancel' }).click()

    await record.getByRole('row').filter({ hasText: 'We pay' }).getByRole('button', { name: 'Initiate' }).click()
    const sending = dialog(/^Initiate/)
    await sending.getByText('from Bank EUR to Prime EUR').waitFor()
    await sending.getByText('Fee about').waitFor()
    await sending.getByRole('button', { name: 'Initiate' }).click()
    await sending.waitFor({ state: 'hidden' })
    await record.getByRole('row').filter({ hasText: 'We pay' }).getByText(/Initiated|Success/).waitFor()
    await record.getByRole('button', { name: 'Cancel settlement' }).hover()
    await page.getByRole('tooltip').getByText('A part has moved or may have left').waitFor()

    await record.getByRole('row').filter({ hasText: 'We get' }).getByRole('button', { name: 'Confirm by hand' }).click()
    const confirm = dialog(/^Confirm by hand/)
    await confirm.getByRole('button', { name: 'Continue' }).click()
    await confirm.getByText('By what this is known is needed').waitFor()
    await confirm.getByLabel('By what this is known').fill('Told by the desk')
    await confirm.getByRole('button', { name: 'Continue' }).click()
    await confirm.getByLabel('To be confirmed').getByText('Told by the desk').waitFor()
    await confirm.getByRole('button', { name: 'Confirm by hand' }).click()
    await record.getByText('Confirmed manually').waitFor()
  })

  it('shows the trades of a venue, and whose they are', async () => {
    await fresh('/trading/fills')
    await page.getByRole('combobox', { name: 'Venue', exact: true }).click()
    await page.locator('.ant-select-dropdown:not(.ant-select-dropdown-hidden) .ant-select-item').getByText('Prime Brokerage', { exact: true }).click()
    await page.getByRole('row').filter({ hasText: 'Its execution' }).first().click()
    await page.getByRole('dialog', { name: 'Trade' }).getByText('Its settlement').waitFor()
  })

  it('the overview tells what needs a person, and leads there', async () => {
    await fresh('/overview')
    await page.getByRole('region', { name: 'Totals per asset' }).getByText('BTC').waitFor()
    await page.getByRole('region', { name: 'Movements today' }).first().getByText('Bought').first().waitFor()
    await here.wire({ from_name: 'Late Comer', quantity: '77.7', reference: 'WHOSE' })
    const needs = page.getByRole('region', { name: 'Needs a person' })
    let open = 0
    await until('the wire is here', 2 * PATIENCE_MILLISECONDS, async () => {
      const deposits = await here.kontor.get('/treasury/deposits', { query: { state: 'UNASSIGNED,PARTIALLY_ASSIGNED' } })
      open = deposits.length
      return deposits.some((deposit) => deposit.reference_text === 'WHOSE')
    })
    await needs.getByRole('link', { name: new RegExp(`^${open} Deposits`) }).click()
    await page.getByRole('heading', { name: 'Deposits' }).waitFor()
    await page.getByRole('row').filter({ hasText: 'WHOSE' }).waitFor()
    assert.match(page.url(), /state=UNASSIGNED/)
  })

  for (const theme of ['light', 'dark'] as const) {
    it(`has nothing serious for axe in the ${theme} theme`, async () => {
      const other = await here.page({ theme, path: '/overview' })
      for (const name of ['Overview', 'Settlements', 'Trades at venues']) {
        await other.getByRole('navigation').getByRole('link', { name, exact: true }).click()
        await other.getByRole('heading', { level: 1, name }).waitFor()
        await other.getByRole('status', { name: 'Loading' }).waitFor({ state: 'detached' })
        const row = other.locator('.grid-scroller tr.opens').first()
        if (await row.count() > 0) {
          await row.click()
          await other.locator('.record dl').first().waitFor()
        }
        assert.deepEqual(await seriousFindings(other), [], name)
      }
      await other.context().close()
    })
  }
})
