/** `kontor …`: from what was typed to the exit code. */
import { readFile } from 'node:fs/promises'
import { nextCursor } from '../client.ts'
import type { Client } from '../index.ts'
import { COMMON, formatOf, parse, typedFor } from './arguments.ts'
import type { Typed, Values } from './arguments.ts'
import { call, preview } from './call.ts'
import { followEvents } from './follow.ts'
import { serveMcp } from './mcp/serve.ts'
import { helpOf, helpOfGroup, overview } from './help.ts'
import type { Operation } from './operation.ts'
import { OPERATIONS } from './operations.ts'
import { csvOf, tableOf } from './output.ts'
import { importPayouts } from './payouts.ts'
import { Problem, problemOf } from './problem.ts'
import { logIn, logOut, open } from './session.ts'
import { SHORTCUTS } from './special.ts'
import type { Terminal } from './terminal.ts'

const PAGE_ROWS = '50'
const INTERRUPTED = 130

/** Answers the exit code. What nobody expects is thrown. */
export async function run(args: readonly string[], terminal: Terminal): Promise<number> {
  try {
    await command(args, terminal)
    return 0
  } catch (error) {
    // Events have no other end.
    if (terminal.leaving.aborted) return args[0] === 'events' ? 0 : INTERRUPTED
    const { lines, exit } = problemOf(error)
    for (const line of lines) terminal.note(line)
    return exit
  }
}

async function command(args: readonly string[], terminal: Terminal): Promise<void> {
  const [group = '--help', ...rest] = args
  if (group === '--version' || group === 'version') return terminal.print(await version())
  if (group === 'help' && rest.length > 0) return command([...rest, '--help'], terminal)
  if (group === '--help' || group === '-h' || group === 'help') return terminal.print(overview())
  if (group === 'login') {
    const { values } = parse(rest, { ...COMMON, email: { type: 'string' } })
    if (values['help'] === true) return terminal.print(LOGIN_HELP)
    return logIn(terminal, values)
  }
  if (group === 'logout') {
    parse(rest, {})
    return logOut(terminal)
  }
  if (group === 'mcp') return serveMcp(rest, terminal, await version())
  if (group === 'payouts') return importPayouts(rest, terminal)
  if (group === 'events' && (rest.includes('--follow') || rest[0] === 'follow'))
    return followEvents(
      rest.filter((word) => word !== '--follow' && word !== 'follow'),
      terminal,
    )
  const shortcut = SHORTCUTS[group]
  if (shortcut !== undefined) return shortened(group, rest, terminal)
  const operations = OPERATIONS.filter((operation) => operation.group === group)
  if (operations.length === 0)
    throw new Problem('usage', `there is no resource ${group}: kontor --help lists them`)
  const [verb = '--help', ...typed] = rest
  if (verb === '--help' || verb === '-h') return terminal.print(helpOfGroup(group))
  const operation = operations.find((one) => one.verb === verb)
  if (operation === undefined)
    throw new Problem('usage', `${group} has no command ${verb}\n${helpOfGroup(group)}`)
  return execute(operation, typed, terminal)
}

/** Of the package, above the folder of the sources as of what is built. */
async function version(): Promise<string> {
  const text = await readFile(new URL('../../package.json', import.meta.url), 'utf8')
  return (JSON.parse(text) as { version: string }).version
}

const LOGIN_HELP = [
  'kontor login [--server URL] [--email EMAIL]',
  '',
  'Asks for the password, or takes KONTOR_PASSWORD. With --key-file or KONTOR_API_KEY it stores',
  'the key. The session is stored in $XDG_CONFIG_HOME/kontor/session.json (~/.config when unset),',
  'which only its owner can read; KONTOR_SESSION names another file.',
].join('\n')

/** `kontor search wire from Alpine`: the words need no quotes. */
async function shortened(name: string, rest: readonly string[], terminal: Terminal): Promise<void> {
  const { group, verb } = SHORTCUTS[name] ?? {}
  const operation = OPERATIONS.find((one) => one.group === group && one.verb === verb)
  if (operation === undefined) throw new Error(`${name} names no operation`)
  if (name !== 'search') return execute(operation, rest, terminal)
  const first = rest.findIndex((word) => word.startsWith('-'))
  const words = first === -1 ? rest : rest.slice(0, first)
  const options = first === -1 ? [] : rest.slice(first)
  if (words.length === 0) return execute(operation, [...options], terminal)
  return execute(operation, ['--q', words.join(' '), ...options], terminal)
}

async function execute(
  operation: Operation,
  args: readonly string[],
  terminal: Terminal,
): Promise<void> {
  const typed = await typedFor(operation, args, terminal)
  if (typed.values['help'] === true) return terminal.print(helpOf(operation))
  const format = formatOf(typed.values)
  const opened = await open(terminal, typed.values)
  const signal = terminal.leaving
  if (typed.values['dry-run'] === true)
    return terminal.print(JSON.stringify(await preview(operation, typed, opened), null, 2))
  if (operation.method !== 'get') {
    const data = await call(operation, typed, opened.kontor, { signal })
    return print(data, typed.values, terminal)
  }
  if (format === 'csv' && operation.csv === true)
    return printCsv(operation, typed, terminal, opened.kontor)
  return printList(operation, typed, terminal, opened.kontor)
}

/** As the service writes it, piece by piece. */
async function printCsv(
  { path, paged }: Operation,
  { params, query, values }: Typed,
  terminal: Terminal,
  kontor: Client,
): Promise<void> {
  const limit = paged === true && values['all'] !== true ? { limit: PAGE_ROWS } : {}
  const response = await kontor.open(
    path as never,
    {
      params,
      query: { ...limit, ...query },
      accept: 'text/csv',
      signal: terminal.leaving,
    } as never,
  )
  const decoder = new TextDecoder()
  for await (const piece of response.body ?? [])
    await terminal.write(decoder.decode(piece, { stream: true }))
  noteMore(nextCursor(response), terminal)
}

function noteMore(next: string | undefined, terminal: Terminal): void {
  if (next !== undefined) terminal.note(`there are more rows: use --all, or --cursor ${next}`)
}

async function printList(
  operation: Operation,
  typed: Typed,
  terminal: Terminal,
  kontor: Client,
): Promise<void> {
  const signal = terminal.leaving
  if (operation.paged !== true)
    return print(await call(operation, typed, kontor, { signal }), typed.values, terminal)
  const whole = typed.values['all'] === true
  const limit = whole ? {} : { limit: PAGE_ROWS }
  const request = { params: typed.params, query: { ...limit, ...typed.query }, signal } as never
  if (whole) {
    const rows: unknown[] = []
    for await (const row of kontor.all(operation.path as never, request)) rows.push(row)
    return print(rows, typed.values, terminal)
  }
  const { items, next } = await kontor.page(operation.path as never, request)
  await print(items, typed.values, terminal)
  noteMore(next, terminal)
}

async function print(data: unknown, values: Values, terminal: Terminal): Promise<void> {
  const format = formatOf(values)
  if (format === 'json') return terminal.print(JSON.stringify(data, null, 2))
  if (format === 'csv') return terminal.write(csvOf(data))
  const chosen =
    typeof values['columns'] === 'string' ? { chosen: values['columns'].split(',') } : {}
  return terminal.print(tableOf(data, { columns: terminal.columns, ...chosen }))
}
