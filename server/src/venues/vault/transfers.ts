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
import { byAsset } from './assets.ts'
import { ask, isAbsent, isRefusal, outcomeOf, readOf } from './client.ts'
import { destinationsOf, fieldsOf, sourceOf } from './destinations.ts'
import { estimateFee, feePart } from './fees.ts'
import { movementsOf, readChanges, reportOf } from './movements.ts'
import { checkOrder } from './order-check.ts'
import { outgoingId, outgoingOf, outgoingRows } from './outgoing.ts'
import { chainOf, isOpen, lookAfter, standingOf } from './replacements.ts'
import type { Chain } from './replacements.ts'
import type { VerifyWebhook } from './webhook.ts'

/** What is set aside has the id of its first movement. */
const INCOMING = {
  direction: 'IN',
  idOf: ({ id }: TransactionResponse) => (id === undefined ? undefined : `${id}:0`),
  read: movementsOf,
} as const
const OUTGOING = { direction: 'OUT', idOf: outgoingId, read: outgoingOf } as const

export function vaultTransfers(client: Fireblocks, verify: VerifyWebhook): Transfers {
  return {
    fee_deducted: false,
    output_group: (order) =>
      byAsset(order.asset, order.protocol).many_outputs ? sourceOf(order) : null,
    fields: (asset, protocol) => fieldsOf(byAsset(asset, protocol)),
    estimateFee: async (order) => estimateFee(client, byAsset(order.asset, order.protocol), order),
    send: (order) => send(client, order),
    find: (lookup) => find(client, lookup),
    async incoming(cursor) {
      const { changed, ...read } = await readChanges(client, cursor, { destType: 'VAULT_ACCOUNT' })
      return { ...readRows(changed, INCOMING), ...read }
    },
    async outgoing(cursor) {
      const side = { sourceType: 'VAULT_ACCOUNT' } as const
      const { changed, ...read } = await readChanges(client, cursor, side)
      return { ...readRows(await outgoingRows(client, changed), OUTGOING), ...read }
    },
    reread: async (record) => rereadRow(record, { IN: movementsOf, OUT: outgoingOf }),
    async push(body, headers) {
      const event = await verify(body, headers)
      const found = event.data === undefined ? [] : movementsOf(event.data)
      return found.length === 0 ? undefined : found
    },
  }
}

async function send(client: Fireblocks, order: TransferOrder): Promise<Outcome<TransferReport>> {
  const asset = byAsset(order.asset, order.protocol)
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
    return { outcome: 'accepted', report: reportOf(standingOf([sent.data])) }
  if (sent.ok) return { outcome: 'unknown', reason: 'the vault answered without an id' }
  if (!isRefusal(sent.failure)) return outcomeOf(sent.failure)
  // It may refuse because it has this reference already; only its own word that it has not makes a
  // refusal certain.
  const known = await find(client, { ...order, foreign_id: null })
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
    if (!isOpen(chain)) return { lookup: 'found', report: reportOf(standingOf(chain)) }
    const after = await lookAfter(client, chain)
    return { lookup: 'found', report: reportOf(standingOf(after.chain, after.spentElsewhere)) }
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
