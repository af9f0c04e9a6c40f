/** Webhooks by clicks: made, tried, looked into, paused and resumed, and their secrets. */
import { before, describe, it } from 'node:test'
import type { Page } from 'playwright-core'
import { openForTests } from './browser.ts'
import { cannot, carryOut, dialog, field, itIsAccessible, press, reads } from './hands.ts'

const { here, skip } = await openForTests()

/** Nobody ever has this name (RFC 2606). */
const NOWHERE = 'https://receiver.invalid/kontor'

describe('webhooks', { skip }, () => {
  let page: Page
  before(async () => {
    page = await here.page({ path: '/administration/webhooks' })
  })

  it('are made, once the address is one to which events may go', async () => {
    await press(page, 'Create webhook')
    const form = dialog(page, 'Create webhook')
    await field(form, 'Name').fill('Orders of the shop')
    await field(form, 'Address').fill('https://10.0.0.1/')
    await press(form, 'Create webhook')
    await form.getByText(/10\.0\.0\.1 is no public address/).waitFor()
    await field(form, 'Address').fill(NOWHERE)
    await carryOut(form, 'Create webhook')
    await page.getByRole('row').filter({ hasText: 'Orders of the shop' }).click()
    await reads(dialog(page, 'Webhook'), /all that the owner may read/)
  })

  it('show a secret, and both while it is changed', async () => {
    const record = dialog(page, 'Webhook')
    await record.getByRole('tab', { name: 'Secret' }).click()
    await reads(record.getByLabel('Secrets'), /^Signs nowwhsec_/)
    await press(record, 'New secret')
    await carryOut(dialog(page, 'New secret'), 'New secret')
    await reads(record.getByLabel('Secrets'), /^Signs nowwhsec_.*Signs until.*whsec_/)
  })

  it('are paused and resumed, and tried only while they are active', async () => {
    const record = dialog(page, 'Webhook')
    await press(record, 'Pause')
    await field(dialog(page, 'Pause'), 'Reason').fill('the receiver moves')
    await carryOut(dialog(page, 'Pause'), 'Pause')
    await cannot(record.getByRole('button', { name: 'Send a test' }), 'The webhook is paused')
    await press(record, 'Resume')
    await carryOut(dialog(page, 'Resume'), 'Resume')
    await press(record, 'Send a test')
    await carryOut(dialog(page, 'Send a test'), 'Send a test')
  })

  it('show what was sent and why it did not arrive, and send it again', async () => {
    const record = dialog(page, 'Webhook')
    await record.getByRole('tab', { name: 'Deliveries' }).click()
    await record.getByRole('row').filter({ hasText: 'Webhook test' }).first().waitFor()
    const tried = /not found|no answer/
    await record.getByRole('row').filter({ hasText: tried }).first().click()
    const delivery = dialog(page, 'Delivery')
    await delivery.getByRole('tab', { name: 'What is sent' }).click()
    await reads(delivery.getByLabel('Body'), /"type":"[a-z_]+\.[a-z_]+"/)
    await delivery.getByRole('tab', { name: 'Attempts' }).click()
    await reads(delivery.getByLabel('Attempt 1'), /receiver\.invalid.*webhook-signature: v1,/s)
    await press(delivery, 'Deliver again')
    await carryOut(dialog(page, 'Deliver again'), 'Deliver again')
  })

  itIsAccessible(here, ['/administration/webhooks', '/administration/webhook-deliveries'])

  it('are deleted', async () => {
    page = await here.page({ path: '/administration/webhooks' })
    await page.getByRole('row').filter({ hasText: 'Orders of the shop' }).click()
    await press(dialog(page, 'Webhook'), 'Delete')
    await carryOut(dialog(page, 'Delete'), 'Delete')
    await dialog(page, 'Webhook').getByText('Deleted').first().waitFor()
  })
})
