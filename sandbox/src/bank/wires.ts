/** Wires, and the entries that they leave on accounts, as stored rows. */
import type { DatabaseSync } from 'node:sqlite'

/** What a FOREIGN wire costs its sender, in its currency. */
export const FOREIGN_CENTS = 12_50n

export type Wire = {
  id: number
  kind: 'PAYMENT' | 'FOREIGN' | 'INSTANT' | 'RETURN' | 'CHARGE' | 'REVERSAL'
  state: 'ACCEPTED' | 'BOOKED' | 'ARRIVED' | 'RETURNED'
  from_iban: string
  from_name: string
  from_bic: string | null
  to_iban: string
  to_name: string
  to_bic: string | null
  cents: bigint
  currency: string
  reference: string
  end_to_end_id: string | null
  message_id: string | null
  payment_information_id: string | null
  /** Of a REVERSAL: the wire that it takes back. */
  instruction_id: string | null
  /** Why the wire came back, for kind RETURN. */
  return_reason: string | null
  /** No status report is written for it. */
  silent: boolean
  /** Its notification is written twice. */
  twice: boolean
  /** World time of the next step. */
  due_at: number
}

export type Entry = {
  id: number
  iban: string
  direction: 'CRDT' | 'DBIT'
  cents: bigint
  booked_at: number
  wire: Wire
}

export type NewWire = Omit<Wire, 'id' | 'state' | 'due_at' | 'kind' | 'return_reason'>

export function wireId(wire: Wire): string {
  return `W${wire.id.toString().padStart(12, '0')}`
}

/** A wire that no payment file asked for. */
export function plainWire(
  from: { iban: string; name: string; bic: string; currency: string },
  to: { iban: string; name: string; bic: string | null },
  cents: bigint,
  reference: string,
): NewWire {
  return {
    from_iban: from.iban,
    from_name: from.name,
    from_bic: from.bic,
    to_iban: to.iban,
    to_name: to.name,
    to_bic: to.bic,
    cents,
    currency: from.currency,
    reference,
    end_to_end_id: null,
    message_id: null,
    payment_information_id: null,
    instruction_id: null,
    silent: true,
    twice: false,
  }
}

/** The same money back to its sender. */
export function oppositeWire(wire: Wire): NewWire {
  return {
    ...wire,
    from_iban: wire.to_iban,
    from_name: wire.to_name,
    from_bic: wire.to_bic,
    to_iban: wire.from_iban,
    to_name: wire.from_name,
    to_bic: wire.from_bic,
    silent: true,
    twice: false,
  }
}

type WireRow = Omit<Wire, 'cents' | 'silent' | 'twice'> & {
  cents: string
  silent: number
  twice: number
}
type EntryRow = { entry_id: number; entry_iban: string } & Pick<Entry, 'direction' | 'booked_at'>

const FIELDS = `from_iban, from_name, from_bic, to_iban, to_name, to_bic, currency, reference,
  end_to_end_id, message_id, payment_information_id, instruction_id, return_reason, silent,
  twice, due_at`
const COLUMNS = `id, kind, state, cast(cents as text) as cents, ${FIELDS}`

function wireOf(row: WireRow): Wire {
  return { ...row, cents: BigInt(row.cents), silent: row.silent === 1, twice: row.twice === 1 }
}

function createTables(db: DatabaseSync): void {
  db.exec(`
    create table if not exists bank_wires (
      id integer primary key autoincrement,
      kind text not null,
      state text not null,
      from_iban text not null,
      from_name text not null,
      from_bic text,
      to_iban text not null,
      to_name text not null,
      to_bic text,
      cents integer not null check (cents > 0),
      currency text not null default 'EUR',
      reference text not null,
      end_to_end_id text,
      message_id text,
      payment_information_id text,
      instruction_id text,
      return_reason text,
      silent integer not null,
      twice integer not null,
      due_at integer not null
    );
    create index if not exists bank_wires_due on bank_wires (state, due_at);
    create index if not exists bank_wires_reference on bank_wires (from_iban, end_to_end_id);
    create table if not exists bank_messages (message_id text primary key);
    create table if not exists bank_entries (
      id integer primary key autoincrement,
      iban text not null,
      direction text not null,
      cents integer not null,
      booked_at integer not null,
      wire_id integer not null
    );
    create index if not exists bank_entries_account on bank_entries (iban, id);
  `)
  // A world from before there were other currencies.
  const columns = db.prepare('pragma table_info(bank_wires)').all() as { name: string }[]
  if (!columns.some(({ name }) => name === 'currency'))
    db.exec("alter table bank_wires add column currency text not null default 'EUR'")
}

type WireStep = Pick<Wire, 'kind' | 'state' | 'due_at' | 'return_reason'>

export type Wires = {
  insert(wire: NewWire, step: WireStep): Wire
  setState(wire: Wire, state: Wire['state'], due_at: number): void
  due(state: Wire['state'], now: number): Wire[]
  arrived(wire_id: number): Wire | undefined
  inTransit(currency: string): bigint
  /** Cents that are accepted and not yet booked, the price of foreign wires included. */
  reserved(iban: string): bigint
  used(iban: string, end_to_end_id: string): boolean
  messageTaken(message_id: string): boolean
  /** How many payments of this message are accepted. */
  paymentsOf(message_id: string): number
  takeMessage(message_id: string): void
}

export function openWires(db: DatabaseSync): Wires {
  createTables(db)
  const insert = db.prepare(`
    insert into bank_wires (kind, state, cents, ${FIELDS})
    values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`)
  const update = db.prepare('update bank_wires set state = ?, due_at = ? where id = ?')
  const due = db.prepare(`
    select ${COLUMNS}
    from bank_wires
    where state = ?
      and due_at <= ?
    order by due_at, id
    limit 500`)
  const arrived = db.prepare(`
    select ${COLUMNS}
    from bank_wires
    where id = ?
      and state = 'ARRIVED'`)
  const takeMessage = db.prepare('insert or ignore into bank_messages (message_id) values (?)')
  return {
    insert(wire, { kind, state, due_at, return_reason }) {
      const { lastInsertRowid } = insert.run(
        kind,
        state,
        wire.cents,
        wire.from_iban,
        wire.from_name,
        wire.from_bic,
        wire.to_iban,
        wire.to_name,
        wire.to_bic,
        wire.currency,
        wire.reference,
        wire.end_to_end_id,
        wire.message_id,
        wire.payment_information_id,
        wire.instruction_id,
        return_reason,
        wire.silent ? 1 : 0,
        wire.twice ? 1 : 0,
        due_at,
      )
      return { ...wire, id: Number(lastInsertRowid), kind, state, due_at, return_reason }
    },
    setState: (wire, state, due_at) => {
      update.run(state, due_at, wire.id)
    },
    due: (state, now) => (due.all(state, now) as WireRow[]).map(wireOf),
    arrived(wire_id) {
      const row = arrived.get(wire_id) as WireRow | undefined
      return row === undefined ? undefined : wireOf(row)
    },
    ...wireSums(db),
    ...wireReferences(db),
    takeMessage: (message_id) => {
      takeMessage.run(message_id)
    },
  }
}

function wireSums(db: DatabaseSync): Pick<Wires, 'inTransit' | 'reserved'> {
  const inTransit = db.prepare(`
    select cast(coalesce(sum(cents), 0) as text) as cents
    from bank_wires
    where state = 'BOOKED'
      and currency = ?`)
  const reserved = db.prepare(`
    select cast(coalesce(
      sum(cents + case kind when 'FOREIGN' then ${FOREIGN_CENTS} else 0 end), 0) as text) as cents
    from bank_wires
    where from_iban = ?
      and state = 'ACCEPTED'`)
  return {
    inTransit: (currency) => BigInt((inTransit.get(currency) as { cents: string }).cents),
    reserved: (iban) => BigInt((reserved.get(iban) as { cents: string }).cents),
  }
}

function wireReferences(db: DatabaseSync): Pick<Wires, 'used' | 'messageTaken' | 'paymentsOf'> {
  const used = db.prepare(`
    select 1
    from bank_wires
    where from_iban = ?
      and end_to_end_id = ?
      and kind in ('PAYMENT', 'FOREIGN', 'INSTANT')
    limit 1`)
  const sharing = db.prepare(`
    select count(*) as payments
    from bank_wires
    where message_id = ?
      and kind in ('PAYMENT', 'FOREIGN', 'INSTANT')`)
  const taken = db.prepare('select 1 from bank_messages where message_id = ?')
  return {
    used: (iban, end_to_end_id) => used.get(iban, end_to_end_id) !== undefined,
    messageTaken: (message_id) => taken.get(message_id) !== undefined,
    paymentsOf: (message_id) => (sharing.get(message_id) as { payments: number }).payments,
  }
}

export type Entries = {
  insert(entry: Omit<Entry, 'id'>): Entry
  /** Of this account, in the order of their booking. */
  list(iban: string, after_id: number): Entry[]
}

export function openEntries(db: DatabaseSync): Entries {
  const insert = db.prepare(`
    insert into bank_entries (iban, direction, cents, booked_at, wire_id)
    values (?, ?, ?, ?, ?)`)
  const select = db.prepare(`
    select e.id as entry_id, e.iban as entry_iban, e.direction, e.booked_at, w.*
    from bank_entries e
    join (select ${COLUMNS} from bank_wires) w on w.id = e.wire_id
    where e.iban = ?
      and e.id > ?
    order by e.id`)
  return {
    insert(entry) {
      const { iban, direction, cents, booked_at, wire } = entry
      const { lastInsertRowid } = insert.run(iban, direction, cents, booked_at, wire.id)
      return { id: Number(lastInsertRowid), ...entry }
    },
    list: (iban, after_id) =>
      (select.all(iban, after_id) as (EntryRow & WireRow)[]).map((row) => {
        const { entry_id, entry_iban, direction, booked_at, ...rest } = row
        const wire = wireOf(rest)
        return { id: entry_id, iban: entry_iban, direction, cents: wire.cents, booked_at, wire }
      }),
  }
}
