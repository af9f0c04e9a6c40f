/**
 * The configuration file: what a workspace deals in and where, declared once. Its JSON Schema is
 * server/config/kontor.schema.json.
 */
import { brandWith, settingsSchema } from '../access/index.ts'
import type { Settings } from '../access/index.ts'
import {
  asset,
  closed,
  flag,
  integer,
  optional,
  optionalBlank,
  requiredText,
  text,
  Type,
  oneOf,
} from '../http/index.ts'
import type { Static, TSchema } from '../http/index.ts'
import { AggregatorDeclaration } from '../market-data/index.ts'
import { PriceRouteDeclaration } from '../trading/index.ts'
import type { DeclaredPriceRoute } from '../trading/index.ts'
import { AssetProtocolDeclaration, keyText, VenueDeclaration } from '../venues/index.ts'

const MAXIMUM_ENTRIES = 1_000
const MAXIMUM_SCALE = 18
const MAXIMUM_NAME = 100
const MAXIMUM_PROTOCOLS = 50

export const AssetDeclaration = closed(
  {
    code: asset(),
    label: requiredText(),
    kind: oneOf(['FIAT', 'CRYPTO']),
    scale: integer(0, MAXIMUM_SCALE, 'Fraction digits of amounts; may grow later, never shrink'),
    protocols: optional(
      Type.Array(AssetProtocolDeclaration, {
        minItems: 1,
        maxItems: MAXIMUM_PROTOCOLS,
        description: 'The protocols that move it here; default: those that are shipped',
      }),
    ),
    circulating_supply: optional(
      Type.String({
        pattern: '^[1-9][0-9]{0,37}$',
        description:
          'Whole units, for the market cap of assets that the aggregator does not report',
      }),
    ),
  },
  { title: 'AssetDeclaration' },
)

const WalletDeclaration = closed(
  {
    key: keyText(
      "The wallet's name in this file; the wallet keeps its id as long as it keeps its key",
    ),
    venue: keyText('Key of the venue that holds it'),
    asset: asset(),
    address: text(
      500,
      'Where it receives: blockchain address or IBAN; empty when ' +
        'configuration.create_external_wallet is true',
    ),
    label: requiredText(),
    account: optional(oneOf(['VENUE', 'TRADING'], 'Default VENUE')),
    configuration: optional(
      closed({
        create_external_wallet: optional(flag('The venue creates the wallet, once')),
        protocol: optionalBlank(text(MAXIMUM_NAME)),
        vault_id: optionalBlank(text(MAXIMUM_NAME)),
        vault_name: optionalBlank(text(MAXIMUM_NAME)),
        customer_id: optionalBlank(text(MAXIMUM_NAME)),
        wallet_id: optionalBlank(text(MAXIMUM_NAME)),
        customer_number: optionalBlank(text(MAXIMUM_NAME)),
        customer_account_number: optionalBlank(text(MAXIMUM_NAME)),
      }),
    ),
    reference_text: optional(requiredText()),
    integrate_from: optional(
      Type.Unsafe<number | string>({
        anyOf: [
          { type: 'integer', minimum: 0 },
          { type: 'string', maxLength: 40 },
        ],
        description:
          'Movements before this time belong to the opening balance: ISO 8601, or an integer ' +
          'read by its size. When absent: all movements up to the first connection of the ' +
          'venue.',
      }),
    ),
  },
  { title: 'WalletDeclaration' },
)

const side = (description: string) =>
  Type.Unsafe<Record<string, string>>({ type: 'object', additionalProperties: text(), description })
const RouteDeclaration = closed(
  {
    key: keyText(
      "The route's name in this file; the route keeps its id as long as it keeps its key",
    ),
    label: requiredText(),
    from: keyText('Key of the sending wallet'),
    to: keyText('Key of the receiving wallet'),
    protocol: requiredText(MAXIMUM_NAME),
    transfer: optional(
      closed({
        from: optional(side('As the route fields of the sending wallet name them')),
        to: optional(side('As the route fields of the sending wallet name them')),
      }),
    ),
    allow: optional(flag('Ask the venue to put the destination on its allow-list')),
  },
  { title: 'RouteDeclaration' },
)

/** What stands otherwise in a file than in the API. */
const IN_FILES: Readonly<Record<string, TSchema>> = {
  brand: brandWith('A file, PNG or SVG of at most 64 KiB; relative to this file'),
}

const Settings = Type.Unsafe<Partial<Settings>>({
  ...closed(
    Object.fromEntries(
      Object.entries(settingsSchema.properties).map(([name, schema]) => [
        name,
        optional(IN_FILES[name] ?? (schema as TSchema)),
      ]),
    ),
  ),
  description: 'Only settings that differ from the defaults',
})

const list = <S extends TSchema>(schema: S) =>
  optional(Type.Array(schema, { maxItems: MAXIMUM_ENTRIES }))

export const ConfigSchema = closed(
  {
    $schema: optional(text(1_000)),
    version: Type.Literal(1),
    workspace: optional(requiredText(200, 'Name of the workspace; the first one when absent')),
    assets: list(AssetDeclaration),
    venues: list(VenueDeclaration),
    wallets: list(WalletDeclaration),
    routes: list(RouteDeclaration),
    aggregator: optional(AggregatorDeclaration),
    price_routes: list(Type.Unsafe<DeclaredPriceRoute>(PriceRouteDeclaration)),
    settings: optional(Settings),
  },
  { title: 'Kontor configuration' },
)

export type Config = Static<typeof ConfigSchema>
export type DeclaredWallet = Static<typeof WalletDeclaration>
export type DeclaredRoute = Static<typeof RouteDeclaration>
