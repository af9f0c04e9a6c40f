/**
 * The bank's books: accounts, wires and entries. A wire leaves its account when it is booked, is
 * in transit until it arrives, and comes back when its account does not exist. So Σ balances + Σ
 * in transit never changes after genesis.
 *
 *   ACCEPTED → BOOKED (debited, in transit) → ARRIVED | RETURNED (a second wire of kind RETURN
 *   carries it back)
 *
 * A FOREIGN wire takes longer, and its sender pays the bank's price by a wire of kind CHARGE that
 * is booked with it. A REVERSAL takes an arrived wire back.
 */
import type { World } from '../world.ts'
import { openAccounts } from './accounts.ts'
import type { Account, Accounts, AddCents } from './accounts.ts'
import { FOREIGN_CENTS, openEntries, openWires, oppositeWire, plainWire, wireId } from './wires.ts'
import type { Entries, Entry, NewWire, Wire, Wires } from './wires.ts'

const ARRIVAL_MILLISECONDS = 10_000
const FOREIGN_ARRIVAL_MILLISECONDS = 60_000
const RETURN_MILLISECONDS = 5_000

export type Books = Accounts &
  Pick<Wires, 'used' | 'messageTaken' | 'paymentsOf' | 'inTransit'> & {
    /** The balance less what is accepted and not yet booked. */
    available(iban: string): bigint
    /** Stores a wire that will be booked at `due_at`. */
    accept(wire: NewWire, due_at: number, kind?: 'PAYMENT' | 'FOREIGN' | 'INSTANT'): Wire
    /** Debits at once and sends it. Throws RangeError when the account is unknown or short. */
    send(wire: NewWire, kind?: 'PAYMENT' | 'CHARGE'): Wire
    /** Takes an arrived wire back. Throws RangeError when there is none or its money is gone. */
    reverse(wire_id: number): Wire
    entries: Entries['list']
    tick(now: number): void
  }

/** Called in the commit that causes them. */
type BooksEvents = {
  entered(entry: Entry): void
  /** False when the owner does not take it: the wire stays in transit until the owner does. */
  arrived(wire: Wire, account: Account): boolean
}

type Parts = {
  world: World
  accounts: Accounts
  addCents: AddCents
  wires: Wires
  entries: Entries
  events: BooksEvents
}

export function openBooks(world: World, events: BooksEvents): Books {
  const { accounts, addCents } = openAccounts(world)
  const wires = openWires(world.db)
  const entries = openEntries(world.db)
  const parts: Parts = { world, accounts, addCents, wires, entries, events }
  return {
    ...accounts,
    used: wires.used,
    messageTaken: wires.messageTaken,
    paymentsOf: wires.paymentsOf,
    inTransit: wires.inTransit,
    entries: entries.list,
    available(iban) {
      const account = accounts.account(iban)
      if (account === undefined) throw new RangeError(`account ${iban} does not exist`)
      return account.cents - wires.reserved(iban)
    },
    accept(wire, due_at, kind = 'PAYMENT') {
      if (wire.message_id !== null) wires.takeMessage(wire.message_id)
      return wires.insert(wire, { kind, state: 'ACCEPTED', due_at, return_reason: null })
    },
    send: (wire, kind = 'PAYMENT') => world.commit(() => send(parts, wire, kind)),
    reverse: (wire_id) => world.commit(() => reverse(parts, wire_id)),
    tick(now) {
      for (const wire of wires.due('ACCEPTED', now))
        world.commit(() => {
          book(parts, wire, now)
        })
      for (const wire of wires.due('BOOKED', now))
        world.commit(() => {
          arrive(parts, wire, now)
        })
    },
  }
}

/** The step of a wire that is booked in the commit that stores it. */
function bookedNow(kind: Wire['kind'], now: number) {
  return { kind, state: 'ACCEPTED', due_at: now, return_reason: null } as const
}

function send(parts: Parts, wire: NewWire, kind: 'PAYMENT' | 'CHARGE'): Wire {
  const { world, accounts, wires } = parts
  const from = accounts.account(wire.from_iban)
  if (from === undefined || from.cents < wire.cents)
    throw new RangeError(`account ${wire.from_iban} is unknown or has too little`)
  const sent = wires.insert(wire, bookedNow(kind, world.now()))
  book(parts, sent, world.now())
  return sent
}

function reverse(parts: Parts, wire_id: number): Wire {
  const { world, accounts, wires } = parts
  const wire = wires.arrived(wire_id)
  if (wire === undefined) throw new RangeError(`no wire ${wire_id} has arrived`)
  if ((accounts.account(wire.to_iban)?.cents ?? 0n) < wire.cents)
    throw new RangeError(`account ${wire.to_iban} has too little`)
  const references = {
    message_id: null,
    payment_information_id: null,
    instruction_id: wireId(wire),
  }
  const back = wires.insert(
    { ...oppositeWire(wire), ...references },
    bookedNow('REVERSAL', world.now()),
  )
  book(parts, back, world.now())
  return back
}

/** Debits the sender, and the charge of a foreign wire before it. */
function book(parts: Parts, wire: Wire, now: number): void {
  const isForeign = wire.kind === 'FOREIGN'
  if (isForeign) bookCharge(parts, wire, now)
  parts.wires.setState(wire, 'BOOKED', now + transitOf(wire))
  enter(parts, { ...wire, state: 'BOOKED' }, 'DBIT', now)
}

/** An instant payment is with the payee when its payer is told (EPC, SCT Inst rulebook). */
function transitOf({ kind }: Wire): number {
  if (kind === 'INSTANT') return 0
  return kind === 'FOREIGN' ? FOREIGN_ARRIVAL_MILLISECONDS : ARRIVAL_MILLISECONDS
}

function bookCharge(parts: Parts, foreign: Wire, now: number): void {
  const { accounts, wires } = parts
  const from = accounts.account(foreign.from_iban)
  const to = accounts.income(foreign.currency)
  if (from === undefined) throw new RangeError(`account ${foreign.from_iban} does not exist`)
  const { end_to_end_id } = foreign
  const charge = plainWire(from, to, FOREIGN_CENTS, 'Charge for a foreign payment')
  book(parts, wires.insert({ ...charge, end_to_end_id }, bookedNow('CHARGE', now)), now)
}

function arrive(parts: Parts, wire: Wire, now: number): void {
  const { accounts, wires, events } = parts
  const to = accounts.account(wire.to_iban)
  if (to === undefined || to.currency !== wire.currency) {
    wires.setState(wire, 'RETURNED', now)
    const due_at = now + RETURN_MILLISECONDS
    const step = { kind: 'RETURN', state: 'BOOKED', due_at, return_reason: 'AC01' } as const
    wires.insert(oppositeWire(wire), step)
    return
  }
  if (!events.arrived(wire, to)) return
  wires.setState(wire, 'ARRIVED', now)
  enter(parts, { ...wire, state: 'ARRIVED' }, 'CRDT', now)
}

/** Changes the balance of the account that the direction names, and reports the entry. */
function enter(
  { addCents, entries, events }: Parts,
  wire: Wire,
  direction: Entry['direction'],
  now: number,
): void {
  const iban = direction === 'CRDT' ? wire.to_iban : wire.from_iban
  addCents(iban, direction === 'CRDT' ? wire.cents : -wire.cents)
  events.entered(entries.insert({ iban, direction, cents: wire.cents, booked_at: now, wire }))
}
