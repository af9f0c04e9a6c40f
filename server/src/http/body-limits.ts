/**
 * How large a body may be, and how wrong: whoever means well stays far below both. A body without
 * end in sight would hold up everybody else while it is read and its faults are named.
 */
import { ApiError, refuse } from '../core/errors.ts'
import type { Endpoint } from './endpoint.ts'
import { MAXIMUM_FAULTS } from './validation-error.ts'

type Schema = Record<string, unknown>

export const MAXIMUM_BODY_BYTES = 1_048_576
/** Of whoever has no token. */
const PUBLIC_BYTES = 16_384
const PLAIN_BYTES = 65_536
/** What an item of an array adds. */
const ITEM_BYTES = 2_048

/** As declared, else by what the largest array may hold. */
export function bodyBytesOf({ permission, body, body_bytes }: Endpoint): number {
  if (body_bytes !== undefined) return body_bytes
  if (permission === 'public') return PUBLIC_BYTES
  return Math.min(PLAIN_BYTES + ITEM_BYTES * largestArrayIn(body), MAXIMUM_BODY_BYTES)
}

function largestArrayIn(schema: unknown): number {
  if (typeof schema !== 'object' || schema === null) return 0
  const { type, maxItems = Infinity } = schema as { type?: unknown; maxItems?: number }
  return Math.max(type === 'array' ? maxItems : 0, ...Object.values(schema).map(largestArrayIn))
}

/** Looks into a body; throws at more faults than are named. */
type Guard = (value: unknown, path: string) => void

/**
 * Refuses unknown fields and arrays that are too long before the validator names each of them. What
 * it lets pass has no more faults than its schema has places.
 */
export function faultGuardOf(schema: unknown): Guard {
  const {
    type,
    items,
    properties,
    maxItems = Infinity,
    additionalProperties,
  } = schema as Schema & {
    maxItems?: number
  }
  if (type === 'array') {
    const guardItem = faultGuardOf(items ?? {})
    return (value, path) => {
      if (!Array.isArray(value)) return
      if (value.length > maxItems)
        throw refuse('RANGE', path, `${path || 'body'} must have at most ${maxItems} items`)
      value.forEach((item, index) => {
        guardItem(item, `${path}[${index}]`)
      })
    }
  }
  if (type !== 'object') return () => undefined
  const guards = new Map(
    Object.entries((properties as Schema | undefined) ?? {}).map(([name, property]) => [
      name,
      faultGuardOf(property),
    ]),
  )
  return (value, path) => {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return
    const pathOf = (name: string) => (path === '' ? name : `${path}.${name}`)
    const unknown: string[] = []
    for (const [name, field] of Object.entries(value)) {
      const guard = guards.get(name)
      if (guard !== undefined) guard(field, pathOf(name))
      else if (additionalProperties === false) unknown.push(name)
    }
    if (unknown.length > MAXIMUM_FAULTS) throw unknownFields(unknown, pathOf)
  }
}

function unknownFields(names: readonly string[], pathOf: (name: string) => string): ApiError {
  const details = names.slice(0, MAXIMUM_FAULTS).map((name) => {
    const path = pathOf(name.slice(0, 100))
    return { path, code: 'UNKNOWN_FIELD' as const, message: `${path} is not a known field` }
  })
  return new ApiError('BadRequest', `${names.length} fields are not known`, details)
}
