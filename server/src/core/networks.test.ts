import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  addressesIn,
  NETWORK_PATTERN,
  addressBlockOf,
  canonicalAddress,
  isLoopback,
  isPublicAddress,
} from './networks.ts'

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
  assert.equal(isProxy('fe80::1%eth0'), false)
  assert.equal(addressesIn('fe80::/10')('fe80::1%eth0'), true)
  assert.equal(addressesIn('')('10.0.0.1'), false)
  assert.throws(() => addressesIn('10.0.0.0/8,proxy'), /proxy is neither an address/)
  for (const everybody of ['0.0.0.0/0', '::/0', '10.0.0.0/00'])
    assert.throws(() => addressesIn(everybody), /is everybody/)
  assert.throws(() => addressesIn('10.0.0.0/33'), /10\.0\.0\.0\/33: a network has at most 32 bits/)
  assert.throws(() => addressesIn('::1/129'), /at most 128 bits/)
})

test('what listens on loopback is reached by programs of this machine alone', () => {
  for (const [host, expected] of [
    ['127.0.0.1', true],
    ['127.9.9.9', true],
    ['::1', true],
    ['0:0:0:0:0:0:0:1', true],
    ['::ffff:127.0.0.1', true],
    ['localhost', true],
    ['LocalHost', true],
    ['0.0.0.0', false],
    ['::', false],
    ['::ffff:10.0.0.1', false],
    ['10.0.0.1', false],
    ['127.0.0.1.example.com', false],
    ['localhost.example.com', false],
    ['127.1', false],
    ['0', false],
    ['', false],
  ] as const)
    assert.equal(isLoopback(host), expected, host)
})

test('an address has one spelling', () => {
  for (const [address, spelling] of [
    ['10.0.0.1', '10.0.0.1'],
    ['::ffff:10.0.0.1', '10.0.0.1'],
    ['2001:0DB8:0000::0001', '2001:db8::1'],
    ['fe80::1%eth0', 'fe80::1'],
    ['kontor.example', 'kontor.example'],
  ] as const)
    assert.equal(canonicalAddress(address), spelling)
})

test('only addresses that everybody may reach are public', () => {
  for (const [address, expected] of [
    ['8.8.8.8', true],
    ['172.15.255.255', true],
    ['172.32.0.1', true],
    ['100.63.255.255', true],
    ['100.128.0.1', true],
    ['2606:4700::1111', true],
    ['2a00:1450:4001::1', true],
    ['0.0.0.0', false],
    ['0.1.2.3', false],
    ['10.0.0.1', false],
    ['100.64.0.1', false],
    ['127.0.0.1', false],
    ['127.255.0.9', false],
    ['169.254.169.254', false],
    ['172.16.0.1', false],
    ['172.31.255.255', false],
    ['192.0.0.1', false],
    ['192.0.2.1', false],
    ['192.168.1.1', false],
    ['198.18.0.1', false],
    ['198.51.100.1', false],
    ['203.0.113.1', false],
    ['224.0.0.1', false],
    ['255.255.255.255', false],
    ['::', false],
    ['::1', false],
    ['::ffff:127.0.0.1', false],
    ['::ffff:7f00:1', false],
    ['::ffff:808:808', false],
    ['::127.0.0.1', false],
    ['64:ff9b::7f00:1', false],
    ['2001::1', false],
    ['2001:db8::1', false],
    ['2002:7f00:1::', false],
    ['fc00::1', false],
    ['fd00:ec2::254', false],
    ['fe80::1', false],
    ['fe80::1%eth0', false],
    ['ff02::1', false],
    ['3fff::1', false],
    ['localhost', false],
    ['', false],
  ] as const)
    assert.equal(isPublicAddress(address), expected, address)
})

test('the pattern of a network takes what is read as one', () => {
  const pattern = new RegExp(NETWORK_PATTERN)
  const right = ['10.0.0.0/8', '192.0.2.1', '255.255.255.255/32', '2001:db8::/32', '::1', '::']
  const also = ['1:2:3:4:5:6:7:8', '1:2:3:4:5:6:7::', '1::8/128', 'FE80::1', '::2:3:4:5:6:7:8']
  for (const network of [...right, ...also]) {
    assert.ok(pattern.test(network), network)
    addressesIn(network)
  }
  const wrong = ['256.0.0.1', '10.0.0', '10.0.0.0/33', '10.0.0.0/0', '01.0.0.1', '10.0.0.0/']
  const neither = ['1:2:3', '1:2:3:4:5:6:7:8:9', ':::', '1::2::3', '2001:db8::/129', 'cd/16', 'x']
  for (const network of [...wrong, ...neither]) assert.ok(!pattern.test(network), network)
})
