/** Wallets and routes of the file, entry by entry; what is wrong with each is collected. */
import { createHash } from 'node:crypto'
import type { Clock } from '../core/clock.ts'
import { ApiError, refuse } from '../core/errors.ts'
import type { ErrorDetail } from '../core/errors.ts'
import type { WorkspaceId } from '../core/ids.ts'
import { canonicalJson } from '../core/json.ts'
import type { Json } from '../core/json.ts'
import { timeOf } from '../http/index.ts'
import type { Caller } from '../http/index.ts'
import { venueAccounts } from '../ledger/index.ts'
import { only } from '../store/db.ts'
import type { Reader, Tx } from '../store/db.ts'
import { raw, sql } from '../store/sql.ts'
import {
  changeRoute,
  changeWallet,
  createRoute,
  createWallet,
  requestAllow,
  routeById,
} from '../treasury/index.ts'
import type { TreasuryApp, WalletDraft } from '../treasury/index.ts'
import type { VenueRecord } from '../venues/index.ts'
import { invalidConfig } from './config-file.ts'
import type { DeclaredRoute, DeclaredWallet } from './configuration.schema.ts'
import { NotYet } from './rehearsal.ts'

/** Of what is refused without a reason for machines. */
const CODE = 'CONFLICT' as const

/** What is refused of one entry leaves the others to be looked at. */
export class Entries {
  readonly #tx: Tx
  readonly #faults = new Map<string, ErrorDetail>()
  #waits: NotYet | undefined

  constructor(tx: Tx) {
    this.#tx = tx
  }

  /** Answers whether it was applied. `entry` comes in front of the field that was refused. */
  async apply(entry: string, work: () => Promise<void>): Promise<boolean> {
    await this.#tx.query(sql`savepoint entry`)
    try {
      await work()
      await this.#tx.query(sql`release savepoint entry`)
      return true
    } catch (error) {
      if (error instanceof NotYet) this.#waits = error
      else if (error instanceof ApiError) this.#note(entry, error)
      else throw error
      await this.#tx.query(sql`rollback to savepoint entry`)
      return false
    }
  }

  /** Throws NotYet where something must be fetched first, else 3001 with all that is wrong. */
  assertRight(): void {
    if (this.#waits !== undefined) throw this.#waits
    if (this.#faults.size > 0) throw invalidConfig([...this.#faults.values()])
  }

  #note(entry: string, { kind, message, details }: ApiError): void {
    const [first] = details
    const found = details.length > 1 ? details : [{ path: '', code: CODE, ...first, message }]
    for (const detail of found) {
      // What is wrong with a venue is said once, not for each of its routes.
      const known = kind === 'VenueUnreachable' ? message : `${entry} ${detail.message}`
      if (this.#faults.has(known)) continue
      this.#faults.set(known, {
        code: detail.code,
        path: [entry, detail.path].filter((part) => part !== '').join('.'),
        message: entry === '' ? detail.message : `${entry}: ${detail.message}`,
      })
    }
  }
}

type StoredEntry = { id: string; declared_hash: string }

export const hashOfDeclared = (declared: unknown) =>
  createHash('sha256')
    .update(canonicalJson(declared as Json))
    .digest('hex')

async function entryByKey(
  reader: Reader,
  table: 'wallets' | 'treasury_routes',
  workspace: WorkspaceId,
  key: string,
): Promise<StoredEntry | undefined> {
  return only(
    await reader.query<StoredEntry>(
      sql`
        select id, declared_hash
        from ${raw(table)}
        where workspace = ${workspace}
          and key = ${key}`,
    ),
  )
}

export async function applyWallet(
  caller: Caller,
  { tx, clock }: { tx: Tx; clock: Clock },
  declared: DeclaredWallet,
  venues: ReadonlyMap<string, VenueRecord>,
): Promise<void> {
  const { workspace } = caller
  const venue = venues.get(declared.venue)
  if (venue === undefined)
    throw refuse('NOT_FOUND', 'venue', `venue ${declared.venue} is not in this file`)
  const service = venue.services.find((service) => service.type === 'WOMS')
  if (service === undefined)
    throw refuse('UNSUPPORTED_BY_VENUE', 'venue', `venue ${declared.venue} has no WOMS service`)
  const key = {
    key: declared.key,
    declared_hash: hashOfDeclared(declared),
    reference_text: declared.reference_text ?? null,
    integrate_from: timeIn(declared.integrate_from),
  }
  const stored = await entryByKey(tx, 'wallets', workspace, declared.key)
  if (stored?.declared_hash === key.declared_hash) return
  const accounts = await venueAccounts(tx, workspace, venue.id)
  const draft: WalletDraft = {
    type: 'VENUE',
    asset: declared.asset,
    address: declared.address,
    label: declared.label,
    venue_id: venue.id,
    service_id: service.id,
    account_id: accounts[declared.account ?? 'VENUE'],
    access_type: 'INTERNAL',
    ...(declared.configuration === undefined ? {} : { configuration: declared.configuration }),
  }
  if (stored === undefined) await createWallet(caller, { tx, clock }, draft, key)
  else await changeWallet(caller, { tx, clock }, { ...draft, id: stored.id }, key)
}

function timeIn(text: string | number | undefined): number | null {
  if (text === undefined) return null
  const value = timeOf(String(text))
  if (value === undefined)
    throw refuse(
      'FORMAT',
      'integrate_from',
      'integrate_from is not a valid time: give ISO 8601 or an integer of 10 (s), 13 (ms), ' +
        '16 (µs) or 19 (ns) digits',
    )
  return value
}

/** `app` works inside the transaction. */
export async function applyRoute(
  caller: Caller,
  app: TreasuryApp,
  declared: DeclaredRoute,
): Promise<void> {
  const { db, clock } = app
  const { workspace } = caller
  const wallet = async (key: string, path: string) => {
    const row = await entryByKey(db, 'wallets', workspace, key)
    if (row === undefined) throw refuse('NOT_FOUND', path, `wallet ${key} is not in this file`)
    return row.id
  }
  const key = { key: declared.key, declared_hash: hashOfDeclared(declared) }
  const stored = await entryByKey(db, 'treasury_routes', workspace, declared.key)
  if (stored?.declared_hash === key.declared_hash) {
    const route = await routeById(db, workspace, stored.id)
    // Also after a start that ended between making the route and asking.
    if (declared.allow === true && route.allowlist_state === 'NOT_REQUESTED')
      await requestAllow(db, clock, route)
    return
  }
  const draft = {
    from_wallet_id: await wallet(declared.from, 'from'),
    to_wallet_id: await wallet(declared.to, 'to'),
    protocol: declared.protocol,
    label: declared.label,
    transfer: { from: { ...declared.transfer?.from }, to: { ...declared.transfer?.to } },
  }
  if (stored !== undefined) {
    // What the venue gave the route itself is kept unless the file names another.
    const { transfer } = await routeById(db, workspace, stored.id)
    const collection = transfer.from['destination_external_account_id']
    if (collection !== undefined)
      draft.transfer.from = { destination_external_account_id: collection, ...draft.transfer.from }
  }
  const route =
    stored === undefined
      ? await createRoute(caller, app, draft, key)
      : await changeRoute(caller, app, { ...draft, id: stored.id }, key)
  if (declared.allow === true) await requestAllow(db, clock, route)
}
