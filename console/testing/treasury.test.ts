/**
 * Treasury by clicks, each action once right and once wrong, in a real browser against a real
 * Kontor and its sandbox.
 */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import type { Locator, Page } from 'playwright-core'
import { openInstallation, PATIENCE_MILLISECONDS, seriousFindings, until } from './browser.ts'
import type { Installation } from './browser.ts'
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

const installation = await openInstallation()

describe(
  'treasury in the console',
  { skip: installation === undefined && 'no Chromium runs here' },
  () => {
    let here: Installation
    let page: Page
    before(async () => {
      if (installation === undefined) return
      here = installation
      await here.wire({ from_name: 'Keller Jonas', quantity: '900.25', reference: 'TWO OF US' })
      await here.wire({
        from_name: 'Alpine Family Office',
        quantity: '7531.97',
        reference: 'TO BE DECIDED',
      })
      page = await here.page({ path: '/treasury/deposits' })
    })
    after(() => here?.close())

    const dialog = (name: string | RegExp): Locator => dialogOf(page, name)
    const go = (path: string): Promise<void> => goOn(page, path)
    const choose = (
      scope: Locator,
      label: string,
      option: string | RegExp,
      nth = 0,
    ): Promise<void> => chooseIn(field(scope, label).nth(nth), option)
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
      await form.getByLabel('To be confirmed').waitFor()
      await press(form, 'Assign')
      await form
        .getByRole('alert')
        .getByText(/900\.26 EUR requested/)
        .waitFor()
      await form.getByLabel('Amount').nth(1).fill('300.25')
      await confirm(form, 'Assign')
      await dialog('Deposit').getByText('Successful').first().waitFor()
      const assignments = await here.kontor.get('/treasury/deposits/{deposit_id}/assignments', {
        params: { deposit_id: id },
      })
      assert.deepEqual(assignments.map((assignment) => assignment.quantity).toSorted(), [
        '300.25',
        '600',
      ])
    })

    it('rectifies with the bookings shown before, and refuses sums that differ', async () => {
      await press(dialog('Deposit'), 'Rectify')
      const form = dialog(/^Rectify/)
      await choose(form, 'Assignments to reverse', /600/)
      await page.keyboard.press('Escape')
      await choose(form, 'Reassign to', 'Alpine Family Office')
      await form.getByLabel('Amount').fill('599')
      await choose(form, 'Reason', 'Wrong account')
      await press(form, 'Continue')
      await form.getByText(/the targets sum to 599 EUR/).waitFor()
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
      await cannot(
        row.getByRole('button', { name: 'Reject' }),
        'The assignment is already rejected',
      )
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
      await choose(form, 'Customer account', 'Jonas Keller')
      await form.getByText('Default').locator('.amount').waitFor()
      await press(form, 'Continue')
      await form.getByLabel('To be confirmed').waitFor()
      await press(form, 'Withdraw')
      await form.getByText(/Jonas Keller.*available/).waitFor()
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
      await dialog('Withdrawal').getByRole('tab', { name: 'Assignments' }).click()
      await dialog('Withdrawal').getByRole('tabpanel').getByText('Alpine Family Office').waitFor()
    })

    it('sends many at once, as they were shown', async () => {
      await go('/treasury/batches')
      const rows = [0, 1].map((index) => page.getByRole('group', { name: `Payment ${index + 1}` }))
      for (const [index, row] of rows.entries()) {
        await choose(row, 'Route', 'Bank to Kraken EUR')
        await row.getByLabel('Amount').fill(index === 0 ? '3.001' : '4')
      }
      await press(page, 'Prepare')
      await page
        .getByText(/more than the 2 fraction digits/)
        .first()
        .waitFor()
      await rows[0]?.getByLabel('Amount').fill('3')
      await press(page, 'Prepare')
      await page.getByLabel('Transaction 1').first().waitFor()
      await page
        .getByRole('timer')
        .getByText(/Submit within/)
        .waitFor()
      assert.deepEqual(await seriousFindings(page), [])
      await page.getByRole('button', { name: /^Submit/ }).click()
      await page
        .getByRole('region', { name: 'Withdrawals created' })
        .getByRole('link', { name: 'Open' })
        .first()
        .click()
      await dialog('Withdrawal').waitFor()
    })

    it('names wallets, and has a venue make one', async () => {
      await go('/treasury/wallets')
      await press(page, 'Create wallet')
      const form = dialog(/^Create wallet/)
      await choose(form, 'Owner', 'Customer')
      await choose(form, 'Customer', 'Jonas Keller')
      await form.getByLabel('Asset').fill('BTC')
      await form.getByLabel('Name').fill('Jonas cold')
      await form.getByLabel('Address').fill('nowhere')
      await form.getByTitle('Jonas Keller', { exact: true }).nth(1).waitFor()
      await press(form, 'Create wallet')
      await form.getByText(/address is not valid for BTC/).waitFor()
      await form.getByLabel('Address').fill('1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa')
      await carryOut(form, 'Create wallet')
      await page.getByRole('row').filter({ hasText: 'Jonas cold' }).waitFor()
      await press(page, 'Create wallet')
      await choose(form, 'Venue', 'Fireblocks')
      await choose(form, 'Asset', 'ETH')
      await form.getByLabel('Name').fill('Vault made here')
      await form.getByLabel('Have the venue create the wallet').check()
      await carryOut(form, 'Create wallet')
      await page
        .getByRole('row')
        .filter({ hasText: 'Vault made here' })
        .getByText('Active')
        .waitFor()
    })

    it('makes a route of what its venue needs, and allows it', async () => {
      await go('/treasury/routes')
      await press(page, 'Create route')
      const form = dialog(/^Create route/)
      await choose(form, 'From wallet', 'Vault BTC')
      await choose(form, 'To wallet', 'Jonas cold')
      await form.getByLabel('Name').fill('Vault to Jonas')
      await press(form, 'Create route')
      await form
        .getByText(/needed|required/)
        .first()
        .waitFor()
      await form.getByLabel('Source vault account id').fill('0')
      await carryOut(form, 'Create route')
      await page.getByRole('row').filter({ hasText: 'Vault to Jonas' }).click()
      await fetch(`${here.sandbox_url}/control/faults`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ venue: 'fireblocks', operation: 'approval', kind: 'REFUSE' }),
      })
      for (const answer of ['Rejected', 'Approved']) {
        await press(dialog('Treasury route'), 'Allow')
        await dialog(/^Allow/)
          .getByLabel('To be confirmed')
          .getByText('1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa')
          .waitFor()
        await carryOut(dialog(/^Allow/), 'Allow')
        await dialog('Treasury route').getByText(answer).first().waitFor()
      }
      await cannot(
        dialog('Treasury route').getByRole('button', { name: 'Allow' }),
        'The destination is already allowed',
      )
      await dialog('Treasury route').getByRole('tab', { name: 'Fee' }).click()
      await dialog('Treasury route').getByLabel('Amount').fill('0.01')
      await dialog('Treasury route').getByRole('tabpanel').getByText('Fast').waitFor()
    })

    it('changes a route and a wallet, and leaves them as they are when it cannot be', async () => {
      await press(dialog('Treasury route'), 'Edit')
      const form = dialog('Edit')
      await field(form, 'Name').fill('')
      await press(form, 'Edit')
      await form.getByText('Name is required').waitFor()
      await field(form, 'Name').fill('Vault to Jonas, cold')
      await carryOut(form, 'Edit')
      await dialog('Treasury route').getByText('Vault to Jonas, cold').first().waitFor()

      await go('/treasury/wallets')
      await page.getByRole('row').filter({ hasText: 'Jonas cold' }).click()
      await press(dialog('Wallet'), 'Edit')
      await field(form, 'Address').fill('1A1zP1')
      await press(form, 'Edit')
      await form.getByText(/address is not valid for BTC/).waitFor()
      await field(form, 'Address').fill('1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa')
      await field(form, 'Name').fill('Jonas in the safe')
      await carryOut(form, 'Edit')
      await dialog('Wallet').getByText('Jonas in the safe').first().waitFor()
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
      await form.getByText('Enter an amount such as 1250.5').waitFor()
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

    it('creates, changes and deletes a matching, and tells of one that is there', async () => {
      await go('/treasury/matchings')
      const form = dialog(/^Create matching/)
      await press(page, 'Create matching')
      await choose(form, 'Account', 'Jonas Keller')
      await choose(form, 'Matched by', /^Source only$/)
      await choose(form, 'Asset', 'BTC')
      await form.getByLabel('Source address or IBAN').fill('1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa')
      await carryOut(form, 'Create matching')
      const row = page.getByRole('row').filter({ hasText: 'Source only' })
      await press(page, 'Create matching')
      await choose(form, 'Account', 'Alpine Family Office')
      await choose(form, 'Matched by', /^Source only$/)
      await choose(form, 'Asset', 'BTC')
      await form.getByLabel('Source address or IBAN').fill('1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa')
      await press(form, 'Create matching')
      await form
        .getByRole('alert')
        .getByText(/matching with the same asset.* exists/)
        .waitFor()
      await press(form, 'Cancel')
      await row.click()
      await press(dialog('Matching'), 'Edit')
      await choose(dialog('Edit'), 'Account', 'Alpine Family Office')
      await carryOut(dialog('Edit'), 'Edit')
      await dialog('Matching').getByText('Alpine Family Office').waitFor()
      await press(dialog('Matching'), 'Delete')
      await carryOut(dialog('Delete'), 'Delete')
      await row.waitFor({ state: 'detached' })
    })

    itIsAccessible(
      () => here,
      [
        'deposits',
        'withdrawals',
        'assignments',
        'batches',
        'jobs',
        'routes',
        'wallets',
        'matchings',
      ].map((page) => `/treasury/${page}`),
    )

    it('has nothing serious for axe in a form', async () => {
      await go('/treasury/matchings')
      await press(page, 'Create matching')
      await dialog(/^Create matching/).waitFor()
      assert.deepEqual(await seriousFindings(page), [])
    })
  },
)
