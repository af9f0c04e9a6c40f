/** Which configurations of a bank are taken. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { problemsOf, type DeclaredVenue } from '../declaration.schema.ts'
import { accountOf, bankConfig } from './config.ts'
import { IBAN } from './bank-files.testing.ts'

const VALUES = {
  outbox_dir: 'out',
  inbox_dir: 'in',
  iban: IBAN,
  bic: 'COBADEFFXXX',
  name: 'Kontor',
  currency: 'EUR',
}

test('by default notifications and statements book', () => {
  const { books, account_id } = accountOf(bankConfig(VALUES))
  assert.deepEqual([...books], ['camt.053', 'camt.054'])
  assert.equal(account_id, null)
})

test('the profile names the kinds of messages that book', () => {
  const { books } = accountOf(bankConfig({ ...VALUES, books: 'camt.054, camt.052' }))
  assert.deepEqual([...books].toSorted(), ['camt.052', 'camt.054'])
  for (const wrong of ['camt.055', 'camt.053;camt.054', 'camt.053,'])
    assert.throws(() => bankConfig({ ...VALUES, books: wrong }), RangeError, wrong)
})

test('a currency is one of ISO 4217, and its decimals bound the fee', () => {
  for (const currency of ['CHF', 'JPY', 'KWD'])
    assert.equal(bankConfig({ ...VALUES, currency }).currency, currency)
  for (const currency of ['Euro', 'eur', '€', 'ZZZ'])
    assert.throws(() => bankConfig({ ...VALUES, currency }), RangeError, currency)
  for (const currency of ['KWD', 'OMR']) bankConfig({ ...VALUES, currency, foreign_fee: '1.505' })
  assert.throws(() => bankConfig({ ...VALUES, currency: 'JPY', foreign_fee: '0.5' }), RangeError)
})

test('an account has an IBAN and a BIC, or a number and the number of its bank', () => {
  const { iban: _iban, bic: _bic, ...rest } = VALUES
  const opened = (place: Record<string, string>) =>
    accountOf(bankConfig({ ...rest, currency: 'USD', ...place }))
  const american = { account_number: '000123456789', aba: '021000021' }
  assert.deepEqual(
    [opened(american), opened({ account_number: '12-3456', bic: 'CHASUS33' })].map(
      ({ number, bic, aba }) => [number, bic, aba],
    ),
    [
      ['000123456789', null, '021000021'],
      ['12-3456', 'CHASUS33', null],
    ],
  )
  for (const wrong of [
    {},
    { iban: IBAN },
    { iban: IBAN, aba: '021000021' },
    { ...american, iban: IBAN, bic: 'COBADEFFXXX' },
    { ...american, aba: '021000022' },
    { ...american, bic: 'CHASUS3' },
    { account_number: 'none', aba: '021000021' },
    { account_number: '000123456789' },
    { ...american, currency: 'EUR' },
  ])
    assert.throws(() => opened(wrong), RangeError, JSON.stringify(wrong))
})

const SFTP = {
  ...VALUES,
  sftp_host: 'sftp.bank.example',
  sftp_user: 'kontor',
  sftp_host_key: `SHA256:${'a'.repeat(43)}`,
  sftp_outbox_dir: '/to-bank/',
  sftp_inbox_dir: '/from-bank',
  sftp_password: 'secret',
}

test('with a host the files go over SFTP, to a server that is known by its key', () => {
  assert.equal(bankConfig(VALUES).sftp, undefined)
  assert.deepEqual(bankConfig(SFTP).sftp, {
    host: 'sftp.bank.example',
    port: 22,
    user: 'kontor',
    host_keys: [SFTP.sftp_host_key],
    password: 'secret',
    outbox_dir: '/to-bank',
    inbox_dir: '/from-bank',
    part_suffix: '.part',
    poll_ms: 30_000,
    timeout_ms: 10_000,
  })
  const wrong: Record<string, string>[] = [
    { sftp_host_key: '' },
    { sftp_host_key: 'MD5:00:11' },
    { sftp_host_key: `${SFTP.sftp_host_key}, SHA256:short` },
    { sftp_user: '' },
    { sftp_password: '' },
    { sftp_outbox_dir: '' },
    { sftp_port: '0' },
    { sftp_poll_ms: '1.5' },
    { sftp_part_suffix: '.xml' },
  ]
  for (const change of wrong)
    assert.throws(() => bankConfig({ ...SFTP, ...change }), RangeError, JSON.stringify(change))
})

test('the configuration file declares all that SFTP needs, and its secrets by reference', () => {
  const { sftp_password: _password, ...options } = SFTP
  const declared = {
    key: 'bank',
    label: 'Bank',
    kind: 'BANK' as const,
    options,
    secrets: { sftp_password: { env: 'SFTP_PASSWORD' } },
  }
  const pathsOf = (venue: DeclaredVenue) => problemsOf(venue, 'venues[0]').map(({ path }) => path)
  assert.deepEqual(pathsOf(declared), [])
  assert.deepEqual(pathsOf({ ...declared, options: { ...VALUES, sftp_host: 'bank.example' } }), [
    'venues[0].options.sftp_user',
    'venues[0].options.sftp_host_key',
    'venues[0].options.sftp_outbox_dir',
    'venues[0].options.sftp_inbox_dir',
  ])
  assert.deepEqual(pathsOf({ ...declared, options: SFTP }), ['venues[0].options.sftp_password'])
})
