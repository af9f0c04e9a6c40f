/**
 * What comes late, however late, takes nothing from who works meanwhile: each thing is held back
 * here until somebody has gone on.
 */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { Page, Route } from 'playwright-core'
import { openForTests, PATIENCE_MILLISECONDS, until } from './browser.ts'
import { choose, dialog, field, go, press } from './hands.ts'

const { here, skip } = await openForTests()

describe('what comes late', { skip }, () => {
  /** What is sent there is done at once, and answered when it is let go. */
  const heldBack = async (
    page: Page,
    url: string,
    which: (route: Route) => boolean = () => true,
  ): Promise<() => Promise<void>> => {
    const { promise: free, resolve } = Promise.withResolvers<undefined>()
    await page.route(url, async (route) => {
      if (!which(route)) return route.continue()
      const response = await route.fetch()
      await free
      await route.fulfill({ response })
    })
    return async () => {
      resolve(undefined)
      await page.unrouteAll({ behavior: 'wait' })
    }
  }
  const isPost = (route: Route): boolean => route.request().method() === 'POST'

  it('an answer leaves another form alone, and does not lead away from it', async () => {
    const page = await here.page({ path: '/treasury/withdrawals' })
    const form = dialog(page, /^Withdraw(:|$)/)
    const let_go = await heldBack(page, '**/withdrawals', isPost)
    await press(page, 'Withdraw')
    await choose(field(form, 'Route'), 'Bank to Kraken EUR')
    await field(form, 'Amount').fill('1.5')
    await press(form, 'Continue')
    await form.getByLabel('To be confirmed').waitFor()
    const sent = page.waitForRequest('**/withdrawals')
    await press(form, 'Withdraw')
    await sent
    await press(form, 'Back')
    await press(form, 'Cancel')
    await form.waitFor({ state: 'hidden' })
    await press(page, 'Withdraw')
    await field(form, 'Note').fill('another one')
    await let_go()
    await page.getByText('Withdrawal created').waitFor()
    await page.getByRole('row').filter({ hasText: '1.5' }).waitFor()
    assert.equal(await field(form, 'Note').inputValue(), 'another one')
    assert.equal(new URL(page.url()).pathname, '/treasury/withdrawals')
    await page.context().close()
  })

  it('a refusal is told to who has left the form', async () => {
    const page = await here.page({ path: '/customers' })
    const form = dialog(page, 'Create customer')
    const let_go = await heldBack(page, '**/customers', isPost)
    await press(page, 'Create customer')
    await field(form, 'First name').fill('Late')
    await field(form, 'Last name').fill('Comer')
    await field(form, 'Your reference').fill('demo-jonas')
    const sent = page.waitForRequest(
      (request) => request.method() === 'POST' && request.url().endsWith('/customers'),
    )
    await press(form, 'Create customer')
    await sent
    await press(form, 'Cancel')
    await form.waitFor({ state: 'hidden' })
    await let_go()
    await page
      .getByText(/^Create customer: Another customer has the reference demo-jonas/)
      .waitFor()
    await page.context().close()
  })

  it('a page leaves the form alone that was opened while its code was read', async () => {
    const page = await here.page({ path: '/customers' })
    const let_go = await heldBack(page, '**/assets/users-*.js')
    await page.getByRole('heading', { level: 1, name: 'Customers' }).waitFor()
    const asked = page.waitForRequest('**/assets/users-*.js')
    await page.getByRole('link', { name: 'Users' }).click()
    await asked
    await press(page, 'Create customer')
    const form = dialog(page, 'Create customer')
    await field(form, 'First name').fill('Nora')
    await let_go()
    await page.getByRole('heading', { level: 1, name: 'Users' }).waitFor()
    assert.equal(await field(form, 'First name').inputValue(), 'Nora')
    // Who goes elsewhere leaves it.
    await page.goBack()
    await press(dialog(page, 'Leave without saving?'), 'Leave')
    await form.waitFor({ state: 'hidden' })
    await page.context().close()
  })

  it('the session of another tab is taken up', async () => {
    const first = await here.page({ path: '/books/accounts' })
    const second = await first.context().newPage()
    const let_go = await heldBack(second, '**/auth/console/refresh')
    await second.goto(`${here.url}/books/accounts`)
    await second.getByRole('status', { name: 'Loading' }).first().waitFor()
    await let_go()
    await second.getByRole('row').filter({ hasText: 'Jonas Keller' }).waitFor()
    await first.context().close()
  })

  it('what was typed for one wallet goes into no other one, and its account stays', async () => {
    const { kontor } = here
    const page = await here.page({ path: '/treasury/wallets' })
    const let_go = await heldBack(page, '**/protocols')
    await press(page, 'Create wallet')
    const form = dialog(page, /^Create wallet/)
    await choose(field(form, 'Venue'), 'Fireblocks')
    await until('it cannot be filled in yet', PATIENCE_MILLISECONDS, () =>
      field(form, 'Asset').isDisabled(),
    )
    await let_go()
    await choose(field(form, 'Asset'), 'ETH')
    await form.getByTitle('ETH').first().waitFor()
    await press(form, 'Cancel')

    const wallet = (await kontor.get('/treasury/wallets')).find(
      ({ label }) => label === 'Kraken ETH',
    )
    const other = (await kontor.get('/accounts')).find(
      (account) => account.venue_id === wallet?.venue_id && account.id !== wallet?.account_id,
    )
    assert.ok(wallet !== undefined && other !== undefined)
    const {
      id,
      type,
      asset,
      address,
      label,
      access_type,
      venue_id,
      service_id,
      configuration,
      version,
    } = wallet
    await kontor.put('/treasury/wallets/{wallet_id}', {
      params: { wallet_id: id },
      body: {
        type,
        asset,
        address: address ?? '',
        label: label ?? '',
        access_type,
        venue_id: venue_id ?? '',
        service_id: service_id ?? '',
        configuration,
        version,
        account_id: other.id,
      },
    })
    await go(page, '/treasury/wallets')
    const edit = dialog(page, 'Change')
    await page.getByRole('row').filter({ hasText: 'Kraken ETH' }).click()
    // The first time accounts are read while it is open, the second time they are there.
    for (const name of ['Kraken ETH once', 'Kraken ETH twice']) {
      await press(dialog(page, 'Wallet'), 'Change')
      await edit.getByTitle(other.label).first().waitFor()
      await field(edit, 'Name').fill(name)
      await press(edit, 'Change')
      await edit.waitFor({ state: 'hidden' })
      const [changed] = await kontor.get('/treasury/wallets', { query: { id } })
      assert.deepEqual(
        [changed?.label, changed?.account_id, changed?.service_id],
        [name, other.id, service_id],
      )
      await dialog(page, 'Wallet').getByText(name).first().waitFor()
    }
    await page.context().close()
  })

  it('the details of a route stay when it is renamed before they are read', async () => {
    const route = (await here.kontor.get('/treasury/wallets/routes')).find(
      ({ label }) => label === 'Bank to Kraken EUR',
    )
    assert.ok(route !== undefined)
    const page = await here.page({ path: `/treasury/routes/${route.id}` })
    const let_go = await heldBack(page, '**/routes/fields/**')
    await press(dialog(page, 'Treasury route'), 'Change')
    const form = dialog(page, 'Change')
    const waits = form.getByRole('button', { name: 'loading' })
    await field(form, 'Name').fill('Bank to Kraken')
    await press(form, 'Change')
    await waits.waitFor()
    // Who goes on typing has not pressed yet.
    await field(form, 'Name').fill('Bank to Kraken EUR, renamed')
    await waits.waitFor({ state: 'detached' })
    await press(form, 'Change')
    await waits.waitFor()
    await let_go()
    await form.waitFor({ state: 'hidden' })
    const [changed] = await here.kontor.get('/treasury/wallets/routes', { query: { id: route.id } })
    assert.equal(changed?.label, 'Bank to Kraken EUR, renamed')
    assert.deepEqual(changed.transfer, route.transfer)
    await page.context().close()
  })

  it('the fee of the amount before is not that of the amount typed', async () => {
    const page = await here.page({ path: '/treasury/withdrawals' })
    await press(page, 'Withdraw')
    const form = dialog(page, /^Withdraw(:|$)/)
    const amount = field(form, 'Amount')
    const input = await amount.elementHandle()
    await choose(field(form, 'Route'), 'Kraken to bank EUR')
    await form.locator('.ant-input-suffix').getByText('EUR').waitFor()
    assert.ok(
      await input?.evaluate((element) => element.isConnected),
      'the field in which one may be typing stays when its asset is known',
    )
    await amount.fill('2')
    await form.getByText('Default').locator('.amount').waitFor()
    const let_go = await heldBack(page, '**/estimate-fee')
    await amount.fill('3')
    await press(form, 'Continue')
    await form.getByLabel('To be confirmed').getByText('set by the venue').waitFor()
    await let_go()
    await page.context().close()
  })
})
