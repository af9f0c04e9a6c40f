/**
 * A real browser for tests and screenshots: the one of the npm package, else one that the machine
 * has. Where neither runs, tests are left out and say so; never under CI.
 */
import { existsSync } from 'node:fs'
import { chromium } from 'playwright-core'
import type { Browser } from 'playwright-core'

const INSTALLED = [
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
]
/** The first ones are what a container lacks; the rest keeps the browser from calling home. */
const FLAGS = [
  '--no-sandbox',
  '--disable-dev-shm-usage',
  '--disable-gpu',
  '--disable-quic',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--no-first-run',
]

type Launch = { browser: Browser } | { missing: string }

export async function launchChromium(): Promise<Launch> {
  const reasons: string[] = []
  for (const candidate of [
    fromNpm,
    ...INSTALLED.filter((path) => existsSync(path)).map((path) => async () => ({
      path,
      flags: FLAGS,
    })),
  ]) {
    try {
      const { path, flags } = await candidate()
      return {
        browser: await chromium.launch({
          executablePath: path,
          args: flags,
          headless: true,
          handleSIGINT: false,
          handleSIGTERM: false,
        }),
      }
    } catch (error) {
      reasons.push(
        (error instanceof Error ? error.message : String(error)).split('\n').slice(0, 2).join(' '),
      )
    }
  }
  const missing = `no Chromium runs here: ${reasons.join('; ')}. Install Debian's package chromium.`
  if (!['', 'false', '0'].includes(process.env['CI'] ?? '')) throw new Error(missing)
  return { missing }
}

async function fromNpm(): Promise<{ path: string; flags: string[] }> {
  const { default: packed } = await import('@sparticuz/chromium')
  // Not with its own flags: they put all into one process, which hangs when a context is closed.
  return { path: await packed.executablePath(), flags: FLAGS }
}
