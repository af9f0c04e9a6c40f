/**
 * What of a venue waits for a person: a record that is not understood, which people see, try again
 * and dismiss; a payment whose payee the bank does not know; what a venue cannot serve;
 * and a deposit that screening holds.
 */
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { before, describe, it } from 'node:test'
import type { Locator, Page } from 'playwright-core'
import { openForTests, PATIENCE_MILLISECONDS, until } from './browser.ts'
import type { Installation } from './browser.ts'
import {
  cannot,
  carryOut,
  choose,
  configure,
  confirm,
  dialog,
  field,
  go,
  press,
  reads,
  screenDepositsFor,
  waitForDeposit,
} from './hands.ts'

const { here, skip } = await openForTests()

/** Where the bank leaves its messages. */
async function inboxOf({ data_dir }: Installation): Promise<string> {
  const file = await readFile(join(data_dir, 'sandbox/kontor.json'), 'utf8')
  const { venues } = JSON.parse(file) as { venues: { options: Record<string, string> }[] }
  return venues.find(({ options }) => 'inbox_dir' in options)?.options['inbox_dir'] ?? ''
}

/** A price route of a market that Kraken does not have. */
const configureUnserved = (): Promise<void> =>
  configure(here, ({ assets, price_routes }) => ({
    assets: [...assets, { code: 'NEWT', label: 'Newt', kind: 'CRYPTO', scale: 8 }],
    price_routes: [
      ...price_routes,
      {
        ...price_routes[0],
        key: 'newt-eur',
        label: 'NEWT/EUR at Kraken',
        base_asset: 'NEWT',
        hops: [{ venue: 'kraken', base_asset: 'NEWT', quote_asset: 'EUR' }],
      },
    ],
  }))

describe('a record that is set aside', { skip }, () => {
  let page: Page
  before(async () => {
    await until('the bank is connected', PATIENCE_MILLISECONDS, async () => {
      const venues = await here.kontor.get('/venues')
      return (
        venues.some(({ label, state }) => label === 'Sandbox Bank' && state === 'CONNECTED') ||
        venues
      )
    })
    await writeFile(join(await inboxOf(here), 'camt.054-torn.xml'), '<Document><BkToCstmr')
    await configureUnserved()
    await until('the file is set aside', PATIENCE_MILLISECONDS, async () => {
      const items = await here.kontor.get('/treasury/set-aside-items')
      return items.some(({ foreign_id }) => foreign_id.includes('torn')) || items
    })
    page = await here.page({ path: '/overview' })
  })

  it('stands on the overview, which leads to it, and shows the record', async () => {
    await page.getByText('Records of venues that were set aside').click()
    await page.getByRole('row').filter({ hasText: 'the file cannot be read' }).click()
    const record = dialog(page, 'Set-aside item')
    await reads(record, /the file cannot be read/)
    await record.getByRole('tab', { name: 'Record' }).click()
    await reads(record.getByLabel('Record of the venue'), /BkToCstmr/)
  })

  it('is tried again, and says why it still waits', async () => {
    await press(dialog(page, 'Set-aside item'), 'Try again')
    await carryOut(dialog(page, 'Try again'), 'Try again')
    await page
      .getByText(/Still set aside: the file cannot be read/)
      .first()
      .waitFor()
  })

  it('is dismissed with a note, and then neither tried nor dismissed again', async () => {
    const record = dialog(page, 'Set-aside item')
    await press(record, 'Dismiss with a note')
    const form = dialog(page, 'Dismiss with a note')
    await press(form, 'Dismiss with a note')
    await form.getByText('is required').waitFor()
    await form.getByRole('textbox').fill('the bank sends it again')
    await carryOut(form, 'Dismiss with a note')
    await record.getByText('Dismissed').first().waitFor()
    await cannot(record.getByRole('button', { name: 'Try again' }), /already dismissed/)
    await go(page, '/treasury/set-aside-items?state=DISMISSED')
    await page.getByRole('row').filter({ hasText: 'the bank sends it again' }).waitFor()
  })
})

describe('a payee whom the bank does not know', { skip }, () => {
  let page: Page
  before(async () => {
    page = await here.page({ path: '/treasury/withdrawals' })
  })

  it('is shown as it is sent, and decided about when the bank holds the payment', async () => {
    const { kontor } = here
    const wallets = await kontor.get('/treasury/wallets')
    const walletOf = (name: string) => wallets.find(({ label }) => label === name)?.id ?? ''
    const made = await kontor.post('/treasury/wallets/routes', {
      body: {
        label: 'Bank to a stranger',
        from_wallet_id: walletOf('Bank EUR'),
        to_wallet_id: walletOf('Kraken EUR'),
        protocol: 'SEPA',
        transfer: { to: { name: 'Close match Zoë', reference: 'for nobody' } },
      },
    })
    await go(page, '/treasury/withdrawals')
    await press(page, 'Withdraw')
    const form = dialog(page, /^Withdraw(:|$)/)
    await choose(field(form, 'Route'), made.label)
    await field(form, 'Amount').fill('3.21')
    await form.getByText(/^The bank executes it on/).waitFor()
    await press(form, 'Continue')
    await reads(form.getByLabel('To be confirmed'), /Sent to the bank as.*told “Close match Zoe”/)
    await carryOut(form, 'Withdraw')
    await dialog(page, 'Withdrawal').getByText('Pending review').first().waitFor()
    await press(dialog(page, 'Withdrawal'), 'Decide on payee')
    const deciding = dialog(page, /^Decide on payee/)
    await choose(field(deciding, 'Decision'), 'Do not pay it')
    await field(deciding, 'Why').fill('Nobody asked for it')
    await press(deciding, 'Continue')
    await reads(deciding.getByLabel('To be confirmed'), /Do not pay it.*3\.21.*Zoe.*Nobody asked/)
    await carryOut(deciding, 'Decide on payee')
    await dialog(page, 'Withdrawal').getByText('Nobody asked for it').first().waitFor()
    const withdrawals_id = page.url().split('/').at(-1) ?? ''
    const { external_id } = await kontor.get('/treasury/withdrawals/{withdrawals_id}', {
      params: { withdrawals_id },
    })
    const message_id = external_id.replaceAll('-', '')
    await here.control('POST', 'bank/payee-checks', { message_id, decision: 'CANCEL' })
    await dialog(page, 'Withdrawal').getByText('Canceled').first().waitFor()
    const decide = dialog(page, 'Withdrawal').getByRole('button', { name: 'Decide on payee' })
    await cannot(decide, 'The withdrawal has ended')
  })
})

describe('a venue that cannot serve what is configured', { skip }, () => {
  it('stands on the overview, which leads to it and to the reason', async () => {
    const page = await here.page({ path: '/overview' })
    await until('Kraken was asked', PATIENCE_MILLISECONDS, async () =>
      (await here.kontor.get('/venues')).some(({ unserved }) => unserved.length > 0),
    )
    await page.getByRole('link', { name: 'Venues that cannot serve what is configured: 1' }).click()
    const kraken = page.getByRole('row').filter({ hasText: 'NEWT' })
    await kraken.getByText('Kraken').first().click()
    await reads(dialog(page, 'Venue'), /NEWT There is no market NEWT\/EUR/)
  })
})

describe('a deposit whose payer a sanctions list names', { skip }, () => {
  let page: Page
  before(async () => {
    page = await here.page({ path: '/overview' })
  })

  it('is held until its case is cleared', async () => {
    await screenDepositsFor(here, 'LISTED, Mallory')
    await here.wire({ from_name: 'Mallory Listed', quantity: '77.5', reference: 'MAY BE LISTED' })
    const id = await waitForDeposit(here, 'MAY BE LISTED')
    const deposit = dialog(page, 'Deposit')
    const assign = async (): Promise<Locator> => {
      await go(page, `/treasury/deposits/${id}`)
      await press(deposit, 'Assign')
      const form = dialog(page, /^Assign/)
      await choose(field(form, 'To account'), 'Alpine Family Office')
      await press(form, 'Continue')
      await form.getByLabel('To be confirmed').waitFor()
      await press(form, 'Assign')
      return form
    }
    await (await assign()).getByText(/compliance decides about its case/).waitFor()
    await go(page, `/treasury/deposits/${id}`)
    await reads(deposit, /Reason.*A sanctions list may name who sent it/i)
    await cannot(
      deposit.getByRole('button', { name: 'Assign' }),
      'It waits for the decision about its screening case',
    )
    await deposit.getByRole('link', { name: 'Screening case' }).waitFor()

    await go(page, '/')
    await page.getByRole('link', { name: 'Screening cases that nobody has decided: 1' }).click()
    await page.getByRole('row').filter({ hasText: 'Mallory Listed' }).first().click()
    const found = dialog(page, 'Screening case')
    await reads(found, /Found in the listsOFAC: SDN list 1, 100: LISTED, Mallory/)
    await press(found, 'Decide')
    const form = dialog(page, /^Decide/)
    await choose(field(form, 'Decision'), /Clear/)
    await field(form, 'Reason').fill('Another date of birth')
    await confirm(form, 'Decide')
    await found.getByText('Cleared').first().waitFor()
    await found.getByRole('link', { name: 'Deposit' }).click()
    await deposit.getByText('Unassigned').first().waitFor()
    await (await assign()).waitFor({ state: 'hidden' })
    await deposit.getByText('Successful').first().waitFor()
  })
})
