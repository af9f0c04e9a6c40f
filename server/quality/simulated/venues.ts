/**
 * For tests of the service as one thing: an exchange, a vault and a bank in this process. They
 * answer every way a venue may answer, in turn: most acts are accepted and become final at the next
 * look, some are refused, some stay unknown.
 */
import type { Clock } from '../../src/core/clock.ts'
import { decimal } from '../../src/core/decimal.ts'
import type {
  AdapterFactories,
  AssetProtocols,
  Incoming,
  Outgoing,
  PriceFeed,
  Venue,
  VenueKind,
} from '../../src/venues/index.ts'
import { OUTSIDE_BTC_ADDRESS } from './config.ts'
import { publishPrice, simulatedPrices, simulatedTrading } from './trading.ts'
import { APPROVING_ALLOWLIST, simulatedTransfers } from './transfers.ts'

/** One act in this many is refused, or its answer is lost. */
const REFUSED_EVERY = 7
const UNKNOWN_EVERY = 11
/** One movement in this many is not final. */
const PENDING_EVERY = 5

const PROTOCOLS: Partial<Record<VenueKind, AssetProtocols[]>> = {
  EXCHANGE: [protocolsOf('BTC', 'BTC', 8), protocolsOf('EUR', 'SEPA', 2)],
  CUSTODY_VAULT: [protocolsOf('BTC', 'BTC', 8)],
  BANK: [protocolsOf('EUR', 'SEPA', 2)],
}

export class SimulatedVenues {
  readonly clock: Clock
  readonly feeds = new Set<PriceFeed>()
  readonly incoming: Incoming[] = []
  readonly outgoing: Outgoing[] = []
  readonly adapters: AdapterFactories = {
    EXCHANGE: async () => this.#open('EXCHANGE'),
    CUSTODY_VAULT: async () => this.#open('CUSTODY_VAULT'),
    BANK: async () => this.#open('BANK'),
  }
  acts = 0

  constructor(clock: Clock) {
    this.clock = clock
  }

  /** How the next act goes. */
  nextOutcome(): 'accepted' | 'refused' | 'unknown' {
    this.acts += 1
    if (this.acts % UNKNOWN_EVERY === 0) return 'unknown'
    return this.acts % REFUSED_EVERY === 0 ? 'refused' : 'accepted'
  }

  /**
   * A wire or a coin arrives at every venue, a coin leaves the vault by its own desk, and fresh
   * prices reach every reader.
   */
  move(reference: string): void {
    const number = this.incoming.length
    const isPending = number % PENDING_EVERY === PENDING_EVERY - 1
    const occurred_at = this.clock.now()
    this.incoming.push(incomingOf(number, { isPending, reference, occurred_at }))
    this.outgoing.push(outgoingOf(number, { isPending, occurred_at }))
    for (const feed of this.feeds) publishPrice(feed, this.clock)
  }

  #open(kind: VenueKind): Venue {
    const protocols = PROTOCOLS[kind] ?? []
    return {
      kind,
      balances: async () => protocols.map(({ asset }) => plentyOf(asset)),
      protocols: async () => protocols,
      transfers: simulatedTransfers(this, kind, protocols),
      ...(kind === 'CUSTODY_VAULT' ? { allowlist: APPROVING_ALLOWLIST } : {}),
      ...(kind === 'EXCHANGE'
        ? { trading: simulatedTrading(this), prices: simulatedPrices(this) }
        : {}),
      async close() {},
    }
  }
}

function protocolsOf(asset: string, protocol: string, decimals: number): AssetProtocols {
  return {
    asset,
    protocols: [
      {
        protocol,
        native: asset,
        decimals,
        tag_required: false,
        min_withdrawal: decimal('0.0001'),
        max_withdrawal: null,
        deposit: true,
        withdraw: true,
      },
    ],
  }
}

const plentyOf = (asset: string) => ({
  wallet: null,
  asset,
  protocol: null,
  free: decimal('1000000'),
  used: 0n,
  total: decimal('1000000'),
})

function incomingOf(
  number: number,
  {
    isPending,
    reference,
    occurred_at,
  }: {
    isPending: boolean
    reference: string
    occurred_at: number
  },
): Incoming {
  return {
    foreign_id: `M${number}`,
    state: isPending ? 'PENDING' : 'FINAL',
    wallet: null,
    asset: number % 2 === 0 ? 'EUR' : 'BTC',
    protocol: null,
    quantity: decimal('25'),
    transaction_hash: null,
    output_index: null,
    source_address: null,
    destination_address: null,
    tag: null,
    reference_text: reference,
    counterparty: { name: 'Somebody', iban: null, bic: null },
    confirmations: null,
    required_confirmations: null,
    related_external_id: null,
    occurred_at,
  }
}

function outgoingOf(
  number: number,
  { isPending, occurred_at }: { isPending: boolean; occurred_at: number },
): Outgoing {
  return {
    kind: 'TRANSFER',
    foreign_id: `L${number}`,
    external_id: null,
    state: isPending ? 'PENDING' : 'SUCCESS',
    left: !isPending,
    sub_state: 'COMPLETED',
    wallet: null,
    asset: 'BTC',
    protocol: 'BTC',
    quantity: decimal('1'),
    fee: decimal('0.001'),
    fee_asset: 'BTC',
    transaction_hash: null,
    destination_address: OUTSIDE_BTC_ADDRESS,
    tag: null,
    reference_text: null,
    recipient_name: null,
    occurred_at,
  }
}
