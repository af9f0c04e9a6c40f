/** The way of a payment, and what is found of it: the wallet of its payee, and a route to it. */
import type { CustomerId, WorkspaceId } from '../../../core/ids.ts'
import { only } from '../../../store/db.ts'
import type { Reader } from '../../../store/db.ts'
import { stateIn } from '../../../store/states.ts'
import { sql } from '../../../store/sql.ts'
import { ROUTE_COLUMNS, withWallets } from '../../routes/routes.ts'
import type { Receiver, Route, RouteRow } from '../../routes/routes.ts'
import { WALLET_COLUMNS } from '../../wallets/rows.ts'
import { WALLET_MOVES } from '../../wallets/wallets.schema.ts'
import type { Wallet, WalletDraft } from '../../wallets/wallets.schema.ts'
import type { PayeeBody } from './payments.schema.ts'

/** Where money goes: a stored wallet, or one that is to be made. */
export type Payee = Receiver & Pick<Wallet, 'customer_id'> & { draft?: WalletDraft }

export type Way = {
  from: Wallet
  to: Payee
  protocol: string
  /** Undefined: it is to be made. */
  route: Route | undefined
  /** Of a route that is to be made. */
  checked: { transfer: Route['transfer']; collects: boolean } | undefined
  /** The sending venue keeps an allow-list. */
  allowlist: boolean
}

export async function walletOfPayee(
  reader: Reader,
  {
    workspace,
    customer_id,
    asset,
    address,
  }: {
    workspace: WorkspaceId
    customer_id: CustomerId | null
    asset: string
    address: string
  },
): Promise<Wallet | undefined> {
  const rows = await reader.query<Wallet>(sql`
    select ${WALLET_COLUMNS}
    from wallets
    where workspace = ${workspace}
      and customer_id = ${customer_id}
      and asset = ${asset}
      and address = ${address}
      and access_type = 'EXTERNAL'
      and ${stateIn(WALLET_MOVES, 'ACTIVE')}
    order by id
    limit 1`)
  return only(rows)
}

/**
 * The oldest route between them that says the same of the payee. The reference is each payment's
 * own.
 */
export async function routeBetween(
  reader: Reader,
  { from, to, protocol }: Pick<Way, 'from' | 'to' | 'protocol'>,
  given: PayeeBody['transfer'],
): Promise<Route | undefined> {
  if (to.draft !== undefined) return undefined
  const rows = await reader.query<RouteRow>(sql`
    select ${ROUTE_COLUMNS}
    from treasury_routes
    where workspace = ${from.workspace}
      and from_wallet_id = ${from.id}
      and to_wallet_id = ${to.id}
      and protocol = ${protocol}
    order by id
    limit ${MOST_COMPARED}`)
  const fitting = rows.filter(({ transfer }) => saysTheSame(transfer, given))
  const [route] = await withWallets(reader, fitting.slice(0, 1))
  return route
}
const MOST_COMPARED = 100

/** The names that venues were told of the payee over any route to this wallet. */
export async function namesTold(
  reader: Reader,
  { workspace, id }: Pick<Payee, 'workspace' | 'id'>,
): Promise<string[]> {
  const rows = await reader.query<{ name: string }>(sql`
    select distinct transfer -> 'to' ->> 'name' as name
    from treasury_routes
    where workspace = ${workspace}
      and to_wallet_id = ${id}
      and transfer -> 'to' ->> 'name' <> ''
    order by name
    limit ${MOST_COMPARED}`)
  return rows.map(({ name }) => name)
}

/** Of how it is sent, the venue may have added what nobody says. */
function saysTheSame(known: Route['transfer'], given: PayeeBody['transfer']): boolean {
  if (given === undefined) return true
  const [from, to] = [stated(given.from), stated(given.to)]
  return (
    [...from].every(([name, value]) => known.from[name] === value) &&
    [...to].every(([name, value]) => known.to[name] === value) &&
    [...stated(known.to).keys()].every((name) => to.has(name))
  )
}

const stated = (fields: Readonly<Record<string, unknown>> = {}): Map<string, string> =>
  new Map(
    Object.entries(fields)
      .filter(([name, value]) => name !== 'reference' && (value ?? '') !== '')
      .map(([name, value]) => [name, String(value)]),
  )
