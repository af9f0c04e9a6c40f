/** Cases of what has left: transactions with several destinations, and the list of movements. */
import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import { until } from '../../core/testing.ts'
import type { TransferOrder, TransferReport, Transfers } from '../contract.ts'
import { isSuccess, lookupOf, transferCase } from './transfers.testing.ts'
import type { Case } from './trial.testing.ts'

export const OUTGOING_CASES: readonly Case[] = [
  transferCase(
    'C18 one transaction pays several destinations, whole or not at all, each reported apart',
    async ({ trial, transfers, hasty, stage }, context) => {
      const orders = stage.many?.()
      if (orders === undefined) return skipSingle(transfers, stage.good(), context)
      const { good, refused } = orders
      assertOneGroup(transfers, good)
      assert.ok((await transfers.estimateFee(good)).speed_levels.DEFAULT >= 0n)
      const earlier = await stage.received()
      assert.equal((await transfers.send(refused)).outcome, 'refused')
      await stage.losesAnswer()
      const submitted_at = Date.now()
      assert.equal((await hasty.send(good)).outcome, 'unknown')
      await transfers.send(good)
      const { claimed } = trial
      const done = await until('the transfer succeeds', async () => {
        const found = await transfers.find(lookupOf(good, { submitted_at, claimed }))
        assert.notEqual(found.lookup, 'absent')
        return isSuccess(found) ? found.report : undefined
      })
      claimed.push(done.foreign_id)
      assert.ok((await stage.received()) > earlier)
      await assertEachLeft(transfers, good, done)
    },
  ),
  {
    title: 'C14 what left is reported once as outgoing, recognised by either reference',
    async run({ fixture, succeeded }, context) {
      const { transfers } = fixture.venue
      if (transfers?.outgoing === undefined || succeeded === undefined)
        return context.skip('no outgoing movements')
      const { order, foreign_id } = succeeded
      const { movements, cursor } = await transfers.outgoing(null)
      const found = movements.filter(
        (movement) =>
          movement.kind === 'TRANSFER' &&
          (movement.external_id === order.external_id || movement.foreign_id === foreign_id),
      )
      assert.deepEqual(
        found.map(({ state, left, quantity, asset, protocol }) => ({
          state,
          left,
          quantity,
          asset,
          protocol,
        })),
        [
          {
            state: 'SUCCESS',
            left: true,
            quantity: order.quantity,
            asset: order.asset,
            protocol: order.protocol,
          },
        ],
      )
      const again = await transfers.outgoing(cursor)
      assert.ok(
        again.movements.every((movement) =>
          movements.some((one) => one.foreign_id === movement.foreign_id),
        ),
        'nothing new under another id',
      )
    },
  },
]

function skipSingle(transfers: Transfers, order: TransferOrder, context: TestContext): void {
  assert.equal(
    transfers.output_group?.(order) ?? null,
    null,
    'a venue that offers it shows it here',
  )
  context.skip('one destination at a time')
}

const outputsOf = (order: TransferOrder) => [order, ...(order.further_outputs ?? [])]

function assertOneGroup(transfers: Transfers, order: TransferOrder): void {
  const outputs = outputsOf(order)
  assert.ok(outputs.length > 1)
  const groups = new Set(outputs.map((output) => transfers.output_group?.({ ...order, ...output })))
  assert.ok(groups.size === 1 && typeof [...groups][0] === 'string')
}

/** Each destination is a movement; the fee is reported once. */
async function assertEachLeft(
  transfers: Transfers,
  order: TransferOrder,
  { transaction_hash, fee }: TransferReport,
): Promise<void> {
  if (transfers.outgoing === undefined) return
  const outputs = outputsOf(order)
  const left = (await transfers.outgoing(null)).movements.filter(
    (movement) => movement.external_id === order.external_id,
  )
  assert.deepEqual(
    left.map((movement) => ({
      output: movement.output,
      quantity: movement.quantity,
      state: movement.state,
      left: movement.left,
      transaction_hash: movement.transaction_hash,
    })),
    outputs.map(({ quantity }, output) => ({
      output,
      quantity,
      state: 'SUCCESS',
      left: true,
      transaction_hash,
    })),
  )
  assert.equal(new Set(left.map((movement) => movement.foreign_id)).size, outputs.length)
  if (fee === null) return
  assert.equal(
    left.reduce((total, movement) => total + (movement.fee ?? 0n), 0n),
    fee,
    'the fee is reported once',
  )
}
