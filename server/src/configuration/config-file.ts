/**
 * The configuration file: read, and checked as a whole with every fault named.
 */
import { readFile } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import { Compile } from 'typebox/compile'
import { ApiError, refuse } from '../core/errors.ts'
import type { ErrorDetail } from '../core/errors.ts'
import { problemsOf, problemsOfTerms } from '../venues/index.ts'
import type { DeclaredVenue, SecretReference } from '../venues/index.ts'
import { ConfigSchema } from './configuration.schema.ts'
import type { Config } from './configuration.schema.ts'
import { problemsOfReferences } from './references.ts'

const check = Compile(ConfigSchema)

/** Throws 3001 whose details name every fault; the message is one line per fault. */
export async function readConfig(
  path: string,
  env: Readonly<Record<string, string | undefined>>,
): Promise<Config> {
  const file = resolve(path)
  const content = await readFile(file, 'utf8').catch((error: unknown) => {
    throw refuse('NOT_FOUND', '', `configuration ${file} cannot be read: ${messageOf(error)}`)
  })
  return checkConfig(parseJson(content, file), { ...env, CONFIG_DIR: dirname(file) }, dirname(file))
}

function parseJson(content: string, file: string): unknown {
  try {
    return JSON.parse(content)
  } catch (error) {
    throw refuse(
      'MALFORMED_JSON',
      '',
      `configuration ${file} is not valid JSON: ${messageOf(error)}`,
    )
  }
}

const messageOf = (error: unknown) => (error instanceof Error ? error.message : String(error))

/** `${NAME}` in any text is the environment's; paths of secrets are relative to `folder`. */
export function checkConfig(
  content: unknown,
  env: Readonly<Record<string, string | undefined>>,
  folder: string,
): Config {
  const missing: ErrorDetail[] = []
  const config = expand(content, { env, missing })
  if (missing.length > 0) throw invalidConfig(missing)
  // An unknown field gives two errors. The object's names the field, so the field's is left out.
  const errors = [...check.Errors(config)]
    .filter(({ keyword }) => keyword !== 'boolean')
    .map(detailOf)
  if (errors.length > 0) throw invalidConfig(errors)
  const valid = config as Config
  const duplicates = (['venues', 'wallets', 'routes', 'price_routes'] as const).flatMap((section) =>
    repeatedKeys(
      (valid[section] ?? []).map((entry) => entry.key),
      section,
    ),
  )
  const problems = [
    ...duplicates,
    ...(valid.venues ?? []).flatMap((venue, index) => problemsOf(venue, `venues[${index}]`)),
    ...problemsOfTerms(valid.assets ?? [], valid.venues ?? []),
    ...problemsOfReferences(valid),
  ]
  if (problems.length > 0) throw invalidConfig(problems)
  const { venues, aggregator } = valid
  return {
    ...valid,
    ...(venues === undefined ? {} : { venues: venues.map((venue) => withPaths(venue, folder)) }),
    ...(aggregator?.api_key === undefined
      ? {}
      : { aggregator: { ...aggregator, api_key: withPath(aggregator.api_key, folder) } }),
  }
}

type Expansion = {
  env: Readonly<Record<string, string | undefined>>
  /** Receives a fault for each variable that the environment does not have. */
  missing: ErrorDetail[]
}

/** Puts the environment's values into every text. */
function expand(value: unknown, expansion: Expansion, path = ''): unknown {
  if (typeof value === 'string') return expandText(value, expansion, path)
  if (Array.isArray(value))
    return value.map((entry, index) => expand(entry, expansion, `${path}[${index}]`))
  if (typeof value === 'object' && value !== null)
    return Object.fromEntries(
      Object.entries(value).map(([name, field]) => [
        name,
        expand(field, expansion, path === '' ? name : `${path}.${name}`),
      ]),
    )
  return value
}

function expandText(text: string, { env, missing }: Expansion, path: string): string {
  return text.replaceAll(/\$\{([A-Za-z_][A-Za-z0-9_]*)\}/g, (_whole, name: string) => {
    const value = env[name]
    if (value === undefined)
      missing.push({
        path,
        code: 'NOT_FOUND',
        message: `${path} names \${${name}}, which the environment does not have`,
      })
    return value ?? ''
  })
}

type SchemaError = { instancePath: string; message: string; params: unknown }

function detailOf({ instancePath, message, params }: SchemaError): ErrorDetail {
  const path = instancePath
    .split('/')
    .slice(1)
    .map((part) => (/^[0-9]+$/.test(part) ? `[${part}]` : `.${part}`))
    .join('')
    .replace(/^\./, '')
  const { code, names } = namesIn(params)
  const what = `${path === '' ? 'the file' : path} ${message}`
  return { path, code, message: names === undefined ? what : `${what}: ${names.join(', ')}` }
}

/** The fields or values that an error of the schema names, and what is wrong with them. */
function namesIn(params: unknown): Pick<ErrorDetail, 'code'> & { names?: unknown[] | undefined } {
  const { requiredProperties, additionalProperties, allowedValues } = params as {
    requiredProperties?: string[]
    additionalProperties?: string[]
    allowedValues?: unknown[]
  }
  if (additionalProperties !== undefined)
    return { code: 'UNKNOWN_FIELD', names: additionalProperties }
  if (requiredProperties !== undefined) return { code: 'REQUIRED', names: requiredProperties }
  return { code: 'FORMAT', names: allowedValues }
}

function repeatedKeys(keys: readonly string[], section: string): ErrorDetail[] {
  return keys.flatMap((key, index) =>
    keys.indexOf(key) === index
      ? []
      : [
          {
            path: `${section}[${index}].key`,
            code: 'DUPLICATE' as const,
            message: `${section}[${index}].key ${key} is used twice`,
          },
        ],
  )
}

export function invalidConfig(details: readonly ErrorDetail[]): ApiError {
  const lines = details.map(({ message }) => `  ${message}`)
  return new ApiError('BadRequest', `the configuration is not valid:\n${lines.join('\n')}`, details)
}

function withPaths(venue: DeclaredVenue, folder: string): DeclaredVenue {
  if (venue.secrets === undefined) return venue
  return {
    ...venue,
    secrets: Object.fromEntries(
      Object.entries(venue.secrets).map(([name, reference]) => [name, withPath(reference, folder)]),
    ),
  }
}

function withPath(reference: SecretReference, folder: string): SecretReference {
  return 'file' in reference ? { ...reference, file: resolve(folder, reference.file) } : reference
}
