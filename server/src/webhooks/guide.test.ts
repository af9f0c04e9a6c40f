/** The code of docs/webhooks.md, as integrators copy it. */
import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { before, test } from 'node:test'
import { mustExist } from '../core/assert.ts'
import { newSecret, signatureOf } from '../core/signing.ts'

type Headers = Record<string, string>
type Verify = (secret: string, headers: Headers, body: string, now?: number) => unknown

const GUIDE = new URL('../../../docs/webhooks.md', import.meta.url)
const SECONDS = 1_614_265_330
const [secret, former] = [newSecret(), newSecret()]
const body = '{"id":"1","type":"deposit.assigned"}'
let verify: Verify

before(async () => {
  const code = /```js\n(.*?)```/s.exec(await readFile(GUIDE, 'utf8'))?.[1]
  const url = `data:text/javascript,${encodeURIComponent(mustExist(code, 'the code'))}`
  ;({ verify } = (await import(url)) as { verify: Verify })
})

const signed = (secrets: readonly string[], timestamp = SECONDS): Headers => ({
  'webhook-id': 'id',
  'webhook-timestamp': String(timestamp),
  'webhook-signature': signatureOf(secrets, { id: 'id', timestamp, body }),
})

test('takes what was signed, also while a secret is rotated', () => {
  assert.deepEqual(verify(secret, signed([secret]), body, SECONDS), JSON.parse(body))
  for (const known of [secret, former])
    assert.deepEqual(verify(known, signed([secret, former]), body, SECONDS), JSON.parse(body))
})

test('refuses another secret, another body, another id, an old one, and none', () => {
  const refused = (headers: Headers, text = body, now = SECONDS) =>
    assert.equal(verify(secret, headers, text, now), undefined)
  refused(signed([former]))
  refused(signed([secret]), `${body} `)
  refused({ ...signed([secret]), 'webhook-id': 'other' })
  refused({ ...signed([secret]), 'webhook-timestamp': String(SECONDS + 1) })
  refused(signed([secret]), body, SECONDS + 301)
  refused(signed([secret]), body, SECONDS - 301)
  refused({ ...signed([secret]), 'webhook-signature': 'v1,' })
  refused({})
})
