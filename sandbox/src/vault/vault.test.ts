import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { statSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, test } from 'node:test'
import { OUTSIDE_BTC, transfer, VaultRig } from './rig.ts'
import type { Tamper } from './rig.ts'

const rig = new VaultRig()
const { call, control, settle } = rig
beforeEach(() => rig.begin())
afterEach(() => rig.end())

test('a request needs a fresh token of the right key over its path and body', async () => {
  assert.equal((await call('GET', '/supported_assets')).status, 200)
  const nonce = randomUUID()
  const signed = await call('GET', '/supported_assets', undefined, { tamper: { nonce } })
  assert.equal(signed.status, 200)
  const refusals: [Tamper, number][] = [
    [{ nonce }, -7],
    [{ uri: '/v1/other' }, -4],
    [{ sub: 'other' }, -6],
    [{ header: 'other' }, -7],
    [{ bodyHash: '00' }, -7],
    [{ expired: true }, -10],
  ]
  for (const [tamper, code] of refusals) {
    const refused = await call('POST', '/external_wallets', { name: 'x' }, { tamper })
    assert.deepEqual(
      { status: refused.status, code: refused.body.code },
      { status: 401, code },
      JSON.stringify(tamper),
    )
  }
  const unsigned = await rig.server.inject({ url: '/fireblocks/v1/supported_assets' })
  assert.equal(unsigned.statusCode, 401)
  assert.deepEqual((await call('GET', '/external_wallets')).body, [])
  assert.deepEqual(rig.world.counts(), [])
})

test("secrets are their owner's only", () => {
  for (const name of ['fireblocks.pem', 'fireblocks.json'])
    assert.equal(statSync(join(rig.dir, 'credentials', name)).mode & 0o777, 0o600)
})

test('coins go to approved addresses only; a rejected one may be asked for again', async () => {
  await control('approval', { mode: 'MANUAL' })
  const { id } = (await call('POST', '/external_wallets', { name: 'customer' })).body
  const add = (body: object) => call('POST', `/external_wallets/${id}/BTC`, body)
  const send = () => call('POST', '/transactions', transfer(id))
  assert.equal((await add({ address: `${OUTSIDE_BTC}x` })).status, 400)
  assert.equal((await add({ address: OUTSIDE_BTC, tag: '1' })).status, 400)
  assert.equal((await add({ address: OUTSIDE_BTC })).body.status, 'WAITING_FOR_APPROVAL')
  assert.equal((await add({ address: OUTSIDE_BTC })).status, 400)
  rig.world.advance(60_000)
  assert.equal((await send()).status, 400)
  await control(`external-wallets/${id}/BTC`, { status: 'REJECTED' })
  assert.equal((await send()).status, 400)
  assert.equal((await add({ address: OUTSIDE_BTC })).body.status, 'WAITING_FOR_APPROVAL')
  await control(`external-wallets/${id}/BTC`, { status: 'APPROVED' })
  assert.equal((await send()).status, 200)
})

test('accounts, transactions and waiting approvals come back after a crash', async () => {
  const { id } = (await call('POST', '/external_wallets', { name: 'customer' })).body
  await call('POST', `/external_wallets/${id}/BTC`, { address: OUTSIDE_BTC })
  const before = rig.apiKey
  await rig.restart()
  assert.equal(rig.apiKey, before)
  rig.world.advance(5_000)
  const { body } = await call('POST', '/transactions', transfer(id))
  rig.world.advance(1_000)
  await rig.restart()
  settle()
  assert.equal((await rig.transaction(body.id)).status, 'COMPLETED')
  assert.equal(rig.chain.received(OUTSIDE_BTC).length, 1)
})
