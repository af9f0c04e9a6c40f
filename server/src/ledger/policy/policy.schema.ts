/**
 * The policy of a workspace: ordered rules, of which the first that matches decides about a
 * command. It is data; judge.ts says what it means.
 */
import type { AccountId, ApiKeyId, TreasuryRouteId, UserId, WithdrawalId } from '../../core/ids.ts'
import {
  asset,
  closed,
  decimalText,
  flag,
  id,
  integer,
  nullable,
  oneOf,
  optional,
  positiveText,
  requiredText,
  text,
  time,
  Type,
} from '../../http/index.ts'
import type { Static, TSchema } from '../../http/index.ts'

/** What is judged, in words. approvals/commands.ts says which operations are which. */
const COMMANDS = {
  WITHDRAWAL: 'a withdrawal, whoever or whatever asks for it',
  ROUTE_CHANGE: 'a change of wallets, treasury routes or the allow-list',
  JOB_CHANGE: 'a change of transfer jobs',
  RECTIFICATION: 'a rectification of assignments',
  MANUAL_BOOKING: 'a booking by hand, or a transfer between customers',
  OUTCOME_RESOLUTION: 'an outcome that is entered by hand',
  HALT_RELEASE: 'the release of a halt or of a frozen account',
  PERIOD_CHANGE: 'closing or opening a period',
  USER_CHANGE: 'a change of users and their roles',
  API_KEY_CHANGE: 'a change of API keys',
  SETTING_CHANGE: 'a change of settings',
  VENUE_CHANGE: 'a change of venues, assets or price routes, or of secrets',
  WEBHOOK_CHANGE: 'a change of webhooks',
  POLICY_CHANGE: 'a change of the policy',
} as const
export type Command = keyof typeof COMMANDS
export const COMMAND_NAMES = Object.keys(COMMANDS) as readonly Command[]

/** Of whom the withdrawals of a day are summed up; WORKSPACE: of everybody. */
export const PER = ['CUSTOMER', 'ROUTE', 'USER', 'KEY', 'WORKSPACE'] as const
export type Per = (typeof PER)[number]

export const WEEKDAYS = ['MON', 'TUE', 'WED', 'THU', 'FRI', 'SAT', 'SUN'] as const
export type Weekday = (typeof WEEKDAYS)[number]

const MAXIMUM_RULES = 100
const MAXIMUM_NAMES = 100
const MAXIMUM_GROUPS = 5
const MAXIMUM_APPROVALS = 10
const MAXIMUM_HOURS = 24 * 365
const LONGEST_WAIT_HOURS = 24 * 30
const MAXIMUM_ROLE = 30
const MAXIMUM_ZONE = 64

const some = <Item extends TSchema>(item: Item, description?: string) =>
  Type.Array(item, {
    minItems: 1,
    maxItems: MAXIMUM_NAMES,
    uniqueItems: true,
    ...(description === undefined ? {} : { description }),
  })

const clockTime = (description: string) =>
  Type.String({
    pattern: '^([01][0-9]|2[0-3]):[0-5][0-9]$',
    maxLength: 5,
    'x-form': 'must be a time of day such as 18:30',
    description,
  })

export const TimeOfDay = closed(
  {
    from: clockTime('The first minute that counts'),
    to: clockTime('The first that no longer does; before `from`: on the next day'),
    zone: requiredText(MAXIMUM_ZONE, 'Time zone, as Europe/Berlin'),
    days: optional(some(oneOf(WEEKDAYS), 'On which it begins; every day when absent')),
  },
  { title: 'TimeOfDay' },
)
export type TimeOfDay = Static<typeof TimeOfDay>

/** All that is stated must hold. */
export const When = closed(
  {
    commands: optional(some(oneOf(COMMAND_NAMES), 'Any of these; every command when absent')),
    assets: optional(some(asset())),
    amount_at_least: optional(positiveText('Needs exactly one asset')),
    amount_per_day_at_least: optional(
      closed(
        {
          per: oneOf(PER, 'Whose withdrawals of the day (UTC) are summed up'),
          amount: positiveText('With the one that is judged'),
        },
        { title: 'AmountPerDay', description: 'Of withdrawals alone. Needs exactly one asset' },
      ),
    ),
    destination_is_new: optional(
      flag('Whether nothing was ever sent there from here that has arrived'),
    ),
    destination_younger_than_hours: optional(
      integer(1, MAXIMUM_HOURS, 'The destination was added or changed less than so many hours ago'),
    ),
    routes: optional(some(id<TreasuryRouteId>())),
    requesters: optional(some(id<UserId>(), 'Users')),
    roles: optional(
      some(requiredText(MAXIMUM_ROLE), 'Of the user who asks: any of these. A program has none'),
    ),
    api_keys: optional(some(id<ApiKeyId>())),
    time_of_day: optional(TimeOfDay),
  },
  { title: 'When' },
)
export type When = Static<typeof When>

export const ApprovalGroup = closed(
  {
    roles: optional(some(requiredText(MAXIMUM_ROLE), 'Any of these')),
    users: optional(some(id<UserId>(), 'Any of these')),
    n: integer(1, MAXIMUM_APPROVALS, 'How many of them'),
  },
  {
    title: 'ApprovalGroup',
    description: 'Without roles and users: whoever has the permission approvals.decide',
  },
)
export type ApprovalGroup = Static<typeof ApprovalGroup>

export const Approve = closed(
  {
    groups: Type.Array(ApprovalGroup, {
      minItems: 1,
      maxItems: MAXIMUM_GROUPS,
      description: 'Each must be complete; a person counts for one of them',
    }),
    within_hours: integer(1, LONGEST_WAIT_HOURS, 'After that the request has expired'),
  },
  { title: 'Approve' },
)
export type Approve = Static<typeof Approve>

const VERDICTS = ['ALLOW', 'DENY', 'APPROVE'] as const
export type PolicyVerdict = (typeof VERDICTS)[number]

export const Rule = closed(
  {
    name: requiredText(100, 'What refusals and requests name'),
    when: When,
    verdict: oneOf(VERDICTS, 'What is done with a command for which all of `when` holds'),
    approve: optional(Approve),
  },
  { title: 'Rule' },
)
export type Rule = Static<typeof Rule>

const rules = Type.Array(Rule, {
  maxItems: MAXIMUM_RULES,
  description: 'In order: the first that matches decides',
})
const OTHERWISE = ['ALLOW', 'DENY'] as const
const otherwise = oneOf(OTHERWISE, 'What is done with a command that no rule matches')

export const PolicyRecord = closed(
  {
    version: Type.Integer({ minimum: 0, description: 'Grows with each change; 0: there is none' }),
    rules,
    otherwise,
    note: nullable(text(500, 'Why it was changed')),
    made_by: nullable(text(500, 'Who made it')),
    made_at: nullable(time()),
  },
  { title: 'Policy' },
)
export type PolicyInForce = Static<typeof PolicyRecord>
/** What the judge needs of it. */
export type Policy = Pick<PolicyInForce, 'version' | 'rules' | 'otherwise'>

export const PutPolicy = closed(
  {
    rules,
    otherwise,
    note: optional(requiredText(500, 'Why')),
    version: Type.Integer({ minimum: 0, description: 'Refused when it is not the current one' }),
  },
  { title: 'PutPolicy' },
)
export type PutPolicyBody = Static<typeof PutPolicy>

export const PolicyAnswer = closed(
  {
    policy_version: Type.Integer({ minimum: 0 }),
    verdict: oneOf(VERDICTS),
    rule: nullable(Type.Integer({ minimum: 1, description: 'Null: no rule matched' })),
    rule_name: nullable(text(100)),
    reason: text(1000),
    possible_at: nullable(time('From when on the rule no longer stands against it by itself')),
    groups: Type.Array(ApprovalGroup, { description: 'Who would have to approve it' }),
    within_hours: nullable(Type.Integer({ minimum: 1 })),
  },
  { title: 'PolicyAnswer' },
)
export type PolicyAnswer = Static<typeof PolicyAnswer>

export const PreviewPolicy = closed(
  {
    treasury_route_id: id<TreasuryRouteId>('Over which the withdrawal would go'),
    quantity: positiveText('That would arrive'),
    account_id: optional(id<AccountId>('Whose it would be')),
    third_party: optional(flag('As with the withdrawal')),
  },
  { title: 'PreviewPolicy' },
)
export type PreviewPolicyBody = Static<typeof PreviewPolicy>

const TRIED_DAYS = 92
export const TryPolicy = closed(
  { rules, otherwise, days: integer(1, TRIED_DAYS, 'How many days back') },
  { title: 'TryPolicy' },
)
export type TryPolicyBody = Static<typeof TryPolicy>

const triedMovement = closed(
  {
    withdrawal_id: id<WithdrawalId>(),
    asked_at: time(),
    asset: asset(),
    quantity: decimalText(),
    verdict: oneOf(VERDICTS),
    rule: nullable(Type.Integer({ minimum: 1 })),
    reason: text(1000),
  },
  { title: 'TriedMovement' },
)

export const PolicyTrial = closed(
  {
    movements: Type.Integer({ minimum: 0, description: 'Withdrawals that were judged' }),
    complete: flag('False: there were more, and the oldest were left out'),
    counts: closed(
      {
        ALLOW: Type.Integer({ minimum: 0 }),
        DENY: Type.Integer({ minimum: 0 }),
        APPROVE: Type.Integer({ minimum: 0 }),
      },
      { title: 'VerdictCounts' },
    ),
    matched: Type.Array(Type.Integer({ minimum: 0 }), {
      description: 'How many each rule decided about, in the order of the rules',
    }),
    stopped: Type.Array(triedMovement, {
      description: 'The newest of those that would have been denied, or would have waited',
    }),
  },
  { title: 'PolicyTrial' },
)
export type PolicyTrial = Static<typeof PolicyTrial>

export const NO_POLICY: PolicyInForce = {
  version: 0,
  rules: [],
  otherwise: 'ALLOW',
  note: null,
  made_by: null,
  made_at: null,
}

/** It allows everything: nothing is counted then. */
export const isOff = ({ rules: all, otherwise: rest }: Policy): boolean =>
  all.length === 0 && rest === 'ALLOW'
