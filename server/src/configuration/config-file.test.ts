import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { ApiError } from '../core/errors.ts'
import { checkConfig, readConfig } from './config-file.ts'

/** What is wrong with this file. */
const faultsOf = (content: unknown): string[] => {
  try {
    checkConfig(content, {}, '/etc/kontor')
  } catch (error) {
    assert(error instanceof ApiError)
    return error.details.map(({ code, path }) => `${code} ${path}`)
  }
  return []
}

const secrets = { api_key: { env: 'KEY' }, api_secret: { env: 'SECRET' }, passphrase: { env: 'P' } }
const token = { code: 'USDC', label: 'USDC', kind: 'CRYPTO', scale: 6 }
const ether = { code: 'ETH', label: 'Ether', kind: 'CRYPTO', scale: 18 }

describe('the configuration file', () => {
  it('is checked as a whole, every fault named', () => {
    assert.deepEqual(faultsOf({ version: 1 }), [])
    assert.deepEqual(faultsOf({ version: 2 }), ['FORMAT version'])
    assert.deepEqual(
      faultsOf({
        version: 1,
        colour: 'red',
        assets: [
          { code: 'BTC', label: 'Bitcoin', kind: 'CRYPTO', scale: 19 },
          { code: 'EUR', label: 'Euro' },
        ],
      }).toSorted(),
      ['FORMAT assets[0].scale', 'REQUIRED assets[1]', 'UNKNOWN_FIELD '],
    )
    assert.deepEqual(
      faultsOf({
        version: 1,
        assets: [{ code: '${none}', label: 'None', kind: 'PAPER', scale: 2 }],
        venues: [{ key: 'a', label: 'A', kind: 'EXCHANGE', secrets: { key: { env: '${none}' } } }],
      }),
      ['NOT_FOUND assets[0].code', 'NOT_FOUND venues[0].secrets.key.env', 'FORMAT assets[0].kind'],
    )
    assert.deepEqual(
      faultsOf({
        version: 1,
        venues: [
          { key: 'a', label: 'A', kind: 'EXCHANGE', options: { exchange: 'kraken' }, secrets },
          { key: 'a', label: 'B', kind: 'CUSTODY_VAULT', secrets: { api_key: { env: 'KEY' } } },
        ],
      }),
      [
        'DUPLICATE venues[1].key',
        'REQUIRED venues[1].options.base_url',
        'REQUIRED venues[1].secrets.secret_pem',
      ],
    )
    assert.deepEqual(faultsOf({ version: 1, settings: { compliance: 'yes' } }), [
      'FORMAT settings.compliance',
    ])
    assert.ok(
      faultsOf({
        version: 1,
        aggregator: { kind: 'COINGECKO', coins: { BTC: 'bit coin' } },
      }).includes('FORMAT aggregator.coins.BTC'),
    )
    assert.ok(
      faultsOf({
        version: 1,
        aggregator: { kind: 'COINGECKO', api_key: 'the key itself', coins: {} },
      }).includes('FORMAT aggregator.api_key'),
    )
  })

  it('names every reference that leads nowhere, and every time that is none', () => {
    const wallet = { venue: 'kraken', asset: 'ETH', address: '0x', label: 'W' }
    const hop = { venue: 'krakn', base_asset: 'ETH', quote_asset: 'USDC' }
    const prices = { min_amount: '1', max_amount: '2', amount_step: '1', price_step: '1' }
    assert.deepEqual(
      faultsOf({
        version: 1,
        wallets: [
          { ...wallet, key: 'a' },
          { ...wallet, key: 'b', integrate_from: 'yesterday' },
        ],
        price_routes: [
          {
            key: 'p',
            label: 'P',
            base_asset: 'ETH',
            quote_asset: 'USDC',
            risk_quantile: '0.5',
            hops: [hop],
            ...prices,
          },
        ],
      }),
      [
        'NOT_FOUND wallets[0].venue',
        'NOT_FOUND wallets[1].venue',
        'FORMAT wallets[1].integrate_from',
        'NOT_FOUND price_routes[0].hops[0].venue',
      ],
    )
  })

  it('refuses protocols of which nothing is known, and words for what is not there', () => {
    const options = { exchange: 'kraken' }
    const venue = { key: 'a', label: 'A', kind: 'EXCHANGE', options, secrets }
    const withProtocols = (...protocols: object[]) =>
      faultsOf({ version: 1, assets: [{ ...token, protocols }, ether], venues: [venue] })
    assert.deepEqual(withProtocols({ protocol: 'ETH' }), [])
    // Six decimals of a token are not those of the same token elsewhere.
    assert.deepEqual(withProtocols({ protocol: 'SOL' }, { protocol: 'SOL' }), [
      'NOT_FOUND assets[0].protocols[0].protocol',
      'DUPLICATE assets[0].protocols[1].protocol',
    ])
    assert.deepEqual(withProtocols({ protocol: 'SOL', decimals: 6 }), [
      'NOT_FOUND assets[0].protocols[0].protocol',
    ])
    const described = { protocol: 'ARB', decimals: 6, ledger: 'GAS', fee_asset: 'ETH' }
    const named = { ...described, names: { kraken: { native: 'USDC', networks: ['Arbitrum'] } } }
    assert.deepEqual(withProtocols(named), [])
    assert.deepEqual(withProtocols({ ...described, names: { krakn: { native: 'USDC' } } }), [
      'UNKNOWN_FIELD assets[0].protocols[0].names',
    ])
    const term = { asset: 'USDC', protocol: 'ETH', native: 'USDC', networks: ['ERC20'] }
    const terms = [term, { ...term, asset: 'DOGE' }, { ...term, protocol: 'SOL' }]
    assert.deepEqual(faultsOf({ version: 1, assets: [token], venues: [{ ...venue, terms }] }), [
      'UNKNOWN_ASSET venues[0].terms[1].asset',
      'NOT_FOUND venues[0].terms[2].protocol',
    ])
  })

  it('refuses words that would mean two assets, or two protocols of one', () => {
    const venue = (exchange: string) => ({
      key: exchange,
      label: exchange,
      kind: 'EXCHANGE',
      options: { exchange },
      secrets,
    })
    const named = (code: string, native: string, networks: string[]) => ({
      ...token,
      code,
      protocols: [{ protocol: 'ETH', decimals: 18, names: { kraken: { native, networks } } }],
    })
    const another = { ...venue('kraken'), secrets: { ...secrets, api_key: { env: 'OTHER' } } }
    const venues = [venue('kraken'), { ...another, key: 'second' }, venue('bitstamp')]
    const withAssets = (...assets: object[]) => faultsOf({ version: 1, assets, venues })
    const place = (asset: number) => `DUPLICATE assets[${asset}].protocols[0].names.kraken`
    assert.deepEqual(withAssets(ether, named('PEPE', 'PEPE', ['PEPE - Ethereum'])), [])
    // Kraken's whole pot of ether would be booked as the other.
    assert.deepEqual(withAssets(named('PEPE', 'xeth', ['PEPE - Ethereum']), ether), [place(0)])
    assert.deepEqual(withAssets(named('A', 'AB', ['A']), named('B', 'AB', ['B'])), [place(1)])
    const terms = [{ asset: 'ETH', protocol: 'ARB', native: 'eth', networks: ['ethereum'] }]
    const arbitrum = { protocol: 'ARB', decimals: 18, ledger: 'GAS', fee_asset: 'ETH' }
    const protocols = [{ protocol: 'ETH' }, arbitrum]
    assert.deepEqual(
      faultsOf({
        version: 1,
        assets: [{ ...ether, protocols }],
        venues: [venue('kraken'), { ...venue('bitstamp'), terms }],
      }),
      ['DUPLICATE venues[1].terms[0]'],
    )
  })

  it('refuses a protocol that would work in two ways', () => {
    const other = { ...token, code: 'ARB' }
    const arbitrum = { protocol: 'ARBITRUM', decimals: 6, ledger: 'GAS', fee_asset: 'ETH' }
    const { fee_asset: _fee, ...feeless } = arbitrum
    const withProtocol = (protocol: object) =>
      faultsOf({
        version: 1,
        assets: [{ ...token, protocols: [arbitrum] }, { ...other, protocols: [protocol] }, ether],
      })
    const place = 'assets[1].protocols[0]'
    assert.deepEqual(withProtocol(arbitrum), [])
    assert.deepEqual(withProtocol({ protocol: 'ARBITRUM', decimals: 18 }), [])
    assert.deepEqual(withProtocol(feeless), [`CONFLICT ${place}.ledger`])
    assert.deepEqual(withProtocol({ ...arbitrum, protocol: 'ETH' }), [])
    assert.deepEqual(withProtocol({ protocol: 'ETH', decimals: 6, ledger: 'GAS' }), [])
    // XRP would lose its tag.
    assert.deepEqual(withProtocol({ protocol: 'XRP', decimals: 6, ledger: 'GAS' }), [
      `CONFLICT ${place}.ledger`,
    ])
    assert.deepEqual(withProtocol({ ...arbitrum, protocol: 'ETH', fee_asset: 'USDC' }), [
      `CONFLICT ${place}.ledger`,
    ])
    assert.deepEqual(withProtocol({ protocol: 'ARBITRUM', decimals: 6, fee_asset: 'ETH' }), [
      `REQUIRED ${place}.ledger`,
    ])
    assert.deepEqual(withProtocol({ ...arbitrum, fee_asset: 'SOL' }), [
      `UNKNOWN_ASSET ${place}.fee_asset`,
    ])
  })

  it('refuses what no venue could be sent: no word of the protocol, or a pattern', () => {
    const withNames = (names: object) =>
      faultsOf({
        version: 1,
        assets: [{ ...ether, protocols: [{ protocol: 'ETH', names }] }],
      })
    const place = (dialect: string) => `assets[0].protocols[0].names.${dialect}.networks`
    const word = { native: 'eth', networks: ['*eth*'] }
    assert.deepEqual(withNames({ CUSTODY_VAULT: { native: 'ETH' }, kraken: word }), [])
    assert.deepEqual(
      withNames({ kraken: { native: 'XETH' }, okx: { native: 'ETH', networks: ['!ETH'] } }),
      [`REQUIRED ${place('kraken')}`, `REQUIRED ${place('okx')}`],
    )
    assert.deepEqual(
      withNames({ bitstamp: word, MANAGED_WALLET: { native: 'ETH', networks: ['ETH', '*'] } }),
      [`FORMAT ${place('bitstamp')}`],
    )
    const euro = { code: 'EUR', label: 'Euro', kind: 'FIAT', scale: 2 }
    const names = { bitstamp: { native: 'eur', networks: ['*sepa*'] } }
    const assets = [{ ...euro, protocols: [{ protocol: 'SEPA', names }] }]
    assert.deepEqual(faultsOf({ version: 1, assets }), [])
  })

  it('takes text from the environment, and paths from where it lies', () => {
    const config = checkConfig(
      {
        version: 1,
        venues: [
          {
            key: 'x',
            label: '${NAME} ${CONFIG_DIR}',
            kind: 'EXCHANGE',
            options: { exchange: 'kraken' },
            secrets: { api_key: { file: 'keys/x' }, api_secret: { env: 'X' } },
          },
        ],
      },
      { NAME: 'Exchange', CONFIG_DIR: '/etc/kontor' },
      '/etc/kontor',
    )
    assert.equal(config.venues?.[0]?.label, 'Exchange /etc/kontor')
    assert.deepEqual(config.venues?.[0]?.secrets, {
      api_key: { file: '/etc/kontor/keys/x' },
      api_secret: { env: 'X' },
    })
  })

  it('says in one sentence what cannot be read', async () => {
    const dir = await mkdtemp(join(tmpdir(), 'config-'))
    await writeFile(join(dir, 'bad.json'), '{"version": 1,,}')
    await assert.rejects(readConfig(join(dir, 'bad.json'), {}), /is not valid JSON/)
    await assert.rejects(readConfig(join(dir, 'none.json'), {}), /cannot be read/)
    await rm(dir, { recursive: true })
  })
})
