/**
 * Transfers of the vault. Our reference is the vault's `externalTxId`, which it takes once and for
 * ever; the network fee is paid on top of the amount.
 */
import type { Fireblocks } from '@fireblocks/ts-sdk'
import type { Lookup, Outcome, TransferOrder, TransferReport, Transfers } from '../contract.ts'
import { byAsset } from './assets.ts'
import { ask, isAbsent, isRefusal, outcomeOf } from './client.ts'
import { destinationsOf, fieldsOf, sourceOf } from './destinations.ts'
import { estimateFee, feePart } from './fees.ts'
import { movementsOf, outgoingOf, readMovements, reportOf } from './movements.ts'
import { checkOrder } from './order-check.ts'
import { rereadRow } from '../set-aside/records.ts'
import type { VerifyWebhook } from './webhook.ts'

export function vaultTransfers(client: Fireblocks, verify: VerifyWebhook): Transfers {
  return {
    fee_deducted: false,
    output_group: (order) =>
      byAsset(order.asset, order.protocol).many_outputs ? sourceOf(order) : null,
    fields: (asset, protocol) => fieldsOf(byAsset(asset, protocol)),
    estimateFee: async (order) => estimateFee(client, byAsset(order.asset, order.protocol), order),
    send: (order) => send(client, order),
    find: (lookup) => find(client, lookup.external_id),
    incoming: (cursor) => readMovements(client, cursor, { destType: 'VAULT_ACCOUNT' }, movementsOf),
    outgoing: (cursor) =>
      readMovements(client, cursor, { sourceType: 'VAULT_ACCOUNT' }, outgoingOf),
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
    return { outcome: 'accepted', report: reportOf(sent.data) }
  if (sent.ok) return { outcome: 'unknown', reason: 'the vault answered without an id' }
  if (!isRefusal(sent.failure)) return outcomeOf(sent.failure)
  // It may refuse because it has this reference already; only its own word that it has not makes a
  // refusal certain.
  const known = await find(client, order.external_id)
  if (known.lookup === 'found') return { outcome: 'accepted', report: known.report }
  return known.lookup === 'absent'
    ? outcomeOf(sent.failure)
    : { outcome: 'unknown', reason: known.reason }
}

async function find(client: Fireblocks, external_id: string): Promise<Lookup<TransferReport>> {
  const found = await ask(() =>
    client.transactions.getTransactionByExternalId({ externalTxId: external_id }),
  )
  if (found.ok) return { lookup: 'found', report: reportOf(found.data) }
  return isAbsent(found.failure)
    ? { lookup: 'absent' }
    : { lookup: 'unknown', reason: found.failure.reason }
}
