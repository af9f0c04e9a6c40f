/** The console in German: chosen by a person, kept, whole, and with room for longer words. */
import assert from 'node:assert/strict'
import { before, describe, it } from 'node:test'
import type { Page } from 'playwright-core'
import { GERMAN } from '../src/language/german/index.ts'
import { openForTests } from './browser.ts'
import { choose, dialog, field, go, openFirst, press, reads } from './hands.ts'
import { HALF, isLaidOut } from './layout.ts'
import { givePeopleMoney } from './money.ts'

const { here, skip } = await openForTests()

const SMALL = { width: 1280, height: 800 }

const translations = new Set(Object.values(GERMAN))
/** What is said otherwise in German. A word that German has too may stand. */
const isEnglish = (text: string): boolean =>
  (GERMAN[text] ?? text) !== text && !translations.has(text)

/** What Kontor itself says on the page; names of records are not in these. */
const textsOf = (page: Page): Promise<string[]> =>
  page
    .locator('nav a, h1, h2, h3, thead th, label, button, [role=tab], dt, legend')
    .evaluateAll((all) => all.map((element) => (element.textContent ?? '').trim()))

describe('the console in German', { skip }, () => {
  let page: Page

  before(async () => {
    await givePeopleMoney(here)
    page = await here.page({ path: '/overview' })
  })

  it('is chosen in the menu of the user, and kept', async () => {
    await reads(page.getByRole('heading', { level: 1 }), /^Overview$/)
    await page.getByRole('button', { name: 'admin' }).first().click()
    await page.getByRole('menuitem', { name: /^Language/ }).hover()
    await page.getByRole('menuitem', { name: 'Deutsch' }).click()
    await reads(page.getByRole('heading', { level: 1 }), /^Übersicht$/)
    assert.equal(await page.locator('html').getAttribute('lang'), 'de')
    await page.reload()
    await reads(page.getByRole('heading', { level: 1 }), /^Übersicht$/)
  })

  it('says nothing in English, and cuts or covers no text', async () => {
    const paths = await page
      .getByRole('navigation', { includeHidden: true })
      .getByRole('link', { includeHidden: true })
      .evaluateAll((all) => all.map((link) => link.getAttribute('href') ?? ''))
    assert.ok(paths.length > 20)
    for (const path of [...paths, '/help', '/sessions']) {
      await page.goto(here.url + path)
      await page.getByRole('heading', { level: 1 }).waitFor()
      await page
        .getByRole('status', { name: 'Wird geladen' })
        .first()
        .waitFor({ state: 'detached' })
      assert.deepEqual((await textsOf(page)).filter(isEnglish), [], path)
      for (const size of [HALF, SMALL])
        await isLaidOut(page, `${path}, ${size.width} px, German`, size)
      if (!(await openFirst(page))) continue
      await page.locator('.record').locator('[role="tablist"], .failure').first().waitFor()
      assert.deepEqual((await textsOf(page)).filter(isEnglish), [], `the record of ${path}`)
      await isLaidOut(page, `the record of ${path}, German`, SMALL)
    }
  })

  it('says in German what the service composes: steps, reasons, permissions', async () => {
    await go(page, '/treasury/deposits')
    assert.ok(await openFirst(page))
    const record = page.locator('.record')
    await record.getByRole('tab', { name: 'Verlauf' }).click()
    const steps = record.locator('.story').first()
    await steps.getByRole('listitem').first().waitFor()
    const said = (await steps.textContent()) ?? ''
    assert.doesNotMatch(said, /\b(for|from|to|the|this|later)\b/, said)
    await go(page, '/administration/settings')
    await page.locator('.setting').first().waitFor()
    const values = await page.locator('.setting-value .amount').allTextContents()
    assert.deepEqual(
      values.filter((value) => /\d\.\d+ %/.test(value)),
      [],
    )
    const title = 'Wartezeit von E-Mails über Einzahlungen'
    await press(page, `Ändern: ${title}`)
    const form = dialog(page, new RegExp(title))
    await field(form, title).fill('7')
    await press(form, 'Weiter')
    await press(form, 'Ändern')
    await page.getByText(`${title}: geändert`, { exact: true }).waitFor()
  })

  it('refuses in German: at the field, and what the service says', async () => {
    await go(page, '/treasury/payments')
    await press(page, 'Jemanden bezahlen')
    const form = dialog(page, 'Jemanden bezahlen')
    await press(form, 'Weiter')
    await form.getByText('ist erforderlich').first().waitFor()
    await press(form, 'Abbrechen')
    await go(page, '/administration/users')
    await press(page, 'Benutzer anlegen')
    const user = dialog(page, 'Benutzer anlegen')
    await field(user, 'E-Mail').fill('neu@kontor.local')
    await choose(field(user, 'Rollen'), 'Leser')
    await field(user, 'Anfangspasswort').fill('aaaaaaaaaa')
    await press(user, 'Benutzer anlegen')
    await user.getByText('mindestens 4 verschiedene Zeichen').last().waitFor()
    await press(user, 'Abbrechen')
  })

  it('has the lists of a customer in one line, below the buttons of the record', async () => {
    for (const size of [SMALL, { width: 1366, height: 768 }, HALF]) {
      await page.setViewportSize(size)
      await go(page, '/customers')
      assert.ok(await openFirst(page))
      const links = page.locator('.record-links a')
      await links.nth(4).waitFor()
      const places = await links.evaluateAll((all) =>
        all.map((link) => link.getBoundingClientRect().top),
      )
      assert.equal(new Set(places).size, 1, `${size.width}: ${places.join(', ')}`)
    }
  })
})
