/** For the tests of API keys: one who manages them, and keys to try. */
import assert from 'node:assert/strict'
import { HOUR, openAccessWorld } from './access.testing.ts'
import type { ApiKey, ApiKeyWithSecret } from './api-keys.schema.ts'

export const DAY = 24 * HOUR

export async function openKeyDesk() {
  const world = await openAccessWorld()
  const { call, newUser, tokensOf } = world
  const admin = await newUser(['ADMIN', 'ACCOUNTANT', 'AUDITOR'])
  /** A session's token lives for an hour, and tests move the clock. */
  const adminToken = async () => (await tokensOf(admin.email)).access_token

  let labels = 0
  const terms = (more: object = {}) => ({
    label: `Program ${(labels += 1)}`,
    permissions: ['bookings.read', 'bookings.create'],
    ...more,
  })

  async function newKey(more: object = {}): Promise<ApiKeyWithSecret & { secret: string }> {
    const answer = await call<ApiKeyWithSecret>('POST', '/auth/api-keys', {
      token: await adminToken(),
      body: terms(more),
    })
    assert.equal(answer.status, 200, answer.text)
    const { secret } = answer.data
    assert.ok(secret !== null)
    return { ...answer.data, secret }
  }

  const read = async (id: string) =>
    (await call<ApiKey>('GET', `/auth/api-keys/${id}`, { token: await adminToken() })).data

  const probe = (token: string, through = call, address = '10.9.0.1') =>
    through<{ user_id: string }>('GET', '/probe', { token, address })

  return { ...world, admin, adminToken, terms, newKey, read, probe }
}
