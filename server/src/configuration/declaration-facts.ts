/** What each kind of declaration takes, and who may change it. */
import type { Permission } from '../access/index.ts'
import { notFound } from '../core/errors.ts'
import type { Json } from '../core/json.ts'
import { asset, closed, fieldCheck } from '../http/index.ts'
import type { TSchema } from '../http/index.ts'
import { PriceRouteDeclaration } from '../trading/index.ts'
import { keyText, VenueDeclaration } from '../venues/index.ts'
import { AssetDeclaration } from './configuration.schema.ts'
import { kindOf } from './declarations.ts'
import type { DeclarationKind } from './declarations.ts'

const { key: _venue, ...ofVenue } = VenueDeclaration.properties
const { code: _asset, ...ofAsset } = AssetDeclaration.properties
const { key: _route, ...ofRoute } = PriceRouteDeclaration.properties

type Facts = { permission: Permission; name: TSchema; schema: TSchema }

const FACTS: Readonly<Record<DeclarationKind, Facts>> = {
  VENUE: { permission: 'venues.write', name: keyText('Of the venue'), schema: closed(ofVenue) },
  ASSET: { permission: 'assets.write', name: asset(), schema: closed(ofAsset) },
  PRICE_ROUTE: {
    permission: 'trading.routes.write',
    name: keyText('Of the price route'),
    schema: closed(ofRoute),
  },
}

export const permissionOf = (kind: DeclarationKind): Permission => FACTS[kind].permission

const checkOf = (read: (facts: Facts) => TSchema, path: string) => {
  const checks = Object.entries(FACTS).map(
    ([kind, facts]) => [kind, fieldCheck(path, read(facts))] as const,
  )
  return Object.fromEntries(checks) as Record<DeclarationKind, (value: unknown) => void>
}
const checkName = checkOf(({ name }) => name, 'key')
const checkValue = checkOf(({ schema }) => schema, 'declaration')

/** Throws 4004 for a key of no kind, 3001 for a name that cannot be one. */
export function knownKey(key: string): { kind: DeclarationKind; name: string } {
  const known = kindOf(key)
  if (known === undefined) throw notFound('declaration', key, 'key')
  checkName[known.kind](known.name)
  return known
}

/** Throws 3001 with every field that has not the form. */
export function assertForm(kind: DeclarationKind, value: Json): void {
  checkValue[kind](value)
}
