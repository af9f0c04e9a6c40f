/** What can be done with a settlement, from claiming trades to canceling it. */
import type { ActionPlan, Fact } from '../../action/plan.ts'
import { t, Trans } from '../../language/index.ts'
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
const INITIATED = t('Outgoing parts are sent. Incoming parts are expected.')

export const claim: ActionPlan<'post', '/settlements'> = {
  label: t('Create settlement'),
  permission: 'settlements.create',
  explain: () => t('Claims and nets every unsettled trade of this period at post-trade venues.'),
  fields: [
    { name: 'timerange_from', label: t('Trades from'), kind: 'time', required: true },
    { name: 'timerange_to', label: t('Trades before'), kind: 'time', required: true },
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
  done: ({ nets }) => t('Settlement created with {{count}} nets', { count: nets.length }),
}

function factsOfNets({ nets }: Settlement): Fact[] {
  return nets.map((net) => ({
    label: net.direction === 'OUTGOING' ? t('We pay') : t('We receive'),
    value: (
      <>
        <Trans
          i18nKey={net.direction === 'OUTGOING' ? '<amount/> to <name/>' : '<amount/> from <name/>'}
          components={{
            amount: <Payable net={net} />,
            name: <Name of="venue" id={net.venue_id} />,
          }}
        />
        <PayableRest net={net} />
      </>
    ),
  }))
}

/** The service proposes one part per net, over the oldest route. */
export const cover: ActionPlan<'put', '/settlements/{settlement_id}/parts', Settlement> = {
  label: t('Cover'),
  permission: 'settlements.create',
  why: whyNotCover,
  explain: () => t('Each net is covered by one part over its oldest route. Nothing moves yet.'),
  method: 'put',
  path: '/settlements/{settlement_id}/parts',
  request: ({ id, version }) => ({ params: { settlement_id: id }, body: { version } }),
  confirm: factsOfNets,
  done: () => t('Covered. The settlement can be initiated.'),
}

export const changeParts: ActionPlan<'put', '/settlements/{settlement_id}/parts', Settlement> = {
  label: t('Change parts'),
  permission: 'settlements.create',
  width: 760,
  why: whyNotChangeParts,
  explain: () =>
    t(
      'Change the routes and amounts of the parts that have not moved. The parts of ' +
        'each net must add up to it.',
    ),
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
  done: () => t('Parts changed'),
}

export const uncover: ActionPlan<'put', '/settlements/{settlement_id}/parts', Settlement> = {
  label: t('Back to preparing'),
  permission: 'settlements.create',
  why: whyNotUncover,
  explain: () => t('The parts are removed, so that trades can be added or removed.'),
  confirm: factsOfNets,
  method: 'put',
  path: '/settlements/{settlement_id}/parts',
  request: ({ id, version }) => ({ params: { settlement_id: id }, body: { version, parts: [] } }),
  done: () => t('Back to preparing'),
}

export const initiate: ActionPlan<'post', '/settlements/{settlement_id}/initiate', Settlement> = {
  label: t('Initiate'),
  permission: 'settlements.initiate',
  width: 640,
  why: whyNotInitiate,
  explain: ({ parts }) =>
    parts.some((part) => isOpen(part) && part.route_id === null)
      ? t('{{initiated}} Confirm parts without a route by hand.', { initiated: INITIATED })
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
  done: () => t('Initiated'),
}

/** Lines as the service adds them follow from the busted trades. */
export const netAgain: ActionPlan<'post', '/settlements/{settlement_id}/net-again', Settlement> = {
  label: t('Net again'),
  permission: 'settlements.create',
  why: whyNotNetAgain,
  explain: () =>
    t(
      'The busted trades are taken out of the nets. Parts that have not moved are ' +
        'replaced, and what was paid too much comes back by a further part. Nothing ' +
        'moves yet.',
    ),
  method: 'post',
  path: '/settlements/{settlement_id}/net-again',
  request: ({ id, version }) => ({ params: { settlement_id: id }, body: { version } }),
  confirm: (row) => [
    { label: t('Busted trades'), value: String(row.uncorrected_fills) },
    ...factsOfNets(row).map(({ label, value }) => ({
      label: t('{{label}}, until now', { label }),
      value,
    })),
  ],
  done: ({ state }) =>
    state === 'SETTLED'
      ? t('Netted again. Nothing has to move.')
      : t('Netted again. Initiate the open parts.'),
}

export const cancel: ActionPlan<'post', '/settlements/{settlement_id}/cancel', Settlement> = {
  label: t('Cancel settlement'),
  cancels: true,
  permission: 'settlements.create',
  danger: true,
  why: whyNotCancel,
  explain: () => t('Its trades can be claimed by another settlement.'),
  fields: [{ name: 'reason', label: t('Reason'), kind: 'text' }],
  method: 'post',
  path: '/settlements/{settlement_id}/cancel',
  request: ({ id }, { reason }) => ({
    params: { settlement_id: id },
    body: reason === undefined ? {} : { reason: String(reason) },
  }),
  done: () => t('Settlement canceled'),
}
