/** What is declared, part by part and in words: two declarations are compared by these. */
import { t } from '../../language/index.ts'
import { percent } from '../../parts/amount-words.ts'
import { SERVICE_WORDS } from '../../parts/service-words.ts'
import type { ServiceType } from '../../parts/service-words.ts'
import { inWords } from '../../parts/status.tsx'
import { hopLines, recordOf } from './declaration-fields.ts'

export type Part = { key: string; label: string; says: string }

/** Options of venues; another one is called by its own name. */
const OPTIONS: Readonly<Record<string, string>> = {
  base_url: t('Address'),
  websocket_url: t('Address of live data'),
  private_websocket_url: t('Address of live data of the account'),
  request_timeout_ms: t('Longest wait for an answer (ms)'),
  listing_grace_ms: t('Wait until a listing is whole (ms)'),
  request_window_ms: t('Validity of a request (ms)'),
  keep_alive_ms: t('Pause between signs of life (ms)'),
  quiet_poll_ms: t('Pause between reads while nothing moves (ms)'),
  outbox_dir: t('Folder of payments'),
  inbox_dir: t('Folder of statements'),
  name: t('Account holder'),
  iban: 'IBAN',
  bic: 'BIC',
  aba: t('Routing number (ABA)'),
  foreign_fee: t('Fee of a foreign payment'),
  foreign_message: t('Message of foreign payments'),
  instant: t('Instant payments'),
  instant_fee: t('Fee of an instant payment'),
  instant_maximum: t('Largest instant payment'),
  payments_per_file: t('Most payments in a file'),
  collect_ms: t('Wait for more payments (ms)'),
  account_id: t('How the bank names the account'),
  books: t('Messages that book'),
  holder_street: t('Street of the holder'),
  holder_building_number: t('House number of the holder'),
  holder_post_code: t('Post code of the holder'),
  holder_town: t('Town of the holder'),
  holder_country: t('Country of the holder'),
  weekend_days: t('Closed days of the week'),
  holidays: t('Further closed days'),
  cut_off: t('Cut-off time'),
  sftp_host: t('SFTP server'),
  sftp_port: t('SFTP port'),
  sftp_user: t('SFTP user'),
  sftp_host_key: t('Key of the SFTP server'),
  sftp_outbox_dir: t('Folder of payments at the bank'),
  sftp_inbox_dir: t('Folder of statements at the bank'),
  sftp_part_suffix: t('Ending of a file that is not whole'),
  sftp_poll_ms: t('Pause between collections (ms)'),
  sftp_timeout_ms: t('Longest wait for the SFTP server (ms)'),
}

const SECRETS: Readonly<Record<string, string>> = {
  api_key: t('API key'),
  api_secret: t('API secret'),
  passphrase: t('Passphrase'),
  secret_pem: t('Private key'),
  webhook_public_key_pem: t('Public key of webhooks'),
  sftp_private_key: t('SFTP private key'),
  sftp_passphrase: t('Passphrase of the SFTP key'),
  sftp_password: t('SFTP password'),
}

const LABELS: Readonly<Record<string, string>> = {
  label: t('Name'),
  kind: t('Kind'),
  settlement: t('Settlement'),
  symbol: t('Symbol'),
  hops: t('Hops'),
  services: t('Services'),
  protocols: t('Protocols'),
  base_asset: t('Base asset'),
  quote_asset: t('Quote asset'),
  circulating_supply: t('Circulating supply'),
  risk_quantile: t('Risk quantile'),
  scale: t('Decimals'),
  payout_ibans: t('IBANs from which it pays us'),
  terms: t('Words of this venue'),
  min_amount: t('Least amount'),
  max_amount: t('Largest amount'),
  amount_step: t('Step of amounts'),
  price_step: t('Step of prices'),
  active: t('Prices are made'),
}

/** The field of a form and the line of a difference have one name. */
export const partLabel = (name: string): string => LABELS[name] ?? inWords(name)
export const optionLabel = (name: string): string => OPTIONS[name] ?? inWords(name)
export const secretLabel = (name: string): string => SECRETS[name] ?? inWords(name)

/** Options, secrets and margins each by themselves. */
export function partsOf(declaration: unknown): Part[] {
  return Object.entries(recordOf(declaration)).flatMap(([name, value]) => {
    if (value === undefined || value === null) return []
    if (name === 'options') return each(value, 'options', optionLabel, textOf)
    if (name === 'secrets') return each(value, 'secrets', secretLabel, placeOf)
    if (name === 'margin')
      return each(
        value,
        'margin',
        (category) => t('Margin of {{category}}', { category }),
        percentOf,
      )
    return [{ key: name, label: partLabel(name), says: saysOf(name, value) }]
  })
}

/** Those that another declaration says otherwise, or not at all; what it alone has is not set. */
export function differingParts(value: unknown, other: unknown): Part[] {
  const [parts, others] = [partsOf(value), partsOf(other)]
  const otherBy = new Map(others.map((part) => [part.key, part.says]))
  const known = new Set(parts.map(({ key }) => key))
  return [
    ...parts.filter(({ key, says }) => otherBy.get(key) !== says),
    ...others.filter(({ key }) => !known.has(key)).map((part) => ({ ...part, says: t('Not set') })),
  ]
}

function each(
  value: unknown,
  group: string,
  label: (name: string) => string,
  says: (part: unknown) => string,
): Part[] {
  return Object.entries(recordOf(value)).map(([name, part]) => ({
    key: `${group}.${name}`,
    label: label(name),
    says: says(part),
  }))
}

function saysOf(name: string, value: unknown): string {
  if (name === 'hops') return hopLines(value)
  if (name === 'terms') return linesIn(value, termWords)
  if (name === 'protocols') return linesIn(value, protocolWords)
  if (name === 'services')
    return linesIn(value, (service: ServiceType) => SERVICE_WORDS[service] ?? service)
  if (name === 'kind' || name === 'settlement') return inWords(String(value))
  return textOf(value)
}

function textOf(value: unknown): string {
  if (typeof value === 'string') return value
  if (typeof value === 'boolean') return value ? t('Yes') : t('No')
  return Array.isArray(value) ? value.map(textOf).join(', ') : JSON.stringify(value)
}

const linesIn = <T>(value: unknown, words: (entry: T) => string): string =>
  (Array.isArray(value) ? (value as T[]) : []).map(words).join('\n')

const percentOf = (factor: unknown): string => percent(String(factor)) ?? ''

/** Where a secret lies. */
function placeOf(reference: unknown): string {
  const { file, env, field } = recordOf(reference) as Record<string, string | undefined>
  if (file !== undefined)
    return field === undefined
      ? t('In the file {{file}}', { file })
      : t('In the file {{file}} ({{field}})', { file, field })
  return env === undefined ? t('Stored here') : t('In the variable {{env}}', { env })
}

type Words = { native: string; networks?: readonly string[] }

const nativeWords = ({ native, networks = [] }: Words): string =>
  networks.length === 0 ? native : `${native} (${networks.join(', ')})`

const termWords = ({ asset, protocol, ...words }: Words & { asset: string; protocol: string }) =>
  t('{{asset}} over {{protocol}}: {{words}}', { asset, protocol, words: nativeWords(words) })

type Protocol = {
  protocol: string
  decimals?: number
  ledger?: string
  fee_asset?: string
  names?: Readonly<Record<string, Words>>
}

function protocolWords({ protocol, decimals, ledger, fee_asset, names = {} }: Protocol): string {
  const facts = [
    ...(decimals === undefined ? [] : [t('{{decimals}} decimals', { decimals })]),
    ...(ledger === undefined ? [] : [inWords(ledger)]),
    ...(fee_asset === undefined ? [] : [t('fees in {{fee_asset}}', { fee_asset })]),
    ...Object.entries(names).map(([venue, words]) => `${venue}: ${nativeWords(words)}`),
  ]
  return facts.length === 0 ? protocol : `${protocol} (${facts.join('; ')})`
}
