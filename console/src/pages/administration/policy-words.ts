/** Rules of the policy in words. */
import type { DataOf } from '@kontor/client'
import { t } from '../../language/index.ts'
import { inWords } from '../../parts/code-words.ts'

export type Policy = DataOf<'get', '/policy'>
export type Rule = Policy['rules'][number]
type When = Rule['when']

export const otherwiseWords = ({ otherwise }: Pick<Policy, 'otherwise'>): string =>
  otherwise === 'ALLOW' ? t('is allowed') : t('is denied')

const listed = (words: readonly string[]): string => words.map((word) => inWords(word)).join(', ')

const PER: Readonly<Record<string, string>> = {
  CUSTOMER: t('of a customer'),
  ROUTE: t('over a route'),
  USER: t('of a user'),
  KEY: t('of an API key'),
  WORKSPACE: t('of all together'),
}

/** What must hold, one condition each. */
export function conditionsOf(when: When): string[] {
  const { amount_per_day_at_least: perDay, time_of_day: hours } = when
  const asset = when.assets?.join(', ') ?? ''
  const one = [
    when.commands === undefined ? t('Every command') : listed(when.commands),
    when.assets && t('in {{assets}}', { assets: asset }),
    when.amount_at_least && t('{{amount}} or more', { amount: when.amount_at_least }),
    perDay &&
      t('{{amount}} or more on a day, {{whose}}', {
        amount: perDay.amount,
        whose: PER[perDay.per] ?? perDay.per,
      }),
    when.destination_is_new === undefined ? undefined : newWords(when.destination_is_new),
    when.destination_younger_than_hours &&
      t('to a destination changed in the last {{count}} hours', {
        count: when.destination_younger_than_hours,
      }),
    when.routes && t('over {{count}} routes', { count: when.routes.length }),
    when.requesters && t('asked for by {{count}} users', { count: when.requesters.length }),
    when.roles && t('asked for by {{roles}}', { roles: listed(when.roles) }),
    when.api_keys && t('asked for by {{count}} API keys', { count: when.api_keys.length }),
    hours && hoursWords(hours),
  ]
  return one.filter((condition) => typeof condition === 'string')
}

const hoursWords = ({ from, to, zone }: NonNullable<When['time_of_day']>): string =>
  t('between {{from}} and {{to}} ({{zone}})', { from, to, zone })

const newWords = (isNew: boolean): string =>
  isNew ? t('to which nothing was sent before') : t('to which something was sent before')

/** `2 × Approver within 24 hours`. */
export function verdictWords({ verdict, approve }: Rule): string {
  if (approve === undefined) return inWords(verdict)
  const groups = approve.groups.map(({ roles, users, n }) => {
    const who = roles === undefined && users === undefined ? t('anybody who may approve') : ''
    const people = users === undefined ? '' : t('{{count}} named users', { count: users.length })
    return `${n} × ${[who, listed(roles ?? []), people].filter((part) => part !== '').join(', ')}`
  })
  return t('{{groups}} within {{count}} hours', {
    groups: groups.join(' + '),
    count: approve.within_hours,
  })
}
