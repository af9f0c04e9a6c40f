/**
 * The kinds of records and of needs of all modules, in the order in which the API lists them. Each
 * module names its own in its desk feed.
 */
import { assert } from '../../core/assert.ts'

export const RECORD_KINDS = [
  'customer',
  'account',
  'deposit',
  'withdrawal',
  'payment',
  'batch',
  'set_aside_item',
  'execution',
  'quote',
  'order',
  'fill',
  'settlement',
  'booking',
  'book_transfer',
  'assignment',
  'rectification',
  'job',
  'job_run',
  'wallet',
  'route',
  'matching',
  'price_route',
  'venue',
  'break',
  'user',
] as const
export type RecordKind = (typeof RECORD_KINDS)[number]

export const NEED_KINDS = [
  'deposits_unassigned',
  'deposits_in_review',
  'deposits_gone_twice',
  'deposit_assignments_pending',
  'withdrawals_unassigned',
  'suspense_unexplained',
  'withdrawal_assignments_pending',
  'withdrawals_unknown',
  'withdrawals_in_review',
  'withdrawals_stuck',
  'book_transfers_waiting',
  'executions_unknown',
  'executions_contradicted',
  'executions_stuck',
  'executions_incomplete',
  'stops_waiting_in_vain',
  'payments_refused',
  'jobs_failing',
  'settlements_failed',
  'settlements_uncorrected',
  'settlements_waiting',
  'settlements_unseen',
  'settlements_left_over',
  'breaks_open',
  'screening_cases_open',
  'records_set_aside',
  'venues_stale',
  'venues_unserved',
  'halts_set',
  'routes_refused',
  'wallets_failed',
  'webhooks_paused',
  'settings_drifting',
  'declarations_drifting',
] as const
export type NeedKind = (typeof NEED_KINDS)[number]

/** The same items, with kinds that the API lists. Throws for a kind that is missing here. */
export function listed<Item extends { kind: string }, Kind extends string>(
  items: readonly Item[],
  kinds: readonly Kind[],
): (Item & { kind: Kind })[] {
  for (const { kind } of items)
    assert(
      kinds.some((name) => name === kind),
      `the desk lists no kind ${kind}`,
    )
  return items as (Item & { kind: Kind })[]
}
