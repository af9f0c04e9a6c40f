/**
 * Values for requests, made from the endpoints' own schemas: such as they ask for, and such as
 * nobody should send.
 */
import { newId } from '../src/core/ids.ts'

export type Random = {
  /** 0 … below − 1 */
  below(below: number): number
  /** True once in so many times. */
  once(inSoMany: number): boolean
  pick<T>(list: readonly T[]): T
}

/** The same seed gives the same values (mulberry32). */
export function randomOf(seed: number): Random {
  let state = seed >>> 0
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return (mixed ^ (mixed >>> 14)) >>> 0
  }
  const below = (limit: number) => next() % limit
  return {
    below,
    once: (inSoMany) => below(inSoMany) === 0,
    pick<T>(list: readonly T[]): T {
      if (list.length === 0) throw new Error('nothing to pick from')
      return list[below(list.length)] as T
    },
  }
}

export type Schema = {
  type?: string | string[]
  enum?: unknown[]
  const?: unknown
  anyOf?: Schema[]
  properties?: Record<string, Schema>
  required?: string[]
  items?: Schema
  additionalProperties?: boolean | Schema
  patternProperties?: Record<string, Schema>
  pattern?: string
  minLength?: number
  maxLength?: number
  minimum?: number
  maximum?: number
  minItems?: number
  maxItems?: number
  'x-kind'?: string
  'x-decode'?: string
}

const KEPT = 60

/**
 * What earlier answers told one workspace: ids by the name of the field that takes them, and whole
 * records by resource.
 */
export type Pool = {
  ids: Map<string, string[]>
  records: Map<string, Record<string, unknown>[]>
}

export const emptyPool = (): Pool => ({ ids: new Map(), records: new Map() })

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

/**
 * `/accounts/matchings` and `/treasury/wallets/:wallet_id` name the resources `matching_id` and
 * `wallet_id`.
 */
export function resourceOf(path: string): string {
  const last =
    path
      .split('/')
      .filter((part) => part !== '' && !part.startsWith(':'))
      .at(-1) ?? ''
  return `${last.replaceAll('-', '_').replace(/ies$/, 'y').replace(/s$/, '')}_id`
}

/** Takes every id and record out of an answer's data. `never` are ids that no request may use. */
export function harvest(pool: Pool, path: string, data: unknown, never: ReadonlySet<string>): void {
  const resource = resourceOf(path)
  const top = Array.isArray(data) ? data : [data]
  for (const record of ends(top)) {
    if (
      typeof record === 'object' &&
      record !== null &&
      'id' in record &&
      !renew(pool.records, record as Record<string, unknown>)
    )
      keep(pool.records, resource, record as Record<string, unknown>)
  }
  const walk = (value: unknown, field: string, depth: number): void => {
    if (typeof value === 'string') {
      if (
        UUID.test(value) &&
        field !== 'workspace' &&
        !field.startsWith('system_') &&
        !never.has(value)
      )
        keep(pool.ids, field, value)
    } else if (Array.isArray(value)) {
      for (const end of ends(value)) walk(end, field.replace(/s$/, ''), depth + 1)
    } else if (typeof value === 'object' && value !== null) {
      for (const [name, each] of Object.entries(value))
        walk(
          each,
          name === 'id' ? (depth <= 1 ? resource : `${field.replace(/s$/, '')}_id`) : name,
          depth + 1,
        )
    }
  }
  walk(data, resource.replace(/_id$/, ''), Array.isArray(data) ? 0 : 1)
}

/**
 * Whatever act answers a record that is known: what it is now stands for what it was. False when it
 * is not known.
 */
function renew(records: Pool['records'], record: Record<string, unknown>): boolean {
  let found = false
  for (const list of records.values()) {
    const place = list.findIndex(
      (each) => each['id'] === record['id'] && Object.keys(each).every((name) => name in record),
    )
    if (place < 0) continue
    list[place] = record
    found = true
  }
  return found
}

/** The first and the last few of a list: the newest and the oldest. */
const ends = (list: readonly unknown[]): readonly unknown[] =>
  list.length <= 16 ? list : [...list.slice(0, 6), ...list.slice(-10)]

function keep<T>(map: Map<string, T[]>, name: string, value: T): void {
  const list = map.get(name) ?? []
  map.set(name, list)
  if (typeof value === 'string' && list.includes(value)) return
  if (list.length >= KEPT) list.splice(KEPT >> 1, 1) // those that were known first stay
  list.push(value)
}

/**
 * An id that fits a field of this name, or any id when none is known; undefined when the pool is
 * empty.
 */
export function idFor(random: Random, pool: Pool, field: string): string | undefined {
  const wanted = field.replace(/s_id$/, '_id').replace(/_ids$/, '_id')
  const fitting = [...pool.ids]
    .filter(([name]) => wanted === name || wanted.endsWith(`_${name}`))
    .flatMap(([, ids]) => ids)
  if (fitting.length > 0 && !random.once(40)) return random.pick(fitting)
  const all = [...pool.ids.values()].flat()
  return all.length === 0 ? undefined : random.pick(all)
}

const DECIMALS = ['1', '0.5', '100', '2.25', '0.01', '1000', '0.00000001', '12345.67', '3', '0.1']
const ASSET_CODES = ['EUR', 'BTC', 'ETH', 'USD', 'XRP', 'EUR', 'BTC']
const WORDS = [
  'Alice',
  'Main',
  'DEFAULT',
  'Bärbel Ødegård',
  'rent May',
  'reference 4711',
  'x',
  'ACME AG',
  '日本',
  'A-1_b.c',
  'o’Neill & sons',
]
const ISO_TIMES = [
  '2026-01-01',
  '2026-11-20T10:00:00Z',
  '2026-11-20T10:00:00.123+01:00',
  '1700000000',
  '1700000000000',
  '1700000000000000',
  '1700000000000000000',
]

/**
 * A value that the schema takes, as far as the schema tells. `field` is the name it stands under.
 */
export function fitting(random: Random, pool: Pool, schema: Schema, field: string): unknown {
  if (schema['x-decode'] !== undefined) return queryText(random, pool, schema, field)
  if (schema.const !== undefined) return schema.const
  if (schema.enum !== undefined) return random.pick(schema.enum)
  if (schema.anyOf !== undefined) return fitting(random, pool, random.pick(schema.anyOf), field)
  const type = Array.isArray(schema.type) ? random.pick(schema.type) : schema.type
  switch (type) {
    case 'object':
      return objectOf(random, pool, schema)
    case 'array':
      return Array.from(
        {
          length:
            (schema.minItems ?? 0) +
            random.below(Math.min(3, (schema.maxItems ?? 3) - (schema.minItems ?? 0) + 1)),
        },
        () => fitting(random, pool, schema.items ?? {}, field),
      )
    case 'string':
      return textOf(random, pool, schema, field)
    case 'boolean':
      return random.once(2)
    case 'null':
      return null
    case 'integer':
    case 'number':
      return integerOf(random, schema, field)
    default:
      return random.pick(WORDS)
  }
}

function objectOf(random: Random, pool: Pool, schema: Schema): Record<string, unknown> {
  const object: Record<string, unknown> = {}
  for (const [name, property] of Object.entries(schema.properties ?? {})) {
    if (schema.required?.includes(name) === true || random.once(2))
      object[name] = fitting(random, pool, property, name)
  }
  const others =
    typeof schema.additionalProperties === 'object'
      ? schema.additionalProperties
      : Object.values(schema.patternProperties ?? {})[0]
  if (others !== undefined)
    for (let left = random.below(3); left > 0; left -= 1)
      object[random.pick([...ASSET_CODES, ...WORDS])] = fitting(random, pool, others, '')
  return object
}

function textOf(random: Random, pool: Pool, schema: Schema, field: string): string {
  const kind = schema['x-kind']
  if (kind === 'id') return idFor(random, pool, field) ?? newId()
  if (kind === 'asset') return random.pick(ASSET_CODES)
  if (kind?.includes('decimal') === true) return random.pick(DECIMALS)
  if (field.includes('email') || field === 'notification_recipients')
    return `person${random.below(5000)}@example.com`
  if (field.includes('password'))
    return random.pick(['correct horse battery', 'another good one 17'])
  if (/(_at|_from|_to|date)$/.test(field)) return random.pick(ISO_TIMES)
  if (field === 'protocol') return random.pick(['BTC', 'BTC', 'SEPA', 'ETH'])
  const word = random.once(3)
    ? `${random.pick(WORDS)} ${random.below(100_000)}`
    : random.pick(WORDS)
  return word.slice(0, schema.maxLength ?? 500)
}

function integerOf(random: Random, schema: Schema, field: string): number {
  const minimum = schema.minimum ?? 0
  if (field === 'version') return minimum + random.below(3)
  if (/(_at|_from|_to|date)$/.test(field)) return 1_700_000_000_000 + random.below(1_000_000_000)
  return Math.min(minimum + random.below(20), schema.maximum ?? Number.MAX_SAFE_INTEGER)
}

function queryText(random: Random, pool: Pool, schema: Schema, field: string): string {
  const [kind, ...rest] = (schema['x-decode'] ?? '').split(' ')
  switch (kind) {
    case 'id':
      return idFor(random, pool, field) ?? newId()
    case 'time':
      return random.pick(ISO_TIMES)
    case 'integer':
      return field === 'limit'
        ? String(1 + random.below(20))
        : String(Number(rest[0] ?? 0) + random.below(30))
    case 'flag':
      return random.pick(['true', 'false'])
    case 'words':
      return Array.from({ length: 1 + random.below(3) }, () =>
        random.pick(rest.join(' ').split(',')),
      )
        .join(',')
        .toLowerCase()
    case 'assets':
      return random.pick(['EUR', 'BTC,EUR', 'ETH,XRP,USD'])
    default:
      return schema.enum === undefined ? random.pick(WORDS) : String(random.pick(schema.enum))
  }
}

/** Stands for text that JSON.stringify would not write, replaced in the finished body. */
const rawly = (text: string) => `@@raw ${text}@@`
export const RAW = /"@@raw (.*?)@@"/g

/** What no field should take, or only as plain text. */
export const HOSTILE: readonly unknown[] = [
  null,
  true,
  false,
  [],
  {},
  [[]],
  [null],
  { a: 1 },
  0,
  1,
  -1,
  1.5,
  0.1,
  1e21,
  2 ** 53,
  -(2 ** 31),
  2 ** 31,
  rawly('1e400'),
  rawly('-0'),
  rawly('NaN'),
  rawly('Infinity'),
  rawly('01'),
  rawly('1.'),
  rawly('.5'),
  rawly('+1'),
  rawly('0x10'),
  rawly('123456789012345678901234567890'),
  rawly('undefined'),
  '',
  ' ',
  '0',
  '-0',
  '-1',
  'NaN',
  'Infinity',
  '-Infinity',
  '1e3',
  '1E-8',
  '+1',
  '00.1',
  '1.',
  '.5',
  '1,5',
  '0x10',
  '1_000',
  '１２',
  '1 ',
  ' 1',
  '\t1',
  '1\n',
  '٣',
  '1'.repeat(20),
  '1'.repeat(21),
  '99999999999999999999.999999999999999999',
  '0.0000000000000000001',
  `0.${'1'.repeat(18)}`,
  `0.${'1'.repeat(19)}`,
  '0.00',
  '1.10',
  '\0',
  'a\0b',
  '\ud800',
  '\udfff x',
  'a\ud83d',
  '😀',
  '\u202Eevil',
  'e\u0301',
  '\uFEFF',
  '\uFFFF',
  '\x7f',
  '\r\nSet-Cookie: a=b',
  "'; drop table users; --",
  '" or 1=1 --',
  '%00',
  '%',
  '\\',
  '${jndi:x}',
  '{{7*7}}',
  '<script>alert(1)</script>',
  '=1+1',
  '../../etc/passwd',
  '__proto__',
  'constructor',
  'toString',
  'hasOwnProperty',
  'null',
  'undefined',
  'true',
  '[object Object]',
  'x'.repeat(501),
  'é'.repeat(300),
  'A'.repeat(5000),
  '9'.repeat(400),
  'eur',
  'EUR ',
  'BTC/EUR',
  'NOPE',
  '00000000-0000-0000-0000-000000000000',
  'ffffffff-ffff-ffff-ffff-ffffffffffff',
  'not-an-id',
  '0193E0A0-0000-7000-8000-000000000000',
  '{0193e0a0-0000-7000-8000-000000000000}',
  '0193e0a000007000800000000000000',
  -1700000000000,
  rawly('9007199254740993'),
  253402300800000,
  '253402300800000',
  '99999-01-01',
  '2026-02-30',
  '2026-13-01T00:00:00Z',
  '1969-12-31',
  '0001-01-01',
]
