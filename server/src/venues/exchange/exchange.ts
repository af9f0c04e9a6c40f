/** Exchanges by ccxt, one folder each; only the one that is configured is loaded. */
import type { Venue } from '../contract.ts'
import type { Credential } from '../lease/credential.ts'
import type { ExchangeConfig } from './ccxt.ts'

export { EXCHANGES } from './ccxt.ts'
export type { ExchangeConfig } from './ccxt.ts'

/**
 * Does not talk to the exchange yet: the first call does, and an exchange that is down answers
 * VenueUnreachable there.
 */
export async function openExchange(config: ExchangeConfig, credential: Credential): Promise<Venue> {
  if (config.exchange === 'kraken')
    return (await import('./kraken/kraken.ts')).openKraken(config, credential)
  if (config.exchange === 'okx') return (await import('./okx/okx.ts')).openOkx(config, credential)
  return (await import('./bitstamp/bitstamp.ts')).openBitstamp(config, credential)
}
