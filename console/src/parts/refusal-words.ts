/**
 * What the service says of a refused request, in words for who fills in a form: no path, no code of
 * a state, no UUID. The service itself speaks to programs, which know all of them.
 */
import { lowered, said, t, wordFor } from '../language/index.ts'
import type { Words } from '../language/index.ts'
import { ACCOUNT_TYPES } from './account-types.ts'
import { markAmounts, markValue, writeAmounts } from './amount-words.ts'
import { localTime } from './local-time.ts'
import { TONES } from './tones.ts'

type Refusal = { path: string; code: string; message: string }

/** Codes whose message only a program understands. */
const OF_PROGRAMS: Readonly<Record<string, string>> = {
  MALFORMED_ID: t('Choose one from the list'),
  MALFORMED_JSON: t('The form could not be read. Reload the page and try again'),
  METHOD_NOT_ALLOWED: t('This cannot be done here. Reload the page and try again'),
  UNKNOWN_FIELD: t('This form is out of date. Reload the page and try again'),
  TOO_LARGE: t('This is too much at once. Send less'),
  ENCODING: t('A text has characters that cannot be stored'),
  UNKNOWN_ASSET: t('There is no such asset'),
  STALE_VERSION: t('Somebody has changed this record meanwhile. Close the form and open it again'),
}

/** What the checks of single fields say, and how a person says it. */
const CHECKS: readonly (readonly [RegExp, (found: RegExpExecArray) => string])[] = [
  [
    /^is required with (.+)$/,
    ([, field = '']) => t('Fill this in together with {{field}}', { field: plainWords(field) }),
  ],
  [/^(is required|must not be (empty|blank))$/, () => t('Fill this in')],
  [/^must be one of the allowed values.*$/, () => t('Choose one of the values')],
  [/^must be a decimal.* greater than 0 .*$/, () => t('Enter an amount greater than 0')],
  [/^must be a decimal.*$/, () => t('Enter an amount in digits')],
  [/^must be an asset code.*$/, () => t('Enter the code of an asset, for example BTC')],
  [/^must be a whole number$/, () => t('Enter a whole number')],
  [/^must be a number$/, () => t('Enter a number')],
  [
    /^must be (text|an object|a list|true or false|null|of a form)\b.*$/,
    () => t('This does not fit here'),
  ],
  [
    /^must be at least (.+)$/,
    ([, least = '']) => t('Enter at least {{least}}', { least: plainWords(least) }),
  ],
  [
    /^must be at most (.+)$/,
    ([, most = '']) => t('Enter at most {{most}}', { most: plainWords(most) }),
  ],
  [
    /^must have at least (.+) characters?$/,
    ([, least = '']) => t('Enter at least {{least}} characters', { least: plainWords(least) }),
  ],
  [
    /^must have at most (.+) characters?$/,
    ([, most = '']) => t('Enter at most {{most}} characters', { most: plainWords(most) }),
  ],
  [
    /^must have at least (.+) (items?|fields?)$/,
    ([, least = '']) => t('Enter at least {{least}} of them', { least: plainWords(least) }),
  ],
  [
    /^must have at most (.+) (items?|fields?)$/,
    ([, most = '']) => t('Enter at most {{most}} of them', { most: plainWords(most) }),
  ],
  [/^must not have an item twice$/, () => t('Nothing may be named twice')],
  [/^is not valid$/, () => t('Check this value')],
  [/^does not exist$/, () => t('This record does not exist')],
]

const UUID = /[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}/
const NOUN = 'approval request|set-aside item|book transfer|transfer job|API key|[\\w-]+'
/** Words before an id that do not say what it is the id of. */
const NO_NOUN =
  /^(be|this|it|is|are|was|by|of|to|in|at|on|from|as|and|or|not|with|for|has|than|after)$/i

/** Names that requests use, where people have other words. */
const FIELD_WORDS: Readonly<Record<string, string>> = {
  timerange_from: t('the beginning'),
  timerange_to: t('the end'),
  quantity: t('amount'),
  foreign_id: t('reference'),
  client_ref: t('your reference'),
  risk_duration_ms: t('hold time'),
  notification_recipients: t('mail recipients'),
  send_at: t('the time'),
}

/** `transfer.to_street` → `street`, `legs[0].quantity` → `amount`, `account_id` → `account`. */
function fieldWords(path: string): string {
  const name = path.split(/[.[\]]+/).findLast((part) => /[a-z]/i.test(part)) ?? ''
  return FIELD_WORDS[name] ?? wordFor(name) ?? name.replace(/_ids?$/, '').replaceAll('_', ' ')
}

/**
 * A sentence for a person. At its field it does not name the field; `named`: elsewhere it does.
 */
export function refusalWords({ path, code, message }: Refusal, named = false): string {
  const own = OF_PROGRAMS[code]
  if (own !== undefined) return own
  if (code === 'PERMISSION_REQUIRED') return capital(said(message) ?? message)
  const bare = withoutField(message, path)
  const check = checkOf(bare)
  const field = named && check !== undefined ? fieldWords(path) : ''
  const words = check ?? plainWords(outOfPlace(message, path))
  return field === '' ? capital(words) : `${capital(field)}: ${lowered(words)}`
}

/** A form knows a field by its name, wherever in the request it stands. */
function outOfPlace(message: string, path: string): string {
  if (!message.startsWith(`${path} `)) return message
  const bare = message.slice(path.lastIndexOf('.') + 1)
  return said(bare) === undefined ? message : bare
}

function checkOf(message: string): string | undefined {
  for (const [form, words] of CHECKS) {
    const found = form.exec(message)
    if (found !== null) return words(found)
  }
  return undefined
}

/** The field's name at the beginning, whole or without where it is. */
function withoutField(message: string, path: string): string {
  const names = [path, path.slice(path.lastIndexOf('.') + 1), 'body']
  const name = names.find((one) => one !== '' && message.startsWith(`${one} `))
  const rest = name === undefined ? message : message.slice(name.length + 1)
  return /^(is|are|must|has|have|does|cannot)\b/.test(rest) ? rest : message
}

const ISO_TIME = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z/g

/** Without ids, paths and codes; times and amounts as they are here. */
export const plainWords = (text: string): string => writeAmounts(marked(text))

/** Its form is looked for while the ids are still in it. */
const marked = (text: string): string => saidMarked(text) ?? markAmounts(plainEnglish(text))

/** The whole sentence, or else each of its parts. */
function saidMarked(text: string): string | undefined {
  const translated = said(text, valueWords)
  if (translated !== undefined) return translated.replaceAll(` (${t('this record')})`, '')
  const parts = text.split('; ')
  if (parts.length === 1) return undefined
  const all = parts.map(saidMarked)
  return all.every((part) => part === undefined)
    ? undefined
    : all.map((part, index) => part ?? marked(parts[index] ?? '')).join('; ')
}

const valueWords: Words = (found, name) =>
  // A host is no path of a field.
  name === 'host' ? found : (markValue(found, name) ?? marked(found))

function plainEnglish(text: string): string {
  return text
    .replaceAll(ISO_TIME, (at) => localTime(Date.parse(at)))
    .replaceAll(new RegExp(` \\(${UUID.source}\\)`, 'gi'), '')
    .replaceAll(
      new RegExp(`(?:\\b(?:the|a|an) )?(?:(?!${UUID.source})(${NOUN}) )?${UUID.source}`, 'gi'),
      nounOf,
    )
    .replaceAll(
      /(?<![@\w-])[a-z]\w*(?:\[\d+\]|\.[a-z]\w*(?=[\s.,:;)}[/]|$))+(?:\.[a-z_]\w*)*/g,
      fieldWords,
    )
    .replaceAll(/\b[a-z][a-z0-9]*(?:_[a-z0-9]+)+\b/g, fieldWords)
    .replaceAll(/[A-Z]{2,}(?:_[A-Z]+)+|\b[A-Z]{2,}\b/g, (word) =>
      word.includes('_') || isCode(word)
        ? (wordFor(word) ?? word.replaceAll('_', ' ').toLowerCase())
        : word,
    )
}

/** Single words in capitals that are no asset: kinds of records, sides and the like. */
const KINDS: ReadonlySet<string> = new Set<string>([
  ...ACCOUNT_TYPES,
  'BUY',
  'SELL',
  'BANK',
  'EXCHANGE',
  'CUSTODY',
  'BROKER',
  'EXTERNAL',
  'INTERNAL',
  'LIMIT',
  'MARKET',
  'CUSTOM',
  'DEBIT',
  'CREDIT',
  'DEFAULT',
  'FAST',
  'SLOW',
  'OTHER',
  'CONDITIONAL',
  'INCOMING',
  'OUTGOING',
  'TOMS',
  'WOMS',
])
const isCode = (word: string): boolean => Object.hasOwn(TONES, word) || KINDS.has(word)

const nounOf = (_all: string, noun: string | undefined): string => {
  if (noun === undefined) return t('this record')
  if (NO_NOUN.test(noun)) return t('{{noun}} another record', { noun })
  return t('this {{noun}}', { noun: wordFor(noun.replaceAll(/[ -]/g, '_')) ?? noun })
}

/** A reason that the service has stored, as a sentence for people. */
export const sentenceOf = (reason: string): string => capital(plainWords(reason))

const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1)

/** A text of the service as it is, in the language of the page. */
export function told(text: string): string {
  const words = saidMarked(text)
  return words === undefined ? text : writeAmounts(words)
}

/** Without the API's code in front, which the event repeats, and without ids. */
export const reasonWords = (reason: string): string =>
  sentenceOf(reason.replace(/^(?:[A-Z]+(?:_[A-Z]+)+|RETURN|WALLET|RV[A-Z]{2}): /, ''))
