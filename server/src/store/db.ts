/**
 * Connections to PostgreSQL. `Db` reads and opens transactions; a function that must run inside one
 * asks for a `Tx`. NUMERIC arrives as plain decimal text without padding, BIGINT (times, sequences;
 * never money) as a number, jsonb parsed.
 */
import pg from 'pg'
import { Waits } from '../core/waits.ts'
import { HintSender } from './hints.ts'
import type { Hint } from './hints.ts'
import { Servers } from './servers.ts'
import { statement } from './sql.ts'
import type { Query } from './sql.ts'

export type Reader = { query<Row>(query: Query): Promise<Row[]> }

declare const insideTransaction: unique symbol
export type Tx = Hinting & { readonly [insideTransaction]: true }

/** Writes, and tells listeners of it: of a transaction after its commit, else at once. */
export type Hinting = Reader & { hint(hint: Hint): void }

export type Db = Hinting & {
  /** Commits what `work` did, or nothing of it when it throws. */
  tx<T>(work: (tx: Tx) => Promise<T>): Promise<T>
  /**
   * A connection of its own for the lane or a listener. The caller listens for its `error`, and
   * ends it.
   */
  connect(options?: { pipeline?: boolean }): Promise<pg.Client>
  close(): Promise<void>
}

type DbOptions = {
  /** May name several servers (servers.ts). */
  url: string
  /** Role taken on by every connection: the service's own, which owns nothing. */
  role?: string
  maximumConnections?: number
  /** After which PostgreSQL ends a statement; 0 for never. */
  statementMilliseconds?: number
  /** How much longer than a statement may take its answer may: a server that hangs ends nothing. */
  graceMilliseconds?: number
  /** How long a caller waits for a connection. */
  waitMilliseconds?: number
  /** Of those who wait for a connection. */
  waits?: Waits
  /** Hears every failure. */
  onFailure?: ((error: unknown) => void) | undefined
}

/** There was no connection for as long as a caller may wait. Nothing was begun. */
export class NoConnection extends Error {
  override name = 'NoConnection'
}

/** There was no answer in time. What was asked may have been done. */
export class NoAnswer extends Error {
  override name = 'NoAnswer'
}

/** By this name sessions of the service are known among all. */
export const APPLICATION = 'kontor'

const STATEMENT_MILLISECONDS = 30_000
const GRACE_MILLISECONDS = 5_000
const KEEP_ALIVE_MILLISECONDS = 10_000
const LOCK_TIMEOUT_MILLISECONDS = 10_000
const IDLE_IN_TRANSACTION_MILLISECONDS = 15_000
const CONNECT_TIMEOUT_MILLISECONDS = 10_000

export function openDb(options: DbOptions): Db {
  const servers = new Servers(options.url)
  const pools = new Pools(servers, options)
  /** Names what has failed; another server may not have it. */
  const failed = (error: unknown): never => {
    if (isServerLost(error)) servers.forget()
    options.onFailure?.(error)
    throw named(error)
  }
  const { waits = new Waits() } = options
  const take = () => waits.during(async () => (await pools.current()).connect()).catch(failed)

  const query = async <Row>(query: Query) => {
    const client = await take()
    let failure: Error | undefined
    try {
      return (await client.query(statement(query))).rows as Row[]
    } catch (error) {
      failure = error as Error
      return failed(error)
    } finally {
      // As the pool itself does: after an error the connection is not used again.
      client.release(failure)
    }
  }
  const hints = new HintSender(query)

  return {
    query,
    hint(hint) {
      hints.send([hint])
    },
    async tx<T>(work: (tx: Tx) => Promise<T>): Promise<T> {
      const { result, told } = await runInTransaction(await take(), work).catch(failed)
      hints.send(told)
      return result
    },
    async connect({ pipeline = false } = {}) {
      const url = await servers.url().catch(failed)
      const client = new pg.Client({
        ...clientConfig(url, options),
        pipeline,
        connectionTimeoutMillis: CONNECT_TIMEOUT_MILLISECONDS,
        query_timeout: STATEMENT_MILLISECONDS + GRACE_MILLISECONDS,
      } as pg.ClientConfig)
      // It may die before its caller can listen; the next query on it fails.
      client.on('error', () => undefined)
      await client.connect().catch(failed)
      return client
    },
    async close() {
      await hints.close()
      await pools.close()
    },
  }
}

async function runInTransaction<T>(
  client: pg.PoolClient,
  work: (tx: Tx) => Promise<T>,
): Promise<{ result: T; told: Hint[] }> {
  let broken: Error | undefined
  const told: Hint[] = []
  const tx = {
    hint: (hint: Hint): void => {
      told.push(hint)
    },
    query: async <Row>(query: Query) => {
      try {
        return (await client.query(statement(query))).rows as Row[]
      } catch (error) {
        throw named(error)
      }
    },
  } as Tx
  try {
    await client.query('begin')
    const result = await work(tx)
    // An aborted transaction refuses the first of its two statements.
    await client.query(COMMIT)
    return { result, told }
  } catch (error) {
    if (error instanceof Error && isServerLost(error)) broken = error
    // Not over a connection that has not answered: it would be waited for once more.
    else
      await client.query('rollback').catch((failure: Error) => {
        broken = failure
      })
    throw error
  } finally {
    client.release(broken)
  }
}

/** The pool of the server in use. When that is another one, so is the pool. */
class Pools {
  readonly #servers: Servers
  readonly #options: DbOptions
  #url: string | undefined
  #pool: pg.Pool | undefined

  constructor(servers: Servers, options: DbOptions) {
    this.#servers = servers
    this.#options = options
  }

  async current(): Promise<pg.Pool> {
    const url = await this.#servers.url()
    if (this.#pool !== undefined && this.#url === url) return this.#pool
    // Who still works over the former one ends there.
    this.#pool?.end().catch(() => undefined)
    this.#url = url
    this.#pool = openPool(url, this.#options)
    return this.#pool
  }

  async close(): Promise<void> {
    await this.#pool?.end()
  }
}

function openPool(url: string, options: DbOptions): pg.Pool {
  const { statementMilliseconds = STATEMENT_MILLISECONDS } = options
  const { graceMilliseconds = GRACE_MILLISECONDS } = options
  const config = clientConfig(url, options)
  const pool = new pg.Pool({
    ...config,
    options: `${config.options} -c statement_timeout=${statementMilliseconds}`,
    ...(statementMilliseconds === 0
      ? {}
      : { query_timeout: statementMilliseconds + graceMilliseconds }),
    max: options.maximumConnections ?? 10,
    connectionTimeoutMillis: options.waitMilliseconds ?? CONNECT_TIMEOUT_MILLISECONDS,
  })
  // The pool replaces an idle connection that dies; the next query fails if the server is gone.
  pool.on('error', () => undefined)
  // The same while it is in use: its user learns of it from the query, and no event is uncaught.
  pool.on('connect', (client) => {
    client.on('error', () => undefined)
  })
  return pool
}

/**
 * Whoever waits for a standby to confirm a commit must not be ended by the time limit: PostgreSQL
 * would report the commit without the standby having it.
 */
const COMMIT = 'set local statement_timeout = 0; commit'

/** The driver has no class and no code for these: none is free, and a new one takes too long. */
const NO_CONNECTION: readonly string[] = [
  'timeout exceeded when trying to connect',
  'Connection terminated due to connection timeout',
]

/** The driver's words for an answer that did not come in time. */
const NO_ANSWER = 'Query read timeout'

function named(error: unknown): unknown {
  if (!(error instanceof Error)) return error
  if (NO_CONNECTION.includes(error.message))
    return new NoConnection('no connection to the database came free', { cause: error })
  if (error.message === NO_ANSWER)
    return new NoAnswer('the database did not answer in time', { cause: error })
  return error
}

/**
 * The server does not answer, is going away, or takes no writes any more; an error that it answered
 * otherwise is not of this kind.
 */
function isServerLost(error: unknown): boolean {
  if (error instanceof NoAnswer) return true
  if (error instanceof pg.DatabaseError) return LOST_STATES.test(error.code ?? '')
  return error instanceof Error && LOST_WORDS.test(error.message)
}

/** 08: connection; 57P01 to 57P03: the server goes away; 25006: it is a standby now. */
export const LOST_STATES = /^(08|57P0[1-3]|25006)/
const LOST_WORDS =
  /^(Query read timeout|Connection terminated|timeout e|connect E|read E|write E|no server)/

function clientConfig(url: string, { role }: DbOptions): pg.ClientConfig {
  const settings = [
    `-c lock_timeout=${LOCK_TIMEOUT_MILLISECONDS}`,
    `-c idle_in_transaction_session_timeout=${IDLE_IN_TRANSACTION_MILLISECONDS}`,
    '-c client_min_messages=warning',
    '-c jit=off',
    // A statement is planned once per connection. Planned while a table is empty, it would read all
    // of it for as long as the connection lives, however large the table has become.
    '-c enable_seqscan=off',
    ...(role === undefined ? [] : [`-c role=${role}`]),
  ]
  return {
    connectionString: url,
    application_name: APPLICATION,
    options: settings.join(' '),
    types: { getTypeParser: parserOf } as pg.CustomTypesConfig,
    keepAlive: true,
    keepAliveInitialDelayMillis: KEEP_ALIVE_MILLISECONDS,
  }
}

const INT8 = 20
const NUMERIC = 1700

function parserOf(oid: number, format?: 'text' | 'binary'): (text: string) => unknown {
  if (oid === INT8) return Number
  if (oid === NUMERIC) return trimmed
  return pg.types.getTypeParser(oid, format as 'text')
}

function trimmed(text: string): string {
  return text.includes('.') ? text.replace(/\.?0+$/, '') : text
}

/** The only row, or undefined; more than one is our mistake. */
export function only<Row>(rows: readonly Row[]): Row | undefined {
  if (rows.length > 1) throw new Error(`expected one row, got ${rows.length}`)
  return rows[0]
}

/** SQLSTATE of a database error, undefined for anything else. */
export function sqlState(error: unknown): string | undefined {
  return error instanceof pg.DatabaseError ? error.code : undefined
}

export function constraintOf(error: unknown): string | undefined {
  return error instanceof pg.DatabaseError ? error.constraint : undefined
}
