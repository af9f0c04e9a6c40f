import assert from 'node:assert/strict'
import { test } from 'node:test'
import { addressOf, base32, codeOf, stepAt, stepOf } from './totp.ts'

/** RFC 6238, appendix B: the rows for SHA-1. */
const VECTORS: readonly [seconds: number, code: string][] = [
  [59, '94287082'],
  [1_111_111_109, '07081804'],
  [1_111_111_111, '14050471'],
  [1_234_567_890, '89005924'],
  [2_000_000_000, '69279037'],
  [20_000_000_000, '65353130'],
]
const SECRET = Buffer.from('12345678901234567890')

test('codes are those of RFC 6238', () => {
  for (const [seconds, code] of VECTORS) {
    assert.equal(codeOf(SECRET, stepAt(seconds * 1000), 8), code)
    assert.equal(codeOf(SECRET, stepAt(seconds * 1000)), code.slice(2))
  }
})

test('a code is accepted one step early and one step late, and no further', () => {
  const now = 1_234_567_890_000
  const code = codeOf(SECRET, stepAt(now))
  const found = [-60, -30, 0, 30, 60].map((seconds) => stepOf(SECRET, code, now + seconds * 1000))
  assert.deepEqual(found, [undefined, stepAt(now), stepAt(now), stepAt(now), undefined])
  for (const wrong of ['', '12345', '1234567', '      ', 'abcdef'])
    assert.equal(stepOf(SECRET, wrong, now), undefined)
})

test('a secret is written as RFC 4648 has it', () => {
  const texts = ['', 'f', 'fo', 'foo', 'foob', 'fooba', 'foobar']
  assert.deepEqual(
    texts.map((text) => base32(Buffer.from(text))),
    ['', 'MY', 'MZXQ', 'MZXW6', 'MZXW6YQ', 'MZXW6YTB', 'MZXW6YTBOI'],
  )
  assert.equal(
    addressOf(SECRET, { issuer: 'Example Bank', email: 'a+b@example.com' }),
    'otpauth://totp/Example%20Bank:a%2Bb%40example.com?' +
      'secret=GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ&issuer=Example%20Bank',
  )
})
