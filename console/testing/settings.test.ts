/** Settings by clicks: read, changed, changed by two at once, and when the file says otherwise. */
import assert from 'node:assert/strict'
import { before, describe, it } from 'node:test'
import type { Locator, Page } from 'playwright-core'
import { COLOUR_RULES, openForTests, PASSWORD, seriousFindings } from './browser.ts'
import { carryOut, choose, configure, confirm, dialog, enterTime, field, go } from './hands.ts'
import { press, reads } from './hands.ts'

const { here, skip } = await openForTests()
const PATH = '/administration/settings'

describe('settings', { skip }, () => {
  let page: Page
  before(async () => {
    page = await here.page({ path: PATH })
  })

  const entry = (title: string): Locator => page.getByRole('article', { name: title, exact: true })
  const openForm = async (title: string): Promise<Locator> => {
    await press(page, `Change: ${title}`)
    return dialog(page, 'Change')
  }
  const valueOf = async (key: string): Promise<unknown> =>
    (await here.kontor.get('/settings/{key}', { params: { key } })).value

  it('are read and changed as a table of percents, and both values are shown before', async () => {
    await reads(entry('Margins').getByRole('table'), /Default0\.5 %Premium0\.25 %/)
    const form = await openForm('Margins')
    await press(form, 'Add a category')
    await field(form, 'Category 3').fill('GOLD')
    await field(form, 'Value 3').fill('0.1')
    await field(form, 'Value 1').fill('100')
    await press(form, 'Continue')
    await form.getByText('100 % is too much: it must be below 100 %').waitFor()
    await field(form, 'Value 1').fill('0.6')
    await press(form, 'Continue')
    const facts = form.getByLabel('To be confirmed')
    await reads(facts, /Until now.*Default0\.5 %.*From now on.*Default0\.6 %.*Gold0\.1 %/)
    await carryOut(form, 'Change')
    await reads(entry('Margins'), /Gold0\.1 %.*Last change: admin/i)
    assert.deepEqual(await valueOf('margins'), {
      DEFAULT: '0.006',
      PREMIUM: '0.0025',
      GOLD: '0.001',
    })
  })

  it('are changed by the fields that fit: switch, number, choice, date', async () => {
    const waits = await openForm('Assignments wait for a decision')
    await waits.getByRole('switch').click()
    await confirm(waits, 'Change')
    await reads(entry('Assignments wait for a decision'), /On/)
    const days = await openForm('Retention of personal data')
    await field(days, 'Retention of personal data').fill('many')
    await press(days, 'Continue')
    await days.getByText('Enter a whole number from 0 to 36525').waitFor()
    await field(days, 'Retention of personal data').fill('3650')
    await confirm(days, 'Change')
    await reads(entry('Retention of personal data'), /3,650 days/)
    const fees = await openForm('Network fees')
    await choose(field(fees, 'Network fees'), 'The customer')
    await confirm(fees, 'Change')
    await reads(entry('Network fees'), /The customer/)
    const period = await openForm('Open period')
    await enterTime(field(period, 'Open period'), '2026-10-01 00:00')
    await confirm(period, 'Change')
    await reads(entry('Open period'), /2026-10-01 00:00:00 Europe\/Zurich/)
    assert.equal(await valueOf('open_period_from'), Date.parse('2026-09-30T22:00:00Z'))
  })

  it('are the calendars of banks too, whose faults stand at their fields', async () => {
    const title = 'Calendar of Sandbox Bank'
    const form = await openForm(title)
    await field(form, 'Cut-off time').fill('25:00')
    await press(form, 'Continue')
    await press(form, 'Change')
    await form.getByText(/must be a time such as 15:30/).waitFor()
    await field(form, 'Cut-off time').fill('15:30')
    await confirm(form, 'Change')
    await reads(entry(title), /Closed onOnly the listed days.*Cut-off time15:30/)
  })

  it('keep their history, in a drawer', async () => {
    await page.getByRole('link', { name: 'Network fees' }).click()
    const record = dialog(page, 'Setting')
    await record.getByRole('tab', { name: 'History' }).click()
    await reads(record.getByLabel('Changes'), /Version 2: .*BeforeThe houseAfterThe customer/)
    assert.deepEqual(await seriousFindings(page), [])
    await record.getByRole('button', { name: 'Close' }).click()
  })

  it('of two who change one, the second sees what the first did, and goes on', async () => {
    const form = await openForm('Slippage')
    await field(form, 'Slippage').fill('3')
    await here.kontor.put('/settings/{key}', {
      params: { key: 'slippage' },
      body: { value: '0.02' },
    })
    await press(form, 'Continue')
    await press(form, 'Change')
    const said = form.getByRole('alert').filter({ hasText: 'changed this' })
    await reads(said, /^You, in another window, changed this .*Slippage123/)
    await confirm(form, 'Change')
    assert.equal(await valueOf('slippage'), '0.03')
  })

  it('the brand: shown before it counts, then in the header and on the login page', async () => {
    const logo = Buffer.from(
      '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 9 9"><circle r="9"/></svg>',
    )
    const form = await openForm('Brand')
    await field(form, 'Name').fill('Bank am See')
    await field(form, 'Address').fill('Seestrasse 1\n8000 Zürich\n')
    await field(form, 'Accent colour').fill('green')
    const file = form.getByLabel('File of the logo')
    await file.setInputFiles({
      name: 'logo.svg',
      mimeType: 'image/svg+xml',
      buffer: Buffer.from(logo.toString().replace('<circle', '<script/><circle')),
    })
    await press(form, 'Continue')
    await form.getByText('Enter a colour such as #0b57a4').waitFor()
    await field(form, 'Accent colour').fill('#f2c500')
    await press(form, 'Continue')
    await press(form, 'Change')
    await form.getByText(/has the element script/).waitFor()
    await file.setInputFiles({ name: 'logo.svg', mimeType: 'image/svg+xml', buffer: logo })
    await confirm(form, 'Change')
    const areas = page.getByRole('navigation', { name: 'Areas' })
    await areas.getByText('Bank am See').waitFor()
    await areas.locator('img.brand-logo[src^="data:image/svg+xml"]').waitFor()
    assert.partialDeepStrictEqual(await valueOf('brand'), {
      name: 'Bank am See',
      address: ['Seestrasse 1', '8000 Zürich'],
      accent: '#f2c500',
    })
    assert.deepEqual(await seriousFindings(page), [])
    for (const theme of ['light', 'dark'] as const) {
      const outside = await here.page({ out: true, theme })
      await outside.getByRole('heading', { name: 'Bank am See' }).waitFor()
      const picture = outside.locator('img.brand-logo')
      await picture.evaluate((image) => (image as HTMLImageElement).decode())
      assert.deepEqual(await seriousFindings(outside), [])
      await outside.context().close()
    }
  })

  it('the file says otherwise: both are shown, and a person decides', async () => {
    await configure(here, () => ({ settings: { slippage: '0.04' } }))
    await go(page, PATH)
    const drift = page.getByRole('group', { name: 'Slippage: two values' })
    await reads(drift, /The console says3 %The file says4 %/)
    await press(drift, 'Take what the file says')
    const form = dialog(page, 'Take what the file says')
    await reads(form.getByLabel('To be confirmed'), /The console says3 %The file says4 %/)
    await carryOut(form, 'Take what the file says')
    await drift.waitFor({ state: 'hidden' })
    assert.equal(await valueOf('slippage'), '0.04')

    await here.kontor.put('/settings/{key}', {
      params: { key: 'slippage' },
      body: { value: '0.05' },
    })
    await go(page, '/overview')
    const need = page.getByRole('region', { name: 'Needs attention' })
    // With the calendar, of which the file names an option.
    await need.getByRole('link', { name: /differ from the configuration file: 2/ }).waitFor()
    await need.getByText('Show both values').click()
    const needed = need.getByRole('group', { name: 'Slippage: two values' })
    await reads(needed, /The console says5 %The file says4 %/)
    assert.deepEqual(await seriousFindings(page), [])
    await press(needed, 'Keep what the console says')
    await carryOut(dialog(page, 'Keep what the console says'), 'Keep what the console says')
    await needed.waitFor({ state: 'hidden' })
    assert.equal(await valueOf('slippage'), '0.05')
  })

  it('are seen by who may not change them, without a button and with the reason', async () => {
    const email = 'auditor@kontor.local'
    await here.kontor.post('/users', {
      body: {
        email,
        name: 'auditor',
        roles: ['AUDITOR'],
        password: PASSWORD,
        must_change_password: false,
      },
    })
    const theirs = await here.page({ path: PATH, email, password: PASSWORD })
    const margins = theirs.getByRole('article', { name: 'Margins', exact: true })
    await reads(margins, /0\.6 %.*your roles do not have the permission settings\.margins\.write/)
    assert.equal(await theirs.getByRole('button', { name: /^Change: / }).count(), 0)
    await theirs.emulateMedia({ colorScheme: 'dark' })
    assert.deepEqual(await seriousFindings(theirs, COLOUR_RULES), [])
  })
})
