/** The console without a mouse: where the focus goes, and what is asked before a loss. */
import assert from 'node:assert/strict'
import { before, describe, it } from 'node:test'
import type { Page } from 'playwright-core'
import { PAGES } from '../src/pages/index.ts'
import { openForTests, PATIENCE_MILLISECONDS, until } from './browser.ts'
import { carryOut, dialog, field, go, press } from './hands.ts'

const { here, skip } = await openForTests()

/** What a screen reader would call only by its kind. */
const NAMELESS = /^\s*- (button|link|textbox|searchbox|combobox|checkbox|radio|switch|tab)(:|$)/m

/** What has the focus: its kind, its text, and the row of a list that it is. */
const focused = (page: Page): Promise<string> =>
  page.evaluate(() => {
    const held = document.activeElement
    if (!(held instanceof HTMLElement)) return 'nothing'
    const row = held.dataset['index']
    if (row !== undefined) return `row ${row}`
    return `${held.tagName} ${(held.getAttribute('aria-label') ?? held.textContent ?? '').trim()}`
  })

const focusIs = (page: Page, wanted: string): Promise<void> =>
  until(`the focus is at ${wanted}`, PATIENCE_MILLISECONDS, async () => {
    const held = await focused(page)
    return held === wanted || held
  })

const menu = (page: Page) => page.getByRole('button', { name: 'admin@kontor.local' })
const logOut = async (page: Page): Promise<void> => {
  await menu(page).click()
  await page.getByRole('menuitem', { name: 'Log out' }).click()
}

describe('the console by keys', { skip }, () => {
  let page: Page
  before(async () => {
    page = await here.page({ path: '/overview' })
    await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor()
  })

  it('every page takes the focus to its heading, and Tab goes on from there in sight', async () => {
    for (const { path, label, keys } of PAGES.toReversed()) {
      // In a field, the keys of the page are letters.
      await page.locator('h1').focus()
      if (keys === undefined) await page.locator(`nav a[href="${path}"]`).click()
      else for (const key of ['g', keys]) await page.keyboard.press(key)
      await page.waitForURL((url) => url.pathname === path)
      await focusIs(page, `H1 ${label}`)
      await page.getByRole('status', { name: 'Loading' }).first().waitFor({ state: 'detached' })
      assert.equal(await page.locator('h1:visible').count(), 1, path)
      assert.equal(await page.locator('[tabindex]:not([tabindex="0"], [tabindex="-1"])').count(), 0)
      assert.doesNotMatch(await page.locator('body').ariaSnapshot(), NAMELESS, path)
      if ((await page.locator('.grid-scroller tr[data-index="0"]').count()) > 0) {
        await page.keyboard.press('j')
        await focusIs(page, 'row 0')
        await page.locator('h1').focus()
      }
      await page.keyboard.press('Tab')
      const next = await page.evaluate(() => {
        const held = document.activeElement
        const ring = held?.closest('.ant-select, .ant-input-affix-wrapper') ?? held
        if (held === null || ring === null) return {}
        const { outlineStyle, boxShadow } = getComputedStyle(ring)
        return {
          inside: held.closest('#content') !== null,
          visible: ring.checkVisibility({ opacityProperty: true, visibilityProperty: true }),
          ring: outlineStyle !== 'none' || boxShadow !== 'none',
        }
      })
      assert.deepEqual(next, { inside: true, visible: true, ring: true }, path)
    }
  })

  it('the rows are under j and k at once, and Esc returns to the row', async () => {
    await page.locator('h1').focus()
    for (const key of ['g', 'a']) await page.keyboard.press(key)
    await page.getByRole('heading', { level: 1, name: 'Accounts' }).waitFor()
    // The newest: no row comes above those that are counted here.
    await page.locator('tr[data-index="0"]').filter({ hasText: 'Jonas Keller' }).waitFor()
    await page.keyboard.press('j')
    await focusIs(page, 'row 0')
    for (const key of ['j', 'j', 'k']) await page.keyboard.press(key)
    await focusIs(page, 'row 1')
    await page.keyboard.press('Enter')
    await dialog(page, 'Account').getByRole('tab').first().waitFor()
    await page.keyboard.press('Escape')
    await dialog(page, 'Account').waitFor({ state: 'hidden' })
    await focusIs(page, 'row 1')
    await page.keyboard.press('Control+k')
    await page.getByRole('combobox', { name: 'Search or go to' }).waitFor()
    await page.keyboard.press('Escape')
    await focusIs(page, 'row 1')
  })

  it('Tab leaves what was chosen among several', async () => {
    await go(page, '/treasury/deposits')
    await page.getByRole('combobox', { name: 'State' }).focus()
    for (const key of ['ArrowDown', 'Enter']) await page.keyboard.press(key)
    await page.waitForURL(/state=[A-Z_]+$/)
    const chosen = page.url()
    await page.keyboard.press('Tab')
    await page.locator('.ant-select-dropdown:visible').waitFor({ state: 'hidden' })
    assert.equal(page.url(), chosen)
  })

  it('asks before what was typed is lost, and not before', async () => {
    await page.locator('nav a[href="/customers"]').click()
    const form = dialog(page, 'Create customer')
    const question = dialog(page, 'Leave without saving?')
    await press(page, 'Create customer')
    await form.waitFor()
    await page.keyboard.press('Escape')
    await form.waitFor({ state: 'hidden' })
    await focusIs(page, 'BUTTON Create customer')

    await page.keyboard.press('n')
    await field(form, 'First name').fill('Nora')
    await page.keyboard.press('Escape')
    await focusIs(page, 'BUTTON Keep editing')
    await page.keyboard.press('Enter')
    await question.waitFor({ state: 'hidden' })
    await page.evaluate(() => {
      history.back()
    })
    await carryOut(question, 'Keep editing')
    const asked = page.waitForEvent('dialog')
    await Promise.all([
      asked.then((browsers) => {
        assert.equal(browsers.type(), 'beforeunload')
        return browsers.dismiss()
      }),
      page.evaluate(() => {
        location.assign('/books/accounts')
      }),
    ])
    assert.equal(await field(form, 'First name').inputValue(), 'Nora')
    await page.keyboard.press('Escape')
    await press(question, 'Leave')
    await form.waitFor({ state: 'hidden' })
  })

  it('a log-out ends every tab, also where something was typed', async () => {
    const other = await page.context().newPage()
    await other.goto(`${here.url}/customers`)
    await press(other, 'Create customer')
    await field(dialog(other, 'Create customer'), 'First name').fill('Nora')
    await logOut(page)
    for (const tab of [page, other]) await tab.getByRole('button', { name: 'Log in' }).waitFor()
    const said = (tab: Page) => tab.getByText(/^You were logged out in another tab/)
    await said(other).waitFor()
    assert.equal(await said(page).count(), 0)
    await page.context().close()
  })

  it('logs out of a session that was ended elsewhere', async () => {
    const late = await here.page({ path: '/books/accounts' })
    await menu(late).waitFor()
    // It has not heard of it yet.
    await late.route('**/api/**', (route) =>
      /\/auth\/(logout|console\/refresh)$/.test(route.request().url())
        ? route.continue()
        : route.abort(),
    )
    for (const { id, is_current } of await here.kontor.get('/auth/sessions'))
      if (!is_current)
        await here.kontor.del('/auth/sessions/{session_id}', { params: { session_id: id } })
    await logOut(late)
    await late.getByRole('button', { name: 'Log in' }).waitFor()
    await late.context().close()
  })
})
