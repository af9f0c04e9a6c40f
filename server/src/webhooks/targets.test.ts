/** Where webhooks may not go. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ApiError } from '../core/errors.ts'
import { judgedAddresses } from '../core/targets.ts'
import type { Address } from '../core/targets.ts'
import { assertTarget, targetRulesFrom } from './targets.ts'

const STRICT = targetRulesFrom({})
const never = new AbortController().signal

test('an address to which nothing will ever go is refused', () => {
  for (const url of [
    'http://shop.example.com/',
    'ftp://shop.example.com/',
    'https://user:word@shop.example.com/',
    'https://shop.example.com/#part',
    'https://',
    'https://127.0.0.1/',
    'https://2130706433/',
    'https://0x7f.1/',
    'https://0/',
    'https://localhost/',
    'https://LOCALHOST:8443/',
    'https://api.localhost/',
    'https://10.1.2.3/',
    'https://169.254.169.254/latest/meta-data',
    'https://[::1]/',
    'https://[::ffff:127.0.0.1]/',
    'https://[::ffff:a00:1]/',
    'https://[fd00::1]/',
    'https://[::]/',
  ])
    assert.throws(
      () => assertTarget(url, STRICT),
      (error) => error instanceof ApiError && error.details[0]?.path === 'url',
      url,
    )
  assert.equal(assertTarget('https://Shop.Example.com', STRICT), 'https://shop.example.com/')
  assert.equal(assertTarget('https://8.8.8.8:8443/x?y=1', STRICT), 'https://8.8.8.8:8443/x?y=1')
})

test('the operator allows networks, and HTTP without TLS', () => {
  const rules = targetRulesFrom({
    KONTOR_WEBHOOK_NETWORKS: '10.0.0.0/8,::1',
    KONTOR_WEBHOOK_PLAIN: 'on',
  })
  assert.equal(assertTarget('http://10.1.2.3/', rules), 'http://10.1.2.3/')
  assert.equal(assertTarget('https://[::1]/', rules), 'https://[::1]/')
  assert.throws(() => assertTarget('https://192.168.0.1/', rules))
  assert.throws(() => assertTarget('https://localhost/', rules), /127.0.0.1 is no public/)
  assert.throws(() => targetRulesFrom({ KONTOR_WEBHOOK_NETWORKS: '0.0.0.0/0' }), /everybody/)
})

test('every address of a name is judged, each time anew', async () => {
  const answers: Address[][] = []
  const rules = { ...STRICT, resolve: async () => answers.shift() ?? [] }
  const url = new URL('https://shop.example.com/')
  const judge = () => judgedAddresses(url, rules, never)
  const open: Address = { address: '8.8.8.8', family: 4 }
  const six: Address = { address: '2606:4700::1111', family: 6 }
  answers.push([open, six])
  assert.deepEqual(await judge(), [open, six])
  for (const address of ['127.0.0.1', '10.0.0.1', '169.254.169.254']) {
    answers.push([open, { address, family: 4 }])
    await assert.rejects(judge(), new RegExp(`${address} is no public address`))
  }
  for (const address of ['::1', '::ffff:10.0.0.1', 'fd00:ec2::254']) {
    answers.push([{ address, family: 6 }])
    await assert.rejects(judge(), /is no public address/)
  }
  await assert.rejects(judge(), /has no address/)
})
