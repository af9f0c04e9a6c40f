/**
 * `npm run attack`: attacks a running Kontor as a review from outside does, and prints a table of
 * what was wanted and seen; ends with 1 when something did not hold, with 2 when it was called
 * wrongly. `--only WORD` picks attacks by their names and parts; `--requests N --seed S --minutes
 * M` are those by chance, 0 none. docs/attack.md describes it.
 */
import { UsageError } from '../../server/src/core/usage.ts'
import { byChance } from './attack/fuzz/by-chance.ts'
import { optionsFrom } from './attack/options.ts'
import { lineOf, summaryOf } from './attack/table.ts'
import type { Attack, Result } from './attack/table.ts'
import { openTarget } from './attack/target.ts'
import type { Target } from './attack/target.ts'

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

async function main(): Promise<number> {
  const { attacks, ...chances } = optionsFrom(process.argv.slice(2))
  const results = await attackAll(attacks)
  const chance = chances.requests > 0 ? await byChance(chances) : { line: '', faults: [] }
  process.stdout.write(`${chance.line}\n`)
  const broken = results.filter(({ wrong }) => wrong.length > 0)
  process.stdout.write(`\n${summaryOf(results)}\n`)
  process.stdout.write(`${results.length} attacks, ${broken.length} did not hold\n`)
  return broken.length + chance.faults.length === 0 ? 0 : 1
}

process.exitCode = await main().catch((error: unknown) => {
  if (!(error instanceof UsageError)) throw error
  process.stderr.write(`${error.message}\n`)
  return 2
})
