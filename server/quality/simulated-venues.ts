/**
 * For tests of the service as one thing: an exchange, a vault and a bank in this process. They
 * answer every way a venue may answer, in turn: most acts are accepted and become final at the next
 * look, some are refused, some stay unknown.
 */
import type { Clock } from '../src/core/clock.ts'
import { decimal, multiply } from '../src/core/decimal.ts'
import { ApiError, refuse } from '../src/core/errors.ts'
import type {
  AdapterFactories,
  AssetProtocols,
  Incoming,
  OrderReport,
  Outgoing,
  PriceFeed,
  TransferReport,
  Venue,
  VenueKind,
  VenueOrder,
} from '../src/venues/index.ts'

export const BTC_ADDRESS = 'bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4'
export const OTHER_BTC_ADDRESS = '1BvBMSEYstWetqTFn5Au4m4GFg7xJaNVN2'
export const BANK_IBAN = 'DE89370400440532013000'
const EXCHANGE_IBAN = 'GB82WEST12345698765432'
const PRIME_IBAN = 'NL91ABNA0417164300'
const PRIME_BTC_ADDRESS = '1BoatSLRHtKNngkdXEeobR76b53LETtpyT'
/** Nobody's here. */
const OUTSIDE_BTC_ADDRESS = '3J98t1WpEZ73CNmQviecrnyiWrnqRhWNLy'

const PROTOCOLS: Record<string, AssetProtocols[]> = {
  EXCHANGE: [protocolsOf('BTC', 'BTC', 8), protocolsOf('EUR', 'SEPA', 2)],
  CUSTODY_VAULT: [protocolsOf('BTC', 'BTC', 8)],
  BANK: [protocolsOf('EUR', 'SEPA', 2)],
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

const field = (name: string) => ({
  name,
  type: 'string' as const,
  required: true,
  description: name,
})
const FIELDS = {
  EXCHANGE: { from: [field('key')], to: [] },
  CUSTODY_VAULT: { from: [field('source_vault_account_id')], to: [] },
  BANK: { from: [], to: [field('name'), field('reference')] },
}

const PAIR = { base_asset: 'BTC', quote_asset: 'EUR' }
const PRICE = decimal('60000')
const TAKER_FEE = decimal('0.001')
/** Every so many-th act is refused, answered late, or unknown. */
const REFUSED_EVERY = 7
const UNKNOWN_EVERY = 11

export type RangeVenues = {
  adapters: AdapterFactories
  /**
   * A wire or a coin arrives at every venue, a coin leaves the vault by its own desk, and fresh
   * prices reach every reader.
   */
  move(reference: string): void
}

export function openRangeVenues(clock: Clock): RangeVenues {
  const feeds = new Set<PriceFeed>()
  const incoming: Incoming[] = []
  const left: Outgoing[] = []
  let acts = 0
  const turn = () => {
    acts += 1
    return acts % UNKNOWN_EVERY === 0
      ? 'unknown'
      : acts % REFUSED_EVERY === 0
        ? 'refused'
        : 'accepted'
  }

  function quote(feed: PriceFeed): void {
    const received_at = clock.now()
    const levels = (step: bigint) =>
      Array.from({ length: 5 }, (_, index) => ({
        price: PRICE + step * BigInt(index + 1),
        quantity: decimal('2'),
      }))
    feed.book({ ...PAIR, bids: levels(-decimal('10')), asks: levels(decimal('10')), received_at })
    feed.ticker({
      ...PAIR,
      bid: PRICE - decimal('10'),
      ask: PRICE + decimal('10'),
      last: PRICE,
      volume_24h: decimal('1000'),
      change_24h: decimal('0.01'),
      received_at,
    })
  }

  function open(kind: VenueKind): Venue {
    const protocols = PROTOCOLS[kind] ?? []
    const sent = new Map<string, TransferReport>()
    const orders = new Map<string, OrderReport>()
    /** Of these the venue never tells anything more. */
    const silent = new Set<string>()
    return {
      kind,
      balances: async () =>
        protocols.map(({ asset }) => ({
          wallet: null,
          asset,
          protocol: null,
          free: decimal('1000000'),
          used: 0n,
          total: decimal('1000000'),
        })),
      protocols: async () => protocols,
      transfers: {
        fee_deducted: false,
        fields(asset, protocol) {
          if (
            !protocols.some(
              (assetProtocols) =>
                assetProtocols.asset === asset &&
                assetProtocols.protocols[0]?.protocol === protocol,
            )
          )
            throw refuse(
              'UNSUPPORTED_BY_VENUE',
              'protocol',
              `${asset} on ${protocol} is not possible here`,
            )
          return FIELDS[kind as keyof typeof FIELDS]
        },
        async estimateFee({ asset }) {
          if (turn() === 'unknown')
            throw new ApiError('VenueUnreachable', 'the venue does not answer just now')
          return {
            asset,
            custom: kind === 'CUSTODY_VAULT',
            speed_levels: {
              DEFAULT: decimal('0.01'),
              FAST: decimal('0.02'),
              SLOW: decimal('0.01'),
            },
          }
        },
        async send({ external_id, asset }) {
          const outcome = turn()
          if (outcome === 'refused') return { outcome, reason: 'not today', native: 'NOT_TODAY' }
          if (outcome === 'unknown' && acts % 2 === 0) silent.add(external_id)
          sent.set(external_id, {
            foreign_id: `V-${external_id}`,
            state: 'SUCCESS',
            sub_state: 'COMPLETED',
            reason: null,
            transaction_hash: null,
            confirmations: null,
            fee: decimal('0.01'),
            fee_asset: asset,
          })
          if (outcome === 'unknown') return { outcome, reason: 'the answer was lost' }
          return {
            outcome,
            report: {
              ...present(sent, external_id),
              state: 'PENDING',
              sub_state: 'SENT',
              fee: null,
              fee_asset: null,
            },
          }
        },
        async find({ external_id }) {
          if (silent.has(external_id))
            return { lookup: 'unknown', reason: 'the venue does not tell' }
          const report = sent.get(external_id)
          return report === undefined ? { lookup: 'absent' } : { lookup: 'found', report }
        },
        async incoming(cursor) {
          const from = Number(cursor ?? '0')
          const news = incoming
            .slice(from)
            .filter((incoming) => protocols.some(({ asset }) => asset === incoming.asset))
            .map((incoming) => ({ ...incoming, foreign_id: `${kind}-${incoming.foreign_id}` }))
          return { movements: news, cursor: String(incoming.length) }
        },
        ...(kind === 'CUSTODY_VAULT'
          ? {
              push: async () => [],
              outgoing: async (cursor) => ({
                movements: left.slice(Number(cursor ?? '0')),
                cursor: String(left.length),
              }),
            }
          : {}),
      },
      ...(kind === 'CUSTODY_VAULT'
        ? {
            allowlist: {
              collect: async ({ external_id }) => ({
                outcome: 'accepted' as const,
                report: { collection: external_id },
              }),
              allow: async () => ({
                outcome: 'accepted' as const,
                report: { state: 'APPROVED' as const, transfer: { from: {}, to: {} } },
              }),
              state: async () => 'APPROVED' as const,
            },
          }
        : {}),
      ...(kind === 'EXCHANGE'
        ? {
            trading: {
              supports: () => true,
              async send(order) {
                const outcome = turn()
                if (outcome === 'refused') return { outcome, reason: 'no', native: 'NO' }
                orders.set(order.client_order_id, filled(order, clock.now()))
                return outcome === 'unknown'
                  ? { outcome, reason: 'the answer was lost' }
                  : { outcome, report: present(orders, order.client_order_id) }
              },
              async find({ client_order_id }) {
                const report = orders.get(client_order_id)
                return report === undefined ? { lookup: 'absent' } : { lookup: 'found', report }
              },
              cancel: async () => ({
                outcome: 'refused' as const,
                reason: 'it is filled',
                native: null,
              }),
            },
            prices: {
              pairs: async () => [
                {
                  ...PAIR,
                  price_step: decimal('0.1'),
                  amount_step: decimal('0.00000001'),
                  min_amount: decimal('0.0001'),
                  taker_fee: TAKER_FEE,
                },
              ],
              watch(_pairs, feed) {
                feeds.add(feed)
                quote(feed)
                return async () => {
                  feeds.delete(feed)
                }
              },
            },
          }
        : {}),
      async close() {},
    }
  }

  return {
    adapters: {
      EXCHANGE: async () => open('EXCHANGE'),
      CUSTODY_VAULT: async () => open('CUSTODY_VAULT'),
      BANK: async () => open('BANK'),
    },
    move(reference) {
      const number = incoming.length
      incoming.push({
        foreign_id: `M${number}`,
        state: number % 5 === 4 ? 'PENDING' : 'FINAL',
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
        occurred_at: clock.now(),
      })
      left.push({
        kind: 'TRANSFER',
        foreign_id: `L${number}`,
        external_id: null,
        state: number % 5 === 4 ? 'PENDING' : 'SUCCESS',
        left: number % 5 !== 4,
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
        occurred_at: clock.now(),
      })
      for (const feed of feeds) quote(feed)
    },
  }
}

function filled(order: VenueOrder, executed_at: number): OrderReport {
  const price = order.side === 'BUY' ? PRICE + decimal('10') : PRICE - decimal('10')
  const volume = multiply(price, order.quantity, 18, 'up')
  return {
    foreign_id: `O-${order.client_order_id}`,
    state: 'FILLED',
    reason: null,
    filled_quantity: order.quantity,
    fills: [
      {
        foreign_id: `F-${order.client_order_id}`,
        price,
        quantity: order.quantity,
        volume,
        fee: multiply(volume, TAKER_FEE, 18, 'up'),
        fee_asset: 'EUR',
        liquidity: 'TAKER',
        executed_at,
        busted: false,
      },
    ],
  }
}

function present<T>(map: ReadonlyMap<string, T>, key: string): T {
  const value = map.get(key)
  if (value === undefined) throw new Error(`${key} was not stored`)
  return value
}

/**
 * What each workspace of the range has: one venue of each kind, wallets, routes between them, one
 * pair.
 */
export const RANGE_CONFIG = {
  version: 1 as const,
  venues: [
    {
      key: 'exchange',
      label: 'Exchange',
      kind: 'EXCHANGE' as const,
      options: { exchange: 'kraken' },
      secrets: { api_key: { env: 'PATH' }, api_secret: { env: 'PATH' } },
    },
    {
      key: 'prime',
      label: 'Prime',
      kind: 'EXCHANGE' as const,
      settlement: 'POST_TRADE' as const,
      options: { exchange: 'kraken' },
      secrets: { api_key: { env: 'PATH' }, api_secret: { env: 'PATH' } },
    },
    {
      key: 'vault',
      label: 'Vault',
      kind: 'CUSTODY_VAULT' as const,
      options: { base_url: 'http://localhost' },
      secrets: { api_key: { env: 'PATH' }, secret_pem: { env: 'PATH' } },
    },
    {
      key: 'bank',
      label: 'Bank',
      kind: 'BANK' as const,
      options: {
        outbox_dir: '-',
        inbox_dir: '-',
        iban: BANK_IBAN,
        bic: 'COBADEFFXXX',
        name: 'Kontor',
        currency: 'EUR',
      },
    },
  ],
  wallets: [
    { key: 'bank-eur', venue: 'bank', asset: 'EUR', address: BANK_IBAN, label: 'Bank EUR' },
    {
      key: 'exchange-eur',
      venue: 'exchange',
      asset: 'EUR',
      address: EXCHANGE_IBAN,
      label: 'Exchange EUR',
    },
    {
      key: 'exchange-btc',
      venue: 'exchange',
      asset: 'BTC',
      address: OTHER_BTC_ADDRESS,
      label: 'Exchange BTC',
    },
    { key: 'prime-eur', venue: 'prime', asset: 'EUR', address: PRIME_IBAN, label: 'Prime EUR' },
    {
      key: 'prime-btc',
      venue: 'prime',
      asset: 'BTC',
      address: PRIME_BTC_ADDRESS,
      label: 'Prime BTC',
    },
    {
      key: 'vault-btc',
      venue: 'vault',
      asset: 'BTC',
      address: BTC_ADDRESS,
      label: 'Vault BTC',
      configuration: { vault_id: '0', protocol: 'BTC' },
    },
  ],
  routes: [
    {
      key: 'bank-exchange',
      label: 'Bank to exchange',
      from: 'bank-eur',
      to: 'exchange-eur',
      protocol: 'SEPA',
      transfer: { to: { name: 'Exchange', reference: 'R1' } },
    },
    {
      key: 'exchange-vault',
      label: 'Exchange to vault',
      from: 'exchange-btc',
      to: 'vault-btc',
      protocol: 'BTC',
      transfer: { from: { key: 'vault' } },
    },
    {
      key: 'bank-prime',
      label: 'Bank to prime',
      from: 'bank-eur',
      to: 'prime-eur',
      protocol: 'SEPA',
      transfer: { to: { name: 'Prime', reference: 'R2' } },
    },
    {
      key: 'prime-bank',
      label: 'Prime to bank',
      from: 'prime-eur',
      to: 'bank-eur',
      protocol: 'SEPA',
      transfer: { from: { key: 'bank' } },
    },
    {
      key: 'prime-vault',
      label: 'Prime to vault',
      from: 'prime-btc',
      to: 'vault-btc',
      protocol: 'BTC',
      transfer: { from: { key: 'vault' } },
    },
    {
      key: 'vault-prime',
      label: 'Vault to prime',
      from: 'vault-btc',
      to: 'prime-btc',
      protocol: 'BTC',
      transfer: { from: { source_vault_account_id: '0' } },
      allow: true,
    },
    {
      key: 'vault-exchange',
      label: 'Vault to exchange',
      from: 'vault-btc',
      to: 'exchange-btc',
      protocol: 'BTC',
      transfer: { from: { source_vault_account_id: '0' } },
      allow: true,
    },
  ],
  price_routes: [
    {
      key: 'btc-eur',
      label: 'BTC/EUR',
      base_asset: 'BTC',
      quote_asset: 'EUR',
      risk_quantile: '0.99',
      min_amount: '0.0001',
      max_amount: '10',
      amount_step: '0.00000001',
      price_step: '0.1',
      hops: [{ venue: 'exchange', base_asset: 'BTC', quote_asset: 'EUR' }],
    },
    {
      key: 'btc-eur-prime',
      label: 'BTC/EUR at prime',
      base_asset: 'BTC',
      quote_asset: 'EUR',
      risk_quantile: '0.99',
      min_amount: '0.0001',
      max_amount: '10',
      amount_step: '0.00000001',
      price_step: '0.1',
      hops: [{ venue: 'prime', base_asset: 'BTC', quote_asset: 'EUR' }],
    },
  ],
}
