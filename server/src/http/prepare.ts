/**
 * Work on schemas before a request meets them: absence, decoding, and the check that every object
 * is closed. And what no schema checks: nesting, and text that cannot be stored.
 */
import { refuse } from '../core/errors.ts'
import { decoderOf } from './query.ts'
import { RECORD_FIELDS } from './shapes.ts'

type Schema = Record<string, unknown>

/**
 * Every object schema is closed, or says by `additionalProperties` what else it takes. Throws when
 * the endpoint is registered.
 */
export function assertClosed(schema: unknown, where: string): void {
  if (typeof schema !== 'object' || schema === null) return
  const known = schema as Schema
  if (known['type'] === 'object' && known['additionalProperties'] === undefined)
    throw new Error(`${where}: an object schema is open`)
  if ('allOf' in known) throw new Error(`${where}: allOf of closed objects refuses everything`)
  for (const [key, value] of Object.entries(known)) {
    if (Array.isArray(value))
      value.forEach((item) => {
        assertClosed(item, where)
      })
    else if (typeof value === 'object' && key !== 'default') assertClosed(value, where)
  }
}

type Cleaner = (value: unknown) => void

/**
 * Removes, in place, what counts as absent: null on optional fields, "" on those that say so, and
 * the read-only fields of a record that was read and sent back (where the schema lists them in
 * `x-read-only`).
 */
export function cleanerOf(schema: unknown): Cleaner | undefined {
  const known = schema as Schema
  if (known['type'] === 'array') {
    const item = cleanerOf(known['items'] ?? {})
    return item === undefined
      ? undefined
      : (value) => {
          if (Array.isArray(value)) value.forEach(item)
        }
  }
  if (known['type'] !== 'object') return undefined
  const required = new Set((known['required'] as string[] | undefined) ?? [])
  const readOnly = (known['x-read-only'] as string[] | undefined) ?? []
  const steps: ((object: Record<string, unknown>) => void)[] = []
  for (const field of readOnly)
    steps.push((object) => {
      delete object[field]
    })
  for (const [field, property] of Object.entries(
    (known['properties'] as Record<string, Schema> | undefined) ?? {},
  )) {
    const blank = property['x-blank-is-absent'] === true
    const inner = cleanerOf(property)
    const mayBeNull = Array.isArray(property['type']) || Array.isArray(property['anyOf'])
    if (!required.has(field)) {
      steps.push((object) => {
        if ((object[field] === null && !mayBeNull) || (blank && object[field] === ''))
          delete object[field]
      })
    }
    if (inner !== undefined)
      steps.push((object) => {
        if (object[field] !== undefined) inner(object[field])
      })
  }
  if (steps.length === 0) return undefined
  return (value) => {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return
    for (const step of steps) step(value as Record<string, unknown>)
  }
}

/**
 * A PUT may carry the record as it was read; `version` stays, so that a stale one can be refused.
 */
export const READ_ONLY_FIELDS = RECORD_FIELDS.filter(
  (field) => field !== 'version' && field !== 'id',
)

type QueryDecoder = (query: Record<string, unknown>) => Record<string, unknown>

export function queryDecoderOf(schema: unknown): QueryDecoder {
  const decoders = Object.entries(
    ((schema as Schema)['properties'] as Record<string, Schema> | undefined) ?? {},
  ).map(([name, property]) => [name, decoderOf(property)] as const)
  return (query) => {
    const decoded: Record<string, unknown> = {}
    for (const [name, decode] of decoders) {
      const value = query[name]
      if (value === undefined) continue
      const meaning = decode === undefined ? value : decode(String(value), name)
      if (meaning !== undefined) decoded[name] = meaning
    }
    return decoded
  }
}

const MAXIMUM_DEPTH = 100

/**
 * Whether a JSON text opens more brackets than may be nested. Only then is its real depth worth
 * measuring.
 */
export function mayBeDeep(text: string): boolean {
  let opened = 0
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index)
    if ((code === 0x5b || code === 0x7b) && ++opened > MAXIMUM_DEPTH) return true
  }
  return false
}

/** PostgreSQL stores neither NUL nor half a surrogate pair; both are refused at the door. */
export function assertStorableText(value: unknown, path = '', depth = 0): void {
  if (depth > MAXIMUM_DEPTH)
    throw refuse('ENCODING', '', `the request is nested deeper than ${MAXIMUM_DEPTH} levels`)
  if (typeof value === 'string') {
    if (value.includes('\0') || !value.isWellFormed())
      throw refuse(
        'ENCODING',
        path,
        `${path === '' ? 'the request' : path} holds a NUL character or broken Unicode`,
      )
  } else if (Array.isArray(value)) {
    value.forEach((item, index) => {
      assertStorableText(item, `${path}[${index}]`, depth + 1)
    })
  } else if (typeof value === 'object' && value !== null) {
    for (const [key, item] of Object.entries(value)) {
      assertStorableText(key, path)
      assertStorableText(item, path === '' ? key : `${path}.${key}`, depth + 1)
    }
  }
}
