/** The first logins: waits until the server takes them, then makes roles and database. */
import { connect } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import pg from 'pg'
import { isAlive, type Identity } from '../core/file-lock.mjs'
import { DATABASE, OWNER, SERVICE, superUrl } from './embedded-place.ts'
import type { Place, Secrets } from './embedded-place.ts'
import { WAL_READY_SEGMENTS } from './embedded-settings.ts'

/** Crash recovery replays at most max_wal_size; a slow disk needs its time. */
const READY_LIMIT_MS = 600_000
const STILL_WAITING_MS = 5_000
const POLL_MS = 20
const LOGIN_LIMIT_MS = 10_000
/**
 * What a server says that takes logins later: it starts, recovers or ends, or has too many. A
 * server that says nothing in time is asked again as well.
 */
const LATER = /^(57P|53)/

/**
 * Waits until the server takes logins or has ended. Throws at a wrong password, and after
 * READY_LIMIT_MS, unless the place is patient.
 */
export async function waitReady(
  place: Place,
  secrets: Secrets,
  who: Identity,
): Promise<'ready' | 'gone'> {
  const started = Date.now()
  let reportedAt = started
  while (isAlive(who)) {
    const refused = await tryLogin(place, secrets)
    if (refused === undefined) return 'ready'
    if (refused instanceof pg.DatabaseError && !LATER.test(refused.code ?? '')) throw refused
    if (!place.isPatient && Date.now() - started > READY_LIMIT_MS)
      throw new Error(
        `PostgreSQL (process ${who.pid}) took no login for ${READY_LIMIT_MS / 1000} s: ` +
          refused.message,
      )
    if (Date.now() - reportedAt > STILL_WAITING_MS) {
      reportedAt = Date.now()
      const seconds = Math.round((reportedAt - started) / 1000)
      place.say(`waiting for PostgreSQL, ${seconds} s: ${refused.message}`)
    }
    await pause(POLL_MS)
  }
  return 'gone'
}

async function tryLogin(
  place: Place,
  secrets: Secrets,
): Promise<(Error & { code?: string }) | undefined> {
  // A bare connection asks first: while nobody listens, the driver's own attempt costs ten times
  // as much.
  const open = await new Promise<Error | undefined>((done) => {
    const socket = connect(secrets.port, '127.0.0.1', () => done(undefined)).once('error', done)
    socket.once('connect', () => socket.destroy())
  })
  if (open !== undefined) return open
  const client = new pg.Client({
    connectionString: superUrl(place.dir, secrets),
    connectionTimeoutMillis: LOGIN_LIMIT_MS,
  })
  try {
    await client.connect()
    return undefined
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error))
  } finally {
    await client.end()
  }
}

/** Gives the roles of a server the passwords of another place: its cluster is to stand there. */
export async function changePasswords(url: string, secrets: Secrets): Promise<void> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    await client.query(`alter role ${OWNER} password '${secrets.owner}'`)
    await client.query(`alter role ${SERVICE} password '${secrets.service}'`)
    await client.query(`alter role postgres password '${secrets.superuser}'`)
  } finally {
    await client.end()
  }
}

/**
 * Makes roles and database, each when it is missing: the next start finishes one that was killed in
 * between.
 */
export async function prepareDatabase(place: Place, secrets: Secrets): Promise<void> {
  const client = new pg.Client({ connectionString: superUrl(place.dir, secrets) })
  await client.connect()
  try {
    const roles = await client.query<{ rolname: string }>(
      'select rolname from pg_roles where rolname = any($1)',
      [[OWNER, SERVICE]],
    )
    const have = new Set(roles.rows.map((row) => row.rolname))
    // Passwords are base64url of our own making, which needs no quoting.
    if (!have.has(OWNER))
      await client.query(`create role ${OWNER} login createdb password '${secrets.owner}'`)
    if (!have.has(SERVICE))
      await client.query(`create role ${SERVICE} login password '${secrets.service}'`)
    const found = await client.query('select 1 from pg_database where datname = $1', [DATABASE])
    if (found.rowCount === 0) {
      if (place.durable) await readySegments(client)
      await client.query(`create database ${DATABASE} owner ${OWNER}`)
    }
  } finally {
    await client.end()
  }
}

async function readySegments(client: pg.Client): Promise<void> {
  await client.query(
    `do $$
    begin
      for segment in 1..${WAL_READY_SEGMENTS} loop
        perform pg_logical_emit_message(false, '', '');
        perform pg_switch_wal();
      end loop;
    end $$`,
  )
  await client.query('checkpoint')
}
