import assert from 'node:assert/strict'
import { after, afterEach, before, describe, it } from 'node:test'
import { decimal } from '../../core/decimal.ts'
import { newId } from '../../core/ids.ts'
import { sql } from '../../store/sql.ts'
import {
  balance,
  departure,
  movement,
  OTHER_BTC_ADDRESS,
} from '../../treasury/testing/venue.fixture.ts'
import type { Break, Position } from './reconciliation.schema.ts'
import { openReconciliation } from './reconciliation.testing.ts'
import type { ReconciliationDesk } from './reconciliation.testing.ts'

/** A vault with two accounts, 0 and 1. */
describe('reconciliation by wallet', () => {
  let desk: ReconciliationDesk
  let place: ReconciliationDesk['place']
  let between: { id: string }
  before(async () => {
    desk = await openReconciliation()
    place = desk.place
    between = await place.route(
      place.wallets.vault,
      await place.venueWallet(place.vault, 'BTC', OTHER_BTC_ADDRESS, {
        vault_id: '1',
        protocol: 'BTC',
      }),
      'BTC',
    )
  })
  after(() => desk.end())
  afterEach(async () => {
    assert.deepEqual(await place.verify(), [])
  })

  const held = { 0: '10', 1: '0' }
  const holds = (wallets: Partial<typeof held>) => {
    Object.assign(held, wallets)
    place.vault.balances = Object.entries(held).map(([wallet, total]) =>
      balance('BTC', total, { wallet, protocol: 'BTC' }),
    )
  }
  const run = async (): Promise<Position> => {
    const positions = await desk.run()
    return (
      positions.find(({ venue_id, asset }) => venue_id === place.vault.id && asset === 'BTC') ??
      assert.fail(JSON.stringify(positions))
    )
  }
  /** Each wallet: what the books say, what the venue holds, what is on the way, what is left. */
  const lines = async (): Promise<string> => {
    const { state, wallets } = await run()
    return [
      state,
      ...wallets.map(
        ({ wallet, ledger, total, on_the_way, difference }) =>
          `${wallet}: ${ledger} ${total} ${on_the_way} ${difference}`,
      ),
    ].join('; ')
  }
  const show = (found: readonly Break[]): string[] =>
    found
      .map(
        ({ wallet, difference, cause, explanation }) =>
          `${wallet} ${difference} ${cause} ${explanation}`,
      )
      .toSorted()
  const breaks = async () => show(await desk.breaks('state=OPEN'))
  const confirmed = async () => show(await desk.confirmed())
  const book = (type: 'DEBIT' | 'CREDIT', quantity: string) =>
    place.app.lane.commit({
      workspace: place.workspace,
      class: 'command',
      by: 'test',
      ledger: [
        {
          step: 'book',
          booking: {
            id: newId(),
            type: 'MANUAL',
            asset: 'BTC',
            legs: [
              { account_id: place.vault.accounts.VENUE, type, quantity: decimal(quantity) },
              {
                account_id: place.house.HOUSE,
                type: type === 'DEBIT' ? 'CREDIT' : 'DEBIT',
                quantity: decimal(quantity),
              },
            ],
          },
        },
      ],
    })

  it('knows which wallet each movement, fee and reversal belongs to', async () => {
    assert.equal(await lines(), 'BALANCED; 0: 10 10 0 0')
    const made = await place.call('POST', `/treasury/wallets/routes/${between.id}/withdrawals`, {
      quantity: '3',
      speed_level: 'DEFAULT',
    })
    assert.equal(made.status, 200, made.text)
    await place.work()
    holds({ 0: '6.9998' })
    assert.equal(await lines(), 'BALANCED; 0: 10 6.9998 -3.0002 0; 1: 0 0 0 0')
    place.models.vault.finish(String(made.data['external_id']), {
      fee: decimal('0.0002'),
      fee_asset: 'BTC',
      transaction_hash: 'between',
    })
    await place.later(20_000)
    place.arrives(
      place.vault,
      movement('in-1', 'BTC', '3', {
        wallet: '1',
        protocol: 'BTC',
        transaction_hash: 'between',
        state: 'PENDING',
      }),
      movement('in-2', 'BTC', '2', { wallet: '1', protocol: 'BTC', transaction_hash: 'other' }),
    )
    await place.later(10_000)
    holds({ 1: '5' })
    assert.equal(await lines(), 'BALANCED; 0: 6.9998 6.9998 0 0; 1: 2 5 3 0')
    place.arrives(
      place.vault,
      movement('in-1', 'BTC', '3', { wallet: '1', protocol: 'BTC', transaction_hash: 'between' }),
    )
    await place.later(10_000)
    assert.equal(await lines(), 'BALANCED; 0: 6.9998 6.9998 0 0; 1: 5 5 0 0')
    place.arrives(
      place.vault,
      movement('in-2', 'BTC', '2', {
        wallet: '1',
        protocol: 'BTC',
        transaction_hash: 'other',
        state: 'REVERSED',
      }),
    )
    const sent =
      place.models.vault.accepted.get(String(made.data['external_id']))?.foreign_id ?? assert.fail()
    place.vault.outgoing.push(
      departure(sent, 'BTC', '3', {
        wallet: '0',
        fee: decimal('0.0003'),
        fee_asset: 'BTC',
        external_id: String(made.data['external_id']),
      }),
    )
    await place.later(10_000)
    holds({ 0: '6.9997', 1: '3' })
    assert.equal(await lines(), 'BALANCED; 0: 6.9997 6.9997 0 0; 1: 3 3 0 0')
  })

  it('finds what moved between two wallets though the venue holds as much as before', async () => {
    holds({ 0: '6.4997', 1: '3.5' })
    assert.deepEqual(await confirmed(), [
      '0 -0.5 UNMATCHED wallet 1 differs by just the opposite: it may have moved between the two',
      '1 0.5 UNMATCHED wallet 0 differs by just the opposite: it may have moved between the two',
    ])
    const { state, difference, ledger, venue, wallets, break_id } = await run()
    assert.deepEqual(
      { state, difference, ledger, venue, break_id },
      {
        state: 'BREAK',
        difference: '0',
        ledger: '9.9997',
        venue: '9.9997',
        break_id: wallets[0]?.break_id,
      },
    )
    const close = await desk.close(wallets[1]?.break_id, 'known')
    assert.deepEqual(
      { wallet: close.data.wallet, state: close.data.state },
      { wallet: '1', state: 'CLOSED' },
    )
    assert.deepEqual(
      (await confirmed()).map((text) => text.slice(0, 6)),
      ['0 -0.5'],
    )
    holds({ 0: '6.9997', 1: '3' })
    assert.deepEqual(await confirmed(), [])
    assert.equal((await run()).state, 'BALANCED')
  })

  it('takes what is booked by hand for the wallet that lacks it, else shows it apart', async () => {
    holds({ 1: '2.9' })
    assert.deepEqual(
      (await confirmed()).map((text) => text.slice(0, 14)),
      ['1 -0.1 UNKNOWN'],
    )
    await book('CREDIT', '0.1')
    assert.equal(await lines(), 'BALANCED; 0: 6.9997 6.9997 0 0; 1: 2.9 2.9 0 0')
    assert.deepEqual(await breaks(), [])
    await book('DEBIT', '0.7')
    assert.equal(
      (await confirmed()).join().replace(/[0-9a-f-]{36}/, 'B'),
      'null -0.7 UNMATCHED the size of booking B, made by hand',
    )
    assert.equal(await lines(), 'BREAK; 0: 6.9997 6.9997 0 0; 1: 2.9 2.9 0 0; null: 0.7 0 0 -0.7')
    holds({ 0: '7.6997' })
    assert.equal(await lines(), 'BALANCED; 0: 7.6997 7.6997 0 0; 1: 2.9 2.9 0 0')
    assert.deepEqual(await breaks(), [])
  })

  it('takes wallets from the venue that old books do not know, once nothing moves', async () => {
    await place.db.query(sql`
      update venue_openings
      set placed_at = null`)
    await place.db.query(sql`delete from wallet_positions`)
    const known = async () =>
      (
        await place.db.query(
          sql`
            select 1
            from venue_openings
            where venue_id = ${place.vault.id}
              and asset = 'BTC'
              and placed_at is not null`,
        )
      ).length === 1
    holds({ 1: '3' })
    assert.equal(await lines(), 'CHECKING; 0: null 7.6997 null null; 1: null 3 null null')
    place.arrives(
      place.vault,
      movement('in-3', 'BTC', '0.1', {
        wallet: '1',
        protocol: 'BTC',
        transaction_hash: 'third',
        state: 'PENDING',
      }),
    )
    await place.later(10_000)
    assert.equal((await run()).state, 'BALANCED')
    assert.equal(await known(), false)
    place.arrives(
      place.vault,
      movement('in-3', 'BTC', '0.1', { wallet: '1', protocol: 'BTC', transaction_hash: 'third' }),
    )
    await place.later(10_000)
    await run()
    assert.equal(await known(), true)
    assert.equal(await lines(), 'BALANCED; 0: 7.6997 7.6997 0 0; 1: 3 3 0 0')
    await place.db.query(
      sql`
        update venue_openings
        set placed_at = null
        where venue_id = ${place.exchange.id}`,
    )
    await run()
    assert.deepEqual(
      await place.db.query(
        sql`
          select 1
          from venue_openings
          where venue_id = ${place.exchange.id}
            and placed_at is not null`,
      ),
      [],
    )
  })
})
