/**
 * House rules that no compiler knows. `node tools/check/tidy.ts` prints every breach as file:line
 * with the reason, and fails when there is one; a word shows one rule or the paths that begin with
 * it. The rules stand in rules/, what they let pass in exceptions.ts; tidy.test.ts proves that each
 * rule bites.
 */
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { ROOT } from '../setup/setup.mjs'
import { EXCEPTIONS } from './exceptions.ts'
import type { Exception } from './exceptions.ts'
import { EXPORT_RULES } from './rules/exports.ts'
import { LIMIT_RULES } from './rules/limits.ts'
import { LINE_RULES } from './rules/lines.ts'
import { NAME_RULES } from './rules/names.ts'
import { readSource } from './rules/rule.ts'
import type { Rule, Source } from './rules/rule.ts'
import { SQL_RULES } from './rules/sql.ts'

type Breach = { file: string; line: number; rule: string; says: string; what: string }

export const RULES: readonly Rule[] = [
  ...LINE_RULES,
  ...LIMIT_RULES,
  ...SQL_RULES,
  ...NAME_RULES,
  ...EXPORT_RULES,
]

const OURS = new RegExp(
  [
    '^(?!docs/generated/',
    'client/src/generated\\.ts$',
    'client/src/cli/operations\\.ts$',
    'package-lock\\.json$',
    '(client/)?LICENSE$)',
  ].join('|'),
)
const OF_THE_RULES = /^tools\/check\/(rules\/\w+|tidy\.test)\.ts$/
const SHOWN_COLUMNS = 120

/** Written by hand. */
export const isOurs = (file: string): boolean => OURS.test(file)

/** Every breach in these files, and every exception that none of them needs. */
export function breachesOf(
  sources: readonly Source[],
  exceptions: readonly Exception[] = EXCEPTIONS,
): Breach[] {
  const idle = new Set(exceptions)
  const ours = sources.filter(({ file, text }) => isOurs(file) && !text.includes('\0'))
  const breaches = RULES.flatMap((rule) =>
    ours
      .filter(({ file }) => counts(rule, file))
      .flatMap((source) =>
        rule.find(source, ours).map(({ line, what }) => breach(source.file, line, rule, what)),
      ),
  ).filter(({ file, rule, what }) => {
    const allowed = exceptions.filter(
      (one) => one.rule === rule && one.file === file && what.includes(one.of ?? ''),
    )
    for (const one of allowed) idle.delete(one)
    return allowed.length === 0
  })
  return [
    ...breaches,
    ...[...idle].map(({ rule, file, reason }) => ({
      file,
      line: 0,
      rule,
      says: 'an exception that is no longer needed',
      what: reason,
    })),
  ]
}

function counts(rule: Rule, file: string): boolean {
  return rule.files.test(file) && !(OF_THE_RULES.test(file) && rule.examples === true)
}

function breach(file: string, line: number, { name, says }: Rule, what: string): Breach {
  return { file, line, rule: name, says, what: what.slice(0, SHOWN_COLUMNS) }
}

/** Everything that is or would be committed. */
export function committed(): Source[] {
  const { stdout, status, stderr } = spawnSync(
    'git',
    ['ls-files', '-z', '--cached', '--others', '--exclude-standard'],
    { cwd: ROOT, encoding: 'utf8', maxBuffer: 1 << 26 },
  )
  if (status !== 0) throw new Error(`git could not list the files: ${stderr}`)
  return stdout
    .split('\0')
    .filter((file) => file !== '' && existsSync(join(ROOT, file)))
    .map(readSource)
}

if (import.meta.main) {
  const only = process.argv.slice(2).filter((arg) => !arg.startsWith('-'))
  const breaches = breachesOf(committed()).filter(
    ({ file, rule }) =>
      only.length === 0 || only.some((word) => rule === word || file.startsWith(word)),
  )
  for (const { file, line, rule, says, what } of breaches)
    process.stdout.write(`${file}:${line}  ${rule}: ${says}\n    ${what}\n`)
  process.exitCode = breaches.length === 0 ? 0 : 1
}
