/** The mails to customers as a workspace may word them: kinds, languages and placeholders. */
import { refuse } from '../core/errors.ts'
import { closed, optional, requiredText, Type } from '../http/index.ts'

export const MAIL_LANGUAGES = ['en', 'de'] as const
export type MailLanguage = (typeof MAIL_LANGUAGES)[number]

/** The placeholders that any mail may have. */
const COMMON = ['customer', 'bank', 'time', 'reference'] as const
const PAYMENT = ['amount', 'destination', 'purpose', 'transaction', 'reason'] as const
const ORDER = ['side', 'amount', 'against', 'filled', 'volume', 'reason'] as const
const CORRECTION = ['told', 'told_time'] as const

const PLACEHOLDERS = {
  deposit_booked: ['amount', 'transaction', 'came_back'],
  withdrawal_sent: PAYMENT,
  withdrawal_failed: PAYMENT,
  withdrawal_rejected: PAYMENT,
  return_sent: PAYMENT,
  return_failed: PAYMENT,
  return_rejected: PAYMENT,
  transfer_given: ['amount', 'reason'],
  transfer_received: ['amount', 'reason'],
  order_filled: ORDER,
  order_canceled: ORDER,
  order_expired: ORDER,
  order_failed: ORDER,
  correction_not_yours: CORRECTION,
  correction_taken_back: CORRECTION,
  correction_not_sent: CORRECTION,
  correction_sent: CORRECTION,
  correction_order: CORRECTION,
} as const

export type MailKind = keyof typeof PLACEHOLDERS
const MAIL_KINDS = Object.keys(PLACEHOLDERS) as MailKind[]
export type Placeholder = (typeof COMMON)[number] | (typeof PLACEHOLDERS)[MailKind][number]

const MAXIMUM_SUBJECT = 200
const MAXIMUM_BODY = 5_000

const template = {
  subject: requiredText(MAXIMUM_SUBJECT, 'One line'),
  body: requiredText(
    MAXIMUM_BODY,
    'A line whose placeholder is empty for this mail is left out of it',
  ),
}
export type MailTemplate = { subject: string; body: string }

const named = (kind: MailKind): string =>
  `Placeholders: ${placeholdersOf(kind)
    .map((name) => `{${name}}`)
    .join(' ')}`

const ofEachKind = closed(
  Object.fromEntries(
    MAIL_KINDS.map((kind) => [
      kind,
      optional(Type.Object(template, { additionalProperties: false, description: named(kind) })),
    ]),
  ),
)

export const mailTemplatesSchema = closed(
  Object.fromEntries(MAIL_LANGUAGES.map((language) => [language, optional(ofEachKind)])),
  { description: "Mails in the workspace's own words. What is absent is worded by Kontor" },
)
export type MailTemplates = Partial<Record<MailLanguage, Partial<Record<MailKind, MailTemplate>>>>

function placeholdersOf(kind: MailKind): readonly Placeholder[] {
  return [...COMMON, ...PLACEHOLDERS[kind]]
}

/** Throws 3001 for a placeholder that the mail does not have, and for a subject of many lines. */
export function assertMailTemplates(templates: MailTemplates, at: string): void {
  for (const language of MAIL_LANGUAGES)
    for (const kind of MAIL_KINDS) {
      const template = templates[language]?.[kind]
      if (template === undefined) continue
      const path = `${at}.${language}.${kind}`
      if (/[\r\n]/.test(template.subject))
        throw refuse('FORMAT', `${path}.subject`, `${path}.subject must be one line`)
      assertPlaceholders(kind, template.subject, `${path}.subject`)
      assertPlaceholders(kind, template.body, `${path}.body`)
    }
}

function assertPlaceholders(kind: MailKind, text: string, path: string): void {
  const known = placeholdersOf(kind)
  for (const [, name = ''] of text.matchAll(/\{([^{}\n]*)\}/g))
    if (!known.some((placeholder) => placeholder === name))
      throw refuse(
        'FORMAT',
        path,
        `${path} has the placeholder {${name}}, which is not one of ` +
          known.map((placeholder) => `{${placeholder}}`).join(', '),
      )
}
