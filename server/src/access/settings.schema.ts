/** The settings of a workspace as data: what each holds, in which unit, and who may change it. */
import {
  closed,
  flag,
  integer,
  nullable,
  notNegativeText,
  oneOf,
  time,
  Type,
} from '../http/index.ts'
import type { Static, TSchema } from '../http/index.ts'
import { brandSchema } from './brand.schema.ts'
import { generalLedgerSchema } from './general-ledger.schema.ts'
import { MAIL_LANGUAGES, mailTemplatesSchema } from './mail-templates.schema.ts'
import type { MailTemplates } from './mail-templates.schema.ts'
import { ROLES } from './permissions.ts'
import type { Permission } from './permissions.ts'
import { screeningSchema } from './screening.schema.ts'
import { timeZoneText } from './time-zones.ts'
import { travelRuleSchema } from './travel-rule.schema.ts'

const MAXIMUM_KEPT_DAYS = 36_525
const MAXIMUM_WAIT_MINUTES = 1_440
const MAXIMUM_CATEGORIES = 100
/**
 * Five years, one or two of them leap years. Directive (EU) 2015/849, Article 40, and Regulation
 * (EU) 2024/1624, Article 77: records are kept so long after the end of the relationship.
 */
const FIVE_YEARS_DAYS = 1_827

const FACTOR = 'a factor: 0.005 is 0.5 %'

const margins = Type.Object(
  { DEFAULT: notNegativeText(), PREMIUM: notNegativeText() },
  {
    additionalProperties: notNegativeText(),
    maxProperties: MAXIMUM_CATEGORIES,
    description:
      'Margin factor by customer category; further categories may be added. A customer whose ' +
      'category is missing gets that of DEFAULT',
  },
)

/** Factors as percent, Unix milliseconds as a date. */
export const SHOWN_AS = ['PERCENT', 'TIME'] as const
type ShownAs = (typeof SHOWN_AS)[number]

/** What is said of a setting beside its value. */
export type SettingFacts = {
  title: string
  /** With its description. */
  schema: TSchema & { description?: string }
  /** What the value counts, where it does not say that itself. */
  unit: string | null
  example: unknown
  /** How people read its numbers, where they do not read them as they are. */
  shown_as?: ShownAs
  /** Who may change it. Whoever may `settings.read` sees it. */
  permission: Permission
}

export const SETTINGS = {
  margins: {
    title: 'Margins',
    schema: margins,
    unit: FACTOR,
    shown_as: 'PERCENT',
    example: { DEFAULT: '0.005', PREMIUM: '0.0025', GOLD: '0.001' },
    permission: 'settings.margins.write',
  },
  default_risk: {
    title: 'Risk without data',
    schema: notNegativeText(
      'Risk factor of a firm quote while there is too little data to compute one',
    ),
    unit: FACTOR,
    shown_as: 'PERCENT',
    example: '0.001',
    permission: 'settings.trading.write',
  },
  slippage: {
    title: 'Slippage',
    schema: notNegativeText('Largest distance of a price from the top of the book, as a factor'),
    unit: FACTOR,
    shown_as: 'PERCENT',
    example: '0.01',
    permission: 'settings.trading.write',
  },
  reference_deviation: {
    title: 'Distance from the market',
    schema: notNegativeText('Largest distance of a route price from the market data, as a factor'),
    unit: FACTOR,
    shown_as: 'PERCENT',
    example: '0.05',
    permission: 'settings.trading.write',
  },
  fee_borne_by: {
    title: 'Network fees',
    schema: oneOf(['HOUSE', 'CUSTOMER'], 'Who pays the network fee of a customer withdrawal'),
    unit: null,
    example: 'HOUSE',
    permission: 'settings.treasury.write',
  },
  job_fee_share: {
    title: 'Fee of transfer jobs',
    schema: notNegativeText(
      'Largest fee of a transfer job as a share of its quantity: 0.1 is a tenth',
    ),
    unit: 'a share: 0.1 is 10 %',
    shown_as: 'PERCENT',
    example: '0.1',
    permission: 'settings.treasury.write',
  },
  compliance: {
    title: 'Assignments wait for a decision',
    schema: flag('New assignments wait for a decision'),
    unit: null,
    example: true,
    permission: 'settings.compliance.write',
  },
  screening: {
    title: 'Screening',
    schema: screeningSchema,
    unit: null,
    example: { withdrawals: true, deposits: true, lists: ['OFAC_SDN', 'EU_CONSOLIDATED'] },
    permission: 'settings.compliance.write',
  },
  travel_rule: {
    title: 'Travel rule',
    schema: travelRuleSchema,
    unit: null,
    example: { withdrawals: true, thresholds: [{ asset: 'BTC', quantity: '0.001' }] },
    permission: 'settings.compliance.write',
  },
  personal_data_kept_days: {
    title: 'Retention of personal data',
    schema: integer(
      0,
      MAXIMUM_KEPT_DAYS,
      'Days from the end of the relationship with a customer, or from the last movement if that ' +
        'is later, before the personal data may be erased',
    ),
    unit: 'days',
    example: FIVE_YEARS_DAYS,
    permission: 'settings.compliance.write',
  },
  open_period_from: {
    title: 'Open period',
    schema: nullable(time('Earliest value date that may be booked; null: no limit')),
    unit: 'Unix milliseconds, UTC',
    shown_as: 'TIME',
    example: 1_798_761_600_000,
    permission: 'settings.period.write',
  },
  general_ledger: {
    title: 'Numbers of the general ledger',
    schema: generalLedgerSchema,
    unit: null,
    example: {
      accounts: [
        { type: 'CUSTOMER', asset: 'EUR', number: '1700' },
        { type: 'VENUE', number: '1200' },
      ],
      datev: {
        consultant: 1001,
        client: 1,
        account_length: 4,
        fiscal_year_start: '01-01',
      },
    },
    permission: 'settings.period.write',
  },
  brand: {
    title: 'Brand',
    schema: brandSchema,
    unit: null,
    example: {
      name: 'Example Bank',
      legal_name: 'Example Bank AG',
      address: ['Example Street 1', '10115 Berlin'],
      contact: ['+49 30 1234567', 'desk@bank.example'],
      accent: '#0b57a4',
    },
    permission: 'settings.brand.write',
  },
  mail_wait_minutes: {
    title: 'Delay of deposit mails',
    schema: integer(
      0,
      MAXIMUM_WAIT_MINUTES,
      'For how long the mail about a deposit waits, so that a wrong assignment can be corrected ' +
        'before the customer is told',
    ),
    unit: 'minutes',
    example: 5,
    permission: 'settings.mails.write',
  },
  mail_language: {
    title: 'Language of mails',
    schema: oneOf(MAIL_LANGUAGES, 'For customers without a setting of their own'),
    unit: null,
    example: 'de',
    permission: 'settings.mails.write',
  },
  mail_time_zone: {
    title: 'Time zone of mails',
    schema: timeZoneText('For customers without a setting of their own'),
    unit: null,
    example: 'Europe/Berlin',
    permission: 'settings.mails.write',
  },
  mail_templates: {
    title: 'Mail texts',
    schema: mailTemplatesSchema,
    unit: null,
    example: {
      en: { deposit_booked: { subject: 'Your deposit', body: '{amount} has arrived.\n{bank}' } },
    },
    permission: 'settings.mails.write',
  },
  second_factor_roles: {
    title: 'Second factor',
    schema: Type.Array(oneOf(ROLES), {
      uniqueItems: true,
      maxItems: ROLES.length,
      description:
        'Users with one of these roles sign in with a password and a second factor, and are ' +
        'asked for both again before dangerous commands. With any role here, nobody sets the ' +
        'password of another person. Without: nobody needs one',
    }),
    unit: null,
    example: ['ADMIN', 'TREASURER'],
    permission: 'settings.sign-in.write',
  },
  passwords: {
    title: 'Passwords',
    schema: oneOf(
      ['EVERYBODY', 'ADMINISTRATORS'],
      'Who may sign in with a password. ADMINISTRATORS: those alone who may change users, so ' +
        'that a provider of single sign-on that is down locks nobody out for good',
    ),
    unit: null,
    example: 'ADMINISTRATORS',
    permission: 'settings.sign-in.write',
  },
} as const satisfies Record<string, SettingFacts>

export type SettingName = keyof typeof SETTINGS
export const SETTING_NAMES = Object.keys(SETTINGS) as SettingName[]

const schemasOf = <S extends Record<string, { schema: TSchema }>>(settings: S) =>
  Object.fromEntries(Object.entries(settings).map(([name, { schema }]) => [name, schema])) as {
    [Name in keyof S]: S[Name]['schema']
  }

export const settingsSchema = closed(schemasOf(SETTINGS), { title: 'Settings' })

export type Settings = Omit<Static<typeof settingsSchema>, 'margins' | 'mail_templates'> & {
  margins: { DEFAULT: string; PREMIUM: string; [category: string]: string }
  mail_templates: MailTemplates
}

export const DEFAULT_SETTINGS: Settings = {
  compliance: false,
  screening: { withdrawals: false, deposits: false, lists: ['OFAC_SDN', 'EU_CONSOLIDATED'] },
  travel_rule: { withdrawals: false, thresholds: [] },
  fee_borne_by: 'HOUSE',
  margins: { DEFAULT: '0.005', PREMIUM: '0.0025' },
  default_risk: '0.001',
  slippage: '0.01',
  reference_deviation: '0.05',
  job_fee_share: '0.1',
  open_period_from: null,
  general_ledger: { accounts: [] },
  personal_data_kept_days: FIVE_YEARS_DAYS,
  brand: {},
  mail_wait_minutes: 5,
  mail_language: 'en',
  mail_time_zone: 'UTC',
  mail_templates: {},
  second_factor_roles: [],
  passwords: 'EVERYBODY',
}
