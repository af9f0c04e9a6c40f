/** A supervisor that cannot write goes on supervising, and ends what it has started. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { undoAll } from './context.ts'
import { noteKeeper } from './data-dir-lock.ts'

const full = async (): Promise<never> => {
  throw Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC' })
}

test('notes that cannot be written hold up nothing, and are written again later', async () => {
  const written: unknown[] = []
  let isFull = true
  const notes = noteKeeper({
    note: async (more) => (isFull ? full() : void written.push(more['ending'])),
  })
  await notes.child('service', { pid: 1, born: 'once' })
  await notes.child('sandbox', { pid: 2, born: 'once' })
  isFull = false
  await notes.ending()
  assert.deepEqual(written, [true])
})

test('a part that cannot be ended in order keeps no other from ending', async () => {
  const ended: string[] = []
  const end = (name: string) => async () => void ended.push(name)
  assert.equal(await undoAll([end('lock'), full, end('database'), full, end('service')]), false)
  assert.deepEqual(ended, ['service', 'database', 'lock'])
  assert.equal(await undoAll([end('lock')]), true)
})
