/**
 * Settling, and the overview of a day, by clicks in a real browser: each action right and wrong.
 * The steps of a settlement follow each other.
 */
import assert from 'node:assert/strict'
import { before, describe, it } from 'node:test'
import type { Page } from 'playwright-core'
import type { DataOf } from '../../client/src/index.ts'
import { openForTests, PATIENCE_MILLISECONDS, until } from './browser.ts'
import {
  waitForDeposit,
  cannot,
  carryOut,
  choose,
  confirm,
  dialog as dialogOf,
  enterTime,
  field,
  go,
  itIsAccessible,
  press,
} from './hands.ts'
import { givePeopleMoney, tradeAtPrime } from './money.ts'

type Settlement = DataOf<'get', '/settlements/{settlement_id}'>

const { here, skip } = await openForTests()

describe('settling in the console', { skip }, () => {
  let page: Page
  before(async () => {
    await givePeopleMoney(here)
    await here.wire({ from_name: 'Late Comer', quantity: '77.7', reference: 'WHOSE' })
    await tradeAtPrime(here, 'BUY', '0.25')
    await tradeAtPrime(here, 'SELL', '0.1')
    page = await here.page({ path: '/trading/settlements' })
  })

  const dialog = (name: RegExp | string) => dialogOf(page, name)
  const record = () => dialog('Settlement')
  const button = (name: string) => record().getByRole('button', { name, exact: true })
  const row = (direction: string) => record().getByRole('row').filter({ hasText: direction })
  const tab = (name: string) => record().getByRole('tab', { name })

  describe('a settlement by hand', () => {
    it('refuses a period that ends before it begins, and takes another one', async () => {
      await press(page, 'Create settlement')
      const form = dialog('Create settlement')
      await enterTime(form.getByLabel('Trades before'), '2020-01-01 00:00')
      await press(form, 'Create settlement')
      await form.getByText('The end must be after the beginning').waitFor()
      await enterTime(form.getByLabel('Trades before'), '2090-01-01 00:00')
      await carryOut(form, 'Create settlement')
    })

    it('is canceled with a reason', async () => {
      await page.getByRole('row').filter({ hasText: 'Preparing' }).click()
      await button('Cancel settlement').click()
      await dialog('Cancel settlement').getByLabel('Reason').fill('a day too early')
      await carryOut(dialog('Cancel settlement'), 'Cancel settlement')
      await record().getByText('a day too early').waitFor()
      await cannot(button('Cancel settlement'), 'The settlement has ended')
      await page.keyboard.press('Escape')
      await record().waitFor({ state: 'hidden' })
    })

    it('claims the trades again, and leaves one out and takes it in', async () => {
      await press(page, 'Create settlement')
      const form = dialog('Create settlement')
      await enterTime(form.getByLabel('Trades before'), '2090-01-01 00:00')
      await carryOut(form, 'Create settlement')
      await page.getByRole('row').filter({ hasText: 'Preparing' }).click()
      await cannot(button('Back to preparing'), 'The settlement is already being prepared')
      // What is changed next names the version that was answered, not the one that is read some
      // time later.
      const later = Promise.withResolvers<undefined>()
      const id = page.url().split('/').at(-1)?.split(/[?#]/)[0] ?? ''
      await page.route(`**/api/settlements/${id}`, async (route) => {
        await later.promise
        await route.continue().catch(() => undefined)
      })
      await tab('Trades').click()
      await record().getByRole('button', { name: 'Remove trade' }).first().click()
      await carryOut(dialog(/^Remove trade/), 'Remove trade')
      await record().getByRole('button', { name: 'Add trade' }).click()
      await carryOut(dialog(/^Add trade/), 'Add trade')
      await record().getByText('Every trade of this period').waitFor()
      later.resolve(undefined)
    })

    it('is covered, goes back to preparing, and is covered again', async () => {
      await button('Cover').click()
      await carryOut(dialog(/^Cover/), 'Cover')
      await button('Back to preparing').click()
      await dialog(/^Back to preparing/)
        .getByLabel('To be confirmed')
        .waitFor()
      await carryOut(dialog(/^Back to preparing/), 'Back to preparing')
      await button('Cover').click()
      await carryOut(dialog(/^Cover/), 'Cover')
    })

    it('refuses parts that do not add up to their net', async () => {
      await tab('Parts').click()
      await record().getByText('We pay').waitFor()
      await record().getByRole('button', { name: 'Change parts' }).click()
      const form = dialog(/^Change parts/)
      await form.getByLabel('Amount 1').fill('0.01')
      await press(form, 'Change parts')
      await form.getByText('are to be covered').waitFor()
      await press(form, 'Cancel')
    })

    it('initiates one part', async () => {
      await row('We pay').getByRole('button', { name: 'Initiate' }).click()
      const form = dialog(/^Initiate/)
      await form.getByText('from Bank EUR to Prime EUR').waitFor()
      await form.getByText('Fee about').waitFor()
      await carryOut(form, 'Initiate')
      await row('We pay')
        .getByText(/Initiated|Success/)
        .waitFor()
      await cannot(button('Cancel settlement'), 'A part has moved or may have left')
      await cannot(
        button('Back to preparing'),
        'Some parts have begun to move, or the settlement has ended',
      )
    })

    it('has a part confirmed by hand, with evidence', async () => {
      await row('We receive').getByRole('button', { name: 'Confirm by hand' }).click()
      const form = dialog(/^Confirm by hand/)
      await press(form, 'Continue')
      await form.getByText('Evidence is required').waitFor()
      await field(form, 'Evidence').fill('Told by the desk')
      await press(form, 'Continue')
      await form.getByLabel('To be confirmed').getByText('Told by the desk').waitFor()
      await carryOut(form, 'Confirm by hand')
      await record().getByText('Confirmed manually').waitFor()
    })
  })

  describe('a settlement that its venue does not report', () => {
    let settlement: Settlement

    before(async () => {
      await here.control('POST', 'prime/payouts/automatic', { on: false })
      await tradeAtPrime(here, 'BUY', '0.02')
    })

    it('is canceled while its payment is expected', async () => {
      await coveredSettlement()
      await row('We receive').getByRole('button', { name: 'Initiate' }).click()
      await carryOut(dialog(/^Initiate/), 'Initiate')
      await row('We receive').getByText('Initiated').waitFor()
      await record().getByRole('button', { name: 'Cancel settlement' }).click()
      await dialog('Cancel settlement').getByLabel('Reason').fill('they settle tomorrow')
      await carryOut(dialog('Cancel settlement'), 'Cancel settlement')
      await cannot(
        row('We pay').getByRole('button', { name: 'Initiate' }),
        'The settlement has ended',
      )
    })

    it('is not initiated as it was shown once it is covered anew', async () => {
      settlement = await coveredSettlement()
      await cannot(
        row('We pay').getByRole('button', { name: 'Confirm by hand' }),
        'Initiate the settlement first',
      )
      await record().getByRole('button', { name: 'Initiate', exact: true }).first().click()
      const form = dialog(/^Initiate/)
      await form.getByText('Fee about').waitFor()
      await coverWithoutRoutes(settlement)
      await press(form, 'Initiate')
      await form.getByText('does not exist').waitFor()
      // The next form has the same name: this one must be gone.
      await carryOut(form, 'Cancel')
    })

    it('sends the parts as they are now', async () => {
      await cannot(
        row('We receive').getByRole('button', { name: 'Initiate', exact: true }),
        /^The part has no route/,
      )
      const fault = { venue: 'prime', operation: '*', kind: 'DOWN', remaining: -1 }
      await here.control('POST', 'faults', fault)
      await record().getByRole('button', { name: 'Initiate', exact: true }).first().click()
      await dialog(/^Initiate/)
        .getByText('without a route')
        .last()
        .waitFor()
      await carryOut(dialog(/^Initiate/), 'Initiate')
      await until('the payment has left', PATIENCE_MILLISECONDS, async () =>
        (await here.kontor.get('/treasury/withdrawals')).some(
          ({ settlement_id, state }) => settlement_id === settlement.id && state === 'SUCCESS',
        ),
      )
    })

    it('is settled once a person has confirmed its parts', async () => {
      for (const direction of ['We pay', 'We receive']) {
        await row(direction).getByRole('button', { name: 'Confirm by hand' }).click()
        await field(dialog(/^Confirm by hand/), 'Evidence').fill('their statement')
        await confirm(dialog(/^Confirm by hand/), 'Confirm by hand')
      }
      const params = { settlement_id: settlement.id }
      const { state } = await here.kontor.get('/settlements/{settlement_id}', { params })
      assert.equal(state, 'SETTLED')
      await here.control('DELETE', 'faults')
      await row('We pay').getByRole('link', { name: 'Withdrawal' }).click()
      await dialog('Withdrawal').getByRole('link', { name: 'Settlement' }).click()
      await tab('Parts').click()
      await row('We pay').getByText('Confirmed manually').waitFor()
    })

    it('takes the deposit that arrives after all', async () => {
      await cannot(
        row('We receive').getByRole('button', { name: 'Stop expecting payment' }),
        'No payment is expected for this part',
      )
      await here.control('POST', 'prime/payouts', { asset: 'BTC', quantity: '0.02' })
      const deposit_id = await waitForDeposit(here, '0.02')
      await row('We receive').getByRole('button', { name: 'Link deposit' }).click()
      const form = dialog(/^Link deposit/)
      await form.getByLabel('Deposit id').fill(deposit_id)
      await form.getByLabel('Evidence').fill('their statement')
      await press(form, 'Continue')
      await form.getByLabel('To be confirmed').getByText('0.02').first().waitFor()
      await press(form, 'Link deposit')
      await row('We receive').getByRole('link', { name: 'Deposit' }).waitFor()
      const params = { deposit_id }
      const { settlement_id } = await here.kontor.get('/treasury/deposits/{deposit_id}', {
        params,
      })
      assert.equal(settlement_id, settlement.id)
    })

    it('is netted again without a trade that is busted after its end', async () => {
      await cannot(button('Net again'), 'No trade was busted since the settlement was netted')
      const params = { settlement_id: settlement.id }
      for (const { foreign_id } of await here.kontor.get('/settlements/{settlement_id}/fills', {
        params,
      }))
        await here.control('POST', `prime/trades/${foreign_id}/bust`, {})
      await record()
        .getByText('A trade was busted after its netting')
        .waitFor({ state: 'attached' })
      await button('Net again').click()
      await dialog('Net again').getByText('Busted trades', { exact: true }).waitFor()
      await carryOut(dialog('Net again'), 'Net again')
      await record().getByText('Partially settled').first().waitFor()
      await tab('Corrections').click()
      await record().getByText('We owe the venue').first().waitFor()
      await cannot(button('Net again'), 'No trade was busted since the settlement was netted')
    })
  })

  /** By the API; its parts are shown then. */
  async function coveredSettlement(): Promise<Settlement> {
    const { id } = await here.kontor.post('/settlements', {
      body: { timerange_from: 1_000_000_000_000, timerange_to: 4_000_000_000_000 },
    })
    const params = { settlement_id: id }
    const path = '/settlements/{settlement_id}/parts'
    const covered = await here.kontor.put(path, { params, body: {} })
    await go(page, `/trading/settlements/${id}#parts`)
    return covered
  }

  /** Covers again; what we receive has no route then. */
  async function coverWithoutRoutes({ id, parts }: Settlement): Promise<void> {
    await here.kontor.put('/settlements/{settlement_id}/parts', {
      params: { settlement_id: id },
      body: {
        parts: parts.map(({ venue_id, asset, quantity, route_id, direction }) => ({
          venue_id,
          asset,
          quantity,
          ...(direction === 'OUTGOING' && route_id !== null ? { route_id } : {}),
        })),
      },
    })
  }

  it('shows the trades of a venue, and whose they are', async () => {
    await go(page, '/trading/fills')
    await choose(page.getByRole('combobox', { name: 'Venue', exact: true }), 'Prime Brokerage')
    await page
      .getByRole('row')
      .filter({ has: page.getByRole('link', { name: 'Execution' }) })
      .first()
      .click()
    await page
      .getByRole('dialog', { name: 'Account trade' })
      .getByRole('link', { name: 'Settlement' })
      .waitFor()
  })

  it('the overview tells what needs a person, and leads there', async () => {
    await go(page, '/overview')
    await page.getByRole('region', { name: 'Totals per asset' }).getByText('BTC').waitFor()
    await page
      .getByRole('region', { name: 'Movements today' })
      .first()
      .getByText('Bought')
      .first()
      .waitFor()
    await page.getByText(/^since \d{4}-\d\d-\d\d 00:00:00$/).waitFor() // in Zurich
    await waitForDeposit(here, 'WHOSE')
    // However many there are by now: others arrive meanwhile.
    await page
      .getByRole('region', { name: 'Needs attention' })
      .getByRole('link', { name: /^Deposits without an owner: \d+$/ })
      .click()
    await page.getByRole('heading', { name: 'Deposits' }).waitFor()
    await page.getByRole('row').filter({ hasText: /WHOSE/ }).waitFor()
    assert.match(page.url(), /state=UNASSIGNED/)
  })

  itIsAccessible(here, ['/overview', '/trading/settlements', '/trading/fills'])
})
