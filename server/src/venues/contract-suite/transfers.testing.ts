/** Cases of a venue that sends and receives. */
import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import { ApiError } from '../../core/errors.ts'
import { until } from '../../core/testing.ts'
import type {
  FeeEstimate,
  Lookup,
  TransferLookup,
  TransferOrder,
  TransferReport,
  Transfers,
} from '../contract.ts'
import type { Case, TransferStage, Trial } from './trial.testing.ts'

type TransferTrial = {
  trial: Trial
  transfers: Transfers
  /** Of the impatient venue. */
  hasty: Transfers
  stage: TransferStage
}

/** Skipped where there are no transfers. */
export const transferCase = (
  title: string,
  run: (transferTrial: TransferTrial, context: TestContext) => Promise<void> | void,
): Case => ({
  title,
  run(trial, context) {
    const { venue, transfers: stage } = trial.fixture
    const { transfers } = venue
    if (transfers === undefined || stage === undefined) return context.skip('no transfers')
    return run({ trial, transfers, hasty: trial.hasty.transfers ?? transfers, stage }, context)
  },
})

export const lookupOf = (
  order: TransferOrder,
  known: Pick<TransferLookup, 'submitted_at' | 'claimed'> & { foreign_id?: string },
): TransferLookup => ({ ...order, foreign_id: null, ...known })

export const isSuccess = (
  found: Lookup<TransferReport>,
): found is { lookup: 'found'; report: TransferReport } =>
  found.lookup === 'found' && found.report.state === 'SUCCESS'

export const TRANSFER_CASES: readonly Case[] = [
  {
    title: 'C03 transfer fields are declared for each protocol, and an unknown one is refused',
    async run({ fixture: { venue } }, context) {
      const { transfers } = venue
      if (transfers === undefined) return context.skip('no transfers')
      for (const { asset, protocols } of await venue.protocols()) {
        for (const { protocol } of protocols.filter((protocol) => protocol.withdraw)) {
          const { from, to } = transfers.fields(asset, protocol)
          for (const side of [from, to])
            assert.equal(new Set(side.map((transferField) => transferField.name)).size, side.length)
        }
      }
      assert.throws(
        () => transfers.fields('NOSUCH', 'NONE'),
        (error) => error instanceof ApiError && error.details[0]?.code === 'UNSUPPORTED_BY_VENUE',
      )
    },
  },
  transferCase('C04 a fee estimate names three levels', async ({ transfers, stage }) => {
    const estimate: FeeEstimate = await transfers.estimateFee(stage.good())
    const { DEFAULT, FAST, SLOW } = estimate.speed_levels
    assert.ok(SLOW <= DEFAULT && DEFAULT <= FAST && SLOW >= 0n)
  }),
  transferCase(
    'C05 a transfer is sent once, found by its reference and its foreign id, and succeeds',
    async ({ trial, transfers, stage }) => {
      const order = stage.good()
      const earlier = await stage.received()
      const submitted_at = Date.now()
      const sent = await transfers.send(order)
      assert.equal(sent.outcome, 'accepted', textOf(sent))
      await until('the transfer is received', async () => (await stage.received()) === earlier + 1)
      const { claimed } = trial
      const byReference = await until('the transfer is found', async () => {
        const found = await transfers.find(lookupOf(order, { submitted_at, claimed }))
        return found.lookup === 'found' ? found.report : undefined
      })
      const { foreign_id } = byReference
      const done = await until('the transfer succeeds', async () => {
        const found = await transfers.find(lookupOf(order, { submitted_at, foreign_id, claimed }))
        return isSuccess(found) ? found.report : undefined
      })
      claimed.push(foreign_id)
      trial.succeeded = { order, foreign_id: done.foreign_id }
      assert.ok(done.fee === null || done.fee >= 0n)
      assert.equal(await stage.received(), earlier + 1)
    },
  ),
  transferCase(
    'C06 a transfer that the venue refuses is refused',
    async ({ transfers, stage }, context) => {
      if (stage.refused === undefined) return context.skip('no transfers that are refused at once')
      const sent = await transfers.send(stage.refused())
      assert.equal(sent.outcome, 'refused')
    },
  ),
  transferCase(
    'C07 an answer that never comes is unknown, and the transfer is found by its reference',
    async ({ trial, transfers, hasty, stage }) => {
      const order = stage.good()
      const earlier = await stage.received()
      await stage.losesAnswer()
      const submitted_at = Date.now()
      const sent = await hasty.send(order)
      assert.notEqual(sent.outcome, 'refused')
      const { claimed } = trial
      const found = await until('the transfer is found', async () => {
        const answer = await transfers.find(lookupOf(order, { submitted_at, claimed }))
        assert.notEqual(answer.lookup, 'absent')
        return answer.lookup === 'found' ? answer.report : undefined
      })
      claimed.push(found.foreign_id)
      // A venue that fetches its orders (a bank) has them a moment after they were handed over.
      await until('the transfer is received', async () => (await stage.received()) > earlier)
      assert.equal(await stage.received(), earlier + 1)
    },
  ),
  transferCase(
    'C08 a transfer that was never sent becomes absent, never found',
    async ({ trial: { claimed }, transfers, stage }) => {
      const order = stage.good()
      const { absentAfter = 0 } = stage
      if (absentAfter > 0) {
        const early = await transfers.find(lookupOf(order, { submitted_at: Date.now(), claimed }))
        assert.equal(early.lookup, 'unknown')
      }
      const submitted_at = Date.now() - absentAfter
      await until('the transfer is absent', async () => {
        const answer = await transfers.find(lookupOf(order, { submitted_at, claimed }))
        assert.notEqual(answer.lookup, 'found')
        return answer.lookup === 'absent' || undefined
      })
    },
  ),
  transferCase(
    'C09 what arrives is reported until final under one id, and the cursor goes on',
    async ({ transfers, stage }) => {
      let cursor: string | null = null
      const drain = async () => {
        const page = await transfers.incoming(cursor)
        cursor = page.cursor
        return page.movements
      }
      await drain()
      const isArrival = await stage.arrive()
      const ids = new Set<string>()
      await until('the movement is final', async () => {
        const movements = (await drain()).filter(isArrival)
        for (const movement of movements) {
          ids.add(movement.foreign_id)
          assert.ok(movement.quantity > 0n)
        }
        return movements.some((movement) => movement.state === 'FINAL') || undefined
      })
      assert.equal(ids.size, 1)
      const again = await transfers.incoming(null)
      assert.ok(
        again.movements.some((movement) => ids.has(movement.foreign_id)),
        'a fresh cursor sees it too',
      )
    },
  ),
]

const textOf = (value: unknown): string =>
  JSON.stringify(value, (_key, field: unknown) =>
    typeof field === 'bigint' ? String(field) : field,
  )
