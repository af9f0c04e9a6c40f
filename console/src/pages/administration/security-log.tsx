import type { ReactNode } from 'react'
import { useNames } from '../../api/names.ts'
import { lowered, t } from '../../language/index.ts'
import { WorkList } from '../../list/work-list.tsx'
import type { RowOf } from '../../list/work-list.tsx'
import { doerWords } from '../../parts/record-words.ts'
import { inWords, wordsOf } from '../../parts/status.tsx'

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
]

/** Hashes say nothing to people. */
const UNSHOWN: ReadonlySet<string> = new Set(['sections', 'ended_session_id'])

function detailsOf({ details }: Entry): string {
  if ('beyond_budget' in details) return t('Further ones, counted only')
  const { before, ...others } = details
  return Object.entries({ ...(before === undefined ? {} : { before }), ...others })
    .filter(([name]) => !UNSHOWN.has(name))
    .map(([name, value]) => `${inWords(name)}: ${textOf(value)}`)
    .join(' · ')
}

function textOf(value: unknown): string {
  if (typeof value === 'string') return wordsOf(value)
  if (Array.isArray(value)) return value.map(textOf).join(', ')
  if (typeof value !== 'object' || value === null) return String(value ?? t('none'))
  return Object.entries(value)
    .map(([name, field]) => `${lowered(inWords(name))} ${textOf(field)}`)
    .join(', ')
}

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
