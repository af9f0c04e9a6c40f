/**
 * A day of a team under a policy: a treasurer asks, others approve, refuse or let it expire; and
 * the books are closed only after somebody else has agreed.
 */
import assert from 'node:assert/strict'
import { before, describe, it } from 'node:test'
import pg from 'pg'
import type { Locator, Page } from 'playwright-core'
import { openForTests, PATIENCE_MILLISECONDS, until } from './browser.ts'
import { carryOut, choose, dialog, field, go, itIsAccessible, press, reads } from './hands.ts'
import { givePeopleMoney, routeToJonas } from './money.ts'

const { here, skip } = await openForTests()

const PASSWORD = 'the password of a colleague'
const LIST = '/desk/approvals'
const POLICY = '/administration/policy'
const LARGE = 'Large payments'
const BOOKS = 'Books are closed by two'

type Role = 'TREASURER' | 'ACCOUNTANT' | 'APPROVER'

describe('a day of a team', { skip }, () => {
  let treasurer: Page
  let approver: Page
  let second: Page

  const person = async (name: string, roles: Role[], path: string): Promise<Page> => {
    const email = `${name}@kontor.local`
    await here.kontor.post('/users', {
      body: { email, name, roles, password: PASSWORD, must_change_password: false },
    })
    return here.page({ path, email, password: PASSWORD })
  }

  const record = (page: Page): Locator => dialog(page, 'Approval')
  const requests = () => here.kontor.get('/approvals')
  const withdrawal = async (quantity: string) => {
    const all = await here.kontor.get('/treasury/withdrawals')
    const found = all.find((one) => one.quantity === quantity)
    assert.ok(found !== undefined, `there is a withdrawal of ${quantity}`)
    return found
  }

  before(async () => {
    await givePeopleMoney(here)
    await routeToJonas(here)
    const approve = { groups: [{ roles: ['APPROVER'], n: 1 }], within_hours: 8 }
    await here.kontor.put('/policy', {
      body: {
        rules: [
          {
            name: LARGE,
            when: { commands: ['WITHDRAWAL'], assets: ['EUR'], amount_at_least: '1000' },
            verdict: 'APPROVE',
            approve,
          },
          { name: BOOKS, when: { commands: ['PERIOD_CHANGE'] }, verdict: 'APPROVE', approve },
        ],
        otherwise: 'ALLOW',
        note: 'Nobody moves much alone',
        version: 0,
      },
    })
    ;[treasurer, approver, second] = await Promise.all([
      person('tess', ['TREASURER', 'ACCOUNTANT'], '/treasury/withdrawals'),
      person('anna', ['APPROVER'], LIST),
      person('otto', ['APPROVER'], LIST),
    ])
  })

  /** As the treasurer, who sees that it waits. */
  async function ask(quantity: string): Promise<void> {
    await go(treasurer, '/treasury/withdrawals')
    await press(treasurer, 'Withdraw')
    const form = dialog(treasurer, /^Withdraw(:|$)/)
    await choose(field(form, 'Route'), 'Bank to Jonas')
    await field(form, 'Amount').fill(quantity)
    await choose(field(form, 'Customer account'), 'Jonas Keller')
    await press(form, 'Continue')
    await form.getByLabel('To be confirmed').waitFor()
    await carryOut(form, 'Withdraw')
    const { id } = await withdrawal(quantity)
    await go(treasurer, `/treasury/withdrawals/${id}`)
    const shown = dialog(treasurer, 'Withdrawal')
    await shown.getByText('Pending approval').first().waitFor()
    await shown.getByRole('link', { name: 'Who approves it' }).click()
    await reads(record(treasurer), new RegExp(`${LARGE}.*1 × Approver · 1 approval missing`))
  }

  async function decide(page: Page, row: string, decision: string, note: string): Promise<void> {
    await go(page, LIST)
    await page.locator('tr.opens').filter({ hasText: row }).first().click()
    await record(page)
      .getByText(/^(tess|admin@)/)
      .first()
      .waitFor()
    await press(record(page), 'Decide')
    const form = dialog(page, /please confirm|^(Withdrawal|Close a period|Change the policy)/)
    await choose(field(form, 'Decision'), decision)
    await field(form, 'Note').fill(note)
    await press(form, 'Continue')
    await form.getByLabel('To be confirmed').getByText(decision).waitFor()
    await carryOut(form, 'Decide')
  }

  it('refuses one withdrawal, with a note that the treasurer reads', async () => {
    await ask('1001')
    await decide(approver, '1001', 'Reject', 'Jonas did not ask for it')
    await reads(record(treasurer), /Rejected.*Reject · Jonas did not ask for it/)
    await record(treasurer).getByRole('link', { name: 'What waits' }).click()
    await reads(dialog(treasurer, 'Withdrawal'), /Rejected.*Jonas did not ask for it/)
    assert.equal((await withdrawal('1001')).state, 'REJECTED')
  })

  it('sends another one once it is approved', async () => {
    await ask('1002')
    await decide(second, '1002', 'Approve', 'He called')
    await until('it arrives', PATIENCE_MILLISECONDS, async () => {
      const { state } = await withdrawal('1002')
      return state === 'SUCCESS' || state
    })
    await reads(record(treasurer), /Approved.*Approve · He called/)
  })

  it('sends no third one, about which nobody decides in time', async () => {
    await ask('1003')
    const { approval_request_id } = await withdrawal('1003')
    const db = new pg.Client({ connectionString: here.database_url })
    await db.connect()
    // As if the eight hours had passed.
    const eight = 8 * 3_600_000
    await db.query('update approval_requests set expires_at = expires_at - $1 where id = $2', [
      eight,
      approval_request_id,
    ])
    await db.query(
      "update tasks set due_at = due_at - $1 where kind = 'expire_approval' and subject_id = $2",
      [eight, approval_request_id],
    )
    await db.end()
    await record(treasurer).getByText('Expired').first().waitFor()
    assert.equal((await withdrawal('1003')).state, 'REJECTED')
  })

  it('closes the books once somebody else agrees', async () => {
    const last_day = new Date(Date.now() - 86_400_000).toISOString().slice(0, 10)
    await go(treasurer, '/books/periods')
    await press(treasurer.getByRole('list', { name: 'The first closing' }), 'Close a period')
    const form = dialog(treasurer, 'Close a period')
    await form.getByLabel(/^Last day/).fill(last_day)
    await field(form, 'Note').fill('All is there')
    await press(form, 'Continue')
    await form.getByLabel('To be confirmed').getByText(last_day).waitFor()
    await press(form, 'Close a period')
    const waits = form.getByRole('status').filter({ hasText: 'This waits for approval' })
    await reads(waits, new RegExp(`${BOOKS}.*waits until \\d{4}-`))
    assert.equal(await form.getByRole('alert').count(), 0)
    assert.deepEqual(await here.kontor.get('/periods'), [])
    // Nobody is asked about what was typed: it is kept.
    await waits.getByRole('link', { name: 'Who approves it' }).click()
    await reads(
      record(treasurer),
      new RegExp(`Close a period.*Pending.*Kontor does it.*All is there.*Last day.*${last_day}`),
    )

    await decide(approver, 'Close a period', 'Approve', 'Everything is reconciled')
    await record(treasurer).getByText('Executed').first().waitFor()
    await record(treasurer).getByRole('link', { name: 'What came of it' }).click()
    await reads(dialog(treasurer, 'Period'), new RegExp(`Up to ${last_day}.*Closed.*tess`))
    const [period] = await here.kontor.get('/periods')
    assert.equal(period?.last_day, last_day)
    assert.equal((await requests()).length, 4)
  })

  it('begins anew with rules that the console proposes, and changes them by two', async () => {
    const { version } = await here.kontor.get('/policy')
    await here.kontor.put('/policy', { body: { rules: [], otherwise: 'ALLOW', version } })
    const admin = await here.page({ path: POLICY })
    await admin.getByText('There are no rules').waitFor()
    await press(admin, 'Let others approve')
    const form = dialog(admin, /Let others approve/)
    await choose(field(form, 'Approvals for a withdrawal'), '2')
    await field(form, 'How many hours a new destination rests').fill('12')
    await press(form, 'Continue')
    await reads(
      form.getByLabel('To be confirmed'),
      /last 12 hours: Deny.*2 × Approver within 24 hours.*of the last 30 days.*, of \d/,
    )
    await carryOut(form, 'Let others approve')
    const inForce = admin.getByRole('list', { name: `In force: version ${version + 2}` })
    await reads(inForce, /New destinations rest.*What leaves.*What opens a way to it.*is allowed/)

    await press(admin, 'Change the rules')
    const changing = dialog(admin, /Change the rules/)
    await field(changing, 'Rules').fill('[]')
    await press(changing, 'Continue')
    await changing.getByLabel('To be confirmed').waitFor()
    await press(changing, 'Change the rules')
    await changing
      .getByRole('status')
      .filter({ hasText: 'This waits for approval' })
      .getByRole('link', { name: 'Who approves it' })
      .click()
    await decide(approver, 'Change the policy', 'Reject', 'Why would we?')
    await reads(record(admin), /Change the policy.*Rejected.*Why would we/)
    assert.equal((await here.kontor.get('/policy')).version, version + 2)
  })

  itIsAccessible(here, [LIST, POLICY])
})
