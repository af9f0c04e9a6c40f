/** For tests: a venue that holds and does what the test says. */
import { decimal } from '../../core/decimal.ts'
import type { Decimal } from '../../core/decimal.ts'
import { ApiError, refuse } from '../../core/errors.ts'
import type { ServiceId, VenueId } from '../../core/ids.ts'
import type {
  Allowlist,
  AllowlistEntry,
  AllowlistState,
  AssetProtocols,
  Incoming,
  Outcome,
  Outgoing,
  SetAsideRecord,
  TransferFields,
  Transfers,
  Venue,
  VenueBalance,
  VenueKind,
  WalletCreation,
} from '../../venues/index.ts'

export type FakeVenue = {
  id: string
  service_id: string
  accounts: { VENUE: string; TRADING: string }
  down: boolean
  balances: VenueBalance[]
  incoming: Incoming[]
  outgoing: Outgoing[]
  /** Reported at every reading as not understood. */
  unread: SetAsideRecord[]
  /** Where a test has one of them read once more. */
  reread?: NonNullable<Transfers['reread']>
  /** Where a test has a venue that executes by the day. */
  executionDate?: NonNullable<Transfers['executionDate']>
  /** Called at every read of the balances, to move money in between. */
  onBalances: () => void
  fee: Decimal
  allow: (external_id: string) => Outcome<AllowlistEntry> | Promise<Outcome<AllowlistEntry>>
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

const PROTOCOLS: AssetProtocols[] = [
  ['BTC', 'BTC', 8, false],
  ['XRP', 'XRP', 6, true],
  ['USDC', 'ETH', 6, false],
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
  BANK: {
    from: [],
    to: [
      { ...field('name', true), characters: 'SEPA', maximum: 70 },
      { ...field('reference', true), characters: 'SEPA', maximum: 140 },
    ],
  },
}

export function fakeVenue(
  id: VenueId,
  service_id: ServiceId,
  accounts: FakeVenue['accounts'],
): FakeVenue {
  const collected: string[] = []
  return {
    id,
    service_id,
    accounts,
    down: false,
    balances: [],
    incoming: [],
    outgoing: [],
    unread: [],
    onBalances: () => undefined,
    fee: decimal('0.0002'),
    allow: () => ({
      outcome: 'accepted',
      report: { state: 'PENDING_APPROVAL', transfer: { from: {}, to: {} } },
    }),
    allowlist: null,
    allowed: [],
    collected,
    collect: (external_id) => ({
      outcome: 'accepted',
      report: { collection: `collection-${[...new Set(collected)].indexOf(external_id) + 1}` },
    }),
  }
}

/** An adapter that says what the fake venue holds. */
export function fakeAdapter(kind: VenueKind, fake: FakeVenue): Venue {
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
    transfers: fakeTransfers(kind, fake, reachable),
    ...(kind === 'CUSTODY_VAULT' ? { allowlist: fakeAllowlist(fake, reachable) } : {}),
    ...(fake.wallets === undefined ? {} : { wallets: fake.wallets }),
    async close() {},
  }
}

function fakeTransfers(kind: VenueKind, fake: FakeVenue, reachable: () => void): Transfers {
  const transfers = fakeMovements(kind, fake, reachable)
  // Absent until a test has one, as of an adapter that cannot read one record alone.
  return Object.defineProperty(transfers, 'reread', { enumerable: true, get: () => fake.reread })
}

function fakeMovements(kind: VenueKind, fake: FakeVenue, reachable: () => void): Transfers {
  const unsupported = () => Promise.reject(new Error('not part of this test'))
  return {
    fee_deducted: false,
    fields(asset, protocol) {
      if (
        !PROTOCOLS.some(
          (assetProtocols) =>
            assetProtocols.asset === asset && assetProtocols.protocols[0]?.protocol === protocol,
        )
      )
        throw refuse('UNSUPPORTED_BY_VENUE', 'protocol', `${asset} on ${protocol} is not possible`)
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
    executionDate: (order, now) => fake.executionDate?.(order, now) ?? null,
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
        set_aside: fake.unread.filter(({ direction }) => direction === 'OUT'),
        cursor: String(fake.outgoing.length),
      }
    },
    async incoming(cursor) {
      reachable()
      const from = Number(cursor ?? '0')
      return {
        movements: fake.incoming.slice(from).map((incoming) => ({ ...incoming })),
        set_aside: fake.unread.filter(({ direction }) => direction !== 'OUT'),
        cursor: String(fake.incoming.length),
      }
    },
  }
}

function fakeAllowlist(fake: FakeVenue, reachable: () => void): Allowlist {
  return {
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
  }
}
