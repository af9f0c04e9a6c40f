/** What is told of, in words. */
import type { DataOf } from '@kontor/client'
import { t } from '../language/index.ts'

export type NotificationKind = DataOf<'get', '/notifications'>[number]['kind']

/** One of them. */
export const KIND_TEXTS: Readonly<Record<NotificationKind, string>> = {
  mention: t('Somebody mentions me in a comment'),
  comment: t('Somebody comments on a record that I made or commented on'),
  deposit_unassigned: t('A deposit has no owner'),
  assignment_pending: t('An assignment waits for a decision'),
  approval_waiting: t('My approval is asked for'),
  held_for_review: t('A payment is held for review'),
  outcome_unknown: t('An outcome is not known'),
  payment_failed: t('A payment has failed or come back'),
  break_opened: t('A venue and the books differ'),
  halt_set: t('Withdrawals or trading are halted'),
  set_aside: t('A record of a venue was set aside'),
  venue_silent: t('A venue does not answer'),
  setting_drifts: t('A setting differs from the configuration file'),
  declaration_drifts: t('A venue, an asset or a price route differs from the configuration file'),
  went_wrong: t('Something has gone wrong: a settlement, a transfer job, or an account'),
}

const SEVERAL: Readonly<Partial<Record<NotificationKind, (count: number) => string>>> = {
  deposit_unassigned: (count) => t('{{count}} deposits have no owner', { count }),
  assignment_pending: (count) => t('{{count}} assignments wait for a decision', { count }),
  approval_waiting: (count) => t('My approval is asked for {{count}} times', { count }),
  held_for_review: (count) => t('{{count}} payments are held for review', { count }),
  outcome_unknown: (count) => t('{{count}} outcomes are not known', { count }),
  payment_failed: (count) => t('{{count}} payments have failed or come back', { count }),
  break_opened: (count) => t('{{count}} differences between venues and books', { count }),
  halt_set: (count) => t('{{count}} halts are set', { count }),
  set_aside: (count) => t('{{count}} records of venues are set aside', { count }),
  venue_silent: (count) => t('{{count}} venues do not answer', { count }),
  setting_drifts: (count) => t('{{count}} settings differ from the configuration file', { count }),
  declaration_drifts: (count) =>
    t('{{count}} venues, assets or price routes differ from the configuration file', { count }),
  went_wrong: (count) =>
    t('{{count}} settlements, transfer jobs or accounts have gone wrong', { count }),
}

/** Of what has happened, whether it still waits or not. */
const PAST: Readonly<Partial<Record<NotificationKind, (count: number) => string>>> = {
  deposit_unassigned: (count) => t('{{count}} deposits came without an owner', { count }),
  assignment_pending: (count) => t('{{count}} assignments were requested', { count }),
  held_for_review: (count) => t('{{count}} payments were held for review', { count }),
  outcome_unknown: (count) => t('{{count}} outcomes were not known', { count }),
  break_opened: (count) => t('{{count}} times a venue and the books differed', { count }),
  halt_set: (count) => t('{{count}} halts were set', { count }),
  set_aside: (count) => t('{{count}} records of venues were set aside', { count }),
  venue_silent: (count) => t('{{count}} times a venue did not answer', { count }),
  setting_drifts: (count) =>
    t('{{count}} settings differed from the configuration file', { count }),
  declaration_drifts: (count) =>
    t('{{count}} venues, assets or price routes differed from the configuration file', { count }),
}

const present = (kind: NotificationKind, count: number): string =>
  count === 1 ? KIND_TEXTS[kind] : (SEVERAL[kind]?.(count) ?? KIND_TEXTS[kind])

/** `waiting`: how much still waits; null where nobody has asked, or nothing can. */
export const countedText = (
  kind: NotificationKind,
  { count, waiting }: { count: number; waiting: number | null },
): string =>
  waiting === null || waiting === 0
    ? (PAST[kind]?.(count) ?? present(kind, count))
    : present(kind, waiting)

export function personalText(kind: 'mention' | 'comment', author: string | null): string {
  const who = author ?? t('Somebody')
  return kind === 'mention'
    ? t('{{who}} mentions you in a comment', { who })
    : t('{{who}} has written a comment', { who })
}
