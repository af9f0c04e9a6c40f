import assert from 'node:assert/strict'
import { after, afterEach, before, describe, it } from 'node:test'
import { decimal } from '../../core/decimal.ts'
import { refuse } from '../../core/errors.ts'
import { newId } from '../../core/ids.ts'
import { sql } from '../../store/sql.ts'
import { balance, movement } from '../../treasury/testing/venue.fixture.ts'
import { deskTasks } from '../index.ts'
import { CONFIRM_MILLISECONDS } from './comparison.ts'
import { positionsOf } from './positions.ts'
import { reconcileNow } from './reconciliation.ts'
import { openReconciliation, positionOf, short } from './reconciliation.testing.ts'
import type { ReconciliationDesk } from './reconciliation.testing.ts'

describe('reconciliation', () => {
  let desk: ReconciliationDesk
  let place: ReconciliationDesk['place']
  before(async () => {
    desk = await openReconciliation()
    place = desk.place
  })
  after(() => desk.end())
  /** Every test leaves venues and books equal. */
  afterEach(() => desk.assertNoBreak())

  it('finds nothing where venues and books agree', async () => {
    assert.deepEqual(
      (await desk.run()).map(({ state }) => state),
      ['BALANCED', 'BALANCED', 'BALANCED', 'BALANCED'],
    )
    assert.equal(positionOf(await desk.run(), place.vault.id, 'BTC'), 'BALANCED 10 10 0 0')
    assert.deepEqual(await desk.breaks(), [])
  })

  it('opens a break once it has lasted, closes it when the missing deposit is read', async () => {
    desk.holds('BTC', '10.3')
    assert.equal(positionOf(await desk.run(), place.vault.id, 'BTC'), 'CHECKING 10 10.3 0 0.3')
    assert.deepEqual(await desk.breaks(), [])
    place.clock.advance(CONFIRM_MILLISECONDS)
    assert.equal(positionOf(await desk.run(), place.vault.id, 'BTC'), 'BREAK 10 10.3 0 0.3')
    const [found] = await desk.breaks('state=open')
    assert.ok(found)
    assert.deepEqual(
      { short: short(found), age_ms: found.age_ms, explanation: found.explanation },
      {
        short: 'OPEN BTC 0.3 UNKNOWN',
        age_ms: CONFIRM_MILLISECONDS,
        explanation: 'nothing of this size was found',
      },
    )
    place.arrives(place.vault, movement('late', 'BTC', '0.3', { wallet: '0' }))
    await place.later(20_000)
    assert.equal(positionOf(await desk.run(), place.vault.id, 'BTC'), 'BALANCED 10.3 10.3 0 0')
    const [closed] = await desk.breaks(`venue_id=${place.vault.id}&asset=BTC&limit=1`)
    assert.deepEqual(
      { id: closed?.id, state: closed?.state, closed_reason: closed?.closed_reason },
      { id: found.id, state: 'CLOSED', closed_reason: 'RESOLVED' },
    )
    assert.deepEqual(await place.events(found.id), ['break.opened', 'break.closed'])
  })

  it('knows what is on the way, whether or not the venue shows it', async () => {
    const before = await desk.run()
    const route = place.routes.vaultToExchange.id
    const made = await place.call('POST', `/treasury/wallets/routes/${route}/withdrawals`, {
      quantity: '1',
      speed_level: 'DEFAULT',
    })
    assert.equal(made.status, 200, made.text)
    await place.work()
    assert.equal(positionOf(before, place.vault.id, 'BTC'), 'BALANCED 10.3 10.3 0 0')
    assert.equal(positionOf(await desk.run(), place.vault.id, 'BTC'), 'BALANCED 10.3 10.3 0 0')
    desk.holds('BTC', '9.2998')
    assert.equal(
      positionOf(await desk.run(), place.vault.id, 'BTC'),
      'BALANCED 10.3 9.2998 -1.0002 0',
    )
    place.models.vault.finish(String(made.data['external_id']), {
      fee: decimal('0.0002'),
      fee_asset: 'BTC',
      transaction_hash: 'h1',
    })
    await place.later(20_000)
    assert.equal(positionOf(await desk.run(), place.vault.id, 'BTC'), 'BALANCED 9.2998 9.2998 0 0')
    place.exchange.balances = [balance('BTC', '6'), balance('EUR', '100000')]
    place.arrives(
      place.exchange,
      movement('in', 'BTC', '1', { state: 'PENDING', transaction_hash: 'h1' }),
    )
    await place.later(10_000)
    assert.equal(positionOf(await desk.run(), place.exchange.id, 'BTC'), 'BALANCED 5 6 1 0')
    place.arrives(place.exchange, movement('in', 'BTC', '1', { transaction_hash: 'h1' }))
    await place.later(10_000)
    assert.equal(positionOf(await desk.run(), place.exchange.id, 'BTC'), 'BALANCED 6 6 0 0')
  })

  it('judges nothing that moves while it looks, and looks again', async () => {
    let moved = 0
    const move = (from: string, to: string) =>
      place.app.lane.commit({
        workspace: place.workspace,
        class: 'fact',
        by: 'test',
        ledger: [
          {
            step: 'book',
            booking: {
              id: newId(),
              type: 'DEPOSIT',
              asset: 'EUR',
              legs: [
                { account_id: from, type: 'DEBIT', quantity: decimal('5') },
                { account_id: to, type: 'CREDIT', quantity: decimal('5') },
              ],
            },
          },
        ],
      })
    const moves: Promise<unknown>[] = []
    // The booking waits for nobody: it is committed before or after the second reading, and never
    // half-way.
    place.bank.onBalances = () => {
      moved += 1
      if (moved === 1) {
        place.bank.balances = [balance('EUR', '50005', { wallet: 'DE89370400440532013000' })]
        moves.push(move(place.bank.accounts.VENUE, place.house.SUSPENSE))
      }
    }
    await desk.run()
    await Promise.all(moves)
    place.bank.onBalances = () => undefined
    assert.equal(positionOf(await desk.run(), place.bank.id, 'EUR'), 'BALANCED 50005 50005 0 0')
    place.clock.advance(CONFIRM_MILLISECONDS)
    assert.equal(positionOf(await desk.run(), place.bank.id, 'EUR'), 'BALANCED 50005 50005 0 0')
  })

  it('leaves out a venue that does not answer or refuses', async () => {
    const compared = { exchange: false, bank: true }
    place.exchange.down = true
    assert.deepEqual(await comparedBy(() => desk.run()), compared)
    place.exchange.down = false
    place.exchange.onBalances = () => {
      throw refuse('REFUSED_BY_VENUE', '', 'the exchange: permission denied')
    }
    assert.deepEqual(await comparedBy(() => desk.run()), compared)
    place.exchange.onBalances = () => undefined
  })

  it('compares the others before it says what failed at one venue', async () => {
    const failure = new Error('an adapter with a defect')
    place.exchange.onBalances = () => {
      throw failure
    }
    const run = () => assert.rejects(reconcileNow(place, place.app), failure)
    assert.deepEqual(await comparedBy(run), { exchange: false, bank: true })
    place.exchange.onBalances = () => undefined
  })

  /** Which venues were compared by a run a second later. */
  async function comparedBy(run: () => Promise<unknown>) {
    const at = place.clock.now()
    place.clock.advance(1_000)
    await run()
    const compared = new Set(
      (await positionsOf(place.db, place.workspace, place.clock.now()))
        .filter((position) => position.compared_at > at)
        .map((position) => position.venue_id),
    )
    return { exchange: compared.has(place.exchange.id), bank: compared.has(place.bank.id) }
  }

  it('keeps a snapshot of each change, and one position however often it looks', async () => {
    const count = async () =>
      (
        await place.db.query(
          sql`
            select 1
            from position_snapshots
            where workspace = ${place.workspace}`,
        )
      ).length
    const [before, positions] = [await count(), (await desk.run()).length]
    for (let turn = 0; turn < 3; turn += 1) {
      place.clock.advance(60_000)
      await desk.run()
    }
    assert.deepEqual(
      { count: await count(), length: (await desk.run()).length },
      { count: before, length: positions },
    )
  })

  it('is due every minute, and sooner while something is in doubt', async () => {
    const { reconcile } = deskTasks(place.app)
    const task = {
      workspace: place.workspace,
      kind: 'reconcile',
      subject_id: place.workspace,
      attempts: 1,
    }
    const due = async () => {
      const result = await reconcile?.(task)
      return result === 'done' || result === undefined
        ? result
        : result.again_at - place.clock.now()
    }
    assert.equal(await due(), 60_000)
    place.exchange.balances = [balance('BTC', '7'), balance('EUR', '100000')]
    assert.equal(await due(), CONFIRM_MILLISECONDS)
    place.exchange.balances = [balance('BTC', '6'), balance('EUR', '100000')]
    assert.equal(await due(), 60_000)
  })
})
