/** What can be known of a venue before it is asked. */
import assert from 'node:assert/strict'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, it } from 'node:test'
import { faultsHere } from './index.ts'
import type { DeclaredVenue } from './index.ts'

const folder = await mkdtemp(join(tmpdir(), 'kontor-venue-'))
after(() => rm(folder, { recursive: true }))

const faultsOf = async (venue: DeclaredVenue, works = true): Promise<string[]> =>
  (await faultsHere(venue, { path: 'venues[0]', works })).map(({ message }) => message)

const exchange = (options: Record<string, string>): DeclaredVenue => ({
  key: 'kraken',
  label: 'Kraken',
  kind: 'EXCHANGE',
  options,
  secrets: { api_key: { env: 'NO_SUCH_KEY' }, api_secret: { file: join(folder, 'none.json') } },
})

it('secrets that are not there, an exchange and options that cannot be', async () => {
  assert.deepEqual(
    await faultsOf(exchange({ exchange: 'krakn', base_url: 'kraken', keep_alive_ms: 'long' })),
    [
      'venues[0].secrets.api_key is missing: the environment has no NO_SUCH_KEY',
      `venues[0].secrets.api_secret is missing: ${join(folder, 'none.json')} cannot be read`,
      'venues[0].options.base_url: kraken is no address such as https://api.example.com',
      'venues[0].options.keep_alive_ms: long is no whole number above 0',
      'venues[0].options.exchange: exchange krakn is not supported: kraken, bitstamp, okx are',
    ],
  )
})

it('a key of the vault that is none, without a word of it', async () => {
  const file = join(folder, 'vault.pem')
  await writeFile(file, 'not a key')
  const reference = { file }
  const faults = await faultsOf({
    key: 'vault',
    label: 'Vault',
    kind: 'CUSTODY_VAULT',
    options: { base_url: 'https://vault.example' },
    secrets: { api_key: reference, secret_pem: reference },
  })
  assert.deepEqual(faults, ['venues[0].secrets.secret_pem: it holds no private key in PEM'])
})

it('a bank without folders needs one of the operator', async () => {
  const { options: { outbox_dir: _outbox, inbox_dir: _inbox, ...options } = {}, ...rest } =
    bank('EUR')
  const says =
    'venues[0].options.outbox_dir: a bank without folders of its own needs ' +
    'KONTOR_BANK_FOLDERS: the operator names a folder there'
  assert.deepEqual(await faultsOf({ ...rest, options }), [says])
  const here = { path: 'venues[0]', works: true, banks: folder }
  assert.deepEqual(await faultsHere({ ...rest, options }, here), [])
})

const bank = (currency: string): DeclaredVenue => ({
  key: 'bank',
  label: 'Bank',
  kind: 'BANK',
  options: {
    outbox_dir: join(folder, 'out'),
    inbox_dir: join(folder, 'in'),
    name: 'House',
    iban: 'AT611904300234573201',
    bic: 'BKAUATWW',
    currency,
  },
})

it("a bank's currency, and its folders", async () => {
  assert.deepEqual(await faultsOf(bank('EURO')), [
    "venues[0].options: the bank's currency must be a code of ISO 4217, not EURO",
    `venues[0].options.outbox_dir: there is no folder ${join(folder, 'out')}`,
    `venues[0].options.outbox_dir: there is no folder ${join(folder, 'out/done')}`,
    `venues[0].options.inbox_dir: there is no folder ${join(folder, 'in')}`,
  ])
  assert.deepEqual(await faultsOf(bank('EUR'), false), [], 'who does not work with it needs none')
  for (const name of ['out/done', 'in']) await mkdir(join(folder, name), { recursive: true })
  assert.deepEqual(await faultsOf(bank('EUR')), [])
})
