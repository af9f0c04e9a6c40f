import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, it } from 'node:test'
import type { Answer } from '../../http/testing.ts'
import { allowRouteTask } from './allowlist.ts'
import { openMovements } from '../testing/movements.testing.ts'
import { routeById } from './routes.ts'
import type { RouteRecord } from './routes.schema.ts'

const COLLECTION = 'destination_external_account_id'

describe('the collection of a route that names none', () => {
  let place: Awaited<ReturnType<typeof openMovements>>
  before(async () => {
    place = await openMovements()
    await place.later(6_000)
  })
  after(() => place.close())
  beforeEach(() => {
    place.vault.collected = []
    place.vault.down = false
    place.vault.collect = (external_id) => ({
      outcome: 'accepted',
      report: { collection: `for ${external_id}` },
    })
  })

  const ok = <Data>(answer: Answer<Data>): Data => {
    assert.equal(answer.status, 200, answer.text)
    return answer.data
  }
  const bodyOf = (from: Record<string, string> = {}) => ({
    from_wallet_id: place.wallets.vault.id,
    to_wallet_id: place.wallets.alice.id,
    protocol: 'BTC',
    label: 'payout',
    transfer: { from, to: {} },
  })
  const save = async (from: Record<string, string> = {}) =>
    ok(await place.call<RouteRecord>('POST', '/treasury/wallets/routes', bodyOf(from)))
  const put = (route: RouteRecord, more: object) =>
    place.call<RouteRecord>('PUT', `/treasury/wallets/routes/${route.id}`, {
      ...route,
      version: null,
      ...more,
    })
  const read = (id: string) => routeById(place.db, place.workspace, id)
  const collection = async (id: string) => (await read(id)).transfer.from[COLLECTION]

  it('is made at the save and kept, by a further save too', async () => {
    const route = await save({ [COLLECTION]: '' })
    const [reference] = place.vault.collected
    assert.deepEqual(
      [place.vault.collected.length, route.transfer.from[COLLECTION]],
      [1, `for ${reference}`],
    )
    assert.deepEqual(await place.events(route.id), ['route.created', 'route.collection_created'])
    for (const transfer of [route.transfer, { from: {}, to: {} }, undefined]) {
      const again = ok(await put(route, { label: 'another label', transfer }))
      assert.deepEqual(
        [again.transfer.from[COLLECTION], again.transfer.to.allowlist_state],
        [`for ${reference}`, 'NOT_REQUESTED'],
      )
    }
    await place.later(6_000)
    assert.equal(place.vault.collected.length, 1)
  })

  it('is left alone where the caller names one, and made when the name is taken away', async () => {
    const route = await save({ [COLLECTION]: 'mine' })
    await place.later(6_000)
    assert.deepEqual([place.vault.collected, await collection(route.id)], [[], 'mine'])
    const without = ok(await put(route, { transfer: { from: { [COLLECTION]: '' } } }))
    assert.equal(without.transfer.from[COLLECTION], `for ${place.vault.collected[0]}`)
  })

  it('is made under one reference, also when the venue is down or its answer is lost', async () => {
    place.vault.down = true
    const route = await save()
    assert.equal(route.transfer.from[COLLECTION], undefined)
    place.vault.down = false
    place.vault.collect = () => ({ outcome: 'unknown', reason: 'time-out' })
    await place.later(6_000)
    place.vault.collect = () => ({ outcome: 'accepted', report: { collection: 'at last' } })
    await place.later(6_000)
    assert.deepEqual(
      [
        await collection(route.id),
        place.vault.collected.length,
        new Set(place.vault.collected).size,
      ],
      ['at last', 2, 1],
    )
  })

  it('belongs to one destination: an answer for an earlier one changes nothing', async () => {
    place.vault.down = true
    const route = await save()
    const before = (await read(route.id)).collection_external_id
    place.vault.down = false
    const other = await place.wallet({
      type: 'CUSTOMER',
      asset: 'BTC',
      address: '3J98t1WpEZ73CNmQviecrnyiWrnqRhWNLy',
      customer_id: place.alice.id,
      account_id: place.alice.account_id,
    })
    place.vault.collect = () => ({ outcome: 'unknown', reason: 'time-out' })
    ok(await put(route, { to_wallet_id: other.id }))
    const after = await read(route.id)
    assert.notEqual(after.collection_external_id, before)
    place.vault.collect = (external_id) => ({
      outcome: 'accepted',
      report: { collection: external_id === before ? 'old' : 'new' },
    })
    await place.later(6_000)
    assert.equal(await collection(route.id), 'new')
    const allowed = ok(
      await place.call<RouteRecord>('PUT', `/treasury/wallets/routes/${route.id}/allow`, {}),
    )
    assert.deepEqual(
      [allowed.transfer.to.allowlist_state, allowed.transfer.from[COLLECTION]],
      ['PENDING_APPROVAL', 'new'],
    )
    place.vault.collect = () => ({ outcome: 'accepted', report: { collection: 'third' } })
    const back = ok(await put(allowed, { to_wallet_id: place.wallets.alice.id }))
    assert.deepEqual(
      [back.transfer.to.allowlist_state, back.transfer.from[COLLECTION]],
      ['NOT_REQUESTED', 'third'],
    )
  })

  it('is made by the allow when the venue refused it at the save', async () => {
    place.vault.collect = () => ({ outcome: 'refused', reason: 'too many', native: null })
    const route = await save()
    assert.deepEqual(
      [route.transfer.from[COLLECTION], await place.events(route.id)],
      [undefined, ['route.created', 'route.collection_refused']],
    )
    const refused = await place.call('PUT', `/treasury/wallets/routes/${route.id}/allow`, {})
    assert.deepEqual(
      [refused.status, refused.error_details?.[0]?.code, (await read(route.id)).allowlist_state],
      [400, 'REFUSED_BY_VENUE', 'FAILED'],
    )
    place.vault.collect = () => ({ outcome: 'unknown', reason: 'time-out' })
    const waiting = ok(
      await place.call<RouteRecord>('PUT', `/treasury/wallets/routes/${route.id}/allow`, {}),
    )
    assert.equal(waiting.transfer.to.allowlist_state, 'PENDING_APPROVAL')
    const asked = place.vault.allowed.length
    place.vault.collect = () => ({ outcome: 'accepted', report: { collection: 'in the end' } })
    await allowRouteTask(place.app)({
      workspace: place.workspace,
      kind: 'allow_route',
      subject_id: route.id,
      attempts: 1,
    })
    assert.deepEqual(
      [await collection(route.id), place.vault.allowed.length],
      ['in the end', asked + 1],
    )
  })
})
