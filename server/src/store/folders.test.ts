import assert from 'node:assert/strict'
import { mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { after, test } from 'node:test'
import { createFile, readClosed, replaceFile } from './folders.ts'

const folder = await mkdtemp(join(tmpdir(), 'kontor-folders-'))
after(async () => {
  await rm(folder, { recursive: true })
})

test('a file is made once, for its owner alone, and no draft stays', async () => {
  const path = join(folder, 'deep/down/key')
  const made = await Promise.all(['one', 'two'].map((content) => createFile(path, content)))
  assert.deepEqual(made.toSorted(), [false, true])
  assert.equal(await readClosed(path), made[0] ? 'one' : 'two')
  assert.equal((await stat(path)).mode & 0o777, 0o600)
  assert.equal((await stat(dirname(path))).mode & 0o777, 0o700)
  assert.equal(await createFile(path, 'three'), false)
  await replaceFile(path, 'four')
  assert.equal(await readFile(path, 'utf8'), 'four')
  assert.equal((await stat(path)).mode & 0o777, 0o600)
  assert.deepEqual(await readdir(dirname(path)), ['key'])
})
