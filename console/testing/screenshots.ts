/** `npm run screenshots`: every page of the console in both themes, from a Kontor of its own, into console/screenshots/. */
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { ROOT } from '../../tools/setup.mjs'
import { logIn, openPlace, until } from './browser.ts'
import type { Theme } from './browser.ts'

const OUT = join(ROOT, 'console/screenshots')

const place = await openPlace()
if (place === undefined) throw new Error('there is no browser to take screenshots with')
try {
  await mkdir(OUT, { recursive: true })
  await place.wire({ from_name: 'Clara Browser', quantity: '234567.89', reference: 'SEEN LIVE' })
  await until('the deposits are there', 60_000, async () => (await place.kontor.get('/treasury/deposits')).length >= 2)
  for (const theme of ['light', 'dark'] as const) await takeAll(theme)
} finally {
  await place.close()
}

async function takeAll(theme: Theme): Promise<void> {
  if (place === undefined) return
  const page = await place.page({ theme, out: true })
  const shot = async (name: string): Promise<void> => {
    await page.evaluate(() => new Promise((done) => { requestAnimationFrame(() => { requestAnimationFrame(done) }) }))
    await page.screenshot({ path: join(OUT, `${name}.${theme}.png`) })
    process.stdout.write(`console/screenshots/${name}.${theme}.png\n`)
  }
  await page.getByLabel('E-mail').waitFor()
  await shot('login')
  await logIn(page)
  const links = await page.getByRole('navigation').getByRole('link').evaluateAll((all) => all.map((link) => link.getAttribute('href') ?? ''))
  for (const path of links) {
    await page.goto(place.url + path)
    await page.getByRole('heading', { level: 1 }).waitFor()
    await page.getByRole('status', { name: 'Loading' }).waitFor({ state: 'detached' })
    await shot(path.slice(1).replaceAll('/', '-'))
    const row = page.locator('tr.opens').first()
    if (await row.count() === 0) continue
    await row.click()
    await page.locator('.record dl, .record pre').first().waitFor()
    await shot(`${path.slice(1).replaceAll('/', '-')}-record`)
  }
  await page.goto(place.url)
  await page.getByRole('navigation').waitFor()
  await page.keyboard.press('Control+k')
  await shot('palette')
  await page.keyboard.press('Escape')
  await page.keyboard.press('?')
  await shot('shortcuts')
  await page.context().close()
}
