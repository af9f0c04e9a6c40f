/** How the policy is begun and changed; what is confirmed was tried on what has happened. */
import type { ReactNode } from 'react'
import { client } from '../../api/session.ts'
import type { ActionPlan, Fact, Values } from '../../action/plan.ts'
import { filledTexts } from '../../action/filled.ts'
import { t } from '../../language/index.ts'
import { COMMANDS } from '../desk/asked-words.ts'
import { filledJson } from './declaration-fields.ts'
import { conditionsOf, otherwiseWords, verdictWords } from './policy-words.ts'
import type { Policy, Rule } from './policy-words.ts'

const TRIED_DAYS = 30
const HOURS = { pattern: /^[1-9][0-9]{0,2}$/, says: t('Hours, as a whole number') } as const
/** Whatever opens another way to money or to power. */
const OTHERS = COMMANDS.filter((command) => command !== 'WITHDRAWAL')

const numberOf = (value: unknown): number => Number(String(value).trim())

function firstRules({ approvals, within_hours, rest_hours }: Values): Rule[] {
  const approve = (n: number) => ({
    groups: [{ roles: ['APPROVER'], n }],
    within_hours: numberOf(within_hours),
  })
  const rest = String(rest_hours ?? '').trim()
  const resting: Rule = {
    name: t('New destinations rest'),
    when: { commands: ['WITHDRAWAL'], destination_younger_than_hours: numberOf(rest) },
    verdict: 'DENY',
  }
  return [
    ...(rest === '' ? [] : [resting]),
    {
      name: t('What leaves'),
      when: { commands: ['WITHDRAWAL'] },
      verdict: 'APPROVE',
      approve: approve(numberOf(approvals)),
    },
    {
      name: t('What opens a way to it'),
      when: { commands: OTHERS },
      verdict: 'APPROVE',
      approve: approve(1),
    },
  ]
}

type Proposed = Pick<Policy, 'rules' | 'otherwise'>

async function factsOf(proposed: Proposed): Promise<Fact[]> {
  const { counts, movements } = await client().post('/policy/try', {
    body: { ...proposed, days: TRIED_DAYS },
  })
  return [
    ...proposed.rules.map((rule) => ({ label: rule.name, value: <RuleText rule={rule} /> })),
    {
      label: t('What no rule matches'),
      value: otherwiseWords(proposed),
    },
    {
      label: t('On the withdrawals of the last {{count}} days', { count: TRIED_DAYS }),
      value: t('{{allowed}} allowed, {{waiting}} to be approved, {{denied}} denied, of {{all}}', {
        allowed: counts.ALLOW,
        waiting: counts.APPROVE,
        denied: counts.DENY,
        all: movements,
      }),
    },
  ]
}

/** Its conditions and what is then done. */
export function RuleText({ rule }: { rule: Rule }): ReactNode {
  return (
    <>
      {conditionsOf(rule.when).join(' · ')}: <strong>{verdictWords(rule)}</strong>
    </>
  )
}

const NOTE = { name: 'note', label: t('Why'), kind: 'lines' } as const
const common = { permission: 'policy.write', method: 'put', path: '/policy', width: 720 } as const
const done = ({ version }: Policy): string =>
  t('Version {{version}} is in force', { version: String(version) })

export const begin: ActionPlan<'put', '/policy', Policy> = {
  ...common,
  label: t('Let others approve'),
  why: ({ rules }) => (rules.length === 0 ? undefined : t('There are rules already')),
  explain: () =>
    t(
      'Withdrawals, and whatever opens a way to them, wait for people with the role Approver. ' +
        'Nobody approves what they have asked for. There must be enough of them beside who asks.',
    ),
  fields: [
    {
      name: 'approvals',
      label: t('Approvals for a withdrawal'),
      kind: 'words',
      options: ['1', '2', '3'].map((value) => ({ value, label: value })),
      required: true,
    },
    {
      name: 'within_hours',
      label: t('Within how many hours'),
      kind: 'text',
      form: HOURS,
      required: true,
    },
    {
      name: 'rest_hours',
      label: t('How many hours a new destination rests'),
      kind: 'text',
      form: { ...HOURS, pattern: /^([1-9][0-9]{0,2})?$/ },
      help: t('Nothing is sent there before. Empty: no rest.'),
    },
    NOTE,
  ],
  initial: () => ({ approvals: '1', within_hours: '24' }),
  request: ({ version }, { note, ...values }) => ({
    body: { rules: firstRules(values), otherwise: 'ALLOW', version, ...filledTexts({ note }) },
  }),
  confirm: (_policy, values) => factsOf({ rules: firstRules(values), otherwise: 'ALLOW' }),
  done,
}

const proposedIn = ({ rules, otherwise }: Values): Proposed => ({
  rules: (filledJson(rules, t('Rules')) ?? []) as Rule[],
  otherwise: otherwise as Policy['otherwise'],
})

export const change: ActionPlan<'put', '/policy', Policy> = {
  ...common,
  label: t('Change the rules'),
  explain: () =>
    t(
      'The first rule that matches decides. The rules are written as in the API; before they ' +
        'come into force you see them in words, and what they would have said of the last weeks.',
    ),
  fields: [
    { name: 'rules', label: t('Rules'), kind: 'lines', required: true },
    {
      name: 'otherwise',
      label: t('What no rule matches'),
      kind: 'words',
      options: (['ALLOW', 'DENY'] as const).map((otherwise) => ({
        value: otherwise,
        label: otherwiseWords({ otherwise }),
      })),
      required: true,
    },
    NOTE,
  ],
  initial: ({ rules, otherwise }) => ({ rules: JSON.stringify(rules, null, 2), otherwise }),
  request: ({ version }, { note, ...values }) => ({
    body: { ...proposedIn(values), version, ...filledTexts({ note }) },
  }),
  confirm: (_policy, values) => factsOf(proposedIn(values)),
  done,
}
