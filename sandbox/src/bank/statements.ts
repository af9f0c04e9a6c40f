/**
 * Writes a statement (camt.053) of Kontor's account at every full hour, and when somebody asks
 * for one.
 */
import type { World } from '../world.ts'
import type { Books } from './books.ts'
import type { Gateway } from './gateway.ts'
import type { KeptHabits } from './habits.ts'
import { statement } from './messages.ts'
import type { Entry } from './wires.ts'

const STATEMENT_MILLISECONDS = 3_600_000

type Written = { number: number; to_at: number; last_entry_id: number; closing_cents: bigint }

/** `table`: each account has one of its own. */
type StatementParts = {
  books: Books
  gateway: Gateway
  habits: KeptHabits
  iban: string
  table: string
}

export type Statements = {
  /** Answers the number of the new statement. */
  write(): number
  /** Writes one when a full hour has passed since the last. */
  writeIfDue(now: number): void
}

export function openStatements(
  world: World,
  { books, gateway, habits, iban, table }: StatementParts,
): Statements {
  const { db } = world
  db.exec(`
    create table if not exists ${table} (
      number integer primary key,
      to_at integer not null,
      last_entry_id integer not null,
      closing_cents integer not null
    )`)
  const select = db.prepare(`
    select number, to_at, last_entry_id, cast(closing_cents as text) as closing_cents
    from ${table}
    order by number desc
    limit 1`)
  const insert = db.prepare(`
    insert into ${table} (number, to_at, last_entry_id, closing_cents)
    values (?, ?, ?, ?)`)
  const latest = (): Written | undefined => {
    const row = select.get() as
      | (Omit<Written, 'closing_cents'> & { closing_cents: string })
      | undefined
    return row === undefined ? undefined : { ...row, closing_cents: BigInt(row.closing_cents) }
  }
  const write = (): number =>
    world.commit(() => {
      const account = books.account(iban)
      if (account === undefined) throw new Error('the account of the statement does not exist')
      const last = latest()
      const now = world.now()
      const entries = books.entries(iban, last?.last_entry_id ?? 0)
      const opening_cents = last?.closing_cents ?? account.cents
      const closing_cents = account.cents
      mustAddUp(opening_cents, entries, closing_cents)
      const number = (last?.number ?? 0) + 1
      const period = { number, from: last?.to_at ?? now, to: now, opening_cents, closing_cents }
      gateway.post('camt.053', statement(account, { ...period, entries }, habits.get()), now)
      const last_entry_id = entries.at(-1)?.id ?? last?.last_entry_id ?? 0
      insert.run(number, now, last_entry_id, closing_cents)
      return number
    })
  if (latest() === undefined) write()
  return {
    write,
    writeIfDue(now) {
      const last = latest()
      if (last !== undefined && hourOf(now) > hourOf(last.to_at)) write()
    },
  }
}

function hourOf(now: number): number {
  return Math.floor(now / STATEMENT_MILLISECONDS)
}

function mustAddUp(opening: bigint, entries: readonly Entry[], closing: bigint): void {
  const moved = entries.reduce(
    (total, entry) => total + (entry.direction === 'CRDT' ? entry.cents : -entry.cents),
    0n,
  )
  if (opening + moved !== closing)
    throw new Error(`statement does not add up: ${opening} + ${moved} is not ${closing}`)
}
