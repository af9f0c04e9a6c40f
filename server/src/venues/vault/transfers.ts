/**
 * Transfers of the vault. Our reference is the vault's `externalTxId`, which it takes once and for
 * ever; the network fee is paid on top of the amount.
 */
import type { Fireblocks, TransactionResponse } from '@fireblocks/ts-sdk'
import { ApiError } from '../../core/errors.ts'
import type {
  Lookup,
  Outcome,
  TransferLookup,
  TransferOrder,
  TransferReport,
  Transfers,
} from '../contract.ts'
import { readRows, rereadRow } from '../set-aside/records.ts'
import type { Terms } from '../terms.ts'
import { hasManyOutputs } from './assets.ts'
import { ask, isAbsent, isRefusal, outcomeOf, readOf } from './client.ts'
import { destinationsOf, fieldsOf, sourceOf } from './destinations.ts'
import { estimateFee, feePart } from './fees.ts'
import { movementsOf, readChanges, reportOf } from './movements.ts'
import { checkOrder } from './order-check.ts'
import { outgoingId, outgoingOf, outgoingRows } from './outgoing.ts'
import type { OutgoingRow } from './outgoing.ts'
import { chainOf, isOpen, lookAfter, standingOf } from './replacements.ts'
import type { Chain } from './replacements.ts'
import type { VerifyWebhook } from './webhook.ts'

/** What is set aside has the id of its first movement. */
const incomingId = ({ id }: TransactionResponse) => (id === undefined ? undefined : `${id}:0`)

export function vaultTransfers(client: Fireblocks, terms: Terms, verify: VerifyWebhook): Transfers {
  const incomingOf = (transaction: TransactionResponse) => movementsOf(terms, transaction)
  const leavingOf = (row: OutgoingRow) => outgoingOf(terms, row)
  return {
    fee_deducted: false,
    output_group: (order) =>
      hasManyOutputs(terms.of(order.asset, order.protocol)) ? sourceOf(order) : null,
    fields: (asset, protocol) => fieldsOf(terms.of(asset, protocol)),
    estimateFee: async (order) => estimateFee(client, terms.of(order.asset, order.protocol), order),
    send: async (order) => send(client, terms, order),
    find: (lookup) => find(client, terms, lookup),
    async incoming(cursor) {
      const { changed, ...read } = await readChanges(client, cursor, { destType: 'VAULT_ACCOUNT' })
      const found = readRows(changed, { direction: 'IN', idOf: incomingId, read: incomingOf })
      return { ...found, ...read }
    },
    async outgoing(cursor) {
      const side = { sourceType: 'VAULT_ACCOUNT' } as const
      const { changed, ...read } = await readChanges(client, cursor, side)
      const rows = await outgoingRows(client, changed)
      return { ...readRows(rows, { direction: 'OUT', idOf: outgoingId, read: leavingOf }), ...read }
    },
    reread: async (record) => rereadRow(record, { IN: incomingOf, OUT: leavingOf }),
    async push(body, headers) {
      const event = await verify(body, headers)
      const found = event.data === undefined ? [] : incomingOf(event.data)
      return found.length === 0 ? undefined : found
    },
  }
}

async function send(
  client: Fireblocks,
  terms: Terms,
  order: TransferOrder,
): Promise<Outcome<TransferReport>> {
  const asset = terms.of(order.asset, order.protocol)
  const stop = await checkOrder(client, asset, order)
  if (stop !== undefined) return stop
  const fee = await feePart(client, asset, order)
  if ('outcome' in fee) return fee
  const sent = await ask(() =>
    client.transactions.createTransaction({
      idempotencyKey: order.external_id,
      transactionRequest: {
        operation: 'TRANSFER',
        externalTxId: order.external_id,
        assetId: asset.native,
        ...destinationsOf(order),
        ...fee,
      },
    }),
  )
  if (sent.ok && sent.data.id !== undefined)
    return { outcome: 'accepted', report: reportOf(terms, standingOf([sent.data])) }
  if (sent.ok) return { outcome: 'unknown', reason: 'the vault answered without an id' }
  if (!isRefusal(sent.failure)) return outcomeOf(sent.failure)
  // It may refuse because it has this reference already; only its own word that it has not makes a
  // refusal certain.
  const known = await find(client, terms, { ...order, foreign_id: null })
  if (known.lookup === 'found') return { outcome: 'accepted', report: known.report }
  return known.lookup === 'absent'
    ? outcomeOf(sent.failure)
    : { outcome: 'unknown', reason: known.reason }
}

/**
 * What the vault says of all transactions of a transfer. That one took the place of another is told
 * by the later one; it is looked for when the earlier one has failed.
 */
async function find(
  client: Fireblocks,
  terms: Terms,
  { external_id, foreign_id }: Pick<TransferLookup, 'external_id' | 'foreign_id'>,
): Promise<Lookup<TransferReport>> {
  const found = await ask(() =>
    client.transactions.getTransactionByExternalId({ externalTxId: external_id }),
  )
  if (!found.ok)
    return isAbsent(found.failure)
      ? { lookup: 'absent' }
      : { lookup: 'unknown', reason: found.failure.reason }
  try {
    const chain = await knownChain(client, found.data, foreign_id)
    if (!isOpen(chain)) return { lookup: 'found', report: reportOf(terms, standingOf(chain)) }
    const after = await lookAfter(client, chain)
    return {
      lookup: 'found',
      report: reportOf(terms, standingOf(after.chain, after.spentElsewhere)),
    }
  } catch (error) {
    if (error instanceof ApiError) return { lookup: 'unknown', reason: error.message }
    throw error
  }
}

/** With the latest transaction that was reported of it. */
async function knownChain(
  client: Fireblocks,
  root: TransactionResponse,
  foreign_id: string | null,
): Promise<Chain> {
  if (foreign_id === null || foreign_id === root.id) return [root]
  const latest = await ask(() => client.transactions.getTransaction({ txId: foreign_id }))
  if (!latest.ok && isAbsent(latest.failure)) return [root]
  const chain = await chainOf(client, readOf(latest))
  return chain[0].id === root.id ? chain : [root]
}
