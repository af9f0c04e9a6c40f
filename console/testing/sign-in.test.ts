/** A second factor: demanded, set up, asked for at the login and before dangerous commands. */
import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { describe, it } from 'node:test'
import pg from 'pg'
import type { Page } from 'playwright-core'
import { openForTests, seriousFindings, until } from './browser.ts'
import { dialog, field, go, press } from './hands.ts'

const { here, skip } = await openForTests()

const PASSWORD = 'the password of a colleague'
const STEP = 30_000

/** As an authenticator app does it, from the key that it is given. */
function codeOf(key: string, step: number): string {
  const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'
  const bits = [...key].map((letter) => alphabet.indexOf(letter).toString(2).padStart(5, '0'))
  const bytes = (bits.join('').match(/.{8}/g) ?? []).map((byte) => Number.parseInt(byte, 2))
  const counter = Buffer.alloc(8)
  counter.writeBigUInt64BE(BigInt(step))
  const mac = createHmac('sha1', Buffer.from(bytes)).update(counter).digest()
  const number = mac.readUInt32BE((mac.at(-1) ?? 0) & 15) & 0x7f_ff_ff_ff
  return String(number % 1_000_000).padStart(6, '0')
}

describe('signing in with a second factor', { skip }, () => {
  let page: Page
  let key = ''
  let used = 0
  let codes: string[] = []
  const email = 'vera@kontor.local'

  /** Each step of time has one code, and it works once. */
  async function nextCode(): Promise<string> {
    const step = (): number => Math.floor(Date.now() / STEP)
    await until('the app shows another code', 2 * STEP, async () => step() + 1 > used)
    used = Math.max(step(), used + 1)
    return codeOf(key, used)
  }

  it('leads through setting one up, and shows recovery codes once', async () => {
    await here.kontor.post('/users', {
      body: { email, roles: ['ADMIN', 'READER'], password: PASSWORD, must_change_password: false },
    })
    page = await here.page({ email, password: PASSWORD })
    await go(page, '/second-factor')
    await page.getByText('No second factor').waitFor()
    await press(page, 'Set up an authenticator app')
    const form = dialog(page, 'Set up an authenticator app')
    await field(form, 'Current password').fill(PASSWORD)
    await press(form, 'Continue')
    await form.getByRole('img', { name: 'QR code for the authenticator app' }).waitFor()
    await form.getByText('The code cannot be scanned').click()
    key = (await form.locator('code').innerText()).replaceAll(' ', '')
    assert.match(key, /^[A-Z2-7]{32}$/)
    assert.deepEqual(await seriousFindings(page), [])
    await field(form, 'Code').fill('000000')
    await press(form, 'Confirm')
    await form.getByRole('alert').getByText('The code is wrong').waitFor()
    await field(form, 'Code').fill(await nextCode())
    await press(form, 'Confirm')
    await form.locator('.recovery-codes li').first().waitFor()
    codes = await form.locator('.recovery-codes li').allInnerTexts()
    assert.equal(codes.length, 10)
    await form.getByText('I have kept the codes').click()
    await press(form, 'Done')
    await page.getByRole('row').filter({ hasText: 'Authenticator app' }).waitFor()
  })

  it('asks for a code at the login', async () => {
    const second = await here.page({ out: true })
    await second.getByLabel('E-mail').fill(email)
    await second.getByLabel('Password', { exact: true }).fill(PASSWORD)
    await press(second, 'Log in')
    await second.getByLabel('Code').fill('123456')
    await press(second, 'Log in')
    await second.getByRole('alert').waitFor()
    await second.getByLabel('Code').fill(codes[0] ?? '')
    await press(second, 'Log in')
    await second.getByRole('navigation').waitFor()
    await second.context().close()
  })

  it('asks again before a dangerous command', async () => {
    await ageSessions()
    const user = page
    await go(user, '/administration/users')
    await press(user, 'Create user')
    const form = dialog(user, 'Create user')
    await field(form, 'E-mail').fill('new@kontor.local')
    await form.getByLabel('Roles').click()
    await user.getByTitle(/^Reader:/).click()
    await field(form, 'Initial password').fill('another long password')
    await press(form, 'Create user')
    const again = dialog(user, 'Confirm that it is you')
    await field(again, 'Password').fill(PASSWORD)
    await field(again, 'Code').fill(codes[2] ?? '')
    await press(again, 'Confirm')
    await user.getByText('User new@kontor.local is created').waitFor()
  })

  /** As they are after ten minutes. */
  async function ageSessions(): Promise<void> {
    const db = new pg.Client({ connectionString: here.database_url })
    await db.connect()
    await db.query('update sessions set factor_at = 0 where factor_at is not null')
    await db.end()
  }

  it('takes a passkey in place of a code, at the login and asking again', async () => {
    await here.kontor.post('/users', {
      body: {
        email: 'paula@kontor.local',
        roles: ['ADMIN'],
        password: PASSWORD,
        must_change_password: false,
      },
    })
    const owner = await here.page({ email: 'paula@kontor.local', password: PASSWORD })
    const devices = await owner.context().newCDPSession(owner)
    await devices.send('WebAuthn.enable')
    await devices.send('WebAuthn.addVirtualAuthenticator', {
      options: {
        protocol: 'ctap2',
        transport: 'internal',
        hasUserVerification: true,
        isUserVerified: true,
        automaticPresenceSimulation: true,
      },
    })
    await go(owner, '/second-factor')
    await press(owner, 'Add a passkey')
    const form = dialog(owner, 'Add a passkey')
    await field(form, 'Current password').fill(PASSWORD)
    await field(form, 'Name of the device').fill('Laptop')
    await press(form, 'Continue')
    await form.getByText('I have kept the codes').click()
    assert.deepEqual(await seriousFindings(owner), [])
    await press(form, 'Done')
    const row = owner.getByRole('row').filter({ hasText: 'Laptop' })
    await row.getByText('Passkey').waitFor()

    await ageSessions()
    await press(row, 'Rename')
    const renaming = dialog(owner, 'Rename')
    await field(renaming, 'Name').fill('Old laptop')
    await press(renaming, 'Rename')
    const again = dialog(owner, 'Confirm that it is you')
    await field(again, 'Password').fill(PASSWORD)
    await press(again, 'Use a passkey')
    await owner.getByRole('row').filter({ hasText: 'Old laptop' }).waitFor()

    await owner.evaluate(() => {
      localStorage.removeItem('kontor.session')
    })
    await owner.goto(new URL('/', owner.url()).href)
    await owner.getByLabel('E-mail').fill('paula@kontor.local')
    await owner.getByLabel('Password', { exact: true }).fill(PASSWORD)
    await press(owner, 'Log in')
    await press(owner, 'Use a passkey')
    await owner.getByRole('navigation').waitFor()
    await owner.context().close()
  })

  it('holds whoever has none where the setting demands it, also in an open page', async () => {
    const body = {
      email: 'tom@kontor.local',
      roles: ['TRADER' as const],
      password: PASSWORD,
      must_change_password: false,
    }
    await here.kontor.post('/users', { body })
    const trader = await here.page({ email: body.email, password: PASSWORD })
    await here.kontor.put('/settings/{key}', {
      params: { key: 'second_factor_roles' },
      body: { value: ['TRADER'] },
    })
    await trader.getByRole('heading', { name: 'Set up your second factor' }).waitFor()
    assert.deepEqual(await seriousFindings(trader), [])
    await field(trader, 'Current password').fill(PASSWORD)
    await press(trader, 'Continue')
    await trader.getByText('The code cannot be scanned').click()
    const other = (await trader.locator('details code').innerText()).replaceAll(' ', '')
    await field(trader, 'Code').fill(codeOf(other, Math.floor(Date.now() / STEP)))
    await press(trader, 'Confirm')
    await trader.getByText('I have kept the codes').click()
    await press(trader, 'Done')
    await trader.getByRole('navigation').waitFor()
  })
})
