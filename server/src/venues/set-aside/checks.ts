/**
 * What the gate checks of each field that an adapter reports. A new field of the contract does not
 * compile until its check stands here.
 */
import type {
  AccountTrade,
  FormerTransaction,
  Incoming,
  Outgoing,
  TransferReport,
  VenueFill,
} from '../contract.ts'
import {
  LONGEST_REFERENCE,
  objectionToAmount,
  objectionToCount,
  objectionToDay,
  objectionToText,
  objectionToTime,
} from './texts.ts'

type Check = (value: unknown) => string | undefined
type Checks<Report> = Readonly<Record<keyof Required<Report>, Check>>

const text: Check = (value) => objectionToText(value)
const longText: Check = (value) => objectionToText(value, LONGEST_REFERENCE)
const name: Check = (value) => (value === '' ? 'is empty' : objectionToText(value))
const fine: Check = () => undefined
const optional =
  (check: Check): Check =>
  (value) =>
    value === null || value === undefined ? undefined : check(value)

const COUNTERPARTY: Checks<NonNullable<Incoming['counterparty']>> = {
  name: optional(text),
  iban: optional(text),
  bic: optional(text),
}

const counterparty: Check = (value) => {
  const objection = findObjection(COUNTERPARTY, value as NonNullable<Incoming['counterparty']>)
  return objection === undefined ? undefined : `'s ${objection}`
}

const FORMER: Checks<FormerTransaction> = { foreign_id: name, transaction_hash: name }

const former: Check = (value) => {
  for (const transaction of value as readonly FormerTransaction[]) {
    const objection = findObjection(FORMER, transaction)
    if (objection !== undefined) return `'s ${objection}`
  }
  return undefined
}

const payeeCheck: Check = (value) => {
  const { code, payee } = value as NonNullable<TransferReport['payee_check']>
  return text(code) ?? (payee === null ? undefined : text(payee))
}

const INCOMING: Checks<Incoming> = {
  foreign_id: name,
  state: text,
  wallet: optional(text),
  asset: text,
  protocol: optional(text),
  quantity: objectionToAmount,
  transaction_hash: optional(text),
  output_index: optional(objectionToCount),
  source_address: optional(text),
  destination_address: optional(text),
  tag: optional(text),
  reference_text: optional(longText),
  counterparty: optional(counterparty),
  confirmations: optional(objectionToCount),
  required_confirmations: optional(objectionToCount),
  related_external_id: optional(text),
  carried_external_id: optional(text),
  by_venue: fine,
  value_date: optional(objectionToDay),
  occurred_at: objectionToTime,
}

const OUTGOING: Checks<Outgoing> = {
  kind: text,
  foreign_id: name,
  external_id: optional(text),
  output: optional(objectionToCount),
  state: text,
  left: fine,
  sub_state: text,
  wallet: optional(text),
  asset: text,
  protocol: text,
  quantity: objectionToAmount,
  fee: optional(objectionToAmount),
  fee_asset: optional(text),
  transaction_hash: optional(text),
  former: optional(former),
  not_credited: fine,
  to_wallet: optional(text),
  destination_address: optional(text),
  tag: optional(text),
  reference_text: optional(longText),
  recipient_name: optional(text),
  value_date: optional(objectionToDay),
  occurred_at: objectionToTime,
}

/** `sub_state` and `reason` say nothing that is decided by: they are shortened instead. */
const TRANSFER_REPORT: Checks<TransferReport> = {
  foreign_id: name,
  state: text,
  sub_state: fine,
  reason: fine,
  transaction_hash: optional(text),
  confirmations: optional(objectionToCount),
  fee: optional(objectionToAmount),
  fee_asset: optional(text),
  former: optional(former),
  value_date: optional(objectionToDay),
  not_credited: fine,
  payee_check: optional(payeeCheck),
}

const FILL: Checks<VenueFill> = {
  foreign_id: name,
  price: objectionToAmount,
  quantity: objectionToAmount,
  volume: objectionToAmount,
  fee: objectionToAmount,
  fee_asset: text,
  liquidity: text,
  executed_at: objectionToTime,
  busted: fine,
}

const ACCOUNT_TRADE: Checks<AccountTrade> = {
  ...FILL,
  order_foreign_id: name,
  client_order_id: optional(text),
  base_asset: text,
  quote_asset: text,
  side: text,
}

/** A sentence that names the first field that cannot be stored; undefined when all can. */
const findObjection = <Report extends object>(
  checks: Checks<Report>,
  report: Report,
): string | undefined => {
  for (const [field, check] of Object.entries<Check>(checks)) {
    const objection = check(report[field as keyof Report])
    if (objection !== undefined) {
      const words = field.replaceAll('_', ' ')
      return objection.startsWith("'s ") ? words + objection : `${words} ${objection}`
    }
  }
  return undefined
}

export const objectionToIncoming = (movement: Incoming) => findObjection(INCOMING, movement)
export const objectionToOutgoing = (movement: Outgoing) => findObjection(OUTGOING, movement)
export const objectionToReport = (report: TransferReport) => findObjection(TRANSFER_REPORT, report)
export const objectionToFill = (fill: VenueFill) => findObjection(FILL, fill)
export const objectionToTrade = (trade: AccountTrade) => findObjection(ACCOUNT_TRADE, trade)
