/** Statements that leave together and are answered together: one round trip to the database. */
import type { Duplex } from 'node:stream'
import type pg from 'pg'
import { LOST_STATES } from '../../store/db.ts'
import type { Statement } from '../../store/sql.ts'

type RoundTrip = {
  /** The rows of each statement; empty for one that failed. */
  rows: unknown[][]
  /** The command tag of the last statement. PostgreSQL answers ROLLBACK to a COMMIT that failed. */
  tag: string
  /** The first failure: it is the cause of those after it. Undefined when all succeeded. */
  error: unknown
}

/** `probe`: called before each statement, which then leaves alone. Tests stop there. */
export type RoundTripOptions = {
  silence_ms: number
  probe?: ((step: string) => Promise<void>) | undefined
}

/** Sends the statements. `name` begins the steps that a probe is called with. */
export async function makeRoundTrip(
  client: pg.Client,
  statements: readonly Statement[],
  name: string,
  { silence_ms, probe }: RoundTripOptions,
): Promise<RoundTrip> {
  if (probe !== undefined)
    return sendOneByOne(client, statements, (index) => probe(`${name} ${index}`))
  const { stream } = (client as unknown as { connection: { stream: Duplex } }).connection
  stream.cork()
  const sent = statements.map((statement) => client.query(statement))
  stream.uncork()
  const watchdog = setTimeout(() => {
    stream.destroy(new Error(`the database has not answered for ${silence_ms} ms`))
  }, silence_ms)
  const settled = await Promise.allSettled(sent)
  clearTimeout(watchdog)
  const last = settled.at(-1)
  return {
    rows: settled.map((result) =>
      result.status === 'fulfilled' ? (result.value.rows as unknown[]) : [],
    ),
    tag: last?.status === 'fulfilled' ? last.value.command : '',
    error: settled.find((result) => result.status === 'rejected')?.reason,
  }
}

async function sendOneByOne(
  client: pg.Client,
  statements: readonly Statement[],
  probe: (index: number) => Promise<void>,
): Promise<RoundTrip> {
  const rows: unknown[][] = []
  let tag = ''
  for (const [index, statement] of statements.entries()) {
    await probe(index)
    try {
      const result = await client.query(statement)
      rows.push(result.rows as unknown[])
      tag = result.command
    } catch (error) {
      return { rows, tag, error }
    }
  }
  return { rows, tag, error: undefined }
}

/** Whether the connection is gone, so that no query can be sent over it. */
export function isConnectionDead(client: pg.Client, error: unknown): boolean {
  const { _queryable, _ended } = client as unknown as { _queryable: boolean; _ended: boolean }
  if (!_queryable || _ended) return true
  const code = (error as { code?: unknown } | undefined)?.code
  return typeof code === 'string' && LOST_STATES.test(code)
}
