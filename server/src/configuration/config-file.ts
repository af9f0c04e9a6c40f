/**
 * The configuration file: read, and checked as a whole with every fault named.
 */
import { readFile } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import { Compile } from 'typebox/compile'
import { ApiError, refuse } from '../core/errors.ts'
import type { ErrorDetail } from '../core/errors.ts'
import { problemsOf, problemsOfTerms } from '../venues/index.ts'
import type { DeclaredVenue, SecretReference, VenueSecretReference } from '../venues/index.ts'
import { ConfigSchema } from './configuration.schema.ts'
import type { Config } from './configuration.schema.ts'
import { withLogo } from './logo-in-file.ts'
import { problemsOfReferences } from './references.ts'

const check = Compile(ConfigSchema)

type Env = Readonly<Record<string, string | undefined>>

/**
 * Throws 3001 whose details name every fault; the message is one line per fault. `more` names
 * those that the file alone does not show.
 */
export async function readConfig(
  path: string,
  env: Env,
  more: (config: Config) => Promise<readonly ErrorDetail[]> = async () => [],
): Promise<Config> {
  const file = resolve(path)
  const content = await readFile(file, 'utf8').catch((error: unknown) => {
    throw refuse('NOT_FOUND', '', `configuration ${file} cannot be read: ${messageOf(error)}`)
  })
  const variables = { ...env, CONFIG_DIR: dirname(file) }
  const { config: read, problems } = examined(parseJson(content, file), variables, dirname(file))
  const { config, faults: ofLogo } = await withLogo(read, dirname(file))
  const faults = [...problems, ...ofLogo, ...(await more(config))]
  if (faults.length > 0) throw invalidConfig(faults)
  return config
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
export function checkConfig(content: unknown, env: Env, folder: string): Config {
  const { config, problems } = examined(content, env, folder)
  if (problems.length > 0) throw invalidConfig(problems)
  return config
}

/** Throws 3001 for what has not the shape of a configuration: nothing more can be told of it. */
function examined(
  content: unknown,
  env: Env,
  folder: string,
): { config: Config; problems: ErrorDetail[] } {
  const missing: ErrorDetail[] = []
  const config = expand(content, { env, missing })
  const errors = shapeErrors(config, missing)
  if (missing.length + errors.length > 0) throw invalidConfig([...missing, ...errors])
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
  const { venues, aggregator } = valid
  const located = {
    ...valid,
    ...(venues === undefined ? {} : { venues: venues.map((venue) => withPaths(venue, folder)) }),
    ...(aggregator?.api_key === undefined
      ? {}
      : { aggregator: { ...aggregator, api_key: withPath(aggregator.api_key, folder) } }),
  }
  return { config: located, problems }
}

/** Without those that only come from a text whose variable is missing. */
function shapeErrors(config: unknown, missing: readonly ErrorDetail[]): ErrorDetail[] {
  const isOfMissing = (path: string, keyword: string) =>
    missing.some((one) => one.path === path || (keyword === 'anyOf' && one.path.startsWith(path)))
  return (
    [...check.Errors(config)]
      // An unknown field gives two errors. The object's names it, so the field's is left out.
      .filter(({ keyword }) => keyword !== 'boolean')
      .map((error) => ({ keyword: error.keyword, detail: detailOf(error) }))
      .filter(({ keyword, detail }) => !isOfMissing(detail.path, keyword))
      .map(({ detail }) => detail)
  )
}

type Expansion = {
  env: Env
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
    // The rest is looked at as if it were there.
    return value ?? name
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
      Object.entries(venue.secrets).map(([name, reference]): [string, VenueSecretReference] => [
        name,
        'stored' in reference ? reference : withPath(reference, folder),
      ]),
    ),
  }
}

function withPath(reference: SecretReference, folder: string): SecretReference {
  return 'file' in reference ? { ...reference, file: resolve(folder, reference.file) } : reference
}
