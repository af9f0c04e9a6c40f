/** Requests that ask for what an endpoint offers, from its own schemas. */
import { newId } from '../../src/core/ids.ts'
import type { Endpoint } from '../../src/http/index.ts'
import type { HttpRequest, Side } from '../service-under-test.ts'
import type { Schema } from './arbitraries.ts'
import type { Author } from './author.ts'
import type { Draws } from './draws.ts'
import { fitOf } from './fits/index.ts'
import { resourceOf } from './known-records.ts'
import type { JsonRecord } from './known-records.ts'

export type RequestPlan = HttpRequest & {
  /** How it was made, for the report. */
  how: string
  endpoint: Endpoint | undefined
  body?: unknown
}

/** Filters that a list cannot do without, though its schema does not say so. */
const NEEDED_FILTERS: Readonly<Record<string, string>> = {
  'GET /settlements/:settlement_id/available-fills': 'venue_id',
}

export const nameOf = ({ method, path }: Endpoint) => `${method} ${path}`

/** A body that the endpoint may well accept; now and then a record as it was read. */
export function sensibleBody(
  author: Author,
  endpoint: Endpoint,
  parameters: Record<string, string> = {},
): unknown {
  const { draws, own } = author
  if (endpoint.body === undefined) {
    Object.assign(parameters, fitOf(endpoint)?.({}, author))
    return undefined
  }
  const body = draws.draw(author.values.of(endpoint.body as Schema, ''))
  if (typeof body !== 'object' || body === null) return body
  const record =
    endpoint.method === 'PUT' && !/\/(parts|:key)$/.test(endpoint.path) && !draws.once(4)
      ? own.find(draws, resourceOf(endpoint.path))
      : undefined
  if (record !== undefined) {
    const parameter = Object.keys((endpoint.params as Schema | undefined)?.properties ?? {})[0]
    if (parameter !== undefined) parameters[parameter] = String(record['id'])
    return { ...record, ...(draws.once(2) ? { label: `Renamed ${draws.below(1000)}` } : {}) }
  }
  if ('id' in body) (body as JsonRecord)['id'] = draws.draw(own.idFor(resourceOf(endpoint.path)))
  Object.assign(parameters, fitOf(endpoint)?.(body as JsonRecord, author))
  return body
}

/**
 * The path with its parameters filled in; `replace` puts other text in the place of one of them.
 */
export function pathOf(
  author: Author,
  endpoint: Endpoint,
  {
    replace,
    parameters = {},
  }: { replace?: string; parameters?: Readonly<Record<string, string>> } = {},
): string {
  const { draws } = author
  const names = endpoint.path.split('/').filter((part) => part.startsWith(':'))
  const replaced = replace === undefined || names.length === 0 ? undefined : draws.pick(names)
  return `/api${endpoint.path
    .split('/')
    .map((part) => {
      if (!part.startsWith(':')) return part
      if (part === replaced) return replace ?? ''
      const known = parameters[part.slice(1)]
      if (known !== undefined) return known
      const schema = (endpoint.params as Schema | undefined)?.properties?.[part.slice(1)] ?? {}
      return encodeURIComponent(String(draws.draw(author.values.of(schema, part.slice(1)))))
    })
    .join('/')}`
}

/** The path with nothing but the filters that it cannot do without. */
export function bare(endpoint: Endpoint, url: string): string {
  const [path = '', query = ''] = url.split('?')
  const name = NEEDED_FILTERS[nameOf(endpoint)]
  return name === undefined ? path : `${path}?${name}=${new URLSearchParams(query).get(name)}`
}

function queryOf(author: Author, endpoint: Endpoint): URLSearchParams {
  const { draws } = author
  const query = new URLSearchParams()
  // A list has so many filters that with a few of each it would hardly ever answer a record.
  const filtered = endpoint.effect !== 'list' || draws.once(2)
  for (const [name, schema] of Object.entries(
    (endpoint.query as Schema | undefined)?.properties ?? {},
  )) {
    const required =
      (endpoint.query as Schema).required?.includes(name) === true ||
      NEEDED_FILTERS[nameOf(endpoint)] === name
    if (required || (filtered && draws.once(4)))
      query.set(name, String(draws.draw(author.values.of(schema, name))))
  }
  if (endpoint.effect === 'list' && !draws.once(12)) query.set('limit', String(1 + draws.below(10)))
  return query
}

/** A request that asks for what the endpoint offers. */
export function sensible(
  author: Author,
  endpoint: Endpoint,
  role: keyof Side['tokens'] = 'all',
): RequestPlan {
  const query = queryOf(author, endpoint).toString()
  const parameters: Record<string, string> = {}
  const body = sensibleBody(author, endpoint, parameters)
  return {
    how: 'sensible',
    endpoint,
    method: endpoint.method,
    url: pathOf(author, endpoint, { parameters }) + (query === '' ? '' : `?${query}`),
    body,
    address: address(author.draws),
    headers: {
      ...(endpoint.permission === 'public'
        ? {}
        : { authorization: `Bearer ${author.side.tokens[role]}` }),
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...(endpoint.method === 'GET' || author.draws.once(3) ? {} : { 'idempotency-key': newId() }),
    },
    ...(body === undefined ? {} : { payload: JSON.stringify(body) }),
  }
}

/** Limits by address are not what is looked for here. */
const address = (draws: Draws) => `10.${draws.below(256)}.${draws.below(256)}.${draws.below(256)}`
