/** The vault's routes about transactions and their fees. */
import { findCoin } from '../chain/protocols.ts'
import type { Chain } from '../part.ts'
import { no, ok } from './answer.ts'
import type { Answer } from './answer.ts'
import { ROOT } from './api.ts'
import type { Api, Params, Query, Vault } from './api.ts'
import type { Transactions } from './transactions.ts'
import { estimates, readTransfer } from './transfer-request.ts'
import type { TransferRequest } from './transfer-request.ts'
import { transactionWire } from './wire.ts'

const MOST_TRANSACTIONS = 500

export function mountTransactions(api: Api, vault: Vault): void {
  mountCreation(api, vault)
  mountEstimates(api, vault.chain)
  mountReads(api, vault.transactions)
}

function mountCreation({ server, answer }: Api, vault: Vault): void {
  const { transactions } = vault
  server.post<{ Body: TransferRequest }>(`${ROOT}/transactions`, (request, reply) =>
    answer(
      request,
      reply,
      { name: 'create_transaction', reference: request.body.externalTxId ?? '' },
      () => {
        const { externalTxId } = request.body
        if (externalTxId !== undefined && transactions.byExternalId(externalTxId) !== undefined)
          return no(
            400,
            1438,
            'The external tx id that was provided in the request, already exists',
          )
        const wanted = readTransfer(request.body, vault)
        if ('status' in wanted) return wanted
        const { id, status } = transactions.create(wanted)
        return ok({ id, status })
      },
    ),
  )
}

function mountEstimates({ server, answer, read }: Api, chain: Chain): void {
  // An estimate moves nothing, so it is a read; its destination need not be approved.
  server.post<{ Body: TransferRequest }>(`${ROOT}/transactions/estimate_fee`, (request, reply) =>
    answer(request, reply, { name: 'estimate_fee', reference: null }, () => {
      const coin = findCoin(request.body.assetId)
      return coin === undefined
        ? no(400, 1006, 'The requested asset is not supported')
        : ok(estimates(chain, coin, request.body.destinations?.length))
    }),
  )
  read('/estimate_network_fee', 'estimate_network_fee', ({ query }) => {
    const coin = findCoin(query['assetId'])
    return coin === undefined
      ? no(400, 1006, 'The requested asset is not supported')
      : ok(estimates(chain, coin))
  })
}

function mountReads({ server, answer, read }: Api, transactions: Transactions): void {
  read('/transactions/external_tx_id/:id', 'get_transaction_by_external_id', ({ params }) => {
    const found = transactions.byExternalId(params.id)
    return found === undefined
      ? no(404, 1404, 'Transaction was not found')
      : ok(transactionWire(found))
  })
  read('/transactions/:id', 'get_transaction', ({ params }) => {
    const found = transactions.byId(params.id)
    return found === undefined
      ? no(404, 1404, 'Transaction was not found')
      : ok(transactionWire(found))
  })
  server.post<{ Params: Params }>(`${ROOT}/transactions/:id/cancel`, (request, reply) =>
    answer(request, reply, { name: 'cancel_transaction', reference: request.params.id }, () =>
      transactions.decide(request.params.id, 'CANCELLED')
        ? ok({ success: true })
        : no(400, 1400, 'Transaction cannot be cancelled'),
    ),
  )
  read('/transactions', 'list_transactions', ({ query, host, url }) =>
    listTransactions(transactions, query, new URL(url, `http://${host}`)),
  )
}

/** `next-page` is the address of the next page, as the published description has it. */
function listTransactions(transactions: Transactions, query: Query, url: URL): Answer {
  const limit = Number(query['limit'] ?? 200)
  const numbers = [limit, Number(query['before'] ?? 0), Number(query['after'] ?? 0)]
  if (numbers.some((number) => !Number.isInteger(number)) || limit < 1 || limit > MOST_TRANSACTIONS)
    return no(400, 1400, 'limit, before and after must be integers')
  const order = query['orderBy'] === 'lastUpdated' ? 'last_updated' : 'created_at'
  const page = transactions.list({
    before: time(query['before']),
    after: time(query['after']),
    status: query['status'] ?? null,
    order,
    ascending: query['sort'] === 'ASC',
    limit: limit + 1,
    source_type: query['sourceType'] ?? null,
    source_id: query['sourceId'] ?? null,
    destination_type: query['destType'] ?? null,
    destination_id: query['destId'] ?? null,
    assets: query['assets']?.split(',') ?? null,
    tx_hash: query['txHash'] ?? null,
    past:
      query['next'] === undefined
        ? null
        : (JSON.parse(Buffer.from(query['next'], 'base64url').toString()) as {
            at: number
            id: string
          }),
  })
  const last = page.length > limit ? page[limit - 1] : undefined
  const shown = page.slice(0, limit).map(transactionWire)
  if (last === undefined) return ok(shown)
  const past = Buffer.from(JSON.stringify({ at: last[order], id: last.id })).toString('base64url')
  url.searchParams.set('next', past)
  return ok(shown, { 'next-page': url.href })
}

function time(text: string | undefined): number | null {
  return text === undefined ? null : Number(text)
}
