/** Where a transfer of the vault comes from and goes to, and the fields of a route that say so. */
import { format, sum } from '../../core/decimal.ts'
import type { TransferDetails, TransferFields, TransferOrder } from '../contract.ts'
import { isTagged } from '../terms.ts'
import type { Term } from '../terms.ts'

export function sourceOf(order: {
  source_wallet: string | null
  transfer: TransferDetails
}): string {
  return order.transfer.from['source_vault_account_id'] || order.source_wallet || ''
}

export function externalWalletOf(transfer: TransferDetails): string {
  return transfer.from['destination_external_account_id'] ?? ''
}

export function tagOf(order: { tag: string | null; transfer: TransferDetails }): string {
  return order.tag || order.transfer.to['tag'] || ''
}

export type PaidOutput = Pick<
  TransferOrder,
  'quantity' | 'source_wallet' | 'destination_address' | 'transfer' | 'further_outputs'
>

export const outputsOf = <Order extends PaidOutput>(order: Order) => [
  order,
  ...(order.further_outputs ?? []),
]

/** The part of a request that says it; `amount` is the sum where there are several destinations. */
export function destinationsOf(order: PaidOutput) {
  const outputs = outputsOf(order)
  return {
    amount: format(sum(outputs.map((output) => output.quantity))),
    source: { type: 'VAULT_ACCOUNT', id: sourceOf(order) } as const,
    ...(outputs.length === 1
      ? { destination: peerOf(order) }
      : {
          destinations: outputs.map((output) => ({
            amount: format(output.quantity),
            destination: peerOf(output),
          })),
        }),
  }
}

function peerOf({
  transfer,
  destination_address,
}: Pick<PaidOutput, 'transfer' | 'destination_address'>) {
  const id = externalWalletOf(transfer)
  return id === ''
    ? ({ type: 'ONE_TIME_ADDRESS', oneTimeAddress: { address: destination_address } } as const)
    : ({ type: 'EXTERNAL_WALLET', id } as const)
}

export function fieldsOf(asset: Term): TransferFields {
  return {
    from: [
      {
        name: 'source_vault_account_id',
        type: 'string',
        required: true,
        description: 'Vault account used as source',
      },
      {
        name: 'destination_external_account_id',
        type: 'string',
        required: false,
        description:
          'Allow-list collection that holds, or shall hold, the destination address; ' +
          'a new one is made when empty',
      },
    ],
    to: [
      { name: 'tag', type: 'string', required: isTagged(asset), description: 'Destination tag' },
      {
        name: 'on_allowlist',
        type: 'boolean',
        required: false,
        description: 'Answered: the venue has approved the destination',
      },
    ],
  }
}
