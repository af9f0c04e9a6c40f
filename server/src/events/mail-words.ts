/** How a mail to a customer writes amounts and times, and how a template becomes a text. */
import type { MailLanguage, MailTemplate, Placeholder } from '../access/index.ts'
import type { Assets } from '../ledger/index.ts'

export type MailValues = Partial<Record<Placeholder, string>>
/** Where and how a customer reads. `time_zone`: a name of the IANA time zone database. */
export type Reader = { language: MailLanguage; time_zone: string; assets: Assets }

const MARKS = { en: { group: ',', point: '.' }, de: { group: '.', point: ',' } } as const
const LOCALES = { en: 'en-GB', de: 'de-DE' } as const

/** All digits of an exact amount; money has at least the decimals of its currency. */
export const amountText = (quantity: string, asset: string, reader: Reader): string =>
  `${figureText(quantity, asset, reader)} ${asset}`.trim()

/** As `amountText`, without the asset. */
export function figureText(quantity: string, asset: string, { language, assets }: Reader): string {
  const [whole = '', fraction = ''] = quantity.split('.')
  const known = assets.get(asset)
  const digits = known?.kind === 'FIAT' ? fraction.padEnd(known.scale, '0') : fraction
  const { group, point } = MARKS[language]
  const grouped = whole.replaceAll(/\B(?=(\d{3})+$)/g, group)
  return `${grouped}${digits === '' ? '' : point}${digits}`
}

/** To the minute, with the name of the zone: `29 November 2026 at 03:15 CET`. */
export function timeText(at: number, { language, time_zone }: Reader): string {
  return new Intl.DateTimeFormat(LOCALES[language], {
    day: 'numeric',
    month: 'long',
    year: 'numeric',
    hour: '2-digit',
    minute: '2-digit',
    timeZoneName: 'short',
    timeZone: time_zone,
  }).format(at)
}

const DAY = { day: '2-digit', month: '2-digit', year: 'numeric' } as const

/** As in a column of times, whose zone is said beside it: `29/11/2026, 03:15`. */
export function shortTimeText(at: number, { language, time_zone: timeZone }: Reader): string {
  const minute = { hour: '2-digit', minute: '2-digit' } as const
  return new Intl.DateTimeFormat(LOCALES[language], { ...DAY, ...minute, timeZone }).format(at)
}

/** The day that a bank has named, which is the same in every zone: `29/11/2026`. */
export const dayText = (at: number, { language }: Pick<Reader, 'language'>): string =>
  new Intl.DateTimeFormat(LOCALES[language], { ...DAY, timeZone: 'UTC' }).format(at)

const DAY_MILLISECONDS = 86_400_000

/** A value date is a day: the bank's, or where no day was named, that of the moment. */
export function valueDateText(at: number, reader: Reader): string {
  if (at % DAY_MILLISECONDS === 0) return dayText(at, reader)
  const { language, time_zone: timeZone } = reader
  return new Intl.DateTimeFormat(LOCALES[language], { ...DAY, timeZone }).format(at)
}

/** What a person can read out on the phone: `W-5F3A9C21`, the end of the record's id. */
export const shortReference = (kind: string, id: string): string =>
  `${kind.slice(0, 1)}-${id.slice(-8)}`.toUpperCase()

/** Breaks, and what else a name or a reason may carry, would bring paragraphs of its own. */
export const inOneLine = (text: string): string => text.replaceAll(/[\s\p{Cc}]+/gu, ' ').trim()

/**
 * A line with an empty placeholder is left out. A value cannot bring a line break or a placeholder
 * of its own.
 */
export function fillTemplate(
  template: MailTemplate,
  values: MailValues,
): { subject: string; body: string } {
  const lines = template.body
    .split(/\r?\n/)
    .map((line) => fillLine(line, values))
    .filter((line) => line !== undefined)
  return {
    subject: fillLine(template.subject, values, ' ') ?? '',
    body: `${lines
      .join('\n')
      .replaceAll(/\n{3,}/g, '\n\n')
      .trim()}\n`,
  }
}

/** Undefined when a placeholder is empty and `absent` does not stand in for it. */
function fillLine(line: string, values: MailValues, absent?: string): string | undefined {
  let complete = true
  const filled = line.replaceAll(/\{([a-z_]+)\}/g, (_all, name: Placeholder) => {
    const value = inOneLine(values[name] ?? '')
    if (value !== '') return value
    complete = false
    return absent ?? ''
  })
  return complete || absent !== undefined ? filled : undefined
}
