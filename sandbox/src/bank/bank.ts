/**
 * The bank: accounts for Kontor, for the other parts and for people outside, and a file exchange with Kontor (gateway.ts).
 *
 * A payment order is answered by pain.002 (ACCP, or RJCT with a code), booked 3 s later (camt.054 and pain.002 ACSC) and
 * arrives 10 s after that; world time. One outside SEPA is booked after 30 s together with the bank's charge of 12.50 (an entry of
 * its own with the payment's EndToEndId) and arrives a minute later. A statement (camt.053) is written at every full hour and on demand.
 *
 * Faults, venue `bank`. Operation `payment`: REFUSE (RJCT MS03), TIMEOUT_AFTER_ACCEPT (executed, never a pain.002), LATE (RCVD at once,
 * everything else later), TWICE (its messages twice, under another name), DOWN (the outbox is not read for delay_ms).
 * Operation `notification`: TWICE, LATE (camt.054 written later), TIMEOUT_AFTER_ACCEPT (no camt.054; the next statement tells).
 */
import { join } from 'node:path'
import { isValidIBAN } from 'ibantools'
import { credential } from '../credentials.ts'
import type { BankRails, Part } from '../part.ts'
import type { World } from '../world.ts'
import {
  FOREIGN_CENTS,
  isOwnIban,
  openBooks,
  plainWire,
  wireId,
  type Entry,
  type Wire,
} from './books.ts'
import { mountControl } from './control.ts'
import { openGateway, type TakenFault } from './gateway.ts'
import { notification, statement, statusReport, type PaymentStatus } from './messages.ts'
import { decimalOf, tryCents } from './cents.ts'
import type { PaymentFile, PaymentInstruction, Refusal } from './payments.ts'

const BOOKING_MILLISECONDS = 3000
const FOREIGN_BOOKING_MILLISECONDS = 30_000
const STATEMENT_MILLISECONDS = 3_600_000
const KONTOR_CENTS = 500_000_00n
const PEOPLE = ['Alice Example', 'Bob Example', 'Example Trading GmbH']

type ArrivalHandler = Parameters<BankRails['onArrival']>[1]

/** `ISO20022_DIR` names a folder with the ISO schemas (`pain.001.001.09.xsd`); without it files are checked by structure alone. */
export function openBank(
  world: World,
  schemas = process.env['ISO20022_DIR'],
): Part & { rails: BankRails } {
  const { db } = world
  const arrivals = new Map<string, ArrivalHandler>()
  const books = openBooks(world, {
    entered,
    arrived: (wire, account) => deliver(wire, account.part, account.locator),
  })
  const kontor = books.open(
    { part: 'kontor', locator: 'main', name: 'Kontor' },
    'EUR',
    KONTOR_CENTS,
  )
  for (const name of PEOPLE) books.openOutside(name)
  const gateway = openGateway(world, join(world.dir, 'bank', 'kontor'), schemas, take)
  db.exec(
    'create table if not exists bank_statements (number integer primary key, to_at integer not null, last_entry_id integer not null, closing_cents integer not null)',
  )
  // What Kontor's configuration refers to; the directories are `bank/kontor/outbox` and `inbox` below the world's.
  const { iban, bic, name, currency } = kontor
  credential(
    world.dir,
    'bank.json',
    () => `${JSON.stringify({ iban, bic, name, currency }, null, 2)}\n`,
  )
  if (latestStatement() === undefined) writeStatement()

  function deliver(wire: Wire, part: string, locator: string): boolean {
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
        currency: 'EUR',
        reference: wire.reference,
      },
      locator,
    )
    return true
  }

  function entered(entry: Entry): void {
    if (entry.iban !== kontor.iban) return
    const { wire } = entry
    const fault = world.faults.take('bank', 'notification')
    const message = notification(kontor, entry)
    const due_at = entry.booked_at + (fault?.kind === 'LATE' ? fault.delay_ms : 0)
    if (fault?.kind !== 'TIMEOUT_AFTER_ACCEPT') gateway.post('camt.054', message, due_at)
    if (fault?.kind === 'TWICE' || wire.twice) gateway.post('camt.054', message, due_at)
    if (entry.direction === 'DBIT' && wire.message_id !== null && !wire.silent) {
      gateway.post(
        'pain.002',
        statusReport({
          id: gateway.nextId(),
          created_at: entry.booked_at,
          original_message_id: wire.message_id,
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
        }),
        entry.booked_at,
      )
    }
  }

  function take(file: PaymentFile, fault: TakenFault): void {
    const now = world.now()
    for (const payment of file.payments) world.received('bank', 'payment', payment.end_to_end_id)
    if (file.payments.length === 0) world.received('bank', 'payment', file.message_id)
    const refusal: Refusal | null =
      file.refusal ??
      (books.messageTaken(file.message_id)
        ? { code: 'DU01', text: 'message id was used before' }
        : null) ??
      (fault?.kind === 'REFUSE' ? { code: 'MS03', text: 'refused by the bank' } : null)
    const delay = fault?.kind === 'LATE' ? fault.delay_ms : 0
    const payments =
      refusal === null
        ? file.payments.map((payment) => decide(file, payment, fault, now + delay))
        : []
    if (fault?.kind === 'TIMEOUT_AFTER_ACCEPT' && refusal === null) return

    const refused = payments.filter((payment) => payment.status === 'RJCT').length
    const group_status =
      refusal !== null || refused === payments.length ? 'RJCT' : refused === 0 ? 'ACCP' : 'PART'
    const original = {
      original_message_id: file.message_id,
      original_message_name: file.message_name,
    }
    if (delay > 0)
      gateway.post(
        'pain.002',
        statusReport({
          id: gateway.nextId(),
          created_at: now,
          ...original,
          group_status: 'RCVD',
          refusal: null,
          payments: [],
        }),
        now,
      )
    const report = statusReport({
      id: gateway.nextId(),
      created_at: now + delay,
      ...original,
      group_status,
      refusal,
      payments,
    })
    gateway.post('pain.002', report, now + delay)
    if (fault?.kind === 'TWICE') gateway.post('pain.002', report, now + delay)
  }

  function decide(
    file: PaymentFile,
    payment: PaymentInstruction,
    fault: TakenFault,
    accepted_at: number,
  ): PaymentStatus {
    const refusal = payment.refusal ?? objection(payment)
    if (refusal === null) {
      const to =
        books.account(payment.creditor_iban) ??
        (payment.foreign && !isValidIBAN(payment.creditor_iban)
          ? books.openOutside(
              payment.creditor_name,
              payment.creditor_iban,
              payment.creditor_bic ?? undefined,
            )
          : undefined)
      books.accept(
        {
          from_iban: kontor.iban,
          from_name: kontor.name,
          from_bic: kontor.bic,
          to_iban: payment.creditor_iban,
          to_name: payment.creditor_name,
          to_bic: to?.bic ?? payment.creditor_bic,
          cents: payment.cents,
          reference: payment.reference,
          end_to_end_id: payment.end_to_end_id,
          message_id: file.message_id,
          payment_information_id: payment.payment_information_id,
          instruction_id: payment.instruction_id,
          silent: fault?.kind === 'TIMEOUT_AFTER_ACCEPT',
          twice: fault?.kind === 'TWICE',
        },
        accepted_at + (payment.foreign ? FOREIGN_BOOKING_MILLISECONDS : BOOKING_MILLISECONDS),
        payment.foreign ? 'FOREIGN' : 'PAYMENT',
      )
    }
    return {
      status: refusal === null ? 'ACCP' : 'RJCT',
      payment_information_id: payment.payment_information_id,
      instruction_id: payment.instruction_id,
      end_to_end_id: payment.end_to_end_id,
      refusal,
    }
  }

  function objection(payment: PaymentInstruction): Refusal | null {
    if (payment.debtor_iban !== kontor.iban)
      return { code: 'AC02', text: 'debtor account is not yours' }
    if (books.used(kontor.iban, payment.end_to_end_id))
      return { code: 'AM05', text: 'end-to-end id was used before' }
    if (isOwnIban(payment.creditor_iban) && books.account(payment.creditor_iban) === undefined)
      return { code: 'AC01', text: 'creditor account does not exist' }
    if (books.available(kontor.iban) < payment.cents + (payment.foreign ? FOREIGN_CENTS : 0n))
      return { code: 'AM04', text: 'insufficient funds' }
    return null
  }

  function latestStatement():
    | { number: number; to_at: number; last_entry_id: number; closing_cents: bigint }
    | undefined {
    const row = db
      .prepare(
        'select number, to_at, last_entry_id, cast(closing_cents as text) as closing_cents from bank_statements order by number desc limit 1',
      )
      .get() as
      | { number: number; to_at: number; last_entry_id: number; closing_cents: string }
      | undefined
    return row === undefined ? undefined : { ...row, closing_cents: BigInt(row.closing_cents) }
  }

  function writeStatement(): number {
    return world.commit(() => {
      const account = books.account(kontor.iban)
      if (account === undefined) throw new Error('the account of the statement does not exist')
      const last = latestStatement()
      const now = world.now()
      const entries = books.entries(kontor.iban, last?.last_entry_id ?? 0)
      const opening = last?.closing_cents ?? account.cents
      const moved = entries.reduce(
        (total, entry) => total + (entry.direction === 'CRDT' ? entry.cents : -entry.cents),
        0n,
      )
      if (opening + moved !== account.cents)
        throw new Error(`statement does not add up: ${opening} + ${moved} is not ${account.cents}`)
      const number = (last?.number ?? 0) + 1
      gateway.post(
        'camt.053',
        statement(account, {
          number,
          from: last?.to_at ?? now,
          to: now,
          opening_cents: opening,
          closing_cents: account.cents,
          entries,
        }),
        now,
      )
      db.prepare(
        'insert into bank_statements (number, to_at, last_entry_id, closing_cents) values (?, ?, ?, ?)',
      ).run(number, now, entries.at(-1)?.id ?? last?.last_entry_id ?? 0, account.cents)
      return number
    })
  }

  let closed = false
  let scanning: Promise<void> | undefined
  let complaint = ''
  world.onTick((now) => {
    if (closed) return
    books.tick(now)
    const last = latestStatement()
    if (
      last !== undefined &&
      Math.floor(now / STATEMENT_MILLISECONDS) > Math.floor(last.to_at / STATEMENT_MILLISECONDS)
    )
      writeStatement()
    gateway.flush(world.now())
    scanning ??= gateway
      .scan()
      .then(
        () => {
          complaint = ''
        },
        (error: unknown) => {
          // The same trouble is said once, not at every tick.
          if (!closed && complaint !== String(error))
            console.error('bank: the outbox could not be read', error)
          complaint = String(error)
        },
      )
      .finally(() => {
        scanning = undefined
      })
  })

  const rails: BankRails = {
    account: (owner, currency) => ({ iban: books.open(owner, currency).iban }),
    wire(transfer) {
      const cents = transfer.currency === 'EUR' ? tryCents(transfer.quantity) : undefined
      const from = books.account(transfer.from_iban)
      if (cents === undefined || from === undefined)
        throw new RangeError(
          `no wire of ${transfer.quantity} ${transfer.currency} from ${transfer.from_iban}`,
        )
      const to = books.account(transfer.to_iban)
      return {
        wire_id: wireId(
          books.send(
            plainWire(
              from,
              transfer.to_iban,
              transfer.to_name,
              to?.bic ?? null,
              cents,
              transfer.reference,
            ),
          ),
        ),
      }
    },
    onArrival: (part, arrived) => {
      arrivals.set(part, arrived)
    },
  }

  return {
    name: 'bank',
    rails,
    mount: (server) => {
      mountControl(server, {
        world,
        books,
        kontor: kontor.iban,
        writeStatement,
        flush: () => gateway.flush(world.now()),
      })
    },
    close: async () => {
      closed = true
      await scanning
    },
    holdings: () => [
      ...books.accounts().map((account) => ({
        holder: `${account.part} ${account.locator}`,
        asset: account.currency,
        quantity: decimalOf(account.cents),
      })),
      { holder: 'in transit', asset: 'EUR', quantity: decimalOf(books.inTransit()) },
    ],
  }
}
