/** Takes a backup of the running embedded server. */
import { createReadStream } from 'node:fs'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { createGzip } from 'node:zlib'
import pg from 'pg'
import type { Clock } from '../core/clock.ts'
import { takeLock } from '../core/file-lock.mjs'
import { UsageError } from '../core/usage.ts'
import type { Embedded } from '../store/embedded.ts'
import type { Manifest } from './backups.schema.ts'
import { openBaseBackup } from './base-backup.ts'
import {
  BASE,
  completeBackup,
  createPart,
  nameAt,
  removeBackup,
  SECRETS,
  writeBackupFile,
} from './folders.ts'
import type { Backup } from './folders.ts'
import { readHeads } from './heads.ts'
import type { Key } from '../store/key-files.ts'

type Taking = {
  dataDir: string
  server: Embedded
  clock: Clock
  /** The folder that gets the backup. */
  to: string
  key?: Key | undefined
  signal?: AbortSignal | undefined
}

/** One at a time. What is left of one that was killed is taken away. */
export async function takeBackup(taking: Taking): Promise<Backup> {
  const { dataDir, clock, to } = taking
  const lock = await takeLock(join(dataDir, 'postgres/backup.lock'), ({ pid }) => {
    throw new UsageError(`another backup of ${dataDir} is being made (process ${pid})`)
  })
  try {
    const killed = lock.dead?.['part']
    if (typeof killed === 'string') await removeBackup(killed)
    const part = await createPart(to, nameAt(clock.now()), (path) => lock.note({ part: path }))
    try {
      return await completeBackup(part, await write(taking, part))
    } catch (error) {
      await removeBackup(part)
      throw error
    }
  } finally {
    await lock.release()
  }
}

async function write(taking: Taking, part: string): Promise<Manifest> {
  const { dataDir, server, clock, key, signal } = taking
  const started_at = timeOf(clock)
  const before = await readHeads(server.ownerUrl)
  const backup = await openBaseBackup(server.superUrl)
  try {
    const packing = createGzip({ level: 1 })
    const base = await writeBackupFile(part, BASE, backup.archive, { packing, key, signal })
    const file = createReadStream(join(dataDir, 'postgres', SECRETS))
    const plain = { packing: new PassThrough(), key, signal }
    const secrets = await writeBackupFile(part, SECRETS, file, plain)
    const after = await readHeads(server.ownerUrl)
    return {
      format: 'kontor backup 1',
      ...(await readVersion(server.superUrl)),
      schema: after.schema,
      started_at,
      stopped_at: timeOf(clock),
      ...backup.span(),
      key: key?.id ?? null,
      books_before: before.books,
      books_after: after.books,
      files: [base, secrets],
    }
  } finally {
    await backup.close()
  }
}

const timeOf = (clock: Clock): string => new Date(clock.now()).toISOString()

type Version = Pick<Manifest, 'server_version' | 'system_identifier' | 'wal_segment_bytes'>

async function readVersion(url: string): Promise<Version> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    const { rows } = await client.query<Version>(
      `select
        current_setting('server_version') as server_version,
        system_identifier::text,
        bytes_per_wal_segment as wal_segment_bytes
      from pg_control_system(), pg_control_init()`,
    )
    const [row] = rows
    if (row === undefined) throw new Error('PostgreSQL does not say which cluster it has')
    return row
  } finally {
    await client.end()
  }
}
