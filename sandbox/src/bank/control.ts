/**
 * What a person or a test may do to the bank:
 *   POST /control/bank/wire       money from outside: {from_name?, from_iban?, bic?, to_iban, to_name?, quantity, currency, reference}
 *   POST /control/bank/debit      money that leaves Kontor's account without a payment file: {quantity, to_iban?, to_name?, reference}; without to_iban the bank's own charge
 *   POST /control/bank/reverse    takes back a wire that has arrived: {wire_id}
 *   POST /control/bank/statement  a camt.053 now
 *   GET  /control/bank/accounts   every account, what is in transit, and their sum, which never changes
 */
import type { FastifyInstance, FastifyReply } from 'fastify'
import { isValidBIC, isValidIBAN } from 'ibantools'
import type { World } from '../world.ts'
import { isOwnIban, plainWire, wireId, type Books, type Wire } from './books.ts'
import { decimalOf, tryCents } from './cents.ts'

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
      currency: { const: 'EUR' },
      reference: { ...text(140), minLength: 0 },
    },
  },
}

type DebitBody = { quantity: string; to_iban?: string; to_name?: string; reference: string }

const debitSchema = {
  body: {
    type: 'object',
    required: ['quantity', 'reference'],
    additionalProperties: false,
    properties: {
      quantity: text(20),
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

export function mountControl(
  server: FastifyInstance,
  bank: { world: World; books: Books; kontor: string; writeStatement(): number; flush(): void },
): void {
  const { books } = bank

  server.post<{ Body: WireBody }>(
    '/control/bank/wire',
    { schema: wireSchema },
    (request, reply) => {
      const { from_name, from_iban, bic, to_iban, to_name, quantity, reference } = request.body
      const cents = tryCents(quantity)
      if (cents === undefined)
        return reply.code(400).send({ error: 'quantity must be above 0 with at most two decimals' })
      if (!isValidIBAN(to_iban))
        return reply.code(400).send({ error: 'to_iban is not a valid IBAN' })
      if (from_iban !== undefined && !isValidIBAN(from_iban))
        return reply.code(400).send({ error: 'from_iban is not a valid IBAN' })
      if (bic !== undefined && !isValidBIC(bic))
        return reply.code(400).send({ error: 'bic is not a valid BIC' })
      const known = from_iban === undefined ? undefined : books.account(from_iban)
      if (known !== undefined && known.part !== 'outside')
        return reply
          .code(409)
          .send({ error: `${from_iban} belongs to ${known.part}, not to the outside` })
      if (known === undefined && from_iban !== undefined && isOwnIban(from_iban))
        return reply.code(409).send({ error: `${from_iban} does not exist at this bank` })
      return bank.world.commit(() => {
        const from = known ?? books.openOutside(from_name ?? 'Alice Example', from_iban, bic)
        if (from.cents < cents)
          return reply.code(409).send({ error: `${from.name} has only ${decimalOf(from.cents)}` })
        const to = books.account(to_iban)
        const wire = books.send(
          plainWire(
            from,
            to_iban,
            to_name ?? to?.name ?? 'unknown',
            to?.bic ?? null,
            cents,
            reference,
          ),
        )
        return reply.send({ wire_id: wireId(wire), from_iban: from.iban })
      })
    },
  )

  /** Answers 409 when the books cannot do it. */
  const done = (reply: FastifyReply, work: () => Wire) => {
    try {
      return reply.send({ wire_id: wireId(work()) })
    } catch (error) {
      if (!(error instanceof RangeError)) throw error
      return reply.code(409).send({ error: error.message })
    }
  }

  server.post<{ Body: DebitBody }>(
    '/control/bank/debit',
    { schema: debitSchema },
    (request, reply) => {
      const { quantity, to_iban, to_name, reference } = request.body
      const cents = tryCents(quantity)
      const from = books.account(bank.kontor)
      if (cents === undefined || from === undefined)
        return reply.code(400).send({ error: 'quantity must be above 0 with at most two decimals' })
      if (to_iban !== undefined && !isValidIBAN(to_iban))
        return reply.code(400).send({ error: 'to_iban is not a valid IBAN' })
      const to = to_iban === undefined ? books.income() : books.account(to_iban)
      return done(reply, () =>
        books.send(
          plainWire(
            from,
            to?.iban ?? to_iban ?? '',
            to_name ?? to?.name ?? 'unknown',
            to?.bic ?? null,
            cents,
            reference,
          ),
          to_iban === undefined ? 'CHARGE' : 'PAYMENT',
        ),
      )
    },
  )

  server.post<{ Body: { wire_id: string } }>(
    '/control/bank/reverse',
    { schema: reverseSchema },
    (request, reply) => done(reply, () => books.reverse(Number(request.body.wire_id.slice(1)))),
  )

  server.post('/control/bank/statement', (_request, reply) => {
    const number = bank.writeStatement()
    bank.flush()
    return reply.send({ number })
  })

  server.get('/control/bank/accounts', (_request, reply) => {
    const accounts = books.accounts()
    const inTransit = books.inTransit()
    return reply.send({
      accounts: accounts.map(({ iban, bic, name, part, locator, currency, cents }) => ({
        iban,
        bic,
        name,
        owner: part,
        locator,
        currency,
        quantity: decimalOf(cents),
      })),
      in_transit: decimalOf(inTransit),
      total: decimalOf(accounts.reduce((sum, account) => sum + account.cents, inTransit)),
    })
  })
}
