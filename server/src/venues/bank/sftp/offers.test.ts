/** What is made of what a server offers: its host keys, and its extensions. */
import assert from 'node:assert/strict'
import { EventEmitter } from 'node:events'
import { test } from 'node:test'
import { openSession } from './files.ts'
import { HOST_KEY_ALGORITHMS, OtherHostKey, withHostKey } from './host-keys.ts'
import { Line } from './line.ts'

const REFUSED = new Error('Host denied (verification failed)')
const NO_KEY_LEFT = new Error('Handshake failed: no matching host key format')

function keyOf(kind: string): Buffer {
  const length = Buffer.alloc(4)
  length.writeUInt32BE(kind.length)
  return Buffer.concat([length, Buffer.from(kind), Buffer.from('the key itself')])
}

/** A server with keys of these kinds, of which the configured one is the last; null: none is. */
function serverWith(kinds: readonly string[], configured: string | null) {
  const asked: string[] = []
  const attempt = async (algorithms: readonly string[]) => {
    const [first] = algorithms.flatMap((algorithm) => {
      const kind = algorithm.startsWith('rsa-') ? 'ssh-rsa' : algorithm
      return kinds.includes(kind) ? [kind] : []
    })
    if (first === undefined) throw NO_KEY_LEFT
    asked.push(first)
    if (first !== configured) throw new OtherHostKey(keyOf(first), REFUSED)
    return algorithms
  }
  return { asked, connect: () => withHostKey(HOST_KEY_ALGORITHMS, attempt) }
}

test('of several host keys each kind is asked for, until one is the configured', async () => {
  const server = serverWith(['ssh-rsa', 'ssh-ed25519', 'ecdsa-sha2-nistp256'], 'ssh-rsa')
  assert.deepEqual(await server.connect(), [
    'ecdsa-sha2-nistp384',
    'ecdsa-sha2-nistp521',
    'rsa-sha2-512',
    'rsa-sha2-256',
    'ssh-rsa',
  ])
  assert.deepEqual(server.asked, ['ssh-ed25519', 'ecdsa-sha2-nistp256', 'ssh-rsa'])
})

test('where none is the configured one, the refusal names all that were shown', async () => {
  for (const kinds of [['ssh-ed25519', 'ssh-rsa'], HOST_KEY_ALGORITHMS]) {
    const server = serverWith(kinds, null)
    await assert.rejects(
      server.connect(),
      /it shows the host key SHA256:\S{43} and SHA256:\S{43}.*, which is not the configured/,
    )
    assert.equal(new Set(server.asked).size, server.asked.length)
  }
})

test('what is wrong besides is told as it is', async () => {
  await assert.rejects(serverWith([], null).connect(), NO_KEY_LEFT)
  const refused = new Error('All configured authentication methods failed')
  const attempt = async (algorithms: readonly string[]) => {
    if (algorithms.includes('ssh-ed25519')) throw new OtherHostKey(keyOf('ssh-ed25519'), REFUSED)
    throw refused
  }
  await assert.rejects(withHostKey(HOST_KEY_ALGORITHMS, attempt), refused)
})

type Done = (error: Error | undefined) => void

/** What a server does that answers this to a rename in one step. */
async function renames(answer: (done: Done) => void): Promise<string[]> {
  const done: string[] = []
  const sftp = {
    ext_openssh_rename: (_from: string, _to: string, told: Done) => {
      done.push('in one step')
      answer(told)
    },
    rename: (_from: string, _to: string, told: Done) => {
      done.push('otherwise')
      told(undefined)
    },
  }
  const line = new Line(new EventEmitter() as never, 1_000)
  await openSession(sftp as never, line).rename('a', 'b')
  return done
}

test('a file is renamed in one step where that is offered, and never twice', async () => {
  const status = (code: number, text: string) => Object.assign(new Error(text), { code })
  assert.deepEqual(await renames((done) => done(undefined)), ['in one step'])
  const without = await renames(() => {
    throw new Error('Server does not support this extended request')
  })
  assert.deepEqual(without, ['in one step', 'otherwise'])
  assert.deepEqual(await renames((done) => done(status(8, 'Unsupported'))), without)
  for (const refusal of [status(3, 'Denied'), status(4, 'the disk does not support it')])
    await assert.rejects(
      renames((done) => done(refusal)),
      { message: `${refusal.message} (status ${refusal.code})` },
    )
})
