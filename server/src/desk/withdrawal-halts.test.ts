/** Halts on withdrawals, and frozen accounts. */
import assert from 'node:assert/strict'
import { after, afterEach, before, describe, it } from 'node:test'
import { decimal } from '../core/decimal.ts'
import { newId } from '../core/ids.ts'
import { testServer } from '../http/testing.ts'
import type { TestServer } from '../http/testing.ts'
import { ledgerEndpoints, putHalt } from '../ledger/index.ts'
import type { Account, Halt } from '../ledger/index.ts'
import { sql } from '../store/sql.ts'
import { openMovements } from '../treasury/testing/movements.testing.ts'
import { movement } from '../treasury/testing/venue.fixture.ts'
import { deskEndpoints } from './index.ts'

type Place = Awaited<ReturnType<typeof openMovements>>

describe('halts on withdrawals', () => {
  let place: Place
  let api: TestServer
  before(async () => {
    place = await openMovements()
    const principal = {
      ...place.principal,
      permissions: new Set(['desk.read', 'halts.write', 'bookings.create']),
    }
    const openPeriod = async () => ({ from: null, to: null })
    api = await testServer({
      db: place.db,
      clock: place.clock,
      endpoints: [...deskEndpoints(place.app), ...ledgerEndpoints({ ...place.app, openPeriod })],
      authenticate: async () => principal,
    })
    await place.fund(place.alice.account_id, 'BTC', '5')
    await place.fund(place.alice.account_id, 'EUR', '500')
  })
  after(async () => {
    await api.close()
    await place.close()
  })
  afterEach(async () => {
    const set = await api.call<Halt[]>('GET', '/desk/halts?state=SET')
    assert.deepEqual(set.data, [])
    assert.deepEqual(await place.verify(), [])
  })

  const put = (scope: Record<string, unknown>, halted: boolean, reason = 'drill') =>
    api.call<Halt>('PUT', '/desk/halts', {
      body: { action: 'WITHDRAWALS', ...scope, halted, reason },
    })
  const withdraw = (route: { id: string }, more: Record<string, unknown> = {}) =>
    place.call('POST', `/treasury/wallets/routes/${route.id}/withdrawals`, {
      quantity: '0.1',
      speed_level: 'DEFAULT',
      ...more,
    })
  const outcome = async (route: { id: string }, more: Record<string, unknown> = {}) => {
    const answer = await withdraw(route, more)
    return answer.success ? 'accepted' : `${answer.error_code} ${answer.error_details?.[0]?.code}`
  }
  const freeze = (account_id: string, frozen: boolean) =>
    api.call<Account>('PUT', `/accounts/${account_id}/freeze`, {
      body: { frozen, reason: 'a court said so' },
    })

  it('stop the workspace, a venue, an asset, or an asset at a venue, nothing else', async () => {
    const { payout, bankToAlice } = place.routes
    const cases: [Record<string, unknown>, string, string][] = [
      [{}, '3001 HALTED', '3001 HALTED'],
      [{ venue_id: place.vault.id }, '3001 HALTED', 'accepted'],
      [{ asset: 'EUR' }, 'accepted', '3001 HALTED'],
      [{ venue_id: place.vault.id, asset: 'EUR' }, 'accepted', 'accepted'],
      [{ action: 'TRADING' }, 'accepted', 'accepted'],
    ]
    for (const [scope, coins, euros] of cases) {
      assert.equal((await put(scope, true)).status, 200)
      assert.deepEqual(
        { coins: await outcome(payout), euros: await outcome(bankToAlice) },
        { coins, euros },
        JSON.stringify(scope),
      )
      assert.equal((await put(scope, false, 'over')).data.state, 'RELEASED')
    }
    assert.equal(await outcome(payout), 'accepted')
  })

  it('say who set them and why, keep that for good, and are told', async () => {
    const set = (await put({ asset: 'BTC' }, true)).data
    assert.deepEqual(
      {
        state: set.state,
        action: set.action,
        venue_id: set.venue_id,
        asset: set.asset,
        reason: set.reason,
        set_by: set.set_by,
        set_at: set.set_at,
        version: set.version,
      },
      {
        state: 'SET',
        action: 'WITHDRAWALS',
        venue_id: null,
        asset: 'BTC',
        reason: 'drill',
        set_by: place.principal.user_id,
        set_at: place.clock.now(),
        version: 1,
      },
    )
    const again = (await put({ asset: 'BTC' }, true, 'fork')).data
    assert.deepEqual(
      { id: again.id, reason: again.reason, version: again.version },
      { id: set.id, reason: 'fork', version: 2 },
    )
    assert.match(
      (await withdraw(place.routes.payout)).error_description ?? '',
      /withdrawals of BTC halted: fork/,
    )
    const released = (await put({ asset: 'BTC' }, false, 'all is well')).data
    assert.deepEqual(
      {
        id: released.id,
        state: released.state,
        released_by: released.released_by,
        release_reason: released.release_reason,
      },
      {
        id: set.id,
        state: 'RELEASED',
        released_by: place.principal.user_id,
        release_reason: 'all is well',
      },
    )
    assert.deepEqual(await place.events(set.id), ['halt.set', 'halt.set', 'halt.released'])
    const all = (await api.call<Halt[]>('GET', '/desk/halts?limit=1')).data
    assert.equal(all[0]?.id, set.id)
  })

  it('are not released when they are not set, and not set on what is not there', async () => {
    assert.equal((await put({}, false)).error_details?.[0]?.code, 'STATE_NOT_ALLOWED')
    assert.equal((await put({ venue_id: newId() }, true)).error_code, 4004)
    assert.equal((await put({ asset: 'NIX' }, true)).error_details?.[0]?.code, 'UNKNOWN_ASSET')
    assert.equal((await put({ reason: ' ' }, true, ' ')).error_code, 3001)
  })

  it('keep back what was accepted and not sent, and book what has happened', async () => {
    const sent = await withdraw(place.routes.payout, { account_id: place.alice.account_id })
    await place.work()
    const waiting = await withdraw(place.routes.payout, { account_id: place.alice.account_id })
    await put({}, true)
    const sends = place.models.vault.sends.length
    place.models.vault.finish(String(sent.data['external_id']), {
      fee: decimal('0.0002'),
      fee_asset: 'BTC',
      transaction_hash: 'b1',
    })
    place.arrives(place.vault, movement('during', 'BTC', '1', { wallet: '0' }))
    await place.later(20_000)
    const state = async (id: unknown) =>
      (await place.call('GET', `/treasury/withdrawals/${String(id)}`)).data
    assert.equal((await state(sent.data['id']))['state'], 'SUCCESS')
    assert.equal((await place.call<unknown[]>('GET', '/treasury/deposits')).data.length, 1)
    const kept = await state(waiting.data['id'])
    assert.deepEqual(
      {
        state: kept['state'],
        submitted_at: kept['submitted_at'],
        reason_code: kept['reason_code'],
        reason: kept['reason'],
      },
      {
        state: 'PENDING',
        submitted_at: null,
        reason_code: 'HALTED',
        reason: 'withdrawals halted: drill',
      },
    )
    assert.equal(place.models.vault.sends.length, sends)
    await put({}, false)
    await place.later(5_000)
    assert.equal(place.models.vault.sends.length, sends + 1)
    assert.equal((await state(waiting.data['id']))['reason_code'], null)
  })

  it('freeze an account: it gives nothing on request, and takes what comes', async () => {
    const { account_id } = place.alice
    const waiting = await withdraw(place.routes.payout, { account_id })
    const frozen = await freeze(account_id, true)
    assert.deepEqual(
      { frozen: frozen.data.frozen, frozen_reason: frozen.data.frozen_reason },
      { frozen: true, frozen_reason: 'a court said so' },
    )
    const book = (from: string, to: string) =>
      api.call('POST', '/bookings', {
        body: {
          asset: 'EUR',
          legs: [
            { account_id: from, type: 'DEBIT', quantity: '1' },
            { account_id: to, type: 'CREDIT', quantity: '1' },
          ],
        },
      })
    const refused = await book(account_id, place.house.HOUSE)
    assert.deepEqual(
      {
        error_code: refused.error_code,
        code: refused.error_details?.[0]?.code,
        path: refused.error_details?.[0]?.path,
      },
      { error_code: 3001, code: 'FROZEN', path: 'legs[0].account_id' },
    )
    assert.equal((await book(place.house.HOUSE, account_id)).status, 200)
    assert.equal(await outcome(place.routes.payout, { account_id }), '3001 FROZEN')
    assert.equal(await outcome(place.routes.payout), 'accepted')
    await place.work()
    const kept = (await place.call('GET', `/treasury/withdrawals/${String(waiting.data['id'])}`))
      .data
    assert.deepEqual(
      {
        state: kept['state'],
        submitted_at: kept['submitted_at'],
        reason_code: kept['reason_code'],
      },
      { state: 'PENDING', submitted_at: null, reason_code: 'FROZEN' },
    )
    assert.equal((await freeze(account_id, false)).data.frozen_reason, null)
    await place.later(5_000)
    assert.notEqual(
      (await place.call('GET', `/treasury/withdrawals/${String(waiting.data['id'])}`)).data[
        'submitted_at'
      ],
      null,
    )
    assert.deepEqual(
      (await place.events(account_id)).filter((type) => type.endsWith('frozen')),
      ['account.frozen', 'account.unfrozen'],
    )
  })

  it("freeze customers' accounts only", async () => {
    assert.equal((await freeze(place.house.HOUSE, true)).error_details?.[0]?.code, 'RANGE')
    assert.equal((await freeze(newId(), true)).error_code, 4004)
  })

  it('stop a command that was checked before they were set: the lane looks again', async () => {
    await place.db.tx((tx) =>
      putHalt(
        { workspace: place.workspace, by: 'test' },
        { tx, clock: place.clock },
        { action: 'WITHDRAWALS', halted: true, reason: 'now' },
      ),
    )
    const halt = { action: 'WITHDRAWALS' as const, venue_ids: [place.vault.id], assets: ['BTC'] }
    await assert.rejects(
      place.app.lane.commit({
        workspace: place.workspace,
        class: 'command',
        by: 'test',
        halt,
        rows: [sql`select 1`],
      }),
      /withdrawals halted: now/,
    )
    await place.app.lane.commit({
      workspace: place.workspace,
      class: 'fact',
      by: 'test',
      halt,
      rows: [sql`select 1`],
    })
    await put({}, false)
  })
})
