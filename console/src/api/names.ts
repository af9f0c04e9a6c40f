/**
 * Names of records: accounts, venues, wallets, customers and users are shown by name, not by id.
 * Two customers may have one name. So a customer, and a customer's account, is told by name,
 * reference and the end of the customer's id.
 */
import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { useEvents } from './events.ts'
import { accountName, namedOf, nameWords } from './named.ts'
import type { Named } from './named.ts'
import { queries, useMe } from './query.ts'
import type { Permission } from './query.ts'
import { client } from './session.ts'

export type NamedKind =
  | 'account'
  | 'venue'
  | 'wallet'
  | 'customer'
  | 'user'
  | 'route'
  | 'price_route'

/** At most this many names are fetched. Records beyond them are shown by id. */
const MAXIMUM_NAMES = 20_000
const PAGE_ROWS = '5000'
const PAUSE_MILLISECONDS = 5_000

type Row = {
  id: string
  label?: string | null
  name?: string | null
  type?: string
  email?: string
  address?: string | null
  foreign_id?: string | null
  customer_id?: string | null
}
const SOURCES = {
  account: { path: '/accounts', permission: 'accounts.read', name: accountName },
  venue: { path: '/venues', permission: 'venues.read', name: (row: Row) => row.label },
  wallet: {
    path: '/treasury/wallets',
    permission: 'treasury.wallets.read',
    name: (row: Row) => row.label ?? row.address,
  },
  customer: { path: '/customers', permission: 'customers.read', name: (row: Row) => row.label },
  route: {
    path: '/treasury/wallets/routes',
    permission: 'treasury.routes.read',
    name: (row: Row) => row.label,
  },
  price_route: {
    path: '/price-stream/routes',
    permission: 'trading.routes.read',
    name: (row: Row) => row.label,
  },
  user: {
    path: '/users',
    permission: 'users.write',
    name: (row: Row) => row.email ?? row.label,
  },
} as const satisfies Record<NamedKind, Source>

type Source = {
  path: string
  permission: Permission
  name(row: Row): string | null | undefined
}

/** For who may not read users: those who can log in, by the names that colleagues know. */
const COLLEAGUES = {
  path: '/colleagues',
  permission: 'notes.write',
  name: (row: Row) => row.name,
} as const satisfies Source

/** Undefined for who may not read such records. */
function sourceOf(of: NamedKind, may: Reading['may']): Source | undefined {
  if (may(SOURCES[of].permission)) return SOURCES[of]
  return of === 'user' && may(COLLEAGUES.permission) ? COLLEAGUES : undefined
}

type NamedRecords = ReadonlyMap<string, Named>
const NONE: NamedRecords = new Map()
/** While the names are fetched for the first time. */
export const LOADING: NamedRecords = new Map()

type Reading = { may(permission: Permission): boolean; signal: AbortSignal }

async function readNames(of: NamedKind, { may, signal }: Reading): Promise<NamedRecords> {
  const names = new Map<string, Named>()
  const customers =
    of === 'account' && may(SOURCES.customer.permission)
      ? await queries.fetchQuery(namesQuery('customer', may))
      : NONE
  const source = sourceOf(of, may) ?? SOURCES[of]
  // What users do, programs do too.
  const programs = of === 'user' && may('api-keys.write') ? ['/auth/api-keys'] : []
  for (const from of [source.path, ...programs])
    for await (const rows of client().pages(from as '/accounts', {
      query: { limit: PAGE_ROWS },
      signal,
    })) {
      for (const row of rows as Row[]) {
        const named = {
          name: source.name(row) ?? row.label ?? row.id,
          of,
          holder: holderOf(row, customers),
        }
        names.set(row.id, namedOf(row, named))
      }
      if (names.size >= MAXIMUM_NAMES) break
    }
  return names
}

const holderOf = ({ customer_id }: Row, customers: NamedRecords): Named | undefined =>
  customers.get(customer_id ?? '')

const namesQuery = (of: NamedKind, may: Reading['may']) => ({
  queryKey: ['names', of],
  staleTime: 5 * 60_000,
  queryFn: ({ signal }: { signal: AbortSignal }) => readNames(of, { may, signal }),
})

/** By id. Empty while it loads, and for callers who may not read the records. */
export function useNamed(of: NamedKind): NamedRecords {
  const permissions = useMe()?.permissions ?? []
  const may = (permission: Permission): boolean => permissions.includes(permission)
  const { data, isLoading } = useQuery({
    ...namesQuery(of, may),
    enabled: sourceOf(of, may) !== undefined,
  })
  return data ?? (isLoading ? LOADING : NONE)
}

/** For what is written at once, as a file: names by id, none for callers who may not read them. */
export function useNameReader(): (of: NamedKind) => Promise<ReadonlyMap<string, string>> {
  const permissions = useMe()?.permissions ?? []
  const may = (permission: Permission): boolean => permissions.includes(permission)
  return async (of) => {
    const known = sourceOf(of, may) !== undefined
    const named = known ? await queries.fetchQuery(namesQuery(of, may)) : NONE
    return new Map([...named].map(([id, one]) => [id, nameWords(one)]))
  }
}

/** Id → name, with what tells it from others of the same name. */
export function useNames(of: NamedKind): { get(id: string): string | undefined } {
  const named = useNamed(of)
  return {
    get: (id) => {
      const known = named.get(id)
      return known === undefined ? undefined : nameWords(known)
    },
  }
}

export type NamedOption = { value: string; label: string; sought: string }

/** The options of a select, whose value is the id. */
export function useNamedOptions(of: NamedKind): readonly NamedOption[] {
  const named = useNamed(of)
  return useMemo(
    () => [...named].map(([value, one]) => ({ value, label: nameWords(one), sought: one.sought })),
    [named],
  )
}

/** Called once, in the frame: names and choices are read again when a record is made or renamed. */
export function useFreshNames(): void {
  useEvents(
    ['customer', 'venue', 'wallet', 'route'],
    () =>
      queries.invalidateQueries({
        predicate: ({ queryKey: [first, second] }) => first === 'names' || second === 'all',
      }),
    PAUSE_MILLISECONDS,
  )
}
