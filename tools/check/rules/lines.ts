/** Rules that a pattern can judge, line by line. */
import { CODE } from './rule.ts'
import type { Finding, Rule, Source } from './rule.ts'

const ANY = /^/
const SERVICE_ONLY = /^server\/src\/.*(?<!\.test)\.ts$/

type LineRule = Omit<Rule, 'find'> & {
  /** One line of text that breaks it. */
  breaks: RegExp
  /** Comments are looked at too. */
  comments?: true
}

const PATTERNS: readonly LineRule[] = [
  {
    name: 'unfinished',
    says: 'unfinished work is not committed',
    files: ANY,
    comments: true,
    breaks: /\b(TODO|FIXME|XXX|HACK)\b/,
  },
  {
    name: 'any',
    says: 'nothing is typed any',
    files: CODE,
    breaks: /:\s*any\b|\bas any\b|<any>|\bany\[\]/,
  },
  {
    name: 'silenced-compiler',
    says: 'the compiler is not silenced',
    files: CODE,
    comments: true,
    breaks: /@ts-(ignore|nocheck|expect-error)/,
  },
  {
    name: 'floating-point',
    says: 'no floating point near money',
    files: SERVICE_ONLY,
    breaks: /\bparseFloat\b|\.toFixed\(|\.toPrecision\(|\bMath\.round\(/,
  },
  {
    name: 'console-log',
    says: 'the service speaks through its log',
    files: SERVICE_ONLY,
    breaks: /\bconsole\.\w+\(/,
  },
  {
    name: 'machine-path',
    says: 'no path of one machine',
    files: ANY,
    comments: true,
    breaks: /\/(home|Users|work)\/[a-z0-9_-]+\/|[A-Z]:\\\\Users/,
  },
  {
    name: 'import-file',
    says: 'every import names its file',
    files: CODE,
    breaks: /from '\.{1,2}\/[^']*(?<!\.(?:tsx?|mjs|json|css))'/,
  },
]

/** A header of a module or of a public function may say more. */
const COMMENT_LINES = 3

export const LINE_RULES: readonly Rule[] = [
  ...PATTERNS.map(({ breaks, comments, ...rule }) => ({
    ...rule,
    examples: true as const,
    find: ({ lines }: Source) =>
      lines.flatMap((line, index) =>
        breaks.test(comments === true ? line : withoutComment(line))
          ? [{ line: index + 1, what: line.trim() }]
          : [],
      ),
  })),
  {
    name: 'comment-length',
    says: `a comment inside code has at most ${COMMENT_LINES} lines`,
    files: CODE,
    find: ({ lines }) => longComments(lines),
  },
]

function withoutComment(line: string): string {
  if (/^\s*(\*|\/\*|\/\/)/.test(line)) return ''
  return line.replace(/(^|\s)\/\/ .*$/, '').replaceAll(/(?<!from |import )'[^']*'|"[^"]*"/g, "''")
}

function longComments(lines: readonly string[]): Finding[] {
  let run = 0
  return lines.flatMap((line, index) => {
    run = /^\s+\/\/(?!\/)/.test(line) ? run + 1 : 0
    return run === COMMENT_LINES + 1 ? [{ line: index + 1, what: line.trim() }] : []
  })
}
