/** What is new in a list since a person looked, by clicks, and on another computer. */
import assert from 'node:assert/strict'
import { before, describe, it } from 'node:test'
import type { Locator, Page } from 'playwright-core'
import {
  COLOUR_RULES,
  openForTests,
  PATIENCE_MILLISECONDS,
  seriousFindings,
  until,
} from './browser.ts'
import { go, press, reads, waitForDeposit } from './hands.ts'

const { here, skip } = await openForTests()

describe('what is new since somebody looked', { skip }, () => {
  const PATH = '/treasury/deposits'
  const user = { email: 'nora@kontor.local', password: 'a password for Nora' }
  let page: Page
  before(async () => {
    await here.kontor.post('/users', {
      body: { ...user, roles: ['TREASURER'], must_change_password: false },
    })
    await here.wire({ from_name: 'Payer', quantity: '60.5', reference: 'before' })
    await waitForDeposit(here, 'before')
    page = await here.page({ ...user, path: PATH })
    await row(page, 'before').waitFor()
    await until('the list was seen', PATIENCE_MILLISECONDS, async () => {
      await page.reload()
      const seen = page.waitForResponse((answer) => answer.url().endsWith('/news/deposit'))
      type Seen = { seen_at: number | null; count: number }
      const { data } = (await (await seen).json()) as { data: Seen }
      // What happened to the first one while the page was opened is seen as well.
      return data.seen_at !== null && data.count === 0
    })
  })

  const news = (of: Page): Locator => of.getByRole('group', { name: 'News', exact: true })
  const row = (of: Page, reference: string): Locator =>
    of.getByRole('row').filter({ hasText: reference })
  const mark = (of: Page, reference: string): Locator =>
    row(of, reference).getByRole('img', { name: 'New', exact: true })

  it('is counted and marked, and shown alone', async () => {
    await here.wire({ from_name: 'Payer', quantity: '61.5', reference: 'after' })
    await waitForDeposit(here, 'after')
    await reads(news(page), /^1 new since \d{4}-\d\d-\d\d \d\d:\d\d/)
    await mark(page, 'after').waitFor()
    assert.equal(await mark(page, 'before').count(), 0)
    assert.deepEqual(await seriousFindings(page), [])
    await page.emulateMedia({ colorScheme: 'dark' })
    assert.deepEqual(await seriousFindings(page, COLOUR_RULES), [])
    await page.emulateMedia({ colorScheme: 'light' })
    await press(news(page), 'Only new ones')
    await row(page, 'before').waitFor({ state: 'hidden' })
    await row(page, 'after').waitFor()
  })

  it('is the same on another computer, and gone once it was seen', async () => {
    const other = await here.page({ ...user, path: PATH })
    await mark(other, 'after').waitFor()
    await press(news(page), 'Seen')
    await row(page, 'before').waitFor()
    await mark(page, 'after').waitFor({ state: 'hidden' })
    await go(other, PATH)
    await row(other, 'after').waitFor()
    await reads(news(other), /^$/)
    assert.equal(await mark(other, 'after').count(), 0)
    await other.context().close()
  })

  it('was seen by whoever leaves the list', async () => {
    await here.wire({ from_name: 'Payer', quantity: '62.5', reference: 'later' })
    await waitForDeposit(here, 'later')
    await mark(page, 'later').waitFor()
    const sent = page.waitForResponse((answer) => answer.request().method() === 'PUT')
    await page.getByRole('link', { name: 'Withdrawals', exact: true }).first().click()
    assert.equal((await sent).status(), 200)
    await page.goBack()
    await row(page, 'later').waitFor()
    await mark(page, 'later').waitFor({ state: 'hidden' })
  })
})
