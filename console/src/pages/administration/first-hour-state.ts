/** How far the first hour has come, read over the API as far as one may see it. */
import type { DataOf } from '@kontor/client'
import { useEvents } from '../../api/events.ts'
import { useGet, useMe } from '../../api/query.ts'
import type { Permission } from '../../api/query.ts'
import { storedIn } from './declaration-fields.ts'
import type { Setting } from './setting-shape.ts'

/** Not every change has an event. */
const EVERY_MILLISECONDS = 5_000
const ONE = { limit: '1' }
const MANY = { limit: '200' }

export type Bank = DataOf<'get', '/venues'>[number]
type Declaration = DataOf<'get', '/declarations'>[number]

/** Undefined: not read yet, or not for this person to see. */
type Known<T> = T | undefined

export type FirstHour = {
  settings: Known<readonly Setting[]>
  assets: Known<readonly { code: string }[]>
  banks: Known<readonly Bank[]>
  /** Of the first bank. */
  declared: Known<Declaration>
  /** Names of secrets of banks that are not written. */
  unwritten: Known<readonly string[]>
  wallets: Known<DataOf<'get', '/treasury/wallets'>>
  openings: Known<DataOf<'get', '/bookings'>>
  users: Known<readonly unknown[]>
  customers: Known<readonly unknown[]>
  matchings: Known<readonly unknown[]>
  deposits: Known<readonly unknown[]>
  assigned: Known<readonly unknown[]>
}

export function useFirstHour(): FirstHour {
  const me = useMe()
  const when = (permission: Permission) => ({
    enabled: me?.permissions.includes(permission) === true,
    every: EVERY_MILLISECONDS,
  })
  const { data: venues } = useGet('/venues', {}, when('venues.read'))
  const banks = venues?.filter(({ kind, state }) => kind === 'BANK' && state !== 'DISABLED')
  const { data: declarations } = useGet('/declarations', {}, when('declarations.read'))
  const books = useBooks(when)
  const settings = useGet('/settings', {}, when('settings.read'))
  const assets = useGet('/assets', {}, when('accounts.read'))
  const users = useGet('/users', { query: MANY }, when('users.write'))
  const [bank] = banks ?? []
  const declared = declarations?.find(({ venue_id }) => bank !== undefined && venue_id === bank.id)
  const unwritten = useUnwritten(declared, when('declarations.read'))
  useEvents('all', () => settings.refetch(), EVERY_MILLISECONDS)
  return {
    settings: settings.data,
    assets: assets.data,
    banks,
    declared,
    unwritten,
    users: users.data,
    ...books,
  }
}

type When = (permission: Permission) => { enabled: boolean; every: number }

function useBooks(when: When) {
  const deposits = when('treasury.deposits.read')
  const found = { ...ONE, state: 'ASSIGNED,SUCCESSFUL' }
  return {
    wallets: useGet('/treasury/wallets', { query: MANY }, when('treasury.wallets.read')).data,
    openings: useGet('/bookings', { query: { ...MANY, type: 'OPENING' } }, when('bookings.read'))
      .data,
    customers: useGet('/customers', { query: ONE }, when('customers.read')).data,
    matchings: useGet('/accounts/matchings', { query: ONE }, when('matchings.read')).data,
    deposits: useGet('/treasury/deposits', { query: ONE }, deposits).data,
    assigned: useGet('/treasury/deposits', { query: found }, deposits).data,
  }
}

/** Of one bank: most have a single one. */
function useUnwritten(
  declared: Declaration | undefined,
  { enabled, every }: ReturnType<When>,
): Known<string[]> {
  const wanted = storedIn((declared?.declaration as { secrets?: unknown } | null)?.secrets)
  const needed = enabled && wanted.length > 0
  const { data } = useGet(
    '/venues/{venue_id}/secrets',
    { params: { venue_id: declared?.venue_id ?? '' } },
    { enabled: needed, every },
  )
  if (declared === undefined) return undefined
  if (wanted.length === 0) return []
  const usable = data?.filter((secret) => secret.usable).map(({ name }) => name)
  return usable && wanted.filter((name) => !usable.includes(name))
}
