/** The custodian's networks and figures. */
import { tryDecimal } from '../../core/decimal.ts'
import type { Decimal } from '../../core/decimal.ts'
import { ApiError, refuse } from '../../core/errors.ts'

/** What we call the custodian's networks. */
export const PROTOCOLS = [
  { asset: 'BTC', protocol: 'BTC', network: 'BTC', fee_asset: 'BTC' },
  { asset: 'ETH', protocol: 'ETH', network: 'ETH', fee_asset: 'ETH' },
] as const

/** Throws UNSUPPORTED_BY_VENUE. */
export function networkOf(asset: string, protocol: string): (typeof PROTOCOLS)[number] {
  const found = PROTOCOLS.find(
    (network) => network.asset === asset && network.protocol === protocol,
  )
  if (found === undefined)
    throw refuse('UNSUPPORTED_BY_VENUE', 'protocol', `the custodian has no ${asset} on ${protocol}`)
  return found
}

export const protocolOf = (asset: string, network: string): string | null =>
  PROTOCOLS.find((protocol) => protocol.asset === asset && protocol.network === network)
    ?.protocol ?? null

export function figure(text: string, what: string): Decimal {
  const value = tryDecimal(text)
  if (value === undefined)
    throw new ApiError('VenueUnreachable', `custodian: ${what} cannot be read`)
  return value
}
