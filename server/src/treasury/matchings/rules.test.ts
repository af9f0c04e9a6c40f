import assert from 'node:assert/strict'
import { test } from 'node:test'
import { addressKey, matchMovement, namesReference } from './rules.ts'
import type { MovementKeys, MatchingRule } from './rules.ts'
import type { MatchingType } from './matchings.schema.ts'

const movement: MovementKeys = {
  destination_key: 'D',
  source_key: 'S',
  tag: null,
  reference_text: 'order KD-4711',
  wallet_account_id: null,
}
const rule = (
  type: MatchingType,
  resource_id: string,
  reference: string | null = null,
): MatchingRule => ({
  id: `${type} ${resource_id}`,
  resource_id,
  type,
  address_key: type.startsWith('DESTINATION') ? 'D' : 'S',
  reference: type.endsWith('WITH_REFERENCE') ? (reference ?? 'KD-4711') : null,
})
const all: MatchingRule[] = [
  rule('DESTINATION_WITH_REFERENCE', 'a'),
  rule('DESTINATION_WITHOUT_REFERENCE', 'b'),
  rule('SOURCE_WITH_REFERENCE', 'c'),
  rule('SOURCE_WITHOUT_REFERENCE', 'd'),
]

test('the levels are tried in their order', () => {
  const account = (rules: MatchingRule[], wallet_account_id: string | null) => {
    const match = matchMovement({ ...movement, wallet_account_id }, rules)
    return match.match === 'account' ? match.account_id : match.match
  }
  assert.deepEqual(
    [0, 1, 2, 3, 4].map((skipped) => account(all.slice(skipped), null)),
    ['a', 'b', 'c', 'd', 'none'],
  )
  assert.deepEqual(
    [0, 1, 2, 3, 4].map((skipped) => account(all.slice(skipped), 'w')),
    ['a', 'b', 'w', 'w', 'w'],
  )
})

test('two accounts at one level match nothing, one account twice does', () => {
  assert.deepEqual(
    matchMovement(movement, [
      rule('DESTINATION_WITHOUT_REFERENCE', 'a'),
      rule('DESTINATION_WITHOUT_REFERENCE', 'b'),
      ...all.slice(2),
    ]),
    { match: 'ambiguous', level: 'DESTINATION_WITHOUT_REFERENCE' },
  )
  assert.equal(
    matchMovement({ ...movement, reference_text: 'one two' }, [
      rule('SOURCE_WITH_REFERENCE', 'a', 'one'),
      rule('SOURCE_WITH_REFERENCE', 'a', 'two'),
    ]).match,
    'account',
  )
})

test('another address or reference does not match', () => {
  assert.equal(
    matchMovement({ ...movement, destination_key: 'E', source_key: null }, all).match,
    'none',
  )
  assert.equal(
    matchMovement({ ...movement, reference_text: null }, [all[0] as MatchingRule]).match,
    'none',
  )
})

test('a reference is the tag or whole words of the text', () => {
  const table: [string, string | null, string | null, boolean][] = [
    ['KD-4711', 'kd-4711', null, true],
    ['4711', '47110', null, false],
    ['KD-4711', null, 'Order kd-4711, thanks', true],
    ['KD-4711', null, 'EREF:KD-4711/END.', true],
    ['4711', null, 'Order KD-4711', false],
    ['4711', null, '47112', false],
    ['anna b', null, 'for  ANNA  B.', true],
    ['anna b', null, 'anna bc', false],
    ['...', null, 'any', false],
    ['4711', null, null, false],
  ]
  for (const [reference, tag, reference_text, expected] of table)
    assert.equal(
      namesReference(reference, { tag, reference_text }),
      expected,
      `${reference} in ${tag} ${reference_text}`,
    )
})

test('addresses are compared in one spelling', () => {
  assert.equal(addressKey('FIAT', 'de89 3704 0044 0532 0130 00'), 'DE89370400440532013000')
  assert.equal(addressKey('CRYPTO', '0xABCdef'), '0xabcdef')
  assert.equal(
    addressKey('CRYPTO', 'BC1QW508D6QEJXTDG4Y5R3ZARVARY0C5XW7KV8F3T4'),
    'bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4',
  )
  assert.equal(
    addressKey('CRYPTO', '1BoatSLRHtKNngkdXEeobR76b53LETtpyT'),
    '1BoatSLRHtKNngkdXEeobR76b53LETtpyT',
  )
})
