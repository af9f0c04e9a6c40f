/**
 * `npm run attack`: attacks a running Kontor as a review from outside does, and prints a table of
 * what was wanted and seen; ends with 1 when something did not hold. `--only WORD` picks attacks by
 * their names and parts; `--requests N --seed S --minutes M` are those by chance, 0 none.
 * docs/attack.md describes it.
 */
import { randomInt } from 'node:crypto'
import { parseArgs } from 'node:util'
import { ATTACKS } from './attack/attacks.ts'
import { byChance } from './attack/fuzz/by-chance.ts'
import { lineOf, PARTS, summaryOf } from './attack/table.ts'
import type { Attack, Result } from './attack/table.ts'
import { openTarget } from './attack/target.ts'
import type { Target } from './attack/target.ts'

/** What `--only` may name them by. */
const CHANCE = 'requests by chance'

async function resultOf(target: Target, attack: Attack): Promise<Result> {
  const start = performance.now()
  const seen = await attack.run(target).catch((error: unknown) => ({
    seen: 'nothing',
    wrong: [error instanceof Error ? (error.stack ?? error.message) : String(error)],
  }))
  const dead = await target.dead().catch(String)
  const wrong = dead === undefined ? seen.wrong : [...seen.wrong, dead]
  return { attack, seen: seen.seen, wrong, ms: performance.now() - start }
}

async function attackAll(attacks: readonly Attack[]): Promise<Result[]> {
  const results: Result[] = []
  if (attacks.length === 0) return results
  const target = await openTarget()
  try {
    for (const attack of attacks) {
      const result = await resultOf(target, attack)
      results.push(result)
      process.stdout.write(`${lineOf(result)}\n`)
    }
  } finally {
    await target.close()
  }
  return results
}

const { values } = parseArgs({
  options: {
    only: { type: 'string' },
    requests: { type: 'string', default: '1000000' },
    seed: { type: 'string', default: String(randomInt(2 ** 31)) },
    minutes: { type: 'string', default: 'Infinity' },
  },
})
const word = values.only?.toLowerCase()
const chosen = ATTACKS.filter(
  ({ of, name }) => word === undefined || `${of} ${PARTS[of]} ${name}`.toLowerCase().includes(word),
)
const results = await attackAll(chosen)
const [requests, seed, minutes] = [
  Number(values.requests),
  Number(values.seed),
  Number(values.minutes),
]
const isChosen = word === undefined || CHANCE.includes(word)
const chance =
  isChosen && requests > 0 ? await byChance({ requests, seed, minutes }) : { line: '', faults: [] }
process.stdout.write(`${chance.line}\n`)
const broken = results.filter(({ wrong }) => wrong.length > 0)
process.stdout.write(`\n${summaryOf(results)}\n`)
process.stdout.write(`${results.length} attacks, ${broken.length} did not hold\n`)
process.exitCode = broken.length + chance.faults.length === 0 ? 0 : 1
