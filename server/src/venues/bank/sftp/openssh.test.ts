/** The adapter against OpenSSH, which is not made with the library of its own client. */
import assert from 'node:assert/strict'
import { readdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { until } from '../../../core/testing.ts'
import type { TransferOrder, Transfers, Venue } from '../../contract.ts'
import { openSandboxBank, orderTo } from '../sandbox-bank.testing.ts'
import type { SandboxBank } from '../sandbox-bank.testing.ts'
import { openOpenSsh, SSHD } from './openssh.testing.ts'
import type { OpenSsh, ServerKind } from './openssh.testing.ts'
import { killAt, makeFolders, openBankOverSftp, sftpValues } from './sandbox-sftp.testing.ts'

const MINUTE = 60_000
const skip = SSHD === undefined && 'this machine has no sshd of OpenSSH'

describe('over OpenSSH', { skip }, () => {
  let world: SandboxBank
  let openSsh: OpenSsh
  let folders: Awaited<ReturnType<typeof makeFolders>>
  const problems: string[] = []
  before(async () => {
    folders = await makeFolders()
    world = await openSandboxBank(problems, async (sandbox, told) => {
      openSsh ??= await openOpenSsh(sandbox)
      return openBankOverSftp(sandbox, told, { ...folders, ...openSsh.values('whole') })
    })
    await until('a statement', () => world.bank.balances().catch(() => undefined))
  })
  after(async () => {
    try {
      await world?.close()
    } finally {
      await openSsh?.close()
      await rm(join(folders.inbox_dir, '..'), { recursive: true })
    }
  })

  const bob = async () => orderTo((await world.account('Bob Example')).iban)
  const outbox = () => join(world.sandbox.dir, 'bank/kontor/outbox')
  /** Sends it there; answers why it is not known to be handed over. */
  const sendOver = async (values: Record<string, string>, order: TransferOrder) => {
    const venue = await openBankOverSftp(world.sandbox, problems, { ...folders, ...values })
    try {
      const answer = await transfersOf(venue).send(order)
      return answer.outcome === 'unknown' ? answer.reason : answer.outcome
    } finally {
      await venue.close()
    }
  }
  const sentLater = async (order: TransferOrder) => {
    assert.deepEqual(await world.lookUp(order), { lookup: 'absent' })
    assert.equal((await world.transfers.send(order)).outcome, 'accepted')
    await world.arePaidOnce([order])
  }

  test('a payment goes out and its messages come back; sent twice, received once', async () => {
    const order = await bob()
    assert.deepEqual(await world.lookUp(order), { lookup: 'absent' })
    assert.equal((await world.transfers.send(order)).outcome, 'accepted')
    assert.equal((await world.transfers.send(order)).outcome, 'accepted')
    await world.arePaidOnce([order])
    assert.deepEqual(problems, [])
  })

  test('without the rename in one step it is handed over by the other one', async () => {
    const order = await bob()
    assert.equal(await sendOver(openSsh.values('withoutExtension'), order), 'accepted')
    await world.arePaidOnce([order])
  })

  test('killed before and after the rename: paid once', async () => {
    const orders: TransferOrder[] = []
    for (const point of ['bank.claim.after', 'bank.rename.after']) {
      const order = await bob()
      orders.push(order)
      await killAt(world.sandbox, { ...folders, ...openSsh.values('whole') }, point, order)
      const found = await until('it is known', async () => {
        const answer = await world.lookUp(order)
        return answer.lookup === 'unknown' ? undefined : answer.lookup
      })
      assert.equal(found, point === 'bank.claim.after' ? 'absent' : 'found', point)
      if (found === 'absent')
        assert.equal((await world.transfers.send(order)).outcome, 'accepted', point)
    }
    await world.arePaidOnce(orders)
    assert.deepEqual(await readdir(outbox()), ['done'], 'nothing half is left')
  })

  for (const kind of ['withoutRename', 'readOnly'] satisfies ServerKind[])
    test(`a server that permits less (${kind}): absent, and sent later`, async () => {
      const order = await bob()
      assert.match(await sendOver(openSsh.values(kind), order), /denied \(status 3\)/)
      await sentLater(order)
    })

  test('a disk that is full in the middle of a file: absent, and sent later', async () => {
    const full = await openOpenSsh(world.sandbox, true)
    const order = await bob()
    assert.match(await sendOver(full.values('whole'), order), /status 4/)
    await full.close()
    await sentLater(order)
  })

  test('a payment file of the same name is not overwritten', async () => {
    await world.fault('payment', 'DOWN', MINUTE)
    const first = await bob()
    await world.transfers.send(first)
    await until('the bank looks at no file', async () => {
      const faults = await world.sandbox.control<unknown[]>('GET', 'faults')
      return faults.length === 0
    })
    const order = await bob()
    const path = join(outbox(), `${order.external_id.replaceAll('-', '')}.xml`)
    await writeFile(path, 'of somebody else')
    const sent = await world.transfers.send(order)
    assert.match(sent.outcome === 'unknown' ? sent.reason : '', /a payment file of this name/)
    assert.equal((await world.lookUp(order)).lookup, 'unknown')
    await rm(path)
    assert.deepEqual(await world.lookUp(order), { lookup: 'absent' })
    assert.equal((await world.transfers.send(order)).outcome, 'accepted')
    await world.advance(MINUTE)
    await world.arePaidOnce([first, order])
  })

  test('any of its host keys will do; without one of them it is told nothing', async () => {
    const { ed25519, rsa } = openSsh.fingerprints
    const order = await bob()
    const values = { ...openSsh.values('whole'), sftp_host_key: `SHA256:${'A'.repeat(43)}` }
    const reason = await sendOver(values, order)
    assert.ok(reason.includes(`the host key ${ed25519} and ${rsa}, which is not the`), reason)
    assert.equal(await sendOver({ ...values, sftp_host_key: rsa }, order), 'accepted')
    await world.arePaidOnce([order])
  })

  test('a key that the server does not know is refused, and nothing is sent', async () => {
    const { sftp_private_key = '' } = await sftpValues(world.sandbox)
    const order = await bob()
    const values = { ...openSsh.values('whole'), sftp_private_key }
    assert.match(await sendOver(values, order), /authentication methods failed/)
    await sentLater(order)
  })
})

const transfersOf = ({ transfers }: Venue): Transfers => transfers ?? assert.fail('it transfers')
