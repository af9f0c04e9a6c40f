/** What a venue calls the assets that it moves for us, and over which protocols. */
import { refuse } from '../core/errors.ts'
import { CARRIED, PROTOCOLS, VENUE_WORDS } from './catalogue.ts'
import type { Carried, Dialect, ProtocolTraits, VenueWords } from './catalogue.ts'

/** An asset on a protocol, in a venue's words. */
export type Term = Carried &
  Omit<ProtocolTraits, 'fee_asset'> & {
    native: string
    networks: readonly string[]
    /** What the protocol's own fee is paid in. */
    fee_asset: string
  }

/** The terms of one venue. */
export type Terms = {
  all: readonly Term[]
  find(asset: string, protocol: string): Term | undefined
  /** Throws UNSUPPORTED_BY_VENUE. */
  of(asset: string, protocol: string): Term
  /** The first of what the venue calls so: it says the asset, of several protocols not which. */
  byNative(native: string): Term | undefined
  /** The protocol of an asset's pot, where the venue keeps one for all; null: not one of ours. */
  ofPot(asset: string): string | null
}

/** `venue`: its name in refusals. */
export function termsOf(venue: string, all: readonly Term[]): Terms {
  const find = (asset: string, protocol: string) =>
    all.find((term) => term.asset === asset && term.protocol === protocol)
  return {
    all,
    find,
    of(asset, protocol) {
      const found = find(asset, protocol)
      if (found === undefined)
        throw refuse(
          'UNSUPPORTED_BY_VENUE',
          'protocol',
          `${venue} does not move ${asset} over ${protocol}`,
        )
      return found
    },
    byNative: (native) => all.find((term) => term.native === native),
    ofPot: (asset) => all.find((term) => term.asset === asset)?.protocol ?? null,
  }
}

/** Whether the venue means the term's protocol by this word. */
export function isNetwork({ networks }: Pick<Term, 'networks'>, word: unknown): boolean {
  if (typeof word !== 'string') return false
  const excluded = networks.filter((name) => name.startsWith('!')).map((name) => name.slice(1))
  const meant = networks.filter((name) => !name.startsWith('!'))
  return meant.some((name) => isLike(name, word)) && !excluded.some((name) => isLike(name, word))
}

/**
 * Of the terms of one asset the one that the venue names. null: it moved by a protocol that is none
 * of ours. Money moves by many methods, so there the first counts; so does the only one, where the
 * venue names none.
 */
export function termMeant(ofAsset: readonly Term[], ...words: readonly unknown[]): Term | null {
  const [first = null, second] = ofAsset
  const found = ofAsset.find((term) => words.some((word) => isNetwork(term, word)))
  if (found !== undefined || first === null) return found ?? null
  const isNamed = words.some((word) => typeof word === 'string' && word !== '')
  return isMoney(first) || (!isNamed && second === undefined) ? first : null
}

/** `*` stands for any text. */
function isLike(name: string, word: string): boolean {
  const parts = name
    .split('*')
    .map((part) => part.replaceAll(/[\\^$.+?()[\]{}|]/g, String.raw`\$&`))
  return new RegExp(`^${parts.join('.*')}$`).test(word)
}

/** The word to use for the term's protocol. */
export const networkOf = ({ networks }: Pick<Term, 'networks'>): string => networks[0] ?? ''

export const isTagged = ({ ledger }: Pick<Term, 'ledger'>): boolean => ledger === 'TAGS'
export const isMoney = ({ ledger }: Pick<Term, 'ledger'>): boolean => ledger === 'BANK'

/** The protocols that carry an asset, as far as that is shipped. */
export const shippedProtocols = (asset: string): string[] =>
  CARRIED.filter((carried) => carried.asset === asset).map(({ protocol }) => protocol)

/** What is shipped, for a venue whose configuration says nothing else. */
export const shippedTerms = (dialect: Dialect): Term[] =>
  VENUE_WORDS[dialect].map((words) => termOf(words, [], PROTOCOLS))

/**
 * Puts the words together with what is known of the protocol: `protocols` describes all of them.
 * Throws for one that is not there: that was refused before.
 */
export function termOf(
  words: Omit<VenueWords, 'networks'> & { networks: readonly string[] },
  carried: readonly Carried[],
  protocols: Readonly<Record<string, ProtocolTraits>>,
): Term {
  const { asset, protocol } = words
  const found = [...carried, ...CARRIED].find(
    (entry) => entry.asset === asset && entry.protocol === protocol,
  )
  const traits = protocols[protocol]
  if (found === undefined || traits === undefined)
    throw new RangeError(`nothing is known of ${asset} on ${protocol}`)
  return {
    asset,
    protocol,
    native: words.native,
    networks: words.networks,
    decimals: found.decimals,
    ledger: traits.ledger,
    fee_asset: traits.fee_asset ?? asset,
  }
}
