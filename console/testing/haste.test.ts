/**
 * Somebody who is faster than the page: what is pressed twice is done once, and what is typed or
 * chosen stays.
 */
import assert from 'node:assert/strict'
import { before, describe, it } from 'node:test'
import type { Locator } from 'playwright-core'
import { openForTests, PATIENCE_MILLISECONDS, until } from './browser.ts'
import { carryOut, choose, dialog, enterTime, field, go, press, waitForDeposit } from './hands.ts'

const { here, skip } = await openForTests()

describe('haste', { skip }, () => {
  before(async () => {
    await here.wire({ from_name: 'Somebody Else', quantity: '71', reference: 'TWICE' })
  })

  const holds = (input: Locator, text: string): Promise<void> =>
    until(`it holds ${text}`, PATIENCE_MILLISECONDS, async () => {
      const value = await input.inputValue()
      return value === text || value
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
    const page = await here.page({ path: '/treasury/batches/new' })
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
    const [type, of] = ['Event, e.g. deposit.received', 'Record id'].map((name) =>
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
    await enterTime(since, '2026-02-02 03:03')
    await holds(since, '2026-02-02 03:03')
    await page.waitForURL(/\?from=\d{13}$/)
    await page.context().close()
  })

  it('a second customer of one name is asked about', async () => {
    const page = await here.page({ path: '/customers' })
    await press(page, 'Create customer')
    const form = dialog(page, 'Create customer')
    await field(form, 'First name').fill('Jonas')
    await field(form, 'Last name').fill('Keller')
    await form.getByText(/There is a customer of this name already/).waitFor()
    await press(form, 'Create customer')
    await form.getByText('Enter a reference, or tick this').waitFor()
    await form.getByLabel('This is another customer, and has no reference').check()
    await carryOut(form, 'Create customer')
    await page.context().close()
  })
})
