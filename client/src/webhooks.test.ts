import assert from 'node:assert/strict'
import { test } from 'node:test'
import { verifyWebhook, WebhookError } from './index.ts'
import type { WebhookDelivery } from './index.ts'

/** libraries/javascript/src/webhook.test.ts of Standard Webhooks. */
const VECTOR = {
  secret: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw',
  headers: {
    'webhook-id': 'msg_p5jXN8AQM9LWM0D4loKWxJek',
    'webhook-timestamp': '1614265330',
    'webhook-signature': 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
  },
  body: '{"test": 2432232314}',
  now: 1614265330_000,
}
const OTHER = `whsec_${Buffer.alloc(32, 7).toString('base64')}`
const EVENT = { test: 2432232314 }

test('takes the published example of Standard Webhooks, in every form', async () => {
  const { headers } = VECTOR
  for (const changed of [
    {},
    { body: new TextEncoder().encode(VECTOR.body) },
    { headers: new Headers(headers) },
    { secret: VECTOR.secret.slice('whsec_'.length) },
    { secret: [OTHER, VECTOR.secret] },
    { now: VECTOR.now + 299_000 },
    { now: VECTOR.now - 299_000 },
    {
      headers: {
        'Webhook-Id': headers['webhook-id'],
        'Webhook-Timestamp': headers['webhook-timestamp'],
        'Webhook-Signature': `v1a,xyz v1,AAAA ${headers['webhook-signature']}`,
      },
    },
  ] satisfies Partial<WebhookDelivery>[])
    assert.deepEqual(await verifyWebhook({ ...VECTOR, ...changed }), EVENT)
})

test('refuses what is not signed, altered, old or of another secret', async () => {
  const { headers } = VECTOR
  for (const changed of [
    { body: `${VECTOR.body} ` },
    { headers: { ...headers, 'webhook-id': 'msg_another' } },
    { headers: { ...headers, 'webhook-timestamp': '1614265331' } },
    { headers: { ...headers, 'webhook-timestamp': 'now' } },
    { headers: { ...headers, 'webhook-signature': 'v1,' } },
    { headers: { ...headers, 'webhook-signature': headers['webhook-signature'].slice(3) } },
    { headers: { ...headers, 'webhook-signature': 'v1,%%%' } },
    { headers: { ...headers, 'webhook-signature': undefined } },
    { headers: {} },
    { secret: OTHER },
    { now: VECTOR.now + 301_000 },
    { now: VECTOR.now - 301_000 },
    { now: VECTOR.now + 2_000, tolerance_seconds: 1 },
  ] satisfies Partial<WebhookDelivery>[])
    await assert.rejects(verifyWebhook({ ...VECTOR, ...changed }), WebhookError)
})

test('a secret that is none is a fault of the caller', async () => {
  for (const secret of ['', 'whsec_', 'not base64!'])
    await assert.rejects(verifyWebhook({ ...VECTOR, secret }), TypeError)
})
