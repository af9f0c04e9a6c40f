/** Connections by clicks: a venue is added, gets its secrets and another name; who decides. */
import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { before, describe, it } from 'node:test'
import type { Locator, Page } from 'playwright-core'
import { COLOUR_RULES, openForTests, PASSWORD, seriousFindings } from './browser.ts'
import { cannot, carryOut, choose, confirm, configure, dialog, field, go } from './hands.ts'
import { press, reads } from './hands.ts'

const { here, skip } = await openForTests({
  KONTOR_VENUE_NETWORKS: '127.0.0.1',
  KONTOR_VENUE_PLAIN: 'on',
})
const PATH = '/administration/declarations'

describe('connections', { skip }, () => {
  let page: Page
  before(async () => {
    page = await here.page({ path: PATH })
  })

  const entry = (name: string): Locator => page.getByRole('article', { name, exact: true })
  const open = async (name: string): Promise<Locator> => {
    await entry(name).getByRole('link').click()
    return dialog(page, 'Declaration')
  }
  const declared = async (key: string) =>
    (await here.kontor.get('/declarations/{key}', { params: { key } })).declaration

  it('a venue is added: what is wrong stands at its field', async () => {
    await press(page, 'Add a venue')
    const form = dialog(page, 'Add a venue')
    await field(form, 'Key').fill('second')
    await field(form, 'Name').fill('Second Kraken')
    await choose(field(form, 'Kind'), 'Exchange')
    await field(form, 'Options').fill('exchange = kraken\nbase_url = https://10.0.0.1')
    await choose(field(form, 'Secrets stored here'), 'api_key')
    await choose(field(form, 'Secrets stored here'), 'api_secret')
    await press(form, 'Continue')
    await reads(form.getByLabel('To be confirmed'), /venue\.second.*Exchange.*kraken/s)
    await press(form, 'Add a venue')
    await form.getByText(/10\.0\.0\.1 is no public address/).waitFor()
    const address = `${here.sandbox_url}/kraken`
    await field(form, 'Options').fill(`exchange = kraken\nbase_url = ${address}`)
    await confirm(form, 'Add a venue')
    await reads(entry('second'), /Second Kraken.*Connecting/s)
    assert.deepEqual(await declared('venue.second'), {
      label: 'Second Kraken',
      kind: 'EXCHANGE',
      options: { exchange: 'kraken', base_url: address },
      secrets: { api_key: { stored: 'api_key' }, api_secret: { stored: 'api_secret' } },
    })
  })

  it('its secrets are written once, and one account is one venue', async () => {
    const file = join(here.data_dir, 'sandbox', 'credentials', 'kraken.json')
    const keys = JSON.parse(await readFile(file, 'utf8')) as Record<string, string>
    const record = await open('second')
    await record.getByRole('tab', { name: 'Secrets' }).click()
    for (const name of ['api_key', 'api_secret']) {
      const secret = record.getByRole('listitem').filter({ hasText: name })
      await reads(secret, /Not written yet/)
      await press(secret, 'Write')
      const form = dialog(page, 'Write')
      const input = field(form, name)
      assert.equal(await input.getAttribute('type'), 'password')
      if (name === 'api_key') {
        await input.fill(keys[name] ?? '')
        await press(form, 'Write')
        await form.getByText(/its account or key is that of the venue Kraken/).waitFor()
        await input.fill('a key of another account')
      } else await input.fill(keys[name] ?? '')
      await carryOut(form, 'Write')
      await reads(secret, /Written by admin/i)
    }
    assert.deepEqual(await seriousFindings(page), [])
    assert.ok(!(await page.content()).includes(keys['api_secret'] ?? '?'))
    await record.getByRole('button', { name: 'Close' }).click()
  })

  it('another address asks for them anew, and a history is kept', async () => {
    await press(entry('second'), 'Change')
    const form = dialog(page, 'Change')
    await field(form, 'Options').fill('exchange = kraken\nbase_url = http://127.0.0.1:9/kraken')
    await press(form, 'Continue')
    await reads(form.getByLabel('To be confirmed'), /Until now.*From now on.*127\.0\.0\.1:9/s)
    await carryOut(form, 'Change')
    const record = await open('second')
    await record.getByRole('tab', { name: 'Secrets' }).click()
    await reads(record.getByLabel('Stored secrets'), /api_key.*Write it anew/s)
    await record.getByRole('tab', { name: 'History' }).click()
    await reads(record.getByLabel('Changes'), /Version 2.*Version 1/s)
    await press(record, 'Remove')
    await carryOut(dialog(page, 'Remove'), 'Remove')
    await record.getByRole('button', { name: 'Close' }).click()
    await entry('second').waitFor({ state: 'hidden' })
  })

  it('assets and price routes are added and changed', async () => {
    await press(page, 'Add an asset')
    const asset = dialog(page, 'Add an asset')
    await field(asset, 'Code').fill('NOK')
    await field(asset, 'Name').fill('Krone')
    await choose(field(asset, 'Kind'), 'Fiat')
    await field(asset, 'Decimals').fill('2')
    await confirm(asset, 'Add an asset')
    await reads(entry('NOK'), /Krone/)
    assert.deepEqual(await declared('asset.NOK'), { label: 'Krone', kind: 'FIAT', scale: 2 })
    await press(entry('btc-eur'), 'Change')
    const route = dialog(page, 'Change')
    await field(route, 'Hops').fill('kraken BTC-EUR')
    await press(route, 'Continue')
    await route.getByText('kraken BTC-EUR is no hop such as kraken BTC/EUR').waitFor()
    await field(route, 'Hops').fill('kraken BTC/EUR')
    await field(route, 'Name').fill('BTC at Kraken')
    await confirm(route, 'Change')
    await reads(entry('btc-eur'), /BTC at Kraken/)
  })

  it('the file says otherwise: both are shown, and a person decides', async () => {
    await configure(here, () => ({}))
    await go(page, PATH)
    const drift = page.getByRole('group', { name: 'btc-eur: two declarations' })
    await reads(drift, /The console says.*BTC at Kraken.*The file says.*BTC\/EUR at Kraken/s)
    assert.doesNotMatch((await drift.textContent()) ?? '', /Hops|Base asset|Largest amount/)
    assert.deepEqual(await seriousFindings(page), [])
    await press(drift, 'Take what the file says')
    const form = dialog(page, 'Take what the file says')
    await carryOut(form, 'Take what the file says')
    await drift.waitFor({ state: 'hidden' })
    await reads(entry('btc-eur'), /BTC\/EUR at Kraken/)
    const record = await open('kraken')
    await cannot(record.getByRole('button', { name: 'Remove' }), /configuration file names it/)
    await record.getByRole('button', { name: 'Close' }).click()
  })

  it('are seen by who may not change them, with the reason', async () => {
    const email = 'auditor@kontor.local'
    await here.kontor.post('/users', {
      body: {
        email,
        name: 'auditor',
        roles: ['AUDITOR'],
        password: PASSWORD,
        must_change_password: false,
      },
    })
    const theirs = await here.page({ path: PATH, email, password: PASSWORD })
    const kraken = theirs.getByRole('article', { name: 'kraken', exact: true })
    await cannot(kraken.getByRole('button', { name: 'Change' }), /venues\.write/)
    await theirs.emulateMedia({ colorScheme: 'dark' })
    assert.deepEqual(await seriousFindings(theirs, COLOUR_RULES), [])
  })
})
