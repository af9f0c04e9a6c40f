/** The adapter against the SFTP server of the sandbox's bank, over a real connection. */
import assert from 'node:assert/strict'
import { readdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { until } from '../../../core/testing.ts'
import type { TransferOrder } from '../../contract.ts'
import { contractSuite } from '../../contract-suite/contract-suite.testing.ts'
import { startSandbox } from '../../sandbox-process.testing.ts'
import type { FaultKind } from '../../sandbox-process.testing.ts'
import { notificationXml } from '../bank-files.testing.ts'
import { oddEntries, openSandboxBank, orderTo, stopBank } from '../sandbox-bank.testing.ts'
import type { BankAccounts, SandboxBank } from '../sandbox-bank.testing.ts'
import {
  killAt,
  makeFolders,
  openBankOverSftp,
  openCable,
  sftpValues,
} from './sandbox-sftp.testing.ts'

const MINUTE = 60_000

let world: SandboxBank
let folders: Awaited<ReturnType<typeof makeFolders>>
const problems: string[] = []
before(async () => {
  folders = await makeFolders()
  world = await openSandboxBank(problems, (sandbox, told) =>
    openBankOverSftp(sandbox, told, folders),
  )
  await until('a statement', () => world.bank.balances().catch(() => undefined))
})
after(async () => {
  try {
    await world?.close()
  } finally {
    await rm(join(folders.inbox_dir, '..'), { recursive: true })
  }
})

const bob = async (quantity?: string) =>
  orderTo((await world.account('Bob Example')).iban, quantity)
const fault = (operation: string, kind: FaultKind) =>
  world.sandbox.fault('bank-sftp', operation, kind)
/** From now on the bank looks at no payment file for a minute. */
const bankSleeps = async () => {
  await world.fault('payment', 'DOWN', MINUTE)
  const order = await bob()
  await world.transfers.send(order)
  await until('the bank sleeps', async () =>
    (await world.sandbox.control<unknown[]>('GET', 'faults')).length === 0 ? true : undefined,
  )
  return order
}

test('a payment goes out and its messages come back; sent twice, received once', async () => {
  const order = await bob('1234.56')
  assert.deepEqual(await world.lookUp(order), { lookup: 'absent' })
  assert.equal((await world.transfers.send(order)).outcome, 'accepted')
  assert.equal((await world.transfers.send(order)).outcome, 'accepted')
  await world.arePaidOnce([order])
})

test('the connection ends in the middle of the file: absent, and sent again', async () => {
  await fault('upload', 'DOWN')
  const order = await bob()
  assert.equal((await world.transfers.send(order)).outcome, 'unknown')
  assert.deepEqual(await world.lookUp(order), { lookup: 'absent' })
  assert.equal((await world.transfers.send(order)).outcome, 'accepted')
  await world.arePaidOnce([order])
})

test('the connection ends before the rename: known to be absent, and sent again', async () => {
  await fault('rename', 'DOWN')
  const order = await bob()
  assert.equal((await world.transfers.send(order)).outcome, 'unknown')
  assert.deepEqual(await world.lookUp(order), { lookup: 'absent' })
  assert.equal((await world.transfers.send(order)).outcome, 'accepted')
  await world.arePaidOnce([order])
})

test('the server refuses the rename: known to be absent', async () => {
  await fault('rename', 'REFUSE')
  const order = await bob()
  assert.equal((await world.transfers.send(order)).outcome, 'unknown')
  assert.deepEqual(await world.lookUp(order), { lookup: 'absent' })
  assert.equal(await world.received(order), 0)
})

test('the answer is lost and the file is still listed: handed over', async () => {
  const asleep = await bankSleeps()
  const orders: TransferOrder[] = []
  for (const kind of ['CUT', 'TIMEOUT_AFTER_ACCEPT'] as const) {
    await fault('rename', kind)
    const order = await bob()
    orders.push(order)
    assert.equal((await world.transfers.send(order)).outcome, 'unknown', kind)
    const found = await world.lookUp(order)
    assert.equal(found.lookup === 'found' && found.report.sub_state, 'TAKEN', kind)
    assert.equal((await world.transfers.send(order)).outcome, 'accepted', kind)
  }
  await world.advance(MINUTE)
  await world.arePaidOnce([asleep, ...orders])
})

test('the answer is lost, the file moved away: unknown until the bank says so', async () => {
  await world.fault('payment', 'TIMEOUT_AFTER_ACCEPT')
  await fault('rename', 'CUT')
  const order = await bob()
  assert.equal((await world.transfers.send(order)).outcome, 'unknown')
  await until('the bank has taken it', async () => (await world.received(order)) === 1 || undefined)
  for (const _again of [1, 2]) {
    const found = await world.lookUp(order)
    assert.match(found.lookup === 'unknown' ? found.reason : '', /may have been handed over/)
    assert.equal((await world.transfers.send(order)).outcome, 'unknown')
  }
  await world.settle()
  await world.reaches(order, 'SUCCESS', 'BOOK')
  assert.equal(await world.received(order), 1)
  await world.agrees()
})

test('a server with another host key is told nothing', async () => {
  await world.bank.close()
  await fault('host-key', 'REFUSE')
  await world.open()
  const order = await bob()
  const sent = await world.transfers.send(order)
  assert.match(
    sent.outcome === 'unknown' ? sent.reason : '',
    /host key SHA256:\S{43}, which is not the configured one/,
  )
  await until('the right key', () => world.bank.balances().catch(() => undefined))
  assert.deepEqual(await world.lookUp(order), { lookup: 'absent' })
})

test('without our folder of payments nothing is known, and nothing is sent', async () => {
  const lost = await openBankOverSftp(world.sandbox, problems, {
    ...folders,
    outbox_dir: join(folders.outbox_dir, 'not-mounted'),
  })
  const order = await bob()
  assert.equal((await lost.transfers?.send(order))?.outcome, 'unknown')
  assert.equal(await world.received(order), 0)
  await lost.close()
})

test('killed at each step of handing over: paid once', async () => {
  const orders: TransferOrder[] = []
  for (const step of ['upload', 'claim', 'rename', 'confirm']) {
    const order = await bob()
    orders.push(order)
    await killAt(world.sandbox, folders, `bank.${step}.after`, order)
    // As Kontor does: only what is absent is sent again.
    await until(
      'it is known',
      async () => (await world.lookUp(order)).lookup !== 'unknown' || undefined,
    )
    const isAbsent = (await world.lookUp(order)).lookup === 'absent'
    assert.equal(isAbsent, step === 'upload' || step === 'claim', step)
    if (isAbsent) assert.equal((await world.transfers.send(order)).outcome, 'accepted')
  }
  await world.arePaidOnce(orders)
})

test('what is not whole is left; all else comes once, in the order of arrival', async () => {
  const inbox = join(world.sandbox.dir, 'bank/kontor/inbox')
  const xml = notificationXml('', undefined, 'empty')
  await writeFile(join(inbox, 'z-first.camt'), xml)
  const collected = () => collectedAs(folders.inbox_dir)
  await until(
    'the first',
    async () => (await collected()).includes('z-first.camt.xml') || undefined,
  )
  await writeFile(join(inbox, 'a-second.xml'), xml)
  await writeFile(join(inbox, 'half.xml.part'), xml.slice(0, 100))
  await writeFile(join(inbox, '.hidden.xml'), xml)
  await writeFile(join(inbox, 'z-first.camt.gz'), gzipSync(xml))
  await writeFile(join(inbox, 'packed.xml.gz'), gzipSync(xml))
  await until('the rest', async () =>
    (await collected()).includes('packed.xml.gz.xml') ? true : undefined,
  )
  assert.deepEqual((await collected()).slice(-3), [
    'z-first.camt.xml',
    'a-second.xml',
    'packed.xml.gz.xml',
  ])
  assert.deepEqual(problems, [])
})

test('a file that changes is collected again, and what is no message set aside', async () => {
  const path = join(world.sandbox.dir, 'bank/kontor/inbox/changing.xml')
  await writeFile(path, 'not yet')
  await until('it was set aside', async () =>
    (await readdir(join(folders.inbox_dir, 'aside')).catch(() => [])).some((name) =>
      /\.7-\d+\.changing\.xml$/.test(name),
    )
      ? true
      : await world.bank.balances().then(() => undefined),
  )
  await writeFile(path, notificationXml('', undefined, 'empty'))
  await until('it was read again', async () =>
    (await collectedAs(folders.inbox_dir)).includes('changing.xml') ? true : undefined,
  )
  assert.equal(problems.splice(0).length, 1)
})

test('a download that is cut is taken up again', async () => {
  await fault('download', 'DOWN')
  await world.sandbox.control('POST', 'bank/statement', {})
  await until('it was cut', async () => {
    await world.bank.balances().catch(() => undefined)
    return (await world.sandbox.control<unknown[]>('GET', 'faults')).length === 0 || undefined
  })
  await until('it is reached again', () => world.bank.balances().catch(() => undefined))
  await world.agrees()
})

/** The bank's names of what was collected, in our order. */
async function collectedAs(directory: string): Promise<string[]> {
  await world.bank.balances()
  return (await readdir(directory))
    .filter((name) => name.startsWith('~'))
    .toSorted()
    .map((name) => name.split('.').slice(2).join('.'))
}

contractSuite('bank over SFTP', async () => {
  const sandbox = await startSandbox()
  await sandbox.control('POST', 'clock', { pace: 60 })
  const own = await makeFolders()
  const values = await sftpValues(sandbox)
  const cable = await openCable(Number(values['sftp_port']))
  const venue = await openBankOverSftp(sandbox, problems, { ...own, sftp_port: String(cable.port) })
  const { accounts: all } = await sandbox.control<BankAccounts>('GET', 'bank/accounts')
  const iban = (name: string) =>
    all.find((account) => account.name === name)?.iban ?? assert.fail(name)
  await until('a statement', () => venue.balances().catch(() => undefined))
  return {
    venue,
    up: () => cable.mend(),
    down: async () => {
      await cable.cut()
      await until('it is noticed', () =>
        venue.balances().then(
          () => undefined,
          () => true,
        ),
      )
    },
    close: async () => {
      await cable.cut()
      await stopBank(sandbox)
      await rm(join(own.inbox_dir, '..'), { recursive: true })
    },
    transfers: {
      good: () => orderTo(iban('Bob Example')),
      refused: () => orderTo(iban('Bob Example'), '0.001'),
      losesAnswer: () => sandbox.fault('bank-sftp', 'rename', 'CUT'),
      received: () => sandbox.received('bank', 'payment'),
      arrive: async () => {
        await sandbox.control('POST', 'bank/wire', {
          from_name: 'Dave Example',
          to_iban: iban('Kontor'),
          quantity: '12.34',
          currency: 'EUR',
          reference: 'contract',
        })
        return (movement) => movement.reference_text === 'contract'
      },
      oddRecords: oddEntries(sandbox),
    },
  }
})
