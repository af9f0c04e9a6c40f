/**
 * For tests of executions at an exchange of the sandbox: its market stands where the test says, and
 * what moves there is what moves in the books.
 */
import assert from 'node:assert/strict'
import { decimal, format } from '../../core/decimal.ts'
import type { Decimal } from '../../core/decimal.ts'
import { until } from '../../core/testing.ts'
import { holdsOf, venueAccounts } from '../../ledger/index.ts'
import type { Venue } from '../../venues/index.ts'
import type { SandboxProcess } from '../../venues/sandbox-process.testing.ts'
import type { World } from './trading.fixture.ts'

/** The market stands still at this price, and our book has heard of it. */
export async function standAt(
  { sandbox, world }: { sandbox: SandboxProcess; world: World },
  exchange: 'kraken' | 'bitstamp' | 'okx',
  price: string,
): Promise<void> {
  const pair = 'BTC/EUR'
  await sandbox.control('POST', `${exchange}/market`, { pair, price, frozen: true })
  const near = (top: Decimal | undefined) =>
    top !== undefined &&
    top > (decimal(price) * 998n) / 1000n &&
    top < (decimal(price) * 1002n) / 1000n
  await until(`the book is at ${price}`, () => {
    const market = world.app.prices.market(world.venue_id, {
      base_asset: 'BTC',
      quote_asset: 'EUR',
    })
    return (
      near(market?.book?.asks[0]?.price) &&
      near(market?.book?.bids[0]?.price) &&
      near(market?.ticker?.bid) &&
      near(market?.ticker?.ask)
    )
  })
}

/**
 * Work after which what moved at the exchange is what moved in the books, to the last digit,
 * nothing stays blocked for the executions that it answers, and TRADING is 0.
 */
export async function assertAgreement(
  { adapter, world }: { adapter: Venue; world: World },
  work: () => Promise<readonly { id: string }[]>,
): Promise<void> {
  const [exchange, books] = [await readExchange(adapter), await readBooks(world)]
  for (const { id } of await work())
    assert.deepEqual(
      (await holdsOf(world.database.db, world.workspace, id)).filter(
        (hold) => hold.state === 'OPEN',
      ),
      [],
    )
  const [exchangeAfter, booksAfter] = [await readExchange(adapter), await readBooks(world)]
  for (const asset of ['BTC', 'EUR'])
    assert.equal(
      format(decimal(booksAfter[asset] ?? '0') - decimal(books[asset] ?? '0')),
      format((exchangeAfter[asset] ?? 0n) - (exchange[asset] ?? 0n)),
      asset,
    )
  await world.assertBooks()
}

async function readExchange(adapter: Venue): Promise<Record<string, Decimal>> {
  return Object.fromEntries(
    (await adapter.balances()).map((balance) => [balance.asset, balance.total ?? 0n]),
  )
}

async function readBooks(world: World): Promise<Record<string, string>> {
  const { VENUE } = await venueAccounts(world.database.db, world.workspace, world.venue_id)
  return world.balances(VENUE)
}
