/** Kraken at the smallest tier: the adapter stays below what Kraken counts, and heeds refusals. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { mustExist } from '../../../core/assert.ts'
import { decimal } from '../../../core/decimal.ts'
import { newId } from '../../../core/ids.ts'
import { until } from '../../../core/testing.ts'
import type { Venue } from '../../contract.ts'
import { startSandbox } from '../../sandbox-process.testing.ts'
import type { SandboxProcess } from '../../sandbox-process.testing.ts'
import { addressOf, order } from '../exchange.fixture.ts'
import { open, registerKeys, withdrawal } from './kraken.testing.ts'
import { pacesOf } from './tiers.ts'

type Limits = { points: number; refused: number }

describe('kraken at the smallest tier', () => {
  let sandbox: SandboxProcess
  let venue: Venue
  before(async () => {
    sandbox = await startSandbox({ SANDBOX_TIER: 'STARTER' })
    await registerKeys(sandbox)
    venue = await open(sandbox, { tier: 'STARTER' })
  })
  after(async () => {
    await venue.close()
    await sandbox.stop()
  })
  const limits = () => sandbox.control<Limits>('GET', 'kraken/limits')
  const trading = () => mustExist(venue.trading, 'an exchange trades')
  const transfers = () => mustExist(venue.transfers, 'an exchange transfers')

  /** What the service asks again and again. */
  const cursors: Record<'in' | 'out' | 'trades', string | null> = {
    in: null,
    out: null,
    trades: null,
  }
  const poll = async (at: Venue) => {
    await at.balances()
    const { incoming, outgoing } = mustExist(at.transfers, 'an exchange transfers')
    const arrived = await incoming(cursors.in)
    const left = await mustExist(outgoing, 'it lists what leaves')(cursors.out)
    const trades = mustExist(mustExist(at.trading, 'an exchange trades').trades, 'and lists it')
    const traded = await trades(cursors.trades)
    Object.assign(cursors, { in: arrived.cursor, out: left.cursor, trades: traded.cursor })
    return arrived.movements
  }

  test('an idle account costs less than a tenth of what Kraken allows', async () => {
    const { balances, deposits, withdrawals, trades } = pacesOf()
    // Reconciliation asks for the balances every minute, and what Kraken deals in is five calls.
    assert.ok(balances > 60_000)
    const perSecond =
      1_000 * (1 / 60_000 + 1 / deposits + 1 / withdrawals + 2 / trades + 5 / 3_600_000)
    assert.ok(perSecond < 0.33 / 10, `${perSecond}`)
    for (let round = 0; round < 3; round += 1) await poll(venue)
    const costOfRounds = async () => {
      const { points } = await limits()
      for (let round = 0; round < 100; round += 1) await poll(venue)
      return (await limits()).points - points
    }
    // When the stream begins, everything is read once more. That may be meanwhile.
    const cost = (await costOfRounds()) === 0 ? 0 : await costOfRounds()
    assert.equal(cost, 0)
  })

  test('a deposit is found when the balances have changed, long before lists are due', async () => {
    const watchful = await open(sandbox, { tier: 'STARTER', quiet_poll_ms: 6_000 })
    for (let round = 0; round < 3; round += 1) await poll(watchful)
    const { address } = await addressOf(sandbox, 'kraken', 'BTC')
    await sandbox.control('POST', 'clock', { pace: 20 })
    const coins = { asset: 'BTC', quantity: '0.321', to_address: address }
    await sandbox.control('POST', 'chain/send', coins)
    await until('the deposit is final', async () =>
      (await poll(watchful)).some(
        ({ quantity, state }) => quantity === decimal('0.321') && state === 'FINAL',
      ),
    )
    await sandbox.control('POST', 'clock', { pace: 1 })
    assert.equal((await limits()).refused, 0)
    await watchful.close()
  })

  test('what must be true now is asked now', async () => {
    const { points } = await limits()
    await venue.balances({ fresh: true })
    await transfers().incoming(cursors.in, { fresh: true })
    assert.equal((await limits()).points, points + 2)
  })

  test('everybody who asks at one moment shares one read', async () => {
    const before = (await limits()).points
    const answers = await Promise.all(
      Array.from({ length: 40 }, () => venue.balances({ fresh: true })),
    )
    assert.ok(answers.every((balances) => balances.length === answers[0]?.length))
    assert.equal((await limits()).points - before, 1)
  })

  test('a flood of reads keeps no order and no transfer waiting, and none is refused', async () => {
    const reads = Array.from({ length: 30 }, (_, index) =>
      trading()
        .find({ ...order(), foreign_id: null, sent_at: Date.now() - index })
        .catch(() => undefined),
    )
    const sent = await Promise.all([
      transfers().send(withdrawal()),
      ...Array.from({ length: 5 }, () => trading().send(order({ quantity: decimal('0.001') }))),
    ])
    assert.deepEqual(
      sent.map(({ outcome }) => outcome),
      sent.map(() => 'accepted'),
    )
    assert.equal((await limits()).refused, 0)
    await venue.close()
    await Promise.allSettled(reads)
    venue = await open(sandbox, { tier: 'STARTER' })
  })

  test('a counter that another program has filled is heeded: nothing is sent in vain', async () => {
    const other = await open(sandbox)
    const isRefused = async () =>
      await other.balances().then(
        () => false,
        () => true,
      )
    while (!(await isRefused()));
    await other.close()
    const fresh = await open(sandbox, { tier: 'STARTER' })
    await assert.rejects(fresh.balances(), { kind: 'VenueUnreachable' })
    const { refused } = await limits()
    // The counter is taken for full: this read waits for its turn, and then is answered.
    assert.ok(
      (
        await mustExist(fresh.trading, 'trading').find({
          ...order({ client_order_id: newId() }),
          foreign_id: null,
          sent_at: Date.now(),
        })
      ).lookup === 'unknown',
    )
    assert.equal((await limits()).refused, refused)
    await fresh.close()
  })

  test('what Kraken says by itself is read at once, and the stream is found again', async () => {
    // Nothing is due for an hour. The test reads more than the smallest tier likes.
    await sandbox.control('POST', 'kraken/limits', { tier: 'PRO' })
    const quiet = await open(sandbox, { tier: 'PRO', quiet_poll_ms: 3_600_000 })
    const isQuiet = async () => {
      const { points } = await limits()
      // At the end of its points a poll may find no turn.
      const answered = await poll(quiet).catch(() => undefined)
      return answered !== undefined && (await limits()).points === points
    }
    const trade = () =>
      sandbox.control('POST', 'kraken/orders', {
        pair: 'BTC/EUR',
        side: 'sell',
        type: 'market',
        volume: '0.01',
      })
    const bitcoin = async () =>
      until('the balances', async () => {
        const balances = await quiet.balances().catch(() => undefined)
        return balances?.find(({ asset }) => asset === 'BTC')?.total ?? undefined
      })
    assert.equal(quiet.news_every_ms, 10_000)
    await until('the account is quiet', isQuiet)
    const before = await bitcoin()
    await trade()
    await until('the trade shows', async () => (await bitcoin()) < before)
    await sandbox.fault('kraken', 'websocket', 'DOWN')
    await until('it was cut', async () => !(await isQuiet()))
    await until('the account is quiet', isQuiet)
    const later = await bitcoin()
    await trade()
    await until('the trade shows', async () => (await bitcoin()) < later)
    await quiet.close()
  })
})
