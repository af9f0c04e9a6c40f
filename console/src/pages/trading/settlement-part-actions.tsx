/** What can be done with one part of a settlement. */
import type { ActionPlan } from '../../action/plan.ts'
import { client } from '../../api/session.ts'
import { localTime } from '../../parts/local-time.ts'
import { Amount, Name } from '../../parts/values.tsx'
import {
  whyNotConfirmPart,
  whyNotInitiatePart,
  whyNotLinkDeposit,
  whyNotStopExpecting,
} from './settlement-states.ts'
import type { PartRow } from './settlement-states.ts'
import { transfersOf } from './settlement-transfers.tsx'

export const initiatePart: ActionPlan<'post', '/settlements/{settlement_id}/initiate', PartRow> = {
  label: 'Initiate',
  permission: 'settlements.initiate',
  width: 640,
  why: whyNotInitiatePart,
  explain: ({ direction }) =>
    direction === 'OUTGOING' ? 'Only this part is sent.' : 'Kontor expects the payment.',
  method: 'post',
  path: '/settlements/{settlement_id}/initiate',
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
  why: whyNotConfirmPart,
  explain: ({ quantity, asset, direction, venue_id }) => (
    <>
      You confirm that <Amount value={quantity} asset={asset} />{' '}
      {direction === 'OUTGOING' ? 'went to' : 'came from'} <Name of="venue" id={venue_id} />. Until
      Kontor sees the money itself, the books count it as held by the venue.
    </>
  ),
  fields: ({ direction }) => [
    { name: 'note', label: 'Evidence', kind: 'lines', required: true },
    ...(direction === 'INCOMING'
      ? [
          {
            name: 'deposit_id',
            label: 'Deposit id',
            kind: 'text' as const,
            help: 'If the payment arrived as a deposit that is not assigned yet',
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
    { label: 'Evidence', value: String(note) },
  ],
  done: () => 'Confirmed',
}

export const linkDeposit: ActionPlan<
  'post',
  '/settlements/{settlement_id}/parts/{part_id}/arrival',
  PartRow
> = {
  label: 'Link deposit',
  permission: 'settlements.initiate',
  why: whyNotLinkDeposit,
  explain: ({ quantity, asset, venue_id }) => (
    <>
      The part is <Amount value={quantity} asset={asset} />. The deposit may be larger or smaller.
      The books keep the difference as a balance with <Name of="venue" id={venue_id} />.
    </>
  ),
  fields: [
    {
      name: 'deposit_id',
      label: 'Deposit id',
      kind: 'text',
      required: true,
      help: 'A deposit that is not assigned yet',
    },
    { name: 'note', label: 'Evidence', kind: 'lines', required: true },
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
      { label: 'Evidence', value: String(note) },
    ]
  },
  done: () => 'Deposit linked',
}

export const stopExpecting: ActionPlan<
  'post',
  '/settlements/{settlement_id}/parts/{part_id}/drop',
  PartRow
> = {
  label: 'Stop expecting payment',
  permission: 'settlements.initiate',
  why: whyNotStopExpecting,
  explain: ({ quantity, asset, venue_id }) => (
    <>
      <Amount value={quantity} asset={asset} /> will not arrive as a deposit of its own. The books
      still count it as held by <Name of="venue" id={venue_id} />. Reconciliation reports a break if
      the venue disagrees.
    </>
  ),
  fields: [{ name: 'note', label: 'Evidence', kind: 'lines', required: true }],
  method: 'post',
  path: '/settlements/{settlement_id}/parts/{part_id}/drop',
  request: ({ settlement, id }, { note }) => ({
    params: { settlement_id: settlement.id, part_id: id },
    body: { note: String(note) },
  }),
  done: () => 'Payment no longer expected',
}
