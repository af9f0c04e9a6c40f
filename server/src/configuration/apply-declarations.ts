/** What counts from now on, put in its place: nobody but the caller has said something else. */
import type { Clock } from '../core/clock.ts'
import { mustExist } from '../core/assert.ts'
import type { Caller } from '../http/index.ts'
import { assetsOf, openVenueAccounts, putAsset } from '../ledger/index.ts'
import type { Tx } from '../store/db.ts'
import { putTasks } from '../store/tasks.ts'
import { applyPriceRoutes } from '../trading/index.ts'
import {
  disableVenue,
  putTheseVenues,
  readConfiguredVenues,
  withCalendarOf,
} from '../venues/index.ts'
import type { DeclaredVenue } from '../venues/index.ts'
import { assertAssetMayChange } from './allowed-declarations.ts'
import { kindOf } from './declarations.ts'
import type { Composed, Declaration } from './declarations.ts'
import { assertPaymentMayChange } from './payment-change.ts'
import { tasksOfVenues } from './venue-tasks.ts'
import { venuesToPut } from './venue-terms.ts'

type Applied = { all: Composed; changed: Declaration; judged: ReadonlySet<string> }

/** Under the lane's lock. Throws 3001. */
export async function applyDeclarations(
  caller: Caller,
  { tx, clock }: { tx: Tx; clock: Clock },
  { all, changed, judged }: Applied,
): Promise<void> {
  const { workspace } = caller
  const { kind, key, value } = changed
  const name = mustExist(kindOf(key), 'its key was read').name
  if (kind === 'ASSET') await putDeclaredAsset(caller, tx, all, name)
  if (kind === 'VENUE' && value === null) await disableVenue(caller, { tx, clock }, name)
  const stored = await readConfiguredVenues(tx, workspace)
  const venues = (all.venues ?? []).map((venue) =>
    withStoredCalendar(venue, stored.get(venue.key)?.config.options),
  )
  await assertPaymentMayChange(tx, workspace, venues)
  const needs = new Map([...stored].map(([of, { config }]) => [of, config.needs]))
  const config = { version: 1 as const, ...all, venues }
  const puts = await venuesToPut(tx, workspace, config, { judged, needs })
  const put = await putTheseVenues(caller, tx, clock, puts)
  for (const venue of put.values()) await openVenueAccounts(caller, { tx, clock }, venue)
  const known = new Map([...[...stored].map(([of, { venue }]) => [of, venue] as const), ...put])
  if (kind === 'VENUE' && value === null) known.delete(name)
  const off = kind === 'PRICE_ROUTE' && value === null ? [name] : []
  await applyPriceRoutes(caller, { tx, clock, off }, all.price_routes ?? [], known)
  await putTasks(tx, tasksOfVenues([...put.values()], { workspace, due_at: clock.now() }))
}

async function putDeclaredAsset(
  { workspace }: Caller,
  tx: Tx,
  { assets = [] }: Composed,
  name: string,
): Promise<void> {
  const asset = mustExist(
    assets.find(({ code }) => code === name),
    'it is declared',
  )
  const { code, label, kind, scale, circulating_supply = null } = asset
  assertAssetMayChange((await assetsOf(tx, workspace)).get(code), asset)
  await putAsset(tx, workspace, { code, label, kind, scale, circulating_supply })
}

/** The calendar of a bank is a setting, and stands in its options. */
const withStoredCalendar = (
  venue: DeclaredVenue,
  stored: Record<string, string> | undefined,
): DeclaredVenue =>
  venue.kind === 'BANK' && stored !== undefined
    ? { ...venue, options: withCalendarOf(venue.options, stored) }
    : venue
