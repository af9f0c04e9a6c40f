/** The endpoints: who may make webhooks, and what becomes of them. */
import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, it } from 'node:test'
import { newId } from '../core/ids.ts'
import { refusalOf } from '../http/testing.ts'
import { sql } from '../store/sql.ts'
import { WebhookWorld } from './webhooks.testing.ts'
import type { Webhook, WebhookSecrets } from './webhooks.schema.ts'

const DAY_MILLISECONDS = 86_400_000

describe('webhooks', () => {
  let world: WebhookWorld
  before(async () => {
    world = await WebhookWorld.open()
  })
  beforeEach(() => world.reset())
  after(() => world.close())

  const refusal = async (
    method: 'GET' | 'POST' | 'PUT' | 'DELETE',
    url: string,
    { body, token = 'treasurer' }: { body?: unknown; token?: string } = {},
  ): Promise<string> => {
    const request = { token, ...(body === undefined ? {} : { body }) }
    return refusalOf(await world.server.call(method, url, request))
  }
  const draft = (body: Record<string, unknown> = {}) => ({
    label: 'Shop',
    url: world.receiver.url(),
    ...body,
  })

  it('is made with what is missing filled in, and a repeat makes no other', async () => {
    const ask = () =>
      world.server.call<Webhook>('POST', '/webhooks', {
        token: 'treasurer',
        body: draft(),
        headers: { 'idempotency-key': 'once' },
      })
    const { data } = await ask()
    const { label, url, types, ordered, state, owner_id, pause_cause } = data
    assert.deepEqual(
      { label, url, types, ordered, state, owner_id, pause_cause },
      {
        ...draft(),
        types: [],
        ordered: false,
        state: 'ACTIVE',
        owner_id: world.users.get('treasurer')?.user_id,
        pause_cause: null,
      },
    )
    assert.equal((await ask()).data.id, data.id)
    assert.equal((await world.ask<Webhook[]>('GET', '/webhooks')).length, 1)
  })

  it('goes to no address that may not be called', async () => {
    for (const url of ['http://127.0.0.1/', 'https://10.0.0.1/', 'https://a:b@127.0.0.1/'])
      assert.equal(
        await refusal('POST', '/webhooks', { body: draft({ url }) }),
        '400 3001 FORMAT url',
      )
    const webhook = await world.create()
    const body = { ...draft({ url: 'https://10.0.0.1/' }), id: webhook.id, types: [] }
    assert.equal(
      await refusal('PUT', '/webhooks', { body: { ...body, ordered: true } }),
      '400 3001 FORMAT url',
    )
  })

  it('is made by those who may make it and may read what it gets', async () => {
    const denied = '403 1003 PERMISSION_REQUIRED '
    assert.equal(await refusal('POST', '/webhooks', { body: draft(), token: 'reader' }), denied)
    assert.equal(await refusal('GET', '/webhooks', { token: 'reader' }), denied)
    assert.equal(await refusal('POST', '/webhooks', { body: draft(), token: 'admin' }), denied)
    const deposits = draft({ types: ['deposit.assigned'] })
    assert.equal(await refusal('POST', '/webhooks', { body: deposits, token: 'trader' }), denied)
    await world.ask('POST', '/webhooks', deposits, 'technician')
    await world.ask('POST', '/webhooks', draft({ types: ['execution.done'] }), 'trader')
  })

  it('needs a key file, because its secret never lies in the database', async () => {
    const { wrapping } = world.app
    world.app.wrapping = undefined
    assert.equal(await refusal('POST', '/webhooks', { body: draft() }), '400 3001 CONFLICT ')
    world.app.wrapping = wrapping
    const secret = await world.secretOf(await world.create())
    assert.match(secret, /^whsec_/)
    const [row] = await world.app.db.query<{ text: string }>(sql`
      select row_to_json(webhooks)::text || encode(wrapped_secret, 'escape') as text
      from webhooks`)
    const bare = secret.slice('whsec_'.length)
    assert.ok(!row?.text.includes(bare))
    assert.ok(!row?.text.includes(Buffer.from(bare, 'base64').toString('hex')))
  })

  it('has two secrets while one is rotated', async () => {
    const webhook = await world.create()
    const first = await world.secretOf(webhook)
    const url = `/webhooks/${webhook.id}/rotate-secret`
    await world.ask('POST', url, { overlap_hours: 24 })
    const secrets = () => world.ask<WebhookSecrets>('GET', `/webhooks/${webhook.id}/secrets`)
    const [second, former] = await secrets()
    assert.notEqual(second?.secret, first)
    assert.deepEqual(former, { secret: first, until: world.clock.now() + DAY_MILLISECONDS })
    world.clock.advance(DAY_MILLISECONDS)
    assert.deepEqual(await secrets(), [second])
    await world.ask('POST', url, { overlap_hours: 0 })
    const third = await secrets()
    assert.equal(third.length, 1)
    assert.notEqual(third[0]?.secret, second?.secret)
  })

  it('shows its secrets to those alone who may change it', async () => {
    const { id } = await world.create()
    assert.match(await refusal('GET', `/webhooks/${id}/secrets`, { token: 'reader' }), /^403/)
    assert.match(await refusal('GET', `/webhooks/${id}/secrets`, { token: 'other' }), /^404/)
  })

  it('belongs to whoever changes it, and not to a stale request', async () => {
    const { id, version } = await world.create()
    const body = { ...draft({ label: 'Other' }), id, types: ['execution.done'], ordered: true }
    const changed = await world.ask<Webhook>('PUT', '/webhooks', { ...body, version }, 'trader')
    const { label, types, ordered, owner_id } = changed
    assert.deepEqual(
      { label, types, ordered, owner_id },
      {
        label: 'Other',
        types: ['execution.done'],
        ordered: true,
        owner_id: world.users.get('trader')?.user_id,
      },
    )
    assert.equal(
      await refusal('PUT', '/webhooks', { body: { ...body, version } }),
      '400 3001 STALE_VERSION version',
    )
    const deposits = { ...body, types: ['deposit.assigned'] }
    assert.match(await refusal('PUT', '/webhooks', { body: deposits, token: 'trader' }), /^403/)
  })

  it('is paused and resumed once each, and gone when it is deleted', async () => {
    const { id } = await world.create()
    const url = `/webhooks/${id}`
    const paused = await world.ask<Webhook>('POST', `${url}/pause`, { reason: 'repair' })
    assert.deepEqual(
      [paused.state, paused.pause_cause, paused.pause_reason, paused.paused_at],
      ['PAUSED', 'BY_HAND', 'repair', world.clock.now()],
    )
    assert.equal(
      await refusal('POST', `${url}/pause`, { body: {} }),
      '400 3001 STATE_NOT_ALLOWED webhook_id',
    )
    assert.equal(await refusal('POST', `${url}/test`), '400 3001 NOT_ACTIVE webhook_id')
    const resumed = await world.ask<Webhook>('POST', `${url}/resume`, {})
    assert.deepEqual(
      [resumed.state, resumed.pause_cause, resumed.paused_at],
      ['ACTIVE', null, null],
    )
    assert.equal(
      await refusal('POST', `${url}/resume`, { body: {} }),
      '400 3001 STATE_NOT_ALLOWED webhook_id',
    )
    assert.equal((await world.ask<Webhook>('DELETE', url)).state, 'DELETED')
    assert.deepEqual(await world.ask('GET', '/webhooks'), [])
    assert.equal((await world.ask<Webhook[]>('GET', '/webhooks?state=DELETED')).length, 1)
    assert.deepEqual(await world.ask('GET', `${url}/secrets`), [])
    for (const action of ['pause', 'resume', 'test', 'rotate-secret'])
      assert.match(
        await refusal('POST', `${url}/${action}`, action === 'test' ? {} : { body: {} }),
        /^404/,
      )
  })

  it('is unknown in another workspace', async () => {
    const { id } = await world.create()
    await world.ask('POST', `/webhooks/${id}/test`)
    const [delivery] = await world.deliveries({ id })
    const token = 'other'
    assert.deepEqual(await world.ask('GET', '/webhooks', undefined, token), [])
    assert.deepEqual(await world.ask('GET', '/webhook-deliveries', undefined, token), [])
    for (const [method, url, body] of [
      ['GET', `/webhooks/${id}`, undefined],
      ['DELETE', `/webhooks/${id}`, undefined],
      ['POST', `/webhooks/${id}/pause`, {}],
      ['POST', `/webhooks/${id}/rotate-secret`, {}],
      ['POST', `/webhooks/${id}/redeliver`, { after: 0 }],
      ['POST', `/webhooks/${id}/test`, undefined],
      ['GET', `/webhook-deliveries/${delivery?.id}`, undefined],
      ['POST', `/webhook-deliveries/${delivery?.id}/redeliver`, undefined],
    ] as const)
      assert.match(await refusal(method, url, { token, body }), /^404/, url)
    assert.match(await refusal('GET', `/webhooks/${newId()}`), /^404/)
  })

  it('leaves each change in the security log, without the secret', async () => {
    const { id } = await world.create()
    await world.ask('POST', `/webhooks/${id}/rotate-secret`, {})
    await world.ask('DELETE', `/webhooks/${id}`)
    const entries = await world.app.db.query<{ details: { what: string }; actor: string }>(sql`
      select details, actor
      from security_log
      where kind = 'WEBHOOK_CHANGED'
        and details ->> 'webhook_id' = ${id}
      order by id`)
    assert.deepEqual(
      entries.map(({ details }) => details.what),
      ['CREATED', 'SECRET_ROTATED', 'DELETED'],
    )
    assert.ok(entries.every(({ actor }) => actor === world.users.get('treasurer')?.user_id))
    assert.ok(!JSON.stringify(entries).includes('whsec_'))
  })
})
