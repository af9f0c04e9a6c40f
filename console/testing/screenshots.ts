/**
 * `npm run quality screenshots`: every page of the console in both themes, with its records, their
 * tabs and the forms of what can be done, from a Kontor of its own after a day's work, into
 * console/screenshots/. A name given picks: `npm run quality screenshots ticket`.
 */
import { mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Locator, Page } from 'playwright-core'
import { playDay } from '../../tools/quality/day.ts'
import { ROOT } from '../../tools/setup/setup.mjs'
import { EMAIL, logIn, openInstallation, PASSWORD, until } from './browser.ts'
import type { Installation, Theme } from './browser.ts'
import { givePeopleMoney } from './money.ts'

const OUT = join(ROOT, 'console/screenshots')
const PATIENCE_MILLISECONDS = 60_000
const picked = process.argv[2] ?? ''
/** Open nothing that is not to be seen: the theme, the account, help. */
const FORM_BUTTONS = '.page-head button:not([aria-label]), .record-actions button'

const installation = await openInstallation()
if (installation === undefined) throw new Error('there is no browser to take screenshots with')
try {
  if (picked === '') await rm(OUT, { recursive: true, force: true })
  await mkdir(OUT, { recursive: true })
  await fillBooks(installation)
  for (const theme of ['light', 'dark'] as const) await takeAll(installation, theme)
} finally {
  await installation.close()
}

/**
 * Something of everything: money that came and went, trades, what waits for a person, what went
 * wrong.
 */
async function fillBooks(here: Installation): Promise<void> {
  await moveMoney(here)
  const execution_id = await trade(here)
  await createJob(here)
  const { kontor } = here
  await until('all of it is there', PATIENCE_MILLISECONDS, async () => {
    const deposits = await kontor.get('/treasury/deposits')
    const { state } = await kontor.get('/executions/{execution_id}', { params: { execution_id } })
    return deposits.length >= 5 && state === 'DONE'
  })
  await kontor.post('/settlements', {
    body: { timerange_from: Date.now() - 86_400_000, timerange_to: Date.now() + 60_000 },
  })
}

async function moveMoney(here: Installation): Promise<void> {
  await givePeopleMoney(here)
  await playDay({
    base_url: here.url,
    email: EMAIL,
    password: PASSWORD,
    sandbox_url: here.sandbox_url,
    say: () => undefined,
  })
  await here.wire({ from_name: 'Clara Browser', quantity: '234567.89', reference: 'SEEN LIVE' })
  await here.wire({
    from_name: 'Jonas Keller',
    quantity: '4200',
    reference: 'Sparplan KELLER November',
  })
}

/** Answers the execution that will be done. */
async function trade({ kontor }: Installation): Promise<string> {
  const customers = await kontor.get('/customers')
  const routes = await kontor.get('/price-stream/routes')
  const customer_id = customers.find(({ label }) => label === 'Jonas Keller')?.id ?? ''
  const routeId = (name: string): string => routes.find(({ label }) => label === name)?.id ?? ''
  const order = { side: 'BUY' as const, customers: [{ customer_id }] }
  const { id } = await kontor.post('/executions', {
    body: {
      ...order,
      route_id: routeId('BTC/EUR at Prime'),
      execution_type: 'MARKET',
      amount: '0.25',
    },
  })
  await kontor.post('/executions', {
    body: {
      ...order,
      route_id: routeId('BTC/EUR at Kraken'),
      execution_type: 'LIMIT',
      amount: '0.1',
      price: '40000',
      tif_mode: 'GTC',
      client_ref: 'patience',
    },
  })
  await kontor.post('/price-stream/quotes', {
    body: {
      route_id: routeId('ETH/EUR at Kraken'),
      customer_id,
      request_asset: 'ETH',
      request_quantity: '1',
      risk_duration_ms: 60_000,
    },
  })
  return id
}

async function createJob({ kontor }: Installation): Promise<void> {
  const routes = await kontor.get('/treasury/wallets/routes')
  const own = routes.find((route) => route.transfer.to.on_allowlist !== false)
  if (own === undefined) return
  await kontor.post('/treasury/jobs', {
    body: {
      route: own.id,
      condition_type: 'SWEEPING',
      active: true,
      interval: 15,
      speed_level: 'DEFAULT',
      min_quantity: '0.1',
      conditions: [{ target: '4' }],
    },
  })
}

async function takeAll(here: Installation, theme: Theme): Promise<void> {
  const page = await here.page({ theme, out: true })
  const shot = async (name: string): Promise<void> => {
    await twoFrames(page)
    await page.screenshot({ path: join(OUT, `${name}.${theme}.png`) })
    process.stdout.write(`console/screenshots/${name}.${theme}.png\n`)
  }
  const go = async (path: string): Promise<void> => {
    await page.goto(here.url + path)
    await waitUntilSettled(page)
  }
  await page.getByLabel('E-mail').waitFor()
  await shot('login')
  await logIn(page)
  const links = await page
    .getByRole('navigation')
    .getByRole('link')
    .evaluateAll((all) => all.map((link) => link.getAttribute('href') ?? ''))
  for (const path of links.filter((link) => link.includes(picked))) {
    const name = path.slice(1).replaceAll('/', '-')
    await go(path)
    await shot(name)
    await forms(page, name, shot)
    const row = page.locator('.grid-scroller tr.opens').first()
    if ((await row.count()) === 0) continue
    await row.click()
    const record = page.locator('.record')
    // Where the row leads to another page, its own pictures show it.
    if (
      !(await record.waitFor({ timeout: 3_000 }).then(
        () => true,
        () => false,
      ))
    )
      continue
    await waitUntilSettled(page)
    await shot(`${name}-record`)
    await forms(page, `${name}-record`, shot)
    for (const tab of (await record.getByRole('tab').all()).slice(1)) {
      await tab.click()
      await waitUntilSettled(page)
      await shot(`${name}-record-${word(await tab.textContent())}`)
    }
  }
  if (picked === '') await rest(page, go, shot)
  else if ('/trading/ticket'.includes(picked)) await ticket(page, go, shot)
  await page.context().close()
}

type Shot = (name: string) => Promise<void>
type Go = (path: string) => Promise<void>

/** What each button opens that may be pressed. */
async function forms(page: Page, name: string, shot: Shot): Promise<void> {
  const within: Locator =
    (await page.locator('.record').count()) > 0 ? page.locator('.record') : page.locator('.page')
  for (const button of await within.locator(FORM_BUTTONS).all()) {
    if (
      (await button.getAttribute('aria-disabled')) === 'true' ||
      (await button.textContent()) === 'CSV'
    )
      continue
    const label = word(await button.textContent())
    await button.click()
    const dialog = page.locator('.ant-modal')
    // Some do it at once and have nothing to show.
    if (
      !(await dialog.waitFor({ timeout: 2_000 }).then(
        () => true,
        () => false,
      ))
    )
      continue
    await waitUntilSettled(page)
    await shot(`${name}-${label}`)
    await dialog.getByRole('button', { name: /^(Cancel|Keep it)$/ }).click()
    await dialog.waitFor({ state: 'detached' })
  }
}

async function rest(page: Page, go: Go, shot: Shot): Promise<void> {
  await ticket(page, go, shot)
  await go('/search?q=jonas')
  await shot('search')
  await go('/search?q=nobody-has-this')
  await shot('search-nothing')
  await go('/treasury/deposits?state=REVERSED&sort=-quantity')
  await shot('empty-filters')
  await go(`/treasury/deposits/${crypto.randomUUID()}`)
  await shot('record-missing')
  await page.goto(`${new URL(page.url()).origin}/no/such/page`)
  await page.getByText('Page not found').waitFor()
  await shot('page-missing')
  await go('/overview')
  await page.keyboard.press('Control+k')
  await page.getByRole('combobox', { name: 'Search or go to' }).waitFor()
  await shot('palette')
  await page.keyboard.type('jonas')
  await page
    .getByRole('option', { name: /Jonas Keller/ })
    .first()
    .waitFor()
  await shot('palette-found')
  await page.keyboard.press('Escape')
  await page.getByRole('combobox', { name: 'Search or go to' }).waitFor({ state: 'hidden' })
  await page.keyboard.press('?')
  await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).waitFor()
  await shot('shortcuts')
}

async function ticket(page: Page, go: Go, shot: Shot): Promise<void> {
  await go('/trading/ticket?market=BTC%2FEUR')
  await page.getByLabel('Customer', { exact: true }).fill('Jonas')
  await page.locator('.ant-select-item-option', { hasText: 'Jonas Keller' }).click()
  await page.getByLabel('Quantity', { exact: true }).fill('0.1')
  const buy = page.getByRole('button', { name: 'Buy 0.1 BTC' })
  await page.locator('.tile-price .amount').first().waitFor()
  await shot('ticket-priced')
  await buy.click()
  await page.locator('.ant-modal .facts').waitFor()
  await shot('ticket-confirm')
}

async function twoFrames(page: Page): Promise<void> {
  await page.evaluate(
    () =>
      new Promise((done) => {
        requestAnimationFrame(() => {
          requestAnimationFrame(done)
        })
      }),
  )
}

/** What was asked for has come. */
async function waitUntilSettled(page: Page): Promise<void> {
  await twoFrames(page)
  await page.getByRole('heading', { level: 1 }).first().waitFor()
  await page.waitForFunction(
    () =>
      document.querySelector('[role=status][aria-label^=Loading]') === null &&
      ['.overview-two', '.ticket-right', '.market'].every(
        (chart) =>
          document.querySelector(chart) === null ||
          document.querySelector(`${chart} canvas`) !== null,
      ),
  )
}

function word(label: string | null): string {
  return (label ?? '').trim().toLowerCase().replaceAll(/\W+/g, '-')
}
