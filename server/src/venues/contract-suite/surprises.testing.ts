/** Cases of what a venue does of itself with a movement that is under way or over. */
import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import { mustExist } from '../../core/assert.ts'
import { until } from '../../core/testing.ts'
import type { TransferOrder, TransferReport, Transfers, Venue } from '../contract.ts'
import { incomingReader } from './records.testing.ts'
import { lookupOf, transferCase } from './transfers.testing.ts'
import type { Case, SurpriseStage, TransferStage } from './trial.testing.ts'

type SurpriseTrial<Name extends keyof SurpriseStage> = {
  venue: Venue
  transfers: Transfers
  stage: TransferStage
  surprise: NonNullable<SurpriseStage[Name]>
}

export const surpriseCase = <Name extends keyof SurpriseStage>(
  title: string,
  name: Name,
  run: (trial: SurpriseTrial<Name>, context: TestContext) => Promise<void> | void,
): Case =>
  transferCase(title, ({ trial, transfers, stage }, context: TestContext) => {
    const surprise = stage.surprises?.[name]
    return surprise === undefined
      ? context.skip('nothing of the kind')
      : run({ venue: trial.fixture.venue, transfers, stage, surprise }, context)
  })

/** Sends it and follows it. */
async function following(transfers: Transfers, order: TransferOrder) {
  const submitted_at = Date.now()
  assert.equal((await transfers.send(order)).outcome, 'accepted')
  return (what: string, is: (report: TransferReport) => boolean): Promise<TransferReport> =>
    until(what, async () => {
      const found = await transfers.find(lookupOf(order, { submitted_at, claimed: [] }))
      return found.lookup === 'found' && is(found.report) ? found.report : undefined
    })
}

export const SURPRISE_CASES: readonly Case[] = [
  surpriseCase(
    'C25 a transaction that another one replaces is the same transfer, and succeeds once',
    'mempool',
    async ({ transfers, surprise }) => {
      const order = await surprise.stuck()
      const follow = await following(transfers, order)
      const first = await follow('it is in the mempool', surprise.isStuck)
      await surprise.boost(order.external_id)
      const done = await follow('it succeeds', ({ state }) => state === 'SUCCESS')
      assert.ok(first.transaction_hash !== null)
      assert.notEqual(done.transaction_hash, first.transaction_hash)
      // Under another id the venue names what it replaced; under the same one we keep it.
      if (done.foreign_id !== first.foreign_id)
        assert.deepEqual(
          done.former?.map(({ transaction_hash }) => transaction_hash),
          [first.transaction_hash],
        )
    },
  ),
  surpriseCase(
    'C26 a transaction whose place a payment of nothing takes ends as CANCELED',
    'mempool',
    async ({ transfers, surprise }, context) => {
      if (surprise.drop === undefined) return context.skip('nothing takes its place')
      const order = await surprise.stuck()
      const follow = await following(transfers, order)
      await follow('it is in the mempool', surprise.isStuck)
      await surprise.drop(order.external_id)
      const { state } = await follow('it ends', (report) => report.state !== 'PENDING')
      assert.equal(state, 'CANCELED')
    },
  ),
  surpriseCase(
    'C27 what the venue freezes is under review, and final under the same id when released',
    'screening',
    async ({ transfers, stage, surprise }) => {
      const reader = incomingReader(transfers)
      await surprise.freezeNext()
      const isArrival = await stage.arrive()
      const [frozen] = await reader('PENDING_REVIEW', isArrival)
      const { foreign_id } = mustExist(frozen, 'it is frozen')
      await surprise.release(foreign_id)
      const isSame = reader('FINAL', (movement) => movement.foreign_id === foreign_id)
      assert.equal((await isSame).length, 1)
    },
  ),
  surpriseCase(
    'C28 a credit that the bank recalls is reported as reversed, under its id',
    'recall',
    async ({ transfers, stage, surprise }) => {
      const { cursor } = await transfers.incoming(null)
      const reader = incomingReader(transfers, cursor)
      const isArrival = await stage.arrive()
      const [arrived] = await reader('FINAL', isArrival)
      await surprise()
      const [back] = await reader('REVERSED', isArrival)
      assert.equal(back?.foreign_id, arrived?.foreign_id)
    },
  ),
  surpriseCase(
    'C29 a payment of which another amount was booked is unknown, and says so',
    'otherAmount',
    async ({ transfers, stage, surprise }) => {
      const settle = await surprise()
      const follow = await following(transfers, stage.good())
      const { reason } = await follow('it is booked', ({ state }) => state === 'UNKNOWN')
      assert.match(reason ?? '', /booked .* instead of/)
      await settle()
    },
  ),
]
