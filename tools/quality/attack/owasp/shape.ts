/** Requests that endpoints take, from their declarations: examples with other ids in them. */
import type { Endpoint } from '../../../../server/src/http/index.ts'
import type { Ask } from '../client.ts'
import { idsFor } from '../home.ts'
import type { Home } from '../home.ts'

export type Shape = {
  type?: string | string[]
  properties?: Record<string, Shape>
  items?: Shape
  anyOf?: Shape[]
  'x-kind'?: string
  'x-decode'?: string
}

export const nameOf = ({ method, path }: Endpoint): string => `${method} ${path}`

export const parametersOf = ({ path }: Endpoint): string[] =>
  [...path.matchAll(/:(\w+)/g)].map(([, name = '']) => name)

/** An id that nobody has. */
const NOBODYS = '01a1fc75-0000-7000-8000-000000004711'

const WORDS: Readonly<Record<string, string>> = {
  asset: 'BTC',
  protocol: 'BTC',
  kind: 'withdrawal',
}

/** The parameters of the path as they are filled in: ids of these records where there are some. */
export function filledPath({ path }: Endpoint, home: Home | undefined): string {
  return `/api${path.replaceAll(/:(\w+)/g, (_whole, name: string) => {
    const word = WORDS[name]
    if (word !== undefined) return word
    return (home === undefined ? undefined : idsFor(home.known, path, name)[0]) ?? NOBODYS
  })}`
}

export const hasRealIds = (endpoint: Endpoint, home: Home): boolean =>
  parametersOf(endpoint)
    .filter((name) => WORDS[name] === undefined)
    .every((name) => idsFor(home.known, endpoint.path, name).length > 0)

/** As the endpoint's own example has it. */
export const askOf = (endpoint: Endpoint, home: Home | undefined, token?: string): Ask => ({
  method: endpoint.method,
  path: filledPath(endpoint, home),
  token,
  ...(endpoint.example === undefined ? {} : { body: endpoint.example }),
})

type Place = { holder: Record<string, unknown>; field: string; name: string }

/** Where a body, of which this is a copy, has text of this kind. */
function placesOf(
  value: unknown,
  shape: Shape | undefined,
  fits: (shape: Shape) => boolean,
  name = '',
): Place[] {
  if (typeof value !== 'object' || value === null || shape === undefined) return []
  return Object.entries(value).flatMap(([field, inner]) => {
    const own = Array.isArray(value) ? shape.items : shape.properties?.[field]
    const called = Array.isArray(value) ? name : field
    if (own === undefined) return []
    return fits(own) && typeof inner === 'string'
      ? [{ holder: value as Record<string, unknown>, field, name: called }]
      : placesOf(inner, own, fits, called)
  })
}

/** The body once for each place of this kind, with something else there. */
export function withOther(
  { body, example }: Endpoint,
  fits: (shape: Shape) => boolean,
  other: (name: string) => string | undefined,
): { place: string; body: unknown }[] {
  const count = placesOf(structuredClone(example), body as Shape | undefined, fits).length
  return Array.from({ length: count }, (_, index) => {
    const copy: unknown = structuredClone(example)
    const place = placesOf(copy, body as Shape | undefined, fits)[index]
    const value = place === undefined ? undefined : other(place.name)
    if (place === undefined || value === undefined) return []
    place.holder[place.field] = value
    return [{ place: place.name, body: copy }]
  }).flat()
}
