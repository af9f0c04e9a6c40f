/**
 * The bank's books: accounts, wires and entries. A wire leaves its account when it is booked, is in transit until it
 * arrives, and comes back when nobody is there; so Σ balances + Σ in transit never changes after genesis.
 *
 *   ACCEPTED → BOOKED (debited, in transit) → ARRIVED | RETURNED (a second wire of kind RETURN carries it back)
 *
 * A FOREIGN wire takes longer, and its sender pays the bank's price by a wire of kind CHARGE, booked with it. A REVERSAL takes an
 * arrived wire back.
 */
import { composeIBAN, isValidIBAN } from 'ibantools'
import type { World } from '../world.ts'

export const BANK = {
  bic: 'SANDDEFFXXX',
  name: 'Sandbox Bank AG',
  country: 'DE',
  code: '50020400',
} as const
const OTHER_BANK = { bic: 'OTHRATWWXXX', country: 'AT', code: '99190' } as const

const ARRIVAL_MILLISECONDS = 10_000
const FOREIGN_ARRIVAL_MILLISECONDS = 60_000
/** What a FOREIGN wire costs its sender. */
export const FOREIGN_CENTS = 12_50n
const RETURN_MILLISECONDS = 5_000
/** What the outside world holds at genesis, in cents; parts and people are funded out of it. */
const RESERVE_CENTS = 1_000_000_000_000_00n
const PART_CENTS = 50_000_000_00n
const PERSON_CENTS = 1_000_000_00n

export type Account = {
  iban: string
  bic: string
  name: string
  part: string
  locator: string
  currency: string
  cents: bigint
}

export type Wire = {
  id: number
  kind: 'PAYMENT' | 'FOREIGN' | 'RETURN' | 'CHARGE' | 'REVERSAL'
  state: 'ACCEPTED' | 'BOOKED' | 'ARRIVED' | 'RETURNED'
  from_iban: string
  from_name: string
  from_bic: string | null
  to_iban: string
  to_name: string
  to_bic: string | null
  cents: bigint
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

export type Books = {
  account(iban: string): Account | undefined
  accounts(): Account[]
  /** The account of this owner; opened and funded out of the outside's reserve when it is new. */
  open(
    owner: { part: string; locator: string; name: string },
    currency: string,
    cents?: bigint,
  ): Account
  /** An account of a person outside, at the named IBAN or at one of its own. */
  openOutside(name: string, iban?: string, bic?: string): Account
  /** Balance less what is accepted and not yet booked. */
  available(iban: string): bigint
  /** Stores a wire that will be booked at `due_at`. */
  accept(wire: NewWire, due_at: number, kind?: 'PAYMENT' | 'FOREIGN'): Wire
  /** Debits at once and sends on its way. Throws RangeError when the account is unknown or short. */
  send(wire: NewWire, kind?: 'PAYMENT' | 'CHARGE'): Wire
  /** Takes an arrived wire back from whom it reached. Throws RangeError when there is none, or its money is gone. */
  reverse(wire_id: number): Wire
  /** The account that the bank's prices are paid to. */
  income(): Account
  /** Whether this end-to-end id was ever used by the account. */
  used(iban: string, end_to_end_id: string): boolean
  messageTaken(message_id: string): boolean
  entries(iban: string, after_id: number): Entry[]
  inTransit(): bigint
  tick(now: number): void
}

/** Told inside the commit that does it. */
export type BooksEvents = {
  entered(entry: Entry): void
  /** True when the owner has taken it; false leaves the wire in transit until it does. */
  arrived(wire: Wire, account: Account): boolean
}

type Row = Record<string, string | number | null>
const WIRE_COLUMNS = `id, kind, state, from_iban, from_name, from_bic, to_iban, to_name, to_bic, cast(cents as text) as cents, reference,
  end_to_end_id, message_id, payment_information_id, instruction_id, return_reason, silent, twice, due_at`
const ACCOUNT_COLUMNS = 'iban, bic, name, part, locator, currency, cast(cents as text) as cents'

const toWire = (row: Row): Wire =>
  ({
    ...row,
    cents: BigInt(row.cents as string),
    silent: row.silent === 1,
    twice: row.twice === 1,
  }) as unknown as Wire
const toAccount = (row: Row): Account =>
  ({ ...row, cents: BigInt(row.cents as string) }) as unknown as Account

export function isOwnIban(iban: string): boolean {
  return iban.startsWith(BANK.country) && iban.slice(4, 12) === BANK.code
}

export function openBooks(world: World, events: BooksEvents): Books {
  const { db } = world
  db.exec(`
    create table if not exists bank_accounts (iban text primary key, bic text not null, name text not null, part text not null, locator text not null,
      currency text not null, cents integer not null check (cents >= 0), unique (part, locator, currency));
    create table if not exists bank_wires (id integer primary key autoincrement, kind text not null, state text not null,
      from_iban text not null, from_name text not null, from_bic text, to_iban text not null, to_name text not null, to_bic text,
      cents integer not null check (cents > 0), reference text not null, end_to_end_id text, message_id text, payment_information_id text, instruction_id text,
      return_reason text, silent integer not null, twice integer not null, due_at integer not null);
    create index if not exists bank_wires_due on bank_wires (state, due_at);
    create index if not exists bank_wires_reference on bank_wires (from_iban, end_to_end_id);
    create table if not exists bank_messages (message_id text primary key);
    create table if not exists bank_entries (id integer primary key autoincrement, iban text not null, direction text not null, cents integer not null,
      booked_at integer not null, wire_id integer not null);
    create index if not exists bank_entries_account on bank_entries (iban, id);
  `)
  const findAccount = db.prepare(`select ${ACCOUNT_COLUMNS} from bank_accounts where iban = ?`)
  const findOwned = db.prepare(
    `select ${ACCOUNT_COLUMNS} from bank_accounts where part = ? and locator = ? and currency = ?`,
  )
  const countAccounts = db.prepare('select count(*) as count from bank_accounts')
  const insertAccount = db.prepare(
    'insert into bank_accounts (iban, bic, name, part, locator, currency, cents) values (?, ?, ?, ?, ?, ?, 0)',
  )
  const addCents = db.prepare('update bank_accounts set cents = cents + ? where iban = ?')
  const insertWire =
    db.prepare(`insert into bank_wires (kind, state, from_iban, from_name, from_bic, to_iban, to_name, to_bic, cents, reference,
    end_to_end_id, message_id, payment_information_id, instruction_id, return_reason, silent, twice, due_at) values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`)
  const moveWire = db.prepare('update bank_wires set state = ?, due_at = ? where id = ?')
  const dueWires = db.prepare(
    `select ${WIRE_COLUMNS} from bank_wires where state = ? and due_at <= ? order by due_at, id limit 500`,
  )
  const insertEntry = db.prepare(
    'insert into bank_entries (iban, direction, cents, booked_at, wire_id) values (?, ?, ?, ?, ?)',
  )

  const account = (iban: string) => {
    const row = findAccount.get(iban) as Row | undefined
    return row === undefined ? undefined : toAccount(row)
  }

  const store = (
    wire: NewWire,
    kind: Wire['kind'],
    state: Wire['state'],
    due_at: number,
    return_reason: string | null,
  ): Wire => {
    const { lastInsertRowid } = insertWire.run(
      kind,
      state,
      wire.from_iban,
      wire.from_name,
      wire.from_bic,
      wire.to_iban,
      wire.to_name,
      wire.to_bic,
      wire.cents,
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
  }

  const enter = (wire: Wire, iban: string, direction: Entry['direction'], now: number) => {
    addCents.run(direction === 'CRDT' ? wire.cents : -wire.cents, iban)
    const { lastInsertRowid } = insertEntry.run(iban, direction, wire.cents, now, wire.id)
    events.entered({
      id: Number(lastInsertRowid),
      iban,
      direction,
      cents: wire.cents,
      booked_at: now,
      wire,
    })
  }

  const income = (): Account => openOutside('Bank charges')

  const book = (wire: Wire, now: number) => {
    if (wire.kind === 'FOREIGN') {
      const from = account(wire.from_iban)
      const to = income()
      if (from === undefined) throw new RangeError(`account ${wire.from_iban} does not exist`)
      book(
        store(
          {
            ...plainWire(
              from,
              to.iban,
              to.name,
              to.bic,
              FOREIGN_CENTS,
              'Charge for a foreign payment',
            ),
            end_to_end_id: wire.end_to_end_id,
          },
          'CHARGE',
          'ACCEPTED',
          now,
          null,
        ),
        now,
      )
    }
    moveWire.run(
      'BOOKED',
      now + (wire.kind === 'FOREIGN' ? FOREIGN_ARRIVAL_MILLISECONDS : ARRIVAL_MILLISECONDS),
      wire.id,
    )
    enter({ ...wire, state: 'BOOKED' }, wire.from_iban, 'DBIT', now)
  }

  const arrive = (wire: Wire, now: number) => {
    const to = account(wire.to_iban)
    if (to !== undefined) {
      if (!events.arrived(wire, to)) return
      moveWire.run('ARRIVED', now, wire.id)
      enter({ ...wire, state: 'ARRIVED' }, to.iban, 'CRDT', now)
      return
    }
    moveWire.run('RETURNED', now, wire.id)
    store(
      {
        ...wire,
        from_iban: wire.to_iban,
        from_name: wire.to_name,
        from_bic: wire.to_bic,
        to_iban: wire.from_iban,
        to_name: wire.from_name,
        to_bic: wire.from_bic,
        silent: true,
        twice: false,
      },
      'RETURN',
      'BOOKED',
      now + RETURN_MILLISECONDS,
      'AC01',
    )
  }

  const open = (
    owner: { part: string; locator: string; name: string },
    currency: string,
    cents: bigint,
  ): Account =>
    world.commit(() => {
      const existing = findOwned.get(owner.part, owner.locator, currency) as Row | undefined
      if (existing !== undefined) return toAccount(existing)
      const iban = newIban(BANK, Number((countAccounts.get() as { count: number }).count) + 1)
      insertAccount.run(iban, BANK.bic, owner.name, owner.part, owner.locator, currency)
      return fund(iban, cents)
    })

  const openOutside = (name: string, iban?: string, bic?: string): Account =>
    world.commit(() => {
      const existing =
        iban === undefined ? (findOwned.get('outside', name, 'EUR') as Row | undefined) : undefined
      if (existing !== undefined) return toAccount(existing)
      const known = iban === undefined ? undefined : account(iban)
      if (known !== undefined) return known
      const number = Number((countAccounts.get() as { count: number }).count) + 1
      const opened = iban ?? newIban(OTHER_BANK, number)
      insertAccount.run(opened, bic ?? OTHER_BANK.bic, name, 'outside', iban ?? name, 'EUR')
      return fund(opened, PERSON_CENTS)
    })

  const fund = (iban: string, cents: bigint): Account => {
    addCents.run(-cents, reserve)
    addCents.run(cents, iban)
    return account(iban) as Account
  }

  const reserve = newIban(OTHER_BANK, 0)
  if (account(reserve) === undefined) {
    world.commit(() => {
      insertAccount.run(reserve, OTHER_BANK.bic, 'Outside reserve', 'outside', 'reserve', 'EUR')
      addCents.run(RESERVE_CENTS, reserve)
    })
  }

  return {
    account,
    accounts: () =>
      (
        db.prepare(`select ${ACCOUNT_COLUMNS} from bank_accounts order by rowid`).all() as Row[]
      ).map(toAccount),
    open: (owner, currency, cents = PART_CENTS) => open(owner, currency, cents),
    openOutside,
    available(iban) {
      const row = db
        .prepare(
          `select cast((select cents from bank_accounts where iban = ?) - coalesce((select sum(cents + case kind when 'FOREIGN' then ${FOREIGN_CENTS} else 0 end) from bank_wires where from_iban = ? and state = 'ACCEPTED'), 0) as text) as cents`,
        )
        .get(iban, iban) as Row
      return BigInt(row.cents as string)
    },
    accept: (wire, due_at, kind = 'PAYMENT') => {
      if (wire.message_id !== null)
        db.prepare('insert or ignore into bank_messages (message_id) values (?)').run(
          wire.message_id,
        )
      return store(wire, kind, 'ACCEPTED', due_at, null)
    },
    income,
    reverse: (wire_id) =>
      world.commit(() => {
        const row = db
          .prepare(`select ${WIRE_COLUMNS} from bank_wires where id = ? and state = 'ARRIVED'`)
          .get(wire_id) as Row | undefined
        if (row === undefined) throw new RangeError(`no wire ${wire_id} has arrived`)
        const wire = toWire(row)
        if ((account(wire.to_iban)?.cents ?? 0n) < wire.cents)
          throw new RangeError(`account ${wire.to_iban} has too little`)
        const back = store(
          {
            ...wire,
            from_iban: wire.to_iban,
            from_name: wire.to_name,
            from_bic: wire.to_bic,
            to_iban: wire.from_iban,
            to_name: wire.from_name,
            to_bic: wire.from_bic,
            message_id: null,
            payment_information_id: null,
            instruction_id: wireId(wire),
            silent: true,
            twice: false,
          },
          'REVERSAL',
          'ACCEPTED',
          world.now(),
          null,
        )
        book(back, world.now())
        return back
      }),
    send: (wire, kind = 'PAYMENT') =>
      world.commit(() => {
        const from = account(wire.from_iban)
        if (from === undefined || from.cents < wire.cents)
          throw new RangeError(`account ${wire.from_iban} is unknown or has too little`)
        const sent = store(wire, kind, 'ACCEPTED', world.now(), null)
        book(sent, world.now())
        return sent
      }),
    used: (iban, end_to_end_id) =>
      db
        .prepare(
          `select 1 from bank_wires where from_iban = ? and end_to_end_id = ? and kind in ('PAYMENT', 'FOREIGN') limit 1`,
        )
        .get(iban, end_to_end_id) !== undefined,
    messageTaken: (message_id) =>
      db.prepare('select 1 from bank_messages where message_id = ?').get(message_id) !== undefined,
    entries: (iban, after_id) =>
      (
        db
          .prepare(`select e.id as entry_id, e.iban as entry_iban, e.direction, e.booked_at, w.* from bank_entries e
      join (select ${WIRE_COLUMNS} from bank_wires) w on w.id = e.wire_id where e.iban = ? and e.id > ? order by e.id`)
          .all(iban, after_id) as Row[]
      ).map((row) => {
        const { entry_id, entry_iban, direction, booked_at, ...rest } = row
        const wire = toWire(rest)
        return {
          id: entry_id,
          iban: entry_iban,
          direction,
          cents: wire.cents,
          booked_at,
          wire,
        } as Entry
      }),
    inTransit: () =>
      BigInt(
        (
          db
            .prepare(
              `select cast(coalesce(sum(cents), 0) as text) as cents from bank_wires where state = 'BOOKED'`,
            )
            .get() as Row
        ).cents as string,
      ),
    tick(now) {
      for (const wire of (dueWires.all('ACCEPTED', now) as Row[]).map(toWire))
        world.commit(() => {
          book(wire, now)
        })
      for (const wire of (dueWires.all('BOOKED', now) as Row[]).map(toWire))
        world.commit(() => {
          arrive(wire, now)
        })
    },
  }
}

/** A valid IBAN of this bank for a running account number. */
function newIban(bank: { country: string; code: string }, number: number): string {
  const bban = bank.code + number.toString().padStart(bank.country === 'DE' ? 10 : 11, '0')
  const iban = composeIBAN({ countryCode: bank.country, bban })
  if (iban === null || !isValidIBAN(iban))
    throw new RangeError(`no IBAN for ${bank.country} ${bban}`)
  return iban
}

export function wireId(wire: Wire): string {
  return `W${wire.id.toString().padStart(12, '0')}`
}

/** A wire that no payment file asked for. */
export function plainWire(
  from: { iban: string; name: string; bic: string },
  to_iban: string,
  to_name: string,
  to_bic: string | null,
  cents: bigint,
  reference: string,
): NewWire {
  return {
    from_iban: from.iban,
    from_name: from.name,
    from_bic: from.bic,
    to_iban,
    to_name,
    to_bic,
    cents,
    reference,
    end_to_end_id: null,
    message_id: null,
    payment_information_id: null,
    instruction_id: null,
    silent: true,
    twice: false,
  }
}
