/**
 * For tests: a workspace with books, assets and a vault, an exchange and a bank whose adapters are
 * under the test's hand.
 */
import { manualClock } from '../../core/clock.ts'
import type { ManualClock } from '../../core/clock.ts'
import { decimal } from '../../core/decimal.ts'
import type { Decimal } from '../../core/decimal.ts'
import { ApiError, refuse } from '../../core/errors.ts'
import { newId } from '../../core/ids.ts'
import type { WorkspaceId } from '../../core/ids.ts'
import { workerCaller } from '../../http/index.ts'
import {
  openAccount,
  openBooks,
  openLane,
  openVenueAccounts,
  putAsset,
  venueAccounts,
} from '../../ledger/index.ts'
import { sql } from '../../store/sql.ts'
import { testDatabase } from '../../store/testing.ts'
import { openVenues } from '../../venues/index.ts'
import type {
  AllowlistState,
  AssetProtocols,
  Incoming,
  Outcome,
  Outgoing,
  AllowlistEntry,
  TransferFields,
  Transfers,
  Venue,
  VenueBalance,
  VenueKind,
  WalletCreation,
} from '../../venues/index.ts'
import type { TreasuryApp } from '../app.ts'

/** The time of every workplace's beginning. */
export const OPENED_AT = 1_800_000_000_000

export type FakeVenue = {
  id: string
  service_id: string
  accounts: { VENUE: string; TRADING: string }
  down: boolean
  balances: VenueBalance[]
  incoming: Incoming[]
  outgoing: Outgoing[]
  /** Called at every read of the balances, to move money in between. */
  onBalances: () => void
  fee: Decimal
  allow: (external_id: string) => Outcome<AllowlistEntry>
  allowlist: AllowlistState | null
  allowed: string[]
  /** Under which reference a collection was asked for, as often as it was. */
  collected: string[]
  collect: (external_id: string) => Outcome<{ collection: string }>
  /** Where a test sends something. */
  transfers?: Pick<Transfers, 'send' | 'find'>
  /** Stands in for all of it. */
  real?: Venue
  /** Where a test has wallets made. */
  wallets?: WalletCreation
}

export const BTC_ADDRESS = 'bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4'
export const OTHER_BTC_ADDRESS = '1BvBMSEYstWetqTFn5Au4m4GFg7xJaNVN2'
export const XRP_ADDRESS = 'rHb9CJAWyB4rj91VRWn96DkukG4bwdtyTh'
export const IBAN = 'DE89370400440532013000'

const PROTOCOLS: AssetProtocols[] = [
  ['BTC', 'BTC', 8, false],
  ['XRP', 'XRP', 6, true],
  ['EUR', 'SEPA', 2, false],
].map(([asset, protocol, decimals, tag_required]) => ({
  asset: asset as string,
  protocols: [
    {
      protocol: protocol as string,
      native: asset as string,
      decimals: decimals as number,
      tag_required: tag_required as boolean,
      min_withdrawal: null,
      max_withdrawal: null,
      deposit: true,
      withdraw: true,
    },
  ],
}))
const field = (name: string, required: boolean) => ({
  name,
  type: 'string' as const,
  required,
  description: name,
})
const FIELDS: Record<string, TransferFields> = {
  CUSTODY_VAULT: {
    from: [field('source_vault_account_id', true), field('destination_external_account_id', false)],
    to: [field('tag', false)],
  },
  EXCHANGE: { from: [field('key', true)], to: [] },
  BANK: { from: [], to: [field('name', true), field('reference', true)] },
}

export type Workplace = Awaited<ReturnType<typeof openWorkplace>>

export async function openWorkplace() {
  const database = await testDatabase()
  const { db } = database
  const clock: ManualClock = manualClock(OPENED_AT)
  const workspace = newId<WorkspaceId>()
  const lane = openLane(db, clock, { key_lifetime_ms: 86_400_000 })
  const fakes = new Map<string, FakeVenue>()
  const adapterOf = (kind: VenueKind) => (config: Record<string, string>) => {
    const fake = fakes.get(config['name'] ?? '') as FakeVenue
    return Promise.resolve(fake.real ?? fakeAdapter(kind, fake))
  }
  const venues = openVenues({
    db,
    clock,
    log: { error() {} },
    adapters: {
      EXCHANGE: adapterOf('EXCHANGE'),
      CUSTODY_VAULT: adapterOf('CUSTODY_VAULT'),
      BANK: adapterOf('BANK'),
      MANAGED_WALLET: adapterOf('MANAGED_WALLET'),
    },
  })
  const app: TreasuryApp = { db, clock, lane, venues }
  await db.tx((tx) => openBooks({ workspace, by: 'test' }, { tx, clock }))
  for (const [code, kind, scale] of [
    ['BTC', 'CRYPTO', 8],
    ['XRP', 'CRYPTO', 6],
    ['EUR', 'FIAT', 2],
  ] as const)
    await putAsset(db, workspace, { code, label: code, kind, scale, circulating_supply: null })
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

  async function addVenue(key: string, kind: VenueKind): Promise<FakeVenue> {
    const id = newId()
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
          ${JSON.stringify({ options: { name: key }, secrets: {} })}::jsonb, ${now}, ${now}
        )`)
      await tx.query(
        sql`
          insert into services (
            workspace, id, venue_id, type, state, system_created_at, system_updated_at
          )
          values (${workspace}, ${service_id}, ${id}, 'WOMS', 'RUNNING', ${now}, ${now})`,
      )
      await tx.query(
        sql`
          insert into services (
            workspace, id, venue_id, type, state, system_created_at, system_updated_at
          )
          values (${workspace}, ${newId()}, ${id}, 'TOMS', 'RUNNING', ${now}, ${now})`,
      )
      await openVenueAccounts({ workspace, by: 'test' }, { tx, clock }, { id, label: key })
    })
    const fake: FakeVenue = {
      id,
      service_id,
      accounts: await venueAccounts(db, workspace, id),
      down: false,
      balances: [],
      incoming: [],
      outgoing: [],
      onBalances: () => undefined,
      fee: decimal('0.0002'),
      allow: () => ({
        outcome: 'accepted',
        report: { state: 'PENDING_APPROVAL', transfer: { from: {}, to: {} } },
      }),
      allowlist: null,
      allowed: [],
      collected: [],
      collect: (external_id) => ({
        outcome: 'accepted',
        report: {
          collection: `collection-${[...new Set(fake.collected)].indexOf(external_id) + 1}`,
        },
      }),
    }
    fakes.set(key, fake)
    return fake
  }

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

function fakeAdapter(kind: VenueKind, fake: FakeVenue): Venue {
  const unsupported = () => Promise.reject(new Error('not part of this test'))
  const reachable = () => {
    if (fake.down) throw new ApiError('VenueUnreachable', 'the venue is down')
  }
  return {
    kind,
    async balances() {
      reachable()
      const now = fake.balances.map((balance) => ({ ...balance }))
      fake.onBalances()
      return now
    },
    async protocols() {
      reachable()
      return PROTOCOLS
    },
    transfers: {
      fee_deducted: false,
      fields(asset, protocol) {
        if (
          !PROTOCOLS.some(
            (assetProtocols) =>
              assetProtocols.asset === asset && assetProtocols.protocols[0]?.protocol === protocol,
          )
        )
          throw refuse(
            'UNSUPPORTED_BY_VENUE',
            'protocol',
            `${asset} on ${protocol} is not possible`,
          )
        return FIELDS[kind] ?? { from: [], to: [] }
      },
      async estimateFee({ asset }) {
        reachable()
        return {
          asset,
          custom: kind === 'CUSTODY_VAULT',
          speed_levels: { DEFAULT: fake.fee, FAST: fake.fee * 2n, SLOW: fake.fee / 2n },
        }
      },
      send: (order) => fake.transfers?.send(order) ?? unsupported(),
      find: (lookup) => fake.transfers?.find(lookup) ?? unsupported(),
      async push(_body, headers) {
        if (headers['signature'] !== 'right')
          throw new ApiError('MissingToken', 'the signature is wrong')
        return []
      },
      async outgoing(cursor) {
        reachable()
        const from = Number(cursor ?? '0')
        return {
          movements: fake.outgoing.slice(from).map((outgoing) => ({ ...outgoing })),
          cursor: String(fake.outgoing.length),
        }
      },
      async incoming(cursor) {
        reachable()
        const from = Number(cursor ?? '0')
        return {
          movements: fake.incoming.slice(from).map((incoming) => ({ ...incoming })),
          cursor: String(fake.incoming.length),
        }
      },
    },
    ...(kind === 'CUSTODY_VAULT'
      ? {
          allowlist: {
            async collect({ external_id }) {
              reachable()
              fake.collected.push(external_id)
              return fake.collect(external_id)
            },
            async allow({ external_id }) {
              fake.allowed.push(external_id)
              return fake.allow(external_id)
            },
            async state() {
              reachable()
              return fake.allowlist
            },
          },
        }
      : {}),
    ...(fake.wallets === undefined ? {} : { wallets: fake.wallets }),
    async close() {},
  }
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
