/**
 * The general ledger by clicks: what has no number, the numbers, and the file for DATEV. Beside it
 * the records for supervisors.
 */
import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { before, describe, it } from 'node:test'
import type { Page } from 'playwright-core'
import { openForTests } from './browser.ts'
import { go, itIsAccessible } from './hands.ts'
import { givePeopleMoney, tradeAtPrime } from './money.ts'

const { here, skip } = await openForTests()
const TYPES = ['CUSTOMER', 'VENUE', 'HOUSE', 'SUSPENSE', 'TRANSIT', 'TRADING', 'MARGIN', 'FEE']

describe('the general ledger', { skip }, () => {
  let page: Page
  before(async () => {
    await givePeopleMoney(here)
    page = await here.page({ path: '/books/general-ledger' })
  })

  it('lists every leg, and which accounts have no number', async () => {
    await page.getByText('These accounts have no number yet').waitFor()
    const [line] = await here.kontor.get('/general-ledger')
    assert.equal(line?.reason, 'NO_NUMBER')
    await page.locator('tr.opens').filter({ hasText: 'None' }).first().waitFor()
  })

  it('has the numbers of the setting, and a file for DATEV', async () => {
    await here.kontor.put('/settings/{key}', {
      params: { key: 'general_ledger' },
      body: {
        value: {
          accounts: TYPES.map((type, index) => ({ type, number: String(1000 + index) })),
          datev: { consultant: 1001, client: 7, account_length: 4, fiscal_year_start: '01-01' },
        },
      },
    })
    const day = new Date(Date.now() - 1_000)
    const from = new Date(Date.UTC(day.getUTCFullYear(), day.getUTCMonth(), day.getUTCDate()))
    const query = new URLSearchParams({
      from: String(from.getTime()),
      to: String(day.getTime()),
      assets: 'EUR',
    })
    await go(page, `/books/general-ledger?${query}`)
    await page.locator('tr.opens').filter({ hasText: '1000' }).first().waitFor()
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'DATEV', exact: true }).click(),
    ])
    assert.match(download.suggestedFilename(), /^EXTF_Buchungsstapel_EUR_.*\.csv$/)
    const text = await readFile(await download.path(), 'latin1')
    assert.match(text, /^"EXTF";700;21;"Buchungsstapel";13;/)
    assert.match(text, /"S";;;;;1001;1000;|"S";;;;;1002;1000;|"S";;;;;1003;1000;/)
  })

  it('has orders and transactions as supervisors ask for them, with all fields', async () => {
    await tradeAtPrime(here, 'BUY', '0.1')
    for (const [path, word, field] of [
      ['/books/order-records', 'BUYI', 'f41_country_of_residence'],
      ['/books/transaction-records', 'NEWT', 'f45_short_selling'],
    ] as const) {
      await go(page, path)
      await page.locator('tr.opens').filter({ hasText: word }).first().waitFor()
      const [download] = await Promise.all([
        page.waitForEvent('download'),
        page.getByRole('button', { name: 'Raw CSV', exact: true }).click(),
      ])
      assert.match(
        await readFile(await download.path(), 'utf8'),
        new RegExp(`${field}.*${word}`, 's'),
      )
    }
  })

  itIsAccessible(here, [
    '/books/general-ledger',
    '/books/order-records',
    '/books/transaction-records',
  ])
})
