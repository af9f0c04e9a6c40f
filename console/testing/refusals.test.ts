/**
 * Every refusal that a form can get is in a person's words. The list is derived: from each refusal
 * in the service's code, and from each field of the requests with each check that it has.
 */
import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { SERVICE } from '../src/language/german/index.ts'
import { sayer } from '../src/language/service.ts'
import { refusalWords } from '../src/parts/refusal-words.ts'
import { SETTINGS } from '../../server/src/access/settings.schema.ts'
import { DETAIL_CODES, DETAILS } from '../../server/src/core/errors.ts'
import { validationError } from '../../server/src/http/validation-error.ts'
import { EVENTS } from '../../server/src/ledger/index.ts'
import { ROOT } from '../../tools/setup/setup.mjs'

type Schema = { [keyword: string]: unknown }
const openapi = JSON.parse(readFileSync(join(ROOT, 'docs/generated/openapi.json'), 'utf8')) as {
  paths: Record<string, Record<string, { requestBody?: object }>>
  components: { schemas: Record<string, Schema> }
}
const sources = globSync('server/src/**/*.ts', { cwd: ROOT })
  .filter((file) => !/test|fixture|configuration\//.test(file))
  .map((file) => readFileSync(join(ROOT, file), 'utf8'))

const isSchema = (value: unknown): value is Schema => typeof value === 'object' && value !== null

const DEEPEST = 8

function* schemasIn(value: unknown, path = ''): Generator<{ path: string; schema: Schema }> {
  if (!isSchema(value) || path.split('/').length > DEEPEST) return
  const named = typeof value['$ref'] === 'string' ? value['$ref'].split('/').at(-1) : undefined
  if (named !== undefined) return yield* schemasIn(openapi.components.schemas[named], path)
  if (!Array.isArray(value) && path !== '') yield { path, schema: value }
  for (const [key, inner] of Object.entries(value)) {
    if (key === 'properties')
      for (const [name, field] of Object.entries(inner as Schema))
        yield* schemasIn(field, `${path}/${name}`)
    else if (key === 'items') yield* schemasIn(inner, `${path}/0`)
    else if (isSchema(inner)) yield* schemasIn(inner, path)
  }
}

const bodies = Object.values(openapi.paths)
  .flatMap((methods) => Object.values(methods))
  .flatMap(({ requestBody }) => (requestBody === undefined ? [] : [...schemasIn(requestBody)]))
const isDetail = (code: string): boolean => (DETAIL_CODES as readonly string[]).includes(code)
/** Codes of states, kinds and choices, as far as they are no words anyway. */
const codes = new Set(
  [...schemasIn([openapi.paths, openapi.components.schemas], '/')]
    .flatMap(({ schema }) => (Array.isArray(schema['enum']) ? (schema['enum'] as unknown[]) : []))
    .filter(
      (code): code is string => typeof code === 'string' && /^[A-Z]{2,}(_[A-Z]+)*$/.test(code),
    ),
)

/** What a clerk cannot read in this text. */
function unreadable(text: string): string | undefined {
  if (/[0-9a-f]{8}-[0-9a-f]{4}-/i.test(text)) return 'a UUID'
  if (/[\^\\|]|\(\?|\.\*|\[a-z|\{\d+,?\d*\}/.test(text)) return 'a regular expression'
  if (/\w\[\d*\]|[a-z0-9]_[a-z0-9]|\b[a-z]+\.[a-z]+\b|\s\/[a-z]/.test(text)) return 'a path'
  const code = text.match(/[A-Z][A-Z_]+/g)?.find((word) => word.includes('_') || codes.has(word))
  return code === undefined ? undefined : `the code ${code}`
}

type Refusal = { path: string; code: string; message: string }

/** Those that a clerk cannot read, each with why. */
const faultsOf = (refusals: readonly Refusal[]): string[] =>
  refusals.flatMap((refusal) =>
    [false, true].flatMap((named) => {
      const words = refusalWords(refusal, named)
      const fault = /^[a-z\s]|^$/.test(words) ? 'no sentence' : unreadable(words)
      return fault === undefined ? [] : [`${refusal.message} → ${words}: ${fault}`]
    }),
  )

const UUID = '0198c0de-0000-7000-8000-0123456789ab'
const FILLINGS = [UUID, 'WAITING_FOR_TRIGGER', 'legs[0].quantity', 'details.from_asset', '12.5']
const VALUE = /\$\{[^}]*\}/g

/** A message as it may read. The parts of a path stay a path. */
const filled = (template: string, filling: string): string =>
  template
    .replaceAll(/\[\$\{[^}]*\}\]/g, '[0]')
    .replaceAll(/\$\{[^}]*\}(?:\[0\])?\.(\w+|\$\{[^}]*\})/g, 'details.asset')
    .replaceAll(/\b([a-z]\w*)\.\$\{[^}]*\}/g, '$1.asset')
    .replaceAll(VALUE, filling)

const found = sources.flatMap((source) => [
  ...source.matchAll(/refuse\(\s*'([A-Z_]+)',\s*[^,]+,\s*(?:`([^`]*)`|'([^']*)')/g),
  ...source.matchAll(/code: '([A-Z_]+)',\s*message:\s*(?:`([^`]*)`|'([^']*)')/g),
  ...source.matchAll(/'([A-Z_]+)',\s*(?:path|'[\w.]*'),\s*(?:`([^`]*)`|'([^']*)')/g),
])
/** A template in a template is cut by the search. */
const isCut = (message: string): boolean => message.replaceAll(VALUE, '').includes('${')

test('each refusal in the code of the service', () => {
  assert.ok(found.length > 200, `${found.length} refusals are found`)
  const faults = found.flatMap(([, code = '', template, plain]) => {
    const message = template ?? plain ?? ''
    // A permission is named to be asked for.
    if (!isDetail(code) || code === 'PERMISSION_REQUIRED' || isCut(message)) return []
    const path = 'legs[0].quantity'
    return faultsOf(FILLINGS.map((value) => ({ path, code, message: filled(message, value) })))
  })
  assert.deepEqual([...new Set(faults)], [])
})

test('each refusal in the code of the service has its German', () => {
  const say = sayer(SERVICE)
  const missing = found.flatMap(([, code = '', template, plain]) => {
    const message = template ?? plain ?? ''
    // A message that goes on in another line is cut by the search.
    if (!isDetail(code) || isCut(message) || !/[a-z] .*[a-z]$/.test(message)) return []
    const said = say(message.replaceAll(VALUE, '12.5'), (value) => value)
    return said === undefined ? [message] : []
  })
  assert.deepEqual([...new Set(missing)], [])
})

test('each event, setting and check of the overview has its German', () => {
  const say = sayer(SERVICE)
  const checks = sources
    .filter((source) => /\bneeds\b|Need/.test(source))
    .flatMap((source) => [...source.matchAll(/\btitle: '([A-Z][a-z]+ [^']+)',\n\s+\w+:/g)])
    .map(([, title = '']) => title)
  assert.ok(checks.length > 25, `${checks.length} checks are found`)
  const texts = [
    ...Object.values(EVENTS),
    ...Object.values(SETTINGS).map(({ title }) => title),
    ...checks,
  ]
  assert.deepEqual(
    texts.filter((text) => say(text, (value) => value) === undefined),
    [],
  )
})

const LIMITS = [
  'minimum',
  'maximum',
  'minLength',
  'maxLength',
  'minItems',
  'maxItems',
  'maxProperties',
]
const KINDS = ['id', 'decimal', 'positive decimal', 'decimal not below zero', 'asset', undefined]

test('each check of each field of a request', () => {
  assert.ok(bodies.length > 300, `${bodies.length} fields are found`)
  const faults = bodies.flatMap(({ path, schema }) => {
    const said = (keyword: string, params: Schema, parentSchema: Schema = schema): string[] =>
      faultsOf(
        validationError([{ keyword, instancePath: path, params, parentSchema }], 'body').details,
      )
    return [
      ...said('required', { missingProperty: path.split('/').at(-1) }),
      ...said('additionalProperties', { additionalProperty: 'more' }),
      ...said('type', {}, { type: schema['type'] ?? 'string' }),
      ...said('uniqueItems', {}),
      ...said('enum', { allowedValues: Array.isArray(schema['enum']) ? schema['enum'] : [] }),
      ...LIMITS.flatMap((limit) => said(limit, { limit: schema[limit] ?? 1 })),
      ...KINDS.flatMap((kind) =>
        said('pattern', {}, { pattern: schema['pattern'], 'x-kind': kind }),
      ),
    ]
  })
  assert.deepEqual([...new Set(faults)], [])
})

test('the forms that texts must have', () => {
  const forms = sources.flatMap((source) => [...source.matchAll(/'x-form': '([^']+)'/g)])
  assert.ok(forms.length >= 5)
  const path = 'grants.networks[0]'
  const refusals = forms.map(([, form = '']) => ({
    path,
    code: 'FORMAT',
    message: `${path} ${form}`,
  }))
  assert.deepEqual(faultsOf(refusals), [])
})

test('each code of the error table has words, also without a message of its own', () => {
  const refusals = DETAIL_CODES.map((code) => ({ path: '', code, message: DETAILS[code] }))
  assert.deepEqual(faultsOf(refusals), [])
})
