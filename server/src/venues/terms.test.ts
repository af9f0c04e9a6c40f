import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ApiError } from '../core/errors.ts'
import { isNetwork, shippedTerms, termMeant, termsOf } from './terms.ts'
import type { Term } from './terms.ts'

const ETHER: Term = {
  asset: 'ETH',
  protocol: 'ETH',
  native: 'XETH',
  networks: ['Ether (Hex)'],
  decimals: 18,
  ledger: 'GAS',
  fee_asset: 'ETH',
}

test('a word names a protocol whole, and what is excluded is not meant', () => {
  const sepa = { networks: ['*SEPA*', '!*SEPA*Instant*'] }
  const words = ['Clear Junction (SEPA)', 'SEPA', 'Clear Junction (SEPA Instant)', 'SWIFT', null]
  assert.deepEqual(
    words.map((word) => isNetwork(sepa, word)),
    [true, true, false, false, false],
  )
  // A bracket is no pattern, and a part of a name is not the name.
  const names = ['Ether (Hex)', 'Ether Hex', 'Ether (Hex) 2']
  assert.deepEqual(
    names.map((name) => isNetwork(ETHER, name)),
    [true, false, false],
  )
})

test('of an asset with several protocols, the one that the venue names is meant', () => {
  const other = { ...ETHER, protocol: 'ARBITRUM', networks: ['Arbitrum One'] }
  const terms = termsOf('kraken', [ETHER, other])
  const words = ['Arbitrum One', 'Ether (Hex)', 'Starknet', undefined]
  const protocolsOf = (ofAsset: readonly Term[]) =>
    words.map((word) => termMeant(ofAsset, word)?.protocol)
  // By another chain it is not ether on Ethereum; where none is named, only one can be meant.
  assert.deepEqual(protocolsOf(terms.all), ['ARBITRUM', 'ETH', undefined, undefined])
  assert.deepEqual(protocolsOf([ETHER]), [undefined, 'ETH', undefined, 'ETH'])
  const money = { ...ETHER, asset: 'EUR', protocol: 'SEPA', ledger: 'BANK' } as const
  assert.equal(termMeant([money], 'SWIFT'), money)
  assert.equal(termMeant([], 'Ether (Hex)'), null)
  assert.equal(terms.byNative('XXDG'), undefined)
  assert.equal(terms.ofPot('ETH'), 'ETH')
})

test('what a venue has no word for is refused by name', () => {
  const terms = termsOf('kraken', [ETHER])
  assert.throws(
    () => terms.of('ETH', 'ARBITRUM'),
    (error) =>
      error instanceof ApiError && /kraken does not move ETH over ARBITRUM/.test(error.message),
  )
})

test('a token is shipped with the fee of its chain, money with its own', () => {
  const vault = shippedTerms('CUSTODY_VAULT').find(({ asset }) => asset === 'USDC')
  assert.deepEqual([vault?.fee_asset, vault?.decimals, vault?.ledger], ['ETH', 6, 'GAS'])
  const euro = shippedTerms('kraken').find(({ asset }) => asset === 'EUR')
  assert.deepEqual([euro?.fee_asset, euro?.ledger], ['EUR', 'BANK'])
})
