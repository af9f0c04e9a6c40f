/**
 * What a person or a test may do to the bank:
 *   POST /control/bank/wire       money from outside:
 *                                 {from_name?, from_iban?, bic?, to_iban, to_name?, quantity,
 *                                 currency, reference}
 *   POST /control/bank/debit      money that leaves Kontor's account without a payment file:
 *                                 {quantity, currency?, to_iban?, to_name?, reference}; without
 *                                 to_iban the bank's own charge
 *   POST /control/bank/reverse    takes back a wire that has arrived: {wire_id}
 *   POST /control/bank/statement  a camt.053 of each of Kontor's accounts now
 *   GET  /control/bank/payee-checks  files that wait because a payee does not match
 *   POST /control/bank/payee-checks  what their customer decides: {message_id, decision}, RELEASE
 *                                 or CANCEL
 *   GET, POST, DELETE /control/bank/habits  how the bank books and writes (habits.ts)
 *   GET  /control/bank/accounts   every account, what is in transit, and the sum of each currency,
 *                                 which never changes; in_transit and total are those in EUR
 */
import type { FastifyInstance, FastifyReply } from 'fastify'
import { isValidBIC, isValidIBAN } from 'ibantools'
import type { World } from '../world.ts'
import { CURRENCIES, isOwnIban } from './accounts.ts'
import type { Books } from './books.ts'
import { decimalOf, tryCents } from './cents.ts'
import type { Habits, KeptHabits } from './habits.ts'
import type { HeldFiles } from './payee-checks.ts'
import { plainWire, wireId } from './wires.ts'
import type { Wire } from './wires.ts'

type WireBody = {
  from_name?: string
  from_iban?: string
  bic?: string
  to_iban: string
  to_name?: string
  quantity: string
  currency: string
  reference: string
}

// No control characters: they cannot be written in XML.
const text = (maximum: number) => ({
  type: 'string',
  minLength: 1,
  maxLength: maximum,
  pattern: '^[^\\u0000-\\u001f\\u007f]*$',
})

const wireSchema = {
  body: {
    type: 'object',
    required: ['to_iban', 'quantity', 'currency', 'reference'],
    additionalProperties: false,
    properties: {
      from_name: text(70),
      from_iban: text(34),
      bic: text(11),
      to_iban: text(34),
      to_name: text(70),
      quantity: text(20),
      currency: { enum: CURRENCIES },
      reference: { ...text(140), minLength: 0 },
    },
  },
}

type DebitBody = {
  quantity: string
  currency?: string
  to_iban?: string
  to_name?: string
  reference: string
}

const debitSchema = {
  body: {
    type: 'object',
    required: ['quantity', 'reference'],
    additionalProperties: false,
    properties: {
      quantity: text(20),
      currency: { enum: CURRENCIES },
      to_iban: text(34),
      to_name: text(70),
      reference: { ...text(140), minLength: 0 },
    },
  },
}
const reverseSchema = {
  body: {
    type: 'object',
    required: ['wire_id'],
    additionalProperties: false,
    properties: { wire_id: { type: 'string', pattern: '^W[0-9]{1,15}$' } },
  },
}

const habitsSchema = {
  body: {
    type: 'object',
    additionalProperties: false,
    properties: {
      references: { enum: ['OWN', 'NONREF'] },
      statement_references: { enum: ['SAME', 'OTHER'] },
      notifications: { enum: ['ONCE', 'AGAIN'] },
      other_currency: { type: 'boolean' },
      reversals: { enum: ['MARKED', 'UNMARKED'] },
      batches: { enum: ['SINGLE', 'SUM', 'FIRST'] },
      payee_check_codes: { enum: ['ISO', 'MIXED', 'MISSPELT'] },
      booked_amount: { type: 'string', nullable: true, pattern: '^[0-9]{1,9}(\\.[0-9]{1,2})?$' },
    },
  },
}

const payeeCheckSchema = {
  body: {
    type: 'object',
    required: ['message_id', 'decision'],
    additionalProperties: false,
    properties: { message_id: text(35), decision: { enum: ['RELEASE', 'CANCEL'] } },
  },
}

type Decision = 'RELEASE' | 'CANCEL'

type Bank = {
  world: World
  books: Books
  habits: KeptHabits
  held: Pick<HeldFiles, 'list'>
  /** False when no file of this id waits. */
  decide(message_id: string, decision: Decision): boolean
  /** Kontor's account in a currency. */
  kontor(currency: string): string
  writeStatements(): void
  flush(): void
}
type Failure = { status: 400 | 409; error: string }

const QUANTITY = 'quantity must be above 0 with at most two decimals'

export function mountControl(server: FastifyInstance, bank: Bank): void {
  server.post<{ Body: WireBody }>(
    '/control/bank/wire',
    { schema: wireSchema },
    (request, reply) => {
      const failure = objectionTo(bank.books, request.body)
      if (failure !== undefined) return fail(reply, failure)
      const sent = bank.world.commit(() => sendFromOutside(bank.books, request.body))
      return 'error' in sent ? fail(reply, sent) : reply.send(sent)
    },
  )
  server.post<{ Body: DebitBody }>(
    '/control/bank/debit',
    { schema: debitSchema },
    (request, reply) => debit(bank, request.body, reply),
  )
  server.post<{ Body: { wire_id: string } }>(
    '/control/bank/reverse',
    { schema: reverseSchema },
    (request, reply) => {
      const id = Number(request.body.wire_id.slice(1))
      return replyWith(reply, () => bank.books.reverse(id))
    },
  )
  server.post('/control/bank/statement', (_request, reply) => {
    bank.writeStatements()
    bank.flush()
    return reply.send({})
  })
  mountPayeeChecks(server, bank)
  server.get('/control/bank/habits', (_request, reply) => reply.send(bank.habits.get()))
  server.post<{ Body: Partial<Habits> }>(
    '/control/bank/habits',
    { schema: habitsSchema },
    (request, reply) => reply.send(bank.world.commit(() => bank.habits.change(request.body))),
  )
  server.delete('/control/bank/habits', (_request, reply) =>
    reply.send(bank.world.commit(bank.habits.drop)),
  )
  server.get('/control/bank/accounts', (_request, reply) => reply.send(accountsView(bank.books)))
}

function mountPayeeChecks(server: FastifyInstance, { world, held, decide, flush }: Bank): void {
  server.get('/control/bank/payee-checks', (_request, reply) => reply.send(held.list()))
  server.post<{ Body: { message_id: string; decision: Decision } }>(
    '/control/bank/payee-checks',
    { schema: payeeCheckSchema },
    (request, reply) => {
      const { message_id, decision } = request.body
      if (!world.commit(() => decide(message_id, decision)))
        return fail(reply, { status: 409, error: `no file ${message_id} waits` })
      flush()
      return reply.send({})
    },
  )
}

function fail(reply: FastifyReply, { status, error }: Failure): FastifyReply {
  return reply.code(status).send({ error })
}

function objectionTo(books: Books, wire: WireBody): Failure | undefined {
  const { from_iban, bic, to_iban, quantity, currency } = wire
  if (tryCents(quantity) === undefined) return { status: 400, error: QUANTITY }
  if (books.account(to_iban) === undefined && !isValidIBAN(to_iban))
    return { status: 400, error: 'to_iban is not a valid IBAN' }
  if (from_iban !== undefined && !isValidIBAN(from_iban))
    return { status: 400, error: 'from_iban is not a valid IBAN' }
  if (bic !== undefined && !isValidBIC(bic)) return { status: 400, error: 'bic is not a valid BIC' }
  if (from_iban === undefined) return undefined
  const known = books.account(from_iban)
  if (known !== undefined && known.part !== 'outside')
    return { status: 409, error: `${from_iban} belongs to ${known.part}, not to the outside` }
  if (known !== undefined && known.currency !== currency)
    return { status: 409, error: `${from_iban} is in ${known.currency}` }
  if (known === undefined && isOwnIban(from_iban))
    return { status: 409, error: `${from_iban} does not exist at this bank` }
  return undefined
}

function sendFromOutside(
  books: Books,
  body: WireBody,
): Failure | { wire_id: string; from_iban: string } {
  const { from_name = 'Alice Example', from_iban, bic, currency } = body
  const { to_iban, to_name, reference } = body
  const known = from_iban === undefined ? undefined : books.account(from_iban)
  const from =
    known ??
    books.openOutside(from_name, {
      ...(from_iban === undefined ? {} : { iban: from_iban }),
      ...(bic === undefined ? {} : { bic }),
      currency,
    })
  const cents = tryCents(body.quantity) ?? 0n
  if (from.cents < cents)
    return { status: 409, error: `${from.name} has only ${decimalOf(from.cents)}` }
  const to = receiver(books, to_iban, to_name)
  const wire = books.send(plainWire(from, to, cents, reference))
  return { wire_id: wireId(wire), from_iban: from.iban }
}

function receiver(books: Books, iban: string, name: string | undefined) {
  const account = books.account(iban)
  return { iban, name: name ?? account?.name ?? 'unknown', bic: account?.bic ?? null }
}

function debit({ books, kontor }: Bank, body: DebitBody, reply: FastifyReply): FastifyReply {
  const { quantity, currency = 'EUR', to_iban, to_name, reference } = body
  const cents = tryCents(quantity)
  const from = books.account(kontor(currency))
  if (cents === undefined || from === undefined)
    return fail(reply, { status: 400, error: QUANTITY })
  if (to_iban === undefined) {
    const income = books.income(currency)
    const to = { ...income, name: to_name ?? income.name }
    return replyWith(reply, () => books.send(plainWire(from, to, cents, reference), 'CHARGE'))
  }
  if (!isValidIBAN(to_iban))
    return fail(reply, { status: 400, error: 'to_iban is not a valid IBAN' })
  const to = receiver(books, to_iban, to_name)
  return replyWith(reply, () => books.send(plainWire(from, to, cents, reference)))
}

/** Answers 409 when the books cannot do it. */
function replyWith(reply: FastifyReply, work: () => Wire): FastifyReply {
  try {
    return reply.send({ wire_id: wireId(work()) })
  } catch (error) {
    if (!(error instanceof RangeError)) throw error
    return fail(reply, { status: 409, error: error.message })
  }
}

function accountsView(books: Books): object {
  const accounts = books.accounts()
  const totals = CURRENCIES.map((currency) => {
    const kept = accounts.filter((account) => account.currency === currency)
    const cents = kept.reduce((sum, account) => sum + account.cents, books.inTransit(currency))
    return [currency, decimalOf(cents)] as const
  })
  return {
    accounts: accounts.map(({ iban, bic, name, part, locator, currency, cents }) => ({
      iban,
      bic,
      name,
      owner: part,
      locator,
      currency,
      quantity: decimalOf(cents),
    })),
    in_transit: decimalOf(books.inTransit('EUR')),
    total: Object.fromEntries(totals)['EUR'],
    totals: Object.fromEntries(totals),
  }
}
