import assert from 'node:assert/strict'
import { after, afterEach, before, describe, it } from 'node:test'
import { decimal } from '../../core/decimal.ts'
import { newId } from '../../core/ids.ts'
import { testServer } from '../../http/testing.ts'
import type { TestServer } from '../../http/testing.ts'
import { putAsset } from '../../ledger/index.ts'
import { bookingChange } from '../../ledger/lane/books.testing.ts'
import { sql } from '../../store/sql.ts'
import { openMovements } from '../../treasury/testing/movements.testing.ts'
import { balance, movement } from '../../treasury/testing/venue.fixture.ts'
import { CONFIRM_MILLISECONDS } from './comparison.ts'
import type { Break, Position } from './reconciliation.schema.ts'
import { deskEndpoints, deskTasks } from '../index.ts'

type Place = Awaited<ReturnType<typeof openMovements>>

describe('reconciliation', () => {
  let place: Place
  let api: TestServer
  before(async () => {
    place = await openMovements()
    const principal = { ...place.principal, permissions: new Set(['desk.read', 'breaks.close']) }
    api = await testServer({
      db: place.db,
      clock: place.clock,
      endpoints: deskEndpoints(place.app),
      authenticate: async () => principal,
    })
  })
  after(async () => {
    await api.close()
    await place.close()
  })
  /** Every test leaves venues and books equal. */
  afterEach(async () => {
    await place.later(60_000)
    await run()
    assert.deepEqual((await breaks('state=OPEN')).map(short), [])
    assert.deepEqual(await place.verify(), [])
  })

  const run = async (): Promise<Position[]> => {
    const answer = await api.call<Position[]>('POST', '/desk/reconciliation/run')
    assert.equal(answer.status, 200, answer.text)
    return answer.data
  }
  const breaks = async (query = ''): Promise<Break[]> =>
    (await api.call<Break[]>('GET', `/desk/breaks?${query}`)).data
  const short = ({ state, asset, difference, cause }: Break) =>
    `${state} ${asset} ${difference} ${cause}`
  const of = (positions: Position[], venue_id: string, asset: string) => {
    const found = positions.find(
      (position) => position.venue_id === venue_id && position.asset === asset,
    )
    return (
      found &&
      `${found.state} ${found.ledger} ${found.venue} ${found.on_the_way} ${found.difference}`
    )
  }
  /** Looks until what differs is a break. */
  const confirmed = async (): Promise<Break[]> => {
    await run()
    await place.later(CONFIRM_MILLISECONDS)
    await run()
    return breaks('state=OPEN')
  }
  const holds = (asset: string, total: string) => {
    const wallet = asset === 'BTC' ? { wallet: '0', protocol: 'BTC' } : {}
    place.vault.balances = [
      ...place.vault.balances.filter((balance) => balance.asset !== asset),
      balance(asset, total, wallet),
    ]
  }

  it('finds nothing where venues and books agree', async () => {
    assert.deepEqual(
      (await run()).map(({ state }) => state),
      ['BALANCED', 'BALANCED', 'BALANCED', 'BALANCED'],
    )
    assert.equal(of(await run(), place.vault.id, 'BTC'), 'BALANCED 10 10 0 0')
    assert.deepEqual(await breaks(), [])
  })

  it('opens a break once it has lasted, closes it when the missing deposit is read', async () => {
    holds('BTC', '10.3')
    assert.equal(of(await run(), place.vault.id, 'BTC'), 'CHECKING 10 10.3 0 0.3')
    assert.deepEqual(await breaks(), [])
    place.clock.advance(CONFIRM_MILLISECONDS)
    assert.equal(of(await run(), place.vault.id, 'BTC'), 'BREAK 10 10.3 0 0.3')
    const [found] = await breaks('state=open')
    assert.ok(found)
    assert.deepEqual(
      { short: short(found), age_ms: found.age_ms, explanation: found.explanation },
      {
        short: 'OPEN BTC 0.3 UNKNOWN',
        age_ms: CONFIRM_MILLISECONDS,
        explanation: 'nothing of this size was found',
      },
    )
    place.arrives(place.vault, movement('late', 'BTC', '0.3', { wallet: '0' }))
    await place.later(20_000)
    assert.equal(of(await run(), place.vault.id, 'BTC'), 'BALANCED 10.3 10.3 0 0')
    const [closed] = await breaks(`venue_id=${place.vault.id}&asset=BTC&limit=1`)
    assert.deepEqual(
      { id: closed?.id, state: closed?.state, closed_reason: closed?.closed_reason },
      { id: found.id, state: 'CLOSED', closed_reason: 'RESOLVED' },
    )
    assert.deepEqual(await place.events(found.id), ['break.opened', 'break.closed'])
  })

  it('knows what is on the way, whether or not the venue shows it', async () => {
    const before = await run()
    const route = place.routes.vaultToExchange.id
    const made = await place.call('POST', `/treasury/wallets/routes/${route}/withdrawals`, {
      quantity: '1',
      speed_level: 'DEFAULT',
    })
    assert.equal(made.status, 200, made.text)
    await place.work()
    assert.equal(of(before, place.vault.id, 'BTC'), 'BALANCED 10.3 10.3 0 0')
    assert.equal(of(await run(), place.vault.id, 'BTC'), 'BALANCED 10.3 10.3 0 0')
    holds('BTC', '9.2998')
    assert.equal(of(await run(), place.vault.id, 'BTC'), 'BALANCED 10.3 9.2998 -1.0002 0')
    place.models.vault.finish(String(made.data['external_id']), {
      fee: decimal('0.0002'),
      fee_asset: 'BTC',
      transaction_hash: 'h1',
    })
    await place.later(20_000)
    assert.equal(of(await run(), place.vault.id, 'BTC'), 'BALANCED 9.2998 9.2998 0 0')
    place.exchange.balances = [balance('BTC', '6'), balance('EUR', '100000')]
    place.arrives(
      place.exchange,
      movement('in', 'BTC', '1', { state: 'PENDING', transaction_hash: 'h1' }),
    )
    await place.later(10_000)
    assert.equal(of(await run(), place.exchange.id, 'BTC'), 'BALANCED 5 6 1 0')
    place.arrives(place.exchange, movement('in', 'BTC', '1', { transaction_hash: 'h1' }))
    await place.later(10_000)
    assert.equal(of(await run(), place.exchange.id, 'BTC'), 'BALANCED 6 6 0 0')
  })

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
    holds('BTC', '8.7996')
    await place.later(20_000)
    const [found] = await confirmed()
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

  it('names a booking by hand; a closed break opens again only over a change', async () => {
    const book = async (from: string, to: string, quantity: string) => {
      const change = bookingChange(place.workspace, { from, to, quantity })
      const committed = await place.app.lane.commit(change)
      assert.ok(committed.verdict === 'accepted')
      return committed.bookings[0]?.id
    }
    const booking = await book(place.bank.accounts.VENUE, place.house.HOUSE, '12.5')
    const [found] = await confirmed()
    assert.ok(found)
    assert.deepEqual(
      { short: short(found), cause_resource_id: found.cause_resource_id },
      { short: 'OPEN EUR -12.5 UNMATCHED', cause_resource_id: booking },
    )

    const close = (id: string, body: unknown) =>
      api.call<Break>('POST', `/desk/breaks/${id}/close`, { body })
    assert.equal((await close(found.id, { note: ' ' })).error_code, 3001)
    const closed = await close(found.id, { note: 'the bank will credit it on Monday' })
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
      (await close(found.id, { note: 'again' })).error_details?.[0]?.code,
      'STATE_NOT_ALLOWED',
    )
    assert.equal((await close(newId(), { note: 'which' })).error_code, 4004)
    assert.deepEqual(await place.events(found.id), ['break.opened', 'break.closed'])
    assert.deepEqual(await confirmed(), [])
    assert.equal(of(await run(), place.bank.id, 'EUR'), 'ACCEPTED 50012.5 50000 0 -12.5')

    await book(place.bank.accounts.VENUE, place.house.HOUSE, '1')
    assert.deepEqual((await confirmed()).map(short), ['OPEN EUR -13.5 UNKNOWN'])
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
    holds('BTC', '8.6')
    place.models.vault.down = true
    const [found] = await confirmed()
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
    holds('BTC', '8.5996')
    await place.later(120_000)
  })

  it('takes what was never opened for what it is', async () => {
    await putAsset(place.db, place.workspace, {
      code: 'ETH',
      label: 'Ether',
      kind: 'CRYPTO',
      scale: 8,
      circulating_supply: null,
    })
    holds('ETH', '3')
    assert.deepEqual((await confirmed()).map(short), ['OPEN ETH 3 OPENING'])
    await place.db.query(
      sql`
        insert into tasks (workspace, kind, subject_id, due_at)
        values (${place.workspace}, 'connect_venue', ${place.vault.id}, 0)`,
    )
    await place.work()
  })

  it('judges nothing that moves while it looks, and looks again', async () => {
    let moved = 0
    const move = (from: string, to: string) =>
      place.app.lane.commit({
        workspace: place.workspace,
        class: 'fact',
        by: 'test',
        ledger: [
          {
            step: 'book',
            booking: {
              id: newId(),
              type: 'DEPOSIT',
              asset: 'EUR',
              legs: [
                { account_id: from, type: 'DEBIT', quantity: decimal('5') },
                { account_id: to, type: 'CREDIT', quantity: decimal('5') },
              ],
            },
          },
        ],
      })
    const moves: Promise<unknown>[] = []
    // The booking waits for nobody: it is committed before or after the second reading, and never
    // half-way.
    place.bank.onBalances = () => {
      moved += 1
      if (moved === 1) {
        place.bank.balances = [balance('EUR', '50005', { wallet: 'DE89370400440532013000' })]
        moves.push(move(place.bank.accounts.VENUE, place.house.SUSPENSE))
      }
    }
    await run()
    await Promise.all(moves)
    place.bank.onBalances = () => undefined
    assert.equal(of(await run(), place.bank.id, 'EUR'), 'BALANCED 50005 50005 0 0')
    place.clock.advance(CONFIRM_MILLISECONDS)
    assert.equal(of(await run(), place.bank.id, 'EUR'), 'BALANCED 50005 50005 0 0')
  })

  it('says nothing of a venue that does not answer', async () => {
    place.exchange.down = true
    const at = place.clock.now()
    place.clock.advance(1_000)
    const positions = await run()
    assert.ok(
      positions
        .filter((position) => position.venue_id === place.exchange.id)
        .every((position) => position.compared_at <= at),
    )
    assert.ok(
      positions
        .filter((position) => position.venue_id === place.bank.id)
        .every((position) => position.compared_at > at),
    )
    place.exchange.down = false
  })

  it('keeps a snapshot of each change, and one position however often it looks', async () => {
    const count = async () =>
      (
        await place.db.query(
          sql`
            select 1
            from position_snapshots
            where workspace = ${place.workspace}`,
        )
      ).length
    const [before, positions] = [await count(), (await run()).length]
    for (let turn = 0; turn < 3; turn += 1) {
      place.clock.advance(60_000)
      await run()
    }
    assert.deepEqual(
      { count: await count(), length: (await run()).length },
      { count: before, length: positions },
    )
  })

  it('is due every minute, and sooner while something is in doubt', async () => {
    const { reconcile } = deskTasks(place.app)
    const task = {
      workspace: place.workspace,
      kind: 'reconcile',
      subject_id: place.workspace,
      attempts: 1,
    }
    const due = async () => {
      const result = await reconcile?.(task)
      return result === 'done' || result === undefined
        ? result
        : result.again_at - place.clock.now()
    }
    assert.equal(await due(), 60_000)
    place.exchange.balances = [balance('BTC', '7'), balance('EUR', '100000')]
    assert.equal(await due(), CONFIRM_MILLISECONDS)
    place.exchange.balances = [balance('BTC', '6'), balance('EUR', '100000')]
    assert.equal(await due(), 60_000)
  })
})
