/** The faults that a person or a test has set, stored with the world. */
import type { DatabaseSync } from 'node:sqlite'

/**
 * REFUSE: the venue says no.
 * TIMEOUT_AFTER_ACCEPT: it does the work and never answers.
 * LATE: it answers after `delay_ms`.
 * TWICE: it pushes or reports twice.
 * DOWN: there is no connection.
 * CUT: it does the work, and the connection ends before the answer.
 * LIMIT: it was called too often, and does nothing (exchanges).
 * ODD: its list has one more record, which is not as its manual says. Assumed.
 */
export type FaultKind =
  | 'REFUSE'
  | 'TIMEOUT_AFTER_ACCEPT'
  | 'LATE'
  | 'TWICE'
  | 'DOWN'
  | 'CUT'
  | 'LIMIT'
  | 'ODD'

export type Fault = {
  id: number
  venue: string
  operation: string
  kind: FaultKind
  remaining: number
  delay_ms: number
}

export type Faults = {
  /**
   * The fault that hits this call, if any. Each hit uses one of `remaining`; a negative number
   * lasts until it is removed. The operation `*` matches every operation.
   */
  take(venue: string, operation: string): Fault | undefined
  /** The same for what the venue does unasked: only a fault that names the operation. */
  takeNamed(venue: string, operation: string): Fault | undefined
  add(fault: Omit<Fault, 'id'>): Fault
  list(): Fault[]
  /** Removes those of one venue, or all. */
  clear(venue?: string): void
}

const COLUMNS = 'id, venue, operation, kind, remaining, delay_ms'

export function openFaults(db: DatabaseSync): Faults {
  db.exec(`
    create table if not exists faults (
      id integer primary key,
      venue text not null,
      operation text not null,
      kind text not null,
      remaining integer not null,
      delay_ms integer not null
    )`)
  const find = db.prepare(`
    select ${COLUMNS}
    from faults
    where venue = ?
      and operation in (?, ?)
      and remaining <> 0
    order by id
    limit 1`)
  const use = db.prepare(
    'update faults set remaining = remaining - 1 where id = ? and remaining > 0',
  )
  const insert = db.prepare(`
    insert into faults (venue, operation, kind, remaining, delay_ms)
    values (?, ?, ?, ?, ?)`)
  const list = db.prepare(`
    select ${COLUMNS}
    from faults
    where remaining <> 0
    order by id`)
  const takeOneOf = (venue: string, operation: string, other: string): Fault | undefined => {
    const fault = find.get(venue, operation, other) as Fault | undefined
    if (fault !== undefined) use.run(fault.id)
    return fault
  }
  return {
    take: (venue, operation) => takeOneOf(venue, operation, '*'),
    takeNamed: (venue, operation) => takeOneOf(venue, operation, operation),
    add(fault) {
      const { venue, operation, kind, remaining, delay_ms } = fault
      const { lastInsertRowid } = insert.run(venue, operation, kind, remaining, delay_ms)
      return { id: Number(lastInsertRowid), ...fault }
    },
    list: () => list.all() as Fault[],
    clear: (venue) => {
      const filter = venue ?? null
      db.prepare('delete from faults where ? is null or venue = ?').run(filter, filter)
    },
  }
}
