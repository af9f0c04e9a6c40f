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

type Placed = Pick<DeclaredVenue, 'kind' | 'options' | 'secrets'>
type Known = ReadonlyMap<string, { venue: Pick<Placed, 'kind'>; config: Omit<Placed, 'kind'> }>

/**
 * As far as their declarations tell: the same account at a bank, or one key that lies in one place.
 * Keys that lie elsewhere are compared when they are read (connections.ts), and so is what an
 * earlier release has let in: the service starts with it.
 */
export function problemsOfAccounts(
  venues: readonly DeclaredVenue[],
  known: Known = new Map(),
): ErrorDetail[] {
  const firsts = new Map<string, { index: number; isNew: boolean }>()
  return venues.flatMap((venue, index) => {
    const { account, field } = accountOf(venue)
    if (account === undefined) return []
    const before = known.get(venue.key)
    const isNew =
      before === undefined ||
      accountOf({ ...before.config, kind: before.venue.kind }).account !== account
    const first = firsts.get(account)
    firsts.set(account, first ?? { index, isNew })
    if (first === undefined || (!first.isNew && !isNew)) return []
    const [at, other] = isNew ? [index, first.index] : [first.index, index]
    const path = `venues[${at}].${field}`
    const message = `${path} is also that of venues[${other}]: one account is one venue`
    return [{ path, code: 'DUPLICATE', message }]
  })
}

function accountOf({ kind, options = {}, secrets = {} }: Placed) {
  if (kind === 'BANK') return accountAtBank(options)
  const { api_key } = secrets
  const field = 'secrets.api_key'
  // A stored one is the venue's own.
  if (api_key === undefined || 'stored' in api_key) return { account: undefined, field }
  return { account: canonicalJson([...apiOf(kind, options), api_key]), field }
}

/** An account may have several currencies, each with its own venue. */
export function accountAtBank({ iban, account_number, ...options }: Record<string, string>) {
  const { currency = '', aba = '', bic = '' } = options
  const field = iban === undefined ? 'options.account_number' : 'options.iban'
  const number = iban ?? account_number
  if (number === undefined) return { account: undefined, field }
  const bank = iban === undefined ? aba || bic : ''
  return { account: canonicalJson([bareIban(number), currency, bank]), field }
}
