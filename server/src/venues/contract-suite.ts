/**
 * What every adapter must hold, numbered, for the groups that it claims. A test file of an adapter
 * calls `contractSuite` with a fixture against the sandbox; the fixture says which transfers and
 * orders are good there and how to make the venue fail.
 */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { absolute, sum } from '../core/decimal.ts'
import type { Decimal } from '../core/decimal.ts'
import { ApiError } from '../core/errors.ts'
import { newId } from '../core/ids.ts'
import { until } from '../core/testing.ts'
import { checkAddress } from './addresses.ts'
import type {
  AccountTrade,
  FeeEstimate,
  Incoming,
  OrderBook,
  OrderLookup,
  Side,
  TransferLookup,
  TransferOrder,
  Venue,
  VenueFill,
  VenueOrder,
  WalletCreation,
  WalletOrder,
  WalletReport,
} from './contract.ts'

export type ContractFixture = {
  /** Waits long: no answer is lost because a machine is slow. */
  venue: Venue
  /**
   * The same, but it waits a short time only: for answers that never come. Absent where nothing is
   * waited for.
   */
  hasty?: Venue
  /** Ends the venue's availability (no connection at all), and restores it. */
  down(): Promise<void>
  up(): Promise<void>
  transfers?: {
    /** A transfer that the venue will execute; each call another one. */
    good(): TransferOrder
    /**
     * One that the venue itself will refuse, and how: absent where the venue refuses only later.
     */
    refused?(): TransferOrder
    /**
     * One with further outputs, and what makes it refused: absent where a transaction has one
     * destination.
     */
    many?(): { good: TransferOrder; refused: TransferOrder }
    /** Makes the venue accept the next transfer and never answer. */
    losesAnswer(): Promise<void>
    /**
     * After how many milliseconds a transfer that was never sent is absent; 0 where it is at once.
     */
    absentAfter?: number
    /** How many transfers the venue received so far. */
    received(): Promise<number>
    /** Lets a movement from outside arrive, and tells what to look for. */
    arrive(): Promise<(movement: Incoming) => boolean>
  }
  trading?: {
    good(): VenueOrder
    refused(): VenueOrder
    losesAnswer(): Promise<void>
    absentAfter: number
    received(): Promise<number>
    /**
     * An order of this side and quantity is placed at the venue's own desk and filled at once;
     * answers the venue's id of it.
     */
    outside(side: Side, quantity: Decimal): Promise<string>
    /** The venue takes this trade back. */
    bust(trade: AccountTrade): Promise<void>
  }
  prices?: { base_asset: string; quote_asset: string }
  wallets?: {
    /** A wallet that the venue will make; each call another one. */
    good(): WalletOrder
    /** One that it will not, told at once or by a report that FAILED. */
    refused(): WalletOrder
    /** Makes the venue do what it is asked next and never answer. */
    losesAnswer(): Promise<void>
    /** How many wallets the venue was asked to make so far. */
    received(): Promise<number>
  }
}

const lookupOf = (
  order: TransferOrder,
  submitted_at: number,
  foreign_id: string | null = null,
  claimed: readonly string[] = [],
): TransferLookup => ({ ...order, foreign_id, submitted_at, claimed })
const orderLookupOf = (
  order: VenueOrder,
  sent_at: number,
  foreign_id: string | null = null,
): OrderLookup => ({ ...order, foreign_id, sent_at })

async function made(
  wallets: WalletCreation,
  order: WalletOrder,
): Promise<Exclude<WalletReport, { state: 'CREATING' }>> {
  return until('the wallet is made or not', async () => {
    const found = await wallets.find(order)
    return found.lookup === 'found' && found.report.state !== 'CREATING' ? found.report : undefined
  })
}

/** `open` is called once; `close` ends what it started, the venue itself included. */
export function contractSuite(
  name: string,
  open: () => Promise<ContractFixture & { close(): Promise<void> }>,
): void {
  describe(`contract: ${name}`, () => {
    let fixture: ContractFixture & { close(): Promise<void> }
    const claimed: string[] = []
    let succeeded: { order: TransferOrder; foreign_id: string } | undefined
    before(async () => {
      fixture = await open()
    })
    after(async () => {
      await fixture.venue.close()
      await fixture.hasty?.close()
      await fixture.close()
    })
    const hasty = () => fixture.hasty ?? fixture.venue

    test('C01 balances add up and name assets and protocols that exist', async () => {
      const balances = await fixture.venue.balances()
      const protocols = await fixture.venue.protocols()
      assert.ok(balances.length > 0)
      for (const { asset, protocol, free, used, total } of balances) {
        assert.match(asset, /^[A-Z0-9._-]+$/)
        if (free !== null && used !== null && total !== null)
          assert.equal(free + used, total, asset)
        if (protocol !== null)
          assert.ok(
            protocols.some(
              (assetProtocols) =>
                assetProtocols.asset === asset &&
                assetProtocols.protocols.some((one) => one.protocol === protocol),
            ),
            `${asset} ${protocol}`,
          )
      }
    })

    test('C02 protocols are named once, with native word and scale', async () => {
      const protocols = await fixture.venue.protocols()
      const names = protocols.flatMap((protocol) =>
        protocol.protocols.map((one) => `${protocol.asset} ${one.protocol}`),
      )
      assert.equal(new Set(names).size, names.length)
      for (const one of protocols.flatMap((protocol) => protocol.protocols)) {
        assert.ok(one.native.length > 0)
        assert.ok(Number.isInteger(one.decimals) && one.decimals >= 0 && one.decimals <= 18)
        assert.ok(one.deposit || one.withdraw)
      }
    })

    test('C03 transfer fields are declared for each protocol, and an unknown one is refused', async (context) => {
      const { transfers } = fixture.venue
      if (transfers === undefined) return context.skip('no transfers')
      for (const { asset, protocols } of await fixture.venue.protocols()) {
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
    })

    test('C04 a fee estimate names three levels', async (context) => {
      const { transfers } = fixture.venue
      if (transfers === undefined || fixture.transfers === undefined)
        return context.skip('no transfers')
      const estimate: FeeEstimate = await transfers.estimateFee(fixture.transfers.good())
      const { DEFAULT, FAST, SLOW } = estimate.speed_levels
      assert.ok(SLOW <= DEFAULT && DEFAULT <= FAST && SLOW >= 0n)
    })

    test('C05 a transfer is sent once, found by its reference and its foreign id, and succeeds', async (context) => {
      const { transfers } = fixture.venue
      if (transfers === undefined || fixture.transfers === undefined)
        return context.skip('no transfers')
      const order = fixture.transfers.good()
      const earlier = await fixture.transfers.received()
      const submitted = Date.now()
      const sent = await transfers.send(order)
      assert.equal(
        sent.outcome,
        'accepted',
        JSON.stringify(sent, (_key, value: unknown) =>
          typeof value === 'bigint' ? String(value) : value,
        ),
      )
      if (sent.outcome !== 'accepted') return
      await until(
        'the transfer is received',
        async () => (await fixture.transfers?.received()) === earlier + 1,
      )
      const byReference = await until('the transfer is found', async () => {
        const found = await transfers.find(lookupOf(order, submitted, null, claimed))
        return found.lookup === 'found' ? found.report : undefined
      })
      claimed.push(byReference.foreign_id)
      const done = await until('the transfer succeeds', async () => {
        const found = await transfers.find(
          lookupOf(
            order,
            submitted,
            byReference.foreign_id,
            claimed.filter((each) => each !== byReference.foreign_id),
          ),
        )
        return found.lookup === 'found' && found.report.state === 'SUCCESS'
          ? found.report
          : undefined
      })
      succeeded = { order, foreign_id: done.foreign_id }
      assert.ok(done.fee === null || done.fee >= 0n)
      assert.equal(await fixture.transfers.received(), earlier + 1)
    })

    test('C06 a transfer that the venue refuses is refused', async (context) => {
      const { transfers } = fixture.venue
      if (transfers === undefined || fixture.transfers?.refused === undefined)
        return context.skip('no transfers that are refused at once')
      const order = fixture.transfers.refused()
      const sent = await transfers.send(order)
      assert.equal(sent.outcome, 'refused')
    })

    test('C07 an answer that never comes is unknown, and the transfer is found by its reference', async (context) => {
      const { transfers } = fixture.venue
      if (transfers === undefined || fixture.transfers === undefined)
        return context.skip('no transfers')
      const order = fixture.transfers.good()
      const earlier = await fixture.transfers.received()
      await fixture.transfers.losesAnswer()
      const submitted = Date.now()
      const sent = await (hasty().transfers ?? transfers).send(order)
      assert.notEqual(sent.outcome, 'refused')
      const found = await until('the transfer is found', async () => {
        const answer = await transfers.find(lookupOf(order, submitted, null, claimed))
        assert.notEqual(answer.lookup, 'absent')
        return answer.lookup === 'found' ? answer.report : undefined
      })
      claimed.push(found.foreign_id)
      // A venue that fetches its orders (a bank) has them a moment after they were handed over.
      await until(
        'the transfer is received',
        async () => ((await fixture.transfers?.received()) ?? 0) > earlier,
      )
      assert.equal(await fixture.transfers.received(), earlier + 1)
    })

    test('C08 a transfer that was never sent becomes absent, never found', async (context) => {
      const { transfers } = fixture.venue
      if (transfers === undefined || fixture.transfers === undefined)
        return context.skip('no transfers')
      const order = fixture.transfers.good()
      const { absentAfter = 0 } = fixture.transfers
      if (absentAfter > 0)
        assert.equal(
          (await transfers.find(lookupOf(order, Date.now(), null, claimed))).lookup,
          'unknown',
        )
      const submitted = Date.now() - absentAfter
      await until('the transfer is absent', async () => {
        const answer = await transfers.find(lookupOf(order, submitted, null, claimed))
        assert.notEqual(answer.lookup, 'found')
        return answer.lookup === 'absent' || undefined
      })
    })

    test('C09 what arrives is reported until final under one id, and the cursor goes on', async (context) => {
      const { transfers } = fixture.venue
      if (transfers === undefined || fixture.transfers === undefined)
        return context.skip('no transfers')
      let cursor: string | null = null
      const drain = async () => {
        const page = await transfers.incoming(cursor)
        cursor = page.cursor
        return page.movements
      }
      await drain()
      const isIt = await fixture.transfers.arrive()
      const ids = new Set<string>()
      await until('the movement is final', async () => {
        const movements = (await drain()).filter(isIt)
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
    })

    test('C10 an order is executed once; its fills add up', async (context) => {
      const { trading } = fixture.venue
      if (trading === undefined || fixture.trading === undefined) return context.skip('no trading')
      const order = fixture.trading.good()
      assert.ok(trading.supports(order))
      const earlier = await fixture.trading.received()
      const sent_at = Date.now()
      const sent = await trading.send(order)
      assert.equal(sent.outcome, 'accepted')
      const report = await until('the order is filled', async () => {
        const found = await trading.find(orderLookupOf(order, sent_at))
        return found.lookup === 'found' && found.report.state === 'FILLED'
          ? found.report
          : undefined
      })
      assert.equal(
        report.fills.reduce((sum, fill) => sum + fill.quantity, 0n),
        order.quantity,
      )
      assert.equal(report.filled_quantity, order.quantity)
      assert.equal(new Set(report.fills.map((fill) => fill.foreign_id)).size, report.fills.length)
      for (const fill of report.fills) {
        // The venue's own rounding of price × quantity is allowed one ten-thousandth of a unit.
        assert.ok(absolute(fill.volume - (fill.price * fill.quantity) / 10n ** 18n) < 10n ** 14n)
        assert.ok(fill.fee >= 0n)
      }
      const byId = await trading.find(orderLookupOf(order, sent_at, report.foreign_id))
      assert.deepEqual(byId, { lookup: 'found', report })
      assert.equal(await fixture.trading.received(), earlier + 1)
    })

    test('C11 an order that the venue refuses is refused; a lost answer is unknown and found', async (context) => {
      const { trading } = fixture.venue
      if (trading === undefined || fixture.trading === undefined) return context.skip('no trading')
      assert.equal((await trading.send(fixture.trading.refused())).outcome, 'refused')
      await fixture.trading.losesAnswer()
      const order = fixture.trading.good()
      const sent_at = Date.now()
      assert.equal((await (hasty().trading ?? trading).send(order)).outcome, 'unknown')
      await until('the order is found', async () => {
        const found = await trading.find(orderLookupOf(order, sent_at))
        assert.notEqual(found.lookup, 'absent')
        return found.lookup === 'found' || undefined
      })
      const never = { ...fixture.trading.good(), client_order_id: newId() }
      assert.equal((await trading.find(orderLookupOf(never, Date.now()))).lookup, 'unknown')
      assert.equal(
        (await trading.find(orderLookupOf(never, Date.now() - fixture.trading.absentAfter))).lookup,
        'absent',
      )
    })

    test("C19 every trade of the account is told under one id, ours and others', and the cursor goes on", async (context) => {
      const { trading } = fixture.venue
      if (trading?.trades === undefined || fixture.trading === undefined)
        return context.skip('does not tell its trades')
      const read = trading.trades
      const before = await read(null)
      const order = fixture.trading.good()
      assert.equal((await trading.send(order)).outcome, 'accepted')
      const outside = await fixture.trading.outside('SELL', order.quantity)
      const known = new Map<string, AccountTrade>()
      let cursor = before.cursor
      const of = (side: Side) =>
        [...known.values()].filter(
          (accountTrade) =>
            accountTrade.side === side &&
            (side === 'BUY'
              ? accountTrade.client_order_id === order.client_order_id
              : accountTrade.order_foreign_id === outside),
        )
      await until("both orders' trades", async () => {
        const answer = await read(cursor)
        for (const trade of answer.trades) known.set(trade.foreign_id, trade)
        cursor = answer.cursor
        return (
          (sum(of('BUY').map((accountTrade) => accountTrade.quantity)) === order.quantity &&
            sum(of('SELL').map((accountTrade) => accountTrade.quantity)) === order.quantity) ||
          undefined
        )
      })
      assert.ok(
        of('SELL').every(
          (accountTrade) =>
            accountTrade.client_order_id === null &&
            accountTrade.base_asset === order.base_asset &&
            accountTrade.quote_asset === order.quote_asset &&
            !accountTrade.busted,
        ),
      )
      const found = await trading.find(orderLookupOf(order, Date.now()))
      assert.ok(found.lookup === 'found')
      // An order's own fills are the same trades, to the last digit.
      const bare = ({
        foreign_id,
        price,
        quantity,
        volume,
        fee,
        fee_asset,
        executed_at,
      }: VenueFill) => ({ foreign_id, price, quantity, volume, fee, fee_asset, executed_at })
      const sorted = (fills: VenueFill[]) =>
        fills.map(bare).toSorted((a, b) => (a.foreign_id < b.foreign_id ? -1 : 1))
      assert.deepEqual(sorted(of('BUY')), sorted(found.report.fills))
      assert.ok((cursor ?? '').length < 1_000)
      const whole = await read(null)
      for (const trade of [...before.trades, ...known.values()])
        assert.ok(
          whole.trades.some(
            (one) => one.foreign_id === trade.foreign_id && one.side === trade.side,
          ),
        )
    })

    test('C20 a trade that the venue takes back is told again as busted, and does not count for its order', async (context) => {
      const { trading } = fixture.venue
      if (trading?.trades === undefined || fixture.trading === undefined)
        return context.skip('does not tell its trades')
      const read = trading.trades
      const order = fixture.trading.good()
      assert.equal((await trading.send(order)).outcome, 'accepted')
      const first = await read(null)
      const [one] = first.trades.filter((trade) => trade.client_order_id === order.client_order_id)
      assert.ok(one !== undefined)
      await fixture.trading.bust(one)
      await until('the trade is busted', async () =>
        (await read(first.cursor)).trades.some(
          (trade) => trade.foreign_id === one.foreign_id && trade.busted,
        ),
      )
      const found = await trading.find(orderLookupOf(order, Date.now()))
      assert.ok(
        found.lookup === 'found' &&
          found.report.fills.some((fill) => fill.foreign_id === one.foreign_id && fill.busted),
      )
      assert.equal(found.report.filled_quantity, order.quantity - one.quantity)
    })

    test('C12 prices: listed pairs, sorted books, not crossed', async (context) => {
      const { prices } = fixture.venue
      if (prices === undefined || fixture.prices === undefined) return context.skip('no prices')
      const pair = fixture.prices
      const listed = await prices.pairs()
      assert.ok(
        listed.some(
          (marketPair) =>
            marketPair.base_asset === pair.base_asset &&
            marketPair.quote_asset === pair.quote_asset,
        ),
      )
      const books: OrderBook[] = []
      let tickers = 0
      const stop = prices.watch([pair], {
        book: (book) => {
          books.push(book)
        },
        ticker: () => {
          tickers += 1
        },
        lost: () => {},
      })
      await until('three books and a ticker', () => books.length >= 3 && tickers > 0)
      await stop()
      for (const { bids, asks } of books) {
        for (let level = 1; level < bids.length; level += 1)
          assert.ok((bids[level - 1]?.price ?? 0n) > (bids[level]?.price ?? 0n))
        for (let level = 1; level < asks.length; level += 1)
          assert.ok((asks[level - 1]?.price ?? 0n) < (asks[level]?.price ?? 0n))
        assert.ok((bids[0]?.price ?? 0n) < (asks[0]?.price ?? 0n))
        for (const level of [...bids, ...asks]) assert.ok(level.quantity > 0n && level.price > 0n)
      }
      const count = books.length
      await pause(300)
      assert.equal(books.length, count, 'nothing comes after the stop')
    })

    test('C15 a wallet is made once under its reference, can receive, and shows among the balances', async (context) => {
      const { wallets } = fixture.venue
      if (wallets === undefined || fixture.wallets === undefined)
        return context.skip('makes no wallets')
      const order = fixture.wallets.good()
      assert.deepEqual(await wallets.find(order), { lookup: 'absent' })
      const earlier = await fixture.wallets.received()
      assert.equal((await wallets.create(order)).outcome, 'accepted')
      const report = await made(wallets, order)
      assert.equal(report.state, 'ACTIVE', JSON.stringify(report))
      if (report.state !== 'ACTIVE') return
      assert.notEqual(
        checkAddress({
          asset: order.asset,
          protocol: order.protocol,
          address: report.address,
          tag: report.tag,
        }),
        'invalid',
        report.address,
      )
      assert.deepEqual(await wallets.create(order), { outcome: 'accepted', report })
      assert.deepEqual(await made(wallets, order), report)
      assert.ok(
        (await fixture.venue.balances()).some(
          (balance) => balance.wallet === report.wallet && balance.asset === order.asset,
        ),
      )
      const other = fixture.wallets.good()
      await wallets.create(other)
      const second = await made(wallets, other)
      assert.ok(
        second.state === 'ACTIVE' &&
          (second.address !== report.address || second.tag !== report.tag),
      )
      // A repeat may be asked again by its reference; what counts is that there is one wallet for
      // each.
      assert.ok((await fixture.wallets.received()) >= earlier + 2)
    })

    test('C16 a lost answer is not a refusal, and the wallet is made once', async (context) => {
      const { wallets } = fixture.venue
      if (wallets === undefined || fixture.wallets === undefined)
        return context.skip('makes no wallets')
      const order = fixture.wallets.good()
      const before = (await fixture.venue.balances()).map((balance) => balance.wallet)
      await fixture.wallets.losesAnswer()
      assert.equal((await (hasty().wallets ?? wallets).create(order)).outcome, 'unknown')
      if ((await wallets.find(order)).lookup === 'absent') await wallets.create(order)
      const report = await made(wallets, order)
      assert.ok(report.state === 'ACTIVE')
      const after = (await fixture.venue.balances()).map((balance) => balance.wallet)
      assert.deepEqual(
        after.filter((each) => !before.includes(each)),
        before.includes(report.wallet) ? [] : [report.wallet],
      )
    })

    test('C17 what the venue refuses to make is refused or FAILED', async (context) => {
      const { wallets } = fixture.venue
      if (wallets === undefined || fixture.wallets === undefined)
        return context.skip('makes no wallets')
      const order = fixture.wallets.refused()
      const answer = await wallets.create(order)
      if (answer.outcome !== 'refused') assert.equal((await made(wallets, order)).state, 'FAILED')
    })

    test('C13 a venue that is down: reads throw VenueUnreachable, acts answer, and it comes back', async () => {
      await fixture.down()
      await assert.rejects(
        fixture.venue.balances(),
        (error) => error instanceof ApiError && error.kind === 'VenueUnreachable',
      )
      if (fixture.venue.transfers !== undefined && fixture.transfers !== undefined) {
        assert.notEqual(
          (await fixture.venue.transfers.send(fixture.transfers.good())).outcome,
          'accepted',
        )
      }
      if (fixture.venue.trading !== undefined && fixture.trading !== undefined) {
        const answer = await fixture.venue.trading.send(fixture.trading.good())
        assert.ok(
          answer.outcome === 'refused' && answer.unreached === true,
          'it took no connection, and can be asked again',
        )
      }
      if (fixture.venue.wallets !== undefined && fixture.wallets !== undefined) {
        const order = fixture.wallets.good()
        assert.equal((await fixture.venue.wallets.create(order)).outcome, 'unknown')
        assert.equal((await fixture.venue.wallets.find(order)).lookup, 'unknown')
      }
      await fixture.up()
      await until('the venue is back', async () => fixture.venue.balances().catch(() => undefined))
    })

    test('C18 one transaction pays several destinations, whole or not at all, and each is told apart', async (context) => {
      const { transfers } = fixture.venue
      if (transfers === undefined || fixture.transfers === undefined)
        return context.skip('no transfers')
      const orders = fixture.transfers.many?.()
      if (orders === undefined) {
        assert.equal(
          transfers.output_group?.(fixture.transfers.good()) ?? null,
          null,
          'a venue that offers it shows it here',
        )
        return context.skip('one destination at a time')
      }
      const { good, refused } = orders
      const outputs = [good, ...(good.further_outputs ?? [])]
      assert.ok(outputs.length > 1)
      const groups = new Set(
        outputs.map((output) => transfers.output_group?.({ ...good, ...output })),
      )
      assert.ok(groups.size === 1 && typeof [...groups][0] === 'string')
      assert.ok((await transfers.estimateFee(good)).speed_levels.DEFAULT >= 0n)
      const earlier = await fixture.transfers.received()
      assert.equal((await transfers.send(refused)).outcome, 'refused')
      await fixture.transfers.losesAnswer()
      const submitted = Date.now()
      assert.equal((await (hasty().transfers ?? transfers).send(good)).outcome, 'unknown')
      await transfers.send(good)
      const done = await until('the transfer succeeds', async () => {
        const found = await transfers.find(lookupOf(good, submitted, null, claimed))
        assert.notEqual(found.lookup, 'absent')
        return found.lookup === 'found' && found.report.state === 'SUCCESS'
          ? found.report
          : undefined
      })
      claimed.push(done.foreign_id)
      assert.ok((await fixture.transfers.received()) > earlier)
      if (transfers.outgoing === undefined) return
      const left = (await transfers.outgoing(null)).movements.filter(
        (movement) => movement.external_id === good.external_id,
      )
      assert.deepEqual(
        left.map((outgoing) => [
          outgoing.output,
          outgoing.quantity,
          outgoing.state,
          outgoing.left,
          outgoing.transaction_hash,
        ]),
        outputs.map((output, place) => [
          place,
          output.quantity,
          'SUCCESS',
          true,
          done.transaction_hash,
        ]),
      )
      assert.equal(new Set(left.map((outgoing) => outgoing.foreign_id)).size, outputs.length)
      if (done.fee !== null)
        assert.equal(
          left.reduce((total, outgoing) => total + (outgoing.fee ?? 0n), 0n),
          done.fee,
          'the fee is told once',
        )
    })

    test('C17 what left is reported once as outgoing, and recognised by our reference or by the foreign id of its report', async (context) => {
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
        found.map((outgoing) => [
          outgoing.state,
          outgoing.left,
          outgoing.quantity,
          outgoing.asset,
          outgoing.protocol,
        ]),
        [['SUCCESS', true, order.quantity, order.asset, order.protocol]],
      )
      const again = await transfers.outgoing(cursor)
      assert.ok(
        again.movements.every((movement) =>
          movements.some((one) => one.foreign_id === movement.foreign_id),
        ),
        'nothing new under another id',
      )
    })
  })
}
