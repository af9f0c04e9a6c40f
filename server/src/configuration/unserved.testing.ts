/** For tests: a configuration that asks more of the venues than they serve, and what they say. */
import assert from 'node:assert/strict'
import type { Config } from './configuration.schema.ts'

/** By the labels of the venues. */
export const UNSERVED = {
  Kraken: [
    'PEPE: kraken lists no asset PEPE',
    'NEWT: there is no market NEWT/EUR, which a price route names',
  ],
  Bitstamp: [
    'PEPE: bitstamp lists no currency pepe',
    'NEWT: it has no word for NEWT: neither the configuration nor what is shipped names one',
  ],
  OKX: ['PEPE: okx moves PEPE over no chain, not PEPE-ERC20'],
  Fireblocks: ['PEPE: the vault supports no asset PEPE'],
  'Sandbox Bank': [
    'USD: it has no word for USD: neither the configuration nor what is shipped names one',
  ],
}

export function withUnserved(full: Config): Config {
  const addressOf = (wanted: string) =>
    full.wallets?.find(({ key }) => key === wanted)?.address ?? assert.fail(wanted)
  const [address, iban] = [addressOf('kraken-eth'), addressOf('bank-eur')]
  const wallet = (key: string, venue: string, asset: string) =>
    ({ key, venue, asset, address, label: key }) as const
  const [route] = full.price_routes ?? []
  assert.ok(route !== undefined)
  const unlisted = {
    ...route,
    key: 'newt-eur',
    base_asset: 'NEWT',
    hops: [{ venue: 'kraken', base_asset: 'NEWT', quote_asset: 'EUR' }],
  }
  return {
    ...full,
    assets: [...(full.assets ?? []), { ...COIN, code: 'NEWT' }, PEPE],
    wallets: [
      ...(full.wallets ?? []),
      wallet('kraken-pepe', 'kraken', 'PEPE'),
      wallet('bitstamp-pepe', 'bitstamp', 'PEPE'),
      wallet('bitstamp-newt', 'bitstamp', 'NEWT'),
      wallet('okx-pepe', 'okx', 'PEPE'),
      {
        ...wallet('vault-pepe', 'fireblocks', 'PEPE'),
        configuration: { vault_id: '0', protocol: 'ETH' },
      },
      { ...wallet('bank-dollars', 'bank', 'USD'), address: iban },
    ],
    price_routes: [...(full.price_routes ?? []), unlisted],
  }
}

const COIN = { label: 'Coin', kind: 'CRYPTO', scale: 8 } as const

/** A token that no venue has. */
const PEPE = {
  ...COIN,
  code: 'PEPE',
  protocols: [
    {
      protocol: 'ETH',
      decimals: 18,
      names: {
        kraken: { native: 'PEPE', networks: ['PEPE - Ethereum'] },
        bitstamp: { native: 'pepe', networks: ['ethereum'] },
        okx: { native: 'PEPE', networks: ['PEPE-ERC20'] },
        CUSTODY_VAULT: { native: 'PEPE' },
      },
    },
  ],
}
