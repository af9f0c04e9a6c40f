/** Runs the README and every guide against a Kontor, and compares what they show. */
import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { before, it } from 'node:test'
import { connect } from '../../../client/src/index.ts'
import { ROOT } from '../../setup/setup.mjs'
import { until } from '../../supervise/running.ts'
import { differenceFrom } from './answers.ts'
import { blocksOf } from './blocks.ts'
import type { Block } from './blocks.ts'
import { runTrack } from './run.ts'

const PATIENCE_MILLISECONDS = 180_000
const NAMES = [
  'README.md',
  ...readdirSync(join(ROOT, 'docs/guides')).map((name) => `docs/guides/${name}`),
]

type Kontor = { base_url: string; sandbox_url: string; password: string; receiver_port: number }

/** For a `describe`: one test for each guide and language. */
export function readTheGuides(running: () => Kontor): void {
  before(() => readersMayBegin(running()))
  for (const name of NAMES) {
    const blocks = blocksOf(readFileSync(join(ROOT, name), 'utf8'))
    for (const language of ['sh', 'js'] as const) {
      if (!blocks.some((block) => block.language === language && block.file === undefined)) continue
      it(`${name}, ${language}: the answers are those that it shows`, async () => {
        const kontor = running()
        const mine = blocks.map((block) => ({ ...block, code: inPlace(kontor, block) }))
        for (const { block, printed } of await runTrack(mine, language, environmentOf(kontor))) {
          const difference = block.shown && differenceFrom(block.shown, printed)
          if (difference !== undefined)
            assert.fail(`${name}, line ${block.shown?.line}: ${difference}`)
        }
      })
    }
  }
}

const environmentOf = ({ base_url, sandbox_url, password }: Kontor): NodeJS.ProcessEnv => ({
  KONTOR_URL: base_url,
  SANDBOX_URL: sandbox_url,
  KONTOR_ADMIN_PASSWORD: password,
})

/** With the addresses and the password of this Kontor in the place of the reader's. */
const inPlace = ({ base_url, password, receiver_port }: Kontor, { code }: Block): string =>
  code
    .replaceAll('http://localhost:4000', base_url)
    .replaceAll('"password":"…"', `"password":"${password}"`)
    .replaceAll('8080', String(receiver_port))

/** A wire has arrived that nothing matches, as after half a minute, and prices stream. */
async function readersMayBegin({ base_url, password }: Kontor): Promise<void> {
  const kontor = await connect({ base_url, email: 'admin@kontor.local', password })
  await until('the world of the sandbox is there', PATIENCE_MILLISECONDS, async () => {
    const deposits = await kontor.get('/treasury/deposits', { query: { state: 'UNASSIGNED' } })
    const routes = await kontor.get('/price-stream/routes')
    return deposits.length === 1 && routes.every((route) => route.state === 'UP')
  })
}
