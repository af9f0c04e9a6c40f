/**
 * What people do at a page, for every browser test. Each waits for what it needs: a page may be
 * slow, and is live.
 */
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { it } from 'node:test'
import { promisify } from 'node:util'
import type { Locator, Page } from 'playwright-core'
import { ROOT } from '../../tools/setup/setup.mjs'
import { COLOUR_RULES, PATIENCE_MILLISECONDS, seriousFindings, until } from './browser.ts'
import type { Installation } from './browser.ts'

type Within = Page | Locator

const escaped = (text: string): string => text.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`)

/**
 * A form is called by what it does, a record by what it is, and what is told of it behind that: a
 * customer that is “Deleted” is no “Delete”.
 */
export const dialog = (page: Page, name: string | RegExp): Locator =>
  page.getByRole('dialog', {
    name: typeof name === 'string' ? new RegExp(`^${escaped(name)}(\\W|$)`) : name,
  })

export const press = (within: Within, name: string): Promise<void> =>
  within.getByRole('button', { name, exact: true }).click()

/** As a new reader of the page: nothing is kept of what stood there. */
export async function go(page: Page, path: string): Promise<void> {
  await page.goto(new URL(path, page.url()).href)
  await page.getByRole('heading', { level: 1 }).waitFor()
}

/** Types a time into its field, as a person does. */
export async function enterTime(input: Locator, time: string): Promise<void> {
  await input.fill(time)
  await input.press('Enter')
}

/** The field of a form, whether it must be filled in or not. */
export const field = (within: Within, label: string): Locator =>
  within.getByLabel(new RegExp(`^${label}\\s*(\\(optional\\))?$`))

/** In a select: the option of this name (more may be told behind it), or the first that fits. */
export async function choose(select: Locator, option: string | RegExp): Promise<void> {
  await select.click()
  // Only what is in sight exists: what is typed narrows it.
  if (typeof option === 'string' && (await select.isEditable())) await select.fill(option)
  const list = select.page().locator('.ant-select-dropdown', {
    has: select.page().locator(`[id="${await select.getAttribute('id')}_list"]`),
  })
  const options = list.locator('.ant-select-item-option')
  if (typeof option !== 'string') return options.filter({ hasText: option }).first().click()
  const word = escaped(option)
  const beginning = options.filter({ hasText: new RegExp(`^${word}(\\W|$)`) })
  await beginning.first().waitFor()
  // Of “Bank” and “Bank trading” the one of this very name.
  const itself = options.filter({ hasText: new RegExp(`^${word}$`) })
  await ((await itself.count()) > 0 ? itself : beginning).first().click()
}

/**
 * The last press in a form, which is done when it has closed: the page may tell before the answer
 * is there, and what comes next would meet the form.
 */
export async function carryOut(form: Locator, action: string): Promise<void> {
  await press(form, action)
  await form.waitFor({ state: 'hidden' })
}

/** Says yes to what a form asks to be confirmed. */
export async function confirm(form: Locator, action: string): Promise<void> {
  await press(form, 'Continue')
  await form.getByLabel('To be confirmed').waitFor()
  await carryOut(form, action)
}

/** The button cannot be pressed, and says why. */
export async function cannot(button: Locator, why: string | RegExp): Promise<void> {
  await until(`the button says ${why}`, PATIENCE_MILLISECONDS, async () => {
    const said = await button.getAttribute('aria-description')
    return (
      (said !== null && (typeof why === 'string' ? said === why : why.test(said))) ||
      `${await button.textContent()}: ${said}`
    )
  })
  assert.equal(await button.getAttribute('aria-disabled'), 'true')
}

/** The text of this element comes to be like that: names behind ids are read after them. */
export async function reads(element: Locator, text: RegExp): Promise<void> {
  await until(`it reads ${text}`, PATIENCE_MILLISECONDS, async () => {
    const read = (await element.textContent()) ?? ''
    return text.test(read) || read
  })
}

/** Opens the first row of the page's list; false where there is none. */
export async function openFirst(page: Page): Promise<boolean> {
  await page
    .getByRole('status', { name: /^(Loading|Wird geladen)$/ })
    .first()
    .waitFor({ state: 'detached' })
  const list = page.locator('.grid-scroller')
  if ((await list.count()) === 0) return false
  // A list draws its rows, or why there are none, after itself.
  await list.locator('tr[data-key], .middle').first().waitFor()
  const row = list.locator('tr.opens').first()
  if ((await row.count()) === 0) return false
  await row.click()
  return true
}

/**
 * A test of the pages with what they show by now, and with the record of their first row, in both
 * themes.
 */
export function itIsAccessible(here: Installation, paths: readonly string[]): void {
  it('has nothing serious for axe in either theme', async () => {
    const page = await here.page()
    for (const path of paths) {
      await go(page, path)
      if (await openFirst(page)) await page.locator('.record dl').first().waitFor()
      assert.deepEqual(await seriousFindings(page), [], path)
      await page.emulateMedia({ colorScheme: 'dark' })
      assert.deepEqual(await seriousFindings(page, COLOUR_RULES), [], `${path}, dark`)
      await page.emulateMedia({ colorScheme: 'light' })
    }
    await page.context().close()
  })
}

/**
 * The deposit with this reference or of this quantity, once it is here and nobody's. The bank is
 * asked now and then: wires are best sent ahead.
 */
export async function waitForDeposit(here: Installation, wanted: string): Promise<string> {
  let id: string | undefined
  await until(`the deposit ${wanted} is there`, PATIENCE_MILLISECONDS, async () => {
    const deposits = await here.kontor.get('/treasury/deposits', { query: { state: 'UNASSIGNED' } })
    id = deposits.find(
      ({ reference_text, quantity }) => reference_text === wanted || quantity === wanted,
    )?.id
    return id !== undefined
  })
  return id ?? ''
}

type ConfigurationFile = { assets: object[]; price_routes: Record<string, unknown>[] }

/** Whether assignments wait for a decision from now on, as the configuration says. */
export const setCompliance = (here: Installation, compliance: boolean): Promise<void> =>
  configure(here, () => ({ settings: { compliance } }))

/** Applies the configuration file of the demo world with these changes. */
export async function configure(
  here: Installation,
  changed: (file: ConfigurationFile) => object,
): Promise<void> {
  const [was, file] = ['kontor.json', 'changed.json'].map((name) =>
    join(here.data_dir, 'sandbox', name),
  ) as [string, string]
  const read = JSON.parse(await readFile(was, 'utf8')) as ConfigurationFile
  await writeFile(file, JSON.stringify({ ...read, ...changed(read) }))
  await runCommand(here, 'configure', file)
}

/** A command of the operator. */
async function runCommand(here: Installation, ...words: string[]): Promise<void> {
  await promisify(execFile)(process.execPath, [join(ROOT, 'tools/setup/command.mjs'), ...words], {
    env: {
      ...process.env,
      DATABASE_URL: here.database_url,
      DATA_DIR: here.data_dir,
      SANDBOX_URL: here.sandbox_url,
    },
  })
}

/** Deposits are screened with a list of OFAC's form that names this person alone. */
export async function screenDepositsFor(here: Installation, name: string): Promise<void> {
  const nothing = '-0- ,'.repeat(7)
  const files = {
    'sdn.csv': `100,"${name}","individual","SDGT",${nothing}"DOB 01 Jan 1970." `,
    'alt.csv': '100,9002,"aka","ALIAS OF THE LISTED",-0- ',
    'sdn_comments.csv': '100,"A remark." ',
  }
  const paths: string[] = []
  for (const [file, content] of Object.entries(files)) {
    const path = join(here.data_dir, file)
    await writeFile(path, content)
    paths.push(path)
  }
  await runCommand(here, 'screening', 'load', ...paths)
  const screening = { withdrawals: false, deposits: true, lists: ['OFAC_SDN'] }
  await configure(here, () => ({ settings: { screening } }))
}
