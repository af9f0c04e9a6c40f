/** What an adapter says of something that was sent passes the gate, and is never left out. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { decimal } from '../../core/decimal.ts'
import type {
  AccountTrade,
  OrderReport,
  Trading,
  TransferReport,
  Transfers,
  Venue,
} from '../contract.ts'
import { withGate } from './gate.ts'

const MOST = 10n ** 38n

const report = (more: Partial<TransferReport> = {}): TransferReport => ({
  foreign_id: 'id',
  state: 'PENDING',
  sub_state: 'SENT',
  reason: null,
  transaction_hash: null,
  confirmations: null,
  fee: decimal('1'),
  fee_asset: 'BTC',
  ...more,
})

const fill = (more: Partial<AccountTrade> = {}): AccountTrade => ({
  foreign_id: 'trade',
  price: decimal('1'),
  quantity: decimal('1'),
  volume: decimal('1'),
  fee: 0n,
  fee_asset: 'EUR',
  liquidity: 'TAKER',
  executed_at: 1,
  busted: false,
  order_foreign_id: 'order',
  client_order_id: null,
  base_asset: 'BTC',
  quote_asset: 'EUR',
  side: 'BUY',
  ...more,
})

const order = (more: Partial<OrderReport> = {}): OrderReport => ({
  foreign_id: 'order',
  state: 'FILLED',
  reason: null,
  filled_quantity: decimal('1'),
  fills: [fill()],
  ...more,
})

/** Behind the gate, an adapter that answers this. */
const transfersThat = (answers: Partial<Transfers>): Transfers => {
  const venue = withGate({ kind: 'EXCHANGE', transfers: answers } as Venue)
  assert.ok(venue.transfers)
  return venue.transfers
}
const tradingThat = (answers: Partial<Trading>): Trading => {
  const venue = withGate({ kind: 'EXCHANGE', trading: answers } as Venue)
  assert.ok(venue.trading)
  return venue.trading
}
const sent = (answer: TransferReport) =>
  transfersThat({ send: async () => ({ outcome: 'accepted', report: answer }) }).send({} as never)
const found = (answer: TransferReport) =>
  transfersThat({ find: async () => ({ lookup: 'found', report: answer }) }).find({} as never)

describe('the gate', () => {
  it('hands on what can be stored, as it is', async () => {
    assert.deepEqual(await sent(report()), { outcome: 'accepted', report: report() })
    assert.deepEqual(await found(report()), { lookup: 'found', report: report() })
  })

  it('makes an outcome unknown whose report cannot be stored', async () => {
    const cases: [Partial<TransferReport>, string][] = [
      [{ foreign_id: '' }, 'foreign id is empty'],
      [{ fee: MOST }, 'fee has 21 digits before the point; the books take at most 20'],
      [
        { transaction_hash: 'a\0' },
        'transaction hash holds the character U+0000, which cannot be stored',
      ],
    ]
    for (const [more, objection] of cases) {
      const reason = `the venue's report cannot be stored: its ${objection}`
      assert.deepEqual(await sent(report(more)), { outcome: 'unknown', reason })
      assert.deepEqual(await found(report(more)), { lookup: 'unknown', reason })
    }
  })

  it('shortens and escapes words that nothing is decided by', async () => {
    const said = report({ sub_state: 's'.repeat(600), reason: 'refused\0' })
    const answer = await found(said)
    assert.ok(answer.lookup === 'found')
    assert.equal(answer.report.reason, String.raw`refused\u0000`)
    assert.equal(answer.report.sub_state, `${'s'.repeat(499)}…`)
    const refused = { outcome: 'refused' as const, reason: 'no\0', native: 'E\0' }
    assert.deepEqual(await transfersThat({ send: async () => refused }).send({} as never), {
      ...refused,
      reason: String.raw`no\u0000`,
      native: String.raw`E\u0000`,
    })
  })

  it('lets nothing of an allow-list through that cannot be stored', async () => {
    const half = 'policy \uD83D'
    const { allowlist } = withGate({
      kind: 'CUSTODY_VAULT',
      allowlist: {
        collect: async () => ({ outcome: 'accepted', report: { collection: half } }),
        allow: async () => ({ outcome: 'refused', reason: half, native: half }),
      },
    } as unknown as Venue)
    assert.deepEqual(await allowlist?.allow({} as never), {
      outcome: 'refused',
      reason: String.raw`policy \ud83d`,
      native: String.raw`policy \ud83d`,
    })
    assert.deepEqual(await allowlist?.collect({} as never), {
      outcome: 'unknown',
      reason:
        "the venue's report cannot be stored: its collection holds the character U+D83D, " +
        'which cannot be stored',
    })
  })

  it('does not take an order for known whose fills cannot be stored', async () => {
    const trading = tradingThat({
      find: async () => ({ lookup: 'found', report: order({ fills: [fill({ volume: MOST })] }) }),
      cancel: async () => ({ outcome: 'accepted', report: order() }),
    })
    assert.deepEqual(await trading.find({} as never), {
      lookup: 'unknown',
      reason:
        "the venue's report cannot be stored: its volume has 21 digits before the point; " +
        'the books take at most 20',
    })
    assert.deepEqual(await trading.cancel({} as never), { outcome: 'accepted', report: order() })
  })

  it('sets a trade aside that cannot be stored, and hands on the others', async () => {
    const bad = fill({ foreign_id: 'x'.repeat(600) })
    const { trades: read } = tradingThat({
      trades: async (cursor, from) => ({ trades: [fill(), bad], cursor: `${cursor} ${from}` }),
    })
    assert.ok(read)
    const { trades, set_aside = [], cursor } = await read('then', 5)
    assert.deepEqual([trades, cursor], [[fill()], 'then 5'])
    assert.match(set_aside[0]?.foreign_id ?? '', /^x{99}… [0-9a-f]{16}$/)
    assert.match(set_aside[0]?.reason ?? '', /^foreign id has 600 characters; at most 500/)
  })
})
