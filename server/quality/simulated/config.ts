/** The configuration of the service under test, and addresses that its venues know. */
export const BTC_ADDRESS = 'bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4'
export const OTHER_BTC_ADDRESS = '1BvBMSEYstWetqTFn5Au4m4GFg7xJaNVN2'
export const BANK_IBAN = 'DE89370400440532013000'
const EXCHANGE_IBAN = 'GB82WEST12345698765432'
const PRIME_IBAN = 'NL91ABNA0417164300'
const PRIME_BTC_ADDRESS = '1BoatSLRHtKNngkdXEeobR76b53LETtpyT'
/** Of none of our wallets. */
export const OUTSIDE_BTC_ADDRESS = '3J98t1WpEZ73CNmQviecrnyiWrnqRhWNLy'

/**
 * What each workspace of the service under test has: venues of three kinds, wallets, routes between
 * them, one pair.
 */
export const SIMULATED_CONFIG = {
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
      secrets: { api_key: { env: 'HOME' }, api_secret: { env: 'PATH' } },
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
