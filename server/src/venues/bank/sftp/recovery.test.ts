/** What the adapter does where a server is not as it should be, over real connections. */
import assert from 'node:assert/strict'
import { readdir, rm, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { until } from '../../../core/testing.ts'
import type { TransferOrder } from '../../contract.ts'
import type { FaultKind } from '../../sandbox-process.testing.ts'
import { notificationXml } from '../bank-files.testing.ts'
import { openSandboxBank, orderTo } from '../sandbox-bank.testing.ts'
import type { SandboxBank } from '../sandbox-bank.testing.ts'
import {
  killAt,
  makeFolders,
  openBankOverSftp,
  openCable,
  sftpValues,
} from './sandbox-sftp.testing.ts'

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

const bob = async () => orderTo((await world.account('Bob Example')).iban)
const fault = (operation: string, kind: FaultKind) =>
  world.sandbox.fault('bank-sftp', operation, kind)
/** A failed connection is not tried again at once. */
const isKnown = (order: TransferOrder) =>
  until('it is known', async () => {
    const { lookup } = await world.lookUp(order)
    return lookup === 'unknown' ? undefined : lookup
  })
const arrive = async (reference: string) => {
  await world.sandbox.control('POST', 'bank/wire', {
    from_name: 'Dave Example',
    to_iban: (await world.account('Kontor')).iban,
    quantity: '12.34',
    currency: 'EUR',
    reference,
  })
  await world.settle()
}

test('a bank that took the file before the rename is not paid again', async () => {
  await world.fault('payment', 'TIMEOUT_AFTER_ACCEPT')
  await fault('close', 'TIMEOUT_AFTER_ACCEPT')
  const order = await bob()
  const sent = await world.transfers.send(order)
  assert.match(sent.outcome === 'unknown' ? sent.reason : '', /before it was renamed/)
  await until('the bank has it', async () => (await world.received(order)) === 1 || undefined)
  assert.equal((await world.lookUp(order)).lookup, 'unknown')
  assert.equal((await world.transfers.send(order)).outcome, 'unknown')
  await world.settle()
  await world.reaches(order, 'SUCCESS')
  assert.equal(await world.received(order), 1)
  await world.agrees()
})

test('the answers are lost while it is asked what became of a payment: absent', async () => {
  await fault('rename', 'DOWN')
  const order = await bob()
  assert.equal((await world.transfers.send(order)).outcome, 'unknown')
  await fault('rename', 'CUT')
  await fault('remove', 'CUT')
  assert.equal((await world.lookUp(order)).lookup, 'unknown')
  assert.equal(await isKnown(order), 'absent')
  await until('it can be sent', async () =>
    (await world.transfers.send(order)).outcome === 'accepted' ? true : undefined,
  )
  await world.arePaidOnce([order])
})

for (const point of ['bank.settle.before', 'bank.settle.after'])
  test(`killed at ${point}: absent, and sent again`, async () => {
    await fault('rename', 'DOWN')
    const order = await bob()
    assert.equal((await world.transfers.send(order)).outcome, 'unknown')
    await killAt(world.sandbox, folders, point, order)
    assert.equal(await isKnown(order), 'absent')
    assert.equal((await world.transfers.send(order)).outcome, 'accepted')
    await world.arePaidOnce([order])
  })

test('the answer about a file with two payments is lost: both absent, and paid once', async () => {
  const to = (await world.account('Bob Example')).iban
  const orders = [orderTo(to, '0.11'), orderTo(to, '0.22')]
  const terms = { ...folders, payments_per_file: '2', collect_ms: '2000' }
  const bank = await openBankOverSftp(world.sandbox, problems, terms)
  const sendAll = () => Promise.all(orders.map((order) => bank.transfers?.send(order)))
  await fault('rename', 'DOWN')
  for (const sent of await sendAll()) assert.equal(sent?.outcome, 'unknown')
  for (const order of orders) assert.equal(await isKnown(order), 'absent')
  await until('it can be sent', async () =>
    (await sendAll()).every((sent) => sent?.outcome === 'accepted') ? true : undefined,
  )
  await world.sandbox.control('POST', 'bank/habits', { batches: 'SUM' })
  for (const order of orders) await world.reaches(order, 'PENDING', 'ACCP')
  await world.settle()
  await world.sandbox.control('POST', 'bank/statement', {})
  for (const order of orders) {
    await world.reaches(order, 'SUCCESS', 'BOOK')
    assert.equal(await world.received(order), 1)
  }
  await world.agrees()
  await world.sandbox.control('DELETE', 'bank/habits')
  await bank.close()
})

test('many callers after a lost connection make one, which ends with the bank', async () => {
  const order = await bob()
  const cable = await openCable(Number((await sftpValues(world.sandbox))['sftp_port']))
  const values = { ...folders, sftp_port: String(cable.port), sftp_poll_ms: '60000' }
  const bank = await openBankOverSftp(world.sandbox, problems, values)
  const { transfers } = bank
  try {
    await until('a statement', () => bank.balances().catch(() => undefined))
    await fault('rename', 'DOWN')
    const claimed = { ...order, foreign_id: null, submitted_at: 0, claimed: [] }
    assert.equal((await transfers?.send(order))?.outcome, 'unknown')
    const { taken } = cable.counts()
    const found = await Promise.all(Array.from({ length: 10 }, () => transfers?.find(claimed)))
    assert.ok(found.every((answer) => answer?.lookup === 'absent'))
    assert.equal(cable.counts().taken, taken + 1)
  } finally {
    await bank.close()
    await until('no connection is left', async () => cable.counts().open === 0 || undefined)
    await cable.cut()
  }
})

test('when a folder becomes SFTP, what arrives is read on', async () => {
  const carried = Array.from({ length: 50 }, (_item, index) => `20261123T${1000 + index}.xml`)
  await arrive('after the folder')
  await until('it is told', async () => {
    const { movements } = await world.transfers.incoming(JSON.stringify(carried))
    return movements.find((movement) => movement.reference_text === 'after the folder')
  })
})

test('a file that cannot be read keeps nothing else back', async () => {
  const link = join(world.sandbox.dir, 'bank/kontor/inbox/latest.xml')
  const target = join(world.sandbox.dir, 'long.xml')
  await writeFile(target, notificationXml(''))
  await symlink(target, link)
  await until('it is set aside', async () => {
    await world.bank.balances()
    const names = await readdir(join(folders.inbox_dir, 'aside')).catch(() => [])
    return names.find((name) => name.endsWith('.latest.xml'))
  })
  // Twice as often as the server has handles: what it refused to open is closed again.
  for (let looks = 0; looks < 40; looks += 1)
    assert.equal((await world.lookUp(await bob())).lookup, 'absent')
  await arrive('beside the link')
  await until('it is told', async () => {
    const { movements } = await world.transfers.incoming(null)
    return movements.find((movement) => movement.reference_text === 'beside the link')
  })
  const { set_aside } = await world.transfers.incoming(null)
  assert.ok(set_aside?.some(({ raw }) => raw.includes('cannot be collected')))
  await rm(link)
})
