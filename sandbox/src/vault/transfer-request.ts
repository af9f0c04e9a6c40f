/**
 * What the client may ask of the vault's transactions: reads the request, answers what shall be
 * created or why not.
 */
import { amount, fits, plain, raise, times, tryAmount } from '../amount.ts'
import { findCoin, gasOf } from '../chain/protocols.ts'
import type { Coin } from '../chain/protocols.ts'
import type { Chain } from '../part.ts'
import type { Accounts } from './accounts.ts'
import { no } from './answer.ts'
import type { Answer } from './answer.ts'
import type { ExternalWallets } from './external-wallets.ts'
import type { Output } from './transaction-row.ts'
import type { NewTransaction } from './transactions.ts'

/** The size of a BTC transaction here, in virtual bytes, and of each further output. */
const BTC_BYTES = 140n
const BTC_OUTPUT_BYTES = 34n
const LEVELS = ['LOW', 'MEDIUM', 'HIGH'] as const
const SATOSHI = 10n ** 10n

type Peer = { type?: string; id?: string; oneTimeAddress?: { address?: string } }
export type TransferRequest = {
  operation?: string
  assetId?: string
  amount?: string | number
  source?: Peer
  destination?: Peer
  note?: string
  externalTxId?: string
  customerRefId?: string
  /** Instead of `destination`, where the blockchain's transactions have many outputs. */
  destinations?: { amount?: string | number; destination?: Peer }[]
  feeLevel?: string
  fee?: string | number
  networkFee?: string | number
  treatAsGrossAmount?: boolean
}

type Estimate = {
  networkFee: string
  feePerByte?: string
  gasPrice?: string
  gasLimit?: string
}

const bytesOf = (outputs: number): bigint =>
  BTC_BYTES + BTC_OUTPUT_BYTES * BigInt(Math.max(0, outputs - 1))

function levelFee(
  chain: Chain,
  { asset, protocol }: Coin,
  level: (typeof LEVELS)[number],
  outputs: number,
): bigint {
  const fee = amount(chain.fee(protocol.protocol, level, asset).fee)
  return outputs > 1 ? raise((fee * bytesOf(outputs)) / BTC_BYTES, protocol.fee_decimals) : fee
}

/** All fees of an asset, as `estimate_fee` writes them. */
export function estimates(
  chain: Chain,
  coin: Coin,
  outputs = 1,
): Record<'low' | 'medium' | 'high', Estimate> {
  const one = (level: (typeof LEVELS)[number]): Estimate => {
    const fee = plain(levelFee(chain, coin, level, outputs))
    if (coin.protocol.many_outputs)
      return {
        networkFee: fee,
        feePerByte: plain(
          ((amount(fee) / SATOSHI) * 10n ** 18n) / bytesOf(outputs) -
            ((((amount(fee) / SATOSHI) * 10n ** 18n) / bytesOf(outputs)) % 10n ** 12n),
        ),
      }
    // Gas prices are in gwei.
    if (coin.protocol.nonces)
      return {
        networkFee: fee,
        gasPrice: plain((amount(fee) * 10n ** 9n) / gasOf(coin)),
        gasLimit: String(gasOf(coin)),
      }
    return { networkFee: fee }
  }
  return { low: one('LOW'), medium: one('MEDIUM'), high: one('HIGH') }
}

function feeOf(
  chain: Chain,
  coin: Coin,
  request: TransferRequest,
  outputs: number,
): bigint | Answer {
  const custom = request.networkFee ?? request.fee
  if (custom === undefined) {
    const level = LEVELS.find((level) => level === (request.feeLevel ?? 'MEDIUM'))
    return level === undefined
      ? no(400, 1400, 'feeLevel must be LOW, MEDIUM or HIGH')
      : levelFee(chain, coin, level, outputs)
  }
  const value = tryAmount(String(custom))
  if (value === undefined || value <= 0n) return no(400, 1400, 'fee must be a positive number')
  if (request.networkFee !== undefined)
    return coin.protocol.nonces && fits(value, 18)
      ? value
      : no(400, 1400, 'networkFee is for EVM-based blockchains only')
  if (coin.protocol.many_outputs)
    return raise(times(value * bytesOf(outputs), amount('0.00000001')), 8)
  // The description's `fee` is for chains of outputs and for Ripple.
  if (coin.asset === 'XRP')
    return fits(value, coin.protocol.decimals) ? value : no(400, 1400, 'fee has too many decimals')
  return no(400, 1400, 'fee is not for this blockchain')
}

export function readTransfer(
  request: TransferRequest,
  parts: { chain: Chain; accounts: Accounts; external: ExternalWallets },
): NewTransaction | Answer {
  const { chain, accounts } = parts
  if ((request.operation ?? 'TRANSFER') !== 'TRANSFER')
    return no(400, 1400, 'operation is not supported')
  const coin = findCoin(request.assetId)
  if (coin === undefined) return no(400, 1006, 'The requested asset is not supported')
  const { source, destinations = [] } = request
  if (destinations.length > 0 && request.destination !== undefined)
    return no(400, 1400, 'destination and destinations exclude each other')
  if (destinations.length > 1 && !coin.protocol.many_outputs)
    return no(400, 1400, 'Multiple destinations are supported for UTXO based assets only')
  const wanted =
    destinations.length > 0
      ? destinations
      : [{ amount: request.amount, destination: request.destination }]
  const amounts = wanted.map((output) => tryAmount(String(output.amount)))
  if (
    amounts.some((amount) => amount === undefined || amount <= 0n || !fits(amount, coin.decimals))
  )
    return no(400, 1400, 'amount is not valid')
  const quantity = amounts.reduce<bigint>((sum, amount) => sum + (amount ?? 0n), 0n)
  if (request.amount !== undefined && tryAmount(String(request.amount)) !== quantity)
    return no(400, 1400, 'amount is not the sum of the destinations')
  if (
    source?.type !== 'VAULT_ACCOUNT' ||
    accounts.wallet(source.id ?? '', coin.asset) === undefined
  )
    return no(400, 1404, 'Source vault account has no wallet of this asset')
  const network_fee = feeOf(chain, coin, request, wanted.length)
  if (typeof network_fee !== 'bigint') return network_fee
  if (request.treatAsGrossAmount === true && wanted.length > 1)
    return no(400, 1400, 'treatAsGrossAmount is for one destination')
  // Ignored for an asset that does not pay its own fees (`TransactionRequest`).
  const isGross = request.treatAsGrossAmount === true && coin.contract === null
  const net = isGross ? quantity - network_fee : quantity
  if (net <= 0n) return no(400, 1400, 'amount does not cover the fee')
  const common = {
    account_id: Number(source.id),
    asset: coin.asset,
    amount: plain(net),
    network_fee: plain(network_fee),
    external_tx_id: request.externalTxId ?? null,
    customer_ref_id: request.customerRefId ?? null,
    note: request.note ?? null,
  }
  const outputs: Output[] = []
  for (const [place, { destination }] of wanted.entries()) {
    const output = outputTo(destination, coin, parts)
    if ('status' in output) return output
    outputs.push({ ...output, amount: plain(wanted.length === 1 ? net : (amounts[place] ?? 0n)) })
  }
  const [only] = outputs
  if (only !== undefined && outputs.length === 1) return { ...common, ...only, outputs: null }
  return {
    ...common,
    destination_type: 'UNKNOWN',
    destination_id: '',
    destination_name: '',
    destination_address: '',
    tag: null,
    outputs,
  }
}

/** Where one output goes. */
function outputTo(
  destination: Peer | undefined,
  coin: Coin,
  { accounts, external }: { accounts: Accounts; external: ExternalWallets },
): Omit<Output, 'amount'> | Answer {
  if (destination?.type === 'EXTERNAL_WALLET') {
    const wallet = external.wallet(destination.id ?? '')
    const entry = external.asset(destination.id ?? '', coin.asset)
    if (wallet === undefined || entry === undefined)
      return no(400, 1404, 'Destination external wallet has no address for this asset')
    if (entry.status !== 'APPROVED') return no(400, 1405, 'Destination address is not approved')
    return {
      destination_type: 'EXTERNAL_WALLET',
      destination_id: wallet.id,
      destination_name: wallet.name,
      destination_address: entry.address,
      tag: entry.tag,
    }
  }
  if (destination?.type === 'VAULT_ACCOUNT') {
    const account = accounts.account(destination.id ?? '')
    const wallet = accounts.wallet(destination.id ?? '', coin.asset)
    if (account === undefined || wallet === undefined)
      return no(400, 1404, 'Destination vault account has no wallet of this asset')
    return {
      destination_type: 'VAULT_ACCOUNT',
      destination_id: String(account.id),
      destination_name: account.name,
      destination_address: wallet.address,
      tag: null,
    }
  }
  return no(
    400,
    1400,
    destination?.type === 'ONE_TIME_ADDRESS'
      ? 'One time addresses are not enabled for this workspace'
      : 'destination is not supported',
  )
}
