/**
 * A bank reached by ISO 20022 files: pain.001 out; pain.002, camt.054 and camt.053 in. It reads and
 * writes only files.
 *
 * The reference of a transfer is MsgId and EndToEndId of a message with one payment, and the name
 * of its file: a second send finds the first. Balance = closing balance of the newest statement +
 * booked entries notified since; as the bank tells only what is booked, all of it counts as free.
 * While a file newer than that statement is set aside unread, the balance is unknown.
 */
import { assert } from '../../core/assert.ts'
import { scaleOf, tryDecimal, ZERO, type Decimal } from '../../core/decimal.ts'
import { ApiError, refuse } from '../../core/errors.ts'
import { checkAba, checkBankAccount, checkBic, checkIban } from '../addresses.ts'
import type {
  Incoming,
  Lookup,
  Outcome,
  Outgoing,
  Transfers,
  TransferFields,
  TransferOrder,
  TransferReport,
  Venue,
  VenueBalance,
} from '../contract.ts'
import { readEntries, wholeOf, type Entries } from './entries.ts'
import { writeForeignPayment } from './foreign-file.ts'
import { openInbox, unreachable, type InboxFile } from './inbox.ts'
import type { BankEntry, BankTime, Statement } from './messages.ts'
import { openOutbox } from './outbox.ts'
import { MAXIMUM_PAYMENT, writePayment } from './payment-file.ts'
import {
  fromMessageId,
  MAXIMUM_REMITTANCE,
  remittanceText,
  sepaText,
  toMessageId,
} from './reference.ts'
import { paymentVerdict } from './states.ts'

export type BankConfig = {
  /** Payment files are put here; the bank moves them to `done` below it. */
  outbox_dir: string
  /** The bank's messages appear here. */
  inbox_dir: string
  iban: string
  bic: string
  /** The account holder as the bank knows it. */
  name: string
  currency: 'EUR'
  /**
   * What the bank charges for a FOREIGN payment by agreement: the estimate. What it took is told by
   * its entries.
   */
  foreign_fee?: Decimal
}

/** The configuration from named texts. Throws RangeError naming what is missing. */
export function bankConfig(values: Record<string, string>): BankConfig {
  const text = (name: string) => {
    const value = values[name]
    if (value === undefined || value === '')
      throw new RangeError(`the bank's configuration lacks ${name}`)
    return value
  }
  const currency = text('currency')
  if (currency !== 'EUR') throw new RangeError(`the bank's currency must be EUR, not ${currency}`)
  const foreign_fee = tryDecimal(values['foreign_fee'] || '0')
  if (foreign_fee === undefined || foreign_fee < ZERO || scaleOf(foreign_fee) > DECIMALS)
    throw new RangeError("the bank's foreign_fee must be an amount with at most two decimals")
  return {
    outbox_dir: text('outbox_dir'),
    inbox_dir: text('inbox_dir'),
    iban: text('iban'),
    bic: text('bic'),
    name: text('name'),
    currency,
    foreign_fee,
  }
}

/** Balances are told under the first: both protocols draw on one account. */
const PROTOCOL = 'SEPA'
const FOREIGN = 'FOREIGN'
const DECIMALS = 2
const MINIMUM_PAYMENT: Decimal = 10n ** 16n
const MAXIMUM_NAME = 70
/**
 * Names the cursor remembers: how far a file may appear behind its neighbours and still be seen.
 */
const CURSOR_NAMES = 50

const PAYEE: TransferFields['to'] = [
  { name: 'name', type: 'string', required: true, description: 'Recipient name' },
  { name: 'reference', type: 'string', required: true, description: 'Payment reference' },
]
const FIELDS: Record<string, TransferFields> = {
  [PROTOCOL]: { from: [], to: PAYEE },
  [FOREIGN]: {
    from: [],
    to: [
      ...PAYEE,
      {
        name: 'bic',
        type: 'string',
        required: false,
        format: 'BIC',
        description: "BIC of the recipient's credit institution; this or aba is needed",
      },
      {
        name: 'credit_institution',
        type: 'string',
        required: false,
        description: "Name of the recipient's credit institution",
      },
      {
        name: 'aba',
        type: 'string',
        required: false,
        format: 'ABA',
        description:
          "ABA routing number of the recipient's credit institution; this or bic is needed",
      },
    ],
    one_of: ['bic', 'aba'],
  },
}

/**
 * Throws RangeError when the configuration cannot be right. `report` hears of what needs a person.
 */
export async function openBank(
  config: BankConfig,
  report: (problem: string) => void,
): Promise<Venue> {
  const { iban, bic, currency } = config
  if (checkIban(iban) !== 'valid' || checkBic(bic) !== 'valid')
    throw new RangeError(`bank account ${iban} at ${bic} is not valid`)
  const name = sepaText(config.name)
  if (!name || name.length > MAXIMUM_NAME)
    throw new RangeError('the account holder has no name that fits a payment')
  const inbox = openInbox(config.inbox_dir, { iban, currency }, report)
  const outbox = openOutbox(config.outbox_dir)
  const sending = new Map<string, Promise<Outcome<TransferReport>>>()

  const fieldsOf = (asset: string, protocol: string): TransferFields => {
    const fields = FIELDS[protocol]
    if (asset !== currency || fields === undefined)
      throw refuse(
        'UNSUPPORTED_BY_VENUE',
        'protocol',
        `${asset} by ${protocol} is not possible at this bank`,
      )
    return fields
  }

  let read: { files: InboxFile[]; entries: Entries } = { files: [], entries: readEntries([]) }
  const entriesOf = (files: InboxFile[]): Entries => {
    if (read.files !== files) read = { files, entries: readEntries(files) }
    return read.entries
  }

  const balances = async (): Promise<VenueBalance[]> => {
    const files = await inbox.files()
    const newest = newestStatement(files)
    if (newest === undefined)
      throw new ApiError('VenueUnreachable', 'the bank has not sent a statement yet')
    const gap = (await inbox.unreadable()).some((each) => each > newest.name)
    const total = gap ? null : balanceOf(newest.statement, entriesOf(files))
    return [
      {
        wallet: iban,
        asset: currency,
        protocol: PROTOCOL,
        free: total,
        used: gap ? null : ZERO,
        total,
      },
    ]
  }

  const lookUp = async (message_id: string, protocol: string): Promise<Lookup<TransferReport>> => {
    try {
      const { statuses, debits } = entriesOf(await inbox.files())
      const handover = await outbox.state(message_id)
      const verdict = paymentVerdict(statuses.get(message_id) ?? [], debits.get(message_id) ?? [])
      if (verdict === undefined && handover === 'ABSENT') return { lookup: 'absent' }
      return {
        lookup: 'found',
        report: reportOf(
          message_id,
          protocol,
          verdict ?? { state: 'PENDING', sub_state: handover, reason: null },
        ),
      }
    } catch (error) {
      return {
        lookup: 'unknown',
        reason:
          error instanceof ApiError ? error.message : unreachable(config.outbox_dir, error).message,
      }
    }
  }

  // SEPA costs nothing. What a FOREIGN payment cost is an entry of its own, told by `outgoing` as a
  // charge.
  const reportOf = (
    message_id: string,
    protocol: string,
    verdict: Pick<TransferReport, 'state' | 'sub_state' | 'reason'>,
  ): TransferReport => {
    const free = verdict.state === 'SUCCESS' && protocol === PROTOCOL
    return {
      foreign_id: message_id,
      ...verdict,
      transaction_hash: null,
      confirmations: null,
      fee: free ? ZERO : null,
      fee_asset: free ? currency : null,
    }
  }

  const send = async (
    order: TransferOrder,
    message_id: string,
  ): Promise<Outcome<TransferReport>> => {
    const before = await lookUp(message_id, order.protocol)
    if (before.lookup === 'found') return { outcome: 'accepted', report: before.report }
    if (before.lookup === 'unknown') return { outcome: 'unknown', reason: before.reason }
    const checked = check(order)
    if ('objection' in checked)
      return { outcome: 'refused', reason: checked.objection, native: null }
    const payment = {
      message_id,
      created_at: new Date(),
      debtor: { name, iban, bic },
      creditor: { name: checked.name, iban: order.destination_address },
      quantity: order.quantity,
      reference: checked.reference,
    }
    const put = await outbox.put(
      message_id,
      order.protocol === FOREIGN
        ? writeForeignPayment({ ...payment, agent: checked.agent })
        : writePayment(payment),
    )
    if (put.put === 'failed') return { outcome: 'refused', reason: put.reason, native: null }
    if (put.put === 'unknown') return { outcome: 'unknown', reason: put.reason }
    return {
      outcome: 'accepted',
      report: reportOf(message_id, order.protocol, {
        state: 'PENDING',
        sub_state: 'WAITING',
        reason: null,
      }),
    }
  }

  /** What this bank could never execute is refused here, before a file exists. */
  const check = (
    order: TransferOrder,
  ):
    | { objection: string }
    | {
        name: string
        reference: string
        agent: { bic: string | null; aba: string | null; name: string | null }
      } => {
    const { to } = order.transfer
    const payee = sepaText(to['name'] ?? order.recipient_name ?? '')
    const reference = sepaText(to['reference'] ?? '')
    const institution = sepaText(to['credit_institution'] ?? '')
    const [payeeBic, aba] = [to['bic'] || null, to['aba'] || null]
    const foreign = order.protocol === FOREIGN
    const objection =
      order.asset !== currency || FIELDS[order.protocol] === undefined
        ? `${order.asset} by ${order.protocol} is not possible at this bank`
        : order.speed_level === 'CUSTOM'
          ? 'the bank knows no custom fee'
          : order.source_wallet !== null && order.source_wallet !== iban
            ? `${order.source_wallet} is not the account at this bank`
            : (foreign ? checkBankAccount : checkIban)(order.destination_address) !== 'valid'
              ? `${order.destination_address} is not a valid ${foreign ? 'IBAN or account number' : 'IBAN'}`
              : order.destination_address === iban
                ? 'the account cannot pay itself'
                : order.quantity < MINIMUM_PAYMENT ||
                    order.quantity > MAXIMUM_PAYMENT ||
                    scaleOf(order.quantity) > DECIMALS
                  ? 'the amount is not between 0.01 and 999999999.99 with two decimals'
                  : !payee || payee.length > MAXIMUM_NAME
                    ? 'the recipient name is missing, too long or not in SEPA characters'
                    : !reference || reference.length > MAXIMUM_REMITTANCE
                      ? 'the payment reference is missing, too long or not in SEPA characters'
                      : foreign
                        ? agentObjection(payeeBic, aba, institution)
                        : null
    return objection !== null
      ? { objection }
      : {
          name: payee ?? '',
          reference: remittanceText(reference ?? '', order.purpose),
          agent: { bic: payeeBic, aba, name: institution || null },
        }
  }

  const incomingOf = (entry: BankEntry, reversed: boolean): Incoming => ({
    foreign_id: entry.reference,
    state: reversed ? 'REVERSED' : entry.booked ? 'FINAL' : 'PENDING',
    wallet: iban,
    asset: currency,
    protocol: entry.foreign ? FOREIGN : PROTOCOL,
    quantity: entry.quantity,
    transaction_hash: null,
    output_index: null,
    source_address: entry.counterparty.iban ?? entry.account,
    destination_address: iban,
    tag: null,
    reference_text: entry.reference_text,
    counterparty: entry.counterparty,
    confirmations: null,
    required_confirmations: null,
    // Payers choose their own end-to-end ids: only in a return is it ours.
    related_external_id:
      entry.returned && entry.end_to_end_id !== null
        ? (fromMessageId(entry.end_to_end_id) ?? null)
        : null,
    occurred_at: entry.at.time ?? Date.parse(entry.at.date),
  })

  const outgoingOf = (entry: BankEntry, { debits }: Entries): Outgoing => {
    const named =
      entry.end_to_end_id === null || entry.reversal
        ? null
        : (fromMessageId(entry.end_to_end_id) ?? null)
    // A payment that the bank booked twice was asked for once.
    const first = entry.charge || debits.get(entry.end_to_end_id ?? '')?.[0] === entry
    return {
      kind: entry.charge ? 'CHARGE' : 'TRANSFER',
      foreign_id: entry.reference,
      external_id: first ? named : null,
      state: entry.booked ? 'SUCCESS' : 'PENDING',
      left: entry.booked,
      sub_state: entry.booked ? 'BOOK' : 'PDNG',
      wallet: iban,
      asset: currency,
      protocol: entry.foreign ? FOREIGN : PROTOCOL,
      quantity: entry.quantity,
      fee: ZERO,
      fee_asset: currency,
      transaction_hash: null,
      destination_address: entry.counterparty.iban ?? entry.account,
      tag: null,
      reference_text: entry.reference_text,
      recipient_name: entry.counterparty.name,
      occurred_at: entry.at.time ?? Date.parse(entry.at.date),
    }
  }

  const readOn = async (cursor: string | null) => {
    const seen = readCursor(cursor)
    const all = await inbox.files()
    const files = all.filter(({ name: each }) => isNew(each, seen))
    const names = [...seen, ...files.map((file) => file.name)]
      .toSorted((a, b) => (a < b ? -1 : 1))
      .slice(-CURSOR_NAMES)
    const entries = entriesOf(all)
    return {
      entries,
      told: entries.toldBy(files),
      next: names.length === 0 ? null : JSON.stringify(names),
    }
  }

  const transfers: Transfers = {
    fee_deducted: false,
    fields: fieldsOf,
    estimateFee: async (order) => {
      fieldsOf(order.asset, order.protocol)
      const fee = order.protocol === FOREIGN ? (config.foreign_fee ?? ZERO) : ZERO
      return {
        asset: currency,
        custom: false,
        speed_levels: { DEFAULT: fee, FAST: fee, SLOW: fee },
      }
    },
    send: async (order) => {
      const message_id = toMessageId(order.external_id)
      if (message_id === undefined)
        return {
          outcome: 'refused',
          reason: 'the reference does not fit a payment message',
          native: null,
        }
      // One after the other for the same reference, so that the second finds the file of the first.
      const turn = (sending.get(message_id) ?? Promise.resolve()).then(() =>
        send(order, message_id),
      )
      sending.set(message_id, turn)
      try {
        return await turn
      } finally {
        if (sending.get(message_id) === turn) sending.delete(message_id)
      }
    },
    find: async (lookup) => {
      const message_id = toMessageId(lookup.external_id)
      return message_id === undefined ? { lookup: 'absent' } : lookUp(message_id, lookup.protocol)
    },
    incoming: async (cursor) => {
      const { entries, told, next } = await readOn(cursor)
      return {
        movements: told
          .filter((entry) => entry.direction === 'CRDT')
          .map((entry) => incomingOf(entry, entries.reversalOf(entry) !== undefined)),
        cursor: next,
      }
    },
    outgoing: async (cursor) => {
      const { entries, told, next } = await readOn(cursor)
      const debits = told.filter(
        (entry) => entry.direction === 'DBIT' && entries.reversedBy(entry) === undefined,
      )
      return { movements: debits.map((entry) => outgoingOf(entry, entries)), cursor: next }
    },
  }

  return {
    kind: 'BANK',
    balances,
    protocols: async () => [
      {
        asset: currency,
        protocols: [PROTOCOL, FOREIGN].map((protocol) => ({
          protocol,
          native: currency,
          decimals: DECIMALS,
          tag_required: false,
          min_withdrawal: MINIMUM_PAYMENT,
          max_withdrawal: MAXIMUM_PAYMENT,
          deposit: true,
          withdraw: true,
        })),
      },
    ],
    transfers,
    close: async () => {
      await Promise.allSettled(sending.values())
    },
  }
}

function agentObjection(
  bic: string | null,
  aba: string | null,
  institution: string | undefined,
): string | null {
  if (bic === null && aba === null)
    return "neither BIC nor ABA of the recipient's credit institution is named"
  if (bic !== null && checkBic(bic) !== 'valid') return `${bic} is not a valid BIC`
  if (aba !== null && checkAba(aba) !== 'valid') return `${aba} is not a valid ABA number`
  return institution === undefined || institution.length > MAXIMUM_REMITTANCE
    ? 'the name of the credit institution is too long or not in SEPA characters'
    : null
}

// ---------------------------------------------------------------- balance

function newestStatement(
  files: readonly InboxFile[],
): { name: string; statement: Statement } | undefined {
  let newest: { name: string; statement: Statement } | undefined
  for (const {
    name,
    message: { statement },
  } of files) {
    if (statement === null) continue
    if (newest === undefined || !endsBefore(statement.to, newest.statement.to))
      newest = { name, statement }
  }
  return newest
}

function balanceOf(statement: Statement, { all }: Entries): Decimal {
  const stated = new Set(statement.entries.filter((entry) => entry.booked).map(wholeOf))
  const since = all.filter(
    (entry) => entry.booked && !stated.has(wholeOf(entry)) && isAfter(entry.at, statement.to),
  )
  return since.reduce(
    (balance, entry) => balance + (entry.direction === 'CRDT' ? entry.quantity : -entry.quantity),
    statement.closing,
  )
}

function endsBefore(a: BankTime, b: BankTime): boolean {
  return a.time !== null && b.time !== null ? a.time < b.time : a.date < b.date
}

/**
 * Whether an entry that the statement does not show was booked after it: a statement by date holds
 * all of its day.
 */
function isAfter(entry: BankTime, end: BankTime): boolean {
  if (end.time === null) return entry.date > end.date
  return entry.time === null ? entry.date >= end.date : entry.time >= end.time
}

// ---------------------------------------------------------------- cursor

/** The names read last, sorted; older ones are known to be read. */
function readCursor(cursor: string | null): string[] {
  const names: unknown = cursor === null ? [] : JSON.parse(cursor)
  assert(
    Array.isArray(names) && names.every((name) => typeof name === 'string'),
    'not a cursor of this venue',
  )
  return names as string[]
}

function isNew(name: string, seen: readonly string[]): boolean {
  if (seen.includes(name)) return false
  return seen.length < CURSOR_NAMES || name > (seen[0] ?? '')
}
