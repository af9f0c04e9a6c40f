/** What staff are told, who of them, and by which events. */
import { SETTINGS } from '../../access/index.ts'
import type { ActiveUser, Permission, SettingFacts } from '../../access/index.ts'
import { permissionOfEvent } from '../../events/index.ts'
import { groupsOf } from '../../ledger/index.ts'
import type { ApprovalGroup, Event, EventType } from '../../ledger/index.ts'
import { NOTED_KINDS } from '../notes/records.ts'

/** Of which records: beside those that take notes, approvals, and what has a list alone. */
export const TOLD_RECORDS = [...NOTED_KINDS, 'approval', 'setting', 'declaration'] as const
export type ToldRecord = (typeof TOLD_RECORDS)[number]

export const NOTIFICATION_KINDS = [
  'mention',
  'comment',
  'deposit_unassigned',
  'assignment_pending',
  'approval_waiting',
  'held_for_review',
  'outcome_unknown',
  'payment_failed',
  'break_opened',
  'halt_set',
  'set_aside',
  'venue_silent',
  'setting_drifts',
  'declaration_drifts',
  'went_wrong',
] as const
export type NotificationKind = (typeof NOTIFICATION_KINDS)[number]

/** MENU: in the menu of the console. MAIL: there, and by mail. */
export const WAYS = ['MENU', 'MAIL', 'OFF'] as const
export type Way = (typeof WAYS)[number]

/** What others wait for is mailed. */
export const usualWay = (kind: NotificationKind): Way =>
  kind === 'mention' || kind === 'approval_waiting' ? 'MAIL' : 'MENU'

/** What waits for a person, and the permission of those who can do something about it. */
type Waiting = {
  kind: NotificationKind
  /** Of several, any. */
  permission: Permission | readonly Permission[]
  /** The one that counts for this event, where it depends. */
  only?(data: Event['data']): Permission | undefined
  /** Which of them it is left to; all of them when absent. */
  leftTo?(data: Event['data'], user: ActiveUser): boolean
  /** Whether this event is one; each is when absent. */
  when?(data: Event['data']): boolean
}

const UNASSIGNED: readonly unknown[] = ['UNASSIGNED', 'PARTIALLY_ASSIGNED']

const OF_SETTINGS: Readonly<Partial<Record<string, SettingFacts>>> = SETTINGS
/** Each bank has one. */
const OF_CALENDARS: Permission = 'settings.calendars.write'
const OF_DECLARATIONS: Readonly<Partial<Record<string, Permission>>> = {
  VENUE: 'venues.write',
  ASSET: 'assets.write',
  PRICE_ROUTE: 'trading.routes.write',
}

const WAITING: Readonly<Partial<Record<EventType, Waiting>>> = {
  'deposit.received': {
    kind: 'deposit_unassigned',
    permission: 'assignments.create',
    when: ({ state }) => UNASSIGNED.includes(state),
  },
  'deposit.assignment_requested': { kind: 'assignment_pending', permission: 'assignments.decide' },
  'approval.requested': {
    kind: 'approval_waiting',
    permission: 'approvals.decide',
    leftTo: mayApprove,
  },
  'deposit.frozen': { kind: 'held_for_review', permission: 'assignments.decide' },
  'withdrawal.review_started': {
    kind: 'held_for_review',
    permission: 'treasury.withdrawals.resolve',
  },
  'withdrawal.outcome_unknown': {
    kind: 'outcome_unknown',
    permission: 'treasury.withdrawals.resolve',
  },
  'execution.outcome_unknown': {
    kind: 'outcome_unknown',
    permission: 'trading.executions.resolve',
  },
  'execution.resolution_contradicted': {
    kind: 'outcome_unknown',
    permission: 'trading.executions.resolve',
  },
  'payment.refused': { kind: 'payment_failed', permission: 'treasury.withdrawals.create' },
  'withdrawal.failed': { kind: 'payment_failed', permission: 'treasury.withdrawals.create' },
  'withdrawal.rejected': { kind: 'payment_failed', permission: 'treasury.withdrawals.create' },
  'withdrawal.failed_after_success': {
    kind: 'payment_failed',
    permission: 'treasury.withdrawals.create',
  },
  'deposit.return_failed': { kind: 'payment_failed', permission: 'treasury.deposits.return' },
  'break.opened': { kind: 'break_opened', permission: 'breaks.close' },
  'halt.set': { kind: 'halt_set', permission: 'halts.write' },
  'set_aside_item.opened': { kind: 'set_aside', permission: 'treasury.set-aside.decide' },
  'venue.fell_silent': { kind: 'venue_silent', permission: ['venues.write', 'halts.write'] },
  'setting.drifted': {
    kind: 'setting_drifts',
    permission: [OF_CALENDARS, ...Object.values(SETTINGS).map(({ permission }) => permission)],
    only: ({ key }) => OF_SETTINGS[String(key)]?.permission ?? OF_CALENDARS,
  },
  'declaration.drifted': {
    kind: 'declaration_drifts',
    permission: ['venues.write', 'assets.write', 'trading.routes.write'],
    only: ({ kind }) => OF_DECLARATIONS[String(kind)],
  },
  'settlement.failed': { kind: 'went_wrong', permission: 'settlements.initiate' },
  'settlement.part_failed': { kind: 'went_wrong', permission: 'settlements.initiate' },
  'job.failed': { kind: 'went_wrong', permission: 'treasury.jobs.write' },
  'account.overdrawn': { kind: 'went_wrong', permission: 'bookings.create' },
}

export const COMMENTED = 'comment.written' satisfies EventType
export const NOTIFYING_TYPES: readonly EventType[] = [
  COMMENTED,
  ...(Object.keys(WAITING) as EventType[]),
]

/** Whoever is in one of the groups of its rule. Older events do not name them. */
function mayApprove({ groups, excluded }: Event['data'], { id, roles }: ActiveUser): boolean {
  if ((excluded as string[] | undefined)?.includes(id) === true) return false
  return (
    groups === undefined || groupsOf(groups as ApprovalGroup[], { user_id: id, roles }).length > 0
  )
}

/** Told to whoever has any of these permissions. */
type ForWhom = { kind: NotificationKind; permissions: readonly Permission[] }

/** A payment that its bank has sent back is told as one that failed, also where it has an owner. */
export function waitingOf({ type, data }: Event): ForWhom | undefined {
  if (type === 'deposit.received' && data['came_back'] === true)
    return { kind: 'payment_failed', permissions: ['treasury.withdrawals.create'] }
  const waiting = WAITING[type]
  if (waiting === undefined || waiting.when?.(data) === false) return undefined
  return { kind: waiting.kind, permissions: permissionsOf(waiting, data) }
}

function permissionsOf({ permission, only }: Waiting, data?: Event['data']): readonly Permission[] {
  const one = data && only?.(data)
  return one === undefined ? [permission].flat() : [one]
}

/** Of those who see the record and can do something about it. */
export const isFor = (
  { type, data }: Pick<Event, 'type' | 'data'>,
  told: Pick<ForWhom, 'permissions'>,
  user: ActiveUser,
): boolean =>
  told.permissions.some((one) => user.permissions.has(one)) &&
  user.permissions.has(permissionOfEvent(type)) &&
  WAITING[type]?.leftTo?.(data, user) !== false

/** Whether one with these permissions can be told anything of the kind. */
export const mayGet = (kind: NotificationKind, permissions: ReadonlySet<string>): boolean =>
  kind === 'mention' ||
  kind === 'comment' ||
  Object.values(WAITING).some(
    (one) => one.kind === kind && permissionsOf(one).some((own) => permissions.has(own)),
  )
