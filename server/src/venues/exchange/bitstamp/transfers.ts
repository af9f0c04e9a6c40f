/**
 * Deposits and withdrawals at Bitstamp. A withdrawal goes to the address it is told; the fee comes
 * on top. Bitstamp keeps no reference of ours, so what may have been sent is recognised by
 * destination, quantity and time.
 *
 * `absent` is certain when the signed request can no longer be accepted (its time is too old) and
 * what was accepted is listed.
 */
import { format, scaleOf } from '../../../core/decimal.ts'
import type { Decimal } from '../../../core/decimal.ts'
import type {
  Incoming,
  Outcome,
  Outgoing,
  TransferField,
  TransferLookup,
  TransferOrder,
  TransferReport,
  Transfers,
} from '../../contract.ts'
import { exact, optionalText, row, rows, text, word } from '../answers.ts'
import type { Row } from '../answers.ts'
import { changesSince, outgoing, outgoingWord } from '../movements.ts'
import { AMBIGUOUS_MILLISECONDS, SKEW_MILLISECONDS, recognise } from '../recognition.ts'
import type { Patience } from '../trading.ts'
import type { BitstampMoney } from './money.ts'
import {
  FAILURES,
  PROTOCOLS,
  amount,
  depositState,
  milliseconds,
  protocolEntry,
  transferState,
} from './vocabulary.ts'
import type { ProtocolEntry } from './vocabulary.ts'

const PAGE = 1_000
const PAGES = 40
const LONGEST_TIMEDELTA_SECONDS = 50_000_000
const { outcomeOf, reading } = FAILURES

const field = (name: string, description: string, required = true): TransferField => ({
  name,
  type: 'string',
  required,
  description,
})

/** What Bitstamp asks about the holder of a bank account. */
const BANK_FIELDS = [
  field('name', 'Holder of the bank account'),
  { ...field('bic', 'BIC of the bank'), format: 'BIC' as const },
  field('address', 'Street and number of the holder'),
  field('postal_code', 'Postal code of the holder'),
  field('city', 'City of the holder'),
  field('country', 'Country of the holder, two letters (ISO 3166-1)'),
  field('reference', 'Text for the recipient', false),
]
const TAG_FIELDS = [field('tag', 'Destination tag, where the destination has one', false)]

export function openTransfers(
  money: BitstampMoney,
  ready: () => Promise<void>,
  patience: Patience,
): Transfers {
  const call = async (work: () => Promise<unknown>): Promise<unknown> => {
    await ready()
    return work()
  }

  /** Newest first, until one is older than `since`. */
  const listed = async (
    read: (page: Record<string, string>) => Promise<Row[]>,
    since: number | null,
    timeOf: (row: Row) => number,
  ): Promise<Row[]> => {
    const all: Row[] = []
    for (let page = 0; page < PAGES; page += 1) {
      const found = await read({ offset: String(page * PAGE), limit: String(PAGE) })
      all.push(...found)
      if (found.length < PAGE || (since !== null && found.some((row) => timeOf(row) < since))) break
    }
    return since === null ? all : all.filter((row) => timeOf(row) >= since)
  }
  const dated = (row: Row) => milliseconds(row, 'datetime')
  const requests = (since: number | null) =>
    listed(
      async (page) =>
        rows(
          await call(() =>
            money.privatePostWithdrawalRequests({
              ...page,
              timedelta: String(LONGEST_TIMEDELTA_SECONDS),
            }),
          ),
        ),
      since,
      dated,
    )
  const movements = (since: number | null) =>
    listed(
      async (page) => rows(await call(() => money.privatePostUserTransactions(page))),
      since,
      dated,
    )
  const unixTime = (row: Row) => Number(word(row, 'datetime')) * 1000
  const coins = (since: number | null) =>
    listed(
      async (page) =>
        rows(row(await call(() => money.privatePostCryptoTransactions(page)))['deposits']),
      since,
      unixTime,
    )

  const feeNow = async (entry: ProtocolEntry): Promise<Decimal> => {
    const fees = rows(await call(() => money.privatePostFeesWithdrawal({})))
    const found = fees.find(
      (fee) =>
        fee['currency'] === entry.native &&
        (entry.money ||
          fees.filter((one) => one['currency'] === entry.native).length === 1 ||
          fee['network'] === entry.network),
    )
    return found === undefined ? 0n : exact(found, 'fee')
  }
  /**
   * The request names the account's movement, which has the fee; before there is one it is not
   * known.
   */
  const feeTaken = async (request: Row): Promise<Decimal | null> => {
    if (request['txid'] === undefined || request['txid'] === null) return null
    const movement = (await movements(dated(request) - SKEW_MILLISECONDS)).find(
      (movement) => word(movement, 'id') === word(request, 'txid') && movement['type'] === '1',
    )
    return movement === undefined ? null : exact(movement, 'fee')
  }
  const reportOf = (row: Row, entry: ProtocolEntry, fee: Decimal | null): TransferReport => ({
    foreign_id: word(row, 'id'),
    ...transferState(row),
    reason: null,
    transaction_hash: optionalText(row, 'transaction_id'),
    confirmations: null,
    fee: ['FAILED', 'CANCELED'].includes(transferState(row).state) ? null : fee,
    fee_asset: entry.asset,
  })

  const send = async (order: TransferOrder): Promise<Outcome<TransferReport>> => {
    const entry = PROTOCOLS.find(
      (protocol) => protocol.asset === order.asset && protocol.protocol === order.protocol,
    )
    const refused = (reason: string): Outcome<TransferReport> => ({
      outcome: 'refused',
      reason,
      native: null,
    })
    if (entry === undefined)
      return refused(`bitstamp does not move ${order.asset} over ${order.protocol}`)
    if (order.speed_level === 'CUSTOM') return refused('bitstamp takes no fee of the caller')
    if (order.tag !== null && !entry.tagged) return refused(`${entry.asset} has no tags`)
    if (order.quantity <= 0n || scaleOf(order.quantity) > entry.decimals)
      return refused(`bitstamp moves ${entry.asset} with at most ${entry.decimals} decimals`)
    const { name, reference, ...holder } = order.transfer.to
    const missing = entry.money
      ? BANK_FIELDS.find(
          (bankField) =>
            bankField.required &&
            bankField.name !== 'name' &&
            (holder[bankField.name] ?? '') === '',
        )
      : undefined
    if (missing !== undefined) return refused(`transfer.to.${missing.name} is missing`)
    const more = entry.money
      ? {
          type: 'sepa',
          ...holder,
          name: name ?? order.recipient_name ?? '',
          ...(reference === undefined ? {} : { comment: reference }),
        }
      : {}
    const started = Date.now()
    try {
      const fee = await feeNow(entry)
      if (Date.now() - started > patience.sendWithin)
        return { outcome: 'unknown', reason: 'not sent: bitstamp answered the fee too late' }
      const { id, info } = await money.withdraw(
        entry.asset,
        format(order.quantity),
        order.destination_address,
        order.tag ?? undefined,
        more,
      )
      const foreign_id = typeof id === 'string' && id !== '' ? id : numbered(info)
      if (foreign_id === undefined)
        return { outcome: 'unknown', reason: 'bitstamp named no withdrawal' }
      return {
        outcome: 'accepted',
        report: {
          foreign_id,
          state: 'PENDING',
          sub_state: 'Open',
          reason: null,
          transaction_hash: null,
          confirmations: null,
          fee,
          fee_asset: entry.asset,
        },
      }
    } catch (error) {
      return outcomeOf(error)
    }
  }

  return {
    fee_deducted: false,
    fields(asset, protocol) {
      const entry = protocolEntry(asset, protocol)
      return { from: [], to: entry.money ? BANK_FIELDS : entry.tagged ? TAG_FIELDS : [] }
    },
    async estimateFee(order) {
      const entry = protocolEntry(order.asset, order.protocol)
      const fee = await reading(() => feeNow(entry))
      return {
        asset: entry.asset,
        custom: false,
        speed_levels: { DEFAULT: fee, FAST: fee, SLOW: fee },
      }
    },
    send,
    async find(lookup) {
      const entry = protocolEntry(lookup.asset, lookup.protocol)
      const since = lookup.submitted_at - SKEW_MILLISECONDS
      return reading(async () => {
        const found = (await requests(since - AMBIGUOUS_MILLISECONDS)).filter(
          (request) => text(request, 'currency').toUpperCase() === entry.asset,
        )
        const candidates = found.map((row) => ({
          foreign_id: word(row, 'id'),
          at: dated(row),
          alike: isAlike(row, lookup),
          report: () => reportOf(row, entry, null),
        }))
        const answer = recognise('bitstamp', lookup, candidates, since, patience.absentAfter)
        if (answer.lookup !== 'found') return answer
        const request = found.find((row) => word(row, 'id') === answer.report.foreign_id)
        return {
          lookup: 'found',
          report: { ...answer.report, fee: request === undefined ? null : await feeTaken(request) },
        }
      })
    },
    incoming: (cursor) =>
      changesSince(
        cursor,
        (since) =>
          reading(async () => {
            const arrived = [
              ...(await coins(since)).flatMap(coinOf),
              ...(await movements(since)).flatMap(moneyOf),
            ]
            return arrived.toSorted((a, b) => b.occurred_at - a.occurred_at)
          }),
        (incoming) => incoming.state,
      ),
    outgoing: (cursor) =>
      changesSince(
        cursor,
        (since) =>
          reading(async () => {
            const asked = await requests(since)
            const fees = new Map(
              (asked.length === 0 ? [] : await movements(since))
                .filter((row) => row['type'] === '1')
                .map((row) => [word(row, 'id'), exact(row, 'fee')]),
            )
            return asked.flatMap((row): Outgoing[] => {
              const entry = PROTOCOLS.find(
                (one) => one.asset === text(row, 'currency').toUpperCase(),
              )
              if (entry === undefined) return []
              const [address = null, tag = null] = text(row, 'address').split('?dt=')
              const fee = fees.get(numbered({ id: row['txid'] }) ?? '') ?? null
              return [
                {
                  ...outgoing(reportOf(row, entry, fee)),
                  asset: entry.asset,
                  protocol: entry.protocol,
                  quantity: exact(row, 'amount'),
                  destination_address: address,
                  tag,
                  occurred_at: dated(row),
                },
              ]
            })
          }),
        outgoingWord,
      ),
  }
}

/** A bank withdrawal is answered with a number under a name that ccxt does not read. */
function numbered(info: unknown): string | undefined {
  const answer = typeof info === 'object' && info !== null ? (info as Row) : {}
  const value = answer['withdrawal_id'] ?? answer['id']
  return typeof value === 'number' || (typeof value === 'string' && value !== '')
    ? String(value)
    : undefined
}

/** Bitstamp writes a tag behind the address: r…?dt=17. */
function isAlike(request: Row, lookup: TransferLookup): boolean {
  const [address, tag] = text(request, 'address').split('?dt=')
  return (
    exact(request, 'amount') === lookup.quantity &&
    address === lookup.destination_address &&
    (tag ?? null) === lookup.tag
  )
}

const NOWHERE = {
  wallet: null,
  output_index: null,
  source_address: null,
  tag: null,
  reference_text: null,
  counterparty: null,
  confirmations: null,
  required_confirmations: null,
  related_external_id: null,
}

function coinOf(row: Row): Incoming[] {
  const entry = PROTOCOLS.find(
    (one) => !one.money && one.asset === row['currency'] && one.network === row['network'],
  )
  if (entry === undefined) return []
  const txid = text(row, 'txid')
  const quantity = amount(row, 'amount')
  return [
    {
      ...NOWHERE,
      foreign_id: row['id'] === undefined ? `${txid} ${format(quantity)}` : word(row, 'id'),
      state: depositState(row),
      asset: entry.asset,
      protocol: entry.protocol,
      quantity,
      transaction_hash: txid,
      destination_address: optionalText(row, 'destinationAddress'),
      occurred_at: Number(word(row, 'datetime')) * 1000,
    },
  ]
}

/**
 * Money is listed among all movements of the account, when it has been credited; coins are listed
 * there again.
 */
function moneyOf(row: Row): Incoming[] {
  const entry = PROTOCOLS.find(
    (one) => one.money && row[one.native] !== undefined && exact(row, one.native) > 0n,
  )
  if (row['type'] !== '0' || entry === undefined) return []
  return [
    {
      ...NOWHERE,
      foreign_id: `transaction ${word(row, 'id')}`,
      state: 'FINAL',
      asset: entry.asset,
      protocol: entry.protocol,
      quantity: exact(row, entry.native),
      transaction_hash: null,
      destination_address: null,
      occurred_at: milliseconds(row, 'datetime'),
    },
  ]
}
