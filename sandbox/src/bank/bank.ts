/**
 * The bank: accounts for Kontor, for the other parts and for people outside, and a file exchange
 * with Kontor (gateway.ts) for each of its three accounts: in EUR, in CHF, and in USD by account
 * number and routing number.
 *
 * A payment order is answered by pain.002 (ACCP, or RJCT with a code). It is booked 3 s later
 * (camt.054 and pain.002 ACSC) and arrives 10 s after that, in world time. One outside SEPA is
 * booked after 30 s together with the bank's charge of 12.50 (an entry of its own with the
 * payment's EndToEndId) and arrives a minute later. An instant one is booked and arrives at once. A
 * statement (camt.053) is written at every full hour and on demand. A file with a payee that does
 * not match waits until it is released or canceled (payee-checks.ts).
 *
 * Faults, venue `bank`, operation `payment`:
 *   REFUSE                 RJCT MS03, of an instant payment AB05
 *   TIMEOUT_AFTER_ACCEPT   executed, never a pain.002
 *   LATE                   RCVD at once, everything else later
 *   TWICE                  its messages twice, under another name
 *   DOWN                   the outbox is not read for delay_ms
 * Operation `notification`:
 *   TWICE                  the camt.054 twice
 *   LATE                   the camt.054 is written later
 *   TIMEOUT_AFTER_ACCEPT   no camt.054; only the next statement has the entry
 */
import { join } from 'node:path'
import { credential } from '../credentials.ts'
import type { BankRails, Part } from '../part.ts'
import type { World } from '../world.ts'
import { abaOf, CURRENCIES } from './accounts.ts'
import type { Account } from './accounts.ts'
import { openBooks } from './books.ts'
import type { Books } from './books.ts'
import { decimalOf, tryCents } from './cents.ts'
import { mountControl } from './control.ts'
import { openGateway } from './gateway.ts'
import type { Gateway } from './gateway.ts'
import { openHabits } from './habits.ts'
import type { KeptHabits } from './habits.ts'
import { notification, statusReport } from './messages.ts'
import { openHeldFiles } from './payee-checks.ts'
import type { HeldFiles } from './payee-checks.ts'
import { endHold, takePaymentFile } from './payment-orders.ts'
import type { PaymentFile } from './payments.ts'
import { openStatements } from './statements.ts'
import type { Statements } from './statements.ts'
import { plainWire, wireId } from './wires.ts'
import type { Entry, Wire } from './wires.ts'

/** What Kontor has at genesis. The first account keeps the names from when it was the only one. */
const KONTOR: { currency: string; cents: bigint; suffix: string }[] = [
  { currency: 'EUR', cents: 500_000_00n, suffix: '' },
  { currency: 'CHF', cents: 250_000_00n, suffix: 'chf' },
  { currency: 'USD', cents: 250_000_00n, suffix: 'usd' },
]
const PEOPLE = ['Alice Example', 'Bob Example', 'Example Trading GmbH']

type ArrivalHandler = Parameters<BankRails['onArrival']>[1]
/** By part. */
type ArrivalHandlers = Map<string, ArrivalHandler>

/** An account of Kontor and its exchange of files. */
type Desk = {
  kontor: Account
  gateway: Gateway
  statements: Statements
  scanner: Scanner
  /** What its customer decides about a file that waits. */
  decide: (file: PaymentFile, decision: 'RELEASE' | 'CANCEL') => void
}

/**
 * `ISO20022_DIR` names a folder with the ISO schemas (`pain.001.001.09.xsd`). Without it, files
 * are checked by structure alone.
 */
export function openBank(
  world: World,
  schemas = process.env['ISO20022_DIR'],
): Part & { rails: BankRails } {
  const arrivals: ArrivalHandlers = new Map()
  const desks: Desk[] = []
  const books: Books = openBooks(world, {
    entered: (entry) => {
      const desk = desks.find(({ kontor }) => kontor.iban === entry.iban)
      if (desk !== undefined) report({ world, books, habits, ...desk }, entry)
    },
    arrived: (wire, account) => deliver(arrivals, wire, account),
  })
  const habits = openHabits(world)
  const held = openHeldFiles(world)
  for (const place of KONTOR) desks.push(openDesk(world, { books, habits, held, schemas }, place))
  for (const name of PEOPLE) books.openOutside(name)
  world.onTick((now) => {
    const open = desks.filter(({ scanner }) => !scanner.closed())
    if (open.length > 0) books.tick(now)
    for (const { statements, gateway, scanner } of open) {
      statements.writeIfDue(now)
      gateway.flush(world.now())
      scanner.scan()
    }
  })
  return {
    name: 'bank',
    rails: openRails(books, arrivals),
    mount: (server) => {
      mountControl(server, {
        world,
        books,
        habits,
        held,
        decide: (message_id, decision) => {
          const waiting = held.take(message_id)
          if (waiting === undefined) return false
          const { iban, file } = waiting
          desks.find(({ kontor }) => kontor.iban === iban)?.decide(file, decision)
          return true
        },
        kontor: (currency) => deskOf(desks, currency).kontor.iban,
        writeStatements: () => {
          for (const { statements } of desks) statements.write()
        },
        flush: () => {
          for (const { gateway } of desks) gateway.flush(world.now())
        },
      })
    },
    close: async () => {
      for (const { scanner } of desks) await scanner.close()
    },
    holdings: () => [
      ...books.accounts().map((account) => ({
        holder: `${account.part} ${account.locator}`,
        asset: account.currency,
        quantity: decimalOf(account.cents),
      })),
      ...CURRENCIES.map((asset) => ({
        holder: 'in transit',
        asset,
        quantity: decimalOf(books.inTransit(asset)),
      })),
    ],
  }
}

function deskOf(desks: readonly Desk[], currency: string): Desk {
  const desk = desks.find(({ kontor }) => kontor.currency === currency)
  if (desk === undefined) throw new RangeError(`Kontor has no account in ${currency}`)
  return desk
}

type Shared = {
  books: Books
  habits: KeptHabits
  held: HeldFiles
  schemas: string | undefined
}

function openDesk(
  world: World,
  { books, habits, held, schemas }: Shared,
  { currency, cents, suffix }: (typeof KONTOR)[number],
): Desk {
  const owner = { part: 'kontor', locator: 'main', name: 'Kontor' }
  const kontor = books.open(owner, currency, cents)
  const named = (name: string, joint = '_') => (suffix === '' ? name : `${name}${joint}${suffix}`)
  const place = {
    directory: join(world.dir, 'bank', named('kontor', '-')),
    tables: { files: named('bank_files'), taken: named('bank_taken') },
    schemas,
  }
  const parts = () => ({ world, books, gateway, habits, held, kontor })
  const gateway: Gateway = openGateway(world, place, (file, fault) => {
    takePaymentFile(parts(), file, fault)
  })
  const decide: Desk['decide'] = (file, decision) => {
    endHold(parts(), file, decision)
  }
  writeCredentials(world, named('bank', '-'), kontor)
  const table = named('bank_statements')
  const statements = openStatements(world, { books, gateway, habits, iban: kontor.iban, table })
  return { kontor, gateway, statements, scanner: openScanner(gateway), decide }
}

/** What Kontor's configuration refers to. */
function writeCredentials({ dir }: World, name: string, account: Account): void {
  const { iban, bic, currency } = account
  const aba = abaOf(currency)
  const place = aba === null ? { iban, bic } : { account_number: iban, bic, aba }
  const text = `${JSON.stringify({ ...place, name: account.name, currency }, null, 2)}\n`
  credential(dir, `${name}.json`, () => text)
}

/** Hands a wire to the part that it reaches. False when that part is not open yet. */
function deliver(arrivals: ArrivalHandlers, wire: Wire, { part, locator }: Account): boolean {
  if (part === 'kontor' || part === 'outside') return true
  const handler = arrivals.get(part)
  if (handler === undefined) return false
  handler(
    {
      wire_id: wireId(wire),
      to_iban: wire.to_iban,
      from_iban: wire.from_iban,
      from_name: wire.from_name,
      quantity: decimalOf(wire.cents),
      currency: wire.currency,
      reference: wire.reference,
    },
    locator,
  )
  return true
}

type Reporting = {
  world: World
  books: Books
  gateway: Gateway
  habits: KeptHabits
  kontor: Account
}

/** Notifies Kontor of an entry on its account, and reports a payment of its own as booked. */
function report({ world, books, gateway, habits, kontor }: Reporting, entry: Entry): void {
  const kept = habits.get()
  const { wire, booked_at } = entry
  const fault = world.faults.take('bank', 'notification')
  const message = notification(kontor, entry, kept)
  const due_at = booked_at + (fault?.kind === 'LATE' ? fault.delay_ms : 0)
  const shared = wire.message_id !== null && books.paymentsOf(wire.message_id) > 1
  const notified = !shared || entry.direction === 'CRDT' || kept.batches === 'SINGLE'
  if (notified && fault?.kind !== 'TIMEOUT_AFTER_ACCEPT') gateway.post('camt.054', message, due_at)
  if (fault?.kind === 'TWICE' || wire.twice) gateway.post('camt.054', message, due_at)
  if (kept.notifications === 'AGAIN')
    gateway.post('camt.054', notification(kontor, entry, kept, true), due_at)
  if (entry.direction === 'DBIT' && wire.message_id !== null && !wire.silent)
    gateway.post('pain.002', bookedReport(gateway, entry, wire.message_id), booked_at)
}

function bookedReport(gateway: Gateway, { wire, booked_at }: Entry, message_id: string): string {
  return statusReport({
    id: gateway.nextId(),
    created_at: booked_at,
    original_message_id: message_id,
    original_message_name: 'pain.001',
    group_status: null,
    refusal: null,
    payments: [
      {
        status: 'ACSC',
        payment_information_id: wire.payment_information_id ?? '',
        instruction_id: wire.instruction_id,
        end_to_end_id: wire.end_to_end_id ?? '',
        refusal: null,
      },
    ],
  })
}

type Scanner = { closed(): boolean; scan(): void; close(): Promise<void> }

/**
 * Scans the outbox again and again, one scan at a time. The same error is printed once, not at
 * every tick.
 */
function openScanner(gateway: Gateway): Scanner {
  let closed = false
  let scanning: Promise<void> | undefined
  let printed = ''
  const scan = async () => {
    try {
      await gateway.scan()
      printed = ''
    } catch (error) {
      if (!closed && printed !== String(error))
        console.error('bank: the outbox could not be read', error)
      printed = String(error)
    }
  }
  return {
    closed: () => closed,
    scan: () => {
      scanning ??= scan().finally(() => {
        scanning = undefined
      })
    },
    close: async () => {
      closed = true
      await scanning
    },
  }
}

function openRails(books: Books, arrivals: ArrivalHandlers): BankRails {
  return {
    account: (owner, currency) => ({ iban: books.open(owner, currency).iban }),
    wire({ from_iban, to_iban, to_name, quantity, currency, reference }) {
      const cents = tryCents(quantity)
      const from = books.account(from_iban)
      if (cents === undefined || from?.currency !== currency)
        throw new RangeError(`no wire of ${quantity} ${currency} from ${from_iban}`)
      const to = { iban: to_iban, name: to_name, bic: books.account(to_iban)?.bic ?? null }
      return { wire_id: wireId(books.send(plainWire(from, to, cents, reference))) }
    },
    onArrival: (part, arrived) => {
      arrivals.set(part, arrived)
    },
  }
}
