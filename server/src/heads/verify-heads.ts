/**
 * Verifies the heads of a workspace: their signatures, that each follows the one before it, and
 * that the chains of today have what each says. With heads that were exported and kept elsewhere,
 * also that the database still has just these.
 */
import type { WorkspaceId } from '../core/ids.ts'
import type { Reader } from '../store/db.ts'
import { raw, sql } from '../store/sql.ts'
import { readHead } from './exported.ts'
import type { KeptHead } from './exported.ts'
import { hashOf } from './heads.ts'
import type { Head, SignedHead } from './heads.schema.ts'
import { fingerprintOf, isSignedBy } from './keys.ts'

/** What is wrong, by the day of the head that shows it. */
export type HeadFault = { day: string; text: string }

type Verified = { heads: number; last_day: string | undefined; faults: HeadFault[] }

type Verifying = {
  /** Whose signatures count; that of the first head in the database when nobody's is known. */
  keys: ReadonlySet<string> | undefined
  /** Of this workspace; none: only those in the database are verified. */
  kept?: readonly KeptHead[]
}

type StoredHead = Omit<SignedHead, 'deliveries'>
type SeenHead = Pick<KeptHead, 'head' | 'signed' | 'signature'>
type KnownHead = Pick<StoredHead, 'day' | 'hash'>

const HEADS_AT_ONCE = 500

/** The chains that a head covers, and how the tables of their batches write a hash. */
const CHAINS = [
  { name: 'bookings', table: 'batches', hash: `encode(hash, 'hex')` },
  { name: 'events', table: 'event_batches', hash: 'hash' },
  { name: 'security_log', table: 'security_log_batches', hash: 'hash' },
] as const

export async function verifyHeads(
  reader: Reader,
  workspace: WorkspaceId,
  verifying: Verifying,
): Promise<Verified> {
  const verifier = new HeadsVerifier(reader, workspace, verifying)
  await verifier.checkStored()
  await verifier.checkKept()
  const { faults, stored, last } = verifier
  return {
    heads: stored.size,
    last_day: last?.day,
    faults: faults.toSorted((one, other) => one.day.localeCompare(other.day)),
  }
}

class HeadsVerifier {
  readonly faults: HeadFault[] = []
  /** The heads in the database, by number. */
  readonly stored = new Map<number, KnownHead>()
  last: (Head & KnownHead) | undefined
  readonly #reader: Reader
  readonly #workspace: WorkspaceId
  #keys: ReadonlySet<string> | undefined
  readonly #kept: readonly KeptHead[]

  constructor(reader: Reader, workspace: WorkspaceId, { keys, kept = [] }: Verifying) {
    this.#reader = reader
    this.#workspace = workspace
    this.#keys = keys
    this.#kept = kept
  }

  async checkStored(): Promise<void> {
    for (let after = 0; ;) {
      const stored = await this.#storedAfter(after)
      const heads = stored.flatMap((row) => this.#checkRow(row))
      await this.#checkEnds(heads)
      after = stored.at(-1)?.number ?? after
      if (stored.length < HEADS_AT_ONCE) return
    }
  }

  async checkKept(): Promise<void> {
    const changed: Head[] = []
    for (const seen of this.#kept) {
      this.#checkSignature(seen)
      const { head, hash } = seen
      if (this.stored.get(head.number)?.hash === hash) continue
      this.#fault(head.day, 'the database does not have the head that was kept')
      changed.push(head)
    }
    await this.#checkEnds(changed)
    this.#checkGaps()
  }

  /** Between the first and the last that were kept, none is missing. */
  #checkGaps(): void {
    const kept = new Set(this.#kept.map(({ hash }) => hash))
    const [first, ...others] = this.#kept.map(({ head }) => head)
    if (first === undefined) return
    const end = others.at(-1)?.number ?? first.number
    for (const [number, { day, hash }] of this.stored)
      if (number > first.number && number < end && !kept.has(hash))
        this.#fault(day, 'the head in the database is missing among those that were kept')
    for (const { number, previous } of others)
      if (previous !== null && !kept.has(previous.hash))
        if (this.stored.get(number - 1)?.hash !== previous.hash)
          this.#fault(previous.day, 'the head is missing among those that were kept')
  }

  #storedAfter(number: number): Promise<StoredHead[]> {
    return this.#reader.query<StoredHead>(sql`
      select workspace, number, day, made_at, signed, signature, hash
      from heads
      where workspace = ${this.#workspace}
        and number > ${number}
      order by number
      limit ${HEADS_AT_ONCE}`)
  }

  /** A row beside the text that was signed, and beside the head before it. */
  #checkRow(row: StoredHead): Head[] {
    const { day, number, signed, signature, hash } = row
    this.stored.set(number, { day, hash })
    const head = readHead(signed)
    if (head === undefined) {
      this.#fault(day, 'the head cannot be read')
      return []
    }
    this.#checkSignature({ head, signed, signature })
    const { workspace, made_at } = head
    const isAlike =
      workspace === row.workspace &&
      made_at === row.made_at &&
      head.number === number &&
      head.day === day &&
      hashOf(signed) === hash
    if (!isAlike) this.#fault(day, 'the row of the head does not match what was signed')
    this.#checkLink(head)
    this.last = { ...head, hash }
    return [head]
  }

  #checkLink({ day, number, previous }: Head): void {
    const before = this.last
    if (number !== (before?.number ?? 0) + 1)
      this.#fault(previous?.day ?? day, 'the head is missing in the database')
    else if ((previous?.hash ?? '') !== (before?.hash ?? '') || previous?.day !== before?.day)
      this.#fault(day, 'the head does not follow the one before it')
    else if (before !== undefined && day <= before.day)
      this.#fault(day, `the head follows one of ${before.day}`)
  }

  #checkSignature({ head, signed, signature }: SeenHead): void {
    const { public_key, day } = head
    this.#keys ??= new Set([public_key])
    if (!this.#keys.has(public_key))
      this.#fault(day, `the head is signed with an unknown key, ${fingerprintOf(public_key)}`)
    else if (!isSignedBy(public_key, signed, signature))
      this.#fault(day, 'the signature of the head is wrong')
  }

  /** The batches that the heads name must be there, with these hashes. */
  async #checkEnds(heads: readonly Head[]): Promise<void> {
    for (const { name, table, hash } of CHAINS) {
      const rows = await this.#reader.query<{ batch_no: number; sequence: number; hash: string }>(
        sql`
          select batch_no, last_sequence as sequence, ${raw(hash)} as hash
          from ${raw(table)}
          where workspace = ${this.#workspace}
            and batch_no = any(${heads.map((head) => head[name].batch_no)}::bigint[])`,
      )
      const found = new Map(rows.map((row) => [row.batch_no, row]))
      for (const head of heads) {
        const end = head[name]
        const now = found.get(end.batch_no)
        if (end.batch_no === 0 || (now?.hash === end.hash && now.sequence === end.sequence))
          continue
        const words = name.replace('_', ' ')
        this.#fault(
          head.day,
          `the ${words} up to ${end.sequence} were rewritten: batch ${end.batch_no} had hash ` +
            `${end.hash}, and now has ${now?.hash ?? 'none'}`,
        )
      }
    }
  }

  #fault(day: string, text: string): void {
    this.faults.push({ day, text })
  }
}
