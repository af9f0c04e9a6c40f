/** One account is one venue, as far as declarations tell. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { problemsOfAccounts } from './index.ts'
import type { DeclaredVenue } from './index.ts'

const bank = (options: Record<string, string>): DeclaredVenue => ({
  key: 'bank',
  label: 'Bank',
  kind: 'BANK',
  options: { currency: 'EUR', bic: 'BKAUATWW', ...options },
})
const exchange = (
  api_key: NonNullable<DeclaredVenue['secrets']>[string],
  options: Record<string, string> = {},
): DeclaredVenue => ({
  key: 'kraken',
  label: 'Kraken',
  kind: 'EXCHANGE',
  options: { exchange: 'kraken', ...options },
  secrets: { api_key, api_secret: { env: 'SECRET' } },
})
const problems = (...venues: DeclaredVenue[]) =>
  problemsOfAccounts(venues).map(({ path, code }) => `${path} ${code}`)

const IBAN = 'AT611904300234573201'

test('an account at a bank, however its IBAN is written', () => {
  assert.deepEqual(
    problems(bank({ iban: IBAN }), bank({ iban: 'at61 1904 3002 3457 3201', label: 'Other' })),
    ['venues[1].options.iban DUPLICATE'],
  )
  const number = { account_number: '123456789', aba: '021000021', currency: 'USD' }
  assert.deepEqual(problems(bank(number), bank({ iban: IBAN }), bank(number)), [
    'venues[2].options.account_number DUPLICATE',
  ])
})

test('an earlier release let it in: the service starts with it, and takes no third one', () => {
  const [first, second, third] = ['a', 'b', 'c'].map((key) => ({ ...bank({ iban: IBAN }), key }))
  assert.ok(first !== undefined && second !== undefined && third !== undefined)
  const known = new Map(
    [first, second].map(({ key, kind, options = {} }) => [
      key,
      { venue: { kind }, config: { options } },
    ]),
  )
  const said = (...venues: DeclaredVenue[]) =>
    problemsOfAccounts(venues, known).map(({ message }) => message)
  assert.deepEqual(said(first, second), [])
  const isThat = 'options.iban is also that of'
  assert.deepEqual(said(first, second, third), [
    `venues[2].${isThat} venues[0]: one account is one venue`,
  ])
  assert.deepEqual(said(third, first), [`venues[0].${isThat} venues[1]: one account is one venue`])
})

test('not its other currency, and not the same number elsewhere', () => {
  assert.deepEqual(problems(bank({ iban: IBAN }), bank({ iban: IBAN, currency: 'USD' })), [])
  const number = { account_number: '123456789', currency: 'USD' }
  assert.deepEqual(
    problems(bank({ ...number, aba: '021000021' }), bank({ ...number, aba: '026009593' })),
    [],
  )
})

test('a key that lies in one place, sent to one place', () => {
  const key = { file: '/keys/kraken.json', field: 'api_key' }
  assert.deepEqual(
    problems(exchange(key), exchange({ ...key }, { tier: 'PRO', request_timeout_ms: '5000' })),
    ['venues[1].secrets.api_key DUPLICATE'],
  )
  const base_url = 'https://a.example/kraken'
  assert.deepEqual(
    problems(
      exchange(key, { base_url }),
      exchange(key, { base_url: 'https://a.example' }),
      exchange(key, { base_url: 'https://b.example' }),
      exchange(key, { exchange: 'okx' }),
      exchange({ ...key, field: 'other' }),
      exchange({ stored: 'api_key' }),
      exchange({ stored: 'api_key' }),
    ),
    ['venues[1].secrets.api_key DUPLICATE'],
  )
})
