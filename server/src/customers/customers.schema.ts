import { MAIL_LANGUAGES, timeZoneText } from '../access/index.ts'
import type { AccountId, CustomerId } from '../core/ids.ts'
import type { Moves } from '../core/moves.ts'
import {
  closed,
  emailText,
  flag,
  id,
  integer,
  nullable,
  optional,
  optionalBlank,
  READ_ONLY_FIELDS,
  record,
  refusedForm,
  requiredText,
  text,
  time,
  Type,
  oneOf,
} from '../http/index.ts'
import type { Static } from '../http/index.ts'

const CUSTOMER_TYPES = ['RETAIL', 'INSTITUTION', 'JOINT'] as const
type CustomerType = (typeof CUSTOMER_TYPES)[number]

const BOOKING_SCHEMAS = ['ADVANCED', 'SIMPLE'] as const

export const CUSTOMER_STATES = ['ACTIVE', 'DELETED'] as const
type CustomerState = (typeof CUSTOMER_STATES)[number]

export const CUSTOMER_MOVES: Moves<CustomerState> = { ACTIVE: ['DELETED'], DELETED: [] }

const MAXIMUM_NAME = 200
const MAXIMUM_CATEGORY = 50
const MAXIMUM_ENTRIES = 100
const MAXIMUM_VERSION = 2_147_483_647

const names = {
  first_name: requiredText(MAXIMUM_NAME, 'Required if type is RETAIL'),
  last_name: requiredText(MAXIMUM_NAME, 'Required if type is RETAIL'),
  company_name: requiredText(MAXIMUM_NAME, 'Required if type is INSTITUTION'),
  joint_name: requiredText(MAXIMUM_NAME, 'Required if type is JOINT'),
}

/** The names that a customer of each type must have. */
export const REQUIRED_NAMES: Readonly<Record<CustomerType, readonly (keyof typeof names)[]>> = {
  RETAIL: ['first_name', 'last_name'],
  INSTITUTION: ['company_name'],
  JOINT: ['joint_name'],
}

const required = {
  type: oneOf(CUSTOMER_TYPES),
  label: requiredText(MAXIMUM_NAME, 'Display label'),
  margin: requiredText(
    MAXIMUM_CATEGORY,
    'Markup category, one of those in the workspace settings: DEFAULT, PREMIUM, …',
  ),
  booking_schema: oneOf(BOOKING_SCHEMAS),
  ignore_balance_check: flag('Suspends the balance check'),
  ignore_margin: flag('No margin is charged'),
}

const entityIds = Type.Array(requiredText(MAXIMUM_NAME), { maxItems: MAXIMUM_ENTRIES })
const recipients = Type.Array(emailText(), {
  maxItems: MAXIMUM_ENTRIES,
  description: 'E-mail addresses used for event notifications',
})

const request = {
  ...required,
  first_name: optionalBlank(names.first_name),
  last_name: optionalBlank(names.last_name),
  company_name: optionalBlank(names.company_name),
  joint_name: optionalBlank(names.joint_name),
  foreign_id: optionalBlank(
    requiredText(MAXIMUM_NAME, 'Id in a foreign system, unique within the workspace'),
  ),
  investment_entity_ids: optional(entityIds),
  notification_recipients: optional(recipients),
  language: optional(oneOf(MAIL_LANGUAGES, 'Of mails to the customer')),
  time_zone: optional(timeZoneText('Of the times in mails to the customer')),
}

export const CustomerRecord = record('Customer', {
  id: id<CustomerId>(),
  ...required,
  first_name: nullable(text()),
  last_name: nullable(text()),
  company_name: nullable(text()),
  joint_name: nullable(text()),
  foreign_id: nullable(text()),
  investment_entity_ids: entityIds,
  notification_recipients: recipients,
  language: nullable(oneOf(MAIL_LANGUAGES, 'Of mails; null: as the workspace says')),
  time_zone: nullable(timeZoneText('Of the times in mails; null: as the workspace says')),
  state: oneOf(CUSTOMER_STATES),
  account_id: id<AccountId>("The customer's account, created with the customer"),
  erased_at: nullable(time('When it was last begun to erase the personal data; null: never')),
})
export type Customer = Static<typeof CustomerRecord>

/** What `checkRules` refuses. */
const REFUSED = CUSTOMER_TYPES.flatMap((type) =>
  REQUIRED_NAMES[type].map((name) => refusedForm({ where: { type: [type] }, lacking: [name] })),
)

export const CreateCustomer = closed(request, { title: 'CreateCustomer', 'x-refused': REFUSED })
export type CreateCustomerBody = Static<typeof CreateCustomer>

export const ChangeCustomer = closed(
  {
    id: id<CustomerId>(),
    ...request,
    version: optional(
      integer(
        1,
        MAXIMUM_VERSION,
        'When given, the change is refused unless this is still the current version',
      ),
    ),
  },
  {
    title: 'ChangeCustomer',
    'x-refused': REFUSED,
    'x-read-only': [...READ_ONLY_FIELDS, 'state', 'account_id', 'erased_at'],
  },
)
export type ChangeCustomerBody = Static<typeof ChangeCustomer>
