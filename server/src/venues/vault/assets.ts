/** The vault's asset ids and what they are called here. */
import { refuse } from '../../core/errors.ts'

export type VaultAsset = {
  native: string
  asset: string
  protocol: string
  tag_required: boolean
  /** The asset that network fees are paid in. */
  fee_asset: string
  /** How a request names a fee of our own: the total, or the price of a byte. */
  custom_fee: 'networkFee' | 'fee' | 'feePerByte'
  /** Whether one transaction can pay several destinations. */
  many_outputs: boolean
  /** Whether one wallet can have further addresses or tags. */
  many_addresses: boolean
}

const ASSETS: readonly VaultAsset[] = [
  {
    native: 'BTC',
    asset: 'BTC',
    protocol: 'BTC',
    tag_required: false,
    fee_asset: 'BTC',
    custom_fee: 'feePerByte',
    many_outputs: true,
    many_addresses: true,
  },
  {
    native: 'ETH',
    asset: 'ETH',
    protocol: 'ETH',
    tag_required: false,
    fee_asset: 'ETH',
    custom_fee: 'networkFee',
    many_outputs: false,
    many_addresses: false,
  },
  {
    native: 'XRP',
    asset: 'XRP',
    protocol: 'XRP',
    tag_required: true,
    fee_asset: 'XRP',
    custom_fee: 'fee',
    many_outputs: false,
    many_addresses: true,
  },
]

export function byNative(native: string): VaultAsset | undefined {
  return ASSETS.find((asset) => asset.native === native)
}

/** Throws UNSUPPORTED_BY_VENUE. */
export function byAsset(asset: string, protocol: string): VaultAsset {
  const found = ASSETS.find(
    (vaultAsset) => vaultAsset.asset === asset && vaultAsset.protocol === protocol,
  )
  if (found === undefined)
    throw refuse('UNSUPPORTED_BY_VENUE', 'protocol', `the vault has no ${asset} on ${protocol}`)
  return found
}

/** Whether two spellings are one address; hexadecimal and bech32 addresses have two cases. */
export function sameAddress(one: string, other: string): boolean {
  const plain = (address: string) => (/^(0x|bc1)/i.test(address) ? address.toLowerCase() : address)
  return plain(one) === plain(other)
}
