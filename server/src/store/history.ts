/**
 * Whether the database is still the one that this service last worked with. A backup that is
 * restored, or a standby that lags and takes over, does not have what was sent meanwhile; it would
 * be sent again.
 *
 * The database has an id and a counter, and so has a folder of the operator's. After the intent to
 * send is stored and before the venue is called, the counter is advanced: first in the database
 * (commit), then in the file (fsync). So a database that lacks an intent which may have reached a
 * venue is behind the file; one whose process was killed is not. Intents that are stored at the
 * same time share one advance.
 *
 * A database that was set back begins a new history: a new id, `set_back_at`, and whatever
 * `onSetBack` halts, in one transaction.
 *
 * Only who sends has a file. Other processes rely on who sends: as long as one is at work, and says
 * so in the database, it would have noticed.
 */
import type { Clock } from '../core/clock.ts'
import type { Db, Reader, Tx } from './db.ts'
import { createFile, readMarks, removeUnreadable } from './history-files.ts'
import type { HistoryFile, StoredMark } from './history-files.ts'
import { sql } from './sql.ts'
import type { Query } from './sql.ts'
import { isUnbroken, readHistory, sign } from './history-row.ts'
import type { HistoryRow } from './history-row.ts'

export type History = {
  /** What was made before this is looked up at its venue before it is sent. */
  lookUpBefore(): Promise<number>
  /**
   * What was made before this may have gone on in what the database has lost. Without a folder
   * nobody would have noticed, so it is each start of a worker.
   */
  setBackAt(): Promise<number>
  /** When it was last noticed that the database was set back; 0: never. */
  noticedAt(): Promise<number>
  /**
   * A condition in SQL, for the statement that stores an intent: the database was not set back, and
   * the clock that dates the intent is right.
   */
  stands(): Query
  /** Between a stored intent and the call to the venue. Throws when the database was set back. */
  seal(): Promise<void>
  /** Compares the database with the folder, and from then on with itself. For who sends. */
  start(): Promise<void>
  close(): Promise<void>
}

type Options = {
  db: Db
  clock: Clock
  /** Why the clock is wrong. Without it it is taken for right. */
  clockFault?(): string | undefined
  /** The operator's; without it only a change while this process runs is noticed. */
  folder?: string
  onSetBack(tx: Tx, reason: string): Promise<void>
  log: { error(details: object, message: string): void }
}

const LOOK_MILLISECONDS = 1_000
/** So that others see that the process lives: in the folder, and in the database. */
const WRITE_EVERY_LOOKS = 60
const SIGN_EVERY_LOOKS = 5
/** So begins the reason of the halts. */
export const SET_BACK = 'The database may have been set back'
const WHAT_TO_DO =
  'What was sent since then may be missing here. Run npm run after-restore (docs/operations.md)'

export function openHistory(options: Options): History {
  const { db, clock } = options
  let started: Started | undefined
  return {
    lookUpBefore: async () => started?.lookUpBefore ?? lookUpBeforeOf(await readHistory(db)),
    setBackAt: async () => started?.setBackAt ?? setBackAtOf(await readHistory(db)),
    noticedAt: async () => (await readHistory(db)).set_back_at ?? 0,
    stands() {
      if (options.clockFault?.() !== undefined) return sql`false`
      return started?.stands() ?? sql`true`
    },
    seal: async () => started?.seal(),
    async start() {
      started ??= await Started.begin(options, clock.now())
    },
    close: async () => started?.close(),
  }
}

/**
 * For who does not send: what workers would look up, and everything while none is at work. Before
 * the first one was, nothing was sent; but one of an earlier release only left the counter.
 */
function lookUpBeforeOf(row: HistoryRow): number {
  return isUnwatched(row)
    ? Number.MAX_SAFE_INTEGER
    : Math.max(row.work_since ?? 0, row.set_back_at ?? 0)
}

const setBackAtOf = (row: HistoryRow): number =>
  isUnwatched(row) ? Number.MAX_SAFE_INTEGER : latestLoss(row)

const isUnwatched = ({ work_since, at_work, counter }: HistoryRow): boolean =>
  !at_work && (work_since !== null || counter > 0)

const latestLoss = ({ set_back_at, unwatched_until }: HistoryRow): number =>
  Math.max(set_back_at ?? 0, unwatched_until ?? 0)

class Started {
  readonly #options: Options
  readonly #started_at: number
  readonly #file: HistoryFile | undefined
  readonly #timer: NodeJS.Timeout
  #row: HistoryRow
  #last: Promise<unknown> = Promise.resolve()
  #next: Promise<void> | undefined
  #looks = 0
  #looking = false

  private constructor(options: Options, started_at: number, row: HistoryRow, file?: HistoryFile) {
    this.#options = options
    this.#started_at = started_at
    this.#row = row
    this.#file = file
    this.#timer = setInterval(() => void this.#lookOnce(), LOOK_MILLISECONDS)
    this.#timer.unref()
  }

  static async begin(options: Options, started_at: number): Promise<Started> {
    const { db, folder } = options
    // The folder first: while others send, the database is never behind what was read before it.
    const marks = folder === undefined ? [] : await readMarks(folder)
    const row = await readHistory(db)
    const current = folder === undefined ? row : await compare(options, row, { folder, marks })
    await sign(options, current, started_at)
    if (folder === undefined) return new Started(options, started_at, row)
    return new Started(options, started_at, current, await createFile(folder, current))
  }

  get lookUpBefore(): number {
    return Math.max(this.#started_at, this.#row.set_back_at ?? 0)
  }

  get setBackAt(): number {
    const lost_at = latestLoss(this.#row)
    return this.#file === undefined ? Math.max(this.#started_at, lost_at) : lost_at
  }

  stands(): Query {
    return sql`exists (select from history where ${isUnbroken(this.#row)})`
  }

  /** Who comes while one is under way shares the next: it begins after all of them have stored. */
  seal(): Promise<void> {
    this.#next ??= this.#inTurn(() => {
      this.#next = undefined
      return this.#advance()
    })
    return this.#next
  }

  async close(): Promise<void> {
    clearInterval(this.#timer)
    await this.#inTurn(async () => this.#file?.close())
  }

  #inTurn(work: () => Promise<void>): Promise<void> {
    const turn = this.#last.then(work)
    this.#last = turn.catch(() => undefined)
    return turn
  }

  async #advance(): Promise<void> {
    const [advanced] = await this.#options.db.query<{ counter: number }>(sql`
      update history
      set counter = counter + 1
      where ${isUnbroken(this.#row)}
      returning counter`)
    if (advanced === undefined) throw new Error('the database was set back: nothing is sent now')
    this.#row = { ...this.#row, counter: advanced.counter }
    await this.#file?.write(this.#row)
  }

  async #lookOnce(): Promise<void> {
    if (this.#looking) return
    this.#looking = true
    try {
      await this.#inTurn(() => this.#look())
    } catch (error) {
      this.#options.log.error({ error: String(error) }, 'the history cannot be kept')
    } finally {
      this.#looking = false
    }
  }

  /** It may have been set back under the running process, or other processes have sent. */
  async #look(): Promise<void> {
    const seen = await readHistory(this.#options.db)
    const known = this.#row
    const why = whyDifferent(seen, [{ mark: known, copied: false }], '')
    this.#looks += 1
    if (why === undefined && this.#looks % SIGN_EVERY_LOOKS === 0)
      await sign(this.#options, known, this.#started_at)
    this.#row =
      why === undefined ? seen : await beginAnew(this.#options, seen, { why, ids: [known.id] })
    const isSame = seen.id === known.id && seen.counter === known.counter && why === undefined
    if (!isSame || this.#looks % WRITE_EVERY_LOOKS === 0) await this.#file?.write(this.#row)
  }
}

async function compare(
  options: Options,
  row: HistoryRow,
  { folder, marks }: { folder: string; marks: readonly StoredMark[] },
): Promise<HistoryRow> {
  const ids = marks.flatMap(({ mark }) => mark?.id ?? [])
  if (!ids.includes(row.id) && (await isNew(options.db, row))) {
    // The folder served another database before.
    const others = ids.filter((id) => id !== row.id)
    await options.db.query(sql`
      update history
      set earlier = ${others}::uuid[]`)
    return { ...row, earlier: others }
  }
  const why = whyDifferent(row, marks, folder)
  if (why === undefined) return row
  const current = await beginAnew(options, row, { why, ids })
  await removeUnreadable(folder)
  return current
}

/** Nothing was ever sent from it. */
async function isNew(reader: Reader, { counter }: HistoryRow): Promise<boolean> {
  if (counter > 0) return false
  const [row] = await reader.query<{ used: boolean }>(sql`
    select exists (select from withdrawals) or exists (select from execution_orders) as used`)
  return row?.used === false
}

/** Why the database is not the one that the marks are of. */
function whyDifferent(
  row: HistoryRow,
  marks: readonly StoredMark[],
  folder: string,
): string | undefined {
  if (marks.length === 0) return `${folder} knows nothing of this database`
  for (const { mark, copied } of marks) {
    if (mark === null) return `a file in ${folder} cannot be read`
    // It was noticed by another process, or before.
    if (row.earlier.includes(mark.id)) continue
    if (mark.id !== row.id) return 'this service last worked with another database'
    if (mark.counter > row.counter) return 'the database is older than what was last sent'
    if (mark.server !== row.server) return 'it is another server, or another timeline of it'
    if (copied) return `${folder} is a copy`
  }
  return undefined
}

/** One process does it; whoever comes later finds its own id among the earlier ones. */
async function beginAnew(
  { db, clock, onSetBack, log }: Options,
  seen: HistoryRow,
  { why, ids }: { why: string; ids: readonly string[] },
): Promise<HistoryRow> {
  const reason = `The database may have been set back: ${why}. ${WHAT_TO_DO}.`
  return db.tx(async (tx) => {
    const [same] = await tx.query(sql`
      select
      from history
      where id = ${seen.id}::uuid
      for update`)
    if (same !== undefined) {
      await onSetBack(tx, reason)
      await tx.query(sql`
        update history
        set id = gen_random_uuid(),
          counter = counter + 1,
          earlier = array(select distinct unnest(earlier || id || ${[...ids]}::uuid[])),
          set_back_at = ${clock.now()},
          set_back_reason = ${reason}`)
      log.error({ why }, reason)
    }
    return readHistory(tx)
  })
}
