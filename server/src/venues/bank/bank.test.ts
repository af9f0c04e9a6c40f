/**
 * The adapter against the sandbox's bank: a program of its own, reached by files as in production.
 */
import assert from 'node:assert/strict'
import { symlink, unlink } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { format } from '../../core/decimal.ts'
import { newId } from '../../core/ids.ts'
import { until } from '../../core/testing.ts'
import type { Incoming } from '../contract.ts'
import { contractSuite } from '../contract-suite/contract-suite.testing.ts'
import { startSandbox } from '../sandbox-process.testing.ts'
import {
  bankSurprises,
  oddEntries,
  openBankAt,
  openSandboxBank,
  orderTo,
  stopBank,
} from './sandbox-bank.testing.ts'
import type { BankAccounts, SandboxBank } from './sandbox-bank.testing.ts'

const UNKNOWN_IBAN = 'NL91ABNA0417164300'

let world: SandboxBank
const problems: string[] = []
let total = ''
before(async () => {
  world = await openSandboxBank(problems)
  total = (await world.accounts()).total
})
after(async () => {
  try {
    assert.equal((await world.accounts()).total, total, 'no money made or lost')
    assert.deepEqual(problems, [])
  } finally {
    await world.close()
  }
})

test('the first statement tells the balance', async () => {
  const [balance] = await until('a statement', () => world.bank.balances().catch(() => undefined))
  assert.ok(balance?.total)
  assert.deepEqual(
    {
      total: format(balance.total),
      asset: balance.asset,
      protocol: balance.protocol,
      wallet: balance.wallet,
    },
    {
      total: '500000',
      asset: 'EUR',
      protocol: 'SEPA',
      wallet: (await world.account('Kontor')).iban,
    },
  )
})

test('a payment: waiting, accepted, booked; sent twice, received once, balance right', async () => {
  const order = orderTo((await world.account('Bob Example')).iban, '1234.56')
  assert.equal((await world.lookUp(order)).lookup, 'absent')
  const sent = await world.transfers.send(order)
  assert.ok(sent.outcome === 'accepted' && sent.report.state === 'PENDING')
  await world.reaches(order, 'PENDING', 'ACCP')
  assert.equal((await world.transfers.send(order)).outcome, 'accepted')
  await world.settle()
  const done = await world.reaches(order, 'SUCCESS', 'BOOK')
  assert.deepEqual({ fee: done.fee, fee_asset: done.fee_asset }, { fee: 0n, fee_asset: 'EUR' })
  assert.equal((await world.transfers.send(order)).outcome, 'accepted')
  await world.agrees()
  assert.equal(await world.received(order), 1)
  assert.equal((await world.account('Bob Example')).quantity, '1001234.56')
})

test('refused by the bank: insufficient funds, account unknown, REFUSE', async () => {
  const short = orderTo((await world.account('Bob Example')).iban, '600000')
  await world.transfers.send(short)
  assert.equal((await world.reaches(short, 'REJECTED', 'RJCT AM04')).reason, 'insufficient funds')
  await world.fault('payment', 'REFUSE')
  const refused = orderTo((await world.account('Bob Example')).iban)
  await world.transfers.send(refused)
  await world.reaches(refused, 'REJECTED', 'RJCT MS03')
  await world.settle()
  await world.agrees()
})

test('nobody there: the money comes back and names our payment', async () => {
  const { cursor } = await world.transfers.incoming(null)
  const order = orderTo(UNKNOWN_IBAN, '5.5')
  await world.transfers.send(order)
  await world.reaches(order, 'PENDING', 'ACCP')
  await world.settle()
  await world.reaches(order, 'SUCCESS')
  const returned = await until('the return', async () =>
    (await world.transfers.incoming(cursor)).movements.find(
      (movement) => movement.related_external_id !== null,
    ),
  )
  assert.deepEqual(
    {
      related_external_id: returned.related_external_id,
      quantity: format(returned.quantity),
      state: returned.state,
    },
    { related_external_id: order.external_id, quantity: '5.5', state: 'FINAL' },
  )
  await world.agrees()
})

test('money from outside: seen once, with payer and text, however often it is told', async () => {
  let { cursor } = await world.transfers.incoming(null)
  const seen: Incoming[] = []
  await world.fault('notification', 'TWICE')
  const { from_iban } = await world.sandbox.control<{ from_iban: string }>('POST', 'bank/wire', {
    from_name: 'Carol Example',
    to_iban: (await world.account('Kontor')).iban,
    quantity: '25000',
    currency: 'EUR',
    reference: 'CUST-7 <thanks> & more',
  })
  await world.settle()
  await world.sandbox.control('POST', 'bank/statement', {})
  await until('all of it read', async () => {
    const next = await world.transfers.incoming(cursor)
    cursor = next.cursor
    seen.push(...next.movements)
    return next.movements.length === 0 && seen.length > 0 ? true : undefined
  })
  const carols = seen.filter((movement) => movement.counterparty?.name === 'Carol Example')
  assert.equal(new Set(carols.map((movement) => movement.foreign_id)).size, 1)
  const [movement] = carols
  assert.ok(movement)
  assert.deepEqual(
    {
      quantity: format(movement.quantity),
      source_address: movement.source_address,
      reference_text: movement.reference_text,
      bic: movement.counterparty?.bic,
      related_external_id: movement.related_external_id,
      state: movement.state,
    },
    {
      quantity: '25000',
      source_address: from_iban,
      reference_text: 'CUST-7 <thanks> & more',
      bic: 'OTHRATWWXXX',
      related_external_id: null,
      state: 'FINAL',
    },
  )
  await world.agrees()
})

test('TIMEOUT_AFTER_ACCEPT: executed, not answered; found by its booking, sent once', async () => {
  await world.fault('payment', 'TIMEOUT_AFTER_ACCEPT')
  const order = orderTo((await world.account('Bob Example')).iban)
  await world.transfers.send(order)
  await world.reaches(order, 'PENDING', 'TAKEN')
  assert.equal((await world.transfers.send(order)).outcome, 'accepted')
  await world.settle()
  await world.reaches(order, 'SUCCESS', 'BOOK')
  assert.equal(await world.received(order), 1)
  await world.agrees()
})

test('LATE, TWICE and DOWN end in one payment and the right balance', async () => {
  const to = (await world.account('Bob Example')).iban
  await world.fault('payment', 'LATE', 60_000)
  const late = orderTo(to)
  await world.transfers.send(late)
  await world.reaches(late, 'PENDING', 'RCVD')
  await world.fault('payment', 'TWICE')
  const twice = orderTo(to)
  await world.transfers.send(twice)
  await world.reaches(twice, 'PENDING', 'ACCP')
  await world.fault('payment', 'DOWN', 120_000)
  const down = orderTo(to)
  await world.transfers.send(down)
  await until('the bank is down', async () =>
    (await world.sandbox.control<unknown[]>('GET', 'faults')).length === 0 ? true : undefined,
  )
  await world.reaches(down, 'PENDING', 'WAITING')
  await world.advance(60_000)
  await world.settle()
  await world.reaches(late, 'SUCCESS')
  await world.reaches(twice, 'SUCCESS')
  await world.agrees()
  await world.advance(60_000)
  await world.reaches(down, 'PENDING', 'ACCP')
  await world.settle()
  await world.reaches(down, 'SUCCESS')
  await world.agrees()
  assert.deepEqual(
    {
      late: await world.received(late),
      twice: await world.received(twice),
      down: await world.received(down),
    },
    { late: 1, twice: 1, down: 1 },
  )
})

test('a movement the bank never notified is in the next statement', async () => {
  await world.fault('notification', 'TIMEOUT_AFTER_ACCEPT')
  const order = orderTo((await world.account('Bob Example')).iban)
  await world.transfers.send(order)
  await world.reaches(order, 'PENDING', 'ACCP')
  await world.settle()
  await world.sandbox.control('POST', 'bank/statement', {})
  await world.reaches(order, 'SUCCESS', 'BOOK')
  await world.agrees()
})

test('the bank killed while payments are under way, our side restarted: each once', async () => {
  const to = (await world.account('Bob Example')).iban
  const orders = Array.from({ length: 10 }, () => orderTo(to, '0.01'))
  const sends = orders.map((order) => world.transfers.send(order))
  await world.sandbox.kill()
  for (const sent of await Promise.all(sends)) assert.equal(sent.outcome, 'accepted')
  await world.bank.close()
  await world.sandbox.restart()
  await world.open()
  for (const order of orders) await world.reaches(order, 'PENDING', 'ACCP')
  await world.settle()
  for (const order of orders) {
    await world.reaches(order, 'SUCCESS')
    assert.equal(await world.received(order), 1)
  }
  await world.agrees()
})

contractSuite('bank', async () => {
  const sandbox = await startSandbox()
  await sandbox.control('POST', 'clock', { pace: 60 })
  // Reached through a link, so that it can be out of reach while the bank itself goes on.
  const link = join(sandbox.dir, 'mounted')
  const up = () => symlink(join(sandbox.dir, 'bank/kontor'), link)
  await up()
  const venue = await openBankAt(sandbox, problems, link)
  const { accounts: all } = await sandbox.control<BankAccounts>('GET', 'bank/accounts')
  const iban = (name: string) =>
    all.find((account) => account.name === name)?.iban ?? assert.fail(name)
  let arrived: { wire_id: string } | undefined
  return {
    venue,
    up,
    down: () => unlink(link),
    close: () => stopBank(sandbox),
    transfers: {
      good: () => orderTo(iban('Bob Example')),
      refused: () => orderTo(iban('Bob Example'), '0.001'),
      losesAnswer: () => sandbox.fault('bank', 'payment', 'TIMEOUT_AFTER_ACCEPT'),
      received: () => sandbox.received('bank', 'payment'),
      arrive: async () => {
        const reference = `contract ${newId()}`
        arrived = await sandbox.control<{ wire_id: string }>('POST', 'bank/wire', {
          from_name: 'Dave Example',
          to_iban: iban('Kontor'),
          quantity: '12.34',
          currency: 'EUR',
          reference,
        })
        return (movement) => movement.reference_text === reference
      },
      oddRecords: oddEntries(sandbox),
      surprises: bankSurprises(sandbox, () => arrived?.wire_id),
    },
  }
})
