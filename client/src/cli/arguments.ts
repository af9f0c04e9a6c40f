/** What was typed after a command, as the request that it means. */
import { parseArgs } from 'node:util'
import { readFile } from 'node:fs/promises'
import { takesAccount } from './accounts.ts'
import { optionOf, pathParameters } from './operation.ts'
import type { Field, Operation } from './operation.ts'
import { FORMATS } from './output.ts'
import type { Format } from './output.ts'
import { Problem } from './problem.ts'
import type { Terminal } from './terminal.ts'

export const COMMON = {
  server: { type: 'string' },
  'key-file': { type: 'string' },
  format: { type: 'string' },
  columns: { type: 'string' },
  retries: { type: 'string' },
  help: { type: 'boolean', short: 'h' },
} as const

type Options = Record<string, { type: 'string' | 'boolean'; short?: string }>
export type Values = Record<string, string | boolean | undefined>

/** Throws Problem for an option that nobody knows, or a value that is missing. */
export function parse(
  args: readonly string[],
  options: Options,
): { values: Values; positionals: string[] } {
  try {
    const parsed = parseArgs({ args: [...args], options, allowPositionals: true })
    return { values: parsed.values as Values, positionals: parsed.positionals }
  } catch (error) {
    const [message = ''] = (error as Error).message.split('. To specify')
    throw new Problem('usage', message)
  }
}

export function formatOf({ format = 'table' }: Values): Format {
  const known = FORMATS.find((name) => name === format)
  if (known === undefined) throw new Problem('usage', `--format is ${FORMATS.join(', ')}`)
  return known
}

export type Typed = {
  params: Record<string, string>
  query: Record<string, string>
  body: unknown
  values: Values
}

export function optionsOf(operation: Operation): Options {
  const fields = [...operation.query, ...operation.body]
  return {
    ...Object.fromEntries(
      fields.flatMap(({ name, kind }): [string, { type: 'string' | 'boolean' }][] =>
        kind === 'flag'
          ? [
              [optionOf(name), { type: 'boolean' }],
              [`no-${optionOf(name)}`, { type: 'boolean' }],
            ]
          : [[optionOf(name), { type: 'string' }]],
      ),
    ),
    ...COMMON,
    ...(takesAccount(operation) ? { account: { type: 'string' } as const } : {}),
    ...(operation.paged === true ? { all: { type: 'boolean' } as const } : {}),
    ...(operation.method === 'get'
      ? {}
      : {
          'dry-run': { type: 'boolean' } as const,
          'idempotency-key': { type: 'string' } as const,
        }),
    ...(operation.example === undefined ? {} : { data: { type: 'string' } as const }),
  }
}

/** Throws Problem for what is missing or wrong; the service judges the rest. */
export async function typedFor(
  operation: Operation,
  args: readonly string[],
  terminal: Terminal,
): Promise<Typed> {
  const { values, positionals } = parse(args, optionsOf(operation))
  const names = pathParameters(operation)
  if (positionals.length !== names.length && values['help'] !== true)
    throw new Problem('usage', `${wanted(names)}, and got ${positionals.length}`)
  const query: Record<string, string> = {}
  for (const field of operation.query.filter(isTyped)) {
    const value = valueOf(field, values)
    if (value !== undefined) query[field.name] = String(value)
  }
  return {
    params: Object.fromEntries(names.map((name, index) => [name, positionals[index] ?? ''])),
    query,
    body: operation.example === undefined ? undefined : await bodyOf(operation, values, terminal),
    values,
  }
}

/** `--dry-run` and `--account` mean more than a field. */
export const isTyped = ({ name }: Field): boolean => name !== 'dry_run' && name !== 'account'

const wanted = (names: readonly string[]): string =>
  names.length === 0
    ? 'this command takes no arguments without a name'
    : `this command takes ${names.map((name) => name.toUpperCase()).join(' ')}`

/** `--data`, and over it what has an option of its own. */
async function bodyOf({ body }: Operation, values: Values, terminal: Terminal): Promise<unknown> {
  const given = values['data']
  const data = typeof given === 'string' ? await dataOf(given, terminal) : undefined
  const fields = body.filter(isTyped).flatMap((field) => {
    const value = valueOf(field, values)
    return value === undefined ? [] : [[field.name, value] as const]
  })
  if (fields.length === 0 && data !== undefined) return data
  if (data !== undefined && (typeof data !== 'object' || data === null || Array.isArray(data)))
    throw new Problem('usage', '--data is not an object, so no field can be put into it')
  return { ...data, ...Object.fromEntries(fields) }
}

async function dataOf(given: string, terminal: Terminal): Promise<unknown> {
  if (given === '-') return jsonOf('the input', await terminal.input())
  if (!given.startsWith('@')) return jsonOf('--data', given)
  const text = await readFile(given.slice(1), 'utf8').catch((error: Error) => {
    throw new Problem('usage', `--data: ${error.message}`)
  })
  return jsonOf(given.slice(1), text)
}

function jsonOf(what: string, text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    throw new Problem('usage', `${what} is not JSON: ${(error as Error).message}`)
  }
}

function valueOf({ name, kind }: Field, values: Values): unknown {
  const option = optionOf(name)
  if (kind === 'flag') {
    if (values[`no-${option}`] === true) return false
    return values[option]
  }
  const value = values[option]
  if (typeof value !== 'string') return undefined
  if (kind === 'json') return jsonOf(`--${option}`, value)
  if (kind === 'list') return value.split(',').map((item) => item.trim())
  if (kind !== 'number') return value
  if (!/^-?\d+$/.test(value)) throw new Problem('usage', `--${option} is a whole number`)
  return Number(value)
}
