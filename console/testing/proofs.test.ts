/** A proof of segregation by clicks: made, read, and checked from the file that a customer gets. */
import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { before, describe, it } from 'node:test'
import { checkProof } from '@kontor/client'
import type { DataOf } from '@kontor/client'
import type { Locator, Page } from 'playwright-core'
import { openForTests } from './browser.ts'
import { carryOut, dialog, go, itIsAccessible, press, reads } from './hands.ts'
import { givePeopleMoney } from './money.ts'

const { here, skip } = await openForTests()

describe('proofs of segregation', { skip }, () => {
  let page: Page
  before(async () => {
    await givePeopleMoney(here)
    page = await here.page({ path: '/books/proofs' })
  })

  async function downloaded(record: Locator, button: string): Promise<string> {
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      record.getByRole('button', { name: button, exact: true }).first().click(),
    ])
    return readFile(await download.path(), 'utf8')
  }

  it('are made by one press, and show what is held beside what is owned', async () => {
    await page.getByText('No proofs yet').waitFor()
    await press(page, 'Make a proof')
    await carryOut(dialog(page, 'Make a proof'), 'Make a proof')
    await page.getByText(/^Proof made as of booking \d+/).waitFor()
    await page.locator('tr.opens').filter({ hasText: 'EUR' }).first().click()
    const record = dialog(page, 'Proof of segregation')
    const [proof] = await here.kontor.get('/proofs')
    const euros = proof?.trees.find(({ asset }) => asset === 'EUR')
    assert.ok(euros !== undefined && !euros.difference.startsWith('-'))
    await record.getByRole('tab', { name: 'Owned and held' }).click()
    const line = record.getByRole('row').filter({ hasText: 'EUR' })
    for (const amount of [euros.total, euros.difference])
      await reads(line, new RegExp(amount.split('.')[0]?.slice(-3) ?? amount))
    await record.getByRole('tab', { name: 'At the venues' }).click()
    await reads(record.getByRole('row').filter({ hasText: 'Sandbox Bank' }), /EUR/)
    await record.getByRole('tab', { name: 'To be published' }).click()
    await record.getByText(euros.root).waitFor()
    assert.match(await downloaded(record, 'CSV'), new RegExp(`EUR.*${euros.root}`))
  })

  it('give each customer a file that is checked without Kontor', async () => {
    const [proof] = await here.kontor.get('/proofs')
    const roots = proof?.trees.map(({ root }) => root) ?? []
    await go(page, '/customers')
    await page.locator('tr.opens').filter({ hasText: 'Jonas Keller' }).first().click()
    const record = dialog(page, 'Customer')
    await record.getByRole('tab', { name: 'Proofs' }).click()
    const file = JSON.parse(await downloaded(record, 'Proof of the customer')) as DataOf<
      'get',
      '/proofs/{proof_id}/accounts/{account_id}'
    >
    const checked = await checkProof(file, roots)
    assert.ok(checked.some(({ asset, quantity }) => asset === 'EUR' && quantity !== '0'))
  })

  it('say so where a customer had nothing', async () => {
    await here.kontor.post('/customers', {
      body: {
        type: 'RETAIL',
        label: 'Nils Nothing',
        margin: 'DEFAULT',
        booking_schema: 'ADVANCED',
        ignore_balance_check: false,
        ignore_margin: false,
        first_name: 'Nils',
        last_name: 'Nothing',
      },
    })
    await go(page, '/customers')
    await page.locator('tr.opens').filter({ hasText: 'Nils Nothing' }).first().click()
    const record = dialog(page, 'Customer')
    await record.getByRole('tab', { name: 'Proofs' }).click()
    await press(record, 'Proof of the customer')
    await page.getByText('The customer had nothing at that time').waitFor()
  })

  itIsAccessible(here, ['/books/proofs'])
})
