/** API keys by clicks: made, their secret shown once, changed, rotated and revoked. */
import assert from 'node:assert/strict'
import { before, describe, it } from 'node:test'
import type { Page } from 'playwright-core'
import { openForTests } from './browser.ts'
import { cannot, carryOut, choose, dialog, field, itIsAccessible, press, reads } from './hands.ts'

const { here, skip } = await openForTests()

describe('API keys', { skip }, () => {
  let page: Page
  const secrets: string[] = []
  before(async () => {
    page = await here.page({ path: '/administration/api-keys' })
  })

  const row = () => page.getByRole('row').filter({ hasText: 'Payouts' })

  /** From the dialog that shows it, which is closed. */
  async function readSecret(): Promise<string> {
    const shown = dialog(page, /^The secret of/)
    const secret = (await shown.locator('code').textContent()) ?? ''
    assert.match(secret, /^kontor_[0-9A-Za-z]{46}$/)
    await press(shown, 'I have stored it')
    await shown.waitFor({ state: 'hidden' })
    return secret
  }

  it('are made, and show their secret once', async () => {
    await press(page, 'Create API key')
    const form = dialog(page, 'Create API key')
    await field(form, 'Program').fill('Payouts')
    await choose(field(form, 'Permissions'), 'See withdrawals')
    await form.getByText('The secret is shown once').click()
    await field(form, 'Assets').fill('EUR=1000/5000,')
    await press(form, 'Create API key')
    secrets.push(await readSecret())
    await row().click()
    const record = dialog(page, 'API key')
    await reads(record, /See withdrawals/)
    await reads(record, /1,000\.00 EUR per transaction, 5,000\.00 EUR per day/)
    await reads(record, new RegExp(`…${secrets[0]?.slice(-4)} never used`))
    assert.ok(!(await record.textContent())?.includes(String(secrets[0])))
  })

  it('are rotated, and both secrets are shown by their ends', async () => {
    const record = dialog(page, 'API key')
    await press(record, 'Rotate')
    await press(dialog(page, 'Rotate'), 'Rotate')
    secrets.push(await readSecret())
    await reads(record, new RegExp(secrets.map((secret) => `…${secret.slice(-4)}`).join('.*'), 's'))
  })

  it('are changed', async () => {
    const record = dialog(page, 'API key')
    await press(record, 'Change')
    const form = dialog(page, 'Change')
    await field(form, 'Networks').fill('10.0.0.0/8,')
    await carryOut(form, 'Change')
    await reads(record, /10\.0\.0\.0\/8/)
  })

  itIsAccessible(here, ['/administration/api-keys'])

  it('are revoked for good', async () => {
    page = await here.page({ path: '/administration/api-keys' })
    await row().click()
    const record = dialog(page, 'API key')
    await press(record, 'Revoke')
    await carryOut(dialog(page, 'Revoke'), 'Revoke')
    await record.getByText('Revoked').first().waitFor()
    await cannot(record.getByRole('button', { name: 'Rotate' }), 'It is revoked')
  })

  it('have a history of who did what, which the audit trail has too', async () => {
    const record = dialog(page, 'API key')
    await record.getByRole('tab', { name: 'Who did what' }).click()
    await reads(record, /revokeApiKey.*by admin@kontor\.local.*createApiKey/s)
    page = await here.page({ path: '/administration/audit-trail?operation=revokeApiKey' })
    const line = page.getByRole('row').filter({ hasText: 'revokeApiKey' }).first()
    await reads(line, /admin@kontor\.local.*Done/s)
  })
})
