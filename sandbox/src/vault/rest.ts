/** The vault's API at /fireblocks/v1, as the official client calls it. */
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { amount, tryAmount } from '../amount.ts'
import { canonical, isAddress } from '../chain/address.ts'
import { PROTOCOLS, protocolOf } from '../chain/protocols.ts'
import type { Chain } from '../part.ts'
import type { World } from '../world.ts'
import type { Accounts, VaultWallet } from './accounts.ts'
import { no, ok, openAnswerer } from './answer.ts'
import type { Authenticate } from './auth.ts'
import type { ExternalWallets } from './external-wallets.ts'
import { estimates, readTransfer } from './transfer-request.ts'
import type { TransferRequest } from './transfer-request.ts'
import type { Transactions } from './transactions.ts'
import {
  accountWire,
  addressWire,
  externalAssetWire,
  externalWalletWire,
  transactionWire,
  walletWire,
} from './wire.ts'

const NAMES: Record<string, string> = { BTC: 'Bitcoin', ETH: 'Ethereum', XRP: 'XRP' }
const MOST_TRANSACTIONS = 500
const MOST_ACCOUNTS = 500

type Query = Record<string, string | undefined>
type Params = { id: string; asset: string }

export type Vault = {
  world: World
  chain: Chain
  accounts: Accounts
  external: ExternalWallets
  transactions: Transactions
  authenticate: Authenticate
}

export function mountRest(server: FastifyInstance, vault: Vault): void {
  const { world, chain, accounts, external, transactions } = vault
  const answer = openAnswerer(world)
  const bodies = new WeakMap<FastifyRequest, Buffer>()
  const root = '/fireblocks/v1'

  // The token signs the bytes of the body, so they are kept beside what they mean.
  server.removeAllContentTypeParsers()
  server.addContentTypeParser('application/json', { parseAs: 'buffer' }, (request, body, done) => {
    const bytes = body as Buffer
    bodies.set(request, bytes)
    try {
      done(null, bytes.length === 0 ? {} : JSON.parse(bytes.toString('utf8')))
    } catch {
      done(Object.assign(new Error('body is not JSON'), { statusCode: 400 }))
    }
  })
  server.addHook('preHandler', async (request, reply) => {
    if (!request.url.startsWith(root)) return
    const failure = await vault.authenticate(request, bodies.get(request) ?? Buffer.alloc(0))
    if (failure !== undefined) await reply.code(401).send(failure)
  })
  const read = (
    path: string,
    name: string,
    work: (
      request: FastifyRequest<{ Params: Params; Querystring: Query }>,
    ) => ReturnType<typeof ok>,
  ) => {
    server.get<{ Params: Params; Querystring: Query }>(`${root}${path}`, (request, reply) =>
      answer(request, reply, { name, reference: null }, () => work(request)),
    )
  }

  read('/supported_assets', 'supported_assets', () =>
    ok(
      PROTOCOLS.map(({ asset, decimals }) => ({
        id: asset,
        name: NAMES[asset] ?? asset,
        type: 'BASE_ASSET',
        contractAddress: '',
        nativeAsset: asset,
        decimals,
      })),
    ),
  )

  // ------------------------------------------------------------ vault accounts

  read('/vault/accounts_paged', 'list_accounts', ({ query }) => {
    const limit = Math.min(Number(query['limit'] ?? MOST_ACCOUNTS), MOST_ACCOUNTS)
    const after =
      query['after'] === undefined
        ? -1
        : Number(Buffer.from(query['after'], 'base64url').toString())
    if (!Number.isInteger(limit) || limit < 1 || !Number.isInteger(after))
      return no(400, 1000, 'GetVaultAccounts request has invalid values')
    const matching = accounts
      .all()
      .filter(
        (account) =>
          account.id > after &&
          account.name.startsWith(query['namePrefix'] ?? '') &&
          account.name.endsWith(query['nameSuffix'] ?? '') &&
          hasAsset(accounts.wallets(account.id), query['assetId'], query['minAmountThreshold']),
      )
    const page = matching.slice(0, limit)
    const last = page.at(-1)
    const next =
      matching.length > page.length && last !== undefined
        ? Buffer.from(String(last.id)).toString('base64url')
        : undefined
    return ok({
      accounts: page.map((account) => accountWire(accounts, account)),
      paging: next === undefined ? {} : { after: next },
    })
  })
  read('/vault/accounts/:id', 'get_account', ({ params }) => {
    const account = accounts.account(params.id)
    return account === undefined
      ? no(404, 1004, 'Vault account was not found')
      : ok(accountWire(accounts, account))
  })
  read('/vault/accounts/:id/:asset', 'get_wallet', ({ params }) => {
    const wallet = accounts.wallet(params.id, params.asset)
    return wallet === undefined
      ? no(404, 1006, 'Vault wallet was not found')
      : ok(walletWire(accounts, wallet))
  })
  read('/vault/accounts/:id/:asset/addresses_paginated', 'list_addresses', ({ params }) => {
    const wallet = accounts.wallet(params.id, params.asset)
    if (wallet === undefined) return no(404, 1006, 'Vault wallet was not found')
    return ok({
      addresses: accounts.addresses(wallet).map((address) => addressWire(wallet, address)),
    })
  })
  server.post<{
    Params: Params
    Body: { description?: string; customerRefId?: string } | undefined
  }>(`${root}/vault/accounts/:id/:asset/addresses`, (request, reply) => {
    const { id, asset } = request.params
    const { description = '', customerRefId } = request.body ?? {}
    return answer(
      request,
      reply,
      { name: 'create_address', reference: customerRefId ?? `${id}/${asset}` },
      () => {
        const wallet = accounts.wallet(id, asset)
        if (wallet === undefined) return no(404, 1006, 'Vault wallet was not found')
        const made = accounts.addAddress(wallet, {
          customer_ref_id: customerRefId ?? null,
          description,
        })
        if (made === undefined)
          return no(400, 1025, 'The asset does not support multiple addresses')
        return ok({
          address: made.address,
          legacyAddress: '',
          enterpriseAddress: '',
          tag: made.tag,
          bip44AddressIndex: made.position,
        })
      },
    )
  })
  server.post<{ Body: { name?: string; customerRefId?: string; hiddenOnUI?: boolean } }>(
    `${root}/vault/accounts`,
    (request, reply) => {
      const { name, customerRefId, hiddenOnUI } = request.body
      return answer(
        request,
        reply,
        { name: 'create_account', reference: customerRefId ?? name ?? '' },
        () =>
          isText(name)
            ? ok(
                accountWire(
                  accounts,
                  accounts.create({
                    name,
                    customer_ref_id: customerRefId ?? null,
                    hidden: hiddenOnUI === true,
                  }),
                ),
              )
            : no(400, 1002, 'name is required'),
      )
    },
  )
  server.post<{ Params: Params }>(`${root}/vault/accounts/:id/:asset`, (request, reply) => {
    const { id, asset } = request.params
    return answer(request, reply, { name: 'create_wallet', reference: `${id}/${asset}` }, () => {
      const account = accounts.account(id)
      if (account === undefined) return no(404, 1004, 'Vault account was not found')
      if (!PROTOCOLS.some((protocol) => protocol.asset === asset))
        return no(404, 1006, 'The requested asset is not supported')
      if (accounts.wallet(id, asset) !== undefined)
        return no(400, 1026, 'Vault wallet already exists')
      const wallet = accounts.createWallet(account.id, asset)
      return ok({ id, address: wallet.address, legacyAddress: '', tag: '' })
    })
  })

  // ------------------------------------------------------------ external wallets, and what this
  // workspace does not have

  read('/internal_wallets', 'list_internal_wallets', () => ok([]))
  read('/exchange_accounts/paged', 'list_exchange_accounts', () => ok({ exchanges: [], total: 0 }))
  read('/external_wallets', 'list_external_wallets', () =>
    ok(external.all().map((wallet) => externalWalletWire(wallet, external.assets(wallet.id)))),
  )
  read('/external_wallets/:id', 'get_external_wallet', ({ params }) => {
    const wallet = external.wallet(params.id)
    return wallet === undefined
      ? no(404, 1404, 'External wallet was not found')
      : ok(externalWalletWire(wallet, external.assets(wallet.id)))
  })
  read('/external_wallets/:id/:asset', 'get_external_address', ({ params }) => {
    const entry = external.asset(params.id, params.asset)
    return entry === undefined
      ? no(404, 1404, 'External wallet asset was not found')
      : ok(externalAssetWire(entry))
  })
  server.post<{ Body: { name?: string; customerRefId?: string } }>(
    `${root}/external_wallets`,
    (request, reply) => {
      const { name, customerRefId } = request.body
      return answer(
        request,
        reply,
        { name: 'create_external_wallet', reference: customerRefId ?? name ?? '' },
        () =>
          isText(name)
            ? ok(
                externalWalletWire(
                  external.create({ name, customer_ref_id: customerRefId ?? null }),
                  [],
                ),
              )
            : no(400, 1400, 'name is required'),
      )
    },
  )
  server.post<{ Params: Params; Body: { address?: string; tag?: string } }>(
    `${root}/external_wallets/:id/:asset`,
    (request, reply) => {
      const { id, asset } = request.params
      const { address, tag } = request.body
      return answer(
        request,
        reply,
        { name: 'add_external_address', reference: `${id}/${asset}` },
        () => {
          if (external.wallet(id) === undefined)
            return no(404, 1404, 'External wallet was not found')
          if (!PROTOCOLS.some((protocol) => protocol.asset === asset))
            return no(400, 1006, 'The requested asset is not supported')
          const { protocol, tags } = protocolOf(asset)
          if (!isText(address) || !isAddress(protocol, address))
            return no(400, 1400, 'address is not valid')
          if (tag !== undefined && tag !== '' && (!tags || !/^[0-9]{1,10}$/.test(tag)))
            return no(400, 1400, 'tag is not valid')
          const entry = external.add({
            wallet_id: id,
            asset,
            address: canonical(protocol, address),
            tag: tag === undefined || tag === '' ? null : tag,
          })
          return entry === undefined
            ? no(400, 1400, 'External wallet already has an address of this asset')
            : ok(externalAssetWire(entry))
        },
      )
    },
  )
  server.delete<{ Params: Params }>(`${root}/external_wallets/:id/:asset`, (request, reply) => {
    const { id, asset } = request.params
    return answer(
      request,
      reply,
      { name: 'remove_external_address', reference: `${id}/${asset}` },
      () =>
        external.remove(id, asset)
          ? { status: 204, body: undefined }
          : no(404, 1404, 'External wallet asset was not found'),
    )
  })

  // ------------------------------------------------------------ transactions

  server.post<{ Body: TransferRequest }>(`${root}/transactions`, (request, reply) =>
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
        return ok({ id, status, systemMessages: [] })
      },
    ),
  )
  // An estimate moves nothing, so it is a read; its destination need not be approved.
  server.post<{ Body: TransferRequest }>(`${root}/transactions/estimate_fee`, (request, reply) =>
    answer(request, reply, { name: 'estimate_fee', reference: null }, () => {
      const protocol = PROTOCOLS.find((protocol) => protocol.asset === request.body.assetId)
      return protocol === undefined
        ? no(400, 1006, 'The requested asset is not supported')
        : ok(estimates(chain, protocol, request.body.destinations?.length))
    }),
  )
  read('/estimate_network_fee', 'estimate_network_fee', ({ query }) => {
    const protocol = PROTOCOLS.find((protocol) => protocol.asset === query['assetId'])
    return protocol === undefined
      ? no(400, 1006, 'The requested asset is not supported')
      : ok(estimates(chain, protocol))
  })
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
  server.post<{ Params: Params }>(`${root}/transactions/:id/cancel`, (request, reply) =>
    answer(request, reply, { name: 'cancel_transaction', reference: request.params.id }, () =>
      transactions.decide(request.params.id, 'CANCELLED')
        ? ok({ success: true })
        : no(400, 1400, 'Transaction cannot be cancelled'),
    ),
  )
  read('/transactions', 'list_transactions', ({ query }) => {
    const limit = Number(query['limit'] ?? 200)
    const numbers = [limit, Number(query['before'] ?? 0), Number(query['after'] ?? 0)]
    if (
      numbers.some((number) => !Number.isInteger(number)) ||
      limit < 1 ||
      limit > MOST_TRANSACTIONS
    )
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
    const next =
      last === undefined
        ? undefined
        : Buffer.from(JSON.stringify({ at: last[order], id: last.id })).toString('base64url')
    return ok(
      page.slice(0, limit).map(transactionWire),
      next === undefined ? undefined : { 'next-page': next },
    )
  })
}

function hasAsset(
  wallets: VaultWallet[],
  asset: string | undefined,
  least: string | undefined,
): boolean {
  if (asset === undefined) return true
  const wallet = wallets.find((wallet) => wallet.asset === asset)
  return wallet !== undefined && amount(wallet.total) >= (tryAmount(least ?? '0') ?? 0n)
}

function isText(value: string | undefined): value is string {
  return typeof value === 'string' && value !== ''
}

function time(text: string | undefined): number | null {
  return text === undefined ? null : Number(text)
}
