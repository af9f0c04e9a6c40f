/**
 * Opens an adapter of each kind from named texts. Each is loaded when first needed: a venue kind
 * that is not configured costs nothing.
 */
import { createHash } from 'node:crypto'
import type { VenueLease } from './lease/lease.ts'
import type { AdapterFactories } from './open-adapters.ts'

type Log = { error(details: object, message: string): void }

/** Other texts among the options and secrets of an exchange. */
const EXCHANGE_TEXTS = [
  'base_url',
  'websocket_url',
  'private_websocket_url',
  'tier',
  'passphrase',
] as const
/** Numbers among the options of an exchange. */
export const EXCHANGE_NUMBERS = [
  'request_timeout_ms',
  'listing_grace_ms',
  'request_window_ms',
  'keep_alive_ms',
  'quiet_poll_ms',
] as const

/** Exchanges are opened with a credential of the lease, and with nothing else. */
export function adapterFactories(
  log: Log,
  lease: Pick<VenueLease, 'credential'>,
): AdapterFactories {
  return {
    EXCHANGE: async (values, terms) => {
      const { EXCHANGES, openExchange } = await import('./exchange/exchange.ts')
      const texts = Object.fromEntries(
        EXCHANGE_TEXTS.flatMap((name) =>
          values[name] === undefined ? [] : [[name, values[name]]],
        ),
      )
      const numbers = Object.fromEntries(
        EXCHANGE_NUMBERS.flatMap((name) =>
          values[name] === undefined ? [] : [[name, numberOf(name, values[name])]],
        ),
      )
      const exchange = exchangeOf(EXCHANGES, required(values, 'exchange'))
      const api_key = required(values, 'api_key')
      const config = {
        exchange,
        api_key,
        api_secret: required(values, 'api_secret'),
        ...(terms !== undefined && { terms }),
        ...texts,
        ...numbers,
      }
      const { base_url = '' } = values
      return openExchange(config, await lease.credential(nameOf([exchange, base_url, api_key])))
    },
    CUSTODY_VAULT: async (values, terms) => {
      const { openVault } = await import('./vault/vault.ts')
      const { webhook_public_key_pem, request_timeout_ms } = values
      return openVault({
        base_url: required(values, 'base_url'),
        api_key: required(values, 'api_key'),
        secret_pem: required(values, 'secret_pem'),
        ...(terms !== undefined && { terms }),
        ...(webhook_public_key_pem === undefined ? {} : { webhook_public_key_pem }),
        ...(request_timeout_ms === undefined
          ? {}
          : { request_timeout_ms: numberOf('request_timeout_ms', request_timeout_ms) }),
      })
    },
    MANAGED_WALLET: async (values, terms) => {
      const { openManagedWallets } = await import('./managed-wallet/managed-wallet.ts')
      const { request_timeout_ms } = values
      return openManagedWallets({
        base_url: required(values, 'base_url'),
        api_key: required(values, 'api_key'),
        api_secret: required(values, 'api_secret'),
        ...(terms !== undefined && { terms }),
        ...(request_timeout_ms === undefined
          ? {}
          : { request_timeout_ms: numberOf('request_timeout_ms', request_timeout_ms) }),
      })
    },
    BANK: async (values) => {
      const { openBank } = await import('./bank/bank.ts')
      const { bankConfig } = await import('./bank/config.ts')
      return openBank(bankConfig(values), (problem) => {
        log.error({}, problem)
      })
    },
  }
}

/** The same for all who use the same key, in every process; it does not show the key. */
const nameOf = ([exchange, ...more]: [string, ...string[]]): string =>
  `${exchange} ${createHash('sha256').update(JSON.stringify(more)).digest('hex')}`

function required(values: Record<string, string>, name: string): string {
  const value = values[name]
  if (value === undefined || value === '')
    throw new RangeError(`the venue's configuration lacks ${name}`)
  return value
}

function exchangeOf<Name extends string>(supported: readonly Name[], name: string): Name {
  const found = supported.find((exchange) => exchange === name)
  if (found === undefined)
    throw new RangeError(`exchange ${name} is not supported: ${supported.join(', ')} are`)
  return found
}

function numberOf(name: string, text: string | undefined): number {
  const value = Number(text)
  if (!Number.isSafeInteger(value) || value <= 0)
    throw new RangeError(`${name} must be a whole number greater than 0`)
  return value
}
