/**
 * Many at once, by clicks: batches that anybody finds again, and rows of a list that are chosen and
 * done together.
 */
import assert from 'node:assert/strict'
import { before, describe, it } from 'node:test'
import type { Locator, Page } from 'playwright-core'
import { openForTests, PATIENCE_MILLISECONDS, seriousFindings, until } from './browser.ts'
import {
  carryOut,
  choose as chooseIn,
  dialog as dialogOf,
  field,
  go as goOn,
  itIsAccessible,
  press,
  reads,
  setCompliance,
  waitForDeposit,
} from './hands.ts'
import { givePeopleMoney, orderPayments, routeToJonas } from './money.ts'

const { here, skip } = await openForTests()

describe('many at once in the console', { skip }, () => {
  let page: Page
  before(async () => {
    await givePeopleMoney(here)
    page = await here.page({ path: '/treasury/batches' })
  })

  const dialog = (name: string | RegExp): Locator => dialogOf(page, name)
  const go = (path: string): Promise<void> => goOn(page, path)
  const choose = (scope: Locator, label: string, option: string | RegExp): Promise<void> =>
    chooseIn(field(scope, label), option)

  it('sends many at once, as they were shown', async () => {
    await go('/treasury/batches')
    await press(page, 'New batch')
    const payments = [0, 1].map((index) =>
      page.getByRole('group', { name: `Payment ${index + 1}` }),
    )
    for (const [index, payment] of payments.entries()) {
      await choose(payment, 'Route', 'Bank to Kraken EUR')
      await payment.getByLabel('Amount').fill(index === 0 ? '3.0011' : '4')
      if (index === 1) await choose(payment, 'Customer account', 'Alpine Family Office')
    }
    await press(page, 'Prepare')
    await page.getByText('EUR has 2 decimals; enter no more').first().waitFor()
    await payments[0]?.getByLabel('Amount').fill('3')
    await press(page, 'Prepare')
    await dialog('Batch')
      .getByRole('timer')
      .getByText(/Submit within/)
      .waitFor()
    assert.deepEqual(await seriousFindings(page), [])
    const address = page.url()
    await go('/treasury/batches')
    await page.locator('tr.opens').filter({ hasText: 'Prepared' }).first().click()
    await dialog('Batch').getByRole('link', { name: 'Review and submit' }).click()
    assert.equal(page.url(), address)
    await page.reload()
    await dialog('Batch')
      .getByRole('button', { name: /^Submit/ })
      .click()
    await dialog('Batch').getByRole('link', { name: 'Open withdrawal' }).first().click()
    const withdrawal = dialog('Withdrawal')
    await reads(withdrawal, /7\s*EUR.*Part that is an own transfer\s*3\s*EUR/s)
  })

  it('gives a batch up from the account that it holds money of', async () => {
    await go('/treasury/batches/new')
    const payment = page.getByRole('group', { name: 'Payment 1' })
    await page.getByRole('button', { name: 'Remove payment 2' }).click()
    await choose(payment, 'Route', 'Bank to Kraken EUR')
    await payment.getByLabel('Amount').fill('5.5')
    await choose(payment, 'Customer account', 'Alpine Family Office')
    await press(page, 'Prepare')
    await dialog('Batch').getByRole('timer').waitFor()
    const customers = await here.kontor.get('/customers')
    const payer = customers.find(({ label }) => label === 'Alpine Family Office')
    await go(`/books/accounts/${payer?.account_id}#balances`)
    const held = dialog('Account').getByRole('region', { name: 'Held now' })
    await held
      .getByRole('row')
      .filter({ hasText: '5.5' })
      .getByRole('link', { name: 'Prepared batch' })
      .click()
    await press(dialog('Batch'), 'Give up')
    await carryOut(dialog(/^Give up/), 'Give up')
    await dialog('Batch').getByText('Given up').first().waitFor()
    await page.goBack()
    await held.getByRole('row').filter({ hasText: '5.5' }).waitFor({ state: 'hidden' })
    await page.goForward()
    await dialog('Batch').getByRole('link', { name: 'Prepare again' }).click()
    await page.getByRole('heading', { level: 1, name: 'New batch' }).waitFor()
    await until('the payment is there again', PATIENCE_MILLISECONDS, async () =>
      /^5[.,]50?$/.test(await payment.getByLabel('Amount').inputValue()),
    )
  })

  describe('rows that are chosen', () => {
    const OURS = '/treasury/deposits?asset=EUR&quantity_to=300'
    const QUANTITIES = ['30.5', '31.5', '32.5']
    const box = (quantity: string): Locator =>
      page.getByRole('checkbox', { name: `Choose ${quantity} EUR, bulk ${quantity}` })
    const bar = (): Locator => page.getByRole('region', { name: 'Chosen rows' })
    const line = (of: Locator, quantity: string): Locator =>
      of.getByRole('row').filter({ hasText: `bulk ${quantity}` })
    const ids = new Map<string, string>()
    const accountOf = async (name: string): Promise<string> =>
      (await here.kontor.get('/customers')).find(({ label }) => label === name)?.account_id ?? ''

    before(async () => {
      for (const quantity of QUANTITIES) {
        await here.wire({ from_name: 'Payer', quantity, reference: `bulk ${quantity}` })
        // The next one follows: deposits that are read together have no order of their own.
        ids.set(quantity, await waitForDeposit(here, `bulk ${quantity}`))
      }
      await go(OURS)
    })

    it('are chosen by keys, one by one and as a range, and Esc chooses none', async () => {
      await page.locator('tr[data-index="0"]').waitFor()
      await page.keyboard.press('j')
      await page.keyboard.press('x')
      await reads(bar().getByRole('status'), /^1 chosen 32\.5EUR$/)
      await page.keyboard.press('j')
      await page.keyboard.press('j')
      await page.keyboard.press('Shift+X')
      await reads(bar().getByRole('status'), /^3 chosen 94\.5EUR$/)
      assert.equal(await box('31.5').isChecked(), true)
      await page.keyboard.press('x')
      await reads(bar().getByRole('status'), /^2 chosen 64EUR$/)
      await page.keyboard.press('Escape')
      await reads(page.getByRole('region', { name: 'Chosen rows' }), /^$/)
      assert.equal(await page.evaluate(() => document.activeElement?.tagName), 'TR')
    })

    it('are assigned together; what somebody else was faster with is told', async () => {
      await box('30.5').click()
      await box('32.5').click({ modifiers: ['Shift'] })
      await reads(bar().getByRole('status'), /^3 chosen/)
      assert.deepEqual(await seriousFindings(page), [])
      await press(bar(), 'Assign')
      const form = dialog('Assign')
      await choose(form, 'Customer account', 'Alpine Family Office')
      await press(form, 'Continue')
      for (const quantity of QUANTITIES)
        await reads(line(form, quantity), new RegExp(`${quantity}EUR to Alpine Family Office.*…`))
      assert.deepEqual(await seriousFindings(page), [])
      await here.kontor.post('/treasury/deposits/{deposit_id}/assignments', {
        params: { deposit_id: ids.get('31.5') ?? '' },
        body: [{ account_id: await accountOf('Jonas Keller'), quantity: '31.5' }],
      })
      await press(form, 'Assign 3 deposits')
      await form.getByText('2 done, 1 refused.').waitFor()
      await reads(line(form, '30.5'), /Done$/)
      await reads(line(form, '32.5'), /Done$/)
      await reads(line(form, '31.5'), /Jonas Keller.*Nothing is left to assign$/)
      assert.deepEqual(await seriousFindings(page), [])
      await carryOut(form.locator('.ant-modal-footer'), 'Close')
      await reads(bar().getByRole('status'), /^1 chosen 31\.5EUR$/)
      assert.equal(await page.evaluate(() => document.activeElement?.textContent), 'Assign')
      for (const quantity of ['30.5', '32.5'])
        await reads(page.getByRole('row').filter({ has: box(quantity) }), /Alpine Family Office/)
      await press(bar(), 'Choose none')
    })

    it('are tried again where it was refused alone, once each', async () => {
      for (const quantity of QUANTITIES) await box(quantity).click()
      await press(bar(), 'Tag')
      const form = dialog('Tag')
      await field(form, 'Tag').fill('Look now')
      await press(form, 'Continue')
      await form.getByText('A tag is one word').waitFor()
      await field(form, 'Tag').fill('Look')
      await press(form, 'Continue')
      await reads(line(form, '30.5'), /Tagged look$/)
      const sent: string[] = []
      let refuse = true
      await page.route(/\/tags$/, async (route) => {
        sent.push(route.request().headers()['idempotency-key'] ?? '')
        if (refuse && sent.length === 2) await route.abort()
        else await route.continue()
      })
      await press(form, 'Tag 3 deposits')
      await form.getByText('2 done, 1 refused.').waitFor()
      await form.getByText(/^Kontor does not answer/).waitFor()
      refuse = false
      await press(form, 'Try the 1 refused again')
      await form.getByText('3 done.').waitFor()
      assert.equal(sent.length, 4)
      assert.equal(new Set(sent).size, 3)
      assert.equal(sent[3], sent[1])
      const tagged = await here.kontor.get('/tagged/{kind}', { params: { kind: 'deposit' } })
      assert.deepEqual(new Set(tagged.map(({ record_id }) => record_id)), new Set(ids.values()))
      await page.unroute(/\/tags$/)
      await carryOut(form.locator('.ant-modal-footer'), 'Close')
      await reads(bar(), /^$/)
    })

    it('ask before they are left while it runs', async () => {
      await box('30.5').click()
      await box('31.5').click()
      await press(bar(), 'Tag')
      const form = dialog('Tag')
      await field(form, 'Tag').fill('later')
      await press(form, 'Continue')
      const { promise, resolve } = Promise.withResolvers<void>()
      await page.route(/\/tags$/, async (route) => {
        await promise
        await route.continue()
      })
      await press(form, 'Tag 2 deposits')
      await form.getByText('Being done').waitFor()
      await page.keyboard.press('Escape')
      const question = dialog('Leave while it runs?')
      await press(question, 'Leave')
      await form.waitFor({ state: 'hidden' })
      resolve()
      await page.getByText('Tag: left when 1 of 2 were done').waitFor()
      await page.unroute(/\/tags$/)
    })

    it('are saved as they are shown', async () => {
      await go(OURS)
      await box('32.5').click()
      const [download] = await Promise.all([
        page.waitForEvent('download'),
        press(bar(), 'Save as CSV'),
      ])
      const text = Buffer.concat(await (await download.createReadStream()).toArray()).toString()
      const lines = text.trimEnd().split('\r\n')
      assert.equal(lines.length, 2)
      assert.match(lines[1] ?? '', /,32\.50,EUR,.*Alpine Family Office/)
    })

    it('are offered what the person may do', async () => {
      const user = { email: 'rita@kontor.local', password: 'a password for Rita' }
      await here.kontor.post('/users', {
        body: { ...user, roles: ['AUDITOR'], must_change_password: false },
      })
      const rita = await here.page({ ...user, path: OURS })
      await rita.getByRole('checkbox', { name: /^Choose 30\.5 EUR/ }).click()
      const buttons = rita.getByRole('region', { name: 'Chosen rows' }).getByRole('button')
      await buttons.first().waitFor()
      assert.deepEqual(await buttons.allTextContents(), ['Save as CSV', 'Choose none'])
      await rita.context().close()
    })

    it('are cancelled where they can be, and the others are left out', async () => {
      await routeToJonas(here)
      const [canceled] = await orderPayments(here, ['3.5', '4.5', '5.5'])
      await here.kontor.post('/treasury/payments/{payment_id}/cancel', {
        params: { payment_id: canceled ?? '' },
        body: { version: 1 },
      })
      await go('/treasury/payments')
      await page.getByRole('checkbox', { name: 'Choose all rows that are loaded' }).click()
      await press(bar(), 'Cancel')
      const form = dialog('Cancel: 3 payments')
      await press(form, 'Continue')
      await form.getByText('Left out: The payment was canceled').waitFor()
      await press(form, 'Cancel 2 payments')
      await form.getByText('2 done.').waitFor()
      await carryOut(form.locator('.ant-modal-footer'), 'Close')
      await until('they are cancelled', PATIENCE_MILLISECONDS, async () =>
        (await here.kontor.get('/treasury/payments')).every(({ state }) => state === 'CANCELED'),
      )
    })
  })

  it('accepts and rejects the assignments that wait', async () => {
    await setCompliance(here, true)
    const customers = await here.kontor.get('/customers')
    const account_id = customers.find(({ label }) => label === 'Jonas Keller')?.account_id ?? ''
    const quantities = ['41.5', '42.5', '43.5']
    for (const quantity of quantities) {
      const reference = `decide ${quantity}`
      await here.wire({ from_name: 'Payer', quantity, reference })
      const deposit_id = await waitForDeposit(here, reference)
      const path = '/treasury/deposits/{deposit_id}/assignments'
      await here.kontor.post(path, { params: { deposit_id }, body: [{ account_id, quantity }] })
    }
    await go('/treasury/assignments?state=PENDING')
    const bar = page.getByRole('region', { name: 'Chosen rows' })
    const decide = async (how: string, what: string, chosen: string[]): Promise<void> => {
      for (const quantity of chosen)
        await page.getByRole('checkbox', { name: new RegExp(`^Choose ${quantity} EUR`) }).click()
      await press(bar, how)
      const form = dialog(new RegExp(`^${how}`))
      await press(form, `${how} ${what}`)
      await form.getByText(`${chosen.length} done.`).waitFor()
      await carryOut(form.locator('.ant-modal-footer'), 'Close')
    }
    await decide('Accept', '2 assignments that wait', ['41.5', '42.5'])
    await decide('Reject', '1 assignment that waits', ['43.5'])
    await page.getByText('No rows match these filters').waitFor()
    const decided = await here.kontor.get('/treasury/assignments')
    assert.deepEqual(
      quantities.map((wanted) => decided.find(({ quantity }) => quantity === wanted)?.status),
      ['SUCCESSFUL', 'SUCCESSFUL', 'REJECTED'],
    )
    await setCompliance(here, false)
  })

  it('cancels the withdrawals that have not left, and leaves out the others', async () => {
    for (const operation of ['Withdraw', 'WithdrawStatus'])
      await here.control('POST', 'faults', {
        venue: 'kraken',
        operation,
        kind: 'DOWN',
        ...(operation === 'Withdraw' ? {} : { remaining: -1 }),
      })
    const routes = await here.kontor.get('/treasury/wallets/routes')
    const treasury_route_id = routes.find(({ label }) => label === 'Kraken to bank EUR')?.id ?? ''
    const stateOf = async (id: string): Promise<string> => {
      const params = { withdrawals_id: id }
      return (await here.kontor.get('/treasury/withdrawals/{withdrawals_id}', { params })).state
    }
    const ids: string[] = []
    // While nobody knows whether the first one left, others of the same content wait.
    for (const state of ['UNKNOWN', 'PENDING', 'PENDING']) {
      const path = '/treasury/wallets/routes/{treasury_route_id}/withdrawals'
      const body = { quantity: '36', speed_level: 'DEFAULT' } as const
      const { id } = await here.kontor.post(path, { params: { treasury_route_id }, body })
      ids.push(id)
      await until(`it is ${state}`, PATIENCE_MILLISECONDS, async () => {
        const now = await stateOf(id)
        return now === state || now
      })
    }
    await go('/treasury/withdrawals?quantity_from=36&quantity_to=36')
    await page.locator('tr[data-key]').nth(2).waitFor()
    await page.getByRole('checkbox', { name: 'Choose all rows that are loaded' }).click()
    await press(page.getByRole('region', { name: 'Chosen rows' }), 'Cancel')
    const form = dialog('Cancel: 3 withdrawals')
    await field(form, 'Reason').fill('made twice')
    await press(form, 'Continue')
    await form.getByText('Left out: The withdrawal is already being sent').waitFor()
    await press(form, 'Cancel 2 withdrawals')
    await form.getByText('2 done.').waitFor()
    await carryOut(form.locator('.ant-modal-footer'), 'Close')
    assert.deepEqual(await Promise.all(ids.map(stateOf)), ['UNKNOWN', 'CANCELED', 'CANCELED'])
    await here.control('DELETE', 'faults?venue=kraken')
  })

  itIsAccessible(here, ['/treasury/batches', '/treasury/batches/new'])
})
