/**
 * What a person or a test may do to the bank:
 *   POST /control/bank/wire       money from outside: {from_name?, from_iban?, bic?, to_iban, to_name?, quantity, currency, reference}
 *   POST /control/bank/statement  a camt.053 now
 *   GET  /control/bank/accounts   every account, what is in transit, and their sum, which never changes
 */
import type { FastifyInstance } from 'fastify'
import { isValidBIC, isValidIBAN } from 'ibantools'
import type { World } from '../world.ts'
import { isOwnIban, plainWire, wireId, type Books } from './books.ts'
import { decimalOf, tryCents } from './cents.ts'

type WireBody = { from_name?: string; from_iban?: string; bic?: string; to_iban: string; to_name?: string; quantity: string; currency: string; reference: string }

// No control characters: they cannot be written in XML.
const text = (maximum: number) => ({ type: 'string', minLength: 1, maxLength: maximum, pattern: '^[^\\u0000-\\u001f\\u007f]*$' })

const wireSchema = {
  body: {
    type: 'object',
    required: ['to_iban', 'quantity', 'currency', 'reference'],
    additionalProperties: false,
    properties: {
      from_name: text(70), from_iban: text(34), bic: text(11), to_iban: text(34), to_name: text(70),
      quantity: text(20), currency: { const: 'EUR' }, reference: { ...text(140), minLength: 0 },
    },
  },
}

export function mountControl(server: FastifyInstance, bank: { world: World; books: Books; writeStatement(): number; flush(): void }): void {
  const { books } = bank

  server.post<{ Body: WireBody }>('/control/bank/wire', { schema: wireSchema }, (request, reply) => {
    const { from_name, from_iban, bic, to_iban, to_name, quantity, reference } = request.body
    const cents = tryCents(quantity)
    if (cents === undefined) return reply.code(400).send({ error: 'quantity must be above 0 with at most two decimals' })
    if (!isValidIBAN(to_iban)) return reply.code(400).send({ error: 'to_iban is not a valid IBAN' })
    if (from_iban !== undefined && !isValidIBAN(from_iban)) return reply.code(400).send({ error: 'from_iban is not a valid IBAN' })
    if (bic !== undefined && !isValidBIC(bic)) return reply.code(400).send({ error: 'bic is not a valid BIC' })
    const known = from_iban === undefined ? undefined : books.account(from_iban)
    if (known !== undefined && known.part !== 'outside') return reply.code(409).send({ error: `${from_iban} belongs to ${known.part}, not to the outside` })
    if (known === undefined && from_iban !== undefined && isOwnIban(from_iban)) return reply.code(409).send({ error: `${from_iban} does not exist at this bank` })
    return bank.world.commit(() => {
      const from = known ?? books.openOutside(from_name ?? 'Alice Example', from_iban, bic)
      if (from.cents < cents) return reply.code(409).send({ error: `${from.name} has only ${decimalOf(from.cents)}` })
      const to = books.account(to_iban)
      const wire = books.send(plainWire(from, to_iban, to_name ?? to?.name ?? 'unknown', to?.bic ?? null, cents, reference))
      return reply.send({ wire_id: wireId(wire), from_iban: from.iban })
    })
  })

  server.post('/control/bank/statement', (_request, reply) => {
    const number = bank.writeStatement()
    bank.flush()
    return reply.send({ number })
  })

  server.get('/control/bank/accounts', (_request, reply) => {
    const accounts = books.accounts()
    const inTransit = books.inTransit()
    return reply.send({
      accounts: accounts.map(({ iban, bic, name, part, locator, currency, cents }) => ({ iban, bic, name, owner: part, locator, currency, quantity: decimalOf(cents) })),
      in_transit: decimalOf(inTransit),
      total: decimalOf(accounts.reduce((sum, account) => sum + account.cents, inTransit)),
    })
  })
}
