/**
 * Wallets, the routes between them and the matchings by clicks, each action once right and once
 * wrong.
 */
import assert from 'node:assert/strict'
import { before, describe, it } from 'node:test'
import type { Locator, Page } from 'playwright-core'
import { openForTests, PATIENCE_MILLISECONDS, seriousFindings, until } from './browser.ts'
import {
  cannot,
  carryOut,
  choose as chooseIn,
  dialog as dialogOf,
  field,
  go as goOn,
  itIsAccessible,
  press,
  reads,
} from './hands.ts'

const { here, skip } = await openForTests()

describe('wallets in the console', { skip }, () => {
  let page: Page
  before(async () => {
    page = await here.page({ path: '/treasury/wallets' })
  })

  const dialog = (name: string | RegExp): Locator => dialogOf(page, name)
  const go = (path: string): Promise<void> => goOn(page, path)
  const choose = (scope: Locator, label: string, option: string | RegExp): Promise<void> =>
    chooseIn(field(scope, label), option)

  const mariaOf = async (foreign_id: string): Promise<string> => {
    const body = {
      type: 'RETAIL',
      label: 'Maria Roth',
      first_name: 'Maria',
      last_name: 'Roth',
      foreign_id,
      margin: 'DEFAULT',
      booking_schema: 'ADVANCED',
      ignore_balance_check: false,
      ignore_margin: false,
    } as const
    return (await here.kontor.post('/customers', { body })).id
  }

  it('names wallets, and has a venue make one', async () => {
    await go('/treasury/wallets')
    await press(page, 'Create wallet')
    const form = dialog(/^Create wallet/)
    await choose(form, 'Owner', 'Customer')
    await choose(form, 'Customer', 'Jonas Keller')
    await form.getByLabel('Asset').fill('BTC')
    await form.getByLabel('Name').fill('Jonas cold')
    await form.getByLabel('Address').fill('nowhere')
    await form
      .getByTitle(/^Jonas Keller · /)
      .nth(1)
      .waitFor()
    await press(form, 'Create wallet')
    await form.getByText(/Address is not valid for BTC/).waitFor()
    await form.getByLabel('Address').fill('1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa')
    await carryOut(form, 'Create wallet')
    await page.getByRole('row').filter({ hasText: 'Jonas cold' }).waitFor()
    await press(page, 'Create wallet')
    await choose(form, 'Venue', 'Fireblocks')
    await choose(form, 'Asset', 'ETH')
    await form.getByLabel('Name').fill('Vault made here')
    await form.getByLabel('Have the venue create the wallet').check()
    await carryOut(form, 'Create wallet')
    await page.getByRole('row').filter({ hasText: 'Vault made here' }).getByText('Active').waitFor()
  })

  it('tells customers of one name by reference and id, and finds them by each', async () => {
    const [first, second] = await Promise.all(['CRM-4711', 'CRM-4712'].map(mariaOf))
    await go('/treasury/wallets')
    await press(page, 'Create wallet')
    const form = dialog(/^Create wallet/)
    await choose(form, 'Owner', 'Customer')
    const picker = field(form, 'Customer')
    for (const [typed, id, reference] of [
      ['maria 4712', second, 'CRM-4712'],
      [`…${first?.slice(-6)}`, first, 'CRM-4711'],
    ] as const) {
      await picker.fill(typed)
      const option = page.locator('.ant-select-item-option:visible')
      const wanted = option.getByText(`Maria Roth · ${reference} · …${id?.slice(-6)}`)
      await wanted.waitFor()
      assert.equal(await option.count(), 1)
      await wanted.click()
      await form
        .getByTitle(`Maria Roth · ${reference} · …${id?.slice(-6)}`)
        .first()
        .waitFor()
    }
    await press(form, 'Cancel')
    await page.keyboard.press('Control+k')
    await page.getByRole('combobox', { name: 'Search or go to' }).fill('maria')
    await page.getByRole('option', { name: /Maria Roth.*CRM-4712 · …/ }).waitFor()
    await page.keyboard.press('Escape')
  })

  it('makes a route of what its venue needs, and allows it', async () => {
    await go('/treasury/routes')
    await page
      .getByRole('row')
      .filter({ hasText: 'Kraken to bank EUR' })
      .getByText('None needed')
      .waitFor()
    await press(page, 'Create route')
    const form = dialog(/^Create route/)
    await choose(form, 'From wallet', 'Vault BTC')
    await choose(form, 'To wallet', 'Jonas cold')
    await form.getByLabel('Name').fill('Vault to Jonas')
    // The vault account is known of a wallet that the custodian has made.
    await carryOut(form, 'Create route')
    await page.getByRole('row').filter({ hasText: 'Vault to Jonas' }).click()
    await here.control('POST', 'faults', {
      venue: 'fireblocks',
      operation: 'approval',
      kind: 'REFUSE',
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
    await press(dialog('Treasury route'), 'Change')
    const form = dialog('Change')
    await field(form, 'Name').fill('')
    await press(form, 'Change')
    await form.getByText('Name is required').waitFor()
    await field(form, 'Name').fill('Vault to Jonas, cold')
    await carryOut(form, 'Change')
    await dialog('Treasury route').getByText('Vault to Jonas, cold').first().waitFor()

    await go('/treasury/wallets')
    await page.getByRole('row').filter({ hasText: 'Jonas cold' }).click()
    await press(dialog('Wallet'), 'Change')
    await field(form, 'Address').fill('1A1zP1')
    await press(form, 'Change')
    await form.getByText(/Address is not valid for BTC/).waitFor()
    await field(form, 'Address').fill('1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa')
    await field(form, 'Name').fill('Jonas in the safe')
    await carryOut(form, 'Change')
    await dialog('Wallet').getByText('Jonas in the safe').first().waitFor()
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
    await press(dialog('Matching'), 'Change')
    await choose(dialog('Change'), 'Account', 'Alpine Family Office')
    await carryOut(dialog('Change'), 'Change')
    await dialog('Matching').getByText('Alpine Family Office').waitFor()
    await press(dialog('Matching'), 'Delete')
    await carryOut(dialog('Delete'), 'Delete')
    await row.waitFor({ state: 'detached' })
  })

  it("pays at once by SEPA_INSTANT, and tells the bank the payee's address", async () => {
    const customers = await here.kontor.get('/customers')
    const jonas = customers.find(({ label }) => label === 'Jonas Keller')
    // An instant payment is answered by the payee's bank: the account must be there.
    await here.wire({ from_name: 'Jonas Keller', quantity: '5.55', reference: 'HIS OTHER BANK' })
    let address = ''
    await until('his account is known', PATIENCE_MILLISECONDS, async () => {
      const deposits = await here.kontor.get('/treasury/deposits')
      address = deposits.find(({ quantity }) => quantity === '5.55')?.source_address ?? ''
      return address !== ''
    })
    await here.kontor.post('/treasury/wallets', {
      body: {
        type: 'CUSTOMER',
        asset: 'EUR',
        address,
        label: 'Jonas at his bank',
        account_id: jonas?.account_id ?? '',
        customer_id: jonas?.id ?? '',
        access_type: 'EXTERNAL',
      },
    })
    await go('/treasury/routes')
    await press(page, 'Create route')
    const form = dialog(/^Create route/)
    await choose(form, 'From wallet', 'Bank EUR')
    await choose(form, 'To wallet', 'Jonas at his bank')
    await choose(form, 'Protocol', 'SEPA instant')
    await field(form, 'Name').fill('To Jonas at once')
    await field(form, 'Name that the bank is told').fill('Jonas Keller')
    await field(form, 'Reference').fill('savings')
    await field(form, "Payee's street").fill('Hauptstraße')
    await press(form, 'Create route')
    await form.getByText('Fill this in together with street', { exact: true }).waitFor()
    await field(form, "Payee's town").fill('Wien')
    await field(form, "Payee's country").fill('AT')
    await carryOut(form, 'Create route')
    await page.getByRole('row').filter({ hasText: 'To Jonas at once' }).click()
    const route = dialog('Treasury route')
    await reads(route, /Payee's town: Wien.*Payee's street: Hauptstraße.*Payee's country: AT/)
    await press(route, 'Withdraw')
    const withdraw = dialog(/^Withdraw(:|$)/)
    await field(withdraw, 'Amount').fill('3.33')
    await withdraw.getByText('Default').locator('.amount').waitFor()
    await press(withdraw, 'Continue')
    await reads(withdraw.getByLabel('To be confirmed'), /To Jonas at once \(SEPA_INSTANT\)/)
    await carryOut(withdraw, 'Withdraw')
    const withdrawal = dialog('Withdrawal')
    await withdrawal.getByText('Success', { exact: true }).first().waitFor()
    await reads(withdrawal, /PayeeJonas Keller.*SEPA_INSTANT.*Value date\d{4}-\d{2}-\d{2}/s)
  })

  it('has nothing serious for axe in a form', async () => {
    await go('/treasury/matchings')
    await press(page, 'Create matching')
    await dialog(/^Create matching/).waitFor()
    assert.deepEqual(await seriousFindings(page), [])
  })

  itIsAccessible(here, ['/treasury/routes', '/treasury/wallets', '/treasury/matchings'])
})
