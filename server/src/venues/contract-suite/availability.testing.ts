/** Cases of a venue that goes down and comes back. */
import assert from 'node:assert/strict'
import { ApiError } from '../../core/errors.ts'
import { until } from '../../core/testing.ts'
import type { Case, ContractFixture } from './trial.testing.ts'

export const AVAILABILITY_CASES: readonly Case[] = [
  {
    title: 'C13 a venue that is down: reads throw, acts answer, and it comes back',
    async run({ fixture }) {
      const { venue } = fixture
      await fixture.down()
      await assert.rejects(
        venue.balances(),
        (error) => error instanceof ApiError && error.kind === 'VenueUnreachable',
      )
      await assertActsAnswer(fixture)
      await fixture.up()
      await until('the venue is back', async () => venue.balances().catch(() => undefined))
    },
  },
]

async function assertActsAnswer({
  venue,
  transfers,
  trading,
  wallets,
}: ContractFixture): Promise<void> {
  if (venue.transfers !== undefined && transfers !== undefined)
    assert.notEqual((await venue.transfers.send(transfers.good())).outcome, 'accepted')
  if (venue.trading !== undefined && trading !== undefined) {
    const answer = await venue.trading.send(trading.good())
    assert.ok(
      answer.outcome === 'refused' && answer.unreached === true,
      'it took no connection, and can be asked again',
    )
  }
  if (venue.wallets !== undefined && wallets !== undefined) {
    const order = wallets.good()
    assert.equal((await venue.wallets.create(order)).outcome, 'unknown')
    assert.equal((await venue.wallets.find(order)).lookup, 'unknown')
  }
}
