import assert from 'node:assert/strict'
import { test } from 'node:test'
import { addressesIn, addressBlockOf } from './networks.ts'

test('one place is an IPv4 address, or 64 bits of an IPv6 address, however it is written', () => {
  for (const [address, network] of [
    ['203.0.113.7', '203.0.113.7'],
    ['::ffff:203.0.113.7', '203.0.113.7'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
    ['2001:0DB8:0001:0002::9', '2001:db8:1:2::/64'],
    ['2001:db8::1', '2001:db8:0:0::/64'],
    ['fe80::1%eth0', 'fe80:0:0:0::/64'],
    ['::1', '0:0:0:0::/64'],
  ] as const)
    assert.equal(addressBlockOf(address), network, address)
})

test('proxies are named by address or network', () => {
  const isProxy = addressesIn('10.0.0.0/8, 192.0.2.1,2001:db8::/32')
  assert.deepEqual(
    ['10.1.2.3', '::ffff:10.1.2.3', '192.0.2.1', '192.0.2.2', '2001:db8::7', '::1', ''].map(
      isProxy,
    ),
    [true, true, true, false, true, false, false],
  )
  assert.equal(addressesIn('')('10.0.0.1'), false)
  assert.throws(() => addressesIn('10.0.0.0/8,proxy'), /proxy is neither an address/)
})
