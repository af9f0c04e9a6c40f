/**
 * The custodian's API at /managed/v1: JSON, signed (auth.ts). What changes something is answered
 * 202 with a request to poll.
 *   GET  /assets · /fees?asset=&network= · /wallets, /deposits and /withdrawals?after=&limit= ·
 *   /requests/:id · /requests?reference=
 *   POST /wallets {reference, customer_id, label, asset, network} · /withdrawals {reference,
 *   wallet_id, asset, network, amount, address}
 * Errors are {error: {code, message}}.
 */
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { fits, plain, tryAmount } from '../amount.ts'
import { canonical, isAddress } from '../chain/address.ts'
import type { Chain } from '../part.ts'
import { underFault } from '../under-fault.ts'
import type { Answer } from '../under-fault.ts'
import type { World } from '../world.ts'
import type { Authenticate } from './auth.ts'
import type { Deposits } from './deposits.ts'
import type { Request, WalletOrder, WithdrawalOrder } from './request-table.ts'
import type { Requests } from './requests.ts'
import { NETWORKS, PART } from './wallets.ts'
import type { Wallet, Wallets } from './wallets.ts'

const ROOT = `/${PART}/v1`
const LARGEST_PAGE = 500
const LONGEST_TEXT = 200

type Query = Record<string, string | undefined>
type Body = Record<string, unknown>

type Custodian = {
  world: World
  chain: Chain
  wallets: Wallets
  requests: Requests
  deposits: Deposits
  authenticate: Authenticate
}

const ok = (body: object, status = 200): Answer => ({ status, body })
const no = (status: number, code: string, message: string): Answer => ({
  status,
  body: { error: { code, message } },
})

/** The ways in which routes are mounted: each is answered under faults. */
type Api = {
  /** Mounts a GET that changes nothing. `operation` is what faults call it. */
  read(path: string, operation: string, work: (query: Query, id: string) => Answer): void
  /** Mounts a POST. Its body names a reference, by which it is counted. */
  act(path: string, operation: string, work: (body: Body, reference: string) => Answer): void
}

export function mountRest(server: FastifyInstance, custodian: Custodian): void {
  requireSignature(server, custodian.authenticate)
  const api = openApi(server, custodian.world)
  mountFees(api, custodian)
  mountLists(api, custodian)
  mountRequests(api, custodian)
  mountOrders(api, custodian)
}

/** The signature covers the bytes of the body, so they are kept beside what they mean. */
function requireSignature(server: FastifyInstance, authenticate: Authenticate): void {
  const bodies = new WeakMap<FastifyRequest, string>()
  server.removeAllContentTypeParsers()
  server.addContentTypeParser('application/json', { parseAs: 'string' }, (request, body, done) => {
    bodies.set(request, String(body))
    try {
      const parsed = JSON.parse(String(body)) as unknown
      done(null, typeof parsed === 'object' && parsed !== null ? parsed : {})
    } catch {
      done(Object.assign(new Error('body is not JSON'), { statusCode: 400 }))
    }
  })
  server.addHook('preHandler', async (request, reply) => {
    if (!request.url.startsWith(ROOT)) return
    const failure = authenticate(request, bodies.get(request) ?? '')
    if (failure !== undefined)
      await reply.code(401).send({ error: { code: 'UNAUTHORIZED', message: failure } })
  })
}

function openApi(server: FastifyInstance, world: World): Api {
  return {
    read(path, operation, work) {
      server.get<{ Params: { id: string }; Querystring: Query }>(
        `${ROOT}${path}`,
        (request, reply) =>
          underFault({ world, venue: PART, operation, request, reply }, (refuse) =>
            refuse
              ? no(400, 'REFUSED', `${operation} was refused`)
              : world.commit(() => work(request.query, request.params.id)),
          ),
      )
    },
    act(path, operation, work) {
      server.post<{ Body: Body }>(`${ROOT}${path}`, (request, reply) =>
        underFault({ world, venue: PART, operation, request, reply }, (refuse) =>
          world.commit(() => {
            const reference = textOf(request.body, 'reference')
            if (reference === undefined) return no(400, 'INVALID', 'reference is required')
            world.received(PART, operation, reference)
            return refuse
              ? no(422, 'REFUSED', `${operation} was refused`)
              : work(request.body, reference)
          }),
        ),
      )
    },
  }
}

function mountFees({ read }: Api, { chain }: Custodian): void {
  read('/assets', 'list_assets', () => ok({ assets: NETWORKS }))
  read('/fees', 'get_fees', ({ asset, network }) => {
    const kept = NETWORKS.find((listed) => listed.asset === asset && listed.network === network)
    return kept === undefined
      ? no(404, 'NETWORK_NOT_FOUND', `there is no ${asset} on ${network}`)
      : ok(chain.fee(kept.network, 'MEDIUM', kept.asset))
  })
}

function mountLists({ read }: Api, { wallets, deposits, requests }: Custodian): void {
  read('/wallets', 'list_wallets', (query) => {
    const limit = limitOf(query)
    if (limit === undefined) return no(400, 'INVALID', 'limit is not valid')
    const rows = wallets.list(query['after'] ?? '', limit)
    const ids = new Set(rows.map((row) => row.wallet_id))
    return ok({
      wallets: rows.map((row) => walletWire(wallets, row)),
      next: ids.size < limit ? null : (rows.at(-1)?.wallet_id ?? null),
    })
  })
  read('/deposits', 'list_deposits', (query) =>
    pageAnswer(query, 'deposits', deposits.list, (deposit) => deposit),
  )
  read('/withdrawals', 'list_withdrawals', (query) =>
    pageAnswer(query, 'withdrawals', requests.withdrawals, (row) => withdrawalWire(wallets, row)),
  )
}

function limitOf(query: Query): number | undefined {
  const limit = Number(query['limit'] ?? LARGEST_PAGE)
  return Number.isInteger(limit) && limit > 0 && limit <= LARGEST_PAGE ? limit : undefined
}

/** A page of a list that is read on by sequence. */
function pageAnswer<Row extends { sequence: number }>(
  query: Query,
  name: string,
  list: (after: number, limit: number) => Row[],
  wire: (row: Row) => object,
): Answer {
  const limit = limitOf(query)
  const after = Number(query['after'] ?? 0)
  if (limit === undefined || !Number.isSafeInteger(after) || after < 0)
    return no(400, 'INVALID', 'after and limit must be whole numbers')
  const rows = list(after, limit)
  return ok({
    [name]: rows.map((row) => wire(row)),
    next: rows.length < limit ? null : (rows.at(-1)?.sequence ?? null),
  })
}

function mountRequests({ read }: Api, { wallets, requests }: Custodian): void {
  read('/requests', 'find_request', ({ reference }) => {
    const found = reference === undefined ? undefined : requests.byReference(reference)
    return ok({ requests: found === undefined ? [] : [requestWire(wallets, found)] })
  })
  read('/requests/:id', 'get_request', (_query, id) => {
    const found = requests.byId(id)
    return found === undefined
      ? no(404, 'REQUEST_NOT_FOUND', 'there is no such request')
      : ok(requestWire(wallets, found))
  })
}

function mountOrders({ act }: Api, { wallets, requests }: Custodian): void {
  const accepted = (request: Request | undefined): Answer =>
    request === undefined
      ? no(409, 'REFERENCE_USED', 'the reference stands for another request')
      : ok(requestWire(wallets, request), 202)
  act('/wallets', 'create_wallet', (body, reference) => {
    const order = walletOrderOf(body)
    return 'status' in order ? order : accepted(requests.take(reference, 'CREATE_WALLET', order))
  })
  act('/withdrawals', 'create_withdrawal', (body, reference) => {
    const order = withdrawalOrderOf(wallets, body)
    return 'status' in order ? order : accepted(requests.take(reference, 'WITHDRAW', order))
  })
}

/** The wallet that is wanted, or why it cannot be made. */
function walletOrderOf(body: Body): WalletOrder | Answer {
  const [customer_id, label, asset, network] = [
    textOf(body, 'customer_id'),
    textOf(body, 'label'),
    textOf(body, 'asset'),
    textOf(body, 'network'),
  ]
  if (
    customer_id === undefined ||
    label === undefined ||
    asset === undefined ||
    network === undefined
  )
    return no(400, 'INVALID', 'customer_id, label, asset and network are required')
  if (!NETWORKS.some((listed) => listed.asset === asset && listed.network === network))
    return no(422, 'ASSET_NOT_SUPPORTED', `there is no ${asset} on ${network}`)
  return { customer_id, label, asset, network }
}

/** The withdrawal that is wanted, or why it cannot be made. */
function withdrawalOrderOf(wallets: Wallets, body: Body): WithdrawalOrder | Answer {
  const [asset, network, address] = [
    textOf(body, 'asset'),
    textOf(body, 'network'),
    textOf(body, 'address'),
  ]
  const wallet = wallets.wallet(textOf(body, 'wallet_id') ?? '')
  if (wallet === undefined) return no(404, 'WALLET_NOT_FOUND', 'there is no such wallet')
  const known = NETWORKS.find((listed) => listed.asset === asset && listed.network === network)
  const holds = wallets.wallet(wallet.wallet_id, asset) !== undefined
  if (known === undefined || !holds || wallet.network !== network)
    return no(422, 'ASSET_NOT_SUPPORTED', 'the wallet does not hold this asset on this network')
  const quantity = tryAmount(textOf(body, 'amount') ?? '')
  if (quantity === undefined || quantity <= 0n || !fits(quantity, known.decimals))
    return no(422, 'INVALID_AMOUNT', 'amount is not valid')
  if (quantity < (tryAmount(known.min_withdrawal) ?? 0n))
    return no(422, 'BELOW_MINIMUM', `amount is below ${known.min_withdrawal}`)
  if (address === undefined || !isAddress(known.network, address))
    return no(422, 'INVALID_ADDRESS', 'address is not valid')
  return {
    wallet_id: wallet.wallet_id,
    asset: known.asset,
    network: known.network,
    amount: plain(quantity),
    address: canonical(known.network, address),
  }
}

function textOf(body: Body, name: string): string | undefined {
  const value = body[name]
  return typeof value === 'string' && value !== '' && value.length <= LONGEST_TEXT
    ? value
    : undefined
}

function walletWire(wallets: Wallets, wallet: Wallet): object {
  const { reserved: _inside, ...shown } = wallet
  return { ...shown, available: plain(wallets.free(wallet)) }
}

function requestWire(wallets: Wallets, row: Request): object {
  const made = row.wallet_id === null ? undefined : wallets.wallet(row.wallet_id)
  const { transaction_hash, fee, confirmations } = row
  const sent = transaction_hash === null ? null : { transaction_hash, fee, confirmations }
  const result = made === undefined ? sent : { wallet_id: made.wallet_id, address: made.address }
  return {
    request_id: row.request_id,
    reference: row.reference,
    kind: row.kind,
    status: row.status,
    error: row.error_code === null ? null : { code: row.error_code, message: row.error_message },
    result,
    created_at: row.created_at,
    updated_at: row.updated_at,
  }
}

/** A request with what was asked and the sequence of its last change. */
function withdrawalWire(wallets: Wallets, row: Request): object {
  return {
    ...requestWire(wallets, row),
    ...(JSON.parse(row.asked) as WithdrawalOrder),
    sequence: row.sequence,
  }
}
