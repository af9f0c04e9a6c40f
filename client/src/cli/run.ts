/** `kontor …`: from what was typed to the exit code. */
import { readFile } from 'node:fs/promises'
import { withAccount } from './accounts.ts'
import { COMMON, parse, typedFor } from './arguments.ts'
import { call, preview } from './call.ts'
import { checkProofFile } from './check-proof.ts'
import { followEvents } from './follow.ts'
import { serveMcp } from './mcp/serve.ts'
import { helpOf, helpOfGroup, overview } from './help.ts'
import type { Operation } from './operation.ts'
import { OPERATIONS } from './operations.ts'
import { importPayouts } from './payouts.ts'
import { Problem, problemOf } from './problem.ts'
import { logIn, logOut, open } from './session.ts'
import { layoutOf, show, showAnswer } from './show.ts'
import { SHORTCUTS } from './special.ts'
import type { Terminal } from './terminal.ts'

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
  if (group === 'check-proof') return checkProofFile(rest, terminal)
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
  'Asks for the e-mail and the password, or reads each from a line of what is piped. The password',
  'may be in KONTOR_PASSWORD instead. With --key-file or KONTOR_API_KEY it stores the key.',
  'The session is stored in $XDG_CONFIG_HOME/kontor/session.json (~/.config when unset),',
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
  const asked = await typedFor(operation, args, terminal)
  if (asked.values['help'] === true) return terminal.print(helpOf(operation))
  const layout = layoutOf(operation, asked.values)
  const opened = await open(terminal, asked.values)
  const signal = terminal.leaving
  const typed = await withAccount(operation, asked, opened.kontor, signal)
  if (typed.values['dry-run'] === true)
    return terminal.print(JSON.stringify(await preview(operation, typed, opened), null, 2))
  if (operation.method === 'get')
    return showAnswer({ operation, typed, layout, terminal, kontor: opened.kontor })
  const data = await call(operation, typed, opened.kontor, { signal })
  return show(data, layout, terminal)
}
