/**
 * The timeline of a record: the events and bookings of everything that has a part in it,
 * and what its records say, in one order. Bookings are shown with the event of the same change: a
 * change books first and publishes right after, without a gap in the sequence.
 */
import { userNames } from '../../access/index.ts'
import { notFound, permissionRequired } from '../../core/errors.ts'
import { customerById, customersOfAccounts, latestBookTransfers } from '../../customers/index.ts'
import type { AccountId, WorkspaceId } from '../../core/ids.ts'
import type { Principal } from '../../http/index.ts'
import { accountLabels, latestBookingCauses, historyOf } from '../../ledger/index.ts'
import type { RecordedBooking, RecordedEvent } from '../../ledger/index.ts'
import type { Reader } from '../../store/db.ts'
import type {
  TimelineEntry,
  TimelineSource,
  TimelineParts,
  TimelineResource,
} from '../../store/desk-feed.ts'
import { executionsOf } from '../../trading/index.ts'
import { latestMovements } from '../../treasury/index.ts'
import { accountsIn, reasonOf, titleOf } from './event-reasons.ts'
import { listed, RECORD_KINDS } from './kinds.ts'
import type { RecordKind } from './kinds.ts'
import type { Timeline, TimelineStep } from './timeline.schema.ts'

const MAXIMUM_STEPS = 500
/** Of a customer only the latest. */
const LATEST_STEPS = 100
const LATEST_EACH = 20
/** Letters of the end of an id. */
const SHORT_ID = 6

type TimelineApp = {
  timelines: readonly TimelineSource[]
  permissionOf: ReadonlyMap<RecordKind, string>
}

/** Throws PermissionDenied for a kind that the caller may not see, 4004. */
export async function timelineOf(
  reader: Reader,
  { timelines, permissionOf }: TimelineApp,
  { workspace, permissions }: Pick<Principal, 'workspace' | 'permissions'>,
  { kind, id }: Pick<Timeline, 'kind' | 'id'>,
): Promise<Timeline> {
  const source = timelines.find((source) => source.kind === kind) ?? CUSTOMER
  if (!permissions.has(source.permission)) throw permissionRequired(source.permission)
  const parts = await source.parts(reader, workspace, id)
  if (parts === undefined) throw notFound(kind.replace('_', ' '), id, 'id')
  const may = (of: RecordKind) => of === kind || permissions.has(permissionOf.get(of) ?? '')
  const resources = listed(parts.resources, RECORD_KINDS)
  const entries = listed(parts.entries ?? [], RECORD_KINDS)
  const kinds = new Map(resources.map((resource) => [resource.id, resource.kind]))
  const shown = [...kinds].filter(([, of]) => may(of)).map(([resource_id]) => resource_id)
  const limit = kind === 'customer' ? LATEST_STEPS : MAXIMUM_STEPS
  const { events, bookings } = await historyOf(reader, workspace, shown, limit + 1)
  const labels = await labelsOf(reader, workspace, events, permissions.has('customers.read'))
  const recorded = composeSteps(
    events,
    permissions.has('bookings.read') ? bookings : [],
    kinds,
    labels,
  )
  const all = [...recorded, ...entries.filter((entry) => may(entry.kind)).map(entryStep)].toSorted(
    (a, b) => a.at - b.at || a.order - b.order,
  )
  const names = await userNames(
    reader,
    workspace,
    all.flatMap(({ step }) => step.by ?? []),
  )
  return {
    kind,
    id,
    truncated: all.length > limit || events.length > limit || bookings.length > limit,
    steps: all
      .slice(-limit)
      .map(({ step }) => ({ ...step, by_name: names.get(step.by ?? '') ?? null })),
  }
}

/**
 * Of the accounts that titles name. Customers of one name are told apart by their references and
 * the ends of their ids, as everywhere in the console.
 */
async function labelsOf(
  reader: Reader,
  workspace: WorkspaceId,
  events: readonly RecordedEvent[],
  withMarks: boolean,
): Promise<ReadonlyMap<string, string>> {
  const ids = events.flatMap(accountsIn)
  const labels = await accountLabels(reader, workspace, ids)
  if (!withMarks) return labels
  const customers = await customersOfAccounts(reader, workspace, ids as AccountId[])
  return new Map(
    [...labels].map(([id, label]) => {
      const customer = customers.get(id)
      if (customer === undefined) return [id, label]
      const reference = customer.foreign_id ?? ''
      const marks = [label, reference, `…${customer.id.slice(-SHORT_ID)}`]
      return [id, marks.filter((mark) => mark !== '').join(' · ')]
    }),
  )
}

/** The customer's own events, and what was lately done with its account. */
const CUSTOMER: TimelineSource = {
  kind: 'customer',
  permission: 'customers.read',
  async parts(reader, workspace, id): Promise<TimelineParts> {
    const { account_id } = await customerById(reader, workspace, id)
    const booked = await latestBookingCauses(reader, workspace, account_id, LATEST_STEPS)
    const known = new Set<string>(RECORD_KINDS)
    const causes = booked.flatMap(({ reference_type, reference_id }): TimelineResource[] =>
      known.has(reference_type) ? [{ kind: reference_type, id: reference_id }] : [],
    )
    return {
      resources: [
        { kind: 'customer', id },
        { kind: 'account', id: account_id },
        ...(await latestMovements(reader, workspace, account_id, LATEST_EACH)),
        ...(await latestBookTransfers(reader, workspace, account_id, LATEST_EACH)),
        ...(await executionsOf(reader, workspace, id, LATEST_EACH)),
        ...causes,
      ],
    }
  },
}

/** `order`: of what happened at the same time; a fact has no sequence and comes first. */
type OrderedStep = { at: number; order: number; step: TimelineStep }

type ListedEntry = TimelineEntry & { kind: RecordKind }

const entryStep = ({ at, type, title, reason, by, kind, id }: ListedEntry): OrderedStep => ({
  at,
  order: 0,
  step: { at, type, title, reason, by, by_name: null, resource: { kind, id }, bookings: [] },
})

function composeSteps(
  events: readonly RecordedEvent[],
  bookings: readonly RecordedBooking[],
  kinds: ReadonlyMap<string, RecordKind>,
  labels: ReadonlyMap<string, string>,
): OrderedStep[] {
  const placed = events.map((event): OrderedStep => ({
    at: event.at,
    order: event.sequence,
    step: {
      at: event.at,
      type: event.type,
      title: titleOf(event, labels),
      reason: reasonOf(event),
      by: event.by,
      by_name: null,
      resource: { kind: kinds.get(event.resource_id) ?? 'booking', id: event.resource_id },
      bookings: [],
    },
  }))
  for (const booked of bookings) {
    const step = stepOf(booked, placed, bookings)
    if (step !== undefined) step.bookings.push(bookingOf(booked))
    else
      placed.push({
        at: booked.at,
        order: booked.sequence,
        step: {
          at: booked.at,
          type: 'booking.created',
          title: 'A booking was made',
          reason: booked.booking.description,
          by: booked.booking.system_created_by,
          by_name: null,
          resource: { kind: kinds.get(booked.resource_id) ?? 'booking', id: booked.resource_id },
          bookings: [bookingOf(booked)],
        },
      })
  }
  return placed
}

const ASSIGNS: ReadonlySet<string> = new Set(['DEPOSIT_ASSIGNMENT', 'WITHDRAWAL_ASSIGNMENT'])

/**
 * Of the events of the booking's change: an assignment's booking goes to its assignment, any other
 * to the first.
 */
function stepOf(
  booked: RecordedBooking,
  placed: readonly OrderedStep[],
  bookings: readonly RecordedBooking[],
): TimelineStep | undefined {
  const taken = new Set(
    bookings.filter((booking) => booking.at === booked.at).map((booking) => booking.sequence),
  )
  let next = booked.sequence + 1
  while (taken.has(next)) next += 1
  const steps: TimelineStep[] = []
  for (; ; next += 1) {
    const event = placed.find(
      (placed) => placed.order === next && placed.step.type !== 'booking.created',
    )
    if (
      event === undefined ||
      event.at !== booked.at ||
      event.step.resource.id !== booked.resource_id
    )
      break
    steps.push(event.step)
  }
  const assigned = ASSIGNS.has(booked.booking.type)
    ? steps.filter((step) => step.type.endsWith('.assigned'))
    : []
  return assigned.find((step) => step.bookings.length === 0) ?? assigned.at(-1) ?? steps[0]
}

const bookingOf = ({
  booking: { id, sequence, type, asset, legs },
}: RecordedBooking): TimelineStep['bookings'][number] => ({
  id,
  sequence,
  type,
  asset,
  legs: legs.map((leg) => ({
    account_id: leg.account_id,
    account_label: leg.account_label,
    type: leg.type,
    quantity: leg.quantity,
  })),
})
