import assert from 'node:assert/strict'
import { after, afterEach, before, describe, it } from 'node:test'
import { absolute, decimal, format } from '../../core/decimal.ts'
import { newId } from '../../core/ids.ts'
import { balancesOf, putAsset, venueAccounts } from '../../ledger/index.ts'
import { bookingChange } from '../../ledger/lane/books.testing.ts'
import { sql } from '../../store/sql.ts'
import { balance, IBAN, movement } from '../../treasury/testing/venue.fixture.ts'
import type { TransferReport } from '../../venues/index.ts'
import { openReconciliation, positionOf, short } from './reconciliation.testing.ts'
import type { ReconciliationDesk } from './reconciliation.testing.ts'

describe('the cause of a break', () => {
  let desk: ReconciliationDesk
  let place: ReconciliationDesk['place']
  before(async () => {
    desk = await openReconciliation()
    place = desk.place
  })
  after(() => desk.end())
  /** Every test leaves venues and books equal. */
  afterEach(() => desk.assertNoBreak())

  it('recognises a fee that nobody told', async () => {
    const made = await place.call(
      'POST',
      `/treasury/wallets/routes/${place.routes.payout.id}/withdrawals`,
      { quantity: '0.5', speed_level: 'DEFAULT' },
    )
    await place.work()
    place.models.vault.finish(String(made.data['external_id']), {
      fee: null,
      transaction_hash: 'h2',
    })
    desk.holds('BTC', '9.4998')
    await place.later(20_000)
    const [found] = await desk.confirmed()
    assert.deepEqual(
      [found && short(found), found?.cause_resource_id],
      ['OPEN BTC -0.0002 FEE', made.data['id']],
    )
    await place.app.lane.commit({
      workspace: place.workspace,
      class: 'fact',
      by: 'test',
      ledger: [
        {
          step: 'book',
          booking: {
            id: newId(),
            type: 'WITHDRAWAL_FEE',
            asset: 'BTC',
            legs: [
              { account_id: place.house.FEE, type: 'DEBIT', quantity: decimal('0.0002') },
              {
                account_id: place.vault.accounts.VENUE,
                type: 'CREDIT',
                quantity: decimal('0.0002'),
              },
            ],
          },
        },
      ],
    })
  })

  it('names the rest of a settlement that was too small to be paid', async () => {
    const { TRADING } = await venueAccounts(place.db, place.workspace, place.vault.id)
    assert.ok(TRADING !== undefined)
    const quantity = decimal('0.0000000074')
    const settlement = newId()
    await place.app.lane.commit({
      workspace: place.workspace,
      class: 'fact',
      by: 'test',
      ledger: [
        {
          step: 'book',
          booking: {
            id: newId(),
            type: 'ROUNDING',
            asset: 'BTC',
            reference_type: 'settlement',
            reference_id: settlement,
            legs: [
              { account_id: TRADING, type: 'DEBIT', quantity },
              { account_id: place.house.ROUNDING, type: 'CREDIT', quantity },
            ],
          },
        },
      ],
    })
    desk.holds('BTC', '9.4997999926')
    const [found] = await desk.confirmed()
    assert.deepEqual(
      [found && short(found), found?.cause_resource_id],
      ['OPEN BTC -0.0000000074 UNMATCHED', settlement],
    )
    assert.match(found?.explanation ?? '', /rest of a settlement .* booked as rounding/)
    desk.holds('BTC', '9.4998')
    await place.later(20_000)
  })

  it('names the rest of a settlement that has not ended', async () => {
    const { TRADING } = await venueAccounts(place.db, place.workspace, place.vault.id)
    assert.ok(TRADING !== undefined)
    const balances = await balancesOf(place.db, place.workspace, TRADING)
    const rounded = balances.find(({ asset }) => asset === 'BTC')?.total ?? 0n
    const quantity = decimal('0.0000000011')
    await place.app.lane.commit({
      workspace: place.workspace,
      class: 'fact',
      by: 'test',
      ledger: [
        {
          step: 'book',
          booking: {
            id: newId(),
            type: 'SETTLEMENT',
            asset: 'BTC',
            reference_type: 'settlement',
            reference_id: newId(),
            legs: [
              { account_id: TRADING, type: 'DEBIT', quantity },
              { account_id: place.house.ROUNDING, type: 'CREDIT', quantity },
            ],
          },
        },
      ],
    })
    const rest = absolute(rounded - quantity)
    desk.holds('BTC', format(decimal('9.4998') - rest))
    const [found] = await desk.confirmed()
    assert.deepEqual(found && short(found), `OPEN BTC -${format(rest)} TIMING`)
    assert.match(found?.explanation ?? '', /rest of what is to be settled .* as rounding when/)
    desk.holds('BTC', '9.4998')
    await place.later(20_000)
  })

  it('names a booking by hand; a closed break opens again only over a change', async () => {
    const book = async (from: string, to: string, quantity: string) => {
      const change = bookingChange(place.workspace, { from, to, quantity })
      const committed = await place.app.lane.commit(change)
      assert.ok(committed.verdict === 'accepted')
      return committed.bookings[0]?.id
    }
    const booking = await book(place.bank.accounts.VENUE, place.house.HOUSE, '12.5')
    const [found] = await desk.confirmed()
    assert.ok(found)
    assert.deepEqual(
      { short: short(found), cause_resource_id: found.cause_resource_id },
      { short: 'OPEN EUR -12.5 UNMATCHED', cause_resource_id: booking },
    )

    assert.equal((await desk.close(found.id, ' ')).error_code, 3001)
    const closed = await desk.close(found.id, 'the bank will credit it on Monday')
    assert.deepEqual(
      {
        state: closed.data.state,
        closed_reason: closed.data.closed_reason,
        note: closed.data.note,
        closed_by: closed.data.closed_by,
      },
      {
        state: 'CLOSED',
        closed_reason: 'BY_HAND',
        note: 'the bank will credit it on Monday',
        closed_by: place.principal.user_id,
      },
    )
    assert.equal(
      (await desk.close(found.id, 'again')).error_details?.[0]?.code,
      'STATE_NOT_ALLOWED',
    )
    assert.equal((await desk.close(newId(), 'which')).error_code, 4004)
    assert.deepEqual(await place.events(found.id), ['break.opened', 'break.closed'])
    assert.deepEqual(await desk.confirmed(), [])
    assert.equal(
      positionOf(await desk.run(), place.bank.id, 'EUR'),
      'ACCEPTED 50012.5 50000 0 -12.5',
    )

    await book(place.bank.accounts.VENUE, place.house.HOUSE, '1')
    assert.deepEqual((await desk.confirmed()).map(short), ['OPEN EUR -13.5 UNKNOWN'])
    await book(place.house.HOUSE, place.bank.accounts.VENUE, '13.5')
  })

  it('says of an outcome that nobody knows that it is timing', async () => {
    place.models.vault.mode = 'late'
    const made = await place.call(
      'POST',
      `/treasury/wallets/routes/${place.routes.payout.id}/withdrawals`,
      { quantity: '0.2', speed_level: 'DEFAULT' },
    )
    await place.work()
    desk.holds('BTC', '9.3002')
    place.models.vault.down = true
    const [found] = await desk.confirmed()
    assert.deepEqual(
      {
        cause: found?.cause,
        cause_resource_id: found?.cause_resource_id,
        difference: found?.difference,
        on_the_way: found?.on_the_way,
      },
      {
        cause: 'TIMING',
        cause_resource_id: made.data['id'],
        difference: '0.0004',
        on_the_way: '-0.2',
      },
    )
    place.models.vault.down = false
    place.models.vault.mode = 'accept'
    place.models.vault.finish(String(made.data['external_id']), {
      fee: decimal('0'),
      fee_asset: 'BTC',
      transaction_hash: 'h3',
    })
    desk.holds('BTC', '9.2998')
    await place.later(120_000)
  })

  it('opens for a payment of which the bank booked another amount', async () => {
    const { bank, models, routes } = place
    const made = await place.call(
      'POST',
      `/treasury/wallets/routes/${routes.bankToExchange.id}/withdrawals`,
      { quantity: '100', speed_level: 'DEFAULT' },
    )
    await place.work()
    const end = (report: Partial<TransferReport>, total: string) => {
      models.bank.finish(String(made.data['external_id']), report)
      bank.balances = [balance('EUR', total, { wallet: IBAN })]
      return place.later(120_000)
    }
    await end({ state: 'UNKNOWN', reason: 'the bank booked 40 instead of 100' }, '49960')
    const [found] = await desk.confirmed()
    assert.deepEqual(
      [found && short(found), found?.cause_resource_id],
      ['OPEN EUR -40 TIMING', made.data['id']],
    )
    // The rest has followed.
    await end({ state: 'SUCCESS' }, '49900')
  })

  it('takes what was never opened for what it is', async () => {
    await putAsset(place.db, place.workspace, {
      code: 'ETH',
      label: 'Ether',
      kind: 'CRYPTO',
      scale: 8,
      circulating_supply: null,
    })
    desk.holds('ETH', '3')
    assert.deepEqual((await desk.confirmed()).map(short), ['OPEN ETH 3 OPENING'])
    await place.db.query(
      sql`
        insert into tasks (workspace, kind, subject_id, due_at)
        values (${place.workspace}, 'connect_venue', ${place.vault.id}, 0)`,
    )
    await place.work()
  })

  it('names the booked deposit that the venue may have taken back, or may have twice', async () => {
    place.arrives(place.vault, movement('booked', 'BTC', '0.77', { wallet: '0' }))
    await place.later(20_000)
    const [deposit] = await place.db.query<{ id: string }>(sql`
      select id
      from deposits
      where workspace = ${place.workspace}
        and foreign_id = 'booked'`)
    const [before] = (await desk.run()).filter(
      ({ venue_id, asset }) => venue_id === place.vault.id && asset === 'BTC',
    )
    assert.ok(before && deposit)
    const booked = decimal(before.ledger)
    for (const [held, how] of [
      [booked - decimal('0.77'), 'booked here, and which the venue may have taken back'],
      [booked + decimal('0.77'), 'booked here once, and which the venue may have twice'],
    ] as const) {
      desk.holds('BTC', format(held))
      const [found] = await desk.confirmed()
      assert.deepEqual(
        [found?.cause, found?.cause_resource_id, found?.explanation],
        ['UNMATCHED', deposit.id, `the size of deposit ${deposit.id}, which is ${how}`],
      )
    }
    desk.holds('BTC', format(booked))
  })
})
