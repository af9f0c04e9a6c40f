/**
 * Deposits and withdrawals at Kraken. A withdrawal goes to a key that a person registered at Kraken
 * before, and Kraken takes its fee out of the amount it is told, so quantity + fee is sent, with
 * the fee just asked for as `max_fee`.
 *
 * Kraken keeps no reference of ours. What may have been sent is recognised by key, net amount and
 * time among the withdrawals that no other of ours claims. `absent` is certain because nonces only
 * grow: once the lookup was answered, the earlier request with its lower nonce can no longer be
 * accepted; what had been accepted before is listed within the grace time.
 */
import { format, scaleOf } from '../../../core/decimal.ts'
import type { Decimal } from '../../../core/decimal.ts'
import { refuse } from '../../../core/errors.ts'
import type {
  FeeEstimate,
  Incoming,
  Lookup,
  Outcome,
  Outgoing,
  TransferLookup,
  TransferOrder,
  TransferReport,
  Transfers,
} from '../../contract.ts'
import { exact, optionalText, row, rows, text } from '../answers.ts'
import type { Row } from '../answers.ts'
import { changesSince, outgoing, outgoingWord } from '../movements.ts'
import { AMBIGUOUS_MILLISECONDS, SKEW_MILLISECONDS, recognise } from '../recognition.ts'
import type { Calls } from '../wire.ts'
import type { KrakenMoney, RawReply } from './money.ts'
import {
  FAILURES,
  PROTOCOLS,
  depositState,
  milliseconds,
  protocolEntry,
  subState,
  transferState,
} from './vocabulary.ts'
import type { ProtocolEntry } from './vocabulary.ts'

const PAGE = 500
const PAGES = 40
const IBAN = /^[A-Z]{2}[0-9]{2}[A-Z0-9]{11,30}$/

const { outcomeOf, reading } = FAILURES

type Parts = { money: KrakenMoney; serially: Calls; ready(): Promise<void>; listingGrace: number }

export function openTransfers({ money, serially, ready, listingGrace }: Parts): Transfers {
  const call = (work: () => Promise<RawReply>): Promise<unknown> =>
    serially(async () => {
      await ready()
      return (await work()).result
    })

  const info = async (entry: ProtocolEntry, key: string, amount: Decimal): Promise<Decimal> => {
    const result = row(
      await call(() =>
        money.privatePostWithdrawInfo({ asset: entry.native, key, amount: format(amount) }),
      ),
    )
    return exact(result, 'fee')
  }

  /** Newest first, from `start` on; `until` ends the reading early. */
  const listed = async (
    operation: 'privatePostWithdrawStatus' | 'privatePostDepositStatus',
    parameters: Record<string, string>,
    start: number | null,
    until: (row: Row) => boolean,
  ): Promise<Row[]> => {
    const seen = new Map<string, Row>()
    let end: number | null = null
    for (let page = 0; page < PAGES; page += 1) {
      const range: Record<string, string> = {
        ...(start === null ? {} : { start: String(Math.floor(start / 1000)) }),
        ...(end === null ? {} : { end: String(end) }),
      }
      const found = rows(
        await call(() => money[operation]({ ...parameters, ...range, limit: String(PAGE) })),
      )
      const earlier = seen.size
      for (const row of found) seen.set(text(row, 'refid'), row)
      if (found.length < PAGE || seen.size === earlier || found.some(until)) break
      end = Math.ceil(Math.min(...found.map((row) => milliseconds(row, 'time'))) / 1000)
    }
    return [...seen.values()]
  }

  const reportOf = (row: Row, entry: ProtocolEntry): TransferReport => ({
    foreign_id: text(row, 'refid'),
    state: transferState(row),
    sub_state: subState(row),
    reason: null,
    transaction_hash: entry.address_checked ? optionalText(row, 'txid') : null,
    confirmations: null,
    // It is given back with what does not leave.
    fee: ['FAILED', 'CANCELED'].includes(transferState(row)) ? null : exact(row, 'fee'),
    fee_asset: entry.asset,
  })

  const send = async (order: TransferOrder): Promise<Outcome<TransferReport>> => {
    const entry = PROTOCOLS.find(
      (protocol) => protocol.asset === order.asset && protocol.protocol === order.protocol,
    )
    const key = order.transfer.from['key']
    const refused = (reason: string): Outcome<TransferReport> => ({
      outcome: 'refused',
      reason,
      native: null,
    })
    if (entry === undefined)
      return refused(`kraken does not move ${order.asset} over ${order.protocol}`)
    if (key === undefined || key === '') return refused('the withdrawal key is missing')
    if (order.speed_level === 'CUSTOM') return refused('kraken takes no fee of the caller')
    if (order.quantity <= 0n || scaleOf(order.quantity) > entry.decimals)
      return refused(`kraken moves ${entry.asset} with at most ${entry.decimals} decimals`)
    const started = Date.now()
    try {
      // The fee of this moment decides how much has to be sent so that the quantity arrives.
      const fee = await info(entry, key, order.quantity + order.fee)
      if (entry.tagged) {
        const registered = rows(
          await call(() => money.privatePostWithdrawAddresses({ asset: entry.native, key })),
        )
        const target = registered.find((row) => row['key'] === key)
        const tag =
          target === undefined
            ? null
            : (optionalText(target, 'tag') ?? optionalText(target, 'memo'))
        if (target === undefined || tag !== (order.tag ?? null))
          return refused('the withdrawal key does not carry the tag of the destination')
      }
      const address = entry.address_checked ? order.destination_address : undefined
      const withdrawn = await serially(async () => {
        // Who has waited this long may have been given up: by now another may have been told
        // `absent`.
        if (Date.now() - started > listingGrace) return undefined
        return await money.withdraw(entry.asset, format(order.quantity + fee), address, undefined, {
          key,
          max_fee: format(fee),
        })
      })
      if (withdrawn === undefined)
        return { outcome: 'unknown', reason: 'not sent: kraken answered the fee too late' }
      if (typeof withdrawn.id !== 'string' || withdrawn.id === '')
        return { outcome: 'unknown', reason: 'kraken named no reference' }
      return {
        outcome: 'accepted',
        report: {
          foreign_id: withdrawn.id,
          state: 'PENDING',
          sub_state: 'Initial',
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

  const find = async (lookup: TransferLookup): Promise<Lookup<TransferReport>> => {
    const entry = protocolEntry(lookup.asset, lookup.protocol)
    const since = lookup.submitted_at - SKEW_MILLISECONDS
    const found = await reading(async () => {
      // A venue clock that runs behind ours puts our withdrawal before `since`.
      const behind = Math.min(0, (await venueTime()) - Date.now())
      const all = await listed(
        'privatePostWithdrawStatus',
        { asset: entry.native },
        since + behind - AMBIGUOUS_MILLISECONDS,
        (row) => row['refid'] === lookup.foreign_id,
      )
      return { all, from: since + behind }
    })
    const key = lookup.transfer.from['key']
    const isAlike = (row: Row) =>
      exact(row, 'amount') === lookup.quantity &&
      (typeof row['key'] === 'string'
        ? row['key'] === key
        : row['info'] === lookup.destination_address)
    const candidates = found.all.map((row) => ({
      foreign_id: text(row, 'refid'),
      at: milliseconds(row, 'time'),
      alike: isAlike(row),
      report: () => reportOf(row, entry),
    }))
    return recognise('kraken', lookup, candidates, found.from, listingGrace)
  }

  const venueTime = async (): Promise<number> => {
    const result = row((await money.publicGetTime({})).result)
    return milliseconds(result, 'unixtime')
  }

  const movementsOf =
    <Movement>(
      operation: 'privatePostWithdrawStatus' | 'privatePostDepositStatus',
      read: (each: Row, entry: ProtocolEntry) => Movement,
    ) =>
    async (since: number | null): Promise<Movement[]> => {
      const all = await reading(() => listed(operation, {}, since, () => false))
      return all.flatMap((row) => {
        const entry = PROTOCOLS.find((one) => one.native === row['asset'])
        return entry === undefined ? [] : [read(row, entry)]
      })
    }
  const outgoingOf = (row: Row, entry: ProtocolEntry): Outgoing => ({
    ...outgoing(reportOf(row, entry)),
    asset: entry.asset,
    protocol: entry.protocol,
    quantity: exact(row, 'amount'),
    destination_address: optionalText(row, 'info'),
    tag: null,
    occurred_at: milliseconds(row, 'time'),
  })

  return {
    fee_deducted: true,
    fields(asset, protocol) {
      protocolEntry(asset, protocol)
      return {
        from: [
          {
            name: 'key',
            type: 'string',
            required: true,
            description:
              'Name of the withdrawal key to use, as registered at Kraken for this destination',
          },
        ],
        to: [],
      }
    },
    async estimateFee(order): Promise<FeeEstimate> {
      const entry = protocolEntry(order.asset, order.protocol)
      const key = order.transfer.from['key']
      if (key === undefined || key === '')
        throw refuse('REQUIRED', 'transfer.from.key', 'the withdrawal key is missing')
      const fee = await reading(() => info(entry, key, order.quantity), 'transfer.from.key')
      return {
        asset: entry.asset,
        custom: false,
        speed_levels: { DEFAULT: fee, FAST: fee, SLOW: fee },
      }
    },
    send,
    find,
    incoming: (cursor) =>
      changesSince(
        cursor,
        movementsOf('privatePostDepositStatus', incomingOf),
        (incoming) => incoming.state,
      ),
    outgoing: (cursor) =>
      changesSince(cursor, movementsOf('privatePostWithdrawStatus', outgoingOf), outgoingWord),
  }
}

function incomingOf(row: Row, entry: ProtocolEntry): Incoming {
  const info = optionalText(row, 'info')
  const iban = entry.asset === 'EUR' && info !== null && IBAN.test(info) ? info : null
  return {
    foreign_id: text(row, 'refid'),
    state: depositState(row),
    wallet: null,
    asset: entry.asset,
    protocol: entry.protocol,
    quantity: exact(row, 'amount'),
    transaction_hash: optionalText(row, 'txid'),
    output_index: null,
    source_address: iban,
    destination_address: entry.address_checked ? info : null,
    tag: null,
    reference_text: null,
    counterparty: iban === null ? null : { name: null, iban, bic: null },
    confirmations: null,
    required_confirmations: null,
    related_external_id: null,
    occurred_at: milliseconds(row, 'time'),
  }
}
