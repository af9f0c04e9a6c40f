/**
 * `npm run generate`: writes docs/generated/, the client's types and the configuration file's
 * schema from the code itself; `--check` only names what is out of date. Needs no database:
 * endpoints are declared, nothing is called.
 */
import { existsSync } from 'node:fs'
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { operationTable } from '../../client/generate-operations.ts'
import { clientTypes, errorCodes } from '../../client/generate.ts'
import { ConfigSchema } from '../../server/src/configuration/index.ts'
import { PERMISSIONS, PERMISSIONS_OF, ROLES } from '../../server/src/access/index.ts'
import { endpointsOf } from '../../server/src/server.ts'
import type { App } from '../../server/src/app.ts'
import { DETAIL_CODES, DETAILS, ERRORS } from '../../server/src/core/errors.ts'
import type { Moves } from '../../server/src/core/moves.ts'
import { TABLES } from '../../server/src/desk/erasure/tables.ts'
import { MAILED_TYPES, permissionOfEvent } from '../../server/src/events/index.ts'
import { drawFloors } from '../../server/src/floors.ts'
import { openApiDocument } from '../../server/src/http/index.ts'
import type { Endpoint } from '../../server/src/http/index.ts'
import { EVENT_DATA, EVENTS } from '../../server/src/ledger/index.ts'
import type { EventType } from '../../server/src/ledger/index.ts'
import { ROOT } from '../setup/setup.mjs'
import { postmanCollection } from './postman.ts'

const SOURCE = join(ROOT, 'server/src')
const NOTE = '<!-- Written by `npm run generate`; changes here are lost. -->'

/**
 * Stands for a long-lived part: may be handed on and taken apart, and throws as soon as it is used.
 */
function untouchable(name: string): unknown {
  return new Proxy(() => undefined, {
    get: (_, key) => (key === 'then' ? undefined : untouchable(`${name}.${String(key)}`)),
    apply: () => {
      throw new Error(`${name} was called while endpoints are only declared`)
    },
  })
}

/** Every endpoint of the service, without a database. Their handlers throw. */
export function declaredEndpoints(): Endpoint[] {
  return endpointsOf(untouchable('app') as App)
}

/** All generated files: path relative to the repository → text. */
export async function generated(): Promise<Map<string, string>> {
  const endpoints = declaredEndpoints()
  const document = `${JSON.stringify(openApiDocument(endpoints), null, 2)}\n`
  return new Map([
    ['docs/generated/openapi.json', document],
    ['docs/generated/postman.json', `${JSON.stringify(postmanCollection(document), null, 2)}\n`],
    ['docs/generated/errors.md', errors()],
    ['docs/generated/permissions.md', permissions(endpoints)],
    ['docs/generated/events.md', events()],
    ['docs/generated/tables.md', tables()],
    ['docs/generated/states.md', states(await stateMachines())],
    ['docs/generated/floors.md', page('The floors of server/src', ['```', drawFloors(), '```'])],
    ['server/config/kontor.schema.json', `${JSON.stringify({ ...ConfigSchema }, null, 2)}\n`],
    ['client/src/generated.ts', await clientTypes(document)],
    ['client/src/cli/operations.ts', operationTable(document)],
    ['client/src/error-codes.ts', errorCodes(ERRORS, DETAIL_CODES)],
  ])
}

const page = (title: string, lines: readonly string[]): string =>
  `${NOTE}\n\n# ${title}\n\n${lines.join('\n')}\n`

function table(head: readonly string[], rows: readonly (readonly string[])[]): string[] {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`
  return [line(head), line(head.map(() => '---')), ...rows.map(line)]
}

function errors(): string {
  return page('Errors', [
    'The answer to a request that was refused or failed: `{success: false, error_code, ' +
      'error_message, error_description?, error_details?, request_id}`.',
    '',
    ...table(
      ['error_code', 'HTTP', 'error_message', 'name'],
      Object.entries(ERRORS).map(([name, error]) => [
        String(error.code),
        String(error.status),
        error.message,
        name,
      ]),
    ),
    '',
    '`error_details` is an array of `{path, code, message}`: `path` names the field, ' +
      '`message` is for people, `code` is one of',
    '',
    ...table(
      ['code', 'meaning'],
      Object.entries(DETAILS)
        .toSorted(([a], [b]) => (a < b ? -1 : 1))
        .map(([code, meaning]) => [`\`${code}\``, meaning]),
    ),
  ])
}

function tables(): string {
  const columns = (names: readonly string[]) => names.map((name) => `\`${name}\``).join(', ')
  const passing = (table: string) => {
    const ways = Object.values(TABLES[table]?.customers ?? {})
    return ways.includes('passing') ? ' (they go with the rows)' : ''
  }
  return page('Tables', [
    'How long the rows of each table are kept, and where texts of customers and of users stand. ' +
      'An erasure takes out those of a customer; see docs/operations.md.',
    '',
    ...table(
      ['table', 'kept', 'texts of customers', 'texts of users'],
      Object.entries(TABLES).map(([name, { kept, customers = {}, staff = [] }]) => [
        `\`${name}\``,
        kept,
        columns(Object.keys(customers)) + passing(name),
        columns(staff),
      ]),
    ),
  ])
}

function permissions(endpoints: readonly Endpoint[]): string {
  const opens = (permission: string) =>
    endpoints
      .filter((endpoint) => endpoint.permission === permission)
      .map((endpoint) => `\`${endpoint.method} ${endpoint.path}\``)
      .join('<br>')
  return page('Permissions', [
    'Each endpoint declares exactly one permission. A role is a set of permissions; a ' +
      'user has one or more roles.',
    '',
    ...table(
      ['permission', 'meaning', ...ROLES],
      Object.entries(PERMISSIONS).map(([name, meaning]) => [
        `\`${name}\``,
        meaning,
        ...ROLES.map((role) =>
          (PERMISSIONS_OF[role] as readonly string[]).includes(name) ? '●' : '',
        ),
      ]),
    ),
    '',
    '## What each opens',
    '',
    ...table(
      ['permission', 'endpoints'],
      ['public', 'authenticated', ...Object.keys(PERMISSIONS)]
        .map((name) => [`\`${name}\``, opens(name)])
        .filter(([, opened]) => opened !== ''),
    ),
  ])
}

function events(): string {
  return page('Events', [
    'Every event, when it is published, and what its data names.',
    '[events.md](../events.md) says how to read them.',
    '',
    ...table(
      ['type', 'when', 'data', 'permission', 'mailed to the customers it concerns'],
      (Object.keys(EVENTS) as EventType[]).map((type) => [
        `\`${type}\``,
        EVENTS[type],
        EVENT_DATA[type] ?? '',
        `\`${permissionOfEvent(type)}\``,
        (MAILED_TYPES as readonly string[]).includes(type) ? '●' : '',
      ]),
    ),
  ])
}

type StateMachine = { file: string; name: string; moves: Moves<string> }

/**
 * Every exported constant of type `Moves<…>` in the service's sources. Throws when one is not
 * exported.
 */
export async function stateMachines(): Promise<StateMachine[]> {
  const machines: StateMachine[] = []
  const files = (await readdir(SOURCE, { recursive: true }))
    .map((file) => file.replaceAll('\\', '/'))
    .filter((file) => file.endsWith('.ts') && !/\.(test|fixture)\.ts$/.test(file))
  for (const file of files.toSorted()) {
    const text = await readFile(join(SOURCE, file), 'utf8')
    for (const [, exported, name = ''] of text.matchAll(
      /^(export )?const (\w+)(?:: Moves<.*?> =|(?= = \{[^]*?\} (?:as const )?satisfies Moves<))/gm,
    )) {
      if (exported === undefined)
        throw new Error(
          `server/src/${file}: the state table ${name} is not exported, so no page can show it`,
        )
      const module = (await import(pathToFileURL(join(SOURCE, file)).href)) as Record<
        string,
        Moves<string>
      >
      const moves = module[name]
      if (moves === undefined) throw new Error(`server/src/${file} exports no ${name}`)
      machines.push({ file, name, moves })
    }
  }
  return machines
}

function states(machines: readonly StateMachine[]): string {
  return page('States', [
    'Every state machine and its moves; anything else is refused. A state without moves is final.',
    ...machines.flatMap(({ file, name, moves }) => [
      '',
      `## ${title(name)}`,
      '',
      `\`server/src/${file}\``,
      '',
      ...table(
        ['from \\ to', ...Object.keys(moves)],
        Object.entries(moves).map(([from, to]) => [
          to.length === 0 ? `**${from}** (final)` : from,
          ...Object.keys(moves).map((state) => (to.includes(state) ? '●' : '')),
        ]),
      ),
    ]),
  ])
}

/** DEPOSIT_MOVES → Deposit */
function title(name: string): string {
  const words = name
    .replace(/_?MOVES$/i, '')
    .replaceAll(/([a-z])([A-Z])/g, '$1 $2')
    .replaceAll('_', ' ')
    .toLowerCase()
  return words.charAt(0).toUpperCase() + words.slice(1)
}

if (import.meta.main) {
  const check = process.argv.includes('--check')
  for (const [path, text] of await generated()) {
    const file = join(ROOT, path)
    if (existsSync(file) && (await readFile(file, 'utf8')) === text) continue
    process.stdout.write(
      check ? `${path} is out of date: run npm run generate\n` : `wrote ${path}\n`,
    )
    if (check) {
      process.exitCode = 1
      continue
    }
    await mkdir(dirname(file), { recursive: true })
    await writeFile(file, text)
  }
}
