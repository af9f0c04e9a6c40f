/**
 * Which account a movement belongs to. Pure: the rules of docs/domain.md, part 3, in their order of
 * precedence.
 */
import type { AccountId } from '../../core/ids.ts'
import { MATCHING_RULES } from './matchings.schema.ts'
import type { MatchingType } from './matchings.schema.ts'

export type MatchingRule = {
  id: string
  resource_id: string
  type: MatchingType
  address_key: string
  reference: string | null
}

export type MovementKeys = {
  destination_key: string | null
  source_key: string | null
  tag: string | null
  reference_text: string | null
  /** The account of the receiving CUSTOMER wallet, null for any other wallet. */
  wallet_account_id: AccountId | null
}

/** Why an account was found: the level that decided, and what its matching asked for then. */
export type MatchReason = {
  level: MatchingType | 'WALLET'
  matching_id: string | null
  address: string | null
  reference: string | null
}

export type Match =
  | { match: 'account'; account_id: AccountId; matching_id: string | null; by: MatchReason }
  | { match: 'none' }
  | { match: 'ambiguous'; level: string }

const LEVELS: readonly (MatchingType | 'WALLET')[] = [
  'DESTINATION_WITH_REFERENCE',
  'DESTINATION_WITHOUT_REFERENCE',
  'WALLET',
  'SOURCE_WITH_REFERENCE',
  'SOURCE_WITHOUT_REFERENCE',
]

/** The first level that names an account decides; two different accounts there decide nothing. */
export function matchMovement(movement: MovementKeys, rules: readonly MatchingRule[]): Match {
  for (const level of LEVELS) {
    if (level === 'WALLET') {
      if (movement.wallet_account_id !== null)
        return {
          match: 'account',
          account_id: movement.wallet_account_id,
          matching_id: null,
          by: { level, matching_id: null, address: null, reference: null },
        }
      continue
    }
    const hits = rules.filter((rule) => rule.type === level && isMatch(rule, movement))
    const [first] = hits
    if (first === undefined) continue
    if (hits.some((hit) => hit.resource_id !== first.resource_id))
      return { match: 'ambiguous', level }
    return {
      match: 'account',
      account_id: first.resource_id,
      matching_id: first.id,
      by: {
        level,
        matching_id: first.id,
        address: first.address_key,
        reference: MATCHING_RULES[level].reference ? first.reference : null,
      },
    }
  }
  return { match: 'none' }
}

/** Whether a rule names its reference or its source, and not only where it arrives. */
export const isClaimed = (movement: MovementKeys, rules: readonly MatchingRule[]): boolean =>
  rules.some((rule) => {
    const { address, reference } = MATCHING_RULES[rule.type]
    return (reference || address === 'source_address') && isMatch(rule, movement)
  })

function isMatch(rule: MatchingRule, movement: MovementKeys): boolean {
  const { address, reference } = MATCHING_RULES[rule.type]
  const key = address === 'destination_address' ? movement.destination_key : movement.source_key
  if (key === null || key !== rule.address_key) return false
  return !reference || (rule.reference !== null && namesReference(rule.reference, movement))
}

/**
 * The reference equals the tag, or is a whole word (or run of words) of the text; case does not
 * matter.
 */
export function namesReference(
  reference: string,
  movement: Pick<MovementKeys, 'tag' | 'reference_text'>,
): boolean {
  if (movement.tag !== null && movement.tag.trim().toLowerCase() === reference.trim().toLowerCase())
    return true
  if (movement.reference_text === null) return false
  const wanted = tokensOf(reference)
  const words = tokensOf(movement.reference_text)
  return (
    wanted.length > 0 &&
    words.some((_word, start) => wanted.every((word, offset) => words[start + offset] === word))
  )
}

/** A hyphen, dot or underscore inside belongs to the word; at its edges it is punctuation. */
export function tokensOf(text: string): string[] {
  return text
    .toLowerCase()
    .split(/[\s,;:/|()[\]"'+*#?!=<>]+/)
    .map((word) => word.replace(/^[-._]+|[-._]+$/g, ''))
    .filter((word) => word !== '')
}

/**
 * The one spelling in which addresses are compared: IBANs without spaces in capitals, hexadecimal
 * and bech32 addresses in small letters. Base58 keeps its case, which is part of it.
 */
export function addressKey(kind: 'FIAT' | 'CRYPTO', address: string): string {
  const bare = address.replace(/\s+/g, '')
  if (kind === 'FIAT') return bare.toUpperCase()
  if (/^0x[0-9a-f]+$/i.test(bare)) return bare.toLowerCase()
  if (
    /^[a-z]{2,12}1[02-9ac-hj-np-z]{6,}$/.test(bare.toLowerCase()) &&
    (bare === bare.toLowerCase() || bare === bare.toUpperCase())
  )
    return bare.toLowerCase()
  return bare
}
