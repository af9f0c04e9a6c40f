/**
 * The lease of the venues: one process at a time works with the exchanges, however many run. It is
 * a row with a holder, a fence that grows with each holder, and an end in the database's time,
 * because the machines' clocks differ.
 *
 * The holder renews it over a connection of its own, and trusts it for a part of its term, measured
 * from before the renewal was sent. So it stops before any other process may begin, whatever
 * happens to either. Who sees that the holder's process has ended need not wait for the end.
 */
import type pg from 'pg'
import { newId } from '../../core/ids.ts'
import type { Db } from '../../store/db.ts'
import { sql, statement } from '../../store/sql.ts'
import type { Query } from '../../store/sql.ts'
import { LeasedCredential } from './credential.ts'
import type { Credential } from './credential.ts'
import { hasEnded, traceOf } from './holding-process.ts'
import { RESERVED_NONCES, reserveNonces } from './nonces.ts'

export type VenueLease = {
  /** Whether this process may use the credentials now. */
  readonly held: boolean
  readonly fence: number
  /** Of a key; one for all who use the same. */
  credential(name: string): Promise<Credential>
  /** Hears each gain and loss, until the returned function is called. */
  onChange(hear: (held: boolean) => void): () => void
  /** Hears that there may be questions for the holder. */
  onQuestion(hear: () => void): () => void
  close(): Promise<void>
}

/** Notifies the holder of questions. */
export const QUESTION_CHANNEL = 'venue_questions'

type LeaseOptions = {
  db: Db
  log: { info(details: object, message: string): void }
  /** Whether this process wants it; one that only answers requests asks the holder. */
  contends: boolean
  /** Whether it may hold it now; always when absent. */
  mayHold?: () => boolean
  /** How long nobody else may begin after the last renewal. */
  term_ms?: number
}

const TERM_MILLISECONDS = 10_000
/** Of the term: how long the holder trusts it, how often it is renewed, and tried again. */
const TRUSTED = 0.7
const RENEWED = 0.25
const AGAIN = 0.05

/** Resolves after the first attempt, successful or not. */
export async function openVenueLease(options: LeaseOptions): Promise<VenueLease> {
  const lease = new DatabaseLease(options)
  if (options.contends) await lease.begin()
  return lease
}

/** Both clocks of this machine: the monotonic one may stand still while the machine sleeps. */
type Moment = { monotonic: number; wall: number }

const now = (): Moment => ({ monotonic: performance.now(), wall: Date.now() })
const since = ({ monotonic, wall }: Moment): number =>
  Math.max(performance.now() - monotonic, Date.now() - wall)

class DatabaseLease implements VenueLease {
  readonly #db: Db
  readonly #log: LeaseOptions['log']
  readonly #term: number
  readonly #mayHold: () => boolean
  /** A process that starts again is another holder. */
  readonly #holder = newId()
  readonly #process = traceOf(process.pid) ?? null
  readonly #credentials = new Map<string, LeasedCredential>()
  readonly #hearers = new Set<(held: boolean) => void>()
  readonly #questionHearers = new Set<() => void>()
  #client: pg.Client | undefined
  /** Of the connection: the driver takes one query at a time. */
  #lastQuery: Promise<unknown> = Promise.resolve()
  #fence = 0
  /** When the last renewal was sent. */
  #renewed: Moment | undefined
  /** What the hearers were told last. */
  #told = false
  #end: NodeJS.Timeout | undefined
  #closed = false
  #pause = RENEWED
  #wake: () => void = () => undefined
  #running: Promise<void> = Promise.resolve()

  constructor({ db, log, term_ms = TERM_MILLISECONDS, mayHold = () => true }: LeaseOptions) {
    this.#db = db
    this.#log = log
    this.#term = term_ms
    this.#mayHold = mayHold
  }

  get held(): boolean {
    return this.#renewed !== undefined && since(this.#renewed) < this.#term * TRUSTED
  }

  get fence(): number {
    return this.#fence
  }

  async begin(): Promise<void> {
    await this.#turn()
    this.#running = this.#keep()
  }

  async credential(name: string): Promise<Credential> {
    const known = this.#credentials.get(name)
    if (known !== undefined) return known
    const credential = new LeasedCredential(this)
    this.#credentials.set(name, credential)
    if (this.held) await this.#reserve(name, credential)
    return credential
  }

  onChange(hear: (held: boolean) => void): () => void {
    this.#hearers.add(hear)
    return () => {
      this.#hearers.delete(hear)
    }
  }

  onQuestion(hear: () => void): () => void {
    this.#questionHearers.add(hear)
    return () => {
      this.#questionHearers.delete(hear)
    }
  }

  /** Gives it back, so that another process need not wait for its end. */
  async close(): Promise<void> {
    this.#closed = true
    this.#wake()
    await this.#running
    await this.#giveBack('this process ends')
    this.#disconnect()
  }

  async #giveBack(why: string): Promise<void> {
    this.#lose(why)
    const given = this.#run(sql`
      update venue_lease
      set holder = null, expires_at = '-infinity'
      where holder = ${this.#holder}`)
    await this.#inTime(given).catch(() => undefined)
  }

  async #keep(): Promise<void> {
    while (!this.#closed) {
      await new Promise<void>((resolve) => {
        this.#wake = resolve
        setTimeout(resolve, this.#term * this.#pause).unref()
      })
      if (!this.#closed) await this.#turn()
    }
  }

  /** Takes it, or renews it. */
  async #turn(): Promise<void> {
    if (!this.#mayHold()) return this.#giveBack('this process may do no work')
    const sent = now()
    try {
      const fence = await this.#inTime(this.#take())
      if (fence === undefined) this.#lose('another process has it')
      else await this.#hold(fence, sent)
      this.#pause = RENEWED
    } catch {
      // The database does not answer: until it does, the last renewal counts.
      this.#disconnect()
      if (!this.held) this.#lose('the database does not answer')
      this.#pause = AGAIN
    }
  }

  async #take(): Promise<number | undefined> {
    await this.#connect()
    const fence = await this.#takeIf(
      sql`holder = ${this.#holder}::uuid or expires_at <= clock_timestamp()`,
    )
    if (fence !== undefined) return fence
    const [other] = await this.#run<{ fence: number; process: string | null }>(sql`
      select fence, process
      from venue_lease`)
    // A process that has ended calls nobody: its term need not be waited for.
    return other?.process !== undefined && other.process !== null && hasEnded(other.process)
      ? this.#takeIf(sql`fence = ${other.fence}`)
      : undefined
  }

  async #takeIf(free: Query): Promise<number | undefined> {
    const [row] = await this.#run<{ fence: number }>(sql`
      update venue_lease
      set holder = ${this.#holder}::uuid,
        process = ${this.#process},
        fence = fence + case when holder = ${this.#holder}::uuid then 0 else 1 end,
        expires_at = clock_timestamp()
          + make_interval(secs => ${this.#term / 1000}::double precision)
      where ${free}
      returning fence`)
    return row?.fence
  }

  async #hold(fence: number, sent: Moment): Promise<void> {
    if (this.#told && fence !== this.#fence) this.#lose('another process had it')
    this.#fence = fence
    for (const [name, credential] of this.#credentials)
      if (!this.#told || credential.left < RESERVED_NONCES / 2)
        await this.#inTime(this.#reserve(name, credential))
    this.#renewed = sent
    clearTimeout(this.#end)
    this.#end = setTimeout(
      () => {
        if (!this.held) this.#lose('it was not renewed in time')
      },
      Math.max(this.#term * TRUSTED - since(sent), 0) + 1,
    )
    this.#end.unref()
    if (!this.#told && this.held) {
      this.#log.info({ fence }, 'this process works with the venues now')
      this.#tell(true)
    }
    for (const hear of this.#questionHearers) hear()
  }

  #lose(why: string): void {
    clearTimeout(this.#end)
    this.#renewed = undefined
    if (!this.#told) return
    this.#log.info({ fence: this.#fence, why }, 'this process no longer works with the venues')
    this.#tell(false)
  }

  #tell(held: boolean): void {
    this.#told = held
    for (const hear of this.#hearers) hear(held)
  }

  async #reserve(credential: string, reserving: LeasedCredential): Promise<void> {
    const nonces = await reserveNonces((query) => this.#run(query), this.#holder, credential)
    if (nonces !== undefined) reserving.reserve(nonces.from, nonces.to)
  }

  async #connect(): Promise<void> {
    if (this.#client !== undefined) return
    const client = await this.#db.connect()
    // It came after its time: another one is in use, or the lease was given back.
    if (this.#client !== undefined || this.#closed) {
      client.end().catch(() => undefined)
      if (this.#closed) throw new Error('the lease is closed')
      return
    }
    const lost = () => {
      if (this.#client === client) this.#client = undefined
    }
    client.on('error', lost)
    client.on('end', lost)
    client.on('notification', () => {
      for (const hear of this.#questionHearers) hear()
    })
    this.#client = client
    this.#lastQuery = Promise.resolve()
    await this.#inTurn(() => client.query(`listen ${QUESTION_CHANNEL}`))
  }

  #disconnect(): void {
    const client = this.#client
    this.#client = undefined
    void client?.end().catch(() => undefined)
  }

  async #run<Row>(query: Query): Promise<Row[]> {
    const client = this.#client
    if (client === undefined) throw new Error('there is no connection')
    return (await this.#inTurn(() => client.query(statement(query)))).rows as Row[]
  }

  #inTurn<Result>(ask: () => Promise<Result>): Promise<Result> {
    const answer = this.#lastQuery.then(ask)
    this.#lastQuery = answer.catch(() => undefined)
    return answer
  }

  /** A connection that says nothing must not keep it from being renewed over another one. */
  #inTime<Result>(work: Promise<Result>): Promise<Result> {
    const { promise, reject } = Promise.withResolvers<never>()
    const timer = setTimeout(
      () => {
        reject(new Error('the database does not answer'))
      },
      this.#term * (this.held ? RENEWED : 1),
    )
    return Promise.race([work, promise]).finally(() => {
      clearTimeout(timer)
    })
  }
}
