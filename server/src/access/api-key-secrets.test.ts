import assert from 'node:assert/strict'
import { test } from 'node:test'
import { hashOf, hintOf, isSecret, newSecret, secretIn } from './api-key-secrets.ts'

test('a secret is kontor_, 40 random characters and a checksum; none comes twice', () => {
  const secrets = Array.from({ length: 200 }, newSecret)
  for (const secret of secrets) assert.match(secret, /^kontor_[0-9A-Za-z]{46}$/)
  assert.equal(new Set(secrets).size, secrets.length)
  assert.ok(secrets.every(isSecret))
})

test('the checksum is that of GitHub: CRC-32 in base 62, padded to six places', () => {
  const begun = `kontor_${'A'.repeat(40)}`
  // The CRC-32 of this text is 0x074c9557 (Python's zlib.crc32): 122,459,479 = 8HpIt in base 62.
  assert.ok(isSecret(`${begun}08HpIt`))
  assert.equal(isSecret(`${begun}000000`), false)
})

test('a mistyped secret is none', () => {
  const secret = newSecret()
  for (const at of [7, 20, 46, 47, 52]) {
    const other = secret[at] === 'x' ? 'y' : 'x'
    assert.equal(isSecret(secret.slice(0, at) + other + secret.slice(at + 1)), false, `at ${at}`)
  }
  assert.equal(isSecret(secret.replace('kontor_', 'rotnok_')), false)
  assert.equal(isSecret(secret.slice(0, -1)), false)
  assert.equal(isSecret(`${secret}0`), false)
})

test('the header names it after Bearer, in any case, and nothing else', () => {
  const secret = newSecret()
  assert.equal(secretIn(`Bearer ${secret}`), secret)
  assert.equal(secretIn(`bearer ${secret}`), secret)
  const others = [undefined, '', secret, `Basic  ${secret}`, `Bearer  ${secret.slice(1)}`]
  for (const header of others) assert.equal(secretIn(header), undefined, header)
})

test('its hash is SHA-256, and its hint its end', () => {
  assert.equal(
    hashOf('abc').toString('hex'),
    'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad',
  )
  assert.equal(hintOf('kontor_abcd'), 'abcd')
})
