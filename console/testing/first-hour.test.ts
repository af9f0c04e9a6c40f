/** A fresh, empty workspace without a sandbox: from nothing to a first assigned deposit. */
import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { before, describe, it } from 'node:test'
import type { Locator, Page } from 'playwright-core'
import {
  COLOUR_RULES,
  openForTests,
  PASSWORD,
  PATIENCE_MILLISECONDS,
  seriousFindings,
  until,
} from './browser.ts'
import { carryOut, choose, confirm, dialog, field, go, press, reads } from './hands.ts'

const { here, skip } = await openForTests({ SANDBOX: 'off' })
const PATH = '/administration/first-hour'

const IBAN = 'DE89370400440532013000'
const ACCOUNT = `<Acct><Id><IBAN>${IBAN}</IBAN></Id><Ccy>EUR</Ccy></Acct>`
const amount = (quantity: string) => `<Amt Ccy="EUR">${quantity}</Amt><CdtDbtInd>CRDT</CdtDbtInd>`
const messageXml = (kind: string, inside: string) =>
  `<?xml version="1.0"?><Document xmlns="urn:iso:std:iso:20022:tech:xsd:${kind}.001.08">` +
  `${inside}</Document>`

/** camt.053: what the account held at this time. */
const statementXml = (closing: string, to: string) =>
  messageXml(
    'camt.053',
    '<BkToCstmrStmt><Stmt><FrToDt><FrDtTm>2026-01-01T00:00:00Z</FrDtTm>' +
      `<ToDtTm>${to}</ToDtTm></FrToDt>${ACCOUNT}<Bal><Tp><CdOrPrtry><Cd>CLBD</Cd></CdOrPrtry>` +
      `</Tp>${amount(closing)}<Dt><Dt>${to.slice(0, 10)}</Dt></Dt></Bal></Stmt></BkToCstmrStmt>`,
  )

/** camt.054: a payment from somebody, with this reference. */
const notificationXml = (quantity: string, at: string, reference: string) =>
  messageXml(
    'camt.054',
    '<BkToCstmrDbtCdtNtfctn><GrpHdr><MsgId>M-1</MsgId><CreDtTm>2026-11-21T12:00:00Z</CreDtTm>' +
      `</GrpHdr><Ntfctn><Id>1</Id>${ACCOUNT}<Ntry>${amount(quantity)}<Sts><Cd>BOOK</Cd></Sts>` +
      `<BookgDt><DtTm>${at}</DtTm></BookgDt><AcctSvcrRef>R-1</AcctSvcrRef><BkTxCd/>` +
      `<NtryDtls><TxDtls><RmtInf><Ustrd>${reference}</Ustrd></RmtInf></TxDtls></NtryDtls>` +
      '</Ntry></Ntfctn></BkToCstmrDbtCdtNtfctn>',
  )

describe('the first hour', { skip }, () => {
  let page: Page
  let place: string
  before(async () => {
    page = await here.page()
  })

  const step = (name: string): Locator => page.getByRole('listitem', { name, exact: true })
  /** As the bank's own program does: whole, by rename, once Kontor has made the folder. */
  const arrives = async (name: string, xml: string) => {
    await until('the folder of the bank is there', PATIENCE_MILLISECONDS, () =>
      existsSync(join(place, 'inbox')),
    )
    await writeFile(join(place, 'inbox', `.${name}`), xml)
    await rename(join(place, 'inbox', `.${name}`), join(place, 'inbox', name))
  }

  it('is led to from the overview, with everything to do', async () => {
    await page.getByRole('link', { name: 'From your bank to the first deposit' }).click()
    await reads(page.getByRole('heading', { level: 1 }), /First hour/)
    for (const name of ['Currencies', 'Your bank', 'First statement', 'Customers'])
      await reads(step(name), /To do/)
    assert.deepEqual(await seriousFindings(page), [])
  })

  it('begins with the time zone and the currency', async () => {
    await press(step('Time zone'), 'Change')
    const zone = dialog(page, 'Change')
    await field(zone, 'Time zone of mails').fill('Europe/Berlin')
    await confirm(zone, 'Change')
    await reads(step('Time zone'), /Done.*Europe\/Berlin/s)
    await press(step('Currencies'), 'Add an asset')
    const asset = dialog(page, 'Add an asset')
    await field(asset, 'Code').fill('EUR')
    await field(asset, 'Name').fill('Euro')
    await choose(field(asset, 'Kind'), 'Fiat')
    await field(asset, 'Decimals').fill('2')
    await confirm(asset, 'Add an asset')
    await reads(step('Currencies'), /Done.*EUR/s)
  })

  it('declares the bank, whose first statement is waited for', async () => {
    await press(step('Your bank'), 'Declare a bank')
    const form = dialog(page, 'Declare a bank')
    await field(form, 'Name').fill('House bank')
    await field(form, 'Key').fill('house')
    await field(form, 'Account holder').fill('House')
    await field(form, 'Currency').fill('EUR')
    await field(form, 'IBAN').fill(IBAN)
    await field(form, 'BIC').fill('COBADEFFXXX')
    await confirm(form, 'Declare a bank')
    await reads(step('Your bank'), /Done.*House bank/s)
    await reads(step('Secrets of the bank'), /Done/)
    await reads(step('First statement'), /To do.*house\/inbox/s)
    const { folder } = await here.kontor.get('/declarations/{key}', {
      params: { key: 'venue.house' },
    })
    place = join(here.data_dir, 'banks', folder ?? '')
    const at = new Date(Date.now() - 60_000).toISOString()
    await arrives('001.xml', statementXml('100.00', at))
    await reads(step('First statement'), /Done.*opening balance/s)
    await reads(step('Opening balance and open period'), /100/)
  })

  it('makes the wallet of the account, with what the declaration says', async () => {
    await press(step('Wallets of your accounts'), 'Create wallet')
    const form = dialog(page, 'Create wallet')
    assert.equal(await field(form, 'Name').inputValue(), 'House bank EUR')
    await choose(field(form, 'Account'), /House bank/)
    await carryOut(form, 'Create wallet')
    await reads(step('Wallets of your accounts'), /Done.*House bank EUR/s)
  })

  it('has colleagues, who are told what is not theirs and who may', async () => {
    const email = 'reader@kontor.local'
    await here.kontor.post('/users', {
      body: { email, roles: ['READER'], password: PASSWORD, must_change_password: false },
    })
    await reads(step('Colleagues'), /Done.*Users: 2/s)
    const theirs = await here.page({ path: PATH, email, password: PASSWORD })
    const item = (name: string) => theirs.getByRole('listitem', { name, exact: true })
    await reads(item('Colleagues'), /Not for you to see.*Who may: Admin/s)
    await reads(item('Customers'), /Not permitted for you.*Who may: Accountant, Compliance/s)
    assert.deepEqual(await seriousFindings(theirs), [])
    await theirs.emulateMedia({ colorScheme: 'dark' })
    assert.deepEqual(await seriousFindings(theirs, COLOUR_RULES), [])
  })

  it('ends with a customer whose first deposit is assigned', async () => {
    await press(step('Customers'), 'Create customer')
    const form = dialog(page, 'Create customer')
    await field(form, 'First name').fill('Alice')
    await field(form, 'Last name').fill('Example')
    await carryOut(form, 'Create customer')
    await reads(step('Customers'), /Done/)
    const [customer] = await here.kontor.get('/customers')
    await here.kontor.post('/accounts/matchings', {
      body: {
        resource_id: customer?.account_id ?? '',
        type: 'DESTINATION_WITH_REFERENCE',
        details: {
          asset: 'EUR',
          is_withdrawal_matching: false,
          destination_address: IBAN,
          reference: 'CUST-1',
        },
      },
    })
    await reads(step('Matching rules'), /Done/)
    const at = new Date().toISOString()
    await arrives('002.xml', notificationXml('250.00', at, 'CUST-1'))
    await reads(step('A first deposit assigned'), /Done/)
    await go(page, '/overview')
    await page.getByRole('region', { name: 'Needs attention' }).waitFor()
    assert.equal(await page.getByRole('link', { name: /to the first deposit/ }).count(), 0)
  })
})
