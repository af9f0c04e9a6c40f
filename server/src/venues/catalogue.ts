/**
 * What Kontor ships about well-known assets: the protocols that carry them, and what venues call
 * them. It is data. The configuration may say otherwise, and names what is not here.
 */

/**
 * How a protocol's ledger works. OUTPUTS: transactions spend outputs and make new ones. GAS:
 * numbered transactions of accounts, which pay in the protocol's coin whatever they move. TAGS:
 * accounts that many share, where a tag or memo says who is meant. BANK: money.
 */
export const LEDGERS = ['OUTPUTS', 'GAS', 'TAGS', 'BANK'] as const
type Ledger = (typeof LEDGERS)[number]

/** `fee_asset`: null where what is sent pays for itself. */
export type ProtocolTraits = { ledger: Ledger; fee_asset: string | null }

export const PROTOCOLS: Readonly<Record<string, ProtocolTraits>> = {
  BTC: { ledger: 'OUTPUTS', fee_asset: 'BTC' },
  LTC: { ledger: 'OUTPUTS', fee_asset: 'LTC' },
  ETH: { ledger: 'GAS', fee_asset: 'ETH' },
  XRP: { ledger: 'TAGS', fee_asset: 'XRP' },
  XLM: { ledger: 'TAGS', fee_asset: 'XLM' },
  SEPA: { ledger: 'BANK', fee_asset: null },
}

/** What a protocol carries, and the fraction digits that its amounts have there. */
export type Carried = { asset: string; protocol: string; decimals: number }

export const CARRIED: readonly Carried[] = [
  { asset: 'BTC', protocol: 'BTC', decimals: 8 },
  { asset: 'ETH', protocol: 'ETH', decimals: 18 },
  { asset: 'XRP', protocol: 'XRP', decimals: 6 },
  { asset: 'USDC', protocol: 'ETH', decimals: 6 },
  { asset: 'LTC', protocol: 'LTC', decimals: 8 },
  { asset: 'XLM', protocol: 'XLM', decimals: 7 },
  { asset: 'EUR', protocol: 'SEPA', decimals: 2 },
]

/**
 * A venue's words. `native`: for the asset. `networks`: for the protocol, any of them; in one `*`
 * stands for any text, and what follows `!` is not meant. None: the asset's word says it all.
 */
export type VenueWords = { asset: string; protocol: string; native: string; networks: string[] }

/**
 * By the exchange's name, or by the kind of the other venues.
 *
 * Kraken: asset codes by `Assets`; methods by clients that list them (nothingisdead/npm-kraken-api
 * issue 53, knowm/XChange pull request 4619). Bitstamp: `network` of its published API. OKX:
 * `chain` of "Get currencies"; `ETH-Ethereum` stands in a recording (JKorf/OKX.Net,
 * GetWithdrawalHistory.txt). Vault:
 * asset ids of the Fireblocks list of supported assets.
 */
export const VENUE_WORDS = {
  kraken: [
    { asset: 'BTC', protocol: 'BTC', native: 'XXBT', networks: ['Bitcoin'] },
    {
      asset: 'ETH',
      protocol: 'ETH',
      native: 'XETH',
      networks: [
        'Ether',
        'Ethereum',
        'Ether (Hex)',
        'Ethereum (Hex)',
        'Ethereum (ERC20)',
        'ETH - Ethereum (Unified)',
      ],
    },
    { asset: 'XRP', protocol: 'XRP', native: 'XXRP', networks: ['Ripple', 'Ripple XRP'] },
    {
      asset: 'USDC',
      protocol: 'ETH',
      native: 'USDC',
      networks: ['USDC - Ethereum (Unified)', 'USDC (ERC20)', 'Ethereum'],
    },
    { asset: 'LTC', protocol: 'LTC', native: 'XLTC', networks: ['Litecoin'] },
    { asset: 'XLM', protocol: 'XLM', native: 'XXLM', networks: ['Stellar XLM', 'Stellar'] },
    // Money has one method for each bank that Kraken uses; instant transfers are not ours.
    { asset: 'EUR', protocol: 'SEPA', native: 'ZEUR', networks: ['*SEPA*', '!*SEPA*Instant*'] },
  ],
  bitstamp: [
    { asset: 'BTC', protocol: 'BTC', native: 'btc', networks: ['bitcoin'] },
    { asset: 'ETH', protocol: 'ETH', native: 'eth', networks: ['ethereum'] },
    { asset: 'XRP', protocol: 'XRP', native: 'xrp', networks: ['xrpl'] },
    { asset: 'USDC', protocol: 'ETH', native: 'usdc', networks: ['ethereum'] },
    { asset: 'LTC', protocol: 'LTC', native: 'ltc', networks: ['litecoin'] },
    { asset: 'XLM', protocol: 'XLM', native: 'xlm', networks: ['stellar'] },
    { asset: 'EUR', protocol: 'SEPA', native: 'eur', networks: ['sepa'] },
  ],
  okx: [
    { asset: 'BTC', protocol: 'BTC', native: 'BTC', networks: ['BTC-Bitcoin'] },
    { asset: 'ETH', protocol: 'ETH', native: 'ETH', networks: ['ETH-ERC20', 'ETH-Ethereum'] },
    { asset: 'XRP', protocol: 'XRP', native: 'XRP', networks: ['XRP-Ripple'] },
    { asset: 'USDC', protocol: 'ETH', native: 'USDC', networks: ['USDC-ERC20'] },
    { asset: 'LTC', protocol: 'LTC', native: 'LTC', networks: ['LTC-Litecoin'] },
    { asset: 'XLM', protocol: 'XLM', native: 'XLM', networks: ['XLM-Stellar Lumens'] },
    { asset: 'EUR', protocol: 'SEPA', native: 'EUR', networks: ['SEPA'] },
  ],
  CUSTODY_VAULT: [
    { asset: 'BTC', protocol: 'BTC', native: 'BTC', networks: [] },
    { asset: 'ETH', protocol: 'ETH', native: 'ETH', networks: [] },
    { asset: 'XRP', protocol: 'XRP', native: 'XRP', networks: [] },
    { asset: 'USDC', protocol: 'ETH', native: 'USDC', networks: [] },
    { asset: 'LTC', protocol: 'LTC', native: 'LTC', networks: [] },
    { asset: 'XLM', protocol: 'XLM', native: 'XLM', networks: [] },
  ],
  MANAGED_WALLET: [
    { asset: 'BTC', protocol: 'BTC', native: 'BTC', networks: ['BTC'] },
    { asset: 'ETH', protocol: 'ETH', native: 'ETH', networks: ['ETH'] },
    { asset: 'USDC', protocol: 'ETH', native: 'USDC', networks: ['ETH'] },
    { asset: 'LTC', protocol: 'LTC', native: 'LTC', networks: ['LTC'] },
    // It takes no tags: its page says that it cannot serve these.
    { asset: 'XRP', protocol: 'XRP', native: 'XRP', networks: ['XRP'] },
    { asset: 'XLM', protocol: 'XLM', native: 'XLM', networks: ['XLM'] },
  ],
} as const satisfies Record<string, readonly Readonly<VenueWordsShape>[]>

type VenueWordsShape = Omit<VenueWords, 'networks'> & { networks: readonly string[] }

/** Who has words of its own. */
export type Dialect = keyof typeof VENUE_WORDS
