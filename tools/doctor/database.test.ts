import assert from 'node:assert/strict'
import { test } from 'node:test'
import { judge } from './database.ts'
import type { ServerSettings } from './database.ts'

test('each setting of PostgreSQL that costs money or time is named', () => {
  const right: ServerSettings = {
    server_version_num: '170004',
    server_version: '17.4',
    fsync: 'on',
    full_page_writes: 'on',
    synchronous_commit: 'on',
    wal_compression: 'off',
    max_wal_size: '4096',
    autovacuum: 'on',
    autovacuum_naptime: '10',
    synchronous_standby_names: 'standby_a',
    archive_mode: 'on',
  }
  const wrong: Partial<ServerSettings>[] = [
    { server_version_num: '140011' },
    { fsync: 'off' },
    { full_page_writes: 'off' },
    { synchronous_commit: 'off' },
    { synchronous_commit: 'local' },
    { wal_compression: 'pglz' },
    { max_wal_size: '1024' },
    { autovacuum: 'off' },
    { autovacuum_naptime: '60' },
  ]
  const verdictsOf = (settings: ServerSettings) =>
    judge(settings)
      .map(({ verdict }) => verdict)
      .filter((verdict) => verdict !== 'good')
  assert.deepEqual(verdictsOf(right), [])
  assert.deepEqual(
    wrong.map((settings) => String(verdictsOf({ ...right, ...settings }))),
    ['bad', 'bad', 'bad', 'bad', 'bad', 'warning', 'warning', 'bad', 'warning'],
  )
})
