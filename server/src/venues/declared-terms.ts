/** Terms as the configuration file declares them, over those that are shipped. */
import { asset, closed, integer, optional, requiredText, Type, oneOf } from '../http/index.ts'
import type { Static } from '../http/index.ts'
import { LEDGERS, PROTOCOLS, VENUE_WORDS } from './catalogue.ts'
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

export type DeclaredAsset = {
  code: string
  protocols?: readonly Static<typeof AssetProtocolDeclaration>[]
}
export type TermVenue = {
  kind: string
  options?: Record<string, string>
  terms?: readonly Static<typeof TermDeclaration>[]
}
/** A term, and where the file has its words: below the venue, or an asset; null: it has none. */
export type PlacedTerm = { term: Term; ofVenue: string | null; ofAsset: string | null }

export const dialectOf = ({ kind, options }: TermVenue): string =>
  kind === 'EXCHANGE' ? (options?.['exchange'] ?? '') : kind

const shippedWords = (dialect: string): readonly Omit<VenueWords, 'networks'>[] =>
  (VENUE_WORDS as Readonly<Record<string, readonly Omit<VenueWords, 'networks'>[]>>)[dialect] ?? []

/**
 * What a venue moves of the assets `codes`, in its words: the venue's own before those of the
 * asset, and these before what is shipped. Of an asset that names protocols, only these. Of one
 * that the file does not name, what is `stored` of it.
 */
export function declaredTerms(
  venue: TermVenue,
  assets: readonly DeclaredAsset[],
  codes: ReadonlySet<string>,
  stored: readonly Term[] = [],
): PlacedTerm[] {
  const kept = stored.filter(
    ({ asset }) => codes.has(asset) && !assets.some(({ code }) => code === asset),
  )
  const known = new Map<string, PlacedTerm>()
  for (const term of kept) known.set(keyOf(term), { term, ofVenue: null, ofAsset: null })
  const isKept = new Set(kept.map(({ asset }) => asset))
  for (const { words, ...place } of wordsOf(venue, assets)) {
    const { asset, protocol } = words
    if (known.has(keyOf(words)) || isKept.has(asset)) continue
    if (!codes.has(asset) || !isCarried(assets, asset, protocol)) continue
    const term = termOf({ networks: [], ...words }, carriedBy(assets), traitsOf(assets))
    known.set(keyOf(words), { term, ...place })
  }
  return [...known.values()]
}

const keyOf = ({ asset, protocol }: Pick<Term, 'asset' | 'protocol'>): string =>
  JSON.stringify([asset, protocol])

/** The first of an asset on a protocol counts. */
function wordsOf(venue: TermVenue, assets: readonly DeclaredAsset[]) {
  const dialect = dialectOf(venue)
  return [
    ...(venue.terms ?? []).map((words, index) => ({
      words,
      ofVenue: `terms[${index}]`,
      ofAsset: null,
    })),
    ...assets.flatMap(({ code, protocols = [] }, index) =>
      protocols.flatMap(({ protocol, names }, place) => {
        const named = names?.[dialect as Dialect]
        const ofAsset = `assets[${index}].protocols[${place}].names.${dialect}`
        return named === undefined
          ? []
          : [{ words: { asset: code, protocol, ...named }, ofVenue: null, ofAsset }]
      }),
    ),
    ...shippedWords(dialect).map((words) => ({ words, ofVenue: null, ofAsset: null })),
  ]
}

function isCarried(assets: readonly DeclaredAsset[], code: string, protocol: string): boolean {
  const declared = assets.find((asset) => asset.code === code)?.protocols
  return declared === undefined || declared.some((entry) => entry.protocol === protocol)
}

export const carriedBy = (assets: readonly DeclaredAsset[]): Carried[] =>
  assets.flatMap(({ code, protocols = [] }) =>
    protocols.flatMap(({ protocol, decimals }) =>
      decimals === undefined ? [] : [{ asset: code, protocol, decimals }],
    ),
  )

/** What is shipped of a protocol stands. Of any other, the first entry. */
export function traitsOf(assets: readonly DeclaredAsset[]): Record<string, ProtocolTraits> {
  const all = assets.flatMap(({ protocols = [] }) => protocols)
  const described = all.flatMap(({ protocol, ledger, fee_asset = null }) =>
    ledger === undefined ? [] : [[protocol, { ledger, fee_asset }] as const],
  )
  return { ...Object.fromEntries(described.toReversed()), ...PROTOCOLS }
}
