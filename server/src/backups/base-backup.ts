/**
 * PostgreSQL's base backup over its replication protocol: a copy of all files of the running server
 * as one tar archive, at its end the log that makes them consistent. It needs no program, and the
 * server compares the checksum of every page that it sends.
 *
 * https://www.postgresql.org/docs/current/protocol-replication.html
 */
import { randomBytes } from 'node:crypto'
import { Readable } from 'node:stream'
import pg from 'pg'

/** Where the copy begins and ends in the server's log. */
type Span = { timeline: number; start_lsn: string; stop_lsn: string }

type BaseBackup = {
  /** The tar archive. */
  archive: Readable
  /** After the archive has ended. */
  span(): Span
  close(): Promise<void>
}

const COMMAND = `BASE_BACKUP (LABEL 'kontor', CHECKPOINT 'fast', WAL, WAIT 0, MANIFEST 'no')`

/** The login may replicate, or is a superuser. */
export async function openBaseBackup(url: string): Promise<BaseBackup> {
  const client = new pg.Client({ connectionString: url, replication: 'true' } as pg.ClientConfig)
  client.on('error', () => undefined) // its query fails as well
  await client.connect()
  try {
    // Keeps the log that the backup needs, and goes with the connection.
    const slot = `kontor_${process.pid}_${randomBytes(4).toString('hex')}`
    await client.query(`CREATE_REPLICATION_SLOT "${slot}" TEMPORARY PHYSICAL (RESERVE_WAL)`)
    const archive = client.query(new Archive())
    return { archive, span: () => archive.span(), close: () => client.end() }
  } catch (error) {
    await client.end()
    throw error
  }
}

type CopyData = { chunk: Buffer }
/** The first byte of each message says what follows: a new archive, or a piece of one. */
const NEW_ARCHIVE = 'n'.charCodeAt(0)
const PIECE = 'd'.charCodeAt(0)

/** What the driver reads of the command's answer. The names of its methods are the driver's. */
class Archive extends Readable implements pg.Submittable {
  readonly #rows: (string | null)[][] = []
  #connection: pg.Connection | undefined
  #archives = 0

  submit(connection: pg.Connection): void {
    this.#connection = connection
    connection.query(COMMAND)
  }

  handleRowDescription(): void {}

  handleDataRow({ fields }: { fields: (string | null)[] }): void {
    this.#rows.push(fields)
  }

  handleCopyData({ chunk }: CopyData): void {
    if (chunk[0] === NEW_ARCHIVE) this.#archives += 1
    if (this.#archives > 1)
      this.destroy(new Error('the server keeps tables in other folders (tablespaces)'))
    // The driver uses its buffer again.
    if (chunk[0] === PIECE && !this.push(Buffer.from(chunk.subarray(1))))
      this.#connection?.stream.pause()
  }

  handleCommandComplete(): void {}

  handleError(error: Error): void {
    this.destroy(error)
  }

  handleReadyForQuery(): void {
    this.push(null)
  }

  override _read(): void {
    this.#connection?.stream.resume()
  }

  /** Who stops reading ends the connection, and with it the backup. */
  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    if (error !== null) this.#connection?.stream.destroy()
    done(error)
  }

  span(): Span {
    const [start, stop] = [this.#rows[0], this.#rows.at(-1)]
    const [start_lsn, timeline] = start ?? []
    const stop_lsn = stop?.[0]
    if (!this.readableEnded || !start_lsn || !timeline || !stop_lsn)
      throw new Error('the server ended the backup without saying where it begins and ends')
    return { timeline: Number(timeline), start_lsn, stop_lsn }
  }
}
