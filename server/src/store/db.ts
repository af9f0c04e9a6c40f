/**
 * Connections to PostgreSQL. `Db` reads and opens transactions; a function that must run inside one
 * asks for a `Tx`. NUMERIC arrives as plain decimal text without padding, BIGINT (times, sequences;
 * never money) as a number, jsonb parsed.
 */
import pg from 'pg'
import { Waits } from '../core/waits.ts'
import { HintSender } from './hints.ts'
import type { Hint } from './hints.ts'
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
  url: string
  /** Role taken on by every connection: the service's own, which owns nothing. */
  role?: string
  maximumConnections?: number
  /** After which PostgreSQL ends a statement; 0 for never. */
  statementMilliseconds?: number
  /** How long a caller waits for a connection. */
  waitMilliseconds?: number
  /** Of those who wait for a connection. */
  waits?: Waits
}

/** There was no connection for as long as a caller may wait. Nothing was begun. */
export class NoConnection extends Error {
  override name = 'NoConnection'
}

const STATEMENT_MILLISECONDS = 30_000
const LOCK_TIMEOUT_MILLISECONDS = 10_000
const IDLE_IN_TRANSACTION_MILLISECONDS = 15_000
const CONNECT_TIMEOUT_MILLISECONDS = 10_000

export function openDb(options: DbOptions): Db {
  const config = clientConfig(options)
  const pool = openPool(config, options)
  const { waits = new Waits() } = options
  const take = () => waits.during(() => pool.connect()).catch(rethrowNoConnection)

  const query = async <Row>(query: Query) => {
    const client = await take()
    let failure: Error | undefined
    try {
      return (await client.query(statement(query))).rows as Row[]
    } catch (error) {
      failure = error as Error
      throw error
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
      const client = await take()
      let broken: Error | undefined
      try {
        await client.query('begin')
        const told: Hint[] = []
        const tx = {
          hint: (hint: Hint): void => {
            told.push(hint)
          },
          query: async <Row>(query: Query) => (await client.query(statement(query))).rows as Row[],
        } as Tx
        const result = await work(tx)
        // An aborted transaction refuses the first of its two statements.
        await client.query(COMMIT)
        hints.send(told)
        return result
      } catch (error) {
        await client.query('rollback').catch((failure: Error) => {
          broken = failure
        })
        throw error
      } finally {
        client.release(broken)
      }
    },
    async connect({ pipeline = false } = {}) {
      const client = new pg.Client({
        ...config,
        pipeline,
        connectionTimeoutMillis: CONNECT_TIMEOUT_MILLISECONDS,
      } as pg.ClientConfig)
      // It may die before its caller can listen; the next query on it fails.
      client.on('error', () => undefined)
      await client.connect()
      return client
    },
    async close() {
      await hints.close()
      await pool.end()
    },
  }
}

function openPool(config: pg.ClientConfig, options: DbOptions): pg.Pool {
  const { statementMilliseconds = STATEMENT_MILLISECONDS } = options
  const pool = new pg.Pool({
    ...config,
    options: `${config.options} -c statement_timeout=${statementMilliseconds}`,
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

function rethrowNoConnection(error: unknown): never {
  if (error instanceof Error && NO_CONNECTION.includes(error.message))
    throw new NoConnection('no connection to the database came free', { cause: error })
  throw error
}

function clientConfig({ url, role }: DbOptions): pg.ClientConfig {
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
    options: settings.join(' '),
    types: { getTypeParser: parserOf } as pg.CustomTypesConfig,
    keepAlive: true,
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
