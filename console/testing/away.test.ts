/**
 * The service is killed while people work: pages say so, keep what was typed and come back by
 * themselves; what was sent is done once.
 */
import assert from 'node:assert/strict'
import { mkdtempSync } from 'node:fs'
import { rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import type { Locator, Page } from 'playwright-core'
import { WITH_FAILPOINTS } from '../../server/src/core/testing.ts'
import { supervisedOf } from '../../tools/supervise/running.ts'
import { openForTests, PATIENCE_MILLISECONDS, until } from './browser.ts'
import { waitForDeposit, carryOut, choose, dialog, field, press } from './hands.ts'

/**
 * What is named by a file here kills the service when it comes there; see
 * server/src/core/failpoints.testing.mjs.
 */
const deaths = mkdtempSync(join(tmpdir(), 'kontor-deaths-'))
const { here, skip } = await openForTests({
  KONTOR_FAILPOINTS: deaths,
  NODE_OPTIONS: WITH_FAILPOINTS.join(' '),
})
after(() => rm(deaths, { recursive: true }))

describe('the console without its service', { skip }, () => {
  let up: () => void = () => undefined
  before(async () => {
    await here.wire({ from_name: 'Somebody Else', quantity: '61', reference: 'BEFORE' })
  })
  after(() => {
    up()
  })

  const away = (page: Page): Locator =>
    page.getByRole('status').getByText('Kontor does not answer. Retrying automatically.')
  /** Killed at once, and not started again before `up`. */
  const down = (): void => {
    const { supervisor, service } = supervisedOf(here.data_dir)
    process.kill(supervisor.pid, 'SIGSTOP')
    process.kill(service.pid, 'SIGKILL')
    up = () => {
      process.kill(supervisor.pid, 'SIGCONT')
      up = () => undefined
    }
  }
  const answers = (): Promise<void> =>
    until(
      'the service answers',
      PATIENCE_MILLISECONDS,
      async () => (await fetch(`${here.url}/readyz`)).ok,
    )
  const withdrawals = async (note: string) =>
    (await here.kontor.get('/treasury/withdrawals')).filter(
      (withdrawal) => withdrawal.note === note,
    )
  /** Fills in what Withdraw asks, up to its confirmation. */
  const fillWithdrawal = async (page: Page, note: string): Promise<Locator> => {
    const form = dialog(page, /^Withdraw(:|$)/)
    await press(page, 'Withdraw')
    await choose(field(form, 'Route'), 'Bank to Kraken EUR')
    await field(form, 'Amount').fill('12.5')
    await field(form, 'Note').fill(note)
    await form.getByText('Default').locator('.amount').waitFor()
    await press(form, 'Continue')
    await form.getByLabel('To be confirmed').waitFor()
    return form
  }

  it('says when Kontor does not answer, keeps what was typed, and catches up', async () => {
    await waitForDeposit(here, 'BEFORE')
    const [page, events] = await Promise.all([
      here.page({ path: '/treasury/deposits' }),
      here.page({ path: '/desk/events' }),
    ])
    await page.evaluate(() => {
      Object.assign(window, { stayed: true })
    })
    await events.locator('tr.opens').first().waitFor()
    await page.getByRole('row').filter({ hasText: 'BEFORE' }).click()
    await press(dialog(page, 'Deposit'), 'Assign')
    const form = dialog(page, /^Assign/)
    await field(form, 'Amount').fill('60.75')
    await choose(field(form, 'To account'), 'Jonas Keller')
    await press(form, 'Continue')
    await form.getByLabel('To be confirmed').getByText('Jonas Keller').waitFor()

    down()
    await away(page).waitFor()
    await away(events).waitFor()
    await here.wire({ from_name: 'Somebody Else', quantity: '62', reference: 'MEANWHILE' })
    await press(form, 'Assign')
    await form
      .getByRole('alert')
      .getByText('Send the same form again: the action is done only once')
      .waitFor()
    await form.getByLabel('To be confirmed').getByText('Jonas Keller').waitFor()
    // A page whose code has not been read yet.
    await events.getByRole('navigation').getByRole('link', { name: 'Users' }).click()
    await events.getByRole('alert').getByText('Kontor does not answer').waitFor()

    up()
    await away(page).waitFor({ state: 'detached' })
    await events.getByRole('heading', { level: 1, name: 'Users' }).waitFor()
    await page.locator('tbody').getByText('MEANWHILE').waitFor()
    await carryOut(form, 'Assign')
    await dialog(page, 'Deposit').getByText('Partially assigned').first().waitFor()
    assert.ok(await page.evaluate(() => 'stayed' in window), 'the same page')
    const deposit = (await here.kontor.get('/treasury/deposits')).find(
      ({ reference_text }) => reference_text === 'BEFORE',
    )
    assert.equal(deposit?.assigned_quantity, '60.75')
    await Promise.all([page.context().close(), events.context().close()])
  })

  it('does an action once whose answer was lost, from the same or a new form', async () => {
    const page = await here.page({ path: '/treasury/withdrawals' })
    for (const [note, again] of [
      ['repeated', false],
      ['filled in anew', true],
    ] as const) {
      await writeFile(join(deaths, 'withdrawal.create.after'), '')
      const form = await fillWithdrawal(page, note)
      await press(form, 'Withdraw')
      await form.getByRole('alert').getByText('The outcome is not known').waitFor()
      await answers()
      await until(
        'the withdrawal is there',
        PATIENCE_MILLISECONDS,
        async () => (await withdrawals(note)).length === 1,
      )
      if (again) {
        await press(form, 'Back')
        await press(form, 'Cancel')
        await form.waitFor({ state: 'hidden' })
        await fillWithdrawal(page, note)
      }
      await carryOut(form, 'Withdraw')
      await dialog(page, 'Withdrawal').getByText(note).first().waitFor()
      assert.equal((await withdrawals(note)).length, 1)
      await page.keyboard.press('Escape')
      await dialog(page, 'Withdrawal').waitFor({ state: 'hidden' })
    }
    await page.context().close()
  })

  it('sends what never came to be done', async () => {
    const page = await here.page({ path: '/treasury/withdrawals' })
    await writeFile(join(deaths, 'withdrawal.create.before'), '')
    const form = await fillWithdrawal(page, 'not done at first')
    await press(form, 'Withdraw')
    await form.getByRole('alert').getByText('The outcome is not known').waitFor()
    await answers()
    assert.equal((await withdrawals('not done at first')).length, 0)
    await carryOut(form, 'Withdraw')
    assert.equal((await withdrawals('not done at first')).length, 1)
    await page.context().close()
  })

  it('asks again for a fee when the connection was lost', async () => {
    const page = await here.page({ path: '/treasury/withdrawals' })
    let lost = 0
    await page.route('**/estimate-fee', (route) =>
      lost < 2 ? ((lost += 1), route.abort('connectionreset')) : route.continue(),
    )
    await fillWithdrawal(page, 'never sent')
    assert.equal(lost, 2)
    await page.context().close()
  })

  it('asks who one is until it is answered', async () => {
    const page = await here.page({ path: '/books/accounts' })
    await page.route('**/api/auth/me', (route) => route.abort())
    await page.reload()
    await page.getByRole('alert').getByText('Kontor does not answer').waitFor()
    await page.unroute('**/api/auth/me')
    await page.getByRole('row').filter({ hasText: 'Jonas Keller' }).waitFor()
    await page.context().close()
  })
})
