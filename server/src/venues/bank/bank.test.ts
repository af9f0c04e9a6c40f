/**
 * The adapter against the sandbox's bank: a program of its own, reached by files as in production.
 */
import assert from 'node:assert/strict'
import { symlink, unlink } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { decimal, format } from '../../core/decimal.ts'
import { newId } from '../../core/ids.ts'
import { until } from '../../core/testing.ts'
import type {
  Incoming,
  Transfers,
  TransferLookup,
  TransferOrder,
  TransferReport,
  Venue,
} from '../contract.ts'
import { contractSuite } from '../contract-suite/contract-suite.testing.ts'
import { startSandbox, type FaultKind, type SandboxProcess } from '../sandbox-process.testing.ts'
import { openBank } from './bank.ts'
import { bankConfig } from './config.ts'

const UNKNOWN_IBAN = 'NL91ABNA0417164300'

let sandbox: SandboxProcess
let bank: Venue
let transfers: Transfers
const problems: string[] = []

type Accounts = {
  accounts: { iban: string; name: string; owner: string; quantity: string }[]
  total: string
}
const accounts = () => sandbox.control<Accounts>('GET', 'bank/accounts')
const account = async (name: string) =>
  (await accounts()).accounts.find((account) => account.name === name) ?? assert.fail(name)
const advance = (advance_ms: number) => sandbox.control('POST', 'clock', { advance_ms })
/** Every step of a wire, its return included. */
const settle = async () => {
  for (const step of [3000, 10_000, 5000, 1]) await advance(step)
}
const fault = (operation: string, kind: FaultKind, delay_ms = 0) =>
  sandbox.fault('bank', operation, kind, { delay_ms })
const received = (order: TransferOrder) =>
  sandbox.received('bank', 'payment', order.external_id.replaceAll('-', ''))

const orderTo = (iban: string, quantity = '1.01'): TransferOrder => ({
  external_id: newId(),
  asset: 'EUR',
  protocol: 'SEPA',
  quantity: decimal(quantity),
  speed_level: 'DEFAULT',
  fee: 0n,
  source_wallet: null,
  destination_address: iban,
  tag: null,
  transfer: { from: {}, to: { name: 'Bob Example', reference: 'invoice 7' } },
  recipient_name: null,
})
const find = async (order: TransferOrder): Promise<TransferReport | undefined> => {
  const answer = await transfers.find({
    ...order,
    foreign_id: null,
    submitted_at: Date.now(),
    claimed: [],
  } satisfies TransferLookup)
  return answer.lookup === 'found' ? answer.report : undefined
}
const reaches = (order: TransferOrder, state: string, sub_state?: string) =>
  until(`${state} ${sub_state ?? ''}`, async () => {
    const report = await find(order)
    return report?.state === state && (sub_state === undefined || report.sub_state === sub_state)
      ? report
      : undefined
  })
/** Our books of the account against the bank's. */
const agrees = () =>
  until('the balance agrees', async () => {
    const [ours] = await bank.balances()
    return ours?.total !== null &&
      ours !== undefined &&
      format(ours.total) === (await account('Kontor')).quantity
      ? true
      : undefined
  })

async function open(
  process: SandboxProcess,
  directory = join(process.dir, 'bank/kontor'),
): Promise<Venue> {
  const credentials = JSON.parse(await process.credential('bank.json')) as Record<string, string>
  return openBank(
    bankConfig({
      ...credentials,
      outbox_dir: join(directory, 'outbox'),
      inbox_dir: join(directory, 'inbox'),
    }),
    (problem) => {
      problems.push(problem)
    },
  )
}

async function use(): Promise<void> {
  bank = await open(sandbox)
  assert.ok(bank.transfers)
  transfers = bank.transfers
}

let total = ''
before(async () => {
  sandbox = await startSandbox()
  // Time goes on only when the test says so: no state is missed, however slow the machine.
  await sandbox.control('POST', 'clock', { pace: 0 })
  await use()
  total = (await accounts()).total
})
after(async () => {
  try {
    assert.equal((await accounts()).total, total, 'no money made or lost')
    assert.deepEqual(problems, [])
  } finally {
    await bank.close()
    await sandbox.stop()
  }
})

test('the first statement tells the balance', async () => {
  const [balance] = await until('a statement', () => bank.balances().catch(() => undefined))
  assert.ok(balance?.total)
  assert.deepEqual(
    {
      total: format(balance.total),
      asset: balance.asset,
      protocol: balance.protocol,
      wallet: balance.wallet,
    },
    { total: '500000', asset: 'EUR', protocol: 'SEPA', wallet: (await account('Kontor')).iban },
  )
})

test('a payment: waiting, accepted, booked; sent twice, received once, balance right', async () => {
  const order = orderTo((await account('Bob Example')).iban, '1234.56')
  assert.equal(
    (await transfers.find({ ...order, foreign_id: null, submitted_at: 0, claimed: [] })).lookup,
    'absent',
  )
  const sent = await transfers.send(order)
  assert.ok(sent.outcome === 'accepted' && sent.report.state === 'PENDING')
  await reaches(order, 'PENDING', 'ACCP')
  assert.equal((await transfers.send(order)).outcome, 'accepted')
  await settle()
  const done = await reaches(order, 'SUCCESS', 'BOOK')
  assert.deepEqual({ fee: done.fee, fee_asset: done.fee_asset }, { fee: 0n, fee_asset: 'EUR' })
  assert.equal((await transfers.send(order)).outcome, 'accepted')
  await agrees()
  assert.equal(await received(order), 1)
  assert.equal((await account('Bob Example')).quantity, '1001234.56')
})

test('refused by the bank: insufficient funds, account unknown, REFUSE', async () => {
  const short = orderTo((await account('Bob Example')).iban, '600000')
  await transfers.send(short)
  assert.equal((await reaches(short, 'REJECTED', 'RJCT AM04')).reason, 'insufficient funds')
  await fault('payment', 'REFUSE')
  const refused = orderTo((await account('Bob Example')).iban)
  await transfers.send(refused)
  await reaches(refused, 'REJECTED', 'RJCT MS03')
  await settle()
  await agrees()
})

test('nobody there: the money comes back and names our payment', async () => {
  const { cursor } = await transfers.incoming(null)
  const order = orderTo(UNKNOWN_IBAN, '5.5')
  await transfers.send(order)
  await reaches(order, 'PENDING', 'ACCP')
  await settle()
  await reaches(order, 'SUCCESS')
  const returned = await until('the return', async () =>
    (await transfers.incoming(cursor)).movements.find(
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
  await agrees()
})

test('money from outside: seen once, with payer and text, however often it is told', async () => {
  let { cursor } = await transfers.incoming(null)
  const seen: Incoming[] = []
  await fault('notification', 'TWICE')
  const { from_iban } = await sandbox.control<{ from_iban: string }>('POST', 'bank/wire', {
    from_name: 'Carol Example',
    to_iban: (await account('Kontor')).iban,
    quantity: '25000',
    currency: 'EUR',
    reference: 'CUST-7 <thanks> & more',
  })
  await settle()
  await sandbox.control('POST', 'bank/statement', {})
  await until('all of it read', async () => {
    const next = await transfers.incoming(cursor)
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
  await agrees()
})

test('TIMEOUT_AFTER_ACCEPT: executed, not answered; found by its booking, sent once', async () => {
  await fault('payment', 'TIMEOUT_AFTER_ACCEPT')
  const order = orderTo((await account('Bob Example')).iban)
  await transfers.send(order)
  await reaches(order, 'PENDING', 'TAKEN')
  assert.equal((await transfers.send(order)).outcome, 'accepted')
  await settle()
  await reaches(order, 'SUCCESS', 'BOOK')
  assert.equal(await received(order), 1)
  await agrees()
})

test('LATE, TWICE and DOWN end in one payment and the right balance', async () => {
  const to = (await account('Bob Example')).iban
  await fault('payment', 'LATE', 60_000)
  const late = orderTo(to)
  await transfers.send(late)
  await reaches(late, 'PENDING', 'RCVD')
  await fault('payment', 'TWICE')
  const twice = orderTo(to)
  await transfers.send(twice)
  await reaches(twice, 'PENDING', 'ACCP')
  await fault('payment', 'DOWN', 120_000)
  const down = orderTo(to)
  await transfers.send(down)
  await until('the bank is down', async () =>
    (await sandbox.control<unknown[]>('GET', 'faults')).length === 0 ? true : undefined,
  )
  await reaches(down, 'PENDING', 'WAITING')
  await advance(60_000)
  await settle()
  await reaches(late, 'SUCCESS')
  await reaches(twice, 'SUCCESS')
  await agrees()
  await advance(60_000)
  await reaches(down, 'PENDING', 'ACCP')
  await settle()
  await reaches(down, 'SUCCESS')
  await agrees()
  assert.deepEqual(
    { late: await received(late), twice: await received(twice), down: await received(down) },
    { late: 1, twice: 1, down: 1 },
  )
})

test('a movement the bank never notified is in the next statement', async () => {
  await fault('notification', 'TIMEOUT_AFTER_ACCEPT')
  const order = orderTo((await account('Bob Example')).iban)
  await transfers.send(order)
  await reaches(order, 'PENDING', 'ACCP')
  await settle()
  await sandbox.control('POST', 'bank/statement', {})
  await reaches(order, 'SUCCESS', 'BOOK')
  await agrees()
})

test('the bank killed while payments are under way, our side restarted: each once', async () => {
  const to = (await account('Bob Example')).iban
  const orders = Array.from({ length: 10 }, () => orderTo(to, '0.01'))
  const sends = orders.map((order) => transfers.send(order))
  await sandbox.kill()
  for (const sent of await Promise.all(sends)) assert.equal(sent.outcome, 'accepted')
  await bank.close()
  await sandbox.restart()
  await use()
  for (const order of orders) await reaches(order, 'PENDING', 'ACCP')
  await settle()
  for (const order of orders) {
    await reaches(order, 'SUCCESS')
    assert.equal(await received(order), 1)
  }
  await agrees()
})

contractSuite('bank', async () => {
  const world = await startSandbox()
  await world.control('POST', 'clock', { pace: 60 })
  // Reached through a link, so that it can be out of reach while the bank itself goes on.
  const link = join(world.dir, 'mounted')
  const up = () => symlink(join(world.dir, 'bank/kontor'), link)
  await up()
  const venue = await open(world, link)
  const { accounts: all } = await world.control<Accounts>('GET', 'bank/accounts')
  const iban = (name: string) =>
    all.find((account) => account.name === name)?.iban ?? assert.fail(name)
  return {
    venue,
    up,
    down: () => unlink(link),
    close: () => world.stop(),
    transfers: {
      good: () => orderTo(iban('Bob Example')),
      refused: () => orderTo(iban('Bob Example'), '0.001'),
      losesAnswer: () => world.fault('bank', 'payment', 'TIMEOUT_AFTER_ACCEPT'),
      received: () => world.received('bank', 'payment'),
      arrive: async () => {
        await world.control('POST', 'bank/wire', {
          from_name: 'Dave Example',
          to_iban: iban('Kontor'),
          quantity: '12.34',
          currency: 'EUR',
          reference: 'contract',
        })
        return (movement) => movement.reference_text === 'contract'
      },
    },
  }
})
