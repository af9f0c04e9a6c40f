/**
 * Names of records: accounts, venues, wallets, customers and users are shown by name, not by id.
 */
import { useQuery } from '@tanstack/react-query'
import { useEvents } from './events.ts'
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
  email?: string
  asset?: string
  address?: string | null
}
const SOURCES = {
  account: { path: '/accounts', permission: 'accounts.read', name: (row: Row) => row.label },
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
} as const satisfies Record<
  NamedKind,
  { path: string; permission: Permission; name(row: Row): string | null | undefined }
>

type Names = ReadonlyMap<string, string>
const NONE: Names = new Map()

/** Id → name. Empty while it loads, and for callers who may not read the records. */
export function useNames(of: NamedKind): Names {
  const { path, permission, name } = SOURCES[of]
  const permissions = useMe()?.permissions ?? []
  const may = permissions.includes(permission)
  const mayKeys = permissions.includes('api-keys.write')
  const { data } = useQuery({
    queryKey: ['names', of],
    enabled: may,
    staleTime: 5 * 60_000,
    queryFn: async ({ signal }) => {
      const names = new Map<string, string>()
      // What users do, programs do too.
      for (const from of of === 'user' && mayKeys ? [path, '/auth/api-keys'] : [path])
        for await (const rows of client().pages(from as '/accounts', {
          query: { limit: PAGE_ROWS },
          signal,
        })) {
          for (const row of rows as Row[]) names.set(row.id, name(row) ?? row.id)
          if (names.size >= MAXIMUM_NAMES) break
        }
      return names
    },
  })
  return data ?? NONE
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
