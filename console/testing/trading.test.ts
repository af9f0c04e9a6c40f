/**
 * Trading by clicks, in a real browser against a real Kontor and its sandbox: each action right and
 * wrong.
 */
import assert from 'node:assert/strict'
import { before, describe, it } from 'node:test'
import type { Locator, Page } from 'playwright-core'
import { openForTests, PATIENCE_MILLISECONDS, until } from './browser.ts'
import {
  cannot,
  carryOut,
  choose as chooseIn,
  dialog as dialogOf,
  go,
  itIsAccessible,
  press,
  reads,
} from './hands.ts'
import { loseOrderAtKraken, sentLongAgo } from './lost-orders.ts'
import { givePeopleMoney } from './money.ts'

const { here, skip } = await openForTests()

describe('trading in the console', { skip }, () => {
  let page: Page
  before(async () => {
    await givePeopleMoney(here)
    page = await here.page({ path: '/trading/ticket' })
  })

  const executions = () => here.kontor.get('/executions')
  const choose = (label: string, option: string): Promise<void> =>
    chooseIn(page.getByRole('combobox', { name: label, exact: true }), option)
  const dialog = (name: RegExp | string) => dialogOf(page, name)
  const done = async (count: number): Promise<void> =>
    until(
      `${count} executions`,
      PATIENCE_MILLISECONDS,
      async () => (await executions()).length === count,
    )

  it('the ticket names what is missing, shows all prices, and buys at the best', async () => {
    const buys = page.getByRole('region', { name: 'Customer buys' })
    await cannot(buys.getByRole('button', { name: 'Buy' }), /^Choose a customer/)
    await choose('Customer', 'Jonas Keller')
    await page.getByText('Available to trade:').waitFor()
    await page.getByLabel('Quantity', { exact: true }).fill('0.25')
    await buys.getByText('Pays').waitFor()
    await page.getByRole('region', { name: 'Routes compared' }).getByText('best').first().waitFor()
    await page.keyboard.press('Tab')
    await buys.getByRole('button', { name: 'Buy 0.25 BTC' }).click()
    const form = dialog(/^Buy/)
    await form.getByLabel('To be confirmed').getByText('Jonas Keller').waitFor()
    await form.getByText('Best of 4 routes for BTC/EUR').waitFor()
    // What is asked is not turned round by a key of the page below it.
    await page.keyboard.press('s')
    await form.getByText('Buy: please confirm').waitFor()
    await carryOut(form, 'Buy')
    await page.getByRole('region', { name: 'Last executions' }).first().getByText('Done').waitFor()
    const [execution] = await executions()
    assert.deepEqual(
      [
        execution?.side,
        execution?.amount,
        execution?.filled_amount,
        execution?.best_execution?.candidates.length,
      ],
      ['BUY', '0.25', '0.25', 4],
    )
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

  it('holds a price over one route; over the best it says why it cannot', async () => {
    await cannot(page.getByRole('button', { name: 'Hold price' }), /^Choose one route/)
    await choose('Market', 'BTC/EUR at Kraken')
    await page.getByLabel('Quantity', { exact: true }).fill('0.5')
    // The longest: it must last until it is taken.
    await page.getByTitle('60 s', { exact: true }).click()
    await page.getByRole('button', { name: 'Hold price' }).click()
    await page.getByRole('heading', { name: 'Held price' }).waitFor()
    await page.getByRole('timer').first().waitFor()
    await page.getByRole('button', { name: 'Buy 0.5 BTC' }).click()
    const form = dialog(/^Buy/)
    await form.getByText('Held price').waitFor()
    await carryOut(form, 'Buy')
    await done(2)
    const [execution] = await executions()
    const quote = await here.kontor.get('/price-stream/quotes/{quote_id}', {
      params: { quote_id: execution?.quote_id ?? '' },
    })
    assert.deepEqual([quote.state, quote.firm], ['ACCEPTED', true])
  })

  it('offers to hold a price anew that has run out, also in the confirmation', async () => {
    await page.getByLabel('Quantity', { exact: true }).fill('0.4')
    const held = page.getByRole('heading', { name: 'Held price' })
    const anew = (within: Page | Locator) =>
      within.getByRole('button', { name: 'Hold the price again' })
    const runsOut = (changed: (quote: object) => object) =>
      page.route('**/price-stream/quotes', async (route) => {
        const response = await route.fetch()
        const told = (await response.json()) as { data: { firm: boolean } }
        const data = told.data.firm ? { ...told.data, ...changed(told.data) } : told.data
        await route.fulfill({ response, json: { ...told, data } })
      })
    await runsOut(() => ({ risk_duration_ms: 300 }))
    await page.getByRole('button', { name: 'Hold price' }).click()
    await page
      .getByText('The held price has run out. The prices below are current and not held.')
      .waitFor()
    await page.unrouteAll({ behavior: 'wait' })
    await runsOut(() => ({ expires_at: Date.now() }))
    await anew(page).click()
    await held.waitFor()
    await page.unrouteAll({ behavior: 'wait' })
    await page.getByRole('button', { name: 'Buy 0.4 BTC' }).click()
    const form = dialog(/^Buy/)
    await form.getByRole('alert').filter({ hasText: 'has run out' }).waitFor()
    await form.locator('button:disabled', { hasText: 'Buy' }).waitFor()
    const again = page.waitForResponse(
      (response) =>
        response.url().endsWith('/price-stream/quotes') &&
        response.request().postDataJSON()?.risk_duration_ms === 60_000,
    )
    await anew(form).click()
    await form.waitFor({ state: 'hidden' })
    assert.equal((await again).status(), 200)
    await held.waitFor()
    assert.equal((await executions()).length, 2)
  })

  it('spends a volume, and keeps what was typed when it is too little', async () => {
    await page.getByTitle('EUR', { exact: true }).click()
    await page.getByLabel('Quantity', { exact: true }).fill('0.01')
    await page.getByRole('region', { name: 'Prices' }).getByRole('alert').waitFor()
    await page.getByLabel('Quantity', { exact: true }).fill("1'000")
    await page.getByRole('button', { name: 'Buy 1,000.00 EUR' }).click()
    const form = dialog(/^Buy/)
    await carryOut(form, 'Buy')
    await done(3)
    const [execution] = await executions()
    assert.deepEqual([execution?.mode, execution?.volume], ['VOLUME', '1000'])
  })

  it('places a limit order and cancels it; what has ended cannot be canceled', async () => {
    const jonas = (await here.kontor.get('/customers')).find(
      ({ label }) => label === 'Jonas Keller',
    )
    const params = { account_id: jonas?.account_id ?? '' }
    const isTold = async (): Promise<boolean> => {
      const balances = await here.kontor.get('/bookings/accounts/{account_id}/balance', { params })
      const told = await page.locator('.free').textContent()
      return told?.replaceAll(/[,’\s]/g, '').includes(`:${balances['EUR']?.trading}`) === true
    }
    await page.getByText('Limit', { exact: true }).first().click()
    await page.getByLabel('Quantity', { exact: true }).fill('0.2')
    await cannot(page.getByRole('button', { name: 'Buy 0.2 BTC limit' }), /^Enter a limit/)
    await page.getByLabel('Limit, all-in').fill('50000')
    const sells = page.getByRole('region', { name: 'Customer sells' })
    await sells.getByText(/The market is at .*EUR.* get far less/).waitFor()
    await reads(sells, /50,?000.*Receives at least.*10,?000.*Market now/)
    await page.getByRole('button', { name: 'Buy 0.2 BTC limit' }).click()
    const form = dialog(/^Buy/)
    await reads(form.getByRole('alert'), /The market is at \d.*EUR.*more than 5 % away/)
    await press(form, 'Continue')
    await form.getByText('Say that this is what you want, or cancel').waitFor()
    await form.getByRole('checkbox', { name: 'I want this order all the same' }).check()
    await press(form, 'Continue')
    await reads(form.getByLabel('To be confirmed'), /Pays at most.*10000/)
    await reads(form.getByLabel('To be confirmed'), /Market now\d/)
    await carryOut(form, 'Buy')
    const cancel = page
      .getByRole('region', { name: 'Last executions' })
      .first()
      .getByRole('button', { name: 'Cancel execution' })
    await until(
      'the limit rests',
      PATIENCE_MILLISECONDS,
      async () => (await executions())[0]?.execution_type === 'LIMIT',
    )
    await until('the blocked money is told', PATIENCE_MILLISECONDS, isTold)
    await cancel.click()
    await carryOut(dialog(/^Cancel execution/), 'Cancel execution')
    await until(
      'it is canceled',
      PATIENCE_MILLISECONDS,
      async () => (await executions())[0]?.state === 'CANCELED',
    )
    await until('the money is free again', PATIENCE_MILLISECONDS, isTold)
    const [execution] = await executions()
    await go(page, `/trading/executions/${execution?.id}`)
    await cannot(
      page
        .getByRole('dialog', { name: 'Execution' })
        .getByRole('button', { name: 'Cancel execution' }),
      /^The execution has ended/,
    )
  })

  it('splits among customers, and waits with a stop', async () => {
    await go(page, '/trading/ticket?market=BTC%2FEUR')
    await choose('Customer', 'Jonas Keller')
    // By keyboard: what the customer has free comes in above it at its own time, and moves it.
    await page.getByRole('button', { name: 'Split among several customers' }).press('Enter')
    await choose('Customer 2', 'Alpine Family Office')
    await page.getByLabel('Quantity', { exact: true }).fill('0.3')
    await page.getByLabel('Share of customer 1').fill('0.4')
    await page.getByRole('button', { name: 'Sell 0.3 BTC' }).click()
    const form = dialog(/^Sell/)
    await form.getByText('takes the rest').waitFor()
    await form.getByRole('button', { name: 'Sell', exact: true }).click()
    await form.getByRole('alert').waitFor()
    await form.getByRole('button', { name: 'Cancel' }).click()
    await page.getByLabel('Share of customer 1').fill('0.1')
    await page.getByRole('button', { name: 'Sell 0.3 BTC' }).click()
    await carryOut(form, 'Sell')
    await until(
      'the split is done',
      PATIENCE_MILLISECONDS,
      async () => (await executions())[0]?.customers.length === 2,
    )
    assert.deepEqual(
      (await executions())[0]?.customers.map((customer) => customer.quantity_absolute),
      ['0.1', null],
    )

    await go(page, '/trading/ticket?market=BTC%2FEUR')
    await choose('Customer', 'Alpine Family Office')
    await page.getByText('Stop', { exact: true }).first().click()
    await page.getByLabel('Quantity', { exact: true }).fill('0.1')
    await page.getByLabel('Trigger').fill('4000000')
    await page.getByRole('button', { name: 'Sell 0.1 BTC stop' }).click()
    await reads(form.getByRole('alert'), /has reached this trigger already/)
    await press(form, 'Cancel')
    await page.getByLabel('Trigger').fill('40000')
    await page.getByRole('button', { name: 'Sell 0.1 BTC stop' }).click()
    await form.getByText('(stop loss)').waitFor()
    await carryOut(form, 'Sell')
    await page
      .getByRole('region', { name: 'Last executions' })
      .first()
      .getByText('Waiting for trigger')
      .waitFor()
  })

  it('takes a quote from its record, once', async () => {
    const customer_id =
      (await here.kontor.get('/customers')).find(({ label }) => label === 'Jonas Keller')?.id ?? ''
    const route_id =
      (await here.kontor.get('/price-stream/routes')).find(
        ({ label }) => label === 'ETH/EUR at Kraken',
      )?.id ?? ''
    const quote = await here.kontor.post('/price-stream/quotes', {
      body: {
        route_id,
        customer_id,
        request_asset: 'ETH',
        request_quantity: '1',
        risk_duration_ms: 60_000,
      },
    })
    await go(page, '/trading/quotes')
    await page.getByRole('row').filter({ hasText: 'ETH/EUR' }).click()
    const record = page.getByRole('dialog', { name: 'Quote' })
    await record.getByRole('tab', { name: 'Both sides' }).click()
    await record.getByText('Full quantity').waitFor()
    await record.getByRole('button', { name: 'Customer sells' }).click()
    await carryOut(dialog(/^Customer sells/), 'Customer sells')
    await until(
      'it is taken',
      PATIENCE_MILLISECONDS,
      async () =>
        (
          await here.kontor.get('/price-stream/quotes/{quote_id}', {
            params: { quote_id: quote.id },
          })
        ).state === 'ACCEPTED',
    )
    await record.getByText('Accepted').first().waitFor()
    await cannot(
      record.getByRole('button', { name: 'Customer sells' }),
      /^The quote can no longer be accepted/,
    )
  })

  it('enters an outcome that the venue does not report; recheck corrects it', async () => {
    const id = await loseOrderAtKraken(here, '0.05')
    await sentLongAgo(here, id)
    await go(page, `/trading/executions/${id}`)
    const record = dialogOf(page, 'Execution')
    const button = (name: string) => record.getByRole('button', { name, exact: true })
    await button('Resolve').click()
    const form = dialog(/^Resolve/)
    await chooseIn(form.getByRole('combobox', { name: 'Outcome' }), 'Filled in full')
    await form.getByRole('button', { name: 'Add trade' }).click()
    await form.getByLabel('Id of trade 1').fill('TOLD-BY-PHONE')
    await form.getByLabel('Price of trade 1').fill('1')
    await form.getByLabel('Amount of trade 1').fill('0.05')
    await form.getByLabel('Fee of trade 1').fill('0')
    await form.getByRole('button', { name: 'Continue' }).click()
    await form.getByText('Evidence is required').waitFor()
    await form.getByRole('textbox', { name: 'Evidence' }).fill('Their desk said so')
    await form.getByRole('button', { name: 'Continue' }).click()
    await reads(form.getByLabel('To be confirmed'), /Filled in full.*0\.05.*TOLD-BY-PHONE/)
    await form.getByRole('button', { name: 'Resolve', exact: true }).click()
    await form.getByText('is far from what it was ordered at').waitFor()
    await carryOut(form, 'Cancel')

    await button('Resolve').click()
    await chooseIn(form.getByRole('combobox', { name: 'Outcome' }), 'Never placed')
    await form.getByRole('textbox', { name: 'Evidence' }).fill('Their desk said so')
    await form.getByRole('button', { name: 'Continue' }).click()
    await carryOut(form, 'Resolve')
    await record.getByText('Failed').first().waitFor()
    await cannot(button('Resolve'), 'The execution has ended')

    await here.control('DELETE', 'faults')
    await until(
      'the venue contradicts',
      PATIENCE_MILLISECONDS,
      async () => (await ordersOf(id))[0]?.contradiction !== null,
    )
    await record.getByRole('tab', { name: 'Orders' }).click()
    await record.getByText('Their desk said so').first().waitFor({ state: 'attached' })
    await button('Check with venue').click()
    await dialog(/^Check with venue/)
      .getByText('books its report in place')
      .waitFor()
    await carryOut(dialog(/^Check with venue/), 'Check with venue')
    await record.getByRole('tab', { name: 'Fills' }).click()
    await record.getByRole('row').filter({ hasText: 'BTC/EUR' }).first().waitFor()
    await cannot(button('Check with venue'), 'The execution has ended')
  })

  const ordersOf = (execution_id: string) =>
    here.kontor.get('/executions/{execution_id}/orders', { params: { execution_id } })

  it('shows prices and routes', async () => {
    await go(page, '/trading/market')
    await page.getByRole('button', { name: 'ETH' }).click()
    await page.getByRole('img', { name: /^Mid price and fills/ }).waitFor()
    await go(page, '/trading/routes')
    await page.getByRole('row').filter({ hasText: 'over BTC' }).click()
    await page
      .getByRole('dialog', { name: 'Price-stream route' })
      .getByRole('tab', { name: 'Hops' })
      .click()
    await page.getByRole('dialog', { name: 'Price-stream route' }).getByText('ETH/BTC').waitFor()
  })

  it('shows how each price changed in a day, and nothing where no venue says', async () => {
    await page.route('**/market-data/prices/v2/EUR/details', async (route) => {
      const response = await route.fetch()
      const told = (await response.json()) as { data: object }
      await route.fulfill({
        response,
        json: {
          ...told,
          data: { ...told.data, '24h_change': { BTC: '0.012345', ETH: '-0.05' } },
        },
      })
    })
    await go(page, '/trading/market')
    const prices = page.getByRole('table', { name: 'Prices' })
    await prices.getByRole('row').nth(1).waitFor()
    const column = (await prices.getByRole('columnheader').allTextContents()).indexOf('24 h')
    for (const [asset, change] of [
      ['BTC', /^▲ 1\.23 %$/],
      ['ETH', /^▼ 5 %$/],
      ['XRP', /^–$/],
    ] as const) {
      await reads(
        prices
          .getByRole('row')
          .filter({ has: page.getByRole('button', { name: asset, exact: true }) })
          .getByRole('cell')
          .nth(column),
        change,
      )
    }
    await page.unrouteAll({ behavior: 'wait' })
  })

  itIsAccessible(here, ['/trading/ticket', '/trading/executions', '/trading/quotes'])
})
