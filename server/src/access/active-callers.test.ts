import assert from 'node:assert/strict'
import { test } from 'node:test'
import { newId } from '../core/ids.ts'
import { insertApiKey } from '../store/api-keys.testing.ts'
import { openAccessWorld } from './access.testing.ts'
import { activeCaller } from './index.ts'
import { PERMISSIONS_OF } from './permissions.ts'

const { call, clock, db, newUser, tokenWith, workspace } = await openAccessWorld()

const limits = { assets: null, routes: null }
const found = (id: string) => activeCaller(db, workspace, id, clock.now())

test('a user is active until disabled, with the permissions of now', async () => {
  const user = await newUser(['TRADER'])
  const caller = await found(user.id)
  assert.equal(caller?.email, user.email)
  assert.deepEqual([...caller.permissions], PERMISSIONS_OF.TRADER)
  const { id, email, roles } = user
  const body = { id, email, roles, state: 'DISABLED' }
  await call('PUT', '/users', { token: await tokenWith('ADMIN'), body })
  assert.equal(await found(user.id), undefined)
})

test('a program is active until its key is revoked or expires; it has no mail', async () => {
  const expires_at = clock.now() + 1
  const permissions = ['events.read']
  const key = await insertApiKey(db, { workspace, limits, expires_at, permissions })
  const caller = await found(key)
  assert.deepEqual(caller, { email: null, permissions: new Set(permissions) })
  clock.advance(1)
  assert.equal(await found(key), undefined)
  assert.equal(
    await found(await insertApiKey(db, { workspace, limits, state: 'REVOKED' })),
    undefined,
  )
  assert.equal(await found(newId()), undefined)
})
