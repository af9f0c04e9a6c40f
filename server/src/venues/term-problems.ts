/**
 * What is wrong with the terms of the configuration file, each with its place. Two terms that the
 * venue's words do not tell apart would book one asset as the other.
 */
import type { ErrorDetail } from '../core/errors.ts'
import { CARRIED, PROTOCOLS, VENUE_WORDS } from './catalogue.ts'
import type { Dialect } from './catalogue.ts'
import { carriedBy, declaredTerms, dialectOf, traitsOf } from './declared-terms.ts'
import type { DeclaredAsset, PlacedTerm, TermVenue } from './declared-terms.ts'
import { isNetwork } from './terms.ts'
import type { Term } from './terms.ts'

/** Of the file alone. */
export function problemsOfTerms(
  assets: readonly DeclaredAsset[],
  venues: readonly TermVenue[],
): ErrorDetail[] {
  const codes = new Set(assets.map(({ code }) => code))
  const problems = [
    ...assets.flatMap((asset, index) => problemsOfAsset(assets, asset, `assets[${index}]`)),
    ...venues.flatMap((venue, index) =>
      problemsOfVenue(assets, venue, { path: `venues[${index}]`, codes }),
    ),
  ]
  // What is not known has no terms that could be compared.
  if (problems.length > 0) return problems
  const clashes = venues.flatMap((venue, index) =>
    clashesOf(declaredTerms(venue, assets, codes), `venues[${index}]`),
  )
  // Venues of one kind have the words of an asset in common.
  return [...new Map(clashes.map((clash) => [clash.message, clash])).values()]
}

function problemsOfVenue(
  assets: readonly DeclaredAsset[],
  venue: TermVenue,
  { path, codes }: { path: string; codes: ReadonlySet<string> },
): ErrorDetail[] {
  return (venue.terms ?? []).flatMap((term, index) => {
    const place = `${path}.terms[${index}]`
    if (venue.kind === 'BANK') return [problem('UNKNOWN_FIELD', place, 'a bank has no terms')]
    if (!codes.has(term.asset))
      return [problem('UNKNOWN_ASSET', `${place}.asset`, `${term.asset} is not among the assets`)]
    return isKnown(assets, term.asset, term.protocol)
      ? problemsOfNetworks(term, { dialect: dialectOf(venue), assets, path: place })
      : [problem('NOT_FOUND', `${place}.protocol`, unknownProtocol(term.asset, term.protocol))]
  })
}

function problemsOfAsset(
  assets: readonly DeclaredAsset[],
  { code, protocols = [] }: DeclaredAsset,
  path: string,
): ErrorDetail[] {
  return protocols.flatMap((declared, index) => {
    const { protocol, names = {} } = declared
    const place = `${path}.protocols[${index}]`
    if (protocols.findIndex((entry) => entry.protocol === protocol) !== index)
      return [problem('DUPLICATE', `${place}.protocol`, `${protocol} is named twice`)]
    if (!isKnown(assets, code, protocol))
      return [problem('NOT_FOUND', `${place}.protocol`, unknownProtocol(code, protocol))]
    return [
      ...problemsOfTraits(assets, declared, place),
      ...Object.entries(names).flatMap(([dialect, words]) => {
        const term = { asset: code, protocol, ...words }
        return problemsOfNetworks(term, { dialect, assets, path: `${place}.names.${dialect}` })
      }),
    ]
  })
}

/** A protocol works in one way, whatever it carries. */
function problemsOfTraits(
  assets: readonly DeclaredAsset[],
  { protocol, ledger, fee_asset }: NonNullable<DeclaredAsset['protocols']>[number],
  path: string,
): ErrorDetail[] {
  if (fee_asset !== undefined && !assets.some(({ code }) => code === fee_asset))
    return [problem('UNKNOWN_ASSET', `${path}.fee_asset`, `${fee_asset} is not among the assets`)]
  if (ledger === undefined)
    return fee_asset === undefined
      ? []
      : [problem('REQUIRED', `${path}.ledger`, 'fee_asset is said together with ledger')]
  const shipped = PROTOCOLS[protocol]
  const known = shipped ?? traitsOf(assets)[protocol]
  const isFeeKnown =
    (shipped !== undefined && fee_asset === undefined) || (fee_asset ?? null) === known?.fee_asset
  if (ledger === known?.ledger && isFeeKnown) return []
  const text = `${protocol} is ${known?.ledger} with the fee in ${known?.fee_asset ?? 'what moves'}`
  const source = shipped === undefined ? 'as another entry says' : 'as it is shipped'
  return [problem('CONFLICT', `${path}.ledger`, `${text}, ${source}`)]
}

type PlaceOfWords = { dialect: string; assets: readonly DeclaredAsset[]; path: string }

/** The vault's asset id says the protocol too. All others need a word that can be sent. */
function problemsOfNetworks(
  { protocol, networks = [] }: { protocol: string; networks?: readonly string[] },
  { dialect, assets, path }: PlaceOfWords,
): ErrorDetail[] {
  if (dialect === 'CUSTODY_VAULT') return []
  const place = `${path}.networks`
  if (networks.every((name) => name.startsWith('!')))
    return [problem('REQUIRED', place, 'at least one word of the venue for the protocol')]
  const isBank = traitsOf(assets)[protocol]?.ledger === 'BANK'
  const [first = ''] = networks
  return !isSentTo(dialect) || isBank || !/[*!]/.test(first)
    ? []
    : [problem('FORMAT', place, `${first} is a pattern, and the first word is sent as it stands`)]
}

/** Kraken is sent the name of a key. */
const isSentTo = (dialect: string): boolean =>
  Object.hasOwn(VENUE_WORDS, dialect) && dialect !== KEYS
const KEYS: Dialect = 'kraken'

/**
 * Terms of one venue of which its words may mean either. Bitstamp writes an asset in capitals and
 * in small letters. What the file does not name stands; of two that it names, the first.
 */
export function clashesOf(placed: readonly PlacedTerm[], venue: string): ErrorDetail[] {
  const ordered = [
    ...placed.filter((entry) => !isDeclared(entry)),
    ...placed.filter((entry) => isDeclared(entry)),
  ]
  return ordered.flatMap((entry, index) => {
    const rival = ordered.slice(0, index).find((other) => isLike(entry, other))
    if (rival === undefined) return []
    const { native, asset, protocol } = entry.term
    const known = `${rival.term.asset} on ${rival.term.protocol}`
    return [
      problem(
        'DUPLICATE',
        placeOf(entry, venue),
        `${native} is ${known} there, and cannot be ${asset} on ${protocol} too`,
      ),
    ]
  })
}

const isDeclared = ({ ofVenue, ofAsset }: PlacedTerm): boolean =>
  ofVenue !== null || ofAsset !== null

const placeOf = ({ ofVenue, ofAsset }: PlacedTerm, venue: string): string =>
  ofAsset ?? (ofVenue === null ? venue : `${venue}.${ofVenue}`)

function isLike({ term: one }: PlacedTerm, { term: other }: PlacedTerm): boolean {
  if (one.native.toLowerCase() !== other.native.toLowerCase()) return false
  return one.asset !== other.asset || sharesNetwork(one, other) || sharesNetwork(other, one)
}

const sharesNetwork = (one: Term, other: Term): boolean =>
  one.networks.length === 0 ||
  one.networks.some((word) => !word.startsWith('!') && isNetwork(other, word))

/** Whether decimals and the way of the ledger are shipped or declared. */
const isKnown = (assets: readonly DeclaredAsset[], code: string, protocol: string): boolean =>
  [...carriedBy(assets), ...CARRIED].some(
    (entry) => entry.asset === code && entry.protocol === protocol,
  ) && Object.hasOwn(traitsOf(assets), protocol)

const unknownProtocol = (code: string, protocol: string) =>
  `nothing is known of ${code} on ${protocol}: give its decimals, and of a protocol that is not ` +
  'shipped its ledger and fee_asset'

const problem = (code: ErrorDetail['code'], path: string, text: string): ErrorDetail => ({
  code,
  path,
  message: `${path}: ${text}`,
})
