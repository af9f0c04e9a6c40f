/** What is done with webhooks and their deliveries. */
import type { DataOf } from '@kontor/client'
import { filledText, filledTexts } from '../../action/filled.ts'
import type { FormField } from '../../action/inputs.tsx'
import type { ActionPlan, Values } from '../../action/plan.ts'

export type Webhook = DataOf<'get', '/webhooks/{webhook_id}'>
type Delivery = DataOf<'get', '/webhook-deliveries'>[number]

const permission = 'webhooks.write'

const FIELDS: readonly FormField[] = [
  { name: 'label', label: 'Name', kind: 'text', required: true, maxLength: 200 },
  {
    name: 'url',
    label: 'Address',
    kind: 'text',
    required: true,
    maxLength: 1000,
    placeholder: 'https://shop.example.com/kontor',
  },
  {
    name: 'types',
    label: 'Events',
    kind: 'texts',
    placeholder: 'deposit.assigned',
    help: 'Leave empty for every event that you may read',
  },
  {
    name: 'ordered',
    label: 'Events of one record in their order',
    kind: 'flag',
    help: 'A later one waits until the earlier ones have arrived or were given up',
  },
]

const bodyOf = ({ label, url, types, ordered }: Values) => ({
  label: String(label).trim(),
  url: String(url).trim(),
  types: ((types ?? []) as string[]).map((type) => type.trim()) as Webhook['types'],
  ordered: ordered === true,
})

const fieldOf = (path: string): string => path.replace(/\[\d+\]$/, '')

export const create: ActionPlan<'post', '/webhooks', undefined> = {
  label: 'Create webhook',
  permission,
  explain: () => 'It gets what you may read, from now on. Its secret is shown in its record.',
  fields: FIELDS,
  method: 'post',
  path: '/webhooks',
  request: (_row, values) => ({ body: bodyOf(values) }),
  fieldOf,
  done: ({ label }) => `${label} gets events from now on`,
}

export const change: ActionPlan<'put', '/webhooks', Webhook> = {
  label: 'Change',
  permission,
  explain: () => 'You own it from then on: it gets what you may read.',
  fields: FIELDS,
  initial: ({ label, url, types, ordered }) => ({ label, url, types, ordered }),
  method: 'put',
  path: '/webhooks',
  request: ({ id, version }, values) => ({ body: { ...bodyOf(values), id, version } }),
  fieldOf,
  done: ({ label }) => `${label} changed`,
}

export const sendTest: ActionPlan<'post', '/webhooks/{webhook_id}/test', Webhook> = {
  label: 'Send a test',
  permission,
  why: ({ state }) => (state === 'ACTIVE' ? undefined : 'The webhook is paused'),
  method: 'post',
  path: '/webhooks/{webhook_id}/test',
  request: ({ id }) => ({ params: { webhook_id: id } }),
  done: () => 'A test is on its way: see Deliveries',
}

export const pause: ActionPlan<'post', '/webhooks/{webhook_id}/pause', Webhook> = {
  label: 'Pause',
  permission,
  explain: () => 'Nothing is sent until it is resumed, and nothing is lost.',
  fields: [{ name: 'reason', label: 'Reason', kind: 'text', maxLength: 500 }],
  method: 'post',
  path: '/webhooks/{webhook_id}/pause',
  request: ({ id }, { reason }) => ({ params: { webhook_id: id }, body: filledTexts({ reason }) }),
  done: ({ label }) => `${label} is paused`,
}

export const resume: ActionPlan<'post', '/webhooks/{webhook_id}/resume', Webhook> = {
  label: 'Resume',
  permission,
  explain: () =>
    'What waits is tried at once, and what has happened meanwhile follows. You own the webhook ' +
    'from then on.',
  fields: [
    {
      name: 'skip',
      label: 'Leave out what waits and what has happened meanwhile',
      kind: 'flag',
    },
  ],
  method: 'post',
  path: '/webhooks/{webhook_id}/resume',
  request: ({ id }, { skip }) => ({
    params: { webhook_id: id },
    body: skip === true ? { skip } : {},
  }),
  done: ({ label }) => `${label} gets events again`,
}

const RANGE: readonly FormField[] = [
  {
    name: 'after',
    label: 'After the event with the sequence',
    kind: 'text',
    required: true,
    maxLength: 15,
  },
  {
    name: 'up_to',
    label: 'Up to the event with the sequence',
    kind: 'text',
    maxLength: 15,
    help: 'Leave empty for the last one',
  },
  {
    name: 'only',
    label: 'Which',
    kind: 'words',
    required: true,
    options: [
      { value: 'FAILED', label: 'Deliveries that have failed' },
      { value: 'ALL', label: 'All events of its types' },
    ],
  },
]

export const redeliverRange: ActionPlan<'post', '/webhooks/{webhook_id}/redeliver', Webhook> = {
  label: 'Deliver again',
  permission,
  why: ({ state }) => (state === 'ACTIVE' ? undefined : 'The webhook is paused'),
  explain: () => 'Each has the same webhook-id as the first time.',
  fields: RANGE,
  initial: () => ({ after: '0', only: 'FAILED' }),
  method: 'post',
  path: '/webhooks/{webhook_id}/redeliver',
  request: ({ id }, { after, up_to, only }) => {
    const last = filledText(up_to)
    return {
      params: { webhook_id: id },
      body: {
        after: Number(after),
        only: only as 'FAILED' | 'ALL',
        ...(last === undefined ? {} : { up_to: Number(last) }),
      },
    }
  },
  done: () => 'They are delivered again: see Deliveries',
}

export const rotate: ActionPlan<'post', '/webhooks/{webhook_id}/rotate-secret', Webhook> = {
  label: 'New secret',
  permission,
  explain: () =>
    'For a day deliveries are signed by both secrets, so that the receiver can change over.',
  fields: [
    {
      name: 'at_once',
      label: 'The former one ends at once, because others have learned of it',
      kind: 'flag',
    },
  ],
  method: 'post',
  path: '/webhooks/{webhook_id}/rotate-secret',
  request: ({ id }, { at_once }) => ({
    params: { webhook_id: id },
    body: at_once === true ? { overlap_hours: 0 } : {},
  }),
  done: () => 'The new secret is shown under Secret',
}

export const remove: ActionPlan<'delete', '/webhooks/{webhook_id}', Webhook> = {
  label: 'Delete',
  permission,
  danger: true,
  explain: () => 'What waits is not delivered. Deliveries can be read for thirty days.',
  method: 'delete',
  path: '/webhooks/{webhook_id}',
  request: ({ id }) => ({ params: { webhook_id: id } }),
  confirm: ({ label, url }) => [
    { label: 'Webhook', value: label },
    { label: 'Address', value: url },
  ],
  done: ({ label }) => `${label} is deleted`,
}

export const redeliver: ActionPlan<
  'post',
  '/webhook-deliveries/{webhook_delivery_id}/redeliver',
  Pick<Delivery, 'id' | 'state'>
> = {
  label: 'Deliver again',
  permission,
  method: 'post',
  path: '/webhook-deliveries/{webhook_delivery_id}/redeliver',
  request: ({ id }) => ({ params: { webhook_delivery_id: id } }),
  done: () => 'It is delivered again',
}
