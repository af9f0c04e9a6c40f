/**
 * The console in a real browser against a real Kontor and its sandbox: how one gets in, and that it
 * shows what is.
 */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import {
  logIn,
  openForTests,
  PASSWORD,
  PATIENCE_MILLISECONDS,
  seriousFindings,
  until,
} from './browser.ts'
import { choose, dialog, press, reads } from './hands.ts'

const { here, skip } = await openForTests()

describe('the console', { skip }, () => {
  it('refuses a wrong password, lets the right one in, and is known from then on', async () => {
    const page = await here.page({ out: true })
    await page.getByLabel('E-mail').fill('admin@kontor.local')
    await page.getByLabel('Password', { exact: true }).fill('wrong')
    await page.getByRole('button', { name: 'Log in' }).click()
    await page.getByRole('alert').getByText('Wrong e-mail or password').waitFor()
    await page.getByLabel('Password', { exact: true }).fill(PASSWORD)
    await page.keyboard.press('Enter')
    await page.getByRole('navigation').waitFor()
    await page.context().clearCookies()
    await page.reload()
    const [request] = await Promise.all([
      page.waitForRequest(/\/auth\/console\/login$/),
      logIn(page),
    ])
    const sent = request.postDataJSON() as { id_token?: unknown }
    assert.equal(typeof sent.id_token, 'string')
    await page.context().close()
  })

  it('has the API reference, whose page runs no script that stands in it', async () => {
    const page = await here.page({ out: true, path: '/api/docs' })
    await page.getByRole('heading', { name: 'Kontor' }).first().waitFor()
    await page.getByText('Obtain a new access token').first().waitFor()
    await page.context().close()
  })

  it('shows a deposit as it arrives, with its record, its JSON and its CSV', async () => {
    const page = await here.page({ path: '/treasury/deposits' })
    await here.wire({ from_name: 'Clara Browser', quantity: '234567.89', reference: 'SEEN LIVE' })
    const row = page.getByRole('row').filter({ hasText: 'SEEN LIVE' })
    await reads(row, /234567\.89EUR/)
    await row.click()
    const record = page.getByRole('dialog', { name: 'Deposit' })
    await record.getByText('Clara Browser').waitFor()
    assert.match(page.url(), /\/treasury\/deposits\/[0-9a-f-]{36}$/)
    await record.getByRole('tab', { name: 'JSON' }).click()
    await record.getByText('"reference_text": "SEEN LIVE"').waitFor()
    await page.keyboard.press('Escape')
    await record.waitFor({ state: 'hidden' })
    const [download] = await Promise.all([page.waitForEvent('download'), press(page, 'Raw CSV')])
    const text = Buffer.concat(await (await download.createReadStream()).toArray()).toString()
    assert.match(text, /^id,workspace,[\s\S]*,234567\.89,[\s\S]*SEEN LIVE/)
    await page.context().close()
  })

  it('downloads the trial balance as PDF', async () => {
    const page = await here.page({ path: '/books/trial-balance' })
    const [download] = await Promise.all([page.waitForEvent('download'), press(page, 'PDF')])
    const bytes = Buffer.concat(await (await download.createReadStream()).toArray())
    assert.match(bytes.toString('latin1'), /^%PDF-1\.7[\s\S]*%%EOF\s*$/)
    await page.context().close()
  })

  it('explains a word in ten lines, beside the title and in the palette', async () => {
    const page = await here.page({ path: '/treasury/matchings' })
    await page.getByRole('link', { name: 'Help: matching' }).click()
    await page.waitForURL(/\/help#matching$/)
    for (const name of ['Matching', 'Suspense', 'Transit', 'Rectification', 'Settlement']) {
      const topic = page.getByRole('region', { name, exact: true })
      await topic.getByRole('heading', { name }).waitFor()
      assert.equal(await topic.getByRole('listitem').count(), 10, name)
    }
    assert.deepEqual(await seriousFindings(page), [])
    await page.keyboard.press('Control+k')
    await page.getByRole('combobox', { name: 'Search or go to' }).fill('transit help')
    await page.getByRole('option', { name: 'Transit Help', exact: true }).click()
    await page.waitForURL(/\/help#transit$/)
    await page.context().close()
  })

  it('keeps filters in the URL, and shows the same from a link after a login', async () => {
    const page = await here.page({ path: '/treasury/deposits?state=FAILED' })
    await page.getByText('No rows match these filters').waitFor()
    await page.getByRole('button', { name: 'Clear filters' }).first().click()
    await page.getByRole('row').filter({ hasText: 'SEEN LIVE' }).waitFor()
    await page.getByLabel('Amount from').fill('234567.9')
    await page.getByLabel('Amount from').press('Enter')
    await page.getByRole('row').filter({ hasText: 'SEEN LIVE' }).waitFor({ state: 'detached' })
    await page.getByLabel('Amount from').fill('234567.89')
    await page.getByLabel('Amount to').click()
    await page.getByRole('row').filter({ hasText: 'SEEN LIVE' }).waitFor()
    assert.match(page.url(), /quantity_from=234567.89/)
    const deposit = (await here.kontor.get('/treasury/deposits')).find(
      ({ reference_text }) => reference_text === 'SEEN LIVE',
    )
    const other = await here.page({
      out: true,
      path: `/treasury/deposits/${deposit?.id}?state=UNASSIGNED`,
    })
    await logIn(other)
    await other.getByRole('dialog', { name: 'Deposit' }).getByText('SEEN LIVE').waitFor()
    assert.match(other.url(), /\?state=UNASSIGNED$/)
    await Promise.all([page.context().close(), other.context().close()])
  })

  it('goes on after a session that has ended, with what was typed', async () => {
    const page = await here.page({ path: '/treasury/deposits' })
    await page.getByRole('row').filter({ hasText: 'SEEN LIVE' }).click()
    await page.getByRole('button', { name: 'Assign', exact: true }).click()
    const form = page.getByRole('dialog', { name: /^Assign/ })
    await form.getByLabel('Amount').fill('12.50')
    await choose(form.getByLabel('To account'), 'Jonas Keller')
    const [cookie, ...others] = await page.context().cookies(`${here.url}/api/auth/console`)
    const { name, httpOnly, sameSite } = cookie ?? {}
    assert.deepEqual(
      { name, httpOnly, sameSite, others },
      { name: 'kontor_session', httpOnly: true, sameSite: 'Strict', others: [] },
    )
    const secret = cookie?.value.split('.')[1] ?? ''
    const readable = await page.evaluate(() =>
      JSON.stringify([document.cookie, { ...localStorage }, { ...sessionStorage }]),
    )
    assert.ok(secret !== '' && !readable.includes(secret), 'no script finds the refresh token')
    await press(form, 'Continue')
    await form.getByLabel('To be confirmed').getByText('Jonas Keller').waitFor()
    // Whether what is pressed says it first, or something live that is read meanwhile.
    const again = dialog(page, 'Your session is over')
    let times = 0
    await page.addLocatorHandler(again, async () => {
      times++
      await again.getByLabel('Password').fill(PASSWORD)
      await press(again, 'Log in')
    })
    await here.kontor.del('/auth/sessions/{session_id}', {
      params: { session_id: cookie?.value.split('.')[0] ?? '' },
    })
    await press(form, 'Assign')
    await dialog(page, 'Deposit').getByText('Partially assigned').first().click()
    assert.equal(times, 1)
    const deposit = (await here.kontor.get('/treasury/deposits')).find(
      ({ reference_text }) => reference_text === 'SEEN LIVE',
    )
    assert.equal(deposit?.assigned_quantity, '12.5')
    await page.context().close()
  })

  it('ends the session of a page that nobody touches, and keeps the page', async () => {
    const page = await here.page({ path: '/treasury/deposits' })
    await page.clock.install()
    await page.reload()
    await page.getByRole('row').filter({ hasText: 'SEEN LIVE' }).click()
    const [cookie] = await page.context().cookies(`${here.url}/api/auth/console`)
    await page.clock.fastForward('00:59:00')
    await page.getByRole('dialog', { name: 'Deposit' }).getByText('Clara Browser').click()
    await page.clock.fastForward('00:59:00')
    const isLive = async () =>
      (await here.kontor.get('/auth/sessions')).some(({ id }) => cookie?.value.startsWith(id))
    assert.ok(await isLive(), 'somebody has touched it since')
    await page.clock.fastForward('00:02:00')
    const again = dialog(page, 'Your session is over')
    await again.waitFor()
    assert.equal(await isLive(), false)
    await again.getByLabel('Password').fill(PASSWORD)
    await press(again, 'Log in')
    await again.waitFor({ state: 'hidden' })
    await page.getByRole('dialog', { name: 'Deposit' }).getByText('Clara Browser').waitFor()
    await page.context().close()
  })

  it('says that no real money moves, and in which time zone the times are', async () => {
    const page = await here.page({ path: '/treasury/deposits' })
    const header = page.getByRole('banner')
    await header.getByText('Sandbox', { exact: true }).waitFor()
    await header.getByLabel(/^Times are in /).waitFor()
    await page.context().close()
  })

  it('refuses at the field more than there is', async () => {
    const page = await here.page({ path: '/treasury/deposits' })
    await page.getByRole('row').filter({ hasText: 'SEEN LIVE' }).click()
    await page.getByRole('button', { name: 'Assign', exact: true }).click()
    const form = page.getByRole('dialog', { name: /^Assign/ })
    await form.getByLabel('Amount').fill('99999999')
    await choose(form.getByLabel('To account'), 'Jonas Keller')
    await form.getByRole('button', { name: 'Continue' }).click()
    await form.getByText('Only 234,555.39 EUR are available').first().waitFor()
    assert.equal(await form.getByLabel('To be confirmed').count(), 0)
    assert.equal(await form.getByLabel('Amount').inputValue(), '99999999')
    await page.context().close()
  })

  it('is found, moved in and left by keyboard alone', async () => {
    const page = await here.page({ path: '/books/accounts' })
    await page.getByRole('row').nth(2).waitFor()
    // One after the other within a moment: on a slow machine once more.
    await until('the keys lead to the deposits', PATIENCE_MILLISECONDS, async () => {
      await page.keyboard.press('g')
      await page.keyboard.press('d')
      return page.getByRole('heading', { name: 'Deposits' }).isVisible()
    })
    await page.keyboard.press('Control+k')
    await page
      .getByRole('combobox', { name: 'Search or go to' })
      .and(page.locator(':focus'))
      .waitFor()
    await page.keyboard.type('with')
    await page.getByRole('option', { selected: true, name: 'Withdrawals' }).waitFor()
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'Withdrawals' }).waitFor()
    await page.keyboard.press('?')
    await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).waitFor()
    await page.context().close()
  })

  for (const theme of ['light', 'dark'] as const) {
    it(`has nothing serious for axe in the ${theme} theme`, async () => {
      const page = await here.page({ theme, out: true, path: '/treasury/deposits' })
      await page.getByLabel('E-mail').waitFor()
      assert.deepEqual(await seriousFindings(page), [])
      await logIn(page)
      const row = page.getByRole('row').filter({ hasText: 'SEEN LIVE' })
      await row.waitFor()
      assert.deepEqual(await seriousFindings(page), [])
      await row.click()
      await page.getByRole('dialog', { name: 'Deposit' }).getByText('Clara Browser').waitFor()
      assert.deepEqual(await seriousFindings(page), [])
      await page.context().close()
    })
  }

  const institution = {
    type: 'INSTITUTION' as const,
    label: 'Live Holding',
    company_name: 'Live Holding AG',
    foreign_id: 'live-1',
    margin: 'DEFAULT',
    notification_recipients: ['live@example.com'],
    booking_schema: 'ADVANCED' as const,
    ignore_balance_check: false,
    ignore_margin: false,
  }
  it('shows at once what others do', async () => {
    const page = await here.page({ path: '/books/accounts' })
    await page.getByRole('row').filter({ hasText: 'Jonas Keller' }).waitFor()
    await here.kontor.post('/customers', { body: institution })
    await page.getByRole('row').filter({ hasText: 'Live Holding' }).waitFor()
    // A second tab takes over the session and, when the first is closed, listening; nothing is
    // missed in between.
    const second = await page.context().newPage()
    await second.goto(`${here.url}/books/accounts`)
    await second.getByRole('row').filter({ hasText: 'Live Holding' }).waitFor()
    const { promise: told, resolve: tell } = Promise.withResolvers<void>()
    await second.route('**/events/stream', async (route) => {
      await told
      await route.continue()
    })
    const listening = second.waitForRequest('**/events/stream')
    await page.close()
    await listening
    await here.kontor.post('/customers', {
      body: { ...institution, label: 'Later Holding', foreign_id: 'live-2' },
    })
    tell()
    await second.getByRole('row').filter({ hasText: 'Later Holding' }).waitFor()
    await second.context().close()
  })

  it('misses nothing between what a page reads first and the stream of events', async () => {
    const page = await here.page({ path: '/treasury/matchings' })
    await page.getByRole('row').first().waitFor()
    const { promise: told, resolve: tell } = Promise.withResolvers<void>()
    await page.route('**/events/stream', async (route) => {
      await told
      await route.continue()
    })
    const listening = page.waitForRequest('**/events/stream')
    await page.goto(`${here.url}/books/accounts`)
    await listening
    await page.getByRole('row').filter({ hasText: 'Jonas Keller' }).waitFor()
    await here.kontor.post('/customers', {
      body: { ...institution, label: 'Between Holding', foreign_id: 'live-3' },
    })
    tell()
    // Within less than a minute: then the page would be read again anyway.
    await page.getByRole('row').filter({ hasText: 'Between Holding' }).waitFor({ timeout: 30_000 })
    await page.context().close()
  })
})
