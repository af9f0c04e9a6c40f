/**
 * Two people at once, each with a browser of their own: what one does the other sees, and what came
 * too late is refused in words.
 */
import assert from 'node:assert/strict'
import { before, describe, it } from 'node:test'
import type { Page } from 'playwright-core'
import { openForTests, PATIENCE_MILLISECONDS, until } from './browser.ts'
import {
  waitForDeposit,
  cannot,
  carryOut,
  choose,
  confirm,
  setCompliance,
  dialog,
  field,
  go,
  press,
  reads,
} from './hands.ts'

const { here, skip } = await openForTests()

const PASSWORD = 'the password of a colleague'

describe('two people in the console', { skip }, () => {
  before(async () => {
    await here.wire({
      from_name: 'Alpine Family Office',
      quantity: '8642.13',
      reference: 'WHO DECIDES',
    })
    await here.wire({
      from_name: 'Somebody Else',
      quantity: '45',
      reference: 'TOO LATE FOR OTTO',
    })
  })

  type Role = 'READER' | 'TREASURER' | 'ACCOUNTANT' | 'COMPLIANCE'
  /**
   * Somebody who is new here, at a page. They are not to be shown it anew: `stayed` tells whether
   * it is the same one.
   */
  const person = async (
    name: string,
    role: Role,
    path: string,
  ): Promise<{ id: string; page: Page; stayed(): Promise<boolean> }> => {
    const email = `${name}@kontor.local`
    const { id } = await here.kontor.post('/users', {
      body: { email, name, roles: [role], password: PASSWORD, must_change_password: false },
    })
    const page = await here.page({ path, email, password: PASSWORD })
    await page.getByRole('heading', { level: 1 }).waitFor()
    await page.evaluate(() => {
      Object.assign(window, { stayed: true })
    })
    return { id, page, stayed: () => page.evaluate(() => 'stayed' in window) }
  }

  it('tells the second person of an assignment, and keeps what was typed', async () => {
    const [tess, adam] = await Promise.all([
      person('tess', 'TREASURER', '/treasury/deposits'),
      person('adam', 'ACCOUNTANT', '/treasury/deposits'),
    ])
    await here.wire({ from_name: 'Somebody Else', quantity: '300', reference: 'FOR WHOM' })
    for (const { page } of [tess, adam]) {
      await page.getByRole('row').filter({ hasText: 'FOR WHOM' }).click()
      await press(dialog(page, 'Deposit'), 'Assign')
    }
    const [hers, his] = [dialog(tess.page, /^Assign/), dialog(adam.page, /^Assign/)]
    await field(his, 'Amount').fill('120.5')
    await choose(field(his, 'To account'), 'Jonas Keller')

    await choose(field(hers, 'To account'), 'Alpine Family Office')
    await confirm(hers, 'Assign')
    // Behind his form his page says it by itself.
    await adam.page.locator('.record').getByText('Successful').first().waitFor()

    await reads(
      his.getByRole('alert').first(),
      /assigned 300.*EUR to Alpine Family Office.*while your form was open/,
    )
    await press(his, 'Continue')
    await his
      .getByText(/^Only 0\.00 EUR are available$/)
      .first()
      .waitFor()
    assert.equal(await field(his, 'Amount').inputValue(), '120.5')
    await his.getByText('Jonas Keller').first().waitFor()
    await press(his, 'Cancel')
    await cannot(dialog(adam.page, 'Deposit').getByRole('button', { name: 'Assign' }), /./)
    assert.deepEqual([await tess.stayed(), await adam.stayed()], [true, true])
    await Promise.all([tess.page.context().close(), adam.page.context().close()])
  })

  it('refuses a decision after another one, in the dialog that was open', async () => {
    await setCompliance(here, true)
    const deposit_id = await waitForDeposit(here, 'WHO DECIDES')
    const account_id =
      (await here.kontor.get('/customers')).find(({ label }) => label === 'Jonas Keller')
        ?.account_id ?? ''
    await here.kontor.post('/treasury/deposits/{deposit_id}/assignments', {
      params: { deposit_id },
      body: [{ account_id, quantity: '8642.13' }],
    })
    const path = '/treasury/assignments?state=PENDING'
    const [vera, carl] = await Promise.all([
      person('vera', 'COMPLIANCE', path),
      person('carl', 'COMPLIANCE', path),
    ])
    const row = (page: Page) => page.getByRole('row').filter({ hasText: '8642.13' })
    await press(row(carl.page), 'Reject')
    const late = dialog(carl.page, /^Reject/)
    await late.getByLabel('To be confirmed').getByText('Jonas Keller').waitFor()

    await press(row(vera.page), 'Accept')
    const accept = dialog(vera.page, /^Accept/)
    await accept.getByLabel('To be confirmed').getByText('Jonas Keller').waitFor()
    await carryOut(accept, 'Accept')
    await carl.page.locator('tbody').getByText('8642.13').waitFor({ state: 'detached' })

    await press(late, 'Reject')
    await late
      .getByRole('alert')
      .getByText(/is successful/)
      .waitFor()
    await press(late, 'Cancel')
    await late.waitFor({ state: 'hidden' })
    const [assignment] = await here.kontor.get('/treasury/deposits/{deposit_id}/assignments', {
      params: { deposit_id },
    })
    assert.equal(assignment?.status, 'SUCCESSFUL')
    assert.equal(await carl.stayed(), true)
    await setCompliance(here, false)
    await Promise.all([vera.page.context().close(), carl.page.context().close()])
  })

  it('lets nobody overwrite what somebody else has changed meanwhile', async () => {
    const [first, second] = await Promise.all([
      person('mia', 'TREASURER', '/treasury/wallets'),
      person('noa', 'TREASURER', '/treasury/wallets'),
    ])
    for (const { page } of [first, second]) {
      await page.getByRole('row').filter({ hasText: 'Kraken ETH' }).click()
      await press(dialog(page, 'Wallet'), 'Change')
    }
    await field(dialog(first.page, 'Change'), 'Name').fill('Named by Mia')
    await field(dialog(second.page, 'Change'), 'Name').fill('Named by Noa')
    await carryOut(dialog(first.page, 'Change'), 'Change')
    await second.page.locator('.record').getByText('Named by Mia').first().waitFor()
    await press(dialog(second.page, 'Change'), 'Change')
    const change = dialog(second.page, 'Change').getByRole('row').filter({ hasText: 'Name' }).last()
    await reads(change, /^NameKraken ETHNamed by MiaNamed by Noa$/)
    const named = async (label: string): Promise<boolean> =>
      (await here.kontor.get('/treasury/wallets')).some((wallet) => wallet.label === label)
    assert.ok(await named('Named by Mia'))
    // Who has seen it may go on.
    assert.equal(await field(dialog(second.page, 'Change'), 'Name').inputValue(), 'Named by Noa')
    await carryOut(dialog(second.page, 'Change'), 'Change')
    assert.ok(await named('Named by Noa'))
    await Promise.all([first.page.context().close(), second.page.context().close()])
  })

  it('tells who may not why, before and while they try', async () => {
    const rita = await person('rita', 'READER', '/treasury/deposits')
    await rita.page.getByRole('row').filter({ hasText: 'FOR WHOM' }).click()
    await cannot(
      dialog(rita.page, 'Deposit').getByRole('button', { name: 'Rectify' }),
      'Your roles do not have the permission rectifications.create',
    )
    assert.equal(
      await rita.page.getByRole('navigation').getByRole('link', { name: 'Users' }).count(),
      0,
    )
    await go(rita.page, '/administration/users')
    await rita.page.getByRole('alert').getByText('Ask an administrator').waitFor()
    await rita.page.context().close()
  })

  it('refuses who has lost the role while the form was open, after a new login', async () => {
    const otto = await person('otto', 'ACCOUNTANT', '/treasury/deposits')
    await otto.page.getByRole('row').filter({ hasText: 'TOO LATE FOR OTTO' }).click()
    await press(dialog(otto.page, 'Deposit'), 'Assign')
    const form = dialog(otto.page, /^Assign/)
    await field(form, 'Amount').fill('44')
    await choose(field(form, 'To account'), 'Jonas Keller')
    const user = (await here.kontor.get('/users')).find(({ id }) => id === otto.id)
    assert.ok(user !== undefined)
    await here.kontor.put('/users', {
      body: {
        id: user.id,
        email: user.email,
        roles: ['READER'],
        state: user.state,
        version: user.version,
      },
    })
    const again = dialog(otto.page, 'Your session is over')
    await again.getByLabel('Password').fill(PASSWORD)
    await press(again, 'Log in')
    await again.waitFor({ state: 'hidden' })
    await press(form, 'Continue')
    await press(form, 'Assign')
    await form.getByRole('alert').getByText('Ask an administrator').waitFor()
    assert.equal(await field(form, 'Amount').inputValue(), '44')
    await press(form, 'Cancel')
    await until(
      'his page knows it',
      PATIENCE_MILLISECONDS,
      async () =>
        (await dialog(otto.page, 'Deposit')
          .getByRole('button', { name: 'Assign' })
          .getAttribute('aria-description')) ===
        'Your roles do not have the permission assignments.create',
    )
    await otto.page.context().close()
  })

  it('changes a password only by who knows it, and stays logged in here alone', async () => {
    const NEXT = 'a better password of a colleague'
    const { page, stayed } = await person('pia', 'READER', '/books/accounts')
    const elsewhere = await here.page({
      path: '/books/accounts',
      email: 'pia@kontor.local',
      password: PASSWORD,
    })
    await page.getByRole('button', { name: 'pia' }).click()
    await page.getByRole('menuitem', { name: 'Change password' }).click()
    const form = dialog(page, 'Change password')
    await field(form, 'Current password').fill('what somebody guessed')
    await field(form, 'New password').fill(NEXT)
    await field(form, 'Repeat new password').fill('something else')
    await press(form, 'Change password')
    await form.getByText('The passwords do not match').waitFor()
    await field(form, 'Repeat new password').fill(NEXT)
    await press(form, 'Change password')
    await form.getByRole('alert').getByText('Wrong username or password').waitFor()
    await field(form, 'Current password').fill(PASSWORD)
    await carryOut(form, 'Change password')
    await dialog(elsewhere, 'Your session is over').waitFor()
    await page.getByRole('link', { name: 'Bookings' }).click()
    await page.getByRole('heading', { level: 1, name: 'Bookings' }).waitFor()
    assert.equal(await stayed(), true)
    await Promise.all([page.context().close(), elsewhere.context().close()])
  })
})
