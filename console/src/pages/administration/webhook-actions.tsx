/** What is done with webhooks and their deliveries. */
import type { DataOf } from '@kontor/client'
import { filledText, filledTexts } from '../../action/filled.ts'
import type { FormField } from '../../action/inputs.tsx'
import type { ActionPlan, Values } from '../../action/plan.ts'
import { t } from '../../language/index.ts'

export type Webhook = DataOf<'get', '/webhooks/{webhook_id}'>
type Delivery = DataOf<'get', '/webhook-deliveries'>[number]

const permission = 'webhooks.write'

const FIELDS: readonly FormField[] = [
  { name: 'label', label: t('Name'), kind: 'text', required: true, maxLength: 200 },
  {
    name: 'url',
    label: t('Address'),
    kind: 'text',
    required: true,
    maxLength: 1000,
    placeholder: 'https://shop.example.com/kontor',
  },
  {
    name: 'types',
    label: t('Events'),
    kind: 'texts',
    placeholder: 'deposit.assigned',
    help: t('Leave empty for every event that you may read'),
  },
  {
    name: 'ordered',
    label: t('Events of one record in their order'),
    kind: 'flag',
    help: t('A later one waits until the earlier ones have arrived or were given up'),
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
  label: t('Create webhook'),
  permission,
  explain: () => t('It gets what you may read, from now on. Its secret is shown in its record.'),
  fields: FIELDS,
  method: 'post',
  path: '/webhooks',
  request: (_row, values) => ({ body: bodyOf(values) }),
  fieldOf,
  done: ({ label }) => t('{{label}} gets events from now on', { label }),
}

export const change: ActionPlan<'put', '/webhooks', Webhook> = {
  label: t('Change'),
  title: ({ label }) => t('Change webhook “{{label}}”', { label }),
  permission,
  explain: () => t('You own it from then on: it gets what you may read.'),
  fields: FIELDS,
  initial: ({ label, url, types, ordered }) => ({ label, url, types, ordered }),
  method: 'put',
  path: '/webhooks',
  request: ({ id, version }, values) => ({ body: { ...bodyOf(values), id, version } }),
  fieldOf,
  done: ({ label }) => t('{{label}} changed', { label }),
}

export const sendTest: ActionPlan<'post', '/webhooks/{webhook_id}/test', Webhook> = {
  label: t('Send a test'),
  permission,
  why: ({ state }) => (state === 'ACTIVE' ? undefined : t('The webhook is paused')),
  method: 'post',
  path: '/webhooks/{webhook_id}/test',
  request: ({ id }) => ({ params: { webhook_id: id } }),
  done: () => t('A test is on its way: see Deliveries'),
}

export const pause: ActionPlan<'post', '/webhooks/{webhook_id}/pause', Webhook> = {
  label: t('Pause'),
  title: ({ label }) => t('Pause webhook “{{label}}”', { label }),
  permission,
  explain: () => t('Nothing is sent until it is resumed, and nothing is lost.'),
  fields: [{ name: 'reason', label: t('Reason'), kind: 'text', maxLength: 500 }],
  method: 'post',
  path: '/webhooks/{webhook_id}/pause',
  request: ({ id }, { reason }) => ({ params: { webhook_id: id }, body: filledTexts({ reason }) }),
  done: ({ label }) => t('{{label}} is paused', { label }),
}

export const resume: ActionPlan<'post', '/webhooks/{webhook_id}/resume', Webhook> = {
  label: t('Resume'),
  title: ({ label }) => t('Resume webhook “{{label}}”', { label }),
  permission,
  explain: () =>
    t(
      'What waits is tried at once, and what has happened meanwhile follows. You own ' +
        'the webhook from then on.',
    ),
  fields: [
    {
      name: 'skip',
      label: t('Leave out what waits and what has happened meanwhile'),
      kind: 'flag',
    },
  ],
  method: 'post',
  path: '/webhooks/{webhook_id}/resume',
  request: ({ id }, { skip }) => ({
    params: { webhook_id: id },
    body: skip === true ? { skip } : {},
  }),
  done: ({ label }) => t('{{label}} gets events again', { label }),
}

const RANGE: readonly FormField[] = [
  {
    name: 'after',
    label: t('After the event with the sequence'),
    kind: 'text',
    required: true,
    maxLength: 15,
  },
  {
    name: 'up_to',
    label: t('Up to the event with the sequence'),
    kind: 'text',
    maxLength: 15,
    help: t('Leave empty for the last one'),
  },
  {
    name: 'only',
    label: t('Which'),
    kind: 'words',
    required: true,
    options: [
      { value: 'FAILED', label: t('Deliveries that have failed') },
      { value: 'ALL', label: t('All events of its types') },
    ],
  },
]

export const redeliverRange: ActionPlan<'post', '/webhooks/{webhook_id}/redeliver', Webhook> = {
  label: t('Deliver again'),
  permission,
  why: ({ state }) => (state === 'ACTIVE' ? undefined : t('The webhook is paused')),
  explain: () => t('Each has the same webhook-id as the first time.'),
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
  done: () => t('They are delivered again: see Deliveries'),
}

export const rotate: ActionPlan<'post', '/webhooks/{webhook_id}/rotate-secret', Webhook> = {
  label: t('New secret'),
  permission,
  explain: () =>
    t('For a day deliveries are signed by both secrets, so that the receiver can change over.'),
  fields: [
    {
      name: 'at_once',
      label: t('End the old one at once: it has leaked'),
      kind: 'flag',
    },
  ],
  method: 'post',
  path: '/webhooks/{webhook_id}/rotate-secret',
  request: ({ id }, { at_once }) => ({
    params: { webhook_id: id },
    body: at_once === true ? { overlap_hours: 0 } : {},
  }),
  done: () => t('The new secret is shown under Secret'),
}

export const remove: ActionPlan<'delete', '/webhooks/{webhook_id}', Webhook> = {
  label: t('Delete'),
  title: ({ label }) => t('Delete webhook “{{label}}”', { label }),
  permission,
  danger: true,
  explain: () => t('What waits is not delivered. Deliveries can be read for thirty days.'),
  method: 'delete',
  path: '/webhooks/{webhook_id}',
  request: ({ id }) => ({ params: { webhook_id: id } }),
  confirm: ({ label, url }) => [
    { label: t('Webhook'), value: label },
    { label: t('Address'), value: url },
  ],
  done: ({ label }) => t('{{label}} is deleted', { label }),
}

export const redeliver: ActionPlan<
  'post',
  '/webhook-deliveries/{webhook_delivery_id}/redeliver',
  Pick<Delivery, 'id' | 'state'>
> = {
  label: t('Deliver again'),
  permission,
  method: 'post',
  path: '/webhook-deliveries/{webhook_delivery_id}/redeliver',
  request: ({ id }) => ({ params: { webhook_delivery_id: id } }),
  done: () => t('It is delivered again'),
}
