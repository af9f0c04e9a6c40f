/**
 * For tests: a workspace with books, assets and a vault, an exchange and a bank whose adapters are
 * under the test's hand.
 */
import { randomBytes } from 'node:crypto'
import { manualClock } from '../../core/clock.ts'
import type { ManualClock } from '../../core/clock.ts'
import { decimal } from '../../core/decimal.ts'
import { newId } from '../../core/ids.ts'
import type { VenueId, WorkspaceId } from '../../core/ids.ts'
import { workerCaller } from '../../http/index.ts'
import {
  openAccount,
  openBooks,
  openLane,
  openVenueAccounts,
  putAsset,
  venueAccounts,
} from '../../ledger/index.ts'
import type { Db } from '../../store/db.ts'
import { testHistory } from '../../store/history.testing.ts'
import { sql } from '../../store/sql.ts'
import { testDatabase } from '../../store/testing.ts'
import { WrappingKey } from '../../store/wrapping-key.ts'
import { openVenues } from '../../venues/index.ts'
import type { Incoming, Outgoing, VenueBalance, VenueKind, Venues } from '../../venues/index.ts'
import { HELD_LEASE } from '../../venues/lease/lease.testing.ts'
import type { TreasuryApp } from '../app.ts'
import { fakeAdapter, fakeVenue } from './fake-venue.testing.ts'
import type { FakeVenue } from './fake-venue.testing.ts'

/** The time of every workplace's beginning. */
export const OPENED_AT = 1_800_000_000_000

export const BTC_ADDRESS = 'bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4'
export const OTHER_BTC_ADDRESS = '1BvBMSEYstWetqTFn5Au4m4GFg7xJaNVN2'
export const XRP_ADDRESS = 'rHb9CJAWyB4rj91VRWn96DkukG4bwdtyTh'
export const IBAN = 'DE89370400440532013000'

export type Workplace = Awaited<ReturnType<typeof openWorkplace>>

export async function openWorkplace() {
  const database = await testDatabase()
  const { db } = database
  const clock: ManualClock = manualClock(OPENED_AT)
  const workspace = newId<WorkspaceId>()
  const lane = openLane(db, clock)
  const fakes = new Map<string, FakeVenue>()
  const venues = openFakeVenues({ db, clock }, fakes)
  const app: TreasuryApp = { db, clock, lane, venues, history: testHistory(db, clock) }
  await db.tx((tx) => openBooks({ workspace, by: 'test' }, { tx, clock }))
  for (const [code, kind, scale] of [
    ['BTC', 'CRYPTO', 8],
    ['XRP', 'CRYPTO', 6],
    ['EUR', 'FIAT', 2],
  ] as const)
    await putAsset(db, workspace, { code, label: code, kind, scale, circulating_supply: null })
  const addVenue = async (key: string, kind: VenueKind): Promise<FakeVenue> => {
    const fake = await makeVenue({ db, clock, workspace }, key, kind)
    fakes.set(key, fake)
    return fake
  }
  const vault = await addVenue('vault', 'CUSTODY_VAULT')
  const exchange = await addVenue('exchange', 'EXCHANGE')
  const bank = await addVenue('bank', 'BANK')
  const customer_id = newId()
  const customer = await db.tx((tx) =>
    openAccount(
      { workspace, by: 'test' },
      { tx, clock },
      { type: 'CUSTOMER', label: 'Alice', customer_id },
    ),
  )
  return {
    app,
    db,
    clock,
    workspace,
    caller: workerCaller(workspace, 'test'),
    venues,
    vault,
    exchange,
    bank,
    customer_id,
    customer,
    addVenue,
    async close() {
      await lane.close()
      await venues.close()
      await database.drop()
    },
  }
}

type World = { db: Db; clock: ManualClock }

/** Of every kind the adapter that the test speaks through. */
function openFakeVenues({ db, clock }: World, fakes: ReadonlyMap<string, FakeVenue>): Venues {
  const adapterOf = (kind: VenueKind) => (config: Record<string, string>) => {
    const fake = fakes.get(config['name'] ?? '') as FakeVenue
    return Promise.resolve(fake.real ?? fakeAdapter(kind, fake))
  }
  return openVenues({
    db,
    clock,
    wrapping: new WrappingKey({ bytes: randomBytes(32), id: 'test' }),
    log: { error() {} },
    lease: HELD_LEASE,
    adapters: {
      EXCHANGE: adapterOf('EXCHANGE'),
      CUSTODY_VAULT: adapterOf('CUSTODY_VAULT'),
      BANK: adapterOf('BANK'),
      MANAGED_WALLET: adapterOf('MANAGED_WALLET'),
    },
  })
}

/** A bank that names none would get its own. */
const FOLDERS = { outbox_dir: '/out', inbox_dir: '/in' }
const configOf = (key: string): string =>
  JSON.stringify({ options: { name: key, ...FOLDERS }, secrets: {} })

/** A venue with its two services and its accounts in the books. */
async function makeVenue(
  { db, clock, workspace }: World & { workspace: WorkspaceId },
  key: string,
  kind: VenueKind,
): Promise<FakeVenue> {
  const id = newId<VenueId>()
  const service_id = newId()
  const now = clock.now()
  await db.tx(async (tx) => {
    await tx.query(sql`
      insert into venues (
        workspace, id, key, label, kind, settlement, state, config, system_created_at,
        system_updated_at
      )
      values (
        ${workspace}, ${id}, ${key}, ${key}, ${kind}, 'PREFUNDED', 'CONNECTING',
        ${configOf(key)}::jsonb, ${now}, ${now}
      )`)
    for (const [service, type] of [
      [service_id, 'WOMS'],
      [newId(), 'TOMS'],
    ] as const)
      await tx.query(
        sql`
          insert into services (
            workspace, id, venue_id, type, state, system_created_at, system_updated_at
          )
          values (${workspace}, ${service}, ${id}, ${type}, 'RUNNING', ${now}, ${now})`,
      )
    await openVenueAccounts({ workspace, by: 'test' }, { tx, clock }, { id, label: key })
  })
  return fakeVenue(id, service_id, await venueAccounts(db, workspace, id))
}

export function balance(
  asset: string,
  total: string,
  more: Partial<VenueBalance> = {},
): VenueBalance {
  return {
    wallet: null,
    asset,
    protocol: null,
    free: decimal(total),
    used: 0n,
    total: decimal(total),
    ...more,
  }
}

export function movement(
  foreign_id: string,
  asset: string,
  quantity: string,
  more: Partial<Incoming> = {},
): Incoming {
  return {
    foreign_id,
    state: 'FINAL',
    wallet: null,
    asset,
    protocol: null,
    quantity: decimal(quantity),
    transaction_hash: null,
    output_index: null,
    source_address: null,
    destination_address: null,
    tag: null,
    reference_text: null,
    counterparty: null,
    confirmations: null,
    required_confirmations: null,
    related_external_id: null,
    occurred_at: OPENED_AT,
    ...more,
  }
}

export function departure(
  foreign_id: string,
  asset: string,
  quantity: string,
  more: Partial<Outgoing> = {},
): Outgoing {
  return {
    kind: 'TRANSFER',
    foreign_id,
    external_id: null,
    state: 'SUCCESS',
    left: true,
    sub_state: 'DONE',
    wallet: null,
    asset,
    protocol: asset === 'EUR' ? 'SEPA' : asset,
    quantity: decimal(quantity),
    fee: null,
    fee_asset: null,
    transaction_hash: null,
    destination_address: null,
    tag: null,
    reference_text: null,
    recipient_name: null,
    occurred_at: OPENED_AT,
    ...more,
  }
}
