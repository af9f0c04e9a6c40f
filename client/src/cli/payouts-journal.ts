/**
 * What has become of the payouts of a file: beside it, one JSON line after another. A line is on
 * the disk before what follows from it is sent.
 */
import { open, readFile } from 'node:fs/promises'
import type { DataOf } from '../index.ts'
import { Problem } from './problem.ts'

type PreparedBatch = DataOf<'post', '/treasury/withdrawals/batch/prepare'>

/** `batch` names the payments of one request, by which a repeat is the same. */
type Step = { batch: string; references: string[] } & (
  | { step: 'prepared'; withdrawals: PreparedBatch }
  | { step: 'submitted'; ids: string[] }
  | { step: 'expired' }
)

type Entry = Step & { server: string }

export type OpenBatch = Extract<Entry, { step: 'prepared' }>

export class Journal {
  readonly #file: string
  readonly #server: string
  readonly #entries: Entry[]
  /** Bytes of whole lines. One that was being written when the machine stopped is cut off. */
  #whole: number
  #size: number

  private constructor(file: string, server: string, text: string) {
    this.#file = file
    this.#server = server
    const whole = text.slice(0, text.lastIndexOf('\n') + 1)
    this.#whole = Buffer.byteLength(whole)
    this.#size = Buffer.byteLength(text)
    this.#entries = whole
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line) as Entry)
    const other = this.#entries.find((entry) => entry.server !== server)?.server
    if (other !== undefined)
      throw new Error(`it belongs to ${other}; for ${server} copy the file of payouts`)
  }

  /** Throws Problem when it cannot be read: without it a payout might be paid twice. */
  static async read(payouts: string, server: string): Promise<Journal> {
    const file = `${payouts}.journal`
    const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return ''
      throw new Problem('refused', error.message)
    })
    try {
      return new Journal(file, server, text)
    } catch (error) {
      throw new Problem('refused', `${file} cannot be used: ${(error as Error).message}`)
    }
  }

  /** The references of what was submitted. */
  get paid(): ReadonlySet<string> {
    return new Set(this.#entries.filter(isSubmitted).flatMap(({ references }) => references))
  }

  /** The payments of what was submitted. */
  get payments(): PreparedBatch[number]['stakes'] {
    const submitted = new Set(this.#entries.filter(isSubmitted).map(({ batch }) => batch))
    return this.#entries.flatMap((entry) =>
      entry.step === 'prepared' && submitted.has(entry.batch)
        ? entry.withdrawals.flatMap(({ stakes }) => stakes)
        : [],
    )
  }

  /** What was prepared, and neither submitted nor found expired. */
  get open(): OpenBatch[] {
    return this.#entries
      .filter((entry): entry is OpenBatch => entry.step === 'prepared')
      .filter(({ batch }) => !this.#entries.some((entry) => entry.batch === batch && isEnd(entry)))
  }

  /** How often a batch of these payments was prepared and ran out. */
  expired(batch: string): number {
    return this.#entries.filter(
      (entry) => entry.step === 'expired' && entry.batch.startsWith(`${batch}.`),
    ).length
  }

  async addPrepared(entry: Omit<OpenBatch, 'server'>): Promise<OpenBatch> {
    await this.add(entry)
    return { ...entry, server: this.#server }
  }

  async add(entry: Step): Promise<void> {
    const whole = { server: this.#server, ...entry }
    const line = Buffer.from(`${JSON.stringify(whole)}\n`)
    const handle = await open(this.#file, 'a', 0o600)
    try {
      if ((await handle.stat()).size !== this.#size)
        throw new Problem('refused', `another run writes ${this.#file}: wait until it has ended`)
      await handle.truncate(this.#whole)
      await handle.appendFile(line)
      await handle.sync()
    } finally {
      await handle.close()
    }
    this.#whole += line.length
    this.#size = this.#whole
    this.#entries.push(whole)
  }
}

const isSubmitted = ({ step }: Entry): boolean => step === 'submitted'
const isEnd = ({ step }: Entry): boolean => step !== 'prepared'
