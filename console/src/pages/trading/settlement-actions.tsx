/** What can be done with a settlement, from claiming trades to canceling it. */
import type { ActionPlan, Fact } from '../../action/plan.ts'
import { Name } from '../../parts/values.tsx'
import { Payable, PayableRest } from './payable.tsx'
import { CoverForm } from './cover-form.tsx'
import type { CoverValues } from './cover-form.tsx'
import {
  canInitiate,
  isOpen,
  whyNotCancel,
  whyNotChangeParts,
  whyNotCover,
  whyNotInitiate,
  whyNotNetAgain,
  whyNotUncover,
} from './settlement-states.ts'
import type { Settlement } from './settlement-states.ts'
import { transfersOf } from './settlement-transfers.tsx'

const HOUR_MILLISECONDS = 3_600_000
const INITIATED = 'Outgoing parts are sent. Incoming parts are expected.'

export const claim: ActionPlan<'post', '/settlements'> = {
  label: 'Create settlement',
  permission: 'settlements.create',
  explain: () => 'Claims and nets every unsettled trade of this period at post-trade venues.',
  fields: [
    { name: 'timerange_from', label: 'Trades from', kind: 'time', required: true },
    { name: 'timerange_to', label: 'Trades before', kind: 'time', required: true },
  ],
  initial: () => {
    const midnight = new Date()
    midnight.setHours(0, 0, 0, 0)
    return {
      timerange_from: midnight.getTime(),
      timerange_to: (Math.floor(Date.now() / HOUR_MILLISECONDS) + 1) * HOUR_MILLISECONDS,
    }
  },
  method: 'post',
  path: '/settlements',
  request: (_row, { timerange_from, timerange_to }) => ({
    body: { timerange_from: Number(timerange_from), timerange_to: Number(timerange_to) },
  }),
  done: ({ nets }) => `Settlement created with ${nets.length} net${nets.length === 1 ? '' : 's'}`,
}

function factsOfNets({ nets }: Settlement): Fact[] {
  return nets.map((net) => ({
    label: net.direction === 'OUTGOING' ? 'We pay' : 'We receive',
    value: (
      <>
        <Payable net={net} /> {net.direction === 'OUTGOING' ? 'to' : 'from'}{' '}
        <Name of="venue" id={net.venue_id} />
        <PayableRest net={net} />
      </>
    ),
  }))
}

/** The service proposes one part per net, over the oldest route. */
export const cover: ActionPlan<'put', '/settlements/{settlement_id}/parts', Settlement> = {
  label: 'Cover',
  permission: 'settlements.create',
  why: whyNotCover,
  explain: () => 'Each net is covered by one part over its oldest route. Nothing moves yet.',
  method: 'put',
  path: '/settlements/{settlement_id}/parts',
  request: ({ id, version }) => ({ params: { settlement_id: id }, body: { version } }),
  confirm: factsOfNets,
  done: () => 'Covered. The settlement can be initiated.',
}

export const changeParts: ActionPlan<'put', '/settlements/{settlement_id}/parts', Settlement> = {
  label: 'Change parts',
  permission: 'settlements.create',
  width: 760,
  why: whyNotChangeParts,
  explain: () =>
    'Change the routes and amounts of the parts that have not moved. The parts of each net must ' +
    'add up to it.',
  form: (_row, form) => <CoverForm form={form} />,
  initial: ({ parts }) => ({
    parts: parts.filter(isOpen).map(({ venue_id, asset, direction, quantity, route_id }) => ({
      venue_id,
      asset,
      direction,
      quantity,
      route_id: route_id ?? undefined,
    })),
  }),
  method: 'put',
  path: '/settlements/{settlement_id}/parts',
  request: ({ id, version }, values) => ({
    params: { settlement_id: id },
    body: {
      version,
      parts: (values as CoverValues).parts.map(({ venue_id, asset, quantity, route_id }) => ({
        venue_id,
        asset,
        quantity,
        ...(route_id === undefined ? {} : { route_id }),
      })),
    },
  }),
  done: () => 'Parts changed',
}

export const uncover: ActionPlan<'put', '/settlements/{settlement_id}/parts', Settlement> = {
  label: 'Back to preparing',
  permission: 'settlements.create',
  why: whyNotUncover,
  explain: () => 'The parts are removed, so that trades can be added or removed.',
  confirm: factsOfNets,
  method: 'put',
  path: '/settlements/{settlement_id}/parts',
  request: ({ id, version }) => ({ params: { settlement_id: id }, body: { version, parts: [] } }),
  done: () => 'Back to preparing',
}

export const initiate: ActionPlan<'post', '/settlements/{settlement_id}/initiate', Settlement> = {
  label: 'Initiate',
  permission: 'settlements.initiate',
  width: 640,
  why: whyNotInitiate,
  explain: ({ parts }) =>
    parts.some((part) => isOpen(part) && part.route_id === null)
      ? `${INITIATED} Confirm parts without a route by hand.`
      : INITIATED,
  method: 'post',
  path: '/settlements/{settlement_id}/initiate',
  // Part ids change with route and amount, so that only what was confirmed is sent.
  request: ({ id, parts }) => ({
    params: { settlement_id: id },
    body: parts.some(canInitiate)
      ? { part_ids: parts.filter(canInitiate).map((part) => part.id) }
      : {},
  }),
  confirm: ({ parts }) => transfersOf(parts.filter(isOpen)),
  done: () => 'Initiated',
}

/** Lines as the service adds them follow from the busted trades. */
export const netAgain: ActionPlan<'post', '/settlements/{settlement_id}/net-again', Settlement> = {
  label: 'Net again',
  permission: 'settlements.create',
  why: whyNotNetAgain,
  explain: () =>
    'The busted trades are taken out of the nets. Parts that have not moved are replaced, and ' +
    'what was paid too much comes back by a further part. Nothing moves yet.',
  method: 'post',
  path: '/settlements/{settlement_id}/net-again',
  request: ({ id, version }) => ({ params: { settlement_id: id }, body: { version } }),
  confirm: (row) => [
    { label: 'Busted trades', value: String(row.uncorrected_fills) },
    ...factsOfNets(row).map(({ label, value }) => ({ label: `${label}, until now`, value })),
  ],
  done: ({ state }) =>
    state === 'SETTLED'
      ? 'Netted again. Nothing has to move.'
      : 'Netted again. Initiate the open parts.',
}

export const cancel: ActionPlan<'post', '/settlements/{settlement_id}/cancel', Settlement> = {
  label: 'Cancel settlement',
  permission: 'settlements.create',
  danger: true,
  why: whyNotCancel,
  explain: () => 'Its trades can be claimed by another settlement.',
  fields: [{ name: 'reason', label: 'Reason', kind: 'text' }],
  method: 'post',
  path: '/settlements/{settlement_id}/cancel',
  request: ({ id }, { reason }) => ({
    params: { settlement_id: id },
    body: reason === undefined ? {} : { reason: String(reason) },
  }),
  done: () => 'Settlement canceled',
}
