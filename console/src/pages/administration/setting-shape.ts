/**
 * What a setting holds, read from its JSON Schema: how it is shown, by which fields it is changed,
 * and what their texts are as a value. A setting that is new to the console appears by itself.
 */
import type { DataOf } from '@kontor/client'
import { compareAmounts, multiplyAmounts } from '@kontor/client'
import { filledText } from '../../action/filled.ts'
import { t } from '../../language/index.ts'
import { told } from '../../parts/refusal-words.ts'

export type Setting = DataOf<'get', '/settings'>[number]

type Schema = {
  type?: string | readonly string[]
  enum?: readonly unknown[]
  anyOf?: readonly Schema[]
  properties?: Readonly<Record<string, Schema>>
  required?: readonly string[]
  additionalProperties?: boolean | Schema
  items?: Schema
  minimum?: number
  maximum?: number
  minLength?: number
  maxLength?: number
  description?: string
  title?: string
  'x-kind'?: string
}

export type Shape = (
  | { kind: 'switch' | 'percent' | 'decimal' | 'time' | 'texts' | 'json' }
  | { kind: 'choice' | 'choices'; options: readonly string[] }
  | { kind: 'number'; minimum: number; maximum: number }
  | { kind: 'text' | 'lines'; maximum: number }
  /** A number for each name; `required` ones cannot be removed. */
  | { kind: 'table'; required: readonly string[]; percent: boolean }
  | { kind: 'group'; title: string | undefined; parts: readonly Part[] }
) & {
  /** Nothing is a value too. */
  empty: boolean
}
type Part = { key: string; help: string | undefined; absent: boolean; shape: Shape }

/** Longer texts are written in several lines. */
const LONG_TEXT = 1_000
const DECIMAL = 'decimal not below zero'

/** Shown as a picture, and changed with one. */
export const isBrand = ({ key }: Pick<Setting, 'key'>): boolean => key === 'brand'

export const shapeOf = ({ schema, shown_as }: Pick<Setting, 'schema' | 'shown_as'>): Shape =>
  read(schema as Schema, shown_as)

function read(schema: Schema, shown_as: Setting['shown_as']): Shape {
  const { anyOf } = schema
  const some = anyOf?.filter(({ type }) => type !== 'null') ?? []
  const [only] = some
  if (anyOf !== undefined && some.length === 1 && only !== undefined)
    return { ...read(only, shown_as), empty: some.length < anyOf.length }
  const types = typeof schema.type === 'string' ? [schema.type] : (schema.type ?? [])
  const type = types.find((type) => type !== 'null')
  return { ...shapeBy(schema, type, shown_as), empty: types.includes('null') } as Shape
}

type Plain = Shape extends infer S ? (S extends unknown ? Omit<S, 'empty'> : never) : never

function shapeBy(schema: Schema, type: string | undefined, shown_as: Setting['shown_as']): Plain {
  const { minimum = 0, maximum = Number.MAX_SAFE_INTEGER, maxLength = LONG_TEXT } = schema
  const isPercent = shown_as === 'PERCENT'
  if (schema.enum !== undefined) return { kind: 'choice', options: wordsIn(schema.enum) }
  switch (type) {
    case 'boolean':
      return { kind: 'switch' }
    case 'integer':
      return shown_as === 'TIME' ? { kind: 'time' } : { kind: 'number', minimum, maximum }
    case 'string':
      if (schema['x-kind'] === DECIMAL) return { kind: isPercent ? 'percent' : 'decimal' }
      return { kind: maxLength > LONG_TEXT ? 'lines' : 'text', maximum: maxLength }
    case 'array':
      return arrayOf(schema.items ?? {})
    case 'object':
      return objectOf(schema, shown_as)
    default:
      return { kind: 'json' }
  }
}

function arrayOf(items: Schema): Plain {
  if (items.type !== 'string') return { kind: 'json' }
  return items.enum === undefined
    ? { kind: 'texts' }
    : { kind: 'choices', options: wordsIn(items.enum) }
}

function objectOf(schema: Schema, shown_as: Setting['shown_as']): Plain {
  const { properties = {}, required = [], additionalProperties: further } = schema
  if (typeof further === 'object')
    return further['x-kind'] === DECIMAL
      ? { kind: 'table', required, percent: shown_as === 'PERCENT' }
      : { kind: 'json' }
  const parts = Object.entries(properties).map(([key, part]) => ({
    key,
    help: part.description === undefined ? undefined : told(part.description),
    absent: !required.includes(key),
    shape: read(part, shown_as),
  }))
  return { kind: 'group', title: schema.title, parts }
}

const wordsIn = (options: readonly unknown[]): string[] =>
  options.filter((option) => typeof option === 'string')

const HUNDRED = '100'
const HUNDREDTH = '0.01'

/** `0.005` → `0.5`. */
const toPercent = (factor: unknown): string => multiplyAmounts(String(factor), HUNDRED)
const fromPercent = (percent: unknown): string => multiplyAmounts(plain(percent), HUNDREDTH)

/** The field has refused what is no amount. */
function plain(typed: unknown): string {
  const [, whole = '', fraction = ''] = /^\s*(\d*)[.,]?(\d*)\s*$/.exec(String(typed)) ?? []
  return fraction === '' ? whole || '0' : `${whole || '0'}.${fraction}`
}

type TableRow = { name?: string; number?: string }

/** What the fields hold for this value. */
export function toFields(shape: Shape, value: unknown): unknown {
  if (value === null || value === undefined) return shape.kind === 'group' ? {} : undefined
  switch (shape.kind) {
    case 'percent':
      return toPercent(value)
    case 'number':
      return String(value)
    case 'json':
      return JSON.stringify(value, null, 2)
    case 'table':
      return tableRows(shape, value as Record<string, string>)
    case 'group':
      return Object.fromEntries(
        shape.parts.map((part) => [
          part.key,
          toFields(part.shape, (value as Record<string, unknown>)[part.key]),
        ]),
      )
    default:
      return value
  }
}

/** What must be there stands first. */
function tableRows(
  { required, percent }: Shape & { kind: 'table' },
  value: Record<string, string>,
): TableRow[] {
  return Object.entries(value)
    .toSorted(([a], [b]) => Number(required.includes(b)) - Number(required.includes(a)))
    .map(([name, number]) => ({ name, number: percent ? toPercent(number) : number }))
}

/** The value that the fields hold; undefined where nothing is filled in and nothing need be. */
export function fromFields(shape: Shape, held: unknown): unknown {
  if (shape.kind === 'switch') return held === true
  if (shape.kind === 'choices' || shape.kind === 'texts') return held ?? []
  if (shape.kind === 'table') return tableFrom(shape, (held ?? []) as TableRow[])
  if (shape.kind === 'group') return groupFrom(shape, (held ?? {}) as Record<string, unknown>)
  if (filledText(held) === undefined) return shape.empty ? null : undefined
  switch (shape.kind) {
    case 'percent':
      return fromPercent(held)
    case 'decimal':
      return plain(held)
    case 'number':
      return Number(held)
    case 'json':
      return JSON.parse(String(held)) as unknown
    case 'text':
      return filledText(held)
    default:
      return held
  }
}

function tableFrom(shape: Shape & { kind: 'table' }, rows: readonly TableRow[]): object {
  return Object.fromEntries(
    rows.map(({ name = '', number = '' }) => [
      name.trim(),
      shape.percent ? fromPercent(number) : plain(number),
    ]),
  )
}

/** A group without anything in it is absent. */
function groupFrom({ parts }: { parts: readonly Part[] }, held: Record<string, unknown>): unknown {
  const entries = parts.flatMap(({ key, absent, shape }) => {
    const value = fromFields(shape, held[key])
    const isNothing = value === undefined || (absent && isEmptyGroup(shape, value))
    return isNothing ? [] : [[key, value] as const]
  })
  return Object.fromEntries(entries)
}

const isEmptyGroup = (shape: Shape, value: unknown): boolean =>
  shape.kind === 'group' && Object.keys(value as object).length === 0

/** What no single field can tell; undefined where nothing is wrong. */
export function faultIn(shape: Shape, held: unknown): string | undefined {
  if (shape.kind === 'percent') return faultOfPercent(held)
  if (shape.kind !== 'table') return undefined
  const rows = (held ?? []) as TableRow[]
  const names = rows.map(({ name = '' }) => name.trim())
  const twice = names.find((name, index) => names.indexOf(name) !== index)
  if (twice !== undefined) return t('{{twice}} is there twice', { twice })
  const faults = shape.percent ? rows.map(({ number }) => faultOfPercent(number)) : []
  return faults.find((fault) => fault !== undefined)
}

const faultOfPercent = (percent: unknown): string | undefined =>
  compareAmounts(plain(percent), HUNDRED) < 0
    ? undefined
    : t('{{percent}} % is too much: it must be below 100 %', { percent: String(percent) })
