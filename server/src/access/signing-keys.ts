/**
 * The Ed25519 keys that sign tokens. All processes share them, so they lie in the database, and the
 * private half is wrapped by a key that does not. A new key is there before it signs, so that every
 * process knows it by then. The one before it is then retired: it verifies what it has signed for
 * as long as that counts, and is deleted.
 */
import { generateKeyPairSync } from 'node:crypto'
import { mustExist } from '../core/assert.ts'
import type { Clock } from '../core/clock.ts'
import { newId } from '../core/ids.ts'
import { UsageError } from '../core/usage.ts'
import { closed, id, nullable, text, time, Type } from '../http/index.ts'
import type { Static } from '../http/index.ts'
import type { Db, Reader, Tx } from '../store/db.ts'
import { columnsOf, insertRow, tableOf } from '../store/rows.ts'
import { sql } from '../store/sql.ts'
import type { Query } from '../store/sql.ts'
import type { WrappingKey } from '../store/wrapping-key.ts'
import { KNOWN_MILLISECONDS } from './login-throttle.ts'
import { recordForInstallation } from './security-log.ts'
import { assertRotatable, provideWrappingKey, wrappingFault } from './wrapping-file.ts'

const KEY_LOCK = 4_711_000_010
/** Real time. */
const LOOK_MILLISECONDS = 30_000
/** So long every process has looked at the keys since. */
const KNOWN_BY_ALL_MILLISECONDS = 4 * LOOK_MILLISECONDS

const KeyRow = closed({
  id: id(),
  /** PEM; only where no file holds a wrapping key. */
  private_key: nullable(text()),
  wrapped_key: nullable(Type.Unsafe<Buffer>({ 'x-column': 'bytea' })),
  wrapped_by: nullable(text()),
  public_key: text(),
  signs_from: time(),
  created_at: time(),
})
type KeyRow = Static<typeof KeyRow>
const SIGNING_KEYS = tableOf('signing_keys', KeyRow)

export type SigningKey = {
  id: string
  public_key: string
  /** Undefined of one that no longer signs, or that cannot be opened. */
  private_key: string | undefined
  signs_from: number
  /** From when on it has signed nothing; null of the newest. */
  retired_at: number | null
  wrapped_by: string | null
}

export type OpenKey = SigningKey & { private_key: string }

export type KeyOptions = {
  /** The file of the wrapping key; without it nothing is wrapped. */
  key_file?: string
  /** LOOK_MILLISECONDS when absent. */
  look_ms?: number
  /** Told when the keys cannot be read or opened; they are looked at again. */
  onKeyFault?(error: unknown): void
}

export class SigningKeys {
  /** Newest first. */
  known: readonly SigningKey[] = []
  /** How often they have changed. */
  generation = 0
  readonly wrapping: WrappingKey | undefined
  readonly #db: Db
  readonly #clock: Clock
  readonly #options: KeyOptions
  readonly #timer: NodeJS.Timeout
  #seen = ''

  /** The first start makes a key, once over all processes. Throws a UsageError. */
  static async open(db: Db, clock: Clock, options: KeyOptions): Promise<SigningKeys> {
    const { rows, wrapping } = await provideKeys(db, clock, options.key_file)
    return new SigningKeys(db, clock, { ...options, rows, wrapping })
  }

  private constructor(
    db: Db,
    clock: Clock,
    {
      rows,
      wrapping,
      ...options
    }: KeyOptions & { rows: readonly KeyRow[]; wrapping: WrappingKey | undefined },
  ) {
    this.#db = db
    this.#clock = clock
    this.#options = options
    this.wrapping = wrapping
    this.#take(rows)
    this.#timer = setInterval(() => {
      this.#look().catch((error: unknown) => options.onKeyFault?.(error))
    }, options.look_ms ?? LOOK_MILLISECONDS).unref()
  }

  /**
   * The one that signs now. Where all sign later, the first of them: its maker's clock is ahead, or
   * it follows a key that is lost.
   */
  current(): OpenKey {
    const now = this.#clock.now()
    const keys = this.known.filter((key): key is OpenKey => key.private_key !== undefined)
    const key = keys.find(({ signs_from }) => signs_from <= now) ?? keys.at(-1)
    return mustExist(key, 'a signing key that can be opened')
  }

  close(): void {
    clearInterval(this.#timer)
  }

  async #look(): Promise<void> {
    this.#take(await readRows(this.#db))
  }

  #take(rows: readonly KeyRow[]): void {
    const seen = JSON.stringify(rows)
    if (seen === this.#seen) return
    this.known = rows.map((row, index) => ({
      ...row,
      private_key: this.#opened(row),
      retired_at: rows[index - 1]?.signs_from ?? null,
    }))
    this.#seen = seen
    this.generation += 1
  }

  #opened(row: KeyRow): string | undefined {
    if (row.wrapped_key === null) return row.private_key ?? undefined
    try {
      const wrapping = mustExist(this.wrapping, 'the file of the wrapping key')
      return wrapping.unwrap(placeOf(row), row.wrapped_key)
    } catch (error) {
      this.#options.onKeyFault?.(error)
      return undefined
    }
  }
}

/** Until when a token that the key has signed opens anything. */
export const opensUntil = ({ retired_at }: SigningKey, token_ms: number): number =>
  retired_at === null ? Infinity : retired_at + KNOWN_BY_ALL_MILLISECONDS + token_ms

/** They belong to no workspace. */
const placeOf = ({ id }: Pick<KeyRow, 'id'>): readonly string[] => ['signing key', id]

const readRows = (reader: Reader): Promise<KeyRow[]> =>
  reader.query<KeyRow>(sql`
    select ${columnsOf(KeyRow)}
    from signing_keys
    order by signs_from desc, id desc`)

const lockKeys = (tx: Tx): Promise<unknown> =>
  tx.query(sql`select pg_advisory_xact_lock(${KEY_LOCK})`)

type Provided = { rows: KeyRow[]; wrapping: WrappingKey | undefined }

/** A key that lay here unwrapped may have been read: it signs nothing from now on. */
function provideKeys(db: Db, clock: Clock, file: string | undefined): Promise<Provided> {
  return db.tx(async (tx) => {
    await lockKeys(tx)
    const rows = await readRows(tx)
    const fault = await wrappingFault(wrappedBy(rows), file)
    if (fault !== undefined) throw new UsageError(fault)
    const wrapping = await provideWrappingKey(file)
    const isBare = wrapping !== undefined && rows.some(({ private_key }) => private_key !== null)
    if (rows.length > 0 && !isBare) return { rows, wrapping }
    await tx.query(sql`
      update signing_keys
      set private_key = null
      where private_key is not null`)
    const made = await insertKey(tx, clock, { wrapping, signs_from: afterAll(rows, clock.now()) })
    if (rows.length > 0)
      await recordForInstallation(tx, clock.now(), [
        { kind: 'SIGNING_KEY_ROTATED', actor: 'kontor', details: { key: made } },
      ])
    return { rows: await readRows(tx), wrapping }
  })
}

/** Also after one that was to sign later: what is not the newest counts as retired. */
const afterAll = (rows: readonly KeyRow[], at: number): number =>
  Math.max(at, (rows[0]?.signs_from ?? 0) + 1)

async function insertKey(
  tx: Tx,
  clock: Clock,
  { wrapping, signs_from }: { wrapping: WrappingKey | undefined; signs_from: number },
): Promise<string> {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519', {
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
    publicKeyEncoding: { type: 'spki', format: 'pem' },
  })
  const now = clock.now()
  const key = { id: newId(), public_key: publicKey, signs_from, created_at: now }
  const secret =
    wrapping === undefined
      ? { private_key: privateKey }
      : { wrapped_key: wrapping.wrap(placeOf(key), privateKey), wrapped_by: wrapping.id }
  await tx.query(insertRow(SIGNING_KEYS, { ...key, ...secret }, { by: null, now }))
  return key.id
}

const wrappedBy = (rows: readonly Pick<KeyRow, 'wrapped_by'>[]): string[] => [
  ...new Set(rows.flatMap(({ wrapped_by }) => wrapped_by ?? [])),
]

/** Which keys wrap something in this database, of whatever release it is. */
export async function wrappingKeysOf(reader: Reader): Promise<string[]> {
  return wrappedBy(
    await reader.query<Pick<KeyRow, 'wrapped_by'>>(sql`
      select to_jsonb(signing_keys) ->> 'wrapped_by' as wrapped_by
      from signing_keys`),
  )
}

/** Why the signing keys cannot be opened with this file; undefined where they can. */
export async function signingKeysFault(
  reader: Reader,
  file: string | undefined,
): Promise<string | undefined> {
  const rows = await readRows(reader)
  const ids = wrappedBy(rows)
  const fault = await wrappingFault(ids, file)
  if (fault !== undefined || ids.length === 0) return fault
  const wrapping = await provideWrappingKey(file)
  try {
    for (const row of rows)
      if (row.wrapped_key !== null) wrapping?.unwrap(placeOf(row), row.wrapped_key)
    return undefined
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
}

/** `by`: who rotates, as the security log names them. */
type Rotation = { key_file: string | undefined; at_once: boolean; by: string }

/**
 * Makes the next key, wrapped where the present one is. `at_once`: what the others have signed no
 * longer counts. Where the file of the wrapping key is lost, the present key can sign nothing any
 * more, so the next one signs now. Another key's file is no lost one: it may be named by mistake.
 */
export function rotateSigningKeys(
  db: Db,
  clock: Clock,
  { key_file, at_once, by }: Rotation,
): Promise<void> {
  return db.tx(async (tx) => {
    await lockKeys(tx)
    const rows = await readRows(tx)
    const ids = wrappedBy(rows)
    await assertRotatable(ids, key_file)
    const wrapping = ids.length === 0 ? undefined : await provideWrappingKey(key_file)
    const isReadable = ids.every((known) => known === wrapping?.id)
    if (at_once) await tx.query(sql`delete from signing_keys`)
    else if (!isReadable)
      await tx.query(sql`
        update signing_keys
        set wrapped_key = null,
          wrapped_by = null
        where wrapped_by <> ${wrapping?.id ?? ''}`)
    const at = clock.now() + (at_once || !isReadable ? 0 : KNOWN_BY_ALL_MILLISECONDS)
    const signs_from = afterAll(at_once ? [] : rows, at)
    const made = await insertKey(tx, clock, { wrapping, signs_from })
    await recordForInstallation(tx, clock.now(), [
      { kind: 'SIGNING_KEY_ROTATED', actor: by, details: { key: made, at_once } },
    ])
    if (!isReadable)
      await recordForInstallation(tx, clock.now(), [
        { kind: 'WRAPPING_KEY_REPLACED', actor: by, details: { before: ids, key: wrapping?.id } },
      ])
  })
}

/** Newest first, as they are stored. */
export const listSigningKeys = async (
  reader: Reader,
): Promise<Pick<SigningKey, 'id' | 'signs_from' | 'wrapped_by'>[]> => readRows(reader)

/** Since when no process signs with it. */
const RETIRED: Query = sql`(
  select min(newer.signs_from)
  from signing_keys as newer
  where newer.signs_from > signing_keys.signs_from
)`

/**
 * Erases the private half of keys that are retired, and deletes them when nothing that they have
 * signed counts any more. The last is the id token by which a login knows a device.
 */
export async function forgetOldSigningKeys(reader: Reader, clock: Clock): Promise<number> {
  const unused = clock.now() - KNOWN_BY_ALL_MILLISECONDS
  await reader.query(sql`
    update signing_keys
    set private_key = null,
      wrapped_key = null,
      wrapped_by = null
    where (private_key is not null or wrapped_key is not null)
      and ${RETIRED} < ${unused}`)
  const forgotten = await reader.query(sql`
    delete from signing_keys
    where ${RETIRED} < ${unused - KNOWN_MILLISECONDS}
    returning 1`)
  return forgotten.length
}
