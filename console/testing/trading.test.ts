/** Trading and settling by clicks, in a real browser against a real Kontor and its sandbox: each action right and wrong. */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import type { Locator, Page } from 'playwright-core'
import { openPlace, seriousFindings, until } from './browser.ts'
import type { Place } from './browser.ts'

const place = await openPlace()
const PATIENCE_MILLISECONDS = 15_000

describe('trading in the console', { skip: place === undefined && 'no Chromium runs here' }, () => {
  let here: Place
  let page: Page
  before(async () => {
    if (place === undefined) return
    here = place
    await givePeopleMoney(here)
    page = await here.page({ path: '/trading/ticket' })
    page.setDefaultTimeout(PATIENCE_MILLISECONDS)
  })
  after(() => here?.close())

  const executions = () => here.kontor.get('/executions')
  const choose = async (label: string, option: string): Promise<void> => {
    await page.getByRole('combobox', { name: label, exact: true }).click()
    await page.locator('.ant-select-dropdown:not(.ant-select-dropdown-hidden) .ant-select-item').getByText(option, { exact: true }).click()
  }
  const dialog = (name: RegExp | string): Locator => page.getByRole('dialog', { name })
  const done = async (count: number): Promise<void> => until(`${count} executions`, PATIENCE_MILLISECONDS, async () => (await executions()).length === count)
  const fresh = async (path: string): Promise<void> => {
    await page.goto(here.url + path)
    await page.getByRole('heading', { level: 1 }).waitFor()
  }

  it('the ticket says what is missing, shows both prices of every route, and buys over the best', async () => {
    const buys = page.getByRole('region', { name: 'Customer buys' })
    await buys.getByRole('button', { name: 'Buy' }).hover()
    await page.getByRole('tooltip').getByText('Choose a customer').waitFor()
    await choose('Customer', 'Jonas Keller')
    await page.getByText('Can be traded:').waitFor()
    await page.getByLabel('Quantity', { exact: true }).fill('0.25')
    await buys.getByText('Pays').waitFor()
    await page.getByRole('region', { name: 'Routes compared' }).getByText('best').first().waitFor()
    await page.keyboard.press('Tab')
    await buys.getByRole('button', { name: 'Buy 0.25 BTC' }).click()
    const form = dialog(/^Buy/)
    await form.getByLabel('To be confirmed').getByText('Jonas Keller').waitFor()
    await form.getByText('The best of 3 routes for BTC/EUR').waitFor()
    await form.getByRole('button', { name: 'Buy', exact: true }).click()
    await form.waitFor({ state: 'hidden' })
    await page.getByRole('region', { name: 'Last executions' }).first().getByText('Done').waitFor()
    const [execution] = await executions()
    assert.deepEqual([execution?.side, execution?.amount, execution?.filled_amount, execution?.best_execution?.candidates.length], ['BUY', '0.25', '0.25', 3])
  })

  it('refuses in words what the customer cannot pay', async () => {
    await page.getByLabel('Quantity', { exact: true }).fill('9')
    await page.getByRole('button', { name: 'Sell 9 BTC' }).click()
    const form = dialog(/^Sell/)
    await form.getByRole('button', { name: 'Sell', exact: true }).click()
    await form.getByRole('alert').waitFor()
    await form.getByRole('button', { name: 'Cancel' }).click()
    await form.waitFor({ state: 'hidden' })
    assert.equal((await executions()).length, 1)
  })

  it('holds a price over one route and takes it; over the best it says why it cannot', async () => {
    await page.getByRole('button', { name: 'Hold the price' }).hover()
    await page.getByRole('tooltip').getByText('Choose one route').waitFor()
    await choose('Market', 'BTC/EUR at Kraken')
    await page.getByLabel('Quantity', { exact: true }).fill('0.5')
    await page.getByRole('button', { name: 'Hold the price' }).click()
    await page.getByText('Price held').waitFor()
    await page.getByRole('timer').first().waitFor()
    await page.getByRole('button', { name: 'Buy 0.5 BTC' }).click()
    const form = dialog(/^Buy/)
    await form.getByText('Price, held').waitFor()
    await form.getByRole('button', { name: 'Buy', exact: true }).click()
    await form.waitFor({ state: 'hidden' })
    await done(2)
    const [execution] = await executions()
    const quote = await here.kontor.get('/price-stream/quotes/{quote_id}', { params: { quote_id: execution?.quote_id ?? '' } })
    assert.deepEqual([quote.state, quote.firm], ['ACCEPTED', true])
  })

  it('spends a volume, and keeps what was typed when it is too little', async () => {
    await page.getByTitle('EUR', { exact: true }).click()
    await page.getByLabel('Quantity', { exact: true }).fill('0.01')
    await page.getByRole('region', { name: 'Prices' }).getByRole('alert').waitFor()
    await page.getByLabel('Quantity', { exact: true }).fill('1\'000')
    await page.getByRole('button', { name: 'Buy 1000 EUR' }).click()
    const form = dialog(/^Buy/)
    await form.getByRole('button', { name: 'Buy', exact: true }).click()
    await form.waitFor({ state: 'hidden' })
    await done(3)
    const [execution] = await executions()
    assert.deepEqual([execution?.mode, execution?.volume], ['VOLUME', '1000'])
  })

  it('places a limit and cancels it from the list; what has ended cannot be canceled', async () => {
    await page.getByText('Limit', { exact: true }).first().click()
    await page.getByLabel('Quantity', { exact: true }).fill('0.2')
    await page.getByRole('button', { name: 'Buy 0.2 BTC limit' }).hover()
    await page.getByRole('tooltip').getByText('Name the limit').waitFor()
    await page.getByLabel('Limit, all in').fill('50000')
    await page.getByRole('button', { name: 'Buy 0.2 BTC limit' }).click()
    const form = dialog(/^Buy/)
    await form.getByText('Pays at most').waitFor()
    await form.locator('.amount', { hasText: '10000EUR' }).waitFor()
    await form.getByRole('button', { name: 'Buy', exact: true }).click()
    await form.waitFor({ state: 'hidden' })
    const cancel = page.getByRole('region', { name: 'Last executions' }).first().getByRole('button', { name: 'Cancel execution' })
    await until('the limit rests', PATIENCE_MILLISECONDS, async () => (await executions())[0]?.execution_type === 'LIMIT')
    await cancel.click()
    await dialog(/^Cancel execution/).getByRole('button', { name: 'Cancel execution' }).click()
    await until('it is canceled', PATIENCE_MILLISECONDS, async () => (await executions())[0]?.state === 'CANCELED')
    const [execution] = await executions()
    await fresh(`/trading/executions/${execution?.id}`)
    await page.getByRole('dialog', { name: 'Execution' }).getByRole('button', { name: 'Cancel execution' }).hover()
    await page.getByRole('tooltip').getByText('It has ended').waitFor()
  })

  it('splits among customers, and waits with a stop', async () => {
    await fresh('/trading/ticket?market=BTC%2FEUR')
    await choose('Customer', 'Jonas Keller')
    await page.getByRole('button', { name: 'Split among several customers' }).click()
    await choose('Customer 2', 'Alpine Family Office')
    await page.getByLabel('Quantity', { exact: true }).fill('0.3')
    await page.getByLabel('Part of customer 1').fill('0.4')
    await page.getByRole('button', { name: 'Sell 0.3 BTC' }).click()
    const form = dialog(/^Sell/)
    await form.getByText('takes the rest').waitFor()
    await form.getByRole('button', { name: 'Sell', exact: true }).click()
    await form.getByRole('alert').waitFor()
    await form.getByRole('button', { name: 'Cancel' }).click()
    await page.getByLabel('Part of customer 1').fill('0.1')
    await page.getByRole('button', { name: 'Sell 0.3 BTC' }).click()
    await form.getByRole('button', { name: 'Sell', exact: true }).click()
    await form.waitFor({ state: 'hidden' })
    await until('the split is done', PATIENCE_MILLISECONDS, async () => (await executions())[0]?.customers.length === 2)
    assert.deepEqual((await executions())[0]?.customers.map((each) => each.quantity_absolute), ['0.1', null])

    await fresh('/trading/ticket?market=BTC%2FEUR')
    await choose('Customer', 'Alpine Family Office')
    await page.getByText('Stop', { exact: true }).first().click()
    await page.getByLabel('Quantity', { exact: true }).fill('0.1')
    await page.getByLabel('Trigger').fill('40000')
    await page.getByRole('button', { name: 'Sell 0.1 BTC stop' }).click()
    await form.getByText('(stop loss)').waitFor()
    await form.getByRole('button', { name: 'Sell', exact: true }).click()
    await form.waitFor({ state: 'hidden' })
    await page.getByRole('region', { name: 'Last executions' }).first().getByText('Waiting for trigger').waitFor()
  })

  it('takes a quote from its record, once', async () => {
    const customer_id = (await here.kontor.get('/customers')).find((each) => each.label === 'Jonas Keller')?.id ?? ''
    const route_id = (await here.kontor.get('/price-stream/routes')).find((each) => each.label === 'ETH/EUR at Kraken')?.id ?? ''
    const quote = await here.kontor.post('/price-stream/quotes', { body: { route_id, customer_id, request_asset: 'ETH', request_quantity: '1', risk_duration_ms: 60_000 } })
    await fresh('/trading/quotes')
    await page.getByRole('row').filter({ hasText: 'ETH/EUR' }).click()
    const record = page.getByRole('dialog', { name: 'Quote' })
    await record.getByRole('tab', { name: 'Both sides' }).click()
    await record.getByText('All that was asked').waitFor()
    await record.getByRole('button', { name: 'Customer sells' }).click()
    await dialog(/^Customer sells/).getByRole('button', { name: 'Customer sells' }).click()
    await until('it is taken', PATIENCE_MILLISECONDS, async () => (await here.kontor.get('/price-stream/quotes/{quote_id}', { params: { quote_id: quote.id } })).state === 'ACCEPTED')
    await record.getByText('Accepted').first().waitFor()
    await record.getByRole('button', { name: 'Customer sells' }).hover()
    await page.getByRole('tooltip').getByText('It can no longer be accepted').waitFor()
  })

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

  it('the overview tells what needs a person, and leads there', async () => {
    await fresh('/overview')
    await page.getByRole('region', { name: 'Totals per asset' }).getByText('BTC').waitFor()
    await page.getByRole('region', { name: 'Movements today' }).first().getByText('Bought').first().waitFor()
    await here.wire({ from_name: 'Late Comer', quantity: '77.7', reference: 'WHOSE' })
    const needs = page.getByRole('region', { name: 'Needs a person' })
    await needs.getByRole('link', { name: /^2 Deposits/ }).click()
    await page.getByRole('heading', { name: 'Deposits' }).waitFor()
    await page.getByRole('row').filter({ hasText: 'WHOSE' }).waitFor()
    assert.match(page.url(), /state=UNASSIGNED/)
  })

  it('shows prices, routes, and trades of a venue', async () => {
    await fresh('/trading/market')
    await page.getByRole('row').filter({ hasText: 'ETH' }).click()
    await page.getByRole('img', { name: /the last/ }).waitFor()
    await fresh('/trading/routes')
    await page.getByRole('row').filter({ hasText: 'over BTC' }).click()
    await page.getByRole('dialog', { name: 'Price route' }).getByRole('tab', { name: 'Hops' }).click()
    await page.getByRole('dialog', { name: 'Price route' }).getByText('ETH/BTC').waitFor()
    await fresh('/trading/fills')
    await choose('Venue', 'Prime Brokerage')
    await page.getByRole('row').filter({ hasText: 'Its execution' }).first().click()
    await page.getByRole('dialog', { name: 'Trade' }).getByText('Its settlement').waitFor()
  })

  for (const theme of ['light', 'dark'] as const) {
    it(`has nothing serious for axe in the ${theme} theme`, async () => {
      const other = await here.page({ theme, path: '/overview' })
      for (const [name, record] of [['Overview', false], ['Trade', false], ['Executions', true], ['Quotes', false], ['Settlements', true], ['Price routes', true], ['Market data', false], ['Trades at venues', true]] as const) {
        await other.getByRole('navigation').getByRole('link', { name, exact: true }).click()
        await other.getByRole('heading', { level: 1, name }).waitFor()
        await other.getByRole('status', { name: 'Loading' }).waitFor({ state: 'detached' })
        assert.deepEqual(await seriousFindings(other), [], name)
        if (!record) continue
        await other.locator('.grid-scroller tr.opens').first().click()
        await other.locator('.record dl').first().waitFor()
        assert.deepEqual(await seriousFindings(other), [], `a record of ${name}`)
      }
      await other.context().close()
    })
  }
})

/** Both customers of the demo world get money of the house. */
async function givePeopleMoney({ kontor }: Place): Promise<void> {
  await until('the customers are there and prices too', PATIENCE_MILLISECONDS, async () => (await kontor.get('/customers')).length === 2 && (await kontor.get('/price-stream/routes')).every((route) => route.state === 'UP'))
  const house = (await kontor.get('/accounts')).find((account) => account.type === 'HOUSE')?.id ?? ''
  for (const { account_id } of await kontor.get('/customers')) {
    for (const [asset, quantity] of [['EUR', '100000'], ['BTC', '2'], ['ETH', '5']] as const) {
      await kontor.post('/bookings', { body: { asset, description: 'Given by the house', legs: [{ account_id: house, quantity, type: 'DEBIT' }, { account_id, quantity, type: 'CREDIT' }] } })
    }
  }
}
