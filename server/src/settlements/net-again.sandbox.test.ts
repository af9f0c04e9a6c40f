/**
 * Over HTTP, against the sandbox: a trade that the broker busts after its settlement was initiated.
 * FIX has a message for it: ExecutionReport with ExecType H, Trade Cancel, for a fill published
 * before (Coinbase Derivatives, FIX drop copy).
 */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { decimal, format } from '../core/decimal.ts'
import type { Decimal } from '../core/decimal.ts'
import { sql } from '../store/sql.ts'
import { payable } from './nets.ts'
import { openSettlementWorld, partOf } from './settlements.testing.ts'
import type { Customer, SettlementWorld } from './settlements.testing.ts'
import type { Part, Settlement } from './settlements.schema.ts'

const showPart = ({ asset, direction, quantity, state }: Part) =>
  `${asset} ${direction} ${quantity} ${state}`

const inCents = (quantity: Decimal) => format(payable(format(quantity), 2))

describe('a trade that is busted after its settlement was initiated', { timeout: 500_000 }, () => {
  let world: SettlementWorld
  let alice: Customer
  before(async () => {
    world = await openSettlementWorld()
    alice = await world.customer()
  })
  after(() => world.close())

  const payouts = (on: boolean) => world.sandbox.control('POST', 'prime/payouts/automatic', { on })
  const netAgain = (id: string, body: object = {}) =>
    world.call<Settlement>('POST', `/settlements/${id}/net-again`, body)
  const refused = (id: string, body: object = {}) =>
    world.refusal('POST', `/settlements/${id}/net-again`, body)
  /** Claimed, covered and initiated; what we owe has been paid, the broker pays nothing yet. */
  const begin = async () => {
    await payouts(false)
    const { id } = await world.claim()
    await world.cover(id)
    assert.equal(await refused(id), '3001 STATE_NOT_ALLOWED')
    await world.initiate(id)
    return world.until('what we owe', async () => {
      const settlement = await world.settlement(id)
      return partOf(settlement, 'OUTGOING').state === 'SUCCESS' ? settlement : undefined
    })
  }
  /** The broker busts all of an execution; answers the settlement once that is known. */
  const bust = async (execution_id: string, settlement_id: string) => {
    await world.bust(execution_id)
    return world.until('the busted fills', async () => {
      const settlement = await world.settlement(settlement_id)
      return settlement.uncorrected_fills > 0 ? settlement : undefined
    })
  }
  const quantityOf = ({ nets }: Settlement, asset: string) =>
    nets.find((net) => net.asset === asset)?.quantity ?? '0'

  let settled: Settlement
  let kept: string

  it('is taken out of the nets by lines; what was paid too much comes back', async () => {
    const busted = await world.trade(alice, 'BUY', '0.02')
    kept = await world.trade(alice, 'BUY', '0.01')
    const begun = await begin()
    assert.equal(await refused(begun.id), '3001 STATE_NOT_ALLOWED')
    assert.equal(await world.needed('settlements_uncorrected'), 0)

    const known = await bust(busted, begun.id)
    assert.deepEqual(known.nets, begun.nets)
    assert.equal(await world.needed('settlements_uncorrected'), 1)
    assert.equal(await refused(begun.id, { version: 1 }), '3001 STALE_VERSION')

    const again = await netAgain(begun.id, { version: known.version })
    const paid = partOf(begun, 'OUTGOING').quantity
    const back = inCents(decimal(paid) - decimal(quantityOf(again, 'EUR')))
    assert.deepEqual(again.parts.map(showPart).toSorted(), [
      'BTC INCOMING 0.01 OPEN',
      `EUR INCOMING ${back} OPEN`,
      `EUR OUTGOING ${paid} SUCCESS`,
    ])
    const lines = again.corrections.map(({ asset, direction }) => `${asset} ${direction}`)
    assert.deepEqual([...new Set(lines)].toSorted(), ['BTC OUTGOING', 'EUR INCOMING'])
    assert.deepEqual(
      { state: again.state, left: again.uncorrected_fills, btc: quantityOf(again, 'BTC') },
      { state: 'PARTIALLY_SETTLED', left: 0, btc: '0.01' },
    )
    assert.equal(await refused(begun.id), '3001 STATE_NOT_ALLOWED')
    assert.equal(await world.needed('settlements_uncorrected'), 0)

    await world.initiate(begun.id)
    await payouts(true)
    settled = await world.settled(begun.id)
    assert.deepEqual(await world.balance(alice, 'BTC'), {
      total: '1.01',
      trading: '1.01',
      withdrawing: '1.01',
    })
    await world.assertAllSettled()
    await world.agree()
  })

  it('once it has ended it goes on until what moved is paid back', async () => {
    // What was rounded at its end is not owed any more.
    const paid = inCents(decimal(quantityOf(settled, 'EUR')))
    const known = await bust(kept, settled.id)
    assert.equal(known.state, 'SETTLED')
    assert.deepEqual(
      (await world.call<Settlement[]>('GET', '/settlements?uncorrected=true')).map(({ id }) => id),
      [settled.id],
    )
    const again = await netAgain(settled.id)
    assert.deepEqual(
      { state: again.state, btc: quantityOf(again, 'BTC'), completed_at: again.completed_at },
      { state: 'PARTIALLY_SETTLED', btc: '0', completed_at: null },
    )
    assert.deepEqual(
      again.parts
        .filter((part) => part.state === 'OPEN')
        .map(showPart)
        .toSorted(),
      ['BTC OUTGOING 0.01 OPEN', `EUR INCOMING ${paid} OPEN`],
    )
    assert.deepEqual(
      [
        await world.refusal('POST', `/settlements/${settled.id}/cancel`, {}),
        (await world.settlement(settled.id)).version,
      ],
      ['3001 STATE_NOT_ALLOWED', again.version],
      'its fills are settled: it is not canceled any more',
    )
    await world.initiate(settled.id)
    await world.settled(settled.id)
    await world.assertAllSettled()
    await world.agree()
  })

  it('nothing ends, and nothing more is sent, before it is netted again', async () => {
    const execution = await world.trade(alice, 'BUY', '0.01')
    const begun = await begin()
    await bust(execution, begun.id)
    const waiting = partOf(begun, 'INCOMING')
    const confirmed = await world.call<Settlement>(
      'POST',
      `/settlements/${begun.id}/parts/${waiting.id}/confirm`,
      { note: 'they paid it before they busted the trade' },
    )
    assert.equal(confirmed.state, 'PARTIALLY_SETTLED', 'every part has moved')
    const covering = await world.refusal('PUT', `/settlements/${begun.id}/parts`, {})
    assert.deepEqual(
      [covering, (await world.settlement(begun.id)).state],
      ['3001 STATE_NOT_ALLOWED', 'PARTIALLY_SETTLED'],
    )
    const [one, other] = await Promise.all([1, 2].map(() => refused(begun.id)))
    assert.deepEqual([one, other].toSorted(), ['3001 STATE_NOT_ALLOWED', 'undefined undefined'])
    const again = await world.settlement(begun.id)
    assert.deepEqual(
      again.parts
        .filter((part) => part.state === 'OPEN')
        .map(showPart)
        .toSorted(),
      ['BTC OUTGOING 0.01 OPEN', `EUR INCOMING ${partOf(begun, 'OUTGOING').quantity} OPEN`],
    )
    // It was never paid: the broker has nothing to get back.
    await world.call('POST', `/settlements/${begun.id}/parts/${waiting.id}/drop`, { note: 'no' })
    const out = again.parts.find((part) => part.state === 'OPEN' && part.asset === 'BTC')
    await payouts(true)
    await world.initiate(begun.id, {
      part_ids: again.parts
        .filter((part) => part.state === 'OPEN' && part.asset === 'EUR')
        .map((part) => part.id),
    })
    await world.call('POST', `/settlements/${begun.id}/parts/${out?.id}/confirm`, { note: 'no' })
    await world.settled(begun.id)
    await world.assertAllSettled()
    await world.agree()
  })

  it('what is not initiated yet goes out only after it', async () => {
    const busted = await world.trade(alice, 'SELL', '0.02')
    await world.trade(alice, 'SELL', '0.01')
    await payouts(false)
    const { id } = await world.claim()
    const covered = await world.cover(id)
    await world.initiate(id, { part_ids: [partOf(covered, 'INCOMING').id] })
    await bust(busted, id)
    const out = { part_ids: [partOf(covered, 'OUTGOING').id] }
    assert.equal(await world.refusal('POST', `/settlements/${id}/initiate`, out), '3001 CONFLICT')
    const again = await netAgain(id)
    assert.deepEqual(again.parts.map(showPart).toSorted(), [
      'BTC OUTGOING 0.01 OPEN',
      `EUR INCOMING ${inCents(decimal(quantityOf(again, 'EUR')))} OPEN`,
    ])
    await payouts(true)
    await world.initiate(id)
    await world.settled(id)
    await world.assertAllSettled()
    const [fills] = await world.database.db.query<{ uncorrected: number }>(sql`
      select count(*)::integer as uncorrected
      from fills
      where busted
        and corrected_at is null`)
    assert.deepEqual(fills, { uncorrected: 0 })
  })
})
