/** What a backup says of itself, in its `manifest.json`. */
import { Type } from 'typebox'
import type { Static } from 'typebox'
import { Compile } from 'typebox/compile'

const text = Type.String({ minLength: 1 })
const number = Type.Integer({ minimum: 0 })
const sha256 = Type.String({ pattern: '^[0-9a-f]{64}$' })

const HeadShape = Type.Object({
  workspace: text,
  bookings: number,
  events: number,
  batches: number,
  /** Of the last batch. */
  hash: sha256,
})
/** How far the books of a workspace go. */
export type Head = Static<typeof HeadShape>

const FileShape = Type.Object({ name: text, bytes: number, sha256 })
export type BackupFile = Static<typeof FileShape>

const ManifestShape = Type.Object({
  format: Type.Literal('kontor backup 1'),
  /** Of PostgreSQL. */
  server_version: text,
  /** Names the cluster, and those that were restored from its backups. */
  system_identifier: text,
  /** The newest migration. */
  schema: text,
  started_at: text,
  stopped_at: text,
  timeline: number,
  start_lsn: text,
  stop_lsn: text,
  wal_segment_bytes: Type.Integer({ minimum: 1 }),
  /** Id of the key that the files are sealed with. */
  key: Type.Union([text, Type.Null()]),
  /** Of the running service, when the backup began and when it had ended. */
  books_before: Type.Array(HeadShape),
  books_after: Type.Array(HeadShape),
  files: Type.Array(FileShape),
})
export type Manifest = Static<typeof ManifestShape>

const VerifiedShape = Type.Object({ verified_at: text, books: Type.Array(HeadShape) })
/** Written beside the manifest when a restored copy was right. */
export type Verified = Static<typeof VerifiedShape>

const manifest = Compile(ManifestShape)
const verified = Compile(VerifiedShape)

export const isManifest = (value: unknown): value is Manifest => manifest.Check(value)
export const isVerified = (value: unknown): value is Verified => verified.Check(value)
