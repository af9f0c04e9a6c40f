/**
 * What a person or a test may do to the vault:
 *   GET  /control/fireblocks                              accounts, wallets with their addresses,
 *                                                         external wallets, approval mode,
 *                                                         webhook
 *   GET  /control/fireblocks/deviations                   what deviates from the published
 *                                                         description (deviations.ts)
 *   POST /control/fireblocks/webhook                      {url}: where webhooks go, null for
 *                                                         nowhere
 *   POST /control/fireblocks/approval                     {mode}: AUTO approves allow-list
 *                                                         addresses after 5 s, MANUAL waits for a
 *                                                         decision
 *   POST /control/fireblocks/external-wallets/:id/:asset  {status}: decides about an address by
 *                                                         hand: APPROVED, REJECTED, CANCELLED,
 *                                                         FAILED
 *   POST /control/fireblocks/transactions/:id             {action}: hold, release, REJECTED,
 *                                                         BLOCKED, CANCELLED, FAILED, before it
 *                                                         is broadcast; 3RD_PARTY_FAILED,
 *                                                         3RD_PARTY_REJECTED before it completes;
 *                                                         freeze, unfreeze what came in; id or
 *                                                         externalTxId
 *   POST /control/fireblocks/transactions/:id/boost       {amount?}: at the vault's own desk, while
 *                                                         it is in no block; another amount makes
 *                                                         it another payment
 *   POST /control/fireblocks/transactions/:id/drop        the same, with a payment of nothing
 *   POST /control/fireblocks/fuel                         {from?, to}: what the gas station sends
 *                                                         from one vault account to another;
 *                                                         without from, what the older one sends
 */
import type { FastifyInstance, FastifyReply } from 'fastify'
import type { World } from '../world.ts'
import type { Accounts } from './accounts.ts'
import type { AddressStatus, ExternalWallets } from './external-wallets.ts'
import type { Transaction } from './transaction-row.ts'
import { ACTIONS } from './transactions.ts'
import type { Action, Transactions } from './transactions.ts'
import type { Webhooks } from './webhooks.ts'

const body = (properties: Record<string, object>, more: Record<string, object> = {}) => ({
  body: {
    type: 'object',
    required: Object.keys(properties),
    additionalProperties: false,
    properties: { ...properties, ...more },
  },
})

export function mountControl(
  server: FastifyInstance,
  vault: {
    world: World
    accounts: Accounts
    external: ExternalWallets
    transactions: Transactions
    webhooks: Webhooks
  },
): void {
  const { world, accounts, external, transactions, webhooks } = vault
  const root = '/control/fireblocks'

  server.get(root, (_request, reply) =>
    reply.send({
      accounts: accounts
        .all()
        .map((account) => ({ ...account, wallets: accounts.wallets(account.id) })),
      external_wallets: external
        .all()
        .map((wallet) => ({ ...wallet, assets: external.assets(wallet.id) })),
      approval: external.approval(),
      webhook: { url: webhooks.url(), waiting: webhooks.waiting() },
    }),
  )
  server.post<{ Body: { url: string | null } }>(
    `${root}/webhook`,
    { schema: body({ url: { type: ['string', 'null'], maxLength: 500, pattern: '^https?://' } }) },
    (request, reply) => {
      webhooks.setUrl(request.body.url)
      return reply.send({ url: webhooks.url() })
    },
  )
  server.post<{ Body: { mode: 'AUTO' | 'MANUAL' } }>(
    `${root}/approval`,
    { schema: body({ mode: { enum: ['AUTO', 'MANUAL'] } }) },
    (request, reply) => {
      external.setApproval(request.body.mode)
      return reply.send({ mode: external.approval() })
    },
  )
  server.post<{ Params: { id: string; asset: string }; Body: { status: AddressStatus } }>(
    `${root}/external-wallets/:id/:asset`,
    { schema: body({ status: { enum: ['APPROVED', 'REJECTED', 'CANCELLED', 'FAILED'] } }) },
    (request, reply) => {
      const { id, asset } = request.params
      if (!external.decide(id, asset, request.body.status))
        return reply.code(404).send({ error: 'no such address' })
      return reply.send(external.asset(id, asset))
    },
  )
  server.post<{ Params: { id: string }; Body: { action: Action } }>(
    `${root}/transactions/:id`,
    {
      schema: body({ action: { enum: ACTIONS } }),
    },
    (request, reply) => {
      const found =
        transactions.byId(request.params.id) ?? transactions.byExternalId(request.params.id)
      if (found === undefined) return reply.code(404).send({ error: 'no such transaction' })
      if (!world.commit(() => transactions.decide(found.id, request.body.action)))
        return reply.code(409).send({ error: `it is ${found.status}` })
      return reply.send(transactions.byId(found.id))
    },
  )
  mountBoosts(server, vault)
}

function mountBoosts(
  server: FastifyInstance,
  { world, transactions }: { world: World; transactions: Transactions },
): void {
  const root = '/control/fireblocks'
  const find = (id: string) => transactions.byId(id) ?? transactions.byExternalId(id)
  const answer = (reply: FastifyReply, made: Transaction | undefined) =>
    made === undefined
      ? reply.code(409).send({ error: 'it is in a block, or its chain has nothing of the kind' })
      : reply.send(transactions.byId(made.id))
  server.post<{ Params: { id: string }; Body: { amount?: string } }>(
    `${root}/transactions/:id/boost`,
    {
      schema: {
        body: {
          type: 'object',
          additionalProperties: false,
          properties: { amount: { type: 'string', pattern: '^[0-9.]+$', maxLength: 60 } },
        },
      },
    },
    (request, reply) => {
      const found = find(request.params.id)
      return answer(
        reply,
        found && world.commit(() => transactions.boost(found.id, request.body.amount)),
      )
    },
  )
  server.post<{ Params: { id: string } }>(`${root}/transactions/:id/drop`, (request, reply) => {
    const found = find(request.params.id)
    return answer(reply, found && world.commit(() => transactions.drop(found.id)))
  })
  server.post<{ Body: { from?: number; to: number } }>(
    `${root}/fuel`,
    { schema: body({ to: { type: 'integer' } }, { from: { type: 'integer' } }) },
    (request, reply) => {
      const { from, to } = request.body
      return answer(
        reply,
        world.commit(() =>
          from === undefined ? transactions.fuelFromOutside(to) : transactions.fuel(from, to),
        ),
      )
    },
  )
}
