/**
 * What every adapter must hold, numbered, for the groups that it claims. A test file of an adapter
 * calls `contractSuite` with a fixture against the sandbox; the fixture says which transfers and
 * orders are good there and how to make the venue fail.
 */
import { after, before, describe, test } from 'node:test'
import { ACCOUNT_TRADE_CASES } from './account-trades.testing.ts'
import { AVAILABILITY_CASES } from './availability.testing.ts'
import { HOLDING_CASES } from './holdings.testing.ts'
import { LIMIT_CASES } from './limits.testing.ts'
import { LIST_CASES } from './lists.testing.ts'
import { NEWS_CASES } from './news.testing.ts'
import { ORDER_CASES } from './orders.testing.ts'
import { OUTGOING_CASES } from './outgoing.testing.ts'
import { PRICE_CASES } from './prices.testing.ts'
import { TRANSFER_CASES } from './transfers.testing.ts'
import { RECORD_CASES } from './records.testing.ts'
import { SURPRISE_CASES } from './surprises.testing.ts'
import type { ContractFixture, Trial } from './trial.testing.ts'
import { WALLET_CASES } from './wallets.testing.ts'

/** In this order: later cases use what earlier ones have sent. */
const CASES = [
  ...HOLDING_CASES,
  ...TRANSFER_CASES,
  ...ORDER_CASES,
  ...ACCOUNT_TRADE_CASES,
  ...NEWS_CASES,
  ...PRICE_CASES,
  ...WALLET_CASES,
  ...AVAILABILITY_CASES,
  ...OUTGOING_CASES,
  ...RECORD_CASES,
  ...SURPRISE_CASES,
  ...LIST_CASES,
  ...LIMIT_CASES,
]

/** `open` is called once; `close` ends what it started, the venue itself included. */
export function contractSuite(
  name: string,
  open: () => Promise<ContractFixture & { close(): Promise<void> }>,
): void {
  describe(`contract: ${name}`, () => {
    let fixture: Awaited<ReturnType<typeof open>>
    let trial: Trial
    before(async () => {
      fixture = await open()
      trial = { fixture, hasty: fixture.hasty ?? fixture.venue, claimed: [] }
    })
    after(async () => {
      await fixture.venue.close()
      await fixture.hasty?.close()
      await fixture.close()
    })
    for (const { title, run } of CASES) test(title, (context) => run(trial, context))
  })
}
