/**
 * Deposits and withdrawals by clicks, each action once right and once wrong, in a real browser
 * against a real Kontor and its sandbox.
 */
import assert from 'node:assert/strict'
import { before, describe, it } from 'node:test'
import type { Locator, Page } from 'playwright-core'
import { openForTests, PATIENCE_MILLISECONDS, until } from './browser.ts'
import {
  waitForDeposit,
  cannot,
  carryOut,
  choose as chooseIn,
  confirm,
  setCompliance,
  dialog as dialogOf,
  field,
  go as goOn,
  itIsAccessible,
  press,
  reads,
} from './hands.ts'

const { here, skip } = await openForTests()

describe('treasury in the console', { skip }, () => {
  let page: Page
  before(async () => {
    await here.wire({ from_name: 'Keller Jonas', quantity: '900.25', reference: 'TWO OF US' })
    await here.wire({
      from_name: 'Alpine Family Office',
      quantity: '7531.97',
      reference: 'TO BE DECIDED',
    })
    await here.wire({ from_name: 'Nobody We Know', quantity: '41.5', reference: 'GOES BACK' })
    page = await here.page({ path: '/treasury/deposits' })
  })

  const dialog = (name: string | RegExp): Locator => dialogOf(page, name)
  const go = (path: string): Promise<void> => goOn(page, path)
  const choose = (scope: Locator, label: string, option: string | RegExp, nth = 0): Promise<void> =>
    chooseIn(field(scope, label).nth(nth), option)

  it('splits a deposit between accounts, with who it could be of suggested first', async () => {
    const id = await waitForDeposit(here, 'TWO OF US')
    await go(`/treasury/deposits/${id}`)
    await press(page, 'Assign')
    const form = dialog(/^Assign/)
    const best = form.getByLabel('Suggestions').getByRole('listitem').first()
    await best.getByText('Jonas Keller', { exact: true }).waitFor()
    await press(best, 'Choose')
    await form.getByLabel('Amount').fill('600')
    await form.getByText('Remains unassigned:').waitFor()
    await press(form, 'Add account')
    await until(
      'the rest is proposed',
      PATIENCE_MILLISECONDS,
      async () => (await form.getByLabel('Amount').nth(1).inputValue()) === '300.25',
    )
    await form.getByLabel('Amount').nth(1).fill('300.26')
    await form.getByText('too much').waitFor()
    await choose(form, 'To account', 'Alpine Family Office', 1)
    await press(form, 'Continue')
    await form.getByText('Only 300.25 EUR are available').first().waitFor()
    assert.equal(await form.getByLabel('To be confirmed').count(), 0)
    await form.getByLabel('Amount').nth(1).fill('300.25')
    await confirm(form, 'Assign')
    await dialog('Deposit').getByText('Successful').first().waitFor()
    await reads(dialog('Deposit'), /OwnerSeveral/)
    await reads(dialog('Deposit'), /Value date\d{4}-\d{2}-\d{2}/)
    const assignments = await here.kontor.get('/treasury/deposits/{deposit_id}/assignments', {
      params: { deposit_id: id },
    })
    assert.deepEqual(assignments.map((assignment) => assignment.quantity).toSorted(), [
      '300.25',
      '600',
    ])
  })

  it("shows the bank's value date in the statement of its account", async () => {
    const accounts = await here.kontor.get('/accounts')
    const bank = accounts.find(({ type, label }) => type === 'VENUE' && label === 'Sandbox Bank')
    const deposits = await here.kontor.get('/treasury/deposits')
    const deposit = deposits.find(({ reference_text }) => reference_text === 'TWO OF US')
    await go(`/books/statements?account_id=${bank?.id}`)
    await reads(
      page.getByRole('row').filter({ hasText: '900.25' }).first(),
      new RegExp(`${deposit?.value_date}Deposit`),
    )
    await go(`/treasury/deposits/${deposit?.id}`)
  })

  it('rectifies with the bookings shown before, and refuses sums that differ', async () => {
    await press(dialog('Deposit'), 'Rectify')
    const form = dialog(/^Rectify/)
    await choose(form, 'Assignments to reverse', /600/)
    await page.keyboard.press('Escape')
    await choose(form, 'Reassign to', 'Alpine Family Office')
    await until('all of it is filled in', PATIENCE_MILLISECONDS, async () => {
      return (await form.getByLabel('Amount').inputValue()) === '600'
    })
    await form.getByLabel('Amount').fill('599')
    await choose(form, 'Reason', 'Wrong account')
    await press(form, 'Continue')
    await form.getByText('Assign all of it: a part is still missing').waitFor()
    await form.getByLabel('Amount').fill('600')
    await press(form, 'Continue')
    await reads(
      form.getByLabel('To be confirmed'),
      /Reversal.*Jonas Keller.*New booking.*Alpine Family Office/,
    )
    await carryOut(form, 'Rectify')
    await dialog('Deposit').getByRole('tab', { name: 'Rectifications' }).click()
    await dialog('Deposit').getByText('Wrong account').waitFor()
  })

  it('waits for a decision where compliance decides', async () => {
    await setCompliance(here, true)
    const id = await waitForDeposit(here, 'TO BE DECIDED')
    await go(`/treasury/deposits/${id}`)
    await press(page, 'Assign')
    await press(
      dialog(/^Assign/)
        .getByLabel('Suggestions')
        .getByRole('listitem')
        .first(),
      'Choose',
    )
    await confirm(dialog(/^Assign/), 'Assign')
    await go('/treasury/assignments?state=PENDING&of=DEPOSIT')
    const row = page.getByRole('row').filter({ hasText: '7531.97' })
    await press(row, 'Reject')
    await dialog(/^Reject/)
      .getByLabel('To be confirmed')
      .getByText('Alpine Family Office')
      .waitFor()
    await carryOut(dialog(/^Reject/), 'Reject')
    await page.getByText('No rows match these filters').waitFor()
    await go('/treasury/assignments?state=REJECTED')
    await cannot(row.getByRole('button', { name: 'Reject' }), 'The assignment is already rejected')
    await press(row, 'Accept')
    await dialog(/^Accept/)
      .getByLabel('To be confirmed')
      .waitFor()
    await carryOut(dialog(/^Accept/), 'Accept')
    await until(
      'it is booked',
      PATIENCE_MILLISECONDS,
      async () =>
        (await here.kontor.get('/treasury/deposits/{deposit_id}', { params: { deposit_id: id } }))
          .state === 'SUCCESSFUL',
    )
    await setCompliance(here, false)
  })

  it('withdraws over a route with the fee asked before, and not more than there is', async () => {
    await go('/treasury/withdrawals')
    await press(page, 'Withdraw')
    const form = dialog(/^Withdraw/)
    await choose(form, 'Route', 'Bank to Kraken EUR')
    await form.getByLabel('Amount').fill('25.5')
    await form.getByText('Default').locator('.amount').waitFor()
    // Who is faster than the answer is told the same.
    const { promise: pressed, resolve: answer } = Promise.withResolvers<void>()
    await page.route('**/bookings/accounts/*/balance', async (route) => {
      await pressed
      await route.continue()
    })
    await choose(form, 'Customer account', 'Jonas Keller')
    await press(form, 'Continue')
    answer()
    await form.getByText('Only 0.00 EUR are available').waitFor()
    await page.unrouteAll({ behavior: 'wait' })
    await choose(form, 'Customer account', 'Alpine Family Office')
    await press(form, 'Continue')
    await reads(
      form.getByLabel('To be confirmed'),
      new RegExp(
        [
          String.raw`25\.5EUR`,
          'Bank EUR at Sandbox Bank',
          'Kraken EUR at Kraken',
          'reference',
          'Alpine Family Office',
        ].join('.*'),
        's',
      ),
    )
    await press(form, 'Withdraw')
    await dialog('Withdrawal').getByText('Bank EUR').first().waitFor()
    assert.match(page.url(), /\/treasury\/withdrawals\/[0-9a-f-]{36}$/)
    await cannot(dialog('Withdrawal').getByRole('button', { name: 'Resolve' }), /./)
    await dialog('Withdrawal').getByText('Success').first().waitFor()
    await reads(dialog('Withdrawal'), /OwnerAlpine Family Office/)
    await dialog('Withdrawal').getByRole('tab', { name: 'Assignments' }).click()
    await dialog('Withdrawal')
      .getByRole('tabpanel', { name: 'Assignments' })
      .getByText('Alpine Family Office')
      .waitFor()
  })

  it('takes back what was known as the arrival of a transfer, and relates it again', async () => {
    const routes = await here.kontor.get('/treasury/wallets/routes')
    const route = routes.find(({ label }) => label === 'Kraken to bank EUR')
    const sent = await here.kontor.post(
      '/treasury/wallets/routes/{treasury_route_id}/withdrawals',
      {
        params: { treasury_route_id: route?.id ?? '' },
        body: { quantity: '31.07', speed_level: 'DEFAULT' },
      },
    )
    await go(`/treasury/withdrawals/${sent.id}`)
    await dialog('Withdrawal')
      .getByRole('link', { name: /Arrived/ })
      .click()
    const deposit = dialog('Deposit')
    await deposit.getByRole('link', { name: 'Own transfer' }).waitFor()
    await reads(deposit, /OwnerOwn transfer/)
    await press(deposit, 'Take back')
    const form = dialog(/^Take back/)
    await press(form, 'Continue')
    await form.getByText('Reason is required').waitFor()
    await field(form, 'Reason').fill('To be sure')
    await confirm(form, 'Take back')
    await deposit.getByText('Unassigned').first().waitFor()
    const suggestion = deposit.getByLabel('Suggested transfers').getByRole('listitem')
    await suggestion.getByText(/The sending venue pays from/).waitFor()
    await cannot(
      deposit.getByRole('button', { name: 'Take back' }),
      'The deposit is not the arrival of a transfer',
    )
    await press(suggestion, 'Relate')
    await reads(
      dialog(/^Relate/).getByLabel('To be confirmed'),
      /31\.07EUR.*Kraken.*Payward Ltd.*Kraken Tx/,
    )
    await carryOut(dialog(/^Relate/), 'Relate')
    await deposit.getByText('Successful').first().waitFor()
    await deposit.getByRole('link', { name: 'Own transfer' }).click()
    await dialog('Withdrawal').getByText('31.07').first().waitFor()
  })

  it('sends a deposit back to the account from which it was paid, and not more of it', async () => {
    const id = await waitForDeposit(here, 'GOES BACK')
    await go(`/treasury/deposits/${id}`)
    const deposit = dialog('Deposit')
    await press(deposit, 'Return to sender')
    const form = dialog(/^Return to sender/)
    await press(form, 'Continue')
    await form.getByText('Reason of the return is required').waitFor()
    await field(form, 'Reason of the return').fill('Not a customer')
    await field(form, 'Amount').fill('41.51')
    await press(form, 'Continue')
    await form.getByText('Only 41.50 EUR are available').first().waitFor()
    await field(form, 'Amount').fill('41.5')
    await press(form, 'Continue')
    await reads(
      form.getByLabel('To be confirmed'),
      /41\.5EUR.*Fee.*EUR.*what is not assigned.*Nobody We Know, [A-Z]{2}\d{2}.*Not a customer/s,
    )
    await carryOut(form, 'Return to sender')
    await deposit.getByRole('link', { name: /41\.5/ }).click()
    const withdrawal = dialog('Withdrawal')
    await withdrawal.getByText('Nobody We Know').waitFor()
    await withdrawal.getByText('Success', { exact: true }).first().waitFor()
    await withdrawal.getByRole('link', { name: 'A deposit' }).click()
    await deposit.getByText('Returned', { exact: true }).first().waitFor()
    await cannot(
      deposit.getByRole('button', { name: 'Return to sender' }),
      'The deposit has gone back to its sender',
    )
  })

  it('asks whose part of an assigned deposit goes back', async () => {
    const deposits = await here.kontor.get('/treasury/deposits')
    const assigned = deposits.find((row) => row.state === 'SUCCESSFUL' && !row.own_transfer)
    await go(`/treasury/deposits/${assigned?.id}`)
    await press(dialog('Deposit'), 'Return to sender')
    const form = dialog(/^Return to sender/)
    await press(form, 'Continue')
    await form.getByText('From account is required').waitFor()
  })

  it('gives what one customer has to another, and not more', async () => {
    const customers = await here.kontor.get('/customers')
    const giver = customers.find(({ label }) => label === 'Alpine Family Office')
    await go(`/customers/${giver?.id}`)
    await press(dialog('Customer'), 'Transfer to another customer')
    const form = dialog(/^Transfer to another customer/)
    await press(form, 'Continue')
    await form.getByText('Receiving account is required').waitFor()
    await choose(form, 'Receiving account', 'Jonas Keller')
    await field(form, 'Asset').fill('eur')
    await field(form, 'Amount').fill('99000000')
    await field(form, 'Reason').fill('Shared bill')
    await press(form, 'Continue')
    await form
      .getByText(/^Only [\d,.]+ EUR are available$/)
      .first()
      .waitFor()
    assert.equal(await form.getByLabel('To be confirmed').count(), 0)
    await field(form, 'Amount').fill('12.34')
    await press(form, 'Continue')
    await reads(
      form.getByLabel('To be confirmed'),
      /12\.34EUR.*Alpine Family Office.*Jonas Keller.*Shared bill/s,
    )
    await carryOut(form, 'Transfer to another customer')
    await go('/book-transfers')
    const row = page.getByRole('row').filter({ hasText: 'Shared bill' })
    await row.getByText('Done').waitFor()
    await row.click()
    await cannot(
      dialog('Book transfer').getByRole('button', { name: 'Cancel transfer' }),
      'The transfer has ended',
    )
    await go(`/customers/${giver?.id}#timeline`)
    await dialog('Customer')
      .getByText(/12\.34 EUR from Alpine Family Office · .+ to Jonas Keller/)
      .first()
      .waitFor()
    await dialog('Customer').getByRole('link', { name: 'Transfers' }).click()
    await row.waitFor()
    await page.goBack()
    await dialog('Customer').getByRole('link', { name: 'Withdrawals' }).click()
    await page.getByRole('row').filter({ hasText: '25.5' }).first().waitFor()
  })

  it("withdraws with a fee of one's own", async () => {
    await go('/treasury/withdrawals')
    await press(page, 'Withdraw')
    const form = dialog(/^Withdraw(:|$)/)
    await choose(form, 'Route', 'Vault to Kraken BTC')
    await field(form, 'Amount').fill('0.01')
    await form.getByRole('radio', { name: 'Custom fee' }).check()
    await field(form, 'Fee').fill('a little')
    await press(form, 'Continue')
    await form.getByText('Enter a number such as 1250.50').first().waitFor()
    await field(form, 'Fee').fill('0.00002')
    await field(form, 'Purpose').fill('Rent '.repeat(29))
    await press(form, 'Continue')
    await form.getByText('Purpose must have at most 140 characters').waitFor()
    await field(form, 'Purpose').fill('Rent')
    await press(form, 'Continue')
    await reads(
      form.getByLabel('To be confirmed'),
      /0\.01BTC.*0\.00002BTC, Custom.*0\.01002BTC.*Rent \(not sent to the payee\)/,
    )
    await carryOut(form, 'Withdraw')
    await dialog('Withdrawal').getByText('Custom').first().waitFor()
  })

  itIsAccessible(
    here,
    ['deposits', 'withdrawals', 'assignments', 'batches', 'jobs'].map(
      (page) => `/treasury/${page}`,
    ),
  )
})
