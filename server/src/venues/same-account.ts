/** One account, declared as two venues of one workspace: what it reports would be booked twice. */
import type { ErrorDetail } from '../core/errors.ts'
import { canonicalJson } from '../core/json.ts'
import { bareIban } from './addresses.ts'
import type { VenueKind } from './contract.ts'
import type { DeclaredVenue } from './declaration.schema.ts'

/** Whose API it is, and where. */
export function apiOf(kind: VenueKind, options: Record<string, string>): string[] {
  const { exchange = '', base_url = '' } = options
  return [kind, exchange, URL.canParse(base_url) ? new URL(base_url).origin : base_url]
}

/**
 * As far as their declarations tell: the same account at a bank, or one key that lies in one place.
 * Keys that lie elsewhere are compared when they are read (connections.ts).
 */
export function problemsOfAccounts(venues: readonly DeclaredVenue[]): ErrorDetail[] {
  const known = new Map<string, number>()
  return venues.flatMap((venue, index) => {
    const { account, field } = accountOf(venue)
    if (account === undefined) return []
    const first = known.get(account)
    known.set(account, first ?? index)
    if (first === undefined) return []
    const path = `venues[${index}].${field}`
    const message = `${path} is also that of venues[${first}]: one account is one venue`
    return [{ path, code: 'DUPLICATE', message }]
  })
}

function accountOf({ kind, options = {}, secrets = {} }: DeclaredVenue) {
  if (kind === 'BANK') return accountAtBank(options)
  const { api_key } = secrets
  const field = 'secrets.api_key'
  // A stored one is the venue's own.
  if (api_key === undefined || 'stored' in api_key) return { account: undefined, field }
  return { account: canonicalJson([...apiOf(kind, options), api_key]), field }
}

/** An account may have several currencies, each with its own venue. */
function accountAtBank({ iban, account_number, ...options }: Record<string, string>) {
  const { currency = '', aba = '', bic = '' } = options
  const field = iban === undefined ? 'options.account_number' : 'options.iban'
  const number = iban ?? account_number
  if (number === undefined) return { account: undefined, field }
  const bank = iban === undefined ? aba || bic : ''
  return { account: canonicalJson([bareIban(number), currency, bank]), field }
}
