import assert from 'node:assert/strict'
import { test } from 'node:test'
import pg from 'pg'
import { DiskWatch } from './disk-watch.ts'

const MEGABYTE = 1_048_576

function watched(folder: string | undefined = '/data') {
  let megabytes = 1_000
  let now = 0
  const watch = new DiskWatch({
    folder,
    limit_mb: 512,
    freeBytes: async () => megabytes * MEGABYTE + 1,
    steady: () => now,
  })
  return {
    watch,
    pass: (milliseconds: number) => {
      now += milliseconds
    },
    lookAt: async (free: number) => {
      megabytes = free
      await watch.look()
      return watch.shortage()
    },
  }
}

test('below the limit there is a shortage, until there is a quarter more', async () => {
  const { lookAt } = watched()
  const shortage = (free: number) =>
    `the disk of the database has ${free} MB left, less than 512 MB`
  assert.equal(await lookAt(512), undefined)
  assert.equal(await lookAt(511), shortage(511))
  assert.equal(await lookAt(3), shortage(3))
  assert.equal(await lookAt(639), shortage(639))
  assert.equal(await lookAt(640), undefined)
  assert.equal(await lookAt(513), undefined)
})

test('what PostgreSQL says of a full disk counts for a minute, wherever it runs', () => {
  const { watch, pass } = watched(undefined)
  const error = (code: string): pg.DatabaseError =>
    Object.assign(new pg.DatabaseError('no', 2, 'error'), { code })
  watch.hear(error('23505'))
  watch.hear(new Error('ENOSPC'))
  assert.equal(watch.shortage(), undefined)
  watch.hear(error('53100'))
  assert.equal(watch.shortage(), 'the disk of the database is full')
  pass(60_000)
  assert.equal(watch.shortage(), undefined)
})

test('the disk of this machine can be asked', async () => {
  const enough = new DiskWatch({ folder: import.meta.dirname, limit_mb: 0 })
  await enough.look()
  assert.equal(enough.shortage(), undefined)
  const never = new DiskWatch({ folder: import.meta.dirname, limit_mb: Number.MAX_SAFE_INTEGER })
  await never.look()
  assert.match(never.shortage() ?? '', /has \d+ MB left/)
})
