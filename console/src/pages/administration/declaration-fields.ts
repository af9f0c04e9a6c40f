/**
 * What is declared, as the fields of a form hold it, and back. What has many parts is written in
 * lines; what no field shows stays as it is.
 */
import type { DataOf } from '@kontor/client'
import { filledText } from '../../action/filled.ts'
import type { Values } from '../../action/plan.ts'
import { t } from '../../language/index.ts'

export type Declaration = DataOf<'get', '/declarations'>[number]
export type Kind = Declaration['kind']
type Fields = Readonly<Record<string, unknown>>

/** Secrets that venues take, by their kind. */
export const SECRETS: Readonly<Record<string, readonly string[]>> = {
  EXCHANGE: ['api_key', 'api_secret', 'passphrase'],
  CUSTODY_VAULT: ['api_key', 'secret_pem', 'webhook_public_key_pem'],
  MANAGED_WALLET: ['api_key', 'api_secret'],
  BANK: ['sftp_private_key', 'sftp_passphrase', 'sftp_password'],
}

export const PREFIXES: Readonly<Record<Kind, string>> = {
  VENUE: 'venue.',
  ASSET: 'asset.',
  PRICE_ROUTE: 'price_route.',
}

export const recordOf = (value: unknown): Fields =>
  typeof value === 'object' && value !== null ? (value as Fields) : {}

/** `name = value` in each line. */
const linesOf = (value: unknown): string =>
  Object.entries(recordOf(value))
    .map(([name, text]) => `${name} = ${String(text)}`)
    .join('\n')

function fromLines(typed: unknown): Record<string, string> {
  const lines = String(typed ?? '').split('\n')
  return Object.fromEntries(
    lines
      .filter((line) => line.trim() !== '')
      .map((line) => {
        const [name = '', ...value] = line.split('=')
        if (value.length === 0)
          throw new Error(t('{{line}} is no line such as name = value', { line: line.trim() }))
        return [name.trim(), value.join('=').trim()]
      }),
  )
}

const jsonOf = (value: unknown): string | undefined =>
  value === undefined ? undefined : JSON.stringify(value, null, 2)

/** Undefined where nothing is typed. Throws what is no JSON. */
export function filledJson(typed: unknown, what: string): unknown {
  const text = filledText(typed)
  if (text === undefined) return undefined
  try {
    return JSON.parse(text) as unknown
  } catch {
    throw new Error(t('{{what}} must be JSON', { what }))
  }
}

type Hop = { venue: string; base_asset: string; quote_asset: string }

export const hopLines = (hops: unknown): string =>
  (Array.isArray(hops) ? (hops as Hop[]) : [])
    .map(({ venue, base_asset, quote_asset }) => `${venue} ${base_asset}/${quote_asset}`)
    .join('\n')

const HOP = /^\s*(\S+)\s+([^\s/]+)\/(\S+)\s*$/

const fromHops = (typed: unknown): Hop[] =>
  String(typed ?? '')
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line) => {
      const [, venue, base_asset, quote_asset] = HOP.exec(line) ?? []
      if (venue === undefined || base_asset === undefined || quote_asset === undefined)
        throw new Error(t('{{line}} is no hop such as kraken BTC/EUR', { line: line.trim() }))
      return { venue, base_asset, quote_asset }
    })

/** Those that are stored here. */
export const storedIn = (secrets: unknown): string[] =>
  Object.entries(recordOf(secrets))
    .filter(([, reference]) => 'stored' in recordOf(reference))
    .map(([name]) => name)

/** What the fields hold of a declaration. */
export function toFields(kind: Kind, declaration: unknown): Values {
  const { options, secrets, terms, protocols, hops, margin, ...plain } = recordOf(declaration)
  if (kind === 'ASSET')
    return {
      ...plain,
      scale: plain['scale'] === undefined ? undefined : String(plain['scale']),
      protocols: jsonOf(protocols),
    }
  if (kind === 'PRICE_ROUTE')
    return { active: true, ...plain, hops: hopLines(hops), margin: linesOf(margin) }
  return { ...plain, options: linesOf(options), secrets: storedIn(secrets), terms: jsonOf(terms) }
}

/** What is declared from now on; `before`: what no field shows of it. Throws a sentence. */
export function fromFields(kind: Kind, values: Values, before: unknown): Fields {
  const { key: _key, ...held } = values
  const texts = Object.fromEntries(
    Object.entries(held).flatMap(([name, value]) => {
      const shown = typeof value === 'string' ? filledText(value) : value
      return shown === undefined || shown === null ? [] : [[name, shown]]
    }),
  )
  const known = { ...recordOf(before), ...cleared(held), ...texts }
  return Object.fromEntries(
    Object.entries({ ...known, ...partsOf(kind, values, recordOf(before)) }).filter(
      ([, value]) => value !== undefined,
    ),
  )
}

/** A field that was emptied. */
const cleared = (held: Values): Fields =>
  Object.fromEntries(Object.keys(held).map((name) => [name, undefined]))

function partsOf(kind: Kind, values: Values, before: Fields): Fields {
  if (kind === 'ASSET')
    return {
      scale: Number(values['scale']),
      protocols: filledJson(values['protocols'], t('Protocols')),
    }
  if (kind === 'PRICE_ROUTE') {
    const margin = fromLines(values['margin'])
    return {
      active: values['active'] === true,
      hops: fromHops(values['hops']),
      margin: Object.keys(margin).length === 0 ? undefined : margin,
    }
  }
  const { payout_ibans, services } = values
  return {
    options: fromLines(values['options']),
    secrets: secretsOf(values['secrets'], recordOf(before['secrets'])),
    terms: filledJson(values['terms'], t('Terms')),
    payout_ibans: someOf(payout_ibans),
    services: someOf(services),
  }
}

const someOf = (value: unknown): unknown =>
  Array.isArray(value) && value.length > 0 ? value : undefined

/** Those that a file or a variable holds stay, unless they are stored from now on. */
function secretsOf(names: unknown, before: Fields): Fields {
  const stored = (Array.isArray(names) ? names : []).map(String)
  const others = Object.entries(before).filter(
    ([, reference]) => !('stored' in recordOf(reference)),
  )
  return Object.fromEntries([...others, ...stored.map((name) => [name, { stored: name }] as const)])
}

/** The field of the place that a refusal names. */
export const fieldOf = (path: string): string =>
  path.replace(/^declaration\.?/, '').replace(/[.[].*$/, '')
