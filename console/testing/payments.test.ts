/** Paying somebody, known or new, at once or later, one by one and from a file, by clicks. */
import assert from 'node:assert/strict'
import { before, describe, it } from 'node:test'
import type { Locator, Page } from 'playwright-core'
import { openForTests, PATIENCE_MILLISECONDS, until } from './browser.ts'
import {
  cannot,
  carryOut,
  choose,
  dialog as dialogOf,
  enterTime,
  field,
  go,
  itIsAccessible,
  press,
  reads,
} from './hands.ts'
import { givePeopleMoney } from './money.ts'

const { here, skip } = await openForTests()

const LANDLORD = 'AT611904300234573201'

describe('payments in the console', { skip }, () => {
  let page: Page
  before(async () => {
    await givePeopleMoney(here)
    page = await here.page({ path: '/treasury/payments' })
  })

  const dialog = (name: string | RegExp): Locator => dialogOf(page, name)
  const payments = () => here.kontor.get('/treasury/payments')
  const fill = async (form: Locator, amount: string): Promise<void> => {
    await choose(field(form, 'Who pays'), /Jonas Keller/)
    await choose(field(form, 'From'), 'Bank EUR')
    await choose(field(form, 'Protocol'), 'SEPA')
    await form.getByRole('radio', { name: 'New' }).check()
    await field(form, 'Name in Kontor').fill('Landlord')
    await field(form, 'Address').fill(LANDLORD)
    await field(form, 'Name that the bank is told').fill('Landlord Ltd')
    await field(form, 'Reference').fill('Rent May')
    await field(form, 'Amount').fill(amount)
  }

  it('refuses a wrong address at its field, and makes nothing', async () => {
    await press(page, 'Pay somebody')
    const form = dialog(/^Pay somebody/)
    await fill(form, '12.5')
    await field(form, 'Address').fill('AT00')
    await press(form, 'Continue')
    await form.getByText(/not a valid IBAN/).waitFor()
    assert.deepEqual(await payments(), [])
  })

  it('pays a new payee with one form', async () => {
    const form = dialog(/^Pay somebody/)
    await field(form, 'Address').fill(LANDLORD)
    await press(form, 'Continue')
    await reads(form.getByLabel('To be confirmed'), /new; it is stored with the customer/)
    await reads(form.getByLabel('To be confirmed'), /The bank is told.?Landlord Ltd/)
    await carryOut(form, 'Pay somebody')
    await until('it is sent', PATIENCE_MILLISECONDS, async () => {
      const [payment] = await payments()
      return payment?.state === 'SENT' || payment?.reason
    })
    const [payment] = await payments()
    assert.deepEqual(
      { quantity: payment?.quantity, reference: payment?.reference },
      { quantity: '12.5', reference: 'Rent May' },
    )
    const record = dialog('Payment')
    await record.getByText('Sent').first().waitFor()
    await reads(record, new RegExp(`The bank is toldLandlord Ltd.*To address.*${LANDLORD}`, 's'))
    await record.getByRole('tab', { name: 'Timeline' }).click()
    await record.getByText('Payment sent').waitFor()
    await record
      .getByRole('list', { name: 'Timeline' })
      .nth(1)
      .getByText(/withdrawal/i)
      .first()
      .waitFor()
  })

  it('pays known payees alone from the house, and says how a supplier becomes one', async () => {
    await go(page, '/treasury/payments')
    await press(page, 'Pay somebody')
    const form = dialog(/^Pay somebody/)
    await form.getByRole('radio', { name: 'New' }).check()
    await form.getByRole('checkbox', { name: /^The house pays/ }).check()
    await form.getByText(/create the supplier as a customer/).waitFor()
    assert.equal(await form.getByRole('radio', { name: 'New' }).isDisabled(), true)
    assert.equal(await form.getByRole('radio', { name: 'Known' }).isChecked(), true)
    await press(form, 'Cancel')
  })

  it('warns of another name than the one that is stored with the address', async () => {
    await go(page, '/treasury/payments')
    await press(page, 'Pay somebody')
    const form = dialog(/^Pay somebody/)
    await fill(form, '1')
    await field(form, 'Name in Kontor').fill('Somebody Else')
    await press(form, 'Continue')
    await reads(
      form.getByLabel('To be confirmed'),
      /stored as “Landlord” \(the bank is told Landlord Ltd\), not as “Somebody Else”/,
    )
    await press(form, 'Back')
    await press(form, 'Cancel')
  })

  it('sends later, and cancels what was not sent', async () => {
    await go(page, '/treasury/payments')
    await press(page, 'Pay somebody')
    const form = dialog(/^Pay somebody/)
    await fill(form, '13')
    await form.getByRole('radio', { name: 'Later' }).check()
    await field(form, 'When').fill('2031-01-31 09:00')
    await field(form, 'When').press('Enter')
    await press(form, 'Continue')
    await form.getByText(/more than a year ahead/).waitFor()
    const soon = new Date(Date.now() + 3 * 86_400_000).toISOString().slice(0, 10)
    await field(form, 'When').fill(`${soon} 09:00`)
    await field(form, 'When').press('Enter')
    await press(form, 'Continue')
    await reads(form.getByLabel('To be confirmed'), new RegExp(soon))
    await carryOut(form, 'Pay somebody')
    const record = dialog('Payment')
    await record.getByText('Waiting').first().waitFor()
    await press(record, 'Cancel payment')
    await carryOut(dialog(/^Cancel payment/), 'Cancel payment')
    await record.getByText('Canceled').first().waitFor()
    await cannot(record.getByRole('button', { name: 'Try again' }), /refused/)
  })

  it('keeps a time that cannot be read, refuses it at its field, and sends nothing', async () => {
    await go(page, '/treasury/payments')
    await press(page, 'Pay somebody')
    const form = dialog(/^Pay somebody/)
    await fill(form, '14')
    await form.getByRole('radio', { name: 'Later' }).check()
    const when = field(form, 'When')
    const soon = new Date(Date.now() + 3 * 86_400_000).toISOString().slice(0, 10)
    await enterTime(when, `${soon} 9:00`)
    assert.equal(await when.inputValue(), `${soon} 09:00`)
    for (const typed of ['31/12/2026', '2027-02-30', 'tomorrow']) {
      await when.fill(typed)
      await press(form, 'Continue')
      await form.getByText('Enter a date such as 2026-12-31 09:00').waitFor()
      assert.equal(await when.inputValue(), typed)
    }
    await when.fill('')
    await press(form, 'Continue')
    await form.getByText('When is required').waitFor()
    await enterTime(when, `${soon} 09:00`)
    await press(form, 'Continue')
    await reads(form.getByLabel('To be confirmed'), new RegExp(`${soon} 09:00`))
    await press(form, 'Back')
  })

  it('takes no day into a time that is typed because the mouse rests on it', async () => {
    const form = dialog(/^Pay somebody/)
    const when = field(form, 'When')
    await when.fill('')
    await when.click()
    const day = page.locator('.ant-picker-dropdown:visible .ant-picker-cell-in-view').first()
    await day.hover()
    await page.keyboard.type('2026-12-20 10:00')
    assert.equal(await when.inputValue(), '2026-12-20 10:00')
    await day.click()
    assert.match(await when.inputValue(), /^20\d\d-\d\d-01 /)
    await when.press('Enter')
    await press(form, 'Cancel')
  })

  it('pays the good lines of a file, and says what is wrong with the others', async () => {
    await go(page, '/treasury/payments')
    await press(page, 'Pay from a file')
    const form = dialog('Pay from a file')
    const file = [
      'account;payee;address;amount;reference;client_ref',
      `Jonas Keller;Landlord;${LANDLORD};10;Rent June;F-1`,
      `Jonas Keller;Landlord;${LANDLORD};1,000.5;Rent July;F-2`,
      `Jonas Keller;Nobody;AT00;11;x;F-3`,
      `Somebody;Landlord;${LANDLORD};12;x;F-4`,
      `Jonas Keller;Landlord;${LANDLORD};9999999;x;F-5`,
      `Jonas Keller;Landlord;${LANDLORD};1.250;x;F-6`,
    ].join('\n')
    const upload = form.locator('input[type=file]')
    const put = () =>
      upload.setInputFiles({
        name: 'payments.csv',
        mimeType: 'text/csv',
        buffer: Buffer.from(file),
      })
    await form.getByText(/^Columns: client_ref, payee/).waitFor()
    await put()
    // The file is read when it is known from where.
    await form.getByText('Choose from where and how it is paid').waitFor()
    await choose(field(form, 'From'), 'Bank EUR')
    const line = (nth: number) => form.getByRole('row').nth(nth)
    await reads(line(2), /An amount is written like 1250.50, not 1,000.5/)
    await reads(line(3), /not a valid IBAN/)
    await reads(line(4), /No account is called Somebody/)
    await reads(line(5), /can be withdrawn from the account, 9,999,999 needed/)
    await reads(line(1), /Known payee/)
    await reads(line(6), /1\.250 has 3 decimals, and 2 are possible/)
    await form.getByText('Not paid: lines 3, 4, 5, 6, 7').waitFor()
    await press(form, 'Pay 1 of 6')
    await reads(
      form.getByRole('status'),
      /1 payment, 10.*EUR in all, from Bank EUR.*5 lines are not paid/s,
    )
    await press(form, 'Confirm: pay 1')
    await reads(line(1), /Ordered/)
    await put()
    await reads(line(1), /F-1 was ordered before/)
    assert.deepEqual(
      (await payments()).map(({ client_ref }) => client_ref),
      ['F-1', null, null],
    )
  })

  it('reads amounts as a person writes them, and asks where two are meant', async () => {
    const own = await here.page({ path: '/books/bookings' })
    await own.getByRole('heading', { level: 1 }).waitFor()
    await own.keyboard.press('n')
    const form = dialogOf(own, /^Create booking/)
    await form.getByLabel('Asset').fill('BTC')
    const leg = form.getByLabel('Amount of leg 1')
    const note = form.locator('.amount-note').first()
    await leg.fill('1.250')
    await reads(note, /two ways.*1\.25 BTC.*1,250 BTC/)
    await press(form, 'Continue')
    await form.getByText('Choose which amount you mean').waitFor()
    await note.getByRole('button', { name: '1,250 BTC' }).click()
    await reads(note, /^1,250 BTC$/)
    await form.getByLabel('Asset').fill('EUR')
    await leg.fill('1_000')
    await reads(note, /^Enter a number such as 1250\.50$/)
    await leg.fill('10.005')
    await reads(note, /Do you mean this\?10,005\.00 EUR/)
    await leg.fill('10.0050')
    await reads(note, /^EUR has 2 decimals; enter no more$/)
    await press(form, 'Cancel')

    await own.getByRole('button', { name: 'admin' }).first().click()
    await own.getByRole('menuitem', { name: /^Number format/ }).click()
    await own.getByRole('menuitem', { name: '1.234.567,89' }).click()
    await own.keyboard.press('n')
    await form.getByLabel('Asset').fill('EUR')
    await leg.fill('1.250')
    await reads(note, /^1\.250,00 EUR$/)
    await own.reload()
    await own.locator('tr.opens').locator('.point.comma, .pad').first().waitFor()
    await own.context().close()
  })

  itIsAccessible(here, ['/treasury/payments'])
})
