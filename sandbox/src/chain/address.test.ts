/** What is an address of a protocol, by its checksum. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { canonical, isAddress, randomAddress } from './address.ts'
import { PROTOCOLS } from './protocols.ts'

test('addresses have right checksums, and a wrong character is found', () => {
  for (const { protocol } of PROTOCOLS) {
    for (let round = 0; round < 50; round += 1)
      assert.ok(isAddress(protocol, randomAddress(protocol)))
  }
  assert.ok(
    isAddress('ETH', '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed') &&
      !isAddress('ETH', '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAeD'),
  )
  // The examples of EIP-55.
  for (const address of [
    '0xfB6916095ca1df60bB79Ce92cE3Ea74c37c5d359',
    '0xdbF03B407c01E7cD3CBea99509d93f8DDDC8C6FB',
    '0xD1220A0cf47c7B9Be7A2E6BA89F429762e7b9aDb',
  ])
    assert.equal(canonical('ETH', address.toLowerCase()), address)
  assert.ok(
    isAddress('BTC', '1BoatSLRHtKNngkdXEeobR76b53LETtpyT') &&
      !isAddress('BTC', '1BoatSLRHtKNngkdXEeobR76b53LETtpyU'),
  )
  assert.ok(
    isAddress('BTC', 'bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4') &&
      !isAddress('BTC', 'bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t5'),
  )
  assert.ok(
    isAddress('XRP', 'rHb9CJAWyB4rj91VRWn96DkukG4bwdtyTh') &&
      !isAddress('XRP', 'rHb9CJAWyB4rj91VRWn96DkukG4bwdtyTj'),
  )
  // An account of SEP-23.
  assert.ok(
    isAddress('XLM', 'GA7QYNF7SOWQ3GLR2BGMZEHXAVIRZA4KVWLTJJFC7MGXUA74P7UJVSGZ') &&
      !isAddress('XLM', 'GA7QYNF7SOWQ3GLR2BGMZEHXAVIRZA4KVWLTJJFC7MGXUA74P7UJVSGA'),
  )
  assert.ok(!isAddress('BTC', randomAddress('XRP')) && !isAddress('XRP', randomAddress('BTC')))
})
