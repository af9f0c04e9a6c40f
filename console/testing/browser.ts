/**
 * For browser tests: a Kontor of their own with its sandbox, as `npm start` gives it, and pages of
 * a real browser in it.
 *
 *     const { here, skip } = await openForTests()
 *     describe('deposits', { skip }, () => {
 *       it('are listed', async () => {
 *         const page = await here.page() // logged in; { theme: 'dark', path: '/books/accounts' }
 *
 * The installation ends with the tests. It leaves nothing, and fails when a page has said anything
 * wrong.
 */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { after, afterEach } from 'node:test'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { connect } from '../../client/src/index.ts'
import type { Client } from '../../client/src/index.ts'
import { quickFolder } from '../../server/src/core/testing.ts'
import { freePort } from '../../server/src/store/ports.ts'
import { testDatabase } from '../../server/src/store/testing.ts'
import type { TestDatabase } from '../../server/src/store/testing.ts'
import { leaveNothing, npmStart, superUrlOf, until } from '../../tools/supervise/running.ts'
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
  /** Not logged in. */
  out?: boolean
  email?: string
  password?: string
  size?: { width: number; height: number }
}

export type Installation = {
  url: string
  sandbox_url: string
  data_dir: string
  /** As its superuser. */
  database_url: string
  browser: Browser
  /** The API, as the first user. */
  kontor: Client
  /** A page of a person of their own (own storage). */
  page(options?: PageOptions): Promise<Page>
  /** What pages have said that they should not: errors, breaches of the security policy. */
  complaints: readonly string[]
  /** Money arrives: a wire to our bank, as the sandbox plays it. */
  wire(wire: { from_name: string; quantity: string; reference: string }): Promise<void>
  /** Moves, freezes or breaks the outside world; sandbox/README.md lists the paths. */
  control(method: 'POST' | 'DELETE', path: string, body?: object): Promise<void>
  close(): Promise<void>
}

type OwnDatabase = Pick<TestDatabase, 'url' | 'drop'>

type Running = Pick<Installation, 'url' | 'data_dir' | 'browser'> & {
  service: ReturnType<typeof npmStart>
  database: OwnDatabase | undefined
  complaints: string[]
  contexts: BrowserContext[]
}

/**
 * An installation for the tests of a file, closed after them. Its database is one of the server
 * that all tests share: PostgreSQL itself is started by other tests. Where no browser can run,
 * `skip` says so: skipped tests do not run, and so nothing uses `here`.
 */
export async function openForTests(
  env?: NodeJS.ProcessEnv,
): Promise<{ here: Installation; skip: string | false }> {
  const here = await openInstallation(env, testDatabase)
  if (here === undefined)
    return { here: undefined as unknown as Installation, skip: 'no Chromium runs here' }
  after(() => here.close())
  return { here, skip: false }
}

/**
 * Undefined, with the reason told, where no browser can run (never under CI). `env` goes to the
 * service. Without `openDatabase` it starts a PostgreSQL of its own.
 */
export async function openInstallation(
  env: NodeJS.ProcessEnv = {},
  openDatabase?: () => Promise<OwnDatabase>,
): Promise<Installation | undefined> {
  const launch = await launchChromium()
  if ('missing' in launch) {
    process.stderr.write(`kontor: browser tests are left out: ${launch.missing}\n`)
    return undefined
  }
  const running = await startService(launch.browser, env, await openDatabase?.())
  const { url, data_dir, browser, complaints, service, database } = running
  showPagesOfFailures(running)
  try {
    await service.ready
    const kontor = await connect({ base_url: url, email: EMAIL, password: PASSWORD })
    const sandbox_url = env['SANDBOX'] === 'off' ? '' : sandboxUrl(data_dir)
    const control = controlOf(sandbox_url)
    return {
      url,
      sandbox_url,
      data_dir,
      database_url: database?.url ?? embeddedUrl(data_dir),
      browser,
      kontor,
      complaints,
      page: (options) => openPage(running, options),
      wire: wireSender(kontor, control),
      control,
      close: () => close(running),
    }
  } catch (error) {
    await close(running).catch(() => undefined)
    throw error
  }
}

const sandboxUrl = (data_dir: string): string =>
  `http://127.0.0.1:${readFileSync(join(data_dir, 'sandbox/port'), 'utf8').trim()}`

function embeddedUrl(data_dir: string): string {
  const url = new URL(superUrlOf(data_dir))
  url.pathname = '/kontor'
  return url.href
}

async function startService(
  browser: Browser,
  env: NodeJS.ProcessEnv,
  database: OwnDatabase | undefined,
): Promise<Running> {
  const data_dir = await quickFolder('kontor-console-')
  const port = await freePort()
  const service = npmStart({
    root: ROOT,
    dataDir: data_dir,
    port,
    // People wait for nothing here: `npm run day` runs with the limits of the real venues.
    env: {
      KONTOR_ADMIN_PASSWORD: PASSWORD,
      SANDBOX: 'on',
      KONTOR_CONSOLE_URL: `http://localhost:${port}`,
      SANDBOX_TIER: 'AGREED',
      ...(database !== undefined && { DATABASE_URL: database.url }),
      ...env,
    },
  })
  const url = `http://localhost:${port}`
  return { url, data_dir, browser, service, database, complaints: [], contexts: [] }
}

function showPagesOfFailures({ contexts }: Running): void {
  afterEach(async (test) => {
    if (!('passed' in test) || test.passed) return
    for (const page of contexts.flatMap((context) => context.pages())) {
      const text = await page.evaluate(() => document.body.innerText)
      process.stderr.write(`what ${page.url()} showed:\n${text}\n`)
    }
  })
}

async function close(running: Running): Promise<void> {
  const { browser, service, database, data_dir, complaints } = running
  await browser.close()
  service.process.kill('SIGTERM')
  await service.exited
  const hasEnded = await leaveNothing(data_dir)
  await database?.drop()
  await rm(data_dir, { recursive: true, force: true })
  assert.ok(hasEnded, 'everything has ended')
  assert.deepEqual(complaints, [], 'what the pages complained about')
}

async function openPage(
  { url, browser, contexts, complaints }: Running,
  { theme = 'light', path = '/', size = SIZE, out = false, email, password }: PageOptions = {},
): Promise<Page> {
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
}

function controlOf(sandbox_url: string): Installation['control'] {
  return async (method, path, body) => {
    const answer = await fetch(`${sandbox_url}/control/${path}`, {
      method,
      ...(body === undefined
        ? {}
        : { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }),
    })
    assert.ok(answer.ok, await answer.text())
  }
}

function wireSender(kontor: Client, control: Installation['control']): Installation['wire'] {
  let iban: string | undefined
  return async (wire) => {
    iban ??= await bankAddress(kontor)
    await control('POST', 'bank/wire', { ...wire, to_iban: iban, currency: 'EUR' })
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
      (venue) => venue.label === 'Sandbox Bank' && venue.state === 'CONNECTED',
    )
    const wallet =
      bank &&
      (await kontor.get('/treasury/wallets', { query: { venue_id: bank.id } })).find(
        ({ asset }) => asset === 'EUR',
      )
    address = wallet?.address ?? undefined
    return address !== undefined
  })
  return address ?? ''
}

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

/** The rules of axe that a theme can break. */
export const COLOUR_RULES = ['color-contrast', 'link-in-text-block']

/**
 * What axe finds that is serious or critical, as `rule: element`, by all of its rules or by these.
 * Give the empty list as what is expected.
 */
export async function seriousFindings(page: Page, rules?: string[]): Promise<string[]> {
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
  return page.evaluate(async (runOnly) => {
    const { axe } = window as unknown as {
      axe: {
        run(options: { runOnly?: string[] }): Promise<{
          violations: {
            id: string
            impact: string
            nodes: { html: string; failureSummary?: string }[]
          }[]
        }>
      }
    }
    const { violations } = await axe.run(runOnly === undefined ? {} : { runOnly })
    return violations
      .filter(({ impact }) => impact === 'serious' || impact === 'critical')
      .flatMap(({ id, nodes }) =>
        nodes.map(({ html, failureSummary }) => {
          const reason = failureSummary?.split('\n').at(1)?.trim() ?? ''
          return `${id}: ${html.slice(0, 300)} ${reason}`
        }),
      )
  }, rules)
}
