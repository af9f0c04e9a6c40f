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
