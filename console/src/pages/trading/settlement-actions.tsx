/** What can be done with a settlement, from claiming trades to giving it up. */
import type { ReactNode } from 'react'
import type { ActionPlan, Fact } from '../../action/action.tsx'
import { client } from '../../api/session.ts'
import { Amount, Id, localTime, Name } from '../../parts/values.tsx'
import { CoverForm } from './cover-form.tsx'
import type { CoverValues } from './cover-form.tsx'
import type { Part, PartRow, Settlement } from './settlement.ts'

const HOUR = 3_600_000
const isOpen = ({ state }: Part): boolean => state === 'OPEN' || state === 'FAILED'
const canGo = (part: Part): boolean => isOpen(part) && part.route_id !== null
const begun = ({ state }: Settlement): boolean => state !== 'PREPARING' && state !== 'READY'
const ended = ({ state }: Settlement): boolean => state === 'SETTLED' || state === 'CANCELED'

export const claim: ActionPlan<'post', '/settlements'> = {
  label: 'New settlement',
  permission: 'settlements.create',
  explain: () =>
    'Takes every trade of this time at venues that settle after the trade which nobody settles yet, and nets them.',
  fields: [
    { name: 'timerange_from', label: 'Trades from', kind: 'time', required: true },
    { name: 'timerange_to', label: 'Trades before', kind: 'time', required: true },
  ],
  initial: () => {
    const midnight = new Date()
    midnight.setHours(0, 0, 0, 0)
    return {
      timerange_from: midnight.getTime(),
      timerange_to: (Math.floor(Date.now() / HOUR) + 1) * HOUR,
    }
  },
  method: 'post',
  path: '/settlements',
  request: (_row, { timerange_from, timerange_to }) => ({
    body: { timerange_from: Number(timerange_from), timerange_to: Number(timerange_to) },
  }),
  done: ({ nets }) => `Claimed; it comes to ${nets.length} amount${nets.length === 1 ? '' : 's'}`,
}

function owed({ nets }: Settlement): Fact[] {
  return nets.map((net) => ({
    label: net.direction === 'OUTGOING' ? 'We owe' : 'We get',
    value: (
      <>
        <Amount value={net.quantity} asset={net.asset} />{' '}
        {net.direction === 'OUTGOING' ? 'to' : 'from'} <Name of="venue" id={net.venue_id} />
      </>
    ),
  }))
}

/** The service proposes a part per amount over its oldest route. */
export const cover: ActionPlan<'put', '/settlements/{settlement_id}/parts', Settlement> = {
  label: 'Cover',
  permission: 'settlements.create',
  why: (row) =>
    ended(row)
      ? 'It has ended'
      : row.nets.length === 0
        ? 'It holds no trades: there is nothing to pay'
        : undefined,
  explain: () => 'Each amount gets a part over its oldest route. Nothing moves yet.',
  method: 'put',
  path: '/settlements/{settlement_id}/parts',
  request: ({ id, version }) => ({ params: { settlement_id: id }, body: { version } }),
  confirm: owed,
  done: () => 'Covered: it can be initiated',
}

export const coverBy: ActionPlan<'put', '/settlements/{settlement_id}/parts', Settlement> = {
  label: 'Change parts',
  permission: 'settlements.create',
  width: 760,
  why: (row) =>
    ended(row)
      ? 'It has ended'
      : row.state === 'PREPARING'
        ? 'Cover it first'
        : row.parts.some(isOpen)
          ? undefined
          : 'Every part is under way or has moved',
  explain: () =>
    'Routes and amounts of the parts that have not moved. Together they come to what is owed.',
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
  done: () => 'Changed',
}

export const undoCover: ActionPlan<'put', '/settlements/{settlement_id}/parts', Settlement> = {
  label: 'Back to preparing',
  permission: 'settlements.create',
  why: (row) =>
    row.state === 'READY'
      ? undefined
      : begun(row)
        ? 'Parts of it have begun to move, or it has ended'
        : 'It is being prepared',
  explain: () => 'Its parts are taken away, so that trades can be taken in or left out.',
  confirm: owed,
  method: 'put',
  path: '/settlements/{settlement_id}/parts',
  request: ({ id, version }) => ({ params: { settlement_id: id }, body: { version, parts: [] } }),
  done: () => 'Being prepared again',
}

export const initiate: ActionPlan<'post', '/settlements/{settlement_id}/initiate', Settlement> = {
  label: 'Initiate',
  permission: 'settlements.initiate',
  width: 640,
  why: (row) =>
    row.state === 'PREPARING'
      ? 'Cover it first'
      : ended(row)
        ? 'It has ended'
        : row.state === 'READY'
          ? undefined
          : !row.parts.some(isOpen)
            ? 'Every part is under way or has moved'
            : !row.parts.some(canGo)
              ? 'What is left has no route: choose one under Change parts, or confirm it by hand'
              : undefined,
  explain: ({ parts }) =>
    `What we owe is sent; for what we get its deposit is waited for.${parts.some((part) => isOpen(part) && part.route_id === null) ? ' What has no route is confirmed by hand afterwards.' : ''}`,
  method: 'post',
  path: '/settlements/{settlement_id}/initiate',
  // By their ids, which change with their route or amount: only what was confirmed is sent.
  request: ({ id, parts }) => ({
    params: { settlement_id: id },
    body: parts.some(canGo) ? { part_ids: parts.filter(canGo).map((part) => part.id) } : {},
  }),
  confirm: ({ parts }) => transfersOf(parts.filter(isOpen)),
  done: () => 'Initiated',
}

/** Each part with its way: from, to, address and tag, and what the venue takes for it. */
export async function transfersOf(parts: readonly Part[]): Promise<Fact[]> {
  const routes = await client().get('/treasury/wallets/routes')
  return Promise.all(
    parts.map(async (part): Promise<Fact> => {
      const route = routes.find((route) => route.id === part.route_id)
      const tag = (route?.transfer as { to?: { tag?: string; reference?: string } } | undefined)?.to
      const fee =
        route === undefined || part.direction === 'INCOMING'
          ? undefined
          : await feeOf(route.id, part.quantity)
      return {
        label:
          part.route_id === null
            ? 'By hand'
            : part.direction === 'OUTGOING'
              ? 'We send'
              : 'We wait for',
        value: (
          <>
            <strong>
              <Amount value={part.quantity} asset={part.asset} />
            </strong>{' '}
            {route === undefined ? (
              <>
                with <Name of="venue" id={part.venue_id} />, without a route
              </>
            ) : (
              <>
                from {route.from_wallet.label} to {route.to_wallet.label}
              </>
            )}
            {part.direction === 'OUTGOING' && route !== undefined && (
              <div>
                To <Id value={route.to_wallet.address} what="Address" full />
                {(tag?.tag ?? tag?.reference) !== undefined && (
                  <>
                    {' '}
                    tag <code>{tag?.tag ?? tag?.reference}</code>
                  </>
                )}
              </div>
            )}
            {fee !== undefined && <div>Fee about {fee}</div>}
          </>
        ),
      }
    }),
  )
}

async function feeOf(route_id: string, quantity: string): Promise<ReactNode> {
  const estimate = await client()
    .post('/treasury/wallets/routes/{route_id}/estimate-fee', {
      params: { route_id },
      body: { quantity },
    })
    .catch(() => undefined)
  return estimate === undefined ? (
    'not known: the venue does not say now'
  ) : (
    <Amount value={estimate.speed_levels.DEFAULT.fee} asset={estimate.asset} />
  )
}

export const cancel: ActionPlan<'post', '/settlements/{settlement_id}/cancel', Settlement> = {
  label: 'Cancel settlement',
  permission: 'settlements.create',
  danger: true,
  why: (row) =>
    ended(row)
      ? 'It has ended'
      : row.parts.some(
            ({ state, direction }) =>
              (state === 'INITIATED' && direction === 'OUTGOING') ||
              state === 'SUCCESS' ||
              state === 'CONFIRMED_MANUALLY',
          )
        ? 'A part has moved or may have left'
        : undefined,
  explain: () => 'Its trades are free for another settlement.',
  fields: [{ name: 'reason', label: 'Why', kind: 'text' }],
  method: 'post',
  path: '/settlements/{settlement_id}/cancel',
  request: ({ id }, { reason }) => ({
    params: { settlement_id: id },
    body: reason === undefined ? {} : { reason: String(reason) },
  }),
  done: () => 'Canceled',
}

export const initiatePart: ActionPlan<'post', '/settlements/{settlement_id}/initiate', PartRow> = {
  label: 'Initiate',
  permission: 'settlements.initiate',
  width: 640,
  method: 'post',
  path: '/settlements/{settlement_id}/initiate',
  why: (part) =>
    part.settlement.state === 'PREPARING'
      ? 'Cover it first'
      : ended(part.settlement)
        ? 'It has ended'
        : !isOpen(part)
          ? 'It is under way or has moved'
          : part.route_id === null
            ? 'It has no route: choose one under Change parts'
            : undefined,
  explain: ({ direction }) =>
    direction === 'OUTGOING' ? 'Only this part is sent.' : 'Its deposit is waited for.',
  request: ({ settlement, id }) => ({
    params: { settlement_id: settlement.id },
    body: { part_ids: [id] },
  }),
  confirm: (part) => transfersOf([part]),
  done: () => 'Initiated',
}

export const confirmPart: ActionPlan<
  'post',
  '/settlements/{settlement_id}/parts/{part_id}/confirm',
  PartRow
> = {
  label: 'Confirm by hand',
  permission: 'settlements.initiate',
  why: ({ state, settlement }) =>
    state === 'SUCCESS' || state === 'CONFIRMED_MANUALLY'
      ? 'It has moved'
      : settlement.state === 'PREPARING'
        ? 'Cover it first'
        : settlement.state === 'READY'
          ? 'Initiate it first'
          : settlement.state === 'CANCELED'
            ? 'It is canceled'
            : undefined,
  explain: ({ quantity, asset, direction, venue_id }) => (
    <>
      You say that <Amount value={quantity} asset={asset} />{' '}
      {direction === 'OUTGOING' ? 'went to' : 'came from'} <Name of="venue" id={venue_id} />. Until
      the money itself is seen it counts as lying with the venue.
    </>
  ),
  fields: ({ direction }) => [
    { name: 'note', label: 'By what this is known', kind: 'lines', required: true },
    ...(direction === 'INCOMING'
      ? [
          {
            name: 'deposit_id',
            label: 'The deposit it came as',
            kind: 'text' as const,
            help: "Its id, when it is here and nobody's yet",
          },
        ]
      : []),
  ],
  method: 'post',
  path: '/settlements/{settlement_id}/parts/{part_id}/confirm',
  request: ({ settlement, id }, { note, deposit_id }) => ({
    params: { settlement_id: settlement.id, part_id: id },
    body: {
      note: String(note),
      ...(deposit_id === undefined || deposit_id === '' ? {} : { deposit_id: String(deposit_id) }),
    },
  }),
  confirm: ({ quantity, asset, direction, venue_id, settlement }, { note }) => [
    { label: 'Amount', value: <Amount value={quantity} asset={asset} /> },
    { label: direction === 'OUTGOING' ? 'To' : 'From', value: <Name of="venue" id={venue_id} /> },
    { label: 'Settlement', value: `Trades from ${localTime(settlement.timerange_from)}` },
    { label: 'Known by', value: String(note) },
  ],
  done: () => 'Confirmed',
}

const wasConfirmed = ({ state, direction }: Part): string | undefined =>
  direction === 'INCOMING' && state === 'CONFIRMED_MANUALLY'
    ? undefined
    : 'Only what we get and was confirmed by hand'

export const nameArrival: ActionPlan<
  'post',
  '/settlements/{settlement_id}/parts/{part_id}/arrival',
  PartRow
> = {
  label: 'Name its deposit',
  permission: 'settlements.initiate',
  why: wasConfirmed,
  explain: ({ quantity, asset, venue_id }) => (
    <>
      The part is <Amount value={quantity} asset={asset} />. The deposit may be more or less: the
      difference then lies with <Name of="venue" id={venue_id} />, or is owed to it.
    </>
  ),
  fields: [
    {
      name: 'deposit_id',
      label: 'The deposit it came as',
      kind: 'text',
      required: true,
      help: "Its id; it is here and nobody's yet",
    },
    { name: 'note', label: 'By what this is known', kind: 'lines', required: true },
  ],
  method: 'post',
  path: '/settlements/{settlement_id}/parts/{part_id}/arrival',
  request: ({ settlement, id }, { deposit_id, note }) => ({
    params: { settlement_id: settlement.id, part_id: id },
    body: { deposit_id: String(deposit_id), note: String(note) },
  }),
  confirm: async ({ quantity, asset, venue_id }, { deposit_id, note }) => {
    const deposit = await client().get('/treasury/deposits/{deposit_id}', {
      params: { deposit_id: String(deposit_id) },
    })
    return [
      {
        label: 'Part',
        value: (
          <>
            <Amount value={quantity} asset={asset} /> from <Name of="venue" id={venue_id} />
          </>
        ),
      },
      { label: 'Deposit', value: <Amount value={deposit.quantity} asset={deposit.asset} /> },
      { label: 'Known by', value: String(note) },
    ]
  },
  done: () => 'Named',
}

export const dropArrival: ActionPlan<
  'post',
  '/settlements/{settlement_id}/parts/{part_id}/drop',
  PartRow
> = {
  label: 'Wait no more',
  permission: 'settlements.initiate',
  why: (part) =>
    wasConfirmed(part) ?? (part.arrival === 'EXPECTED' ? undefined : 'No deposit is waited for'),
  explain: ({ quantity, asset, venue_id }) => (
    <>
      <Amount value={quantity} asset={asset} /> will not come as a deposit of its own. It goes on
      lying with <Name of="venue" id={venue_id} />, where reconciliation names it unless the venue
      says so too.
    </>
  ),
  fields: [{ name: 'note', label: 'By what this is known', kind: 'lines', required: true }],
  method: 'post',
  path: '/settlements/{settlement_id}/parts/{part_id}/drop',
  request: ({ settlement, id }, { note }) => ({
    params: { settlement_id: settlement.id, part_id: id },
    body: { note: String(note) },
  }),
  done: () => 'Not waited for any more',
}
