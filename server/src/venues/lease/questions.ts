/**
 * Questions to the holder of the lease, through the database: another process stores what it wants
 * to read, the holder reads it at the venue and stores the answer, and who asked takes it away.
 * They only read, so a new holder may answer what the one before had begun.
 */
import { ApiError } from '../../core/errors.ts'
import type { ErrorDetail, ErrorName } from '../../core/errors.ts'
import { newId } from '../../core/ids.ts'
import type { VenueId, WorkspaceId } from '../../core/ids.ts'
import type { Db, Hinting, Reader } from '../../store/db.ts'
import { sql } from '../../store/sql.ts'
import { QUESTION_CHANNEL } from './lease.ts'
import type { VenueLease } from './lease.ts'
import { READS } from './reads.ts'
import type { AnswerOf, AskedOf, ReadName } from './reads.ts'

/** Most callers wait for 5 s. */
const ANSWERED_WITHIN_MILLISECONDS = 15_000
const LOOK_MILLISECONDS = 30
/** Of one process that asks, and of the holder. */
const ASKED_AT_ONCE = 500
const ANSWERED_AT_ONCE = 32

export type Place = { workspace: WorkspaceId; venue_id: VenueId }

/** This process holds the lease itself now: it reads at the venue. */
export class HeldHere extends Error {
  override name = 'HeldHere'
}

type Waiting = { until: number; resolve(answer: string): void; reject(error: Error): void }

/** The questions of this process. */
export class Questions {
  readonly #db: Hinting
  readonly #lease: VenueLease
  readonly #waiting = new Map<string, Waiting>()
  #looking: Promise<void> | undefined
  #closed = false

  constructor(db: Hinting, lease: VenueLease) {
    this.#db = db
    this.#lease = lease
  }

  /** Throws what the adapter throws; 2003 when no process holds the lease, or none answers. */
  async ask<Name extends ReadName>(
    { workspace, venue_id }: Place,
    name: Name,
    asked: AskedOf<Name>,
  ): Promise<AnswerOf<Name>> {
    if (this.#closed || this.#waiting.size >= ASKED_AT_ONCE)
      throw new ApiError('VenueUnreachable', 'the venues cannot be asked now')
    const id = newId()
    const stored = await this.#db.query(sql`
      insert into venue_questions (id, workspace, venue_id, question, asked, expires_at)
      select ${id}::uuid, ${workspace}::uuid, ${venue_id}::uuid, ${name}, ${toText(asked)},
        clock_timestamp()
          + make_interval(secs => ${ANSWERED_WITHIN_MILLISECONDS / 1000}::double precision)
      from venue_lease
      where expires_at > clock_timestamp()
      returning 1`)
    if (stored.length === 0)
      throw new ApiError('VenueUnreachable', 'no process works with the venues now')
    const { promise, resolve, reject } = Promise.withResolvers<string>()
    const until = performance.now() + ANSWERED_WITHIN_MILLISECONDS
    this.#waiting.set(id, { until, resolve, reject })
    this.#db.hint({ channel: QUESTION_CHANNEL, payload: '' })
    this.#looking ??= this.#look()
    return fromAnswer(await promise) as AnswerOf<Name>
  }

  async close(): Promise<void> {
    this.#closed = true
    await this.#looking
  }

  /** While somebody waits. */
  async #look(): Promise<void> {
    while (this.#waiting.size > 0) {
      await new Promise((resolve) => {
        setTimeout(resolve, LOOK_MILLISECONDS)
      })
      // The database may answer again before they have waited for too long.
      await this.#takeAnswers().catch(() => undefined)
      this.#giveUp()
    }
    this.#looking = undefined
  }

  async #takeAnswers(): Promise<void> {
    const answers = await this.#db.query<{ id: string; answer: string }>(sql`
      delete from venue_questions
      where id = any(${[...this.#waiting.keys()]}::uuid[])
        and answer is not null
      returning id, answer`)
    for (const { id, answer } of answers) this.#end(id)?.resolve(answer)
  }

  /** What is left of them in the database is forgotten later. */
  #giveUp(): void {
    const now = performance.now()
    for (const [id, { until }] of this.#waiting) {
      if (this.#lease.held) this.#end(id)?.reject(new HeldHere())
      else if (this.#closed || until < now)
        this.#end(id)?.reject(
          new ApiError(
            'VenueUnreachable',
            'the process that works with the venues does not answer',
          ),
        )
    }
  }

  #end(id: string): Waiting | undefined {
    const waiting = this.#waiting.get(id)
    this.#waiting.delete(id)
    return waiting
  }
}

type Question = Place & { id: string; question: string; asked: string }

type AnsweringParts = {
  db: Db
  lease: VenueLease
  log: { error(details: object, message: string): void }
  read(place: Place, name: ReadName, asked: never): Promise<unknown>
}

/** Answers what others ask while this process holds the lease. */
export function answerQuestions({ db, lease, log, read }: AnsweringParts): {
  close(): Promise<void>
} {
  const running = new Set<Promise<void>>()
  let closed = false
  let [looking, again] = [false, false]

  const look = async (): Promise<void> => {
    again = true
    if (looking) return
    looking = true
    while (again && !closed && lease.held) {
      again = false
      const questions = await takeQuestions(db, lease.fence, ANSWERED_AT_ONCE - running.size)
      for (const question of questions) begin(question)
    }
    looking = false
  }
  const lookNow = () => {
    look().catch((error: unknown) => {
      looking = false
      log.error({ error: String(error) }, 'questions to venues cannot be read')
    })
  }
  const begin = (question: Question) => {
    const run: Promise<void> = answer(question)
      .catch((error: unknown) => {
        log.error({ error: String(error) }, 'a question to a venue cannot be answered')
      })
      .finally(() => {
        running.delete(run)
        lookNow()
      })
    running.add(run)
  }
  const answer = async ({ id, question, asked, ...place }: Question): Promise<void> => {
    const text = await toAnswer(async () => read(place, nameOf(question), fromText(asked) as never))
    await db.query(sql`
      update venue_questions
      set answer = ${text}
      where id = ${id}
        and answer is null`)
  }

  const stop = lease.onQuestion(lookNow)
  return {
    async close() {
      closed = true
      stop()
      await Promise.all(running)
    },
  }
}

function takeQuestions(db: Reader, fence: number, count: number): Promise<Question[]> {
  return db.query<Question>(sql`
    update venue_questions
    set taken_by = ${fence}
    where id in (
      select id
      from venue_questions
      where expires_at > clock_timestamp()
        and answer is null
        and taken_by is distinct from ${fence}
      order by expires_at
      limit ${Math.max(count, 0)}::int
      for update skip locked
    )
    returning id, workspace, venue_id, question, asked`)
}

/** Those whose askers have gone. */
export async function forgetOldQuestions(db: Reader): Promise<void> {
  await db.query(sql`
    delete from venue_questions
    where expires_at < clock_timestamp() - interval '1 minute'`)
}

function nameOf(question: string): ReadName {
  if (!Object.hasOwn(READS, question))
    throw new ApiError('VenueUnreachable', `the holder does not know the question ${question}`)
  return question as ReadName
}

type Answer =
  | { answer?: unknown }
  | { error: { kind: ErrorName; message: string; details: readonly ErrorDetail[] } }

async function toAnswer(work: () => Promise<unknown>): Promise<string> {
  try {
    return toText({ answer: await work() })
  } catch (error) {
    const { kind, message, details } =
      error instanceof ApiError
        ? error
        : new ApiError('VenueUnreachable', 'the process that works with the venues failed')
    return toText({ error: { kind, message, details } })
  }
}

function fromAnswer(text: string): unknown {
  const answer = fromText(text) as Answer
  if (!('error' in answer)) return answer.answer
  const { kind, message, details } = answer.error
  throw new ApiError(kind, message, details)
}

const DECIMAL = '$decimal'

/** Decimals keep every digit; a signal of the asker means nothing to another process. */
function toText(value: unknown): string {
  return JSON.stringify(value, (_name, part: unknown) => {
    if (typeof part === 'bigint') return { [DECIMAL]: part.toString() }
    return part instanceof AbortSignal ? undefined : part
  })
}

function fromText(text: string): unknown {
  return JSON.parse(text, (_name, part: unknown) => {
    const digits =
      typeof part === 'object' && part !== null && DECIMAL in part ? part[DECIMAL] : undefined
    return typeof digits === 'string' ? BigInt(digits) : part
  })
}
