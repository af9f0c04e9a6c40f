/**
 * Many at once, by clicks: batches that anybody finds again, and rows of a list that are chosen and
 * done together.
 */
import assert from 'node:assert/strict'
import { before, describe, it } from 'node:test'
import type { Locator, Page } from 'playwright-core'
import { openForTests, PATIENCE_MILLISECONDS, seriousFindings, until } from './browser.ts'
import {
  carryOut,
  choose as chooseIn,
  dialog as dialogOf,
  field,
  go as goOn,
  itIsAccessible,
  press,
  reads,
} from './hands.ts'
import { givePeopleMoney } from './money.ts'

const { here, skip } = await openForTests()

describe('many at once in the console', { skip }, () => {
  let page: Page
  before(async () => {
    await givePeopleMoney(here)
    page = await here.page({ path: '/treasury/batches' })
  })

  const dialog = (name: string | RegExp): Locator => dialogOf(page, name)
  const go = (path: string): Promise<void> => goOn(page, path)
  const choose = (scope: Locator, label: string, option: string | RegExp): Promise<void> =>
    chooseIn(field(scope, label), option)

  it('sends many at once, as they were shown', async () => {
    await go('/treasury/batches')
    await press(page, 'New batch')
    const payments = [0, 1].map((index) =>
      page.getByRole('group', { name: `Payment ${index + 1}` }),
    )
    for (const [index, payment] of payments.entries()) {
      await choose(payment, 'Route', 'Bank to Kraken EUR')
      await payment.getByLabel('Amount').fill(index === 0 ? '3.0011' : '4')
      if (index === 1) await choose(payment, 'Customer account', 'Alpine Family Office')
    }
    await press(page, 'Prepare')
    await page.getByText('EUR has 2 decimals; enter no more').first().waitFor()
    await payments[0]?.getByLabel('Amount').fill('3')
    await press(page, 'Prepare')
    await dialog('Batch')
      .getByRole('timer')
      .getByText(/Submit within/)
      .waitFor()
    assert.deepEqual(await seriousFindings(page), [])
    const address = page.url()
    await go('/treasury/batches')
    await page.locator('tr.opens').filter({ hasText: 'Prepared' }).first().click()
    await dialog('Batch').getByRole('link', { name: 'Review and submit' }).click()
    assert.equal(page.url(), address)
    await page.reload()
    await dialog('Batch')
      .getByRole('button', { name: /^Submit/ })
      .click()
    await dialog('Batch').getByRole('link', { name: 'Open withdrawal' }).first().click()
    const withdrawal = dialog('Withdrawal')
    await reads(withdrawal, /7\s*EUR.*Part that is an own transfer\s*3\s*EUR/s)
  })

  it('gives a batch up from the account that it holds money of', async () => {
    await go('/treasury/batches/new')
    const payment = page.getByRole('group', { name: 'Payment 1' })
    await page.getByRole('button', { name: 'Remove payment 2' }).click()
    await choose(payment, 'Route', 'Bank to Kraken EUR')
    await payment.getByLabel('Amount').fill('5.5')
    await choose(payment, 'Customer account', 'Alpine Family Office')
    await press(page, 'Prepare')
    await dialog('Batch').getByRole('timer').waitFor()
    const customers = await here.kontor.get('/customers')
    const payer = customers.find(({ label }) => label === 'Alpine Family Office')
    await go(`/books/accounts/${payer?.account_id}#balances`)
    const held = dialog('Account').getByRole('region', { name: 'Held now' })
    await held
      .getByRole('row')
      .filter({ hasText: '5.5' })
      .getByRole('link', { name: 'Prepared batch' })
      .click()
    await press(dialog('Batch'), 'Give up')
    await carryOut(dialog(/^Give up/), 'Give up')
    await dialog('Batch').getByText('Given up').first().waitFor()
    await page.goBack()
    await held.getByRole('row').filter({ hasText: '5.5' }).waitFor({ state: 'hidden' })
    await page.goForward()
    await dialog('Batch').getByRole('link', { name: 'Prepare again' }).click()
    await page.getByRole('heading', { level: 1, name: 'New batch' }).waitFor()
    await until('the payment is there again', PATIENCE_MILLISECONDS, async () =>
      /^5[.,]50?$/.test(await payment.getByLabel('Amount').inputValue()),
    )
  })

  itIsAccessible(here, ['/treasury/batches', '/treasury/batches/new'])
})
