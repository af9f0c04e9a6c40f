import assert from 'node:assert/strict'
import { test } from 'node:test'
import { verifyWebhook } from '@kontor/client'
import { newSecret, signatureOf } from '../core/signing.ts'

/** libraries/javascript/src/webhook.test.ts of Standard Webhooks. */
const VECTOR = {
  secret: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw',
  message: {
    id: 'msg_p5jXN8AQM9LWM0D4loKWxJek',
    timestamp: 1614265330,
    body: '{"test": 2432232314}',
  },
  signature: 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
}

test('signs as the published example of Standard Webhooks', () => {
  assert.equal(signatureOf([VECTOR.secret], VECTOR.message), VECTOR.signature)
})

test('during a rotation each secret signs', () => {
  const other = newSecret()
  const [first, second, ...more] = signatureOf([other, VECTOR.secret], VECTOR.message).split(' ')
  assert.equal(first, signatureOf([other], VECTOR.message))
  assert.equal(second, VECTOR.signature)
  assert.deepEqual(more, [])
})

test('a secret is 24 to 64 random bytes in base64, after whsec_', () => {
  const secrets = [newSecret(), newSecret()]
  assert.notEqual(secrets[0], secrets[1])
  for (const secret of secrets) {
    assert.match(secret, /^whsec_[A-Za-z0-9+/]+=*$/)
    assert.equal(Buffer.from(secret.slice('whsec_'.length), 'base64').length, 32)
  }
})

test('the client verifies what is signed here', async () => {
  const secret = newSecret()
  const [id, timestamp, body] = ['01a1fc75-ea2a-7589-aa8f-000000000001', 1_700_000_000, '{"a":1}']
  const headers = {
    'webhook-id': id,
    'webhook-timestamp': String(timestamp),
    'webhook-signature': signatureOf([newSecret(), secret], { id, timestamp, body }),
  }
  const now = timestamp * 1000
  assert.deepEqual(await verifyWebhook({ secret, headers, body, now }), { a: 1 })
})
