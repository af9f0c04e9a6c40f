/**
 * How much space the disk of the database has left. Books that cannot be written stop everything;
 * so what moves money is halted while there is still space for the outcome of what is under way.
 */
import { statfs } from 'node:fs/promises'
import { sqlState } from './db.ts'

const MEGABYTE = 1_048_576
/** There must be so much more before it goes on: not on and off at the limit. */
const MARGIN = 1.25
/** PostgreSQL said so: believed for as long without hearing it again. */
const FULL_MILLISECONDS = 60_000
const DISK_FULL = '53100'

type DiskWatchOptions = {
  /** Where the database lies; unknown for one on another machine. */
  folder?: string | undefined
  limit_mb: number
  /** Bytes that are free there; for tests. */
  freeBytes?: (folder: string) => Promise<number>
  steady?: () => number
}

export class DiskWatch {
  readonly #folder: string | undefined
  readonly #limit: number
  readonly #freeBytes: (folder: string) => Promise<number>
  readonly #steady: () => number
  /** Megabytes, as long as they are too few. */
  #free: number | undefined
  #fullAt = Number.NEGATIVE_INFINITY

  constructor({
    folder,
    limit_mb,
    freeBytes = freeBytesOf,
    steady = () => performance.now(),
  }: DiskWatchOptions) {
    this.#folder = folder
    this.#limit = limit_mb
    this.#freeBytes = freeBytes
    this.#steady = steady
  }

  /** Whether it sees the disk itself, or only hears what the database reports. */
  get watches(): boolean {
    return this.#folder !== undefined
  }

  /** What is wrong, in a sentence. */
  shortage(): string | undefined {
    if (this.#steady() - this.#fullAt < FULL_MILLISECONDS) return 'the disk of the database is full'
    return this.#free === undefined
      ? undefined
      : `the disk of the database has ${this.#free} MB left, less than ${this.#limit} MB`
  }

  async look(): Promise<void> {
    if (this.#folder === undefined) return
    const free = Math.floor((await this.#freeBytes(this.#folder)) / MEGABYTE)
    const needed = this.#free === undefined ? this.#limit : this.#limit * MARGIN
    this.#free = free < needed ? free : undefined
  }

  /** Of any error that PostgreSQL answers. */
  hear(error: unknown): void {
    if (sqlState(error) === DISK_FULL) this.#fullAt = this.#steady()
  }
}

export async function freeBytesOf(folder: string): Promise<number> {
  const { bavail, bsize } = await statfs(folder)
  return bavail * bsize
}
