/**
 * What comes late, however late, takes nothing from who works meanwhile: each thing is held back
 * here until somebody has gone on.
 */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import type { Locator, Page, Route } from 'playwright-core'
import { openInstallation, PATIENCE_MILLISECONDS, until } from './browser.ts'
import type { Installation } from './browser.ts'
import { waitForDeposit, choose, dialog, field, go, press } from './hands.ts'

const installation = await openInstallation()

describe('what comes late', { skip: installation === undefined && 'no Chromium runs here' }, () => {
  let here: Installation
  before(async () => {
    if (installation === undefined) return
    here = installation
    await here.wire({ from_name: 'Somebody Else', quantity: '71', reference: 'TWICE' })
  })
  after(() => here?.close())

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
  const holds = (input: Locator, text: string): Promise<void> =>
    until(`it holds ${text}`, PATIENCE_MILLISECONDS, async () => {
      const value = await input.inputValue()
      return value === text || value
    })

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
      .getByText(/^Create customer: Another customer has the foreign_id demo-jonas/)
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
    await form.waitFor({ state: 'hidden' })
    await page.context().close()
  })

  it('the second half of a double click confirms nothing', async () => {
    const deposit_id = await waitForDeposit(here, 'TWICE')
    const page = await here.page({ path: `/treasury/deposits/${deposit_id}` })
    await press(page, 'Assign')
    const form = dialog(page, /^Assign/)
    await choose(field(form, 'To account'), 'Jonas Keller')
    await press(form, 'Continue')
    await form.getByLabel('To be confirmed').getByText('Jonas Keller').waitFor()
    await form
      .getByRole('button', { name: 'Assign', exact: true })
      .dispatchEvent('click', { detail: 2 })
    await press(form, 'Back')
    await press(form, 'Cancel')
    await form.waitFor({ state: 'hidden' })
    assert.equal(
      (await here.kontor.get('/treasury/deposits/{deposit_id}', { params: { deposit_id } })).state,
      'UNASSIGNED',
    )
    await page.context().close()
  })

  it('what is pressed twice prepares one batch', async () => {
    const page = await here.page({ path: '/treasury/batches' })
    let prepared = 0
    await page.route('**/batch/prepare', (route) => {
      prepared += 1
      return route.continue()
    })
    for (const index of [1, 2]) {
      const payment = page.getByRole('group', { name: `Payment ${index}` })
      await choose(field(payment, 'Route'), 'Bank to Kraken EUR')
      await field(payment, 'Amount').fill(String(index))
    }
    await page.getByRole('button', { name: 'Prepare' }).evaluate((button) => {
      for (const _ of [1, 2]) (button as HTMLButtonElement).form?.requestSubmit()
    })
    await page
      .getByRole('timer')
      .getByText(/Submit within/)
      .waitFor()
    assert.equal(prepared, 1)
    await page.context().close()
  })

  it('the session of another tab is taken up', async () => {
    const first = await here.page({ path: '/books/accounts' })
    await first.evaluate(() => {
      const post = BroadcastChannel.prototype.postMessage
      BroadcastChannel.prototype.postMessage = function (said: object) {
        if (!('session' in said)) return post.call(this, said)
        Object.assign(window, {
          handOver: () => {
            post.call(this, said)
          },
        })
      }
    })
    const second = await first.context().newPage()
    await second.goto(`${here.url}/books/accounts`)
    await second.getByLabel('E-mail').waitFor()
    await first.waitForFunction(() => 'handOver' in window)
    await first.evaluate(() => {
      ;(window as unknown as { handOver(): void }).handOver()
    })
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
    const edit = dialog(page, 'Edit')
    await page.getByRole('row').filter({ hasText: 'Kraken ETH' }).click()
    // The first time accounts are read while it is open, the second time they are there.
    for (const name of ['Kraken ETH once', 'Kraken ETH twice']) {
      await press(dialog(page, 'Wallet'), 'Edit')
      await edit.getByTitle(other.label).first().waitFor()
      await field(edit, 'Name').fill(name)
      await press(edit, 'Edit')
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
    await press(dialog(page, 'Treasury route'), 'Edit')
    const form = dialog(page, 'Edit')
    await field(form, 'Name').fill('Bank to Kraken EUR, renamed')
    await press(form, 'Edit')
    await form.waitFor({ state: 'hidden' })
    await let_go()
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

  it('what is found late does not move what was chosen in the palette', async () => {
    const page = await here.page({ path: '/books/accounts' })
    const hit = {
      kind: 'customer',
      id: '00000000-0000-4000-8000-000000000000',
      title: 'Routes of dreams',
      subtitle: null,
      state: null,
      at: 0,
      matched_field: 'label',
      matched_text: 'Routes of dreams',
      parent: null,
    }
    const { promise: found, resolve: find } = Promise.withResolvers<undefined>()
    await page.route('**/api/search?**', async (route) => {
      await found
      await route.fulfill({ json: { success: true, data: [hit] } })
    })
    await page.getByRole('heading', { level: 1 }).waitFor()
    await page.keyboard.press('Control+k')
    await page.getByRole('combobox', { name: 'Search or go to' }).fill('routes')
    const chosen = page.getByRole('option', { selected: true })
    await chosen.filter({ hasText: /^Treasury routes/ }).waitFor()
    await page.keyboard.press('ArrowDown')
    await chosen.filter({ hasText: /^Price-stream routes/ }).waitFor()
    find(undefined)
    await page.getByRole('option').filter({ hasText: 'Routes of dreams' }).waitFor()
    await chosen.filter({ hasText: /^Price-stream routes/ }).waitFor()
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { level: 1, name: 'Price-stream routes' }).waitFor()
    await page.context().close()
  })

  it('two keys belong together, however late the page comes to the second', async () => {
    const page = await here.page({ path: '/books/accounts' })
    await page.getByRole('row').nth(2).waitFor()
    await page.evaluate(() => {
      addEventListener(
        'keydown',
        () => {
          for (const end = performance.now() + 2_000; performance.now() < end;);
        },
        { once: true },
      )
    })
    await Promise.all([page.keyboard.press('g'), page.keyboard.press('d')])
    await page.getByRole('heading', { level: 1, name: 'Deposits' }).waitFor()
    await page.context().close()
  })

  it('what is typed and chosen above a list stays, however late the list follows', async () => {
    const page = await here.page({ path: '/desk/events' })
    const [type, of] = ['deposit.received, …', 'Record id'].map((name) =>
      page.getByRole('textbox', { name, exact: true }),
    ) as [Locator, Locator]
    await of.waitFor()
    // Before anything that waits for its turn: promises are kept first.
    await type.evaluate(
      async (first: HTMLInputElement, second) => {
        const set = (input: HTMLInputElement, text: string): void => {
          Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value')?.set?.call(
            input,
            text,
          )
          input.dispatchEvent(new InputEvent('input', { bubbles: true }))
        }
        for (const [input, text] of [
          [first, 'customer.created'],
          [second as HTMLInputElement, 'nobody'],
        ] as const) {
          set(input, text)
          input.dispatchEvent(new KeyboardEvent('keydown', { key: 'Enter', bubbles: true }))
          for (let turn = 0; turn < 100; turn += 1) await undefined
        }
        set(first, 'customer.created,')
      },
      await of.elementHandle(),
    )
    await page.waitForURL(/\?type=customer\.created&resource_id=nobody$/)
    await page
      .getByRole('alert')
      .or(page.getByText('No rows match these filters'))
      .first()
      .waitFor()
    await holds(type, 'customer.created,')
    await go(page, '/books/bookings')
    const since = page.getByLabel('Since')
    await since.focus()
    await page.keyboard.type('02022026')
    await page.keyboard.press('ArrowRight')
    // Where a day has 24 hours the last key says nothing.
    await page.keyboard.type('0303A')
    await holds(since, '2026-02-02T03:03')
    await page.waitForURL(/\?from=\d{13}$/)
    await page.context().close()
  })
})
