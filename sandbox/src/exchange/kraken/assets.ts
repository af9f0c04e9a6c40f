/** The assets the exchange lists, with the names, precisions, fees and methods Kraken publishes. */
import type { Asset as CommonAsset } from '../rules.ts'

/** `id` is Kraken's, as in balances: XXBT. */
export type Asset = CommonAsset & {
  altname: string
  display_decimals: number
  deposit_method: string
  withdraw_method: string
  network: string
  network_id: string
  deposit_minimum: string
  withdraw_limit: string
  /** Its tag is called `memo`: Kraken.Net, Account/GetDepositAddresses.txt, has either word. */
  memo?: true
}

export const ASSETS: readonly Asset[] = [
  {
    id: 'XXBT',
    altname: 'XBT',
    common: 'BTC',
    decimals: 10,
    display_decimals: 5,
    transfer_decimals: 8,
    protocol: 'BTC',
    deposit_method: 'Bitcoin',
    withdraw_method: 'Bitcoin',
    network: 'Bitcoin',
    network_id: 'a1b0ae2a-6f23-4c1b-8a7e-2d7b0f6f0c11',
    withdraw_fee: '0.0001',
    withdraw_minimum: '0.0005',
    deposit_minimum: '0.0001',
    withdraw_limit: '500',
    tagged: false,
  },
  {
    id: 'XETH',
    altname: 'ETH',
    common: 'ETH',
    decimals: 10,
    display_decimals: 5,
    transfer_decimals: 8,
    protocol: 'ETH',
    deposit_method: 'Ether (Hex)',
    withdraw_method: 'Ether',
    network: 'Ethereum',
    network_id: 'b2c1bf3b-7034-4d2c-9b8f-3e8c10701d22',
    withdraw_fee: '0.002',
    withdraw_minimum: '0.004',
    deposit_minimum: '0.001',
    withdraw_limit: '5000',
    tagged: false,
  },
  {
    id: 'XXRP',
    altname: 'XRP',
    common: 'XRP',
    decimals: 8,
    display_decimals: 5,
    transfer_decimals: 6,
    protocol: 'XRP',
    deposit_method: 'Ripple XRP',
    withdraw_method: 'Ripple',
    network: 'Ripple',
    network_id: 'c3d2c04c-8145-4e3d-8c90-4f9d21812e33',
    withdraw_fee: '0.2',
    withdraw_minimum: '2',
    deposit_minimum: '1',
    withdraw_limit: '1000000',
    tagged: true,
  },
  {
    id: 'USDC',
    altname: 'USDC',
    common: 'USDC',
    decimals: 8,
    display_decimals: 4,
    transfer_decimals: 6,
    protocol: 'ETH',
    deposit_method: 'USDC - Ethereum (Unified)',
    withdraw_method: 'USDC - Ethereum (Unified)',
    network: 'Ethereum',
    network_id: 'b2c1bf3b-7034-4d2c-9b8f-3e8c10701d22',
    withdraw_fee: '4',
    withdraw_minimum: '10',
    deposit_minimum: '2',
    withdraw_limit: '5000000',
    tagged: false,
  },
  {
    id: 'XLTC',
    altname: 'LTC',
    common: 'LTC',
    decimals: 10,
    display_decimals: 5,
    transfer_decimals: 8,
    protocol: 'LTC',
    deposit_method: 'Litecoin',
    withdraw_method: 'Litecoin',
    network: 'Litecoin',
    network_id: 'e5f4e26e-a367-4a5f-8eb2-61bf43a34055',
    withdraw_fee: '0.002',
    withdraw_minimum: '0.01',
    deposit_minimum: '0.01',
    withdraw_limit: '10000',
    tagged: false,
  },
  {
    id: 'XXLM',
    altname: 'XLM',
    common: 'XLM',
    decimals: 8,
    display_decimals: 5,
    transfer_decimals: 7,
    protocol: 'XLM',
    deposit_method: 'Stellar XLM',
    withdraw_method: 'Stellar XLM',
    network: 'Stellar',
    network_id: 'f6a5f37f-b485-4b60-9fc3-72c054b45166',
    withdraw_fee: '0.00002',
    withdraw_minimum: '20',
    deposit_minimum: '10',
    withdraw_limit: '5000000',
    tagged: true,
    memo: true,
  },
  {
    id: 'ZEUR',
    altname: 'EUR',
    common: 'EUR',
    decimals: 4,
    display_decimals: 2,
    transfer_decimals: 2,
    protocol: 'SEPA',
    deposit_method: 'Clear Junction (SEPA)',
    withdraw_method: 'Clear Junction (SEPA)',
    network: 'SEPA',
    network_id: 'd4e3d15d-9256-4f4e-9da1-50ae32923f44',
    withdraw_fee: '1',
    withdraw_minimum: '2',
    deposit_minimum: '1',
    withdraw_limit: '10000000',
    tagged: false,
  },
]

export function asset(id: string): Asset {
  const found = findAsset(id)
  if (found === undefined) throw new Error(`no asset ${id}`)
  return found
}

/** By id, altname or common name. */
export function findAsset(name: string): Asset | undefined {
  return ASSETS.find(
    (asset) => asset.id === name || asset.altname === name || asset.common === name,
  )
}
