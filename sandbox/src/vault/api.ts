/** The ways in which the vault's routes are mounted: each is answered under faults, and counted. */
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Chain } from '../part.ts'
import type { World } from '../world.ts'
import type { Accounts } from './accounts.ts'
import type { Answer, Answerer } from './answer.ts'
import type { Authenticate } from './auth.ts'
import type { ExternalWallets } from './external-wallets.ts'
import type { Transactions } from './transactions.ts'

export type Vault = {
  world: World
  chain: Chain
  accounts: Accounts
  external: ExternalWallets
  transactions: Transactions
  authenticate: Authenticate
}

export type Query = Record<string, string | undefined>
export type Params = { id: string; asset: string }
type ReadRequest = FastifyRequest<{ Params: Params; Querystring: Query }>

export const ROOT = '/fireblocks/v1'

export type Api = {
  server: FastifyInstance
  answer: Answerer
  /** Mounts a GET that changes nothing. `name` is what faults call it. */
  read(path: string, name: string, work: (request: ReadRequest) => Answer): void
}

export function openApi(server: FastifyInstance, answer: Answerer): Api {
  return {
    server,
    answer,
    read(path, name, work) {
      server.get<{ Params: Params; Querystring: Query }>(`${ROOT}${path}`, (request, reply) =>
        answer(request, reply, { name, reference: null }, () => work(request)),
      )
    },
  }
}

export function isText(value: string | undefined): value is string {
  return typeof value === 'string' && value !== ''
}
