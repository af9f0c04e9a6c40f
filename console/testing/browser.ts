/**
 * For browser tests: a Kontor of their own with its sandbox, as `npm start` gives it, and pages of
 * a real browser in it.
 *
 *     const place = await openPlace()            // before
 *     const page = await place.page() // logged in; { theme: 'dark', path: '/treasury/deposits' }
 *     await place.close()                        // after: leaves nothing, fails when the page said
 *                                                anything wrong
 */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach } from 'node:test'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { connect } from '../../client/src/index.ts'
import type { Client } from '../../client/src/index.ts'
import { freePort } from '../../server/src/store/ports.ts'
import { leaveNothing, npmStart, until } from '../../tools/supervise/running.ts'
import { ROOT } from '../../tools/setup/setup.mjs'
import { launchChromium } from './chromium.ts'

export { until } from '../../tools/supervise/running.ts'

export const EMAIL = 'admin@kontor.local'
export const PASSWORD = 'password of the console'
/** For everything that a test waits for: machines may be slow, and what fails may take its time. */
export const PATIENCE_MILLISECONDS = 120_000
const SIZE = { width: 1440, height: 900 }
/** What a browser says of requests that are meant to be refused or to find nobody. */
const EXPECTED_WORDS = /Failed to load resource|net::ERR_/

export type Theme = 'light' | 'dark'
type PageOptions = {
  theme?: Theme
  path?: string
  /** Not logged in. */ out?: boolean
  email?: string
  password?: string
  size?: { width: number; height: number }
}

export type Place = {
  url: string
  sandbox_url: string
  data_dir: string
  browser: Browser
  /** The API, as the first user. */
  kontor: Client
  /** A page of a person of their own (own storage). */
  page(options?: PageOptions): Promise<Page>
  /** What pages have said that they should not: errors, breaches of the security policy. */
  complaints: readonly string[]
  /** Money arrives: a wire to our bank, as the sandbox plays it. */
  wire(wire: { from_name: string; quantity: string; reference: string }): Promise<void>
  close(): Promise<void>
}

/**
 * Undefined, with the reason told, where no browser can run (never under CI). `env` goes to the
 * service.
 */
export async function openPlace(env: NodeJS.ProcessEnv = {}): Promise<Place | undefined> {
  const found = await launchChromium()
  if ('missing' in found) {
    process.stderr.write(`kontor: browser tests are left out: ${found.missing}\n`)
    return undefined
  }
  const { browser } = found
  const dataDir = await mkdtemp(join(tmpdir(), 'kontor-console-'))
  const port = await freePort()
  const url = `http://localhost:${port}`
  const started = npmStart({
    root: ROOT,
    dataDir,
    port,
    env: { KONTOR_ADMIN_PASSWORD: PASSWORD, ...env },
  })
  const complaints: string[] = []
  const contexts: BrowserContext[] = []
  let iban: string | undefined

  const close = async (): Promise<void> => {
    await browser.close()
    started.process.kill('SIGTERM')
    await started.exited
    const left = !(await leaveNothing(dataDir))
    await rm(dataDir, { recursive: true, force: true })
    assert.ok(!left, 'everything has ended')
    assert.deepEqual(complaints, [], 'what the pages complained about')
  }
  afterEach(async (context) => {
    if (!('passed' in context) || context.passed) return
    for (const page of contexts.flatMap((context) => context.pages()))
      process.stderr.write(
        `what ${page.url()} showed:\n${await page.evaluate(() => document.body.innerText)}\n`,
      )
  })
  try {
    await started.ready
    const kontor = await connect({ base_url: url, email: EMAIL, password: PASSWORD })
    const sandbox_url = `http://127.0.0.1:${readFileSync(join(dataDir, 'sandbox/port'), 'utf8').trim()}`
    return {
      url,
      sandbox_url,
      data_dir: dataDir,
      browser,
      kontor,
      complaints,
      close,
      async page({
        theme = 'light',
        path = '/',
        out = false,
        email = EMAIL,
        password = PASSWORD,
        size = SIZE,
      } = {}) {
        const context = await browser.newContext({
          viewport: size,
          colorScheme: theme,
          timezoneId: 'Europe/Zurich',
          locale: 'en-GB',
          permissions: ['clipboard-read', 'clipboard-write'],
          acceptDownloads: true,
        })
        contexts.push(context)
        context.setDefaultTimeout(PATIENCE_MILLISECONDS)
        const page = await context.newPage()
        page.on('pageerror', (error) => {
          complaints.push(error.stack ?? error.message)
        })
        page.on('console', (message) => {
          if (message.type() === 'error' && !EXPECTED_WORDS.test(message.text()))
            complaints.push(message.text())
        })
        await page.goto(url + path)
        if (!out) await logIn(page, email, password)
        return page
      },
      async wire({ from_name, quantity, reference }) {
        iban ??= await bankAddress(kontor)
        const answer = await fetch(`${sandbox_url}/control/bank/wire`, {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify({ from_name, to_iban: iban, quantity, currency: 'EUR', reference }),
        })
        assert.ok(answer.ok, await answer.text())
      },
    }
  } catch (error) {
    await close().catch(() => undefined)
    throw error
  }
}

export async function logIn(page: Page, email = EMAIL, password = PASSWORD): Promise<void> {
  await page.getByLabel('E-mail').fill(email)
  await page.getByLabel('Password', { exact: true }).fill(password)
  await page.getByRole('button', { name: 'Log in' }).click()
  await page.getByRole('navigation').waitFor()
}

async function bankAddress(kontor: Client): Promise<string> {
  let address: string | undefined
  await until('the bank is connected', PATIENCE_MILLISECONDS, async () => {
    const bank = (await kontor.get('/venues')).find(
      (venue) => venue.kind === 'BANK' && venue.state === 'CONNECTED',
    )
    const wallet =
      bank &&
      (await kontor.get('/treasury/wallets', { query: { venue_id: bank.id } })).find(
        (each) => each.asset === 'EUR',
      )
    address = wallet?.address ?? undefined
    return address !== undefined
  })
  return address ?? ''
}

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

/**
 * What axe finds that is serious or critical, as `rule: element`. Give the empty list as what is
 * expected.
 */
export async function seriousFindings(page: Page): Promise<string[]> {
  // By evaluation: the page's policy lets no foreign script in, and shall not.
  await page.evaluate(AXE)
  // What is still fading in has not the colours it will have.
  await page.evaluate(async () => {
    await Promise.allSettled(
      document
        .getAnimations()
        .filter((animation) => animation.effect?.getComputedTiming().endTime !== Infinity)
        .map((animation) => animation.finished),
    )
  })
  return page.evaluate(async () => {
    const { axe } = window as unknown as {
      axe: {
        run(): Promise<{
          violations: {
            id: string
            impact: string
            nodes: { html: string; failureSummary?: string }[]
          }[]
        }>
      }
    }
    const { violations } = await axe.run()
    return violations
      .filter(({ impact }) => impact === 'serious' || impact === 'critical')
      .flatMap(({ id, nodes }) =>
        nodes.map(
          (node) =>
            `${id}: ${node.html.slice(0, 300)} ${node.failureSummary?.split('\n').at(1)?.trim() ?? ''}`,
        ),
      )
  })
}
