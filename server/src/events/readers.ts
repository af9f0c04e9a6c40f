/**
 * Who may read which events: those who may read the records that the events are of. Mails say what
 * events say.
 */
import type { Permission } from '../access/index.ts'
import { permissionRequired } from '../core/errors.ts'
import { EVENT_TYPES } from '../ledger/index.ts'
import type { EventType } from '../ledger/index.ts'
import { MAILED_TYPES } from './mail-texts.ts'

type ResourceOf<Name> = Name extends `${infer Resource}.${string}` ? Resource : never

/** A resource that is missing here does not compile. */
const PERMISSIONS_OF_EVENTS: Readonly<Record<ResourceOf<EventType>, Permission>> = {
  booking: 'bookings.read',
  account: 'accounts.read',
  halt: 'desk.read',
  break: 'desk.read',
  reconciliation_day: 'desk.read',
  period: 'bookings.read',
  venue: 'venues.read',
  set_aside_item: 'treasury.deposits.read',
  customer: 'customers.read',
  book_transfer: 'bookings.read',
  wallet: 'treasury.wallets.read',
  route: 'treasury.routes.read',
  matching: 'matchings.read',
  deposit: 'treasury.deposits.read',
  withdrawal: 'treasury.withdrawals.read',
  settlement: 'settlements.read',
  payment: 'treasury.withdrawals.read',
  batch: 'treasury.withdrawals.read',
  job: 'treasury.jobs.read',
  execution: 'trading.executions.read',
  fill: 'trading.executions.read',
  declaration: 'declarations.read',
  setting: 'settings.read',
  screening_list: 'screening.read',
  screening_case: 'screening.cases.read',
  policy: 'policy.read',
  approval: 'approvals.read',
  // They say of which record they are, and nothing of what stands there.
  comment: 'events.read',
  tag: 'events.read',
  attachment: 'events.read',
}

type Permissions = ReadonlySet<string>

export const permissionOfEvent = (type: EventType): Permission =>
  PERMISSIONS_OF_EVENTS[type.split('.')[0] as ResourceOf<EventType>]

/**
 * Undefined: events of every type. Refuses 1003 when types are asked for by name and one may not be
 * read.
 */
export function readableTypes(
  permissions: Permissions,
  asked: readonly EventType[] | undefined,
): readonly EventType[] | undefined {
  for (const type of asked ?? []) {
    const permission = permissionOfEvent(type)
    if (!permissions.has(permission)) throw permissionRequired(permission, type)
  }
  return asked ?? unlessAll(EVENT_TYPES, permissions)
}

/** Undefined: mails about everything. */
export const readableMails = (permissions: Permissions): readonly EventType[] | undefined =>
  unlessAll(MAILED_TYPES, permissions)

function unlessAll(
  types: readonly EventType[],
  permissions: Permissions,
): readonly EventType[] | undefined {
  const readable = types.filter((type) => permissions.has(permissionOfEvent(type)))
  return readable.length === types.length ? undefined : readable
}
