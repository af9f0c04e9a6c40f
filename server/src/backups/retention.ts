/** Which older backups go, and which of the archived log with them. */
import { readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Manifest } from './backups.schema.ts'
import { backupsIn, removeBackup } from './folders.ts'
import type { Backup } from './folders.ts'

type Retained = { removed: Backup[]; oldest: Backup | undefined }

/**
 * Takes away what is older than the newest `keep` backups of this cluster. The newest one that was
 * verified stays, however old it is.
 */
export async function removeOld(
  folder: string,
  system_identifier: string,
  keep: number,
): Promise<Retained> {
  const backups = await backupsIn(folder, system_identifier)
  const verified = backups.find((backup) => backup.verified !== undefined)
  const isOld = (backup: Backup, place: number): boolean => place >= keep && backup !== verified
  const removed = backups.filter(isOld)
  for (const { path } of removed) await removeBackup(path)
  return { removed, oldest: backups.findLast((backup, place) => !isOld(backup, place)) }
}

const SEGMENT = /^[0-9A-F]{8}([0-9A-F]{16})(\.partial|\.[0-9A-F]{8}\.backup)?$/

/** Takes away the log from before a backup, of every timeline. Answers how many files that were. */
export async function removeLogBefore(archive: string, oldest: Manifest): Promise<number> {
  const first = segmentOf(oldest)
  const old = (await readdir(archive)).filter((name) => (SEGMENT.exec(name)?.[1] ?? first) < first)
  for (const name of old) await rm(join(archive, name))
  return old.length
}

/** The name of the segment in which a backup begins, without its timeline. */
function segmentOf({ start_lsn, wal_segment_bytes }: Manifest): string {
  const [high = '', low = ''] = start_lsn.split('/')
  const number = Math.floor(Number.parseInt(low, 16) / wal_segment_bytes)
  return `${high.padStart(8, '0')}${number.toString(16).toUpperCase().padStart(8, '0')}`
}
