/** `--help`, of everything, of a resource and of a command. */
import { takesAccount } from './accounts.ts'
import { isTyped } from './arguments.ts'
import { hasPreview, optionOf, pathParameters } from './operation.ts'
import type { Field, Operation } from './operation.ts'
import { OPERATIONS } from './operations.ts'
import { SHORTCUTS, SPECIAL } from './special.ts'

const COMMON_LINES = [
  '  --server URL       the address of the service; else KONTOR_URL, else that of the log-in',
  '  --key-file FILE    a file with an API key; else KONTOR_API_KEY_FILE, or the key itself in',
  '                     KONTOR_API_KEY. No option takes the key: others may see arguments',
  '  --format FORMAT    table (when absent), json for programs, csv for spreadsheets: text that',
  '                     looks like a formula gets an apostrophe in front',
  '  --columns A,B      only these columns, in this order',
  '  --retries N        how often to retry a temporary failure (default 4)',
  '  -h, --help',
]

const ACCOUNT_LINE =
  '  --account NAME     the account by its label, by the label of its customer, or by its id'

const EXIT_LINES = [
  'Exit codes: 0 done · 1 refused · 2 not understood · 3 not logged in, or not permitted',
  '            4 does not exist · 5 no answer, or a fault of the service · 130 interrupted',
]

const groups = (): string[] => [...new Set(OPERATIONS.map(({ group }) => group))]

export function overview(): string {
  return [
    'kontor RESOURCE COMMAND [ID …] [--options]',
    '',
    ...Object.entries(SPECIAL).map(([name, summary]) => line(name, summary)),
    ...Object.entries(SHORTCUTS).map(([name, { usage, summary }]) =>
      line(`${name} ${usage}`.trimEnd(), summary),
    ),
    '',
    'Resources: each has --help.',
    ...wrapped(groups()),
    '',
    'Options of every command:',
    ...COMMON_LINES,
    '',
    ...EXIT_LINES,
  ].join('\n')
}

export function helpOfGroup(group: string): string {
  const operations = OPERATIONS.filter((operation) => operation.group === group)
  return [
    `kontor ${group} COMMAND`,
    '',
    ...operations.map((operation) =>
      line([operation.verb, ...names(operation)].join(' '), operation.summary),
    ),
    ...(group === 'events' ? [line('--follow', 'What happens, as it happens')] : []),
  ].join('\n')
}

export function helpOf(operation: Operation): string {
  const { group, verb, summary, says, permission, query, body, example, method } = operation
  const writes = method !== 'get'
  return [
    ['kontor', group, verb, ...names(operation), '[--options]'].join(' '),
    '',
    says === undefined ? summary : `${summary}. ${says}`,
    ...(permission === undefined ? [] : [`Permission: ${permission}`]),
    '',
    ...query.filter(isTyped).map(fieldLine),
    ...(operation.paged === true ? ['  --all              every page'] : []),
    ...body.filter(isTyped).map(fieldLine),
    ...(takesAccount(operation) ? [ACCOUNT_LINE] : []),
    ...(example === undefined
      ? []
      : [
          '  --data JSON        the whole body; @FILE reads a file, - the input',
          `                     for example '${JSON.stringify(example)}'`,
        ]),
    ...(writes
      ? [
          dryRunLine(operation),
          '  --idempotency-key  makes it safe to repeat a command whose answer was lost',
        ]
      : []),
    ...COMMON_LINES,
  ].join('\n')
}

const dryRunLine = (operation: Operation): string =>
  hasPreview(operation)
    ? '  --dry-run          shows what would be sent, and what would come of it'
    : '  --dry-run          shows what would be sent; the service has no preview of it'

const names = (operation: Operation): string[] =>
  pathParameters(operation).map((name) => name.toUpperCase())

function fieldLine({ name, kind, required, words, says }: Field): string {
  const option = `--${optionOf(name)}`
  const value = kind === 'flag' ? '' : ` ${kind === 'list' ? 'A,B' : kind.toUpperCase()}`
  const notes = [
    ...(required === true ? ['required'] : []),
    ...(says === undefined ? [] : [says]),
    ...(words === undefined ? [] : [words.join(' | ')]),
  ]
  return line(option + value, notes.join('. '))
}

const WIDTH = 19
const line = (head: string, text: string): string =>
  `  ${head.padEnd(WIDTH)}${head.length >= WIDTH ? ' ' : ''}${text}`.trimEnd()

function wrapped(words: readonly string[]): string[] {
  const lines: string[] = []
  for (const word of words) {
    const last = lines.at(-1)
    if (last === undefined || last.length + word.length > 78) lines.push(`  ${word}`)
    else lines[lines.length - 1] = `${last} ${word}`
  }
  return lines
}
