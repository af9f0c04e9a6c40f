/** Accounts by what people call them: the label of the account, or that of its customer. */
import type { Client } from '../index.ts'
import type { Typed } from './arguments.ts'
import type { Operation } from './operation.ts'
import { Problem } from './problem.ts'

/** Undefined where several have the name. */
type Named = Map<string, { id: string } | undefined>

export const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

/** A name that two records have leads to none of them. */
export const know = <T>(map: Map<string, T | undefined>, name: string, record: T) =>
  map.set(name, map.has(name) ? undefined : record)

/** Adds every account. */
export async function knowAccounts(
  accounts: Named,
  kontor: Client,
  signal: AbortSignal,
): Promise<void> {
  const customers = new Map<string, string>()
  for await (const { label, account_id } of kontor.all('/customers', { signal }))
    customers.set(account_id, label)
  for await (const { id, label } of kontor.all('/accounts', { signal }))
    for (const name of new Set([label, customers.get(id) ?? label])) know(accounts, name, { id })
}

export const takesAccount = ({ query, body }: Operation): boolean =>
  [...query, ...body].some(({ name }) => name === 'account_id')

/** `--account` as `account_id`. Throws Problem for a name that none or several have. */
export async function withAccount(
  operation: Operation,
  typed: Typed,
  kontor: Client,
  signal: AbortSignal,
): Promise<Typed> {
  const name = typed.values['account']
  if (typeof name !== 'string' || !takesAccount(operation)) return typed
  if (typed.values['account-id'] !== undefined)
    throw new Problem('usage', 'give --account or --account-id, not both')
  const account_id = UUID.test(name) ? name : await accountCalled(name, kontor, signal)
  if (operation.query.some((field) => field.name === 'account_id'))
    return { ...typed, query: { ...typed.query, account_id } }
  return { ...typed, body: { ...(typed.body as object), account_id } }
}

async function accountCalled(name: string, kontor: Client, signal: AbortSignal): Promise<string> {
  const accounts: Named = new Map()
  await knowAccounts(accounts, kontor, signal)
  const account = accounts.get(name)
  if (account !== undefined) return account.id
  throw new Problem(
    accounts.has(name) ? 'refused' : 'absent',
    accounts.has(name)
      ? `several accounts are called ${name}: give --account-id`
      : `no account is called ${name}`,
  )
}
