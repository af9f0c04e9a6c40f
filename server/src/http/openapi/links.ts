/**
 * Links from an answer to what can be done with the records in it, so that a program finds its way
 * from a list to a record, and from a record to those that it names. They follow from the paths:
 * what a list answers is what the parameter after its path names.
 */
import type { Endpoint } from '../endpoint.ts'
import type { Schema } from './schemas.ts'

type Link = { operationId: string; parameters: Record<string, string>; description: string }
export type Links = Record<string, Link>

/** What an operation answers: one record, or several. */
type Answered = { title: string; at: '/data' | '/data/0'; properties: Readonly<Schema> }

const ID_PARAMETER = /:(\w+)/g

export function linksOf(endpoint: Endpoint, endpoints: readonly Endpoint[]): Links {
  const answered = answeredBy(endpoint)
  if (answered === undefined) return {}
  const links = endpoints
    .filter((target) => target !== endpoint)
    .map((target) => linkTo(target, { endpoint, answered, endpoints }))
    .filter((link) => link !== undefined)
  return Object.fromEntries(links.map((link) => [link.operationId, link]))
}

type From = { endpoint: Endpoint; answered: Answered; endpoints: readonly Endpoint[] }

function linkTo(target: Endpoint, from: From): Link | undefined {
  const names = parametersIn(target.path)
  const values = names.map((name) => valueOf(name, target, from))
  const isOfRecord = names.some(
    (name, index) => name.endsWith('_id') && values[index]?.startsWith('$response') === true,
  )
  if (!isOfRecord || values.includes(undefined)) return undefined
  return {
    operationId: target.operation_id,
    parameters: Object.fromEntries(names.map((name, index) => [name, values[index] ?? ''])),
    description: target.summary,
  }
}

function valueOf(
  name: string,
  target: Endpoint,
  { endpoint, answered, endpoints }: From,
): string | undefined {
  const { title, at, properties } = answered
  const wanted = titleNamedBy(name, target.path, endpoints)
  if (wanted === title && isAlwaysThere(properties['id'])) return `$response.body#${at}/id`
  if (parametersIn(endpoint.path).includes(name)) return `$request.path.${name}`
  // What a record names is read, and nothing else done with it.
  if (target.method === 'GET' && isAlwaysThere(properties[name]))
    return `$response.body#${at}/${name}`
  return undefined
}

const parametersIn = (path: string): string[] =>
  [...path.matchAll(ID_PARAMETER)].map(([, name = '']) => name)

/** The record that a parameter names: what the path before it lists, here or in another path. */
function titleNamedBy(
  name: string,
  path: string,
  endpoints: readonly Endpoint[],
): string | undefined {
  const here = titleListedBefore(name, path, endpoints)
  if (here !== undefined) return here
  const elsewhere = endpoints
    .filter((other) => parametersIn(other.path).includes(name))
    .map((other) => titleListedBefore(name, other.path, endpoints))
    .filter((title) => title !== undefined)
  const found = elsewhere.length > 0 ? elsewhere : titlesAnswered(endpoints, lastWordOf(name))
  return new Set(found).size === 1 ? found[0] : undefined
}

/** `fill_id` → Fill */
const lastWordOf = (name: string): string =>
  name
    .replace(/_id$/, '')
    .replace(/^.*_/, '')
    .replace(/^./, (letter) => letter.toUpperCase())

/** Of the records with an id whose title ends so. */
const titlesAnswered = (endpoints: readonly Endpoint[], ending: string): string[] =>
  endpoints
    .map(answeredBy)
    .filter((answered) => answered !== undefined)
    .filter(({ title, properties }) => title.endsWith(ending) && 'id' in properties)
    .map(({ title }) => title)

function titleListedBefore(
  name: string,
  path: string,
  endpoints: readonly Endpoint[],
): string | undefined {
  const before = path.slice(0, path.indexOf(`/:${name}`))
  const list = endpoints.find((other) => other.method === 'GET' && other.path === before)
  const answered = list === undefined ? undefined : answeredBy(list)
  return answered?.at === '/data/0' ? answered.title : undefined
}

function answeredBy({ data, effect }: Endpoint): Answered | undefined {
  const schema = data as Schema
  const isArray = schema['type'] === 'array'
  const record = (isArray ? schema['items'] : schema) as Schema
  const { title, properties } = record
  if (effect === 'stream' || typeof title !== 'string' || properties === undefined) return undefined
  const at = isArray || effect === 'list' ? '/data/0' : '/data'
  return { title, at, properties: properties as Schema }
}

/** A text that is never null. */
const isAlwaysThere = (schema: unknown): boolean =>
  (schema as Schema | undefined)?.['type'] === 'string'
