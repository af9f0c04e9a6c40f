import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { putSettings } from '../../access/index.ts'
import { newId } from '../../core/ids.ts'
import { workerCaller } from '../../http/index.ts'
import { refusalOf } from '../../http/testing.ts'
import { decimal } from '../../core/decimal.ts'
import { sql } from '../../store/sql.ts'
import { IBAN, movement } from '../testing/venue.fixture.ts'
import { insertExpectedArrival } from './expected-arrivals.ts'
import { openRelations, PAYOUT_IBAN } from './relations.testing.ts'

const FROM_VENUE = { source_address: PAYOUT_IBAN }

describe('a deposit related by a person', () => {
  let world: Awaited<ReturnType<typeof openRelations>>
  before(async () => {
    world = await openRelations()
  })
  after(async () => {
    assert.deepEqual(await world.place.verify(), [])
    await world.place.close()
  })

  it('is the arrival of its transfer, which can be taken back and related again', async () => {
    const { hasArrived, leaves, place, read, relate, suspenseAndTransit, unrelate, wire } = world
    const zero = await suspenseAndTransit()
    const sent = await leaves('100')
    const other = await read(await wire('100'))
    const real = await read(await wire('100', FROM_VENUE))
    const related = await relate(other.id, { withdrawal_id: sent.id })
    assert.deepEqual(related.data, await world.readById(other.id))
    assert.partialDeepStrictEqual(related.data, {
      state: 'SUCCESSFUL',
      own_transfer: true,
      nature: 'OWN_TRANSFER',
      related_withdrawal_id: sent.id,
    })
    assert.equal(await hasArrived(sent.id), true)
    const again = await relate(other.id, { withdrawal_id: sent.id })
    assert.deepEqual(again.data, related.data, 'a repeat changes nothing')

    const back = await unrelate(other.id, "Bob's wire")
    assert.deepEqual(back.data, await world.readById(other.id))
    assert.partialDeepStrictEqual(back.data, {
      state: 'UNASSIGNED',
      own_transfer: false,
      nature: 'UNASSIGNED',
      related_withdrawal_id: null,
    })
    assert.equal(await hasArrived(sent.id), false)
    assert.deepEqual(await place.bookings(other.id), [
      'DEPOSIT EUR D bank 100, C suspense 100',
      'REVERSAL EUR C bank 100, D suspense 100',
      'TRANSFER EUR D bank 100, C transit 100',
      'REVERSAL EUR C bank 100, D transit 100',
      'DEPOSIT EUR D bank 100, C suspense 100',
    ])
    assert.deepEqual((await place.events(other.id)).slice(-2), [
      'deposit.related',
      'deposit.unrelated',
    ])

    const bob = await place.customer('Bob')
    await world.assign(other.id, [{ account_id: bob.account_id, quantity: '100' }])
    await relate(real.id, { withdrawal_id: sent.id })
    assert.deepEqual(await suspenseAndTransit(), zero)
    assert.equal(await place.total(bob.account_id), '100')
    const listed = await place.call<{ id: string }[]>(
      'GET',
      `/treasury/deposits?related_withdrawal_id=${sent.id}`,
    )
    assert.deepEqual(
      listed.data.map(({ id }) => id),
      [real.id],
    )
  })

  it('can be one that was recognised wrongly, and the real one is recognised then', async () => {
    const { leaves, payoutIbans, place, read, unrelate, wire } = world
    await payoutIbans([PAYOUT_IBAN])
    const sent = await leaves('110')
    const swallowed = await read(await wire('110', FROM_VENUE))
    assert.equal(swallowed.related_withdrawal_id, sent.id)
    assert.equal((await unrelate(swallowed.id)).data.state, 'UNASSIGNED')
    const bob = await place.customer('Bob')
    await world.assign(swallowed.id, [{ account_id: bob.account_id, quantity: '110' }])
    const real = await read(await wire('110', FROM_VENUE))
    await payoutIbans([])
    assert.equal(real.related_withdrawal_id, sent.id)
    assert.equal(refusalOf(await unrelate(swallowed.id)), '400 3001 STATE_NOT_ALLOWED ')
  })

  it('is refused where it cannot be the arrival', async () => {
    const { leaves, place, read, relate, routes, wire } = world
    const open = await leaves('120')
    const deposit = await read(await wire('120'))
    const refused = async (id: string, body: object) => refusalOf(await relate(id, body))
    const to = (withdrawal_id: string) => ({ withdrawal_id })
    assert.equal(await refused(deposit.id, {}), '400 3001 REQUIRED withdrawal_id')
    assert.equal(
      await refused(deposit.id, { ...to(open.id), part_id: newId() }),
      '400 3001 REQUIRED withdrawal_id',
    )
    const less = await leaves('119.99')
    assert.equal(await refused(deposit.id, to(less.id)), '400 3001 SUM_MISMATCH withdrawal_id')
    const coins = await leaves('0.01', routes.exchangeToVault)
    assert.equal(await refused(deposit.id, to(coins.id)), '400 3001 ASSET_MISMATCH withdrawal_id')
    const elsewhere = await place.call<{ id: string }>(
      'POST',
      `/treasury/wallets/routes/${routes.bankToExchange.id}/withdrawals`,
      { quantity: '120', speed_level: 'DEFAULT' },
    )
    assert.equal(
      await refused(deposit.id, to(elsewhere.data.id)),
      '400 3001 CONFLICT withdrawal_id',
    )
    assert.equal(await refused(deposit.id, to(newId())), '404 4004 NOT_FOUND withdrawal_id')
    assert.equal(await refused(newId(), to(open.id)), '404 4004 NOT_FOUND deposit_id')
    assert.equal(
      refusalOf(await relate(deposit.id, to(open.id), { token: 'stranger' })),
      '404 4004 NOT_FOUND deposit_id',
    )
    const settled = await leaves('121')
    const arrived = await read(await wire('121'))
    await relate(arrived.id, to(settled.id))
    assert.equal(await refused(arrived.id, to(open.id)), '400 3001 CONFLICT ')
    const second = await read(await wire('121'))
    assert.equal(await refused(second.id, to(settled.id)), '400 3001 CONFLICT withdrawal_id')
    await world.assign(second.id, [{ account_id: place.alice.account_id, quantity: '1' }])
    assert.equal(await refused(second.id, to(open.id)), '400 3001 STATE_NOT_ALLOWED ')
    const pending = await read(await wire('120', { state: 'PENDING' }))
    assert.equal(await refused(pending.id, to(open.id)), '400 3001 STATE_NOT_ALLOWED ')
    assert.equal((await world.readById(deposit.id)).version, deposit.version)
  })

  it('is refused in a closed period, and a return is not taken back', async () => {
    const { leaves, place, read, relate, routes, unrelate, wire } = world
    const sent = await leaves('130')
    const deposit = await read(await wire('130'))
    const openFrom = (open_period_from: number | null) =>
      place.db.tx((tx) =>
        putSettings(workerCaller(place.workspace, 'test'), tx, place.clock, { open_period_from }),
      )
    await openFrom(place.clock.now() + 86_400_000)
    assert.equal(
      refusalOf(await relate(deposit.id, { withdrawal_id: sent.id })),
      '400 3001 PERIOD_CLOSED ',
    )
    await openFrom(null)
    const paid = await place.call<{ id: string; external_id: string }>(
      'POST',
      `/treasury/wallets/routes/${routes.bankToExchange.id}/withdrawals`,
      { quantity: '131', speed_level: 'DEFAULT' },
    )
    await place.work()
    place.models.bank.finish(paid.data.external_id, {})
    await place.later(2_000)
    const returned = await read(await wire('131', { related_external_id: paid.data.external_id }))
    assert.partialDeepStrictEqual(returned, { own_transfer: true, state: 'SUCCESSFUL' })
    assert.equal(refusalOf(await unrelate(returned.id)), '400 3001 STATE_NOT_ALLOWED ')
  })

  it('stays related when accounts could be assigned nothing of it', async () => {
    const { leaves, place, read, relate, unrelate, wire } = world
    const sent = await leaves('135')
    const { id } = await read(await wire('135'))
    await relate(id, { withdrawal_id: sent.id })
    const setAssignable = (quantity: string) =>
      place.db.query(sql`
        update deposits
        set assignable_quantity = ${quantity}
        where id = ${id}`)
    await setAssignable('0')
    assert.equal(refusalOf(await unrelate(id)), '400 3001 STATE_NOT_ALLOWED ')
    await setAssignable('135')
    assert.equal((await unrelate(id)).data.state, 'UNASSIGNED')
    await relate(id, { withdrawal_id: sent.id })
  })

  it('is related once under one idempotency key', async () => {
    const { leaves, place, read, relate, unrelate, wire } = world
    const sent = await leaves('140')
    const deposit = await read(await wire('140'))
    const headers = { 'idempotency-key': 'relate-140' }
    const first = await relate(deposit.id, { withdrawal_id: sent.id }, { headers })
    await unrelate(deposit.id)
    const repeated = await relate(deposit.id, { withdrawal_id: sent.id }, { headers })
    assert.deepEqual(repeated.data, first.data)
    assert.equal((await world.readById(deposit.id)).state, 'UNASSIGNED')
    assert.equal((await place.bookings(deposit.id)).length, 5)
  })

  it('to two transfers at once, and two of them to one, end with one relation', async () => {
    const { leaves, read, relate, suspenseAndTransit, wire } = world
    const before = await suspenseAndTransit()
    const transfers = [await leaves('150'), await leaves('150')]
    const deposit = await read(await wire('150'))
    const answers = await Promise.all(
      transfers.map(({ id }) => relate(deposit.id, { withdrawal_id: id })),
    )
    assert.deepEqual(answers.map(({ status }) => status).toSorted(), [200, 400])
    const [rest] = transfers.filter((_transfer, index) => answers[index]?.status === 400)
    const more = [await read(await wire('150')), await read(await wire('150'))]
    const both = await Promise.all(
      more.map(({ id }) => relate(id, { withdrawal_id: rest?.id ?? '' })),
    )
    assert.deepEqual(both.map(({ status }) => status).toSorted(), [200, 400])
    const [suspense = '', transit] = await suspenseAndTransit()
    assert.deepEqual(
      [decimal(suspense) - decimal('150'), transit],
      [decimal(before[0] ?? ''), before[1]],
    )
  })

  it('is not related when its venue takes it back meanwhile', async () => {
    const { hasArrived, leaves, place, read, relate, suspenseAndTransit, wire } = world
    const sent = await leaves('160')
    const before = await suspenseAndTransit()
    const seen = await wire('160')
    const deposit = await read(seen)
    const { lane } = place.app
    const { commit } = lane
    lane.commit = async (change) => {
      lane.commit = commit
      place.arrives(place.bank, movement(seen, 'EUR', '160', { wallet: IBAN, state: 'REVERSED' }))
      await place.later(10_000)
      return commit(change)
    }
    const answer = await relate(deposit.id, { withdrawal_id: sent.id })
    assert.equal(refusalOf(answer), '400 3001 STATE_NOT_ALLOWED ')
    assert.equal((await world.readById(deposit.id)).state, 'REVERSED')
    assert.deepEqual([await hasArrived(sent.id), await suspenseAndTransit()], [false, before])
  })

  it('leaves its transfer open when its venue takes it back afterwards', async () => {
    const { hasArrived, leaves, place, relate, read, suspenseAndTransit, wire } = world
    const sent = await leaves('170')
    const before = await suspenseAndTransit()
    const seen = await wire('170')
    await relate((await read(seen)).id, { withdrawal_id: sent.id })
    place.arrives(place.bank, movement(seen, 'EUR', '170', { wallet: IBAN, state: 'REVERSED' }))
    await place.later(10_000)
    assert.deepEqual([await hasArrived(sent.id), await suspenseAndTransit()], [false, before])
    const real = await read(await wire('170'))
    assert.equal((await relate(real.id, { withdrawal_id: sent.id })).status, 200)
  })

  it('pays a part of a settlement: by the payer, by a person, and back', async () => {
    const { payoutIbans, place, read, relate, suggestions, unrelate, wire } = world
    const expect = async (quantity: string): Promise<string> => {
      const id = newId()
      await place.db.query(
        insertExpectedArrival(
          {
            id,
            workspace: place.workspace,
            wallet_id: place.wallets.bank.id,
            asset: 'EUR',
            quantity: decimal(quantity),
            venue_id: place.exchange.id,
            counter_account_id: place.exchange.accounts.TRADING,
            settlement_id: newId(),
            expected_since: place.clock.now(),
          },
          'test',
        ),
      )
      return id
    }
    const stateOf = async (id: string) => {
      const [row] = await place.db.query<{ state: string; deposit_id: string | null }>(sql`
        select state, deposit_id
        from expected_arrivals
        where id = ${id}`)
      return [row?.state, row?.deposit_id]
    }
    const part = await expect('180')
    const strangers = await read(await wire('180'))
    assert.deepEqual(await suggestions(strangers.id), [
      { of: part, score: 30, reasons: ['SAME_AMOUNT'] },
    ])
    const { principal } = place
    const { permissions } = principal
    principal.permissions = new Set(
      [...permissions].filter((one) => one !== 'settlements.initiate'),
    )
    assert.equal((await relate(strangers.id, { part_id: part })).error_code, 1003)
    principal.permissions = permissions
    const { data } = await relate(strangers.id, { part_id: part })
    assert.deepEqual(data, await world.readById(strangers.id))
    assert.deepEqual(await stateOf(part), ['ARRIVED', strangers.id])
    assert.equal(
      refusalOf(await relate((await read(await wire('180'))).id, { part_id: part })),
      '400 3001 CONFLICT part_id',
    )
    const natures = [data.nature, (await unrelate(strangers.id)).data.nature]
    assert.deepEqual(natures, ['SETTLEMENT', 'UNASSIGNED'])
    assert.deepEqual(await stateOf(part), ['EXPECTED', null])
    assert.deepEqual((await place.bookings(strangers.id)).slice(1), [
      'REVERSAL EUR C bank 180, D suspense 180',
      'SETTLEMENT EUR D bank 180, C exchange trading 180',
      'REVERSAL EUR C bank 180, D exchange trading 180',
      'DEPOSIT EUR D bank 180, C suspense 180',
    ])
    const named = await expect('181')
    const carried = await read(await wire('181', { reference_text: `your part ${named}` }))
    assert.deepEqual(await stateOf(named), ['ARRIVED', carried.id])
    await payoutIbans([PAYOUT_IBAN])
    const paid = await expect('182')
    const known = await read(await wire('182', FROM_VENUE))
    await payoutIbans([])
    assert.deepEqual(await stateOf(paid), ['ARRIVED', known.id])
    assert.equal(
      refusalOf(await relate(known.id, { part_id: newId() })),
      '404 4004 NOT_FOUND part_id',
    )
  })
})
