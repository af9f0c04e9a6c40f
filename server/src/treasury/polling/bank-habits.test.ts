/**
 * A bank that writes as some real ones do. Each movement is booked once, and what is not certain
 * waits: of such an entry our books differ from the bank's, and a person sees it.
 */
import assert from 'node:assert/strict'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { after, afterEach, before, describe, it } from 'node:test'
import { decimal, format } from '../../core/decimal.ts'
import { treasuryTasks } from '../index.ts'
import { WITHDRAWAL_TASK } from '../tasks.ts'
import type { Withdrawal } from '../withdrawals/withdrawals.schema.ts'
import { openBank } from './bank.testing.ts'

type Item = { id: string; state: string; reason: string; direction: string | null }

describe("the treasury at a bank with other banks' habits", () => {
  let bank: Awaited<ReturnType<typeof openBank>>
  before(async () => {
    bank = await openBank()
  })
  afterEach(() => bank.sandbox.control('DELETE', 'bank/habits'))
  after(() => bank.close())

  /** Money from outside that waits on SUSPENSE, and the wire that brought it. */
  async function receive(quantity: string) {
    const { wire_id } = await bank.wire(quantity, 'hello')
    await bank.days(15_000)
    const found = async () => (await bank.deposits()).filter((row) => row.quantity === quantity)
    const [deposit] = await bank.until('it arrives', async () => {
      const deposits = await found()
      return deposits.some((row) => row.state === 'UNASSIGNED') && deposits
    })
    assert.ok(deposit)
    return { wire_id, deposit, found }
  }

  /** What waits for a person, by the beginning of its reason. */
  async function waiting(reason: RegExp) {
    const { data } = await bank.call<Item[]>('GET', '/treasury/set-aside-items?state=OPEN')
    return data.filter((item) => reason.test(item.reason))
  }

  it('books every entry once where all of them are called NONREF', async () => {
    const { agrees, control, days, pay, sandbox, until, wallets, wire, withdrawal } = bank
    await control('habits', { references: 'NONREF' })
    const sent = await pay(wallets.bob, '12.3')
    const { found } = await receive('20.01')
    await wire('20.01', 'hello')
    await sandbox.fault('bank', 'notification', 'TWICE')
    await days(15_000)
    await control('statement')
    await until('both have arrived', async () => (await found()).length === 2)
    await until('it succeeds', async () => (await withdrawal(sent.id)).state === 'SUCCESS')
    await agrees()
    assert.equal((await found()).length, 2)
  })

  it('books an entry once that the statement calls otherwise', async () => {
    const { agrees, control } = bank
    await control('habits', { statement_references: 'OTHER' })
    const { found } = await receive('20.02')
    await control('statement')
    await agrees()
    assert.equal((await found()).length, 1)
  })

  it('books a payment once that is notified again under another name', async () => {
    const { agrees, call, control } = bank
    await control('habits', { notifications: 'AGAIN' })
    const { deposit, found } = await receive('20.03')
    await control('statement')
    await agrees()
    assert.equal((await found()).length, 1)
    const [item, ...further] = await waiting(new RegExp(`booked as ${deposit.foreign_id},`))
    assert.ok(item)
    assert.deepEqual(further, [])
    const again = await call<Item>('POST', `/treasury/set-aside-items/${item.id}/retry`)
    assert.equal(again.data.state, 'OPEN', again.text)
    assert.equal((await found()).length, 1)
  })

  it('books what stands beside an entry that it does not understand', async () => {
    const { agrees, control } = bank
    await control('habits', { other_currency: true })
    await receive('20.04')
    await control('statement')
    await agrees()
    const items = await waiting(/an amount is in USD, not in EUR/)
    assert.deepEqual(
      items.map(({ direction }) => direction),
      ['OUT'],
    )
  })

  it('takes a credit back that was recalled without a mark', async () => {
    const { agrees, control, externals, until } = bank
    const { wire_id, deposit, found } = await receive('20.05')
    await control('habits', { reversals: 'UNMARKED' })
    await control('reverse', { wire_id })
    await until('it is reversed', async () => (await found())[0]?.state === 'REVERSED')
    await agrees()
    assert.equal((await found())[0]?.id, deposit.id)
    assert.deepEqual(await externals(), [])
  })

  it('books each payment of a file that is one entry, without a rejected one', async () => {
    const { agrees, alice, control, days, place, request, sandbox, until, wallets } = bank
    const before = await bank.total(alice.account_id)
    await control('habits', { batches: 'SUM' })
    const asked = [
      await request(wallets.bob, '1.1'),
      await request(wallets.closed, '2.2'),
      await request(wallets.bob, '3.3'),
    ]
    const { workspace } = place
    const send = treasuryTasks(place.app)[WITHDRAWAL_TASK] ?? assert.fail()
    await bank.sharing(3, () =>
      Promise.all(
        asked.map(({ id }) =>
          send({ workspace, attempts: 1, kind: WITHDRAWAL_TASK, subject_id: id }),
        ),
      ),
    )
    const states = async () =>
      (await Promise.all(asked.map(({ id }) => bank.withdrawal(id)))).map(({ state }) => state)
    await until('one is rejected', async () => (await states())[1] === 'REJECTED')
    const done = join(sandbox.dir, 'bank/kontor/outbox/done')
    const shared = readdirSync(done).filter((name) => name.startsWith('F'))
    assert.equal(shared.length, 1)
    await days(15_000)
    await control('statement')
    await until(
      'two are booked',
      async () => (await states()).join() === 'SUCCESS,REJECTED,SUCCESS',
    )
    await agrees()
    assert.deepEqual(await bank.externals(), [])
    const gone = decimal(before) - decimal(await bank.total(alice.account_id))
    assert.equal(format(gone), '4.4')
  })

  it('leaves a payment to a person of which the bank booked another amount', async () => {
    const { agrees, alice, call, control, days, externals, pay, place, total } = bank
    const { until, wallets, withdrawal } = bank
    const { bank: venue } = place
    const [before, there] = [await total(alice.account_id), await total(venue.accounts.VENUE)]
    await control('habits', { booked_amount: '40' })
    const sent = await pay(wallets.bob, '100')
    await days(15_000)
    const state = async () => {
      const { state, reason_code, reason } = await withdrawal(sent.id)
      return { state, reason_code, reason }
    }
    await until('it is not certain', async () => (await state()).state === 'UNKNOWN')
    const waiting = {
      state: 'UNKNOWN',
      reason_code: 'OUTCOME_UNKNOWN',
      reason: 'the bank booked 40 instead of 100',
    }
    assert.deepEqual(await state(), waiting)
    await control('statement')
    const asked = await call('POST', `/treasury/withdrawals/${sent.id}/recheck`)
    assert.equal(asked.status, 200, asked.text)
    assert.deepEqual(await state(), waiting)
    assert.deepEqual(
      [await total(alice.account_id), await total(venue.accounts.VENUE)],
      [before, there],
      'nothing is booked before a person decides',
    )
    const ended = await call<Withdrawal>('POST', `/treasury/withdrawals/${sent.id}/resolve`, {
      state: 'FAILED',
      evidence: 'the bank paid 40 and says that the rest will not follow',
    })
    assert.equal(ended.status, 200, ended.text)
    const late = await until('what left is booked', async () =>
      (await externals()).find((row) => row.related_withdrawal_id === sent.id),
    )
    assert.equal(late.quantity, '40')
    await agrees()
    assert.equal(Number(before) - Number(await total(alice.account_id)), 40)
  })
})
