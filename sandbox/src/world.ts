/**
 * The outside world keeps its state in one SQLite file, so a killed sandbox comes back as it was.
 * It has one clock, which can run faster or be moved. Everything that lies in the future (a
 * confirmation, an approval, a statement) is a stored row that the owning part picks up in its
 * tick: nothing waits in memory.
 */
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { openFaults } from './faults.ts'
import type { Faults } from './faults.ts'

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
  /**
   * Counts what the outside received, by venue and operation: proof that nothing was sent twice.
   */
  received(venue: string, operation: string, reference: string): void
  counts(): { venue: string; operation: string; reference: string; count: number }[]
  close(): void
}

const TICK_MILLISECONDS = 50
const LOCKED_MILLISECONDS = 5_000

export function openWorld(dir: string): World {
  mkdirSync(dir, { recursive: true })
  // The timeout waits for another program that writes the file for a moment.
  const db = new DatabaseSync(join(dir, 'world.sqlite'), { timeout: LOCKED_MILLISECONDS })
  db.exec(`
    pragma journal_mode = wal;
    pragma synchronous = full;
  `)
  const clock = openClock(db)
  const faults = openFaults(db)
  const counts = openCounts(db)
  const ticks: ((now: number) => void)[] = []
  const tickAll = () => {
    for (const tick of ticks) tick(clock.now())
  }
  const timer = setInterval(tickAll, TICK_MILLISECONDS)

  return {
    db,
    dir,
    now: clock.now,
    commit: committer(db),
    pace: clock.pace,
    setPace: (pace) => {
      clock.set(clock.now(), pace)
    },
    advance: (milliseconds) => {
      clock.set(clock.now() + milliseconds, clock.pace())
      tickAll()
    },
    onTick: (tick) => {
      ticks.push(tick)
    },
    faults,
    received: counts.add,
    counts: counts.all,
    close: () => {
      clearInterval(timer)
      db.close()
    },
  }
}

type Clock = { now(): number; pace(): number; set(now: number, pace: number): void }

/** World time = offset + (real − anchored_at) × pace; every change sets a new offset and anchor. */
function openClock(db: DatabaseSync): Clock {
  db.exec(`
    create table if not exists clock (
      id integer primary key check (id = 1),
      offset_ms real not null,
      pace real not null,
      anchored_at real not null
    )`)
  db.prepare(
    'insert or ignore into clock (id, offset_ms, pace, anchored_at) values (1, ?, 1, ?)',
  ).run(Date.now(), Date.now())
  let clock = db.prepare('select offset_ms, pace, anchored_at from clock').get() as {
    offset_ms: number
    pace: number
    anchored_at: number
  }
  return {
    now: () => Math.floor(clock.offset_ms + (Date.now() - clock.anchored_at) * clock.pace),
    pace: () => clock.pace,
    set(now, pace) {
      clock = { offset_ms: now, pace, anchored_at: Date.now() }
      db.prepare('update clock set offset_ms = ?, pace = ?, anchored_at = ?').run(
        clock.offset_ms,
        clock.pace,
        clock.anchored_at,
      )
    },
  }
}

/** A commit inside a commit belongs to the outer one. */
function committer(db: DatabaseSync): World['commit'] {
  let depth = 0
  return (work) => {
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
}

type Counts = { add: World['received']; all: World['counts'] }

function openCounts(db: DatabaseSync): Counts {
  db.exec(`
    create table if not exists received (
      venue text not null,
      operation text not null,
      reference text not null,
      count integer not null,
      primary key (venue, operation, reference)
    )`)
  const insert = db.prepare(`
    insert into received (venue, operation, reference, count)
    values (?, ?, ?, 1)
    on conflict (venue, operation, reference) do update set count = count + 1`)
  return {
    add: (venue, operation, reference) => {
      insert.run(venue, operation, reference)
    },
    all: () =>
      db
        .prepare(
          `select venue, operation, reference, count
          from received
          order by venue, operation, reference`,
        )
        .all() as ReturnType<World['counts']>,
  }
}
