/** What the service composes of words, amounts and names: titles of records and of steps. */
import { t } from '../language/index.ts'
import { ACCOUNT_TYPES } from './account-types.ts'
import { amountWords } from './amount-words.ts'
import { inWords, isCodeLike } from './code-words.ts'
import { reasonWords, sentenceOf, told } from './refusal-words.ts'

const AMOUNT = '(-?\\d+(?:\\.\\d+)?) ([A-Z0-9]+)'

type Titles = readonly (readonly [RegExp, (...found: string[]) => string])[]

/** Titles of steps, behind what happened. */
const SUBJECTS: Titles = [
  [
    new RegExp(`^${AMOUNT} for (.+)$`, 's'),
    (amount = '', asset, account = '') =>
      t('{{amount}} for {{account}}', {
        amount: amountWords(amount, asset),
        account: accountWords(account),
      }),
  ],
  [
    new RegExp(`^${AMOUNT} from (.+) to (.+)$`, 's'),
    (amount = '', asset, from = '', to = '') =>
      t('{{amount}} from {{from}} to {{to}}', {
        amount: amountWords(amount, asset),
        from: accountWords(from),
        to: accountWords(to),
      }),
  ],
]

const ORDER =
  /^Order to (.+): (BUY|SELL) (\d+(?:\.\d+)?) (\S+), ([A-Z_]+)(?: at (\d+(?:\.\d+)?))?$/s

/** What happened, with whom: `Assigned: 10 EUR for Jonas Keller`. */
export function titleWords(title: string): string {
  const order = ORDER.exec(title)
  if (order !== null) return orderTitle(order)
  const at = title.indexOf(': ')
  if (at === -1) return sentenceOf(title)
  const [what, whom] = [title.slice(0, at), title.slice(at + 2)]
  return `${sentenceOf(what)}: ${wordsBy(SUBJECTS, whom) ?? told(whom)}`
}

function orderTitle([, venue, side = '', quantity = '', symbol, type = '', price]: string[]) {
  const what = `${inWords(side)} ${amountWords(quantity)} ${symbol}, ${inWords(type)}`
  return price === undefined
    ? t('Order to {{venue}}: {{what}}', { venue, what })
    : t('Order to {{venue}}: {{what}} at {{price}}', { venue, what, price: amountWords(price) })
}

function wordsBy(titles: Titles, text: string): string | undefined {
  for (const [form, words] of titles) {
    const found = form.exec(text)
    if (found !== null) return words(...found.slice(1))
  }
  return undefined
}

const NAMED = new RegExp(
  `^(?:(Deposit|Withdrawal|Payment|Book transfer|Quote|Assignment of|Break of) )?${AMOUNT}$`,
)
const TRADE = new RegExp(`^(?:(Order|Fill) )?(BUY|SELL) ${AMOUNT}$`)
const SET_ASIDE = /^Set aside: (.+)$/s
const JOB = /^Transfer job ([a-z]+)$/

/** Kinds of records whose titles are their labels. */
const LABELED: ReadonlySet<string> = new Set([
  'customer',
  'user',
  'venue',
  'wallet',
  'route',
  'price_route',
])

/** The title that search, the bell and links have of a record. */
export function recordTitle(kind: string, title: string): string {
  if (LABELED.has(kind)) return title
  if (kind === 'account') return accountWords(title)
  const named = NAMED.exec(title)
  if (named !== null) return `${inWords(kind)} ${amountWords(named[2] ?? '', named[3])}`
  const trade = TRADE.exec(title)
  if (trade !== null) {
    const [, what, side = '', amount = '', asset] = trade
    const words = `${inWords(side)} ${amountWords(amount, asset)}`
    return what === undefined ? words : `${inWords(kind)}: ${words}`
  }
  const aside = SET_ASIDE.exec(title)
  if (aside !== null) return `${inWords(kind)}: ${aside[1]}`
  const job = JOB.exec(title)
  if (job !== null) return `${inWords(kind)}: ${inWords((job[1] ?? '').toUpperCase())}`
  return /^(Batch|Settlement|Rectification|Run of a transfer job)$/.test(title)
    ? inWords(kind)
    : title
}

/** Accounts of the books are named as their types, as long as nobody names them otherwise. */
const OWN_LABELS: ReadonlyMap<string, string> = new Map(
  ACCOUNT_TYPES.map((type) => [type.charAt(0) + type.slice(1).toLowerCase(), type]),
)

export function accountWords(label: string): string {
  const type = OWN_LABELS.get(label)
  return type === undefined ? label : inWords(type)
}

/** Who did it: a person, or a part of Kontor. */
const PARTS: Readonly<Record<string, string>> = {
  trading: t('Trading'),
  treasury: t('Treasury'),
  settlements: t('Settlements'),
  venues: t('Venues'),
  desk: t('Desk'),
  mail: t('Mail'),
  webhooks: t('Webhooks'),
  notifications: t('Notifications'),
  configuration: t('Configuration'),
  ledger: t('Books'),
  erasure: t('Erasure'),
  'book transfers': t('Book transfers'),
  'after-restore': t('Restore'),
  'disk watch': t('Disk watch'),
}

export function doerWords(by: string): string {
  if (by === 'kontor') return 'Kontor'
  const part = Object.hasOwn(PARTS, by) ? PARTS[by] : undefined
  return part === undefined ? by : t('Kontor ({{part}})', { part })
}

/** A reason that is a code or a sentence of the service. */
export const whyWords = (text: string): string =>
  isCodeLike(text) ? inWords(text) : reasonWords(text)

/** What is stored may also be a person's text, or a venue's: that stays as it is. */
export function storedWords(text: string): string {
  if (isCodeLike(text)) return inWords(text)
  const words = told(text)
  return words === text ? text : `${words.charAt(0).toUpperCase()}${words.slice(1)}`
}
