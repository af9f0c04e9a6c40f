/**
 * What an event says in words: what happened to which account, and why, from what was stored with
 * it. Pure.
 */
import type { Json } from '../../core/json.ts'
import { EVENTS } from '../../ledger/index.ts'
import type { RecordedEvent } from '../../ledger/index.ts'

type Data = Readonly<Record<string, Json | undefined>>

const textIn = (data: Data, name: string): string | undefined => {
  const value = data[name]
  return typeof value === 'string' && value !== '' ? value : undefined
}

/** `labels`: of the accounts that the data names. */
export function titleOf(
  { type, data }: RecordedEvent,
  labels: ReadonlyMap<string, string>,
): string {
  const labelOf = (name: string) => labels.get(textIn(data, name) ?? '')
  const title = EVENTS[type]
  const quantity = textIn(data, 'quantity')
  const amount = [quantity, textIn(data, 'asset')].filter((part) => part !== undefined).join(' ')
  const [giver, receiver] = [labelOf('from_account_id'), labelOf('to_account_id')]
  if (giver !== undefined && receiver !== undefined)
    return `${title}: ${amount} from ${giver} to ${receiver}`
  const label = labelOf('account_id')
  return label === undefined || !/assign/.test(type) ? title : `${title}: ${amount} for ${label}`
}

/** The accounts that a title may name. */
export const accountsIn = ({ data }: RecordedEvent): string[] =>
  ['account_id', 'from_account_id', 'to_account_id'].flatMap((name) => textIn(data, name) ?? [])

/** Why a matching of each level applied. */
const LEVELS: Readonly<Record<string, (matched: Data) => string>> = {
  DESTINATION_WITH_REFERENCE: (matched) =>
    `matching for the destination ${textOrUnknown(matched, 'address')} ` +
    `with the reference ${textOrUnknown(matched, 'reference')}`,
  DESTINATION_WITHOUT_REFERENCE: (matched) =>
    `matching for the destination ${textOrUnknown(matched, 'address')}`,
  WALLET: () => 'the wallet belongs to this customer',
  SOURCE_WITH_REFERENCE: (matched) =>
    `matching for the source ${textOrUnknown(matched, 'address')} ` +
    `with the reference ${textOrUnknown(matched, 'reference')}`,
  SOURCE_WITHOUT_REFERENCE: (matched) =>
    `matching for the source ${textOrUnknown(matched, 'address')}`,
  RETURN: (matched) =>
    `the venue returns withdrawal ${textOrUnknown(matched, 'withdrawal_id')}: ` +
    'back to the accounts that paid it',
}

const textOrUnknown = (data: Data, name: string) => textIn(data, name) ?? 'unknown'

/** Null where nothing was stored that says why. */
export function reasonOf({ type, data }: RecordedEvent): string | null {
  const parts = [
    matchingReason(type, data),
    rectificationReason(data),
    arrivalReason(data),
    codeReason(data),
    textIn(data, 'explanation'),
    textIn(data, 'note'),
    evidenceReason(data),
  ]
  const known = parts.filter((part) => part !== undefined)
  return known.length === 0 ? null : known.join('; ')
}

function matchingReason(type: string, data: Data): string | undefined {
  const by = data['matched']
  if (by === undefined) {
    const isAssignment = type === 'deposit.assigned' || type === 'withdrawal.assigned'
    return isAssignment && data['rectification_id'] !== undefined
      ? 'by the rectification'
      : undefined
  }
  if (by === null) return 'no matching names its destination, source or reference'
  if (typeof by !== 'object' || Array.isArray(by)) return undefined
  const level = textIn(by, 'level') ?? ''
  const why = LEVELS[level]?.(by)
  const matching = textIn(by, 'matching_id')
  return why === undefined
    ? undefined
    : `${level}: ${why}${matching === undefined ? '' : ` (${matching})`}`
}

const rectificationReason = (data: Data) => textIn(data, 'rectification_reason')

function arrivalReason(data: Data): string | undefined {
  if (data['own_transfer'] === true) {
    const part = textIn(data, 'transfer_quantity')
    return (
      `an own transfer${part === undefined ? '' : ` of ${part}`}: withdrawal ` +
      `${textOrUnknown(data, 'related_withdrawal_id')} was sent to this wallet`
    )
  }
  const settlement = textIn(data, 'settlement_id')
  return settlement === undefined ? undefined : `what a venue pays for settlement ${settlement}`
}

function codeReason(data: Data): string | undefined {
  const [code, reason] = [textIn(data, 'reason_code'), textIn(data, 'reason')]
  if (code === undefined) return reason
  return reason === undefined ? code : `${code}: ${reason}`
}

const evidenceReason = (data: Data): string | undefined => {
  const evidence = textIn(data, 'evidence')
  return evidence === undefined ? undefined : `evidence: ${evidence}`
}
