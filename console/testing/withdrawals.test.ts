/**
 * What people do with withdrawals in flight and after, and with the jobs that create some, by
 * clicks: each action once wrong and once right.
 */
import { before, describe, it } from 'node:test'
import type { Locator, Page } from 'playwright-core'
import { openForTests, PATIENCE_MILLISECONDS, until } from './browser.ts'
import {
  cannot,
  carryOut,
  choose,
  confirm,
  dialog as dialogOf,
  field,
  go,
  press,
  reads,
} from './hands.ts'
import { givePeopleMoney, routeToJonas } from './money.ts'

const { here, skip } = await openForTests()

describe('withdrawals in the console', { skip }, () => {
  let page: Page
  before(async () => {
    await givePeopleMoney(here)
    await here.control('POST', 'bank/debit', {
      quantity: '33',
      to_iban: 'DE89370400440532013000',
      to_name: 'Keller Jonas',
      reference: 'MADE AT THE BANK',
    })
    page = await here.page({ path: '/treasury/withdrawals' })
  })

  const dialog = (name: string | RegExp): Locator => dialogOf(page, name)
  const button = (name: string): Locator =>
    dialog('Withdrawal').getByRole('button', { name, exact: true })
  const stateOf = async (id: string): Promise<string> =>
    (
      await here.kontor.get('/treasury/withdrawals/{withdrawals_id}', {
        params: { withdrawals_id: id },
      })
    ).state
  /** From Kraken to the bank, once it is in this state. */
  const withdrawn = async (quantity: string, state: string): Promise<string> => {
    const treasury_route_id =
      (await here.kontor.get('/treasury/wallets/routes')).find(
        ({ label }) => label === 'Kraken to bank EUR',
      )?.id ?? ''
    const { id } = await here.kontor.post(
      '/treasury/wallets/routes/{treasury_route_id}/withdrawals',
      { params: { treasury_route_id }, body: { quantity, speed_level: 'DEFAULT' } },
    )
    await until(`it is ${state}`, PATIENCE_MILLISECONDS, async () => {
      const now = await stateOf(id)
      return now === state || now
    })
    return id
  }
  /** Kraken does not take the next withdrawal, and does not say so. */
  const silentKraken = async (): Promise<void> => {
    await here.control('DELETE', 'faults?venue=kraken')
    await here.control('POST', 'faults', { venue: 'kraken', operation: 'Withdraw', kind: 'DOWN' })
    await here.control('POST', 'faults', {
      venue: 'kraken',
      operation: 'WithdrawStatus',
      kind: 'DOWN',
      remaining: -1,
    })
  }

  it('says on which day the bank executes it, before it is requested', async () => {
    await press(page, 'Withdraw')
    const form = dialog(/^Withdraw(:|$)/)
    await choose(field(form, 'Route'), 'Bank to Kraken EUR')
    await field(form, 'Amount').fill('1.25')
    await form.getByText(/^The bank executes it on \d{4}-\d{2}-\d{2}\.$/).waitFor()
    await press(form, 'Continue')
    await reads(form.getByLabel('To be confirmed'), /Execution expected/)
    await press(form, 'Back')
    await press(form, 'Cancel')
    await form.waitFor({ state: 'hidden' })
  })

  it('resolves an unknown outcome by evidence, when the venue does not answer', async () => {
    await silentKraken()
    await go(page, `/treasury/withdrawals/${await withdrawn('31', 'UNKNOWN')}`)
    await button('Check with venue').click()
    const asking = dialog(/^Check with venue/)
    await press(asking, 'Check with venue')
    await asking.getByRole('alert').waitFor()
    await press(asking, 'Cancel')
    await button('Resolve').click()
    const telling = dialog(/^Resolve/)
    await choose(field(telling, 'Outcome'), 'Never sent')
    await press(telling, 'Continue')
    await telling.getByText('Evidence is required').waitFor()
    await field(telling, 'Evidence').fill('Kraken wrote that it never came')
    await press(telling, 'Continue')
    await reads(
      telling.getByLabel('To be confirmed'),
      /Never sent.*31.*Kraken EUR.*Kraken wrote that it never came/,
    )
    await carryOut(telling, 'Resolve')
    await dialog('Withdrawal').getByText('Failed').first().waitFor()
    await dialog('Withdrawal').getByText('Kraken wrote that it never came').first().waitFor()
    await cannot(button('Resolve'), 'The withdrawal has ended')
  })

  it('cancels what has not left, and not what may have', async () => {
    await silentKraken()
    const first = await withdrawn('32', 'UNKNOWN')
    // While nobody knows whether the first one left, another one of the same content waits.
    const second = await withdrawn('32', 'PENDING')
    await go(page, `/treasury/withdrawals/${first}`)
    await cannot(button('Cancel withdrawal'), /already being sent/)
    await go(page, `/treasury/withdrawals/${second}`)
    await button('Cancel withdrawal').click()
    await carryOut(dialog(/^Cancel withdrawal/), 'Keep it')
    await button('Cancel withdrawal').click()
    await field(dialog(/^Cancel withdrawal/), 'Reason').fill('made twice')
    await carryOut(dialog(/^Cancel withdrawal/), 'Cancel withdrawal')
    await dialog('Withdrawal').getByText('Canceled').first().waitFor()
    await dialog('Withdrawal').getByText('made twice').first().waitFor()
    await cannot(button('Cancel withdrawal'), 'The withdrawal has ended')
    await here.control('DELETE', 'faults?venue=kraken')
  })

  it('asks the venue how it goes', async () => {
    // Nothing goes on at the venues: it stays under way.
    await here.control('POST', 'clock', { pace: 0 })
    await go(page, `/treasury/withdrawals/${await withdrawn('34', 'PENDING')}`)
    await button('Check with venue').click()
    await press(dialog(/^Check with venue/), 'Check with venue')
    await page.getByText('Checked with the venue: pending').waitFor()
    await cannot(button('Rectify'), /in flight/)
    await here.control('POST', 'clock', { pace: 1 })
    await dialog('Withdrawal').getByText('Success').first().waitFor()
    await cannot(button('Check with venue'), 'The withdrawal has ended')
  })

  it('assigns and rectifies what was sent outside', async () => {
    let id = ''
    await until('it is seen', PATIENCE_MILLISECONDS, async () => {
      id =
        (await here.kontor.get('/treasury/withdrawals', { query: { state: 'SUCCESS' } })).find(
          (withdrawal) => withdrawal.origin === 'EXTERNAL' && withdrawal.quantity === '33',
        )?.id ?? ''
      return id !== ''
    })
    await go(page, `/treasury/withdrawals/${id}`)
    await button('Assign').click()
    const assign = dialog(/^Assign/)
    await field(assign, 'Amount').fill('33.01')
    await choose(field(assign, 'From account'), 'Jonas Keller')
    await press(assign, 'Continue')
    await assign.getByText('Only 33.00 EUR are available').first().waitFor()
    await field(assign, 'Amount').fill('33')
    await confirm(assign, 'Assign')
    await dialog('Withdrawal').getByRole('tab', { name: 'Assignments' }).click()
    await dialog('Withdrawal').getByRole('tabpanel').getByText('Jonas Keller').waitFor()

    await button('Rectify').click()
    const rectify = dialog(/^Rectify/)
    await choose(field(rectify, 'Assignments to reverse'), /^33\.00 EUR/)
    await page.keyboard.press('Escape')
    await choose(field(rectify, 'Reassign to'), 'Alpine Family Office')
    await field(rectify, 'Amount').fill('32')
    await choose(field(rectify, 'Reason'), 'Wrong account')
    await press(rectify, 'Continue')
    await rectify.getByText('Assign all of it: a part is still missing').waitFor()
    await field(rectify, 'Amount').fill('33')
    await press(rectify, 'Continue')
    await reads(
      rectify.getByLabel('To be confirmed'),
      /Jonas Keller.*New booking.*Alpine Family Office/,
    )
    await carryOut(rectify, 'Rectify')
    await dialog('Withdrawal').getByRole('tab', { name: 'Rectifications' }).click()
    await dialog('Withdrawal').getByText('Wrong account').waitFor()
  })

  it("pays to another customer's wallet only when somebody says so", async () => {
    await routeToJonas(here)
    await go(page, '/treasury/withdrawals')
    await press(page, 'Withdraw')
    const form = dialog(/^Withdraw(:|$)/)
    await choose(field(form, 'Route'), 'Bank to Jonas')
    await field(form, 'Amount').fill('12')
    const box = form.getByRole('checkbox', { name: 'Third-party payment' })
    await form.getByText('Default').locator('.amount').waitFor()
    await reads(form.getByRole('alert'), /wallet of Jonas Keller.*no account is debited/)
    await press(form, 'Continue')
    await reads(
      form.getByLabel('To be confirmed'),
      /booked to suspense until somebody assigns it.*Warning.*wallet of Jonas Keller/,
    )
    await press(form, 'Back')
    await choose(field(form, 'Customer account'), 'Jonas Keller')
    await form.getByRole('alert').waitFor({ state: 'detached' })
    await box.waitFor({ state: 'detached' })
    await choose(field(form, 'Customer account'), 'Alpine Family Office')
    await box.waitFor()
    await press(form, 'Continue')
    await press(form, 'Withdraw')
    await form
      .getByText(/belongs to another customer/)
      .first()
      .waitFor()
    await box.check()
    await press(form, 'Continue')
    await reads(
      form.getByLabel('To be confirmed'),
      /Alpine Family Office.*Third-party paymentTo another customer's wallet/,
    )
    await carryOut(form, 'Withdraw')
    await dialog('Withdrawal').getByText("To another customer's wallet").first().waitFor()
    await dialog('Withdrawal').getByText('Success').first().waitFor()
  })

  it('stands on the overview without an account, until somebody assigns it', async () => {
    const { kontor } = here
    const routes = await kontor.get('/treasury/wallets/routes')
    const route = routes.find(({ label }) => label === 'Bank to Jonas')
    await kontor.post('/treasury/wallets/routes/{treasury_route_id}/withdrawals', {
      params: { treasury_route_id: route?.id ?? '' },
      body: { quantity: '3.21', speed_level: 'DEFAULT' },
    })
    await go(page, '/')
    await page.getByRole('link', { name: 'Withdrawals without an owner: 1' }).click()
    const row = page.getByRole('row').filter({ hasText: '3.21' })
    await row.getByText('Nobody yet').waitFor()
    await row.click()
    await button('Assign').click()
    const form = dialog(/^Assign/)
    await choose(form.getByLabel('From account'), 'Jonas Keller')
    await form.getByLabel('Amount').fill('3.21')
    await confirm(form, 'Assign')
    await reads(dialog('Withdrawal'), /OwnerJonas Keller/)
    await go(page, '/')
    await page.getByRole('link', { name: /^Withdrawals without/ }).waitFor({ state: 'detached' })
  })

  it('creates a job, tries it without sending, activates and stops it', async () => {
    await go(page, '/treasury/jobs')
    await press(page, 'Create job')
    const form = dialog(/^Create job/)
    await choose(field(form, 'Route'), 'Kraken to bank EUR')
    await press(form, 'Continue')
    await form.getByText('Amount left at source is required').waitFor()
    await form.getByLabel('Amount left at source').fill('0')
    await form.getByLabel('Minimum amount').fill('999999999')
    await confirm(form, 'Create job')
    const row = page.getByRole('row').filter({ hasText: 'at least 999,999,999.00 EUR' })
    await row.click()
    const record = dialog('Job')
    await record.getByRole('tab', { name: 'Dry run' }).click()
    await press(record, 'Start dry run')
    await record.getByLabel('Dry run').getByText('Below min quantity').first().waitFor()
    await press(record, 'Activate')
    await dialog(/^Activate/)
      .getByLabel('To be confirmed')
      .waitFor()
    await carryOut(dialog(/^Activate/), 'Activate')
    await record.getByRole('tab', { name: 'Runs' }).click()
    await record.getByRole('tabpanel').getByText('Skipped').first().waitFor()
    await press(record, 'Stop')
    await carryOut(dialog(/^Stop/), 'Stop')
    await record.getByText('Inactive').first().waitFor()

    await press(record, 'Change')
    const edit = dialog(/^Change/)
    await edit.getByLabel('Minimum amount').fill('much')
    await press(edit, 'Continue')
    const refusal = edit.getByText(/^Enter a number such as/)
    await refusal.waitFor()
    await edit.getByLabel('Minimum amount').fill('888888888')
    await refusal.waitFor({ state: 'detached' })
    await confirm(edit, 'Change')
    await page.getByRole('row').filter({ hasText: 'at least 888,888,888.00 EUR' }).waitFor()
  })

  it('creates a job that moves an amount when conditions hold', async () => {
    await go(page, '/treasury/jobs')
    await press(page, 'Create job')
    const form = dialog(/^Create job/)
    await choose(field(form, 'Route'), 'Bank to Kraken EUR')
    await choose(field(form, 'Type'), /^Conditional/)
    await field(form, 'Balance').fill('1000')
    await press(form, 'Continue')
    await form.getByText('Amount is required').waitFor()
    await field(form, 'Amount').fill('5')
    await press(form, 'Add condition')
    await field(form, 'Balance').nth(1).fill('1')
    await press(form, 'Continue')
    await reads(
      form.getByLabel('To be confirmed'),
      new RegExp(
        [
          'Bank to Kraken EUR',
          'the source holds more than 1,000',
          'and the destination holds less than 1',
        ].join('.*'),
      ),
    )
    await carryOut(form, 'Create job')
    await page
      .getByRole('row')
      .filter({ hasText: '5.00 EUR when the source holds more than 1,000.00 EUR' })
      .waitFor()
  })
})
