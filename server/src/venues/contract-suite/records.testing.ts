/** Cases of a venue's records that are easily misread: each is read from the venue's own fields. */
import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import { mustExist } from '../../core/assert.ts'
import { until } from '../../core/testing.ts'
import type { Incoming, Transfers } from '../contract.ts'
import { isSuccess, lookupOf, transferCase } from './transfers.testing.ts'
import type { Case, RecordStage } from './trial.testing.ts'

type RecordTrial = { transfers: Transfers; records: RecordStage }

const recordCase = (
  title: string,
  run: (trial: RecordTrial, context: TestContext) => Promise<void> | void,
): Case =>
  transferCase(title, ({ transfers, stage }, context) =>
    stage.records === undefined
      ? context.skip('no such records')
      : run({ transfers, records: stage.records }, context),
  )

export const RECORD_CASES: readonly Case[] = [
  transferCase(
    'C21 what the venue sends back after it was credited is reported as reversed',
    async ({ transfers, stage }, context) => {
      const { records } = stage
      const sendBack = records?.sendBack
      if (sendBack === undefined) return context.skip('no such records')
      const isArrival = await stage.arrive()
      const reader = incomingReader(transfers)
      const [arrived] = await reader('FINAL', isArrival)
      await sendBack(mustExist(arrived, 'it arrived').foreign_id)
      const [back] = await reader('REVERSED', isArrival)
      assert.equal(back?.foreign_id, arrived?.foreign_id)
    },
  ),
  recordCase(
    'C22 a withdrawal to a bank leaves, and never arrives',
    async ({ transfers, records: { toBank } }, context) => {
      if (toBank === undefined) return context.skip('it moves no money to a bank')
      const order = toBank()
      const before = await transfers.incoming(null)
      const sent = await transfers.send(order)
      assert.ok(sent.outcome === 'accepted')
      const left = await mustExist(transfers.outgoing, 'it lists what leaves')(null)
      const ours = left.movements.filter(
        (movement) => movement.foreign_id === sent.report.foreign_id,
      )
      assert.deepEqual(
        ours.map(({ kind, quantity, asset }) => ({ kind, quantity, asset })),
        [{ kind: 'TRANSFER', quantity: order.quantity, asset: order.asset }],
      )
      const after = await transfers.incoming(before.cursor)
      assert.ok(after.movements.every((movement) => movement.quantity !== order.quantity))
    },
  ),
  transferCase(
    'C23 one that came back after it was done is unknown, also days later',
    async ({ transfers, stage }, context) => {
      const { records } = stage
      if (records === undefined) return context.skip('no such records')
      const order = stage.good()
      const submitted_at = Date.now()
      const sent = await transfers.send(order)
      assert.ok(sent.outcome === 'accepted')
      const { foreign_id } = sent.report
      const lookup = lookupOf(order, { submitted_at, foreign_id, claimed: [] })
      await until('the transfer succeeds', async () => isSuccess(await transfers.find(lookup)))
      await records.comeBack(foreign_id)
      await records.waitDays(3)
      const { movements } = await mustExist(transfers.outgoing, 'it lists what leaves')(null)
      const listed = movements.find((movement) => movement.foreign_id === foreign_id)
      assert.equal(listed?.state, 'UNKNOWN')
      const found = await transfers.find(lookup)
      assert.ok(found.lookup === 'found' && found.report.state === 'UNKNOWN')
    },
  ),
  recordCase(
    'C24 a movement of a type that no manual lists keeps no other from being read',
    async ({ transfers, records }, context) => {
      if (records.unheardOf === undefined) return context.skip('it lists no such movements')
      const before = await transfers.incoming(null)
      await records.unheardOf()
      const after = await transfers.incoming(null)
      const known = new Set(before.movements.map(({ foreign_id }) => foreign_id))
      const fresh = after.movements.filter(({ foreign_id }) => !known.has(foreign_id))
      const left = await mustExist(transfers.outgoing, 'it lists what leaves')(null)
      assert.deepEqual(
        { fresh, set_aside: [...(after.set_aside ?? []), ...(left.set_aside ?? [])] },
        { fresh: [], set_aside: [] },
      )
    },
  ),
]

/** Reads on until a movement of ours is in that state. */
export function incomingReader(transfers: Transfers, from: string | null = null) {
  let cursor = from
  return (state: Incoming['state'], isOurs: (movement: Incoming) => boolean) =>
    until(`the movement is ${state}`, async () => {
      const page = await transfers.incoming(cursor)
      cursor = page.cursor
      const found = page.movements.filter(
        (movement) => isOurs(movement) && movement.state === state,
      )
      return found.length > 0 && found
    })
}
