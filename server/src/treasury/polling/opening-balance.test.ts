/** What the opening balance of a venue contains is not booked again. */
import assert from 'node:assert/strict'
import { afterEach, beforeEach, describe, it } from 'node:test'
import { decimal, format } from '../../core/decimal.ts'
import { balancesOf } from '../../ledger/index.ts'
import { sql } from '../../store/sql.ts'
import { connectVenueTask } from '../opening/opening.ts'
import type { FakeVenue } from '../testing/fake-venue.testing.ts'
import {
  balance,
  BTC_ADDRESS,
  departure,
  movement,
  openWorkplace,
} from '../testing/venue.fixture.ts'
import type { Workplace } from '../testing/venue.fixture.ts'
import { createWallet } from '../wallets/wallets.ts'
import { pollTask } from './poll.ts'

describe('what moved before a venue was connected', () => {
  let place: Workplace
  beforeEach(async () => {
    place = await openWorkplace()
  })
  afterEach(() => place.close())

  const task = (venue: FakeVenue, kind: string) => ({
    workspace: place.workspace,
    kind,
    subject_id: venue.id,
    attempts: 1,
  })
  const connect = (venue: FakeVenue) => connectVenueTask(place.app)(task(venue, 'connect_venue'))
  const pollExchange = () => pollTask(place.app)(task(place.exchange, 'poll_venue'))
  const booked = async (venue: FakeVenue) => {
    const balances = await balancesOf(place.db, place.workspace, venue.accounts.VENUE)
    return format(balances.find((balance) => balance.asset === 'BTC')?.total ?? 0n)
  }
  const bookingTypes = async () => {
    const bookings = await place.db.query<{ type: string }>(sql`
      select type
      from bookings
      where workspace = ${place.workspace}
      order by sequence`)
    return bookings.map((booking) => booking.type)
  }
  /** What the opening balance is known to contain. */
  const counted = async (venue: FakeVenue) => {
    const movements = await place.db.query<{ foreign_id: string }>(sql`
      select foreign_id
      from opening_movements
      where workspace = ${place.workspace}
        and venue_id = ${venue.id}
      order by foreign_id`)
    return movements.map((row) => row.foreign_id)
  }

  it('is in the balance that is booked when it is connected', async () => {
    const { exchange } = place
    exchange.balances = [balance('BTC', '5')]
    exchange.outgoing = [
      departure('old', 'BTC', '1'),
      departure('held', 'BTC', '2', { state: 'PENDING', left: false }),
      departure('gone', 'BTC', '3', { state: 'PENDING', left: true }),
      departure('failed', 'BTC', '4', { state: 'FAILED' }),
    ]
    let moved = false
    exchange.onBalances = () => {
      if (moved) return
      moved = true
      exchange.outgoing.push(departure('between', 'BTC', '1'))
      exchange.balances = [balance('BTC', '4')]
    }
    assert.equal(await connect(exchange), 'done')
    assert.deepEqual(
      { booked: await booked(exchange), counted: await counted(exchange) },
      { booked: '4', counted: ['out:between', 'out:failed', 'out:gone', 'out:old'] },
    )
  })

  it('is integrated beside the balance, as integrate_from says', async () => {
    const { vault } = place
    const since = place.clock.now() - 1_000
    await place.db.tx((tx) =>
      createWallet(
        place.caller,
        { tx, clock: place.clock },
        {
          type: 'VENUE',
          asset: 'BTC',
          address: BTC_ADDRESS,
          label: 'Vault BTC',
          service_id: vault.service_id,
          venue_id: vault.id,
          account_id: vault.accounts.VENUE,
          access_type: 'INTERNAL',
          configuration: { vault_id: '0', protocol: 'BTC' },
        },
        { key: 'vault-btc', declared_hash: 'x', reference_text: null, integrate_from: since },
      ),
    )
    const at = { wallet: '0', protocol: 'BTC', fee: 10n ** 17n, fee_asset: 'BTC' }
    vault.balances = [balance('BTC', '3', { wallet: '0', protocol: 'BTC' })]
    vault.outgoing = [
      departure('before', 'BTC', '1', { ...at, occurred_at: since - 1 }),
      departure('since', 'BTC', '2', { ...at, occurred_at: since }),
    ]
    assert.equal(await connect(vault), 'done')
    assert.deepEqual(
      { booked: await booked(vault), counted: await counted(vault) },
      { booked: '5.1', counted: ['out:before'] },
    )
  })

  it('is taken out again when the venue reverses it, once', async () => {
    const { exchange } = place
    exchange.balances = [balance('BTC', '5')]
    exchange.incoming = [
      movement('in', 'BTC', '2'),
      movement('never', 'BTC', '9', { state: 'FAILED' }),
    ]
    exchange.outgoing = [
      departure('out', 'BTC', '1', { state: 'PENDING', fee: decimal('0.1'), fee_asset: 'BTC' }),
    ]
    await connect(exchange)
    const poll = async () => {
      await pollExchange()
      return booked(exchange)
    }
    assert.equal(await poll(), '5')
    exchange.incoming.push(
      movement('in', 'BTC', '2', { state: 'REVERSED' }),
      movement('never', 'BTC', '9', { state: 'FAILED' }),
    )
    assert.equal(await poll(), '3')
    exchange.outgoing.push(
      departure('out', 'BTC', '1', {
        state: 'FAILED',
        left: false,
        fee: decimal('0.02'),
        fee_asset: 'BTC',
      }),
    )
    assert.equal(await poll(), '4.08')
    await place.db.query(sql`
      update incoming_cursors
      set cursor = null`)
    await place.db.query(sql`
      update outgoing_cursors
      set cursor = null`)
    assert.equal(await poll(), '4.08')
    assert.deepEqual(await bookingTypes(), ['OPENING', 'REVERSAL', 'REVERSAL'])
    const adjustments = await place.db.query(sql`
      select 1
      from events
      where workspace = ${place.workspace}
        and type = 'venue.opening_balance_adjusted'`)
    assert.equal(adjustments.length, 2)
  })

  it('is never booked as a failure with a fee', async () => {
    const { exchange } = place
    exchange.balances = [balance('BTC', '5')]
    exchange.outgoing = [
      departure('before', 'BTC', '1', {
        state: 'FAILED',
        left: false,
        fee: decimal('0.1'),
        fee_asset: 'BTC',
        occurred_at: place.clock.now(),
      }),
    ]
    await connect(exchange)
    exchange.outgoing.push(
      departure('before', 'BTC', '1', {
        state: 'FAILED',
        left: false,
        fee: decimal('0.1'),
        fee_asset: 'BTC',
        occurred_at: place.clock.now() + 1,
      }),
    )
    await pollExchange()
    assert.deepEqual(await bookingTypes(), ['OPENING'])
    const withdrawals = await place.db.query(sql`
      select 1
      from withdrawals
      where workspace = ${place.workspace}`)
    assert.deepEqual(withdrawals, [])
  })
})
