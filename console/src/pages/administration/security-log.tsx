import { isAmount } from '@kontor/client'
import type { ReactNode } from 'react'
import { useNames } from '../../api/names.ts'
import { lowered, t } from '../../language/index.ts'
import { WorkList } from '../../list/work-list.tsx'
import type { RowOf } from '../../list/work-list.tsx'
import { amountWords } from '../../parts/amount-words.ts'
import { localTime } from '../../parts/local-time.ts'
import { doerWords } from '../../parts/record-words.ts'
import { inWords, wordsOf } from '../../parts/status.tsx'
import { limitWords } from './api-key-form.tsx'

type Entry = RowOf<'/security-log'>

const KINDS: readonly Entry['kind'][] = [
  'SIGNED_IN',
  'SIGN_IN_FAILED',
  'SESSION_ENDED',
  'REFRESH_REFUSED',
  'TOKEN_REFUSED',
  'PERMISSION_DENIED',
  'USER_CREATED',
  'USER_CHANGED',
  'ROLES_CHANGED',
  'PASSWORD_CHANGED',
  'SETTINGS_CHANGED',
  'DECLARATION_CHANGED',
  'VENUE_SECRET_WRITTEN',
  'CONFIGURATION_APPLIED',
  'SIGNING_KEY_ROTATED',
  'WRAPPING_KEY_REPLACED',
  'HEAD_KEY_REPLACED',
  'WEBHOOK_CHANGED',
  'SIGN_IN_PROVIDER_CHANGED',
  'IDENTITY_LINKED',
  'IDENTITY_UNLINKED',
]

/** Hashes say nothing to people. */
const UNSHOWN: ReadonlySet<string> = new Set(['sections', 'ended_session_id'])

/** Fields whose values are names of the API, as `assets` and `created`. */
const NAMES: ReadonlySet<string> = new Set(['what', 'changed', 'session', 'cause', 'roles'])

function detailsOf({ details }: Entry): string {
  if ('beyond_budget' in details) return t('Further ones, counted only')
  const { before, ...others } = details
  return Object.entries({ ...(before === undefined ? {} : { before }), ...others })
    .filter(([name]) => !UNSHOWN.has(name))
    .map(([name, value]) => `${inWords(name)}: ${textOf(value, name)}`)
    .join(' · ')
}

function textOf(value: unknown, of: string): string {
  if (typeof value === 'string') return NAMES.has(of) ? inWords(value) : saidOf(value)
  if (typeof value === 'number' && of.endsWith('_at')) return localTime(value)
  if (typeof value === 'boolean') return value ? t('Yes') : t('No')
  if (Array.isArray(value))
    return value.length === 0 ? t('none') : value.map((one) => textOf(one, of)).join(', ')
  if (typeof value !== 'object' || value === null) return String(value ?? t('none'))
  if (isLimit(value)) return limitWords(value)
  const fields = Object.entries(value)
  return fields.length === 0
    ? t('none')
    : fields.map(([name, field]) => `${lowered(inWords(name))} ${textOf(field, name)}`).join(', ')
}

const saidOf = (text: string): string =>
  isAmount(text) && text.includes('.') ? amountWords(text) : wordsOf(text)

type Limit = Parameters<typeof limitWords>[0]

const isLimit = (value: object): value is Limit =>
  'asset' in value && 'per_transaction' in value && 'per_day' in value

export function Page(): ReactNode {
  const users = useNames('user')
  const nameOf = (actor: string | null): string | null =>
    actor === null ? null : (users.get(actor) ?? doerWords(actor))
  return (
    <WorkList
      title={t('Security log')}
      path="/security-log"
      every={15_000}
      record={false}
      columns={[
        { key: 'occurred_at', title: t('Time'), kind: 'time' },
        { key: 'kind', title: t('Event'), value: ({ kind }) => inWords(kind), width: 170 },
        { key: 'email', title: t('User'), width: 200 },
        { key: 'details', title: t('Details'), value: detailsOf, width: 420 },
        { key: 'count', title: t('Times'), kind: 'number' },
        { key: 'address', title: t('Network address'), width: 150 },
        { key: 'agent', title: t('Program'), width: 260 },
        {
          key: 'actor',
          title: t('By'),
          value: ({ actor, user_id, email }) =>
            actor !== null && actor === user_id ? email : nameOf(actor),
          width: 200,
        },
        { key: 'user_id', title: t('User id'), kind: 'id', extra: true },
        { key: 'session_id', title: t('Session'), kind: 'id', extra: true },
        { key: 'id', title: t('Id'), kind: 'id', extra: true },
      ]}
      filters={[
        { name: 'kind', label: t('What'), kind: 'words', options: KINDS, many: true },
        { name: 'email', label: t('E-mail of the user'), kind: 'text' },
        { name: 'occurred_at_from', label: t('Since'), kind: 'time' },
        { name: 'occurred_at_to', label: t('Until'), kind: 'time' },
      ]}
      empty={{ title: t('No entries yet'), text: t('Sign-ins, refusals and changes appear here.') }}
    />
  )
}
