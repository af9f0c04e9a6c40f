/**
 * House rules that no compiler knows, as data: what no committed text may hold, and where an
 * exception stands with its reason. `node tools/check/tidy.ts` prints every breach and fails when
 * there is one; tidy.test.ts proves that rules bite.
 */
import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { ROOT } from '../setup/setup.mjs'

export type Breach = { file: string; line: number; rule: string; text: string }

type Rule = {
  name: string
  files: RegExp
  /** One line of text that breaks it. */
  breaks: RegExp
  /** Comments are looked at too. */
  comments?: true
  /** File → why it may. */
  exceptions?: Readonly<Record<string, string>>
}

const CODE = /\.(ts|tsx|mjs)$/
const OURS = /^(?!docs\/generated\/|client\/src\/generated\.ts$|package-lock\.json$|LICENSE$)/
/** These two hold examples of what they forbid. */
const THE_RULES = /^(?!tools\/check\/tidy(\.test)?\.ts$)/

const ANY = /^/

const RULES: readonly Rule[] = [
  {
    name: 'unfinished work is not committed',
    files: ANY,
    comments: true,
    breaks: /\b(TODO|FIXME|XXX|HACK)\b/,
  },
  { name: 'nothing is typed any', files: CODE, breaks: /:\s*any\b|\bas any\b|<any>|\bany\[\]/ },
  {
    name: 'the compiler is not silenced',
    files: CODE,
    comments: true,
    breaks: /@ts-(ignore|nocheck|expect-error)/,
  },
  {
    name: 'no floating point near money',
    files: /^server\/src\/.*(?<!\.test)\.ts$/,
    breaks: /\bparseFloat\b|\.toFixed\(|\.toPrecision\(|\bMath\.round\(/,
    exceptions: {
      'server/src/http/measure.ts': 'milliseconds in the log',
      'server/src/store/embedded.ts': 'seconds in a progress line',
      'server/src/venues/exchange/kraken/words.ts': 'times in seconds with a fraction',
      'server/src/venues/exchange/kraken/books.ts':
        'figures of the order book and its checksum, which arrive as JSON numbers',
      'server/src/venues/exchange/bitstamp/words.ts':
        'very small amounts, which arrive as JSON numbers with an exponent',
    },
  },
  {
    name: 'the service speaks through its log',
    files: /^server\/src\/.*(?<!\.test)\.ts$/,
    breaks: /\bconsole\.\w+\(/,
  },
  {
    name: 'no path of one machine',
    files: ANY,
    comments: true,
    breaks: /\/(home|Users|work)\/[a-z0-9_-]+\/|[A-Z]:\\\\Users/,
  },
  {
    name: 'every import names its file',
    files: CODE,
    breaks: /from '\.{1,2}\/[^']*(?<!\.(?:tsx?|mjs|json|css))'/,
  },
]

const MAXIMUM_LINES = 900
const LONG_FILES: Readonly<Record<string, string>> = {}
/** A header of a module or a public function may say more. */
const MAXIMUM_COMMENT_LINES = 3

/** Every breach of one file. `path` relative to the repository. */
export function breachesOf(path: string, text: string): Breach[] {
  if (!OURS.test(path) || !THE_RULES.test(path) || text.includes('\0')) return []
  const lines = text.split('\n')
  const breaches: Breach[] = []
  const tell = (line: number, rule: string) => {
    breaches.push({ file: path, line, rule, text: (lines[line - 1] ?? '').trim().slice(0, 120) })
  }
  for (const rule of RULES) {
    if (!rule.files.test(path) || rule.exceptions?.[path] !== undefined) continue
    lines.forEach((line, index) => {
      if (rule.breaks.test(rule.comments === true ? line : withoutComment(line)))
        tell(index + 1, rule.name)
    })
  }
  if (!CODE.test(path)) return breaches
  if (lines.length > MAXIMUM_LINES && LONG_FILES[path] === undefined)
    tell(lines.length, `a file has at most ${MAXIMUM_LINES} lines`)
  let run = 0
  lines.forEach((line, index) => {
    run = /^\s+\/\/(?!\/)/.test(line) ? run + 1 : 0
    if (run === MAXIMUM_COMMENT_LINES + 1)
      tell(index + 1, `a comment inside code has at most ${MAXIMUM_COMMENT_LINES} lines`)
  })
  return breaches
}

function withoutComment(line: string): string {
  if (/^\s*(\*|\/\*|\/\/)/.test(line)) return ''
  return line.replace(/(^|\s)\/\/ .*$/, '').replaceAll(/(?<!from |import )'[^']*'|"[^"]*"/g, "''")
}

/** Breaches of everything that is or would be committed, and exceptions for files that are gone. */
export function tidy(): Breach[] {
  const { stdout, status, stderr } = spawnSync(
    'git',
    ['ls-files', '-z', '--cached', '--others', '--exclude-standard'],
    { cwd: ROOT, encoding: 'utf8', maxBuffer: 1 << 26 },
  )
  if (status !== 0) throw new Error(`git could not list the files: ${stderr}`)
  const files = stdout.split('\0').filter((file) => file !== '' && existsSync(join(ROOT, file)))
  const known = new Set(files)
  const idle = [
    ...RULES.flatMap((rule) => Object.keys(rule.exceptions ?? {})),
    ...Object.keys(LONG_FILES),
  ].filter((file) => !known.has(file))
  return [
    ...files.flatMap((file) => breachesOf(file, readFileSync(join(ROOT, file), 'utf8'))),
    ...idle.map((file) => ({
      file,
      line: 0,
      rule: 'an exception names a file that is not there',
      text: '',
    })),
  ]
}

if (import.meta.main) {
  const breaches = tidy()
  for (const { file, line, rule, text } of breaches)
    process.stdout.write(`${file}:${line}  ${rule}\n    ${text}\n`)
  process.exitCode = breaches.length === 0 ? 0 : 1
}
