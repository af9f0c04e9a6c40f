/**
 * Why the vault must not be asked to send an order. The vault sends to what its allow-list holds,
 * not to what we name, so both are compared first; nothing has left either way.
 */
import type { Fireblocks } from '@fireblocks/ts-sdk'
import type { Outcome, TransferOrder, TransferOutput, TransferReport } from '../contract.ts'
import type { Term } from '../terms.ts'
import { hasManyOutputs, sameAddress } from './assets.ts'
import { ask, isAbsent } from './client.ts'
import { externalWalletOf, outputsOf, sourceOf, tagOf } from './destinations.ts'
import { allowlistState } from './states.ts'

/** Undefined when it may. */
export async function checkOrder(
  client: Fireblocks,
  asset: Term,
  order: TransferOrder,
): Promise<Outcome<TransferReport> | undefined> {
  const source = sourceOf(order)
  if (source === '') return refusal('no vault account is named as source')
  const outputs = outputsOf(order)
  if (outputs.length > 1 && !hasManyOutputs(asset))
    return refusal(`${asset.asset} goes to one destination at a time`)
  if (outputs.some((output) => sourceOf({ ...order, ...output }) !== source))
    return refusal('one transaction leaves one vault account')
  for (const output of outputs) {
    const stop = await checkOutput(client, asset, output)
    if (stop !== undefined) return stop
  }
  return undefined
}

/** The same for one destination: it must be what the allow-list holds. */
async function checkOutput(
  client: Fireblocks,
  asset: Term,
  output: TransferOutput,
): Promise<Outcome<TransferReport> | undefined> {
  const walletId = externalWalletOf(output.transfer)
  if (walletId === '') return refusal('the destination is not on the allow-list')
  const entry = await ask(() =>
    client.externalWallets.getExternalWalletAsset({ walletId, assetId: asset.native }),
  )
  if (!entry.ok)
    return isAbsent(entry.failure)
      ? refusal('the destination is not on the allow-list')
      : { outcome: 'unknown', reason: `allow-list: ${entry.failure.reason}` }
  const state = allowlistState(entry.data.status ?? '')
  if (state !== 'APPROVED') return refusal(`the destination is ${state} on the allow-list`)
  if (!sameAddress(entry.data.address ?? '', output.destination_address))
    return refusal('the allow-list holds another address for this destination')
  if ((entry.data.tag ?? '') !== tagOf(output))
    return refusal('the allow-list holds another tag for this destination')
  return undefined
}

const refusal = (reason: string): Outcome<TransferReport> => ({
  outcome: 'refused',
  reason,
  native: null,
})
