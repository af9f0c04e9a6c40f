/**
 * The outside world keeps its state in one SQLite file, so that a killed sandbox comes back as it was, and has one
 * clock that can run faster or be moved. Everything that lies in the future (a confirmation, an approval, a statement)
 * is a stored row which the owning part picks up in its `tick`: nothing waits in memory.
 */
import { DatabaseSync } from 'node:sqlite'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'

export type World = {
  db: DatabaseSync
  dir: string
  /** World time in Unix milliseconds. */
  now(): number
  /** World seconds per real second; 1 by default. */
  pace(): number
  setPace(pace: number): void
  /** Moves the clock forward by this many milliseconds at once. */
  advance(milliseconds: number): void
  /** Runs `work` in one durable transaction. */
  commit<T>(work: () => T): T
  /** `tick(now)` is called every 50 ms of real time and right after the clock was moved. */
  onTick(tick: (now: number) => void): void
  faults: Faults
  /** What the outside received, by venue and operation: the count that proves nothing was sent twice. */
  received(venue: string, operation: string, reference: string): void
  counts(): { venue: string; operation: string; reference: string; count: number }[]
  close(): void
}

/** REFUSE: the venue says no. TIMEOUT_AFTER_ACCEPT: it does the work and the answer never comes. LATE: the answer takes `delay_ms`. TWICE: pushed or reported twice. DOWN: no connection.
 * CUT: it does the work and the connection ends before the answer. */
export type FaultKind = 'REFUSE' | 'TIMEOUT_AFTER_ACCEPT' | 'LATE' | 'TWICE' | 'DOWN' | 'CUT'

export type Fault = {
  id: number
  venue: string
  operation: string
  kind: FaultKind
  remaining: number
  delay_ms: number
}

export type Faults = {
  /** The fault that hits this call, if any; each hit uses one of `remaining` (negative: until removed). `*` matches every operation. */
  take(venue: string, operation: string): Fault | undefined
  /** The same for what the venue does by itself, which nobody asked it for: only a fault that names it. */
  takeNamed(venue: string, operation: string): Fault | undefined
  add(fault: Omit<Fault, 'id'>): Fault
  list(): Fault[]
  /** Those of one venue, or all. */
  clear(venue?: string): void
}

const TICK_MILLISECONDS = 50
const LOCKED_MILLISECONDS = 5_000

export function openWorld(dir: string): World {
  mkdirSync(dir, { recursive: true })
  // Whoever else writes the file for a moment is waited for.
  const db = new DatabaseSync(join(dir, 'world.sqlite'), { timeout: LOCKED_MILLISECONDS })
  db.exec(`
    pragma journal_mode = wal;
    pragma synchronous = full;
    create table if not exists clock (id integer primary key check (id = 1), offset_ms real not null, pace real not null, anchored_at real not null);
    create table if not exists faults (id integer primary key, venue text not null, operation text not null, kind text not null, remaining integer not null, delay_ms integer not null);
    create table if not exists received (venue text not null, operation text not null, reference text not null, count integer not null, primary key (venue, operation, reference));
  `)
  // World time = offset + (real − anchored_at) × pace; changing the pace re-anchors.
  db.prepare(
    'insert or ignore into clock (id, offset_ms, pace, anchored_at) values (1, ?, 1, ?)',
  ).run(Date.now(), Date.now())
  let clock = db.prepare('select offset_ms, pace, anchored_at from clock').get() as {
    offset_ms: number
    pace: number
    anchored_at: number
  }
  const now = () => Math.floor(clock.offset_ms + (Date.now() - clock.anchored_at) * clock.pace)
  const anchor = (offset: number, pace: number) => {
    clock = { offset_ms: offset, pace, anchored_at: Date.now() }
    db.prepare('update clock set offset_ms = ?, pace = ?, anchored_at = ?').run(
      clock.offset_ms,
      clock.pace,
      clock.anchored_at,
    )
  }

  const ticks: ((now: number) => void)[] = []
  const tick = () => {
    for (const tick of ticks) tick(now())
  }
  const timer = setInterval(tick, TICK_MILLISECONDS)

  let depth = 0
  const commit = <T>(work: () => T): T => {
    if (depth > 0) return work()
    db.exec('begin immediate')
    depth += 1
    try {
      const result = work()
      db.exec('commit')
      return result
    } catch (error) {
      db.exec('rollback')
      throw error
    } finally {
      depth -= 1
    }
  }

  const insertReceived =
    db.prepare(`insert into received (venue, operation, reference, count) values (?, ?, ?, 1)
    on conflict (venue, operation, reference) do update set count = count + 1`)

  return {
    db,
    dir,
    now,
    commit,
    pace: () => clock.pace,
    setPace: (pace) => {
      anchor(now(), pace)
    },
    advance: (milliseconds) => {
      anchor(now() + milliseconds, clock.pace)
      tick()
    },
    onTick: (each) => {
      ticks.push(each)
    },
    faults: faultsOf(db),
    received: (venue, operation, reference) => {
      insertReceived.run(venue, operation, reference)
    },
    counts: () =>
      db
        .prepare(
          'select venue, operation, reference, count from received order by venue, operation, reference',
        )
        .all() as ReturnType<World['counts']>,
    close: () => {
      clearInterval(timer)
      db.close()
    },
  }
}

function faultsOf(db: DatabaseSync): Faults {
  const find = db.prepare(`select id, venue, operation, kind, remaining, delay_ms from faults
    where venue = ? and operation in (?, ?) and remaining <> 0 order by id limit 1`)
  const use = db.prepare(
    'update faults set remaining = remaining - 1 where id = ? and remaining > 0',
  )
  const insert = db.prepare(
    'insert into faults (venue, operation, kind, remaining, delay_ms) values (?, ?, ?, ?, ?)',
  )
  const taken = (venue: string, operation: string, or: string): Fault | undefined => {
    const fault = find.get(venue, operation, or) as Fault | undefined
    if (fault !== undefined) use.run(fault.id)
    return fault
  }
  return {
    take: (venue, operation) => taken(venue, operation, '*'),
    takeNamed: (venue, operation) => taken(venue, operation, operation),
    add(fault) {
      const { lastInsertRowid } = insert.run(
        fault.venue,
        fault.operation,
        fault.kind,
        fault.remaining,
        fault.delay_ms,
      )
      return { id: Number(lastInsertRowid), ...fault }
    },
    list: () =>
      db
        .prepare(
          'select id, venue, operation, kind, remaining, delay_ms from faults where remaining <> 0 order by id',
        )
        .all() as Fault[],
    clear: (venue) => {
      db.prepare('delete from faults where ? is null or venue = ?').run(
        venue ?? null,
        venue ?? null,
      )
    },
  }
}
