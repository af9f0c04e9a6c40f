/** What can be done with one part of a settlement. */
import type { ActionPlan } from '../../action/plan.ts'
import { client } from '../../api/session.ts'
import { Trans, t } from '../../language/index.ts'
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
  label: t('Initiate'),
  permission: 'settlements.initiate',
  width: 640,
  why: whyNotInitiatePart,
  explain: ({ direction }) =>
    direction === 'OUTGOING' ? t('Only this part is sent.') : t('Kontor expects the payment.'),
  method: 'post',
  path: '/settlements/{settlement_id}/initiate',
  request: ({ settlement, id }) => ({
    params: { settlement_id: settlement.id },
    body: { part_ids: [id] },
  }),
  confirm: (part) => transfersOf([part]),
  done: () => t('Initiated'),
}

export const confirmPart: ActionPlan<
  'post',
  '/settlements/{settlement_id}/parts/{part_id}/confirm',
  PartRow
> = {
  label: t('Confirm by hand'),
  permission: 'settlements.initiate',
  why: whyNotConfirmPart,
  explain: ({ quantity, asset, direction, venue_id }) => (
    <Trans
      i18nKey={
        direction === 'OUTGOING'
          ? 'You confirm that <amount/> went to <venue/>. Until Kontor sees the money ' +
            'itself, the books count it as held by the venue.'
          : 'You confirm that <amount/> came from <venue/>. Until Kontor sees the money ' +
            'itself, the books count it as held by the venue.'
      }
      components={{
        amount: <Amount value={quantity} asset={asset} />,
        venue: <Name of="venue" id={venue_id} />,
      }}
    />
  ),
  fields: ({ direction }) => [
    { name: 'note', label: t('Evidence'), kind: 'lines', required: true },
    ...(direction === 'INCOMING'
      ? [
          {
            name: 'deposit_id',
            label: t('Deposit id'),
            kind: 'text' as const,
            help: t('If the payment arrived as a deposit that is not assigned yet'),
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
    { label: t('Amount'), value: <Amount value={quantity} asset={asset} /> },
    {
      label: direction === 'OUTGOING' ? t('To') : t('From'),
      value: <Name of="venue" id={venue_id} />,
    },
    {
      label: t('Settlement'),
      value: t('Trades from {{from}}', {
        from: localTime(settlement.timerange_from),
      }),
    },
    { label: t('Evidence'), value: String(note) },
  ],
  done: () => t('Confirmed'),
}

export const linkDeposit: ActionPlan<
  'post',
  '/settlements/{settlement_id}/parts/{part_id}/arrival',
  PartRow
> = {
  label: t('Link deposit'),
  permission: 'settlements.initiate',
  why: whyNotLinkDeposit,
  explain: ({ quantity, asset, venue_id }) => (
    <Trans
      i18nKey={
        'The part is <amount/>. The deposit may be larger or smaller. The books keep ' +
        'the difference as a balance with <name/>.'
      }
      components={{
        amount: <Amount value={quantity} asset={asset} />,
        name: <Name of="venue" id={venue_id} />,
      }}
    />
  ),
  fields: [
    {
      name: 'deposit_id',
      label: t('Deposit id'),
      kind: 'text',
      required: true,
      help: t('A deposit that is not assigned yet'),
    },
    { name: 'note', label: t('Evidence'), kind: 'lines', required: true },
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
        label: t('Part'),
        value: (
          <Trans
            i18nKey="<amount/> from <name/>"
            components={{
              amount: <Amount value={quantity} asset={asset} />,
              name: <Name of="venue" id={venue_id} />,
            }}
          />
        ),
      },
      { label: t('Deposit'), value: <Amount value={deposit.quantity} asset={deposit.asset} /> },
      { label: t('Evidence'), value: String(note) },
    ]
  },
  done: () => t('Deposit linked'),
}

export const stopExpecting: ActionPlan<
  'post',
  '/settlements/{settlement_id}/parts/{part_id}/drop',
  PartRow
> = {
  label: t('Stop expecting payment'),
  permission: 'settlements.initiate',
  why: whyNotStopExpecting,
  explain: ({ quantity, asset, venue_id }) => (
    <Trans
      i18nKey={
        '<amount/> will not arrive as a deposit of its own. The books still count it as ' +
        'held by <name/>. Reconciliation reports a break if the venue disagrees.'
      }
      components={{
        amount: <Amount value={quantity} asset={asset} />,
        name: <Name of="venue" id={venue_id} />,
      }}
    />
  ),
  fields: [{ name: 'note', label: t('Evidence'), kind: 'lines', required: true }],
  method: 'post',
  path: '/settlements/{settlement_id}/parts/{part_id}/drop',
  request: ({ settlement, id }, { note }) => ({
    params: { settlement_id: settlement.id, part_id: id },
    body: { note: String(note) },
  }),
  done: () => t('Payment no longer expected'),
}
