import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { until } from '../../core/testing.ts'
import { refusalOf } from '../../http/testing.ts'
import { nextPollAt } from '../../store/tasks.ts'
import { BTC_ADDRESS, OTHER_BTC_ADDRESS } from '../testing/venue.fixture.ts'
import type { Wallet } from '../wallets/wallets.schema.ts'
import { allowRouteTask } from './allowlist.ts'
import { collectionTask } from './collections.ts'
import { routeById } from './routes.ts'
import type { RouteRecord } from './routes.schema.ts'
import { openRoutesApi, ROUTES } from './routes.testing.ts'

const COLLECTION = 'destination_external_account_id'

describe('treasury routes that need an allow-list', () => {
  let place: Awaited<ReturnType<typeof openRoutesApi>>
  let route: RouteRecord
  let approved: RouteRecord | undefined
  before(async () => {
    place = await openRoutesApi()
    route = await place.createRoute()
  })
  after(() => place.close())

  const url = () => `${ROUTES}/${route.id}`
  const stored = () => routeById(place.db, place.workspace, route.id)
  const task = (kind: string) => ({
    workspace: place.workspace,
    kind,
    subject_id: route.id,
    attempts: 1,
  })
  const pollAllowlist = () => allowRouteTask(place.app)(task('allow_route'))

  it('are allow-listed at the vault', async () => {
    const { api } = place
    const requested = await api.call<RouteRecord>('PUT', `${url()}/allow`, {
      body: {
        from_wallet_id: route.from_wallet_id,
        to_wallet_id: route.to_wallet_id,
        label: 'Alice cold',
        transfer: route.transfer,
        settlement: {},
      },
    })
    assert.equal(requested.status, 200, requested.text)
    assert.deepEqual(requested.data.transfer, {
      from: { source_vault_account_id: '0', destination_external_account_id: 'collection-1' },
      to: { on_allowlist: false, allowlist_state: 'PENDING_APPROVAL' },
    })
    place.vault.allowlist = 'PENDING_APPROVAL'
    assert.deepEqual(await pollAllowlist(), {
      again_at: nextPollAt({ subject_id: route.id }, place.clock.now(), 2_000),
    })
    place.vault.allowlist = 'APPROVED'
    await pollAllowlist()
    ;[approved] = (await api.call<RouteRecord[]>('GET', `${ROUTES}?id=${route.id}`)).data
    assert.deepEqual(
      {
        on_allowlist: approved?.transfer.to.on_allowlist,
        allowlist_state: approved?.transfer.to.allowlist_state,
        label: approved?.label,
      },
      { on_allowlist: true, allowlist_state: 'APPROVED', label: 'Alice cold' },
    )
  })

  it('are reset by a new destination, not by a new label', async () => {
    const { api, createWallet, external } = place
    const same = await api.call<RouteRecord>('PUT', url(), {
      body: { ...approved, label: 'Alice' },
    })
    assert.equal(same.data.transfer.to.allowlist_state, 'APPROVED', same.text)
    place.vault.allowlist = null
    await pollAllowlist()
    assert.equal((await stored()).allowlist_state, 'REMOVED')
    const other = await createWallet(external({ label: 'other', address: BTC_ADDRESS }))
    const moved = await api.call<RouteRecord>('PUT', url(), {
      body: { ...same.data, version: null, to_wallet_id: other.id },
    })
    assert.deepEqual(moved.data.transfer, {
      from: { source_vault_account_id: '0', destination_external_account_id: 'collection-2' },
      to: { on_allowlist: false, allowlist_state: 'NOT_REQUESTED' },
    })
    assert.equal(await pollAllowlist(), 'done')
  })

  it('record a refusal, and repeat an unknown request under the same reference', async () => {
    const { api } = place
    place.vault.allow = () => ({ outcome: 'refused', reason: 'policy', native: '42' })
    assert.equal(
      refusalOf(await api.call('PUT', `${url()}/allow`, { body: {} })),
      '400 3001 REFUSED_BY_VENUE ',
    )
    assert.equal((await stored()).allowlist_state, 'FAILED')
    place.vault.allow = () => ({ outcome: 'unknown', reason: 'time-out' })
    place.vault.allowed = []
    const unseen = await api.call<RouteRecord>('PUT', `${url()}/allow`, { body: {} })
    assert.equal(unseen.data.transfer.to.allowlist_state, 'PENDING_APPROVAL')
    place.vault.allow = () => ({
      outcome: 'accepted',
      report: {
        state: 'APPROVED',
        transfer: {
          from: { destination_external_account_id: 'made-2' },
          to: { on_allowlist: 'true' },
        },
      },
    })
    await pollAllowlist()
    const { allowlist_state, transfer } = await stored()
    assert.deepEqual(
      { allowlist_state, collection: transfer.from[COLLECTION], to: transfer.to },
      { allowlist_state: 'APPROVED', collection: 'made-2', to: {} },
    )
    assert.equal(new Set(place.vault.allowed).size, 1)
    assert.equal(place.vault.allowed.length, 2)
  })

  it('stay approved when an answer comes late, which waits for the lane first', async () => {
    const other = await place.db.connect()
    const isFree = async () =>
      (
        await other.query('select 1 from treasury_routes where id = $1 for update skip locked', [
          route.id,
        ])
      ).rows.length === 1
    place.vault.allowlist = 'APPROVED'
    place.vault.allow = async () => {
      await pollAllowlist()
      await other.query('begin')
      await other.query('select 1 from lanes where workspace = $1 for update', [place.workspace])
      return {
        outcome: 'accepted',
        report: { state: 'PENDING_APPROVAL', transfer: { from: { [COLLECTION]: 'late' }, to: {} } },
      }
    }
    const asked = place.api.call<RouteRecord>('PUT', `${url()}/allow`, { body: {} })
    await until('the answer waits for the lane', async () => {
      const waiting = await other.query(
        `
          select 1
          from pg_locks
          join pg_stat_activity using (pid)
          where not granted and datname = current_database()`,
      )
      return waiting.rows.length > 0
    })
    assert.equal(await isFree(), true)
    await other.query('rollback')
    await other.end()
    assert.equal((await asked).data.transfer.to.allowlist_state, 'APPROVED')
    const { allowlist_state, transfer } = await stored()
    assert.deepEqual(
      { allowlist_state, collection: transfer.from[COLLECTION] },
      { allowlist_state: 'APPROVED', collection: 'late' },
    )
  })

  it('lose their collection with the address, and get another', async () => {
    const { to_wallet } = await stored()
    const gone = await place.api.call<Wallet>('PUT', `/treasury/wallets/${to_wallet.id}`, {
      body: { ...to_wallet, service_id: '', venue_id: '', address: OTHER_BTC_ADDRESS },
    })
    assert.equal(gone.status, 200, gone.text)
    const reset = await stored()
    assert.deepEqual(
      { allowlist_state: reset.allowlist_state, from: reset.transfer.from },
      { allowlist_state: 'NOT_REQUESTED', from: { source_vault_account_id: '0' } },
    )
    assert.equal(await collectionTask(place.app)(task('collect_route')), 'done')
    const { allowlist_state, transfer } = await stored()
    assert.deepEqual(
      { allowlist_state, collection: transfer.from[COLLECTION] },
      { allowlist_state: 'NOT_REQUESTED', collection: 'collection-3' },
    )
  })
})
