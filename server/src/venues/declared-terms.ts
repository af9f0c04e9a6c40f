/** Terms as the configuration file declares them, over those that are shipped. */
import type { ErrorDetail } from '../core/errors.ts'
import { asset, closed, integer, optional, requiredText, Type, oneOf } from '../http/index.ts'
import type { Static } from '../http/index.ts'
import { CARRIED, LEDGERS, PROTOCOLS, VENUE_WORDS } from './catalogue.ts'
import type { Carried, Dialect, ProtocolTraits, VenueWords } from './catalogue.ts'
import { termOf } from './terms.ts'
import type { Term } from './terms.ts'

const MAXIMUM_NAME = 100
const MAXIMUM_NETWORKS = 20
const MAXIMUM_DECIMALS = 18

const words = {
  native: requiredText(MAXIMUM_NAME, "The venue's word for the asset"),
  networks: optional(
    Type.Array(requiredText(MAXIMUM_NAME), {
      maxItems: MAXIMUM_NETWORKS,
      description:
        "The venue's words for the protocol, the one to send first; * stands for any text, and " +
        'what follows ! is not meant',
    }),
  ),
}
const Words = closed(words, { title: 'VenueWords' })

/** One protocol of an asset in the configuration file. */
export const AssetProtocolDeclaration = closed(
  {
    protocol: requiredText(MAXIMUM_NAME),
    decimals: optional(integer(0, MAXIMUM_DECIMALS, 'Fraction digits that the protocol has')),
    ledger: optional(oneOf(LEDGERS, 'How the protocol works, where it is not shipped')),
    fee_asset: optional(asset()),
    names: optional(
      Type.Unsafe<Partial<Record<Dialect, Static<typeof Words>>>>({
        ...closed(
          Object.fromEntries(Object.keys(VENUE_WORDS).map((dialect) => [dialect, optional(Words)])),
        ),
        description: 'What venues call it, where that is not shipped or is another word',
      }),
    ),
  },
  { title: 'AssetProtocolDeclaration' },
)

/** Words of one venue alone. */
export const TermDeclaration = closed(
  { asset: asset(), protocol: requiredText(MAXIMUM_NAME), ...words },
  { title: 'TermDeclaration' },
)

type DeclaredAsset = {
  code: string
  protocols?: readonly Static<typeof AssetProtocolDeclaration>[]
}
type TermVenue = {
  kind: string
  options?: Record<string, string>
  terms?: readonly Static<typeof TermDeclaration>[]
}

const dialectOf = ({ kind, options }: TermVenue): string =>
  kind === 'EXCHANGE' ? (options?.['exchange'] ?? '') : kind

const shippedWords = (dialect: string): readonly Omit<VenueWords, 'networks'>[] =>
  (VENUE_WORDS as Readonly<Record<string, readonly Omit<VenueWords, 'networks'>[]>>)[dialect] ?? []

/**
 * What a venue moves of the assets `codes`, in its words: the venue's own before those of the
 * asset, and these before what is shipped. Of an asset that names protocols, only these.
 */
export function declaredTerms(
  venue: TermVenue,
  assets: readonly DeclaredAsset[],
  codes: ReadonlySet<string>,
): Term[] {
  const dialect = dialectOf(venue)
  const ofAssets = assets.flatMap(({ code, protocols = [] }) =>
    protocols.flatMap(({ protocol, names }) => {
      const named = names?.[dialect as Dialect]
      return named === undefined ? [] : [{ asset: code, protocol, ...named }]
    }),
  )
  const known = new Map<string, Term>()
  for (const entry of [...(venue.terms ?? []), ...ofAssets, ...shippedWords(dialect)]) {
    const { asset, protocol } = entry
    const key = JSON.stringify([asset, protocol])
    if (known.has(key) || !codes.has(asset) || !isCarried(assets, asset, protocol)) continue
    const term = { networks: [], ...entry }
    known.set(key, termOf(term, carriedBy(assets), traitsOf(assets)))
  }
  return [...known.values()]
}

function isCarried(assets: readonly DeclaredAsset[], code: string, protocol: string): boolean {
  const declared = assets.find((asset) => asset.code === code)?.protocols
  return declared === undefined || declared.some((entry) => entry.protocol === protocol)
}

const carriedBy = (assets: readonly DeclaredAsset[]): Carried[] =>
  assets.flatMap(({ code, protocols = [] }) =>
    protocols.flatMap(({ protocol, decimals }) =>
      decimals === undefined ? [] : [{ asset: code, protocol, decimals }],
    ),
  )

function traitsOf(assets: readonly DeclaredAsset[]): Record<string, ProtocolTraits> {
  const all = assets.flatMap(({ protocols = [] }) => protocols)
  return Object.fromEntries(
    all.flatMap(({ protocol, ledger, fee_asset }) =>
      ledger === undefined ? [] : [[protocol, { ledger, fee_asset: fee_asset ?? null }]],
    ),
  )
}

/** What is missing or unknown in the file's terms, each with its place. */
export function problemsOfTerms(
  assets: readonly DeclaredAsset[],
  venues: readonly TermVenue[],
): ErrorDetail[] {
  const codes = new Set(assets.map(({ code }) => code))
  return [
    ...assets.flatMap((asset, index) => problemsOfAsset(assets, asset, `assets[${index}]`)),
    ...venues.flatMap(({ kind, terms = [] }, index) =>
      terms.flatMap((term, place) => {
        const path = `venues[${index}].terms[${place}]`
        if (kind === 'BANK') return [problem('UNKNOWN_FIELD', path, 'a bank has no terms')]
        if (!codes.has(term.asset))
          return [
            problem('UNKNOWN_ASSET', `${path}.asset`, `${term.asset} is not among the assets`),
          ]
        return isKnown(assets, term.asset, term.protocol)
          ? []
          : [problem('NOT_FOUND', `${path}.protocol`, unknownProtocol(term.asset, term.protocol))]
      }),
    ),
  ]
}

function problemsOfAsset(
  assets: readonly DeclaredAsset[],
  { code, protocols = [] }: DeclaredAsset,
  path: string,
): ErrorDetail[] {
  return protocols.flatMap(({ protocol }, index) => {
    const place = `${path}.protocols[${index}].protocol`
    if (protocols.findIndex((entry) => entry.protocol === protocol) !== index)
      return [problem('DUPLICATE', place, `${protocol} is named twice`)]
    return isKnown(assets, code, protocol)
      ? []
      : [problem('NOT_FOUND', place, unknownProtocol(code, protocol))]
  })
}

/** Whether decimals and the way of the ledger are shipped or declared. */
const isKnown = (assets: readonly DeclaredAsset[], code: string, protocol: string): boolean =>
  [...carriedBy(assets), ...CARRIED].some(
    (entry) => entry.asset === code && entry.protocol === protocol,
  ) &&
  (protocol in traitsOf(assets) || protocol in PROTOCOLS)

const unknownProtocol = (code: string, protocol: string) =>
  `nothing is known of ${code} on ${protocol}: give its decimals, and of a protocol that is not ` +
  'shipped its ledger and fee_asset'

const problem = (code: ErrorDetail['code'], path: string, text: string): ErrorDetail => ({
  code,
  path,
  message: `${path}: ${text}`,
})
