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
      faultsOf({ version: 1, assets: [{ code: '${NONE}', label: '', kind: 'FIAT', scale: 2 }] }),
      ['NOT_FOUND assets[0].code'],
    )
    assert.deepEqual(
      faultsOf({
        version: 1,
        venues: [
          { key: 'a', label: 'A', kind: 'BANK' },
          { key: 'a', label: 'B', kind: 'BANK' },
        ],
      }),
      ['DUPLICATE venues[1].key'],
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

  it('refuses protocols of which nothing is known, and words for what is not there', () => {
    const token = { code: 'USDC', label: 'USDC', kind: 'CRYPTO', scale: 6 }
    const venue = { key: 'a', label: 'A', kind: 'EXCHANGE', options: { exchange: 'kraken' } }
    const withProtocols = (...protocols: object[]) =>
      faultsOf({ version: 1, assets: [{ ...token, protocols }], venues: [venue] })
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
    const term = { asset: 'USDC', protocol: 'ETH', native: 'USDC' }
    const terms = [term, { ...term, asset: 'DOGE' }, { ...term, protocol: 'SOL' }]
    assert.deepEqual(faultsOf({ version: 1, assets: [token], venues: [{ ...venue, terms }] }), [
      'UNKNOWN_ASSET venues[0].terms[1].asset',
      'NOT_FOUND venues[0].terms[2].protocol',
    ])
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
