/** A route's form is made of what the sending venue says it needs for this wallet and protocol. */
import type { DataOf } from '@kontor/client'
import { Form } from 'antd'
import { useEffect } from 'react'
import type { ReactNode } from 'react'
import { ActionButton } from '../../action/action.tsx'
import type { ActionPlan, Values } from '../../action/action.tsx'
import { InputItem } from '../../action/inputs.tsx'
import type { FormField } from '../../action/inputs.tsx'
import { useAll } from '../../api/all.ts'
import { useGet } from '../../api/query.ts'
import { Failure } from '../../parts/states.tsx'
import { inWords } from '../../parts/status.tsx'
import { factsOfRoute } from './withdraw.tsx'
import type { Route } from './withdraw.tsx'

type TransferField = DataOf<
  'get',
  '/treasury/wallets/routes/fields/{from_wallet_id}/{protocol}'
>['from'][number]

/** Told by the venue, not by us. */
const ANSWERED = new Set(['on_allowlist', 'allowlist_state'])

const filled = (side: unknown): Record<string, string | boolean> =>
  Object.fromEntries(
    Object.entries((side ?? {}) as Record<string, string | boolean | undefined>).flatMap(
      ([name, value]) =>
        value === undefined || value === '' || ANSWERED.has(name)
          ? []
          : [[name, typeof value === 'string' ? value.trim() : value]],
    ),
  )

function bodyOf({ from_wallet_id, to_wallet_id, protocol, label, transfer }: Values) {
  const { from, to } = (transfer ?? {}) as { from?: unknown; to?: unknown }
  return {
    from_wallet_id: String(from_wallet_id),
    to_wallet_id: String(to_wallet_id),
    protocol: String(protocol),
    label: String(label),
    transfer: { from: filled(from), to: filled(to) },
  }
}

export const createRoute: ActionPlan<'post', '/treasury/wallets/routes'> = {
  label: 'New route',
  permission: 'treasury.routes.write',
  explain: () => 'How one wallet of ours sends to another wallet of the same asset.',
  form: () => <RouteForm known={undefined} />,
  method: 'post',
  path: '/treasury/wallets/routes',
  request: (_row, values) => ({ body: bodyOf(values) }),
  done: () => 'Route created',
}

export const changeRoute: ActionPlan<'put', '/treasury/wallets/routes/{route_id}', Route> = {
  label: 'Edit',
  permission: 'treasury.routes.write',
  explain: () =>
    'Another destination takes the route off the allow-list until it is allowed again.',
  form: (route) => <RouteForm known={route} />,
  initial: ({ from_wallet_id, to_wallet_id, protocol, label, transfer: { from, to } }) => ({
    from_wallet_id,
    to_wallet_id,
    protocol,
    label,
    transfer: { from, to: filled(to) },
  }),
  method: 'put',
  path: '/treasury/wallets/routes/{route_id}',
  // What the venue needs may not be told yet: then it stays as it is.
  request: ({ id, version, transfer }, values) => ({
    params: { route_id: id },
    body: {
      ...bodyOf({
        ...values,
        transfer: { ...transfer, ...(values['transfer'] as object | undefined) },
      }),
      version,
    },
  }),
  done: () => 'Route changed',
}

const allow: ActionPlan<'put', '/treasury/wallets/routes/{route_id}/allow', Route> = {
  label: 'Allow',
  permission: 'treasury.routes.allow',
  why: ({ transfer: { to } }) =>
    to.allowlist_state === 'APPROVED'
      ? 'It is allowed'
      : to.allowlist_state === 'PENDING_APPROVAL'
        ? 'The venue has been asked and decides'
        : undefined,
  explain: () =>
    'The venue is asked to let its vault send to this address. From then on money can leave to it.',
  method: 'put',
  path: '/treasury/wallets/routes/{route_id}/allow',
  request: ({ id, version }) => ({ params: { route_id: id }, body: { version } }),
  confirm: (route) => [{ label: 'Asset', value: route.from_wallet.asset }, ...factsOfRoute(route)],
  done: (route) => `Allow-list: ${inWords(route.transfer.to.allowlist_state)}`,
}

export function AllowButton({ route }: { route: Route }): ReactNode {
  const venue = useAll('/venues')?.find((each) => each.id === route.from_wallet.venue_id)
  return (
    <ActionButton
      plan={
        venue === undefined || venue.capabilities.includes('allowlist')
          ? allow
          : { ...allow, why: () => `${venue.label} keeps no allow-list` }
      }
      row={route}
    />
  )
}

function RouteForm({ known }: { known: Route | undefined }): ReactNode {
  const form = Form.useFormInstance()
  const wallets = useAll('/treasury/wallets') ?? []
  const from_wallet_id = Form.useWatch('from_wallet_id', form) as string | undefined
  const protocol = Form.useWatch('protocol', form) as string | undefined
  const from = wallets.find((wallet) => wallet.id === from_wallet_id)
  const { data: offered, error: notOffered } = useGet(
    '/venues/{venue_id}/protocols',
    { params: { venue_id: from?.venue_id ?? '' } },
    { enabled: known === undefined && from?.venue_id !== null && from !== undefined },
  )
  const { data: fields, error } = useGet(
    '/treasury/wallets/routes/fields/{from_wallet_id}/{protocol}',
    { params: { from_wallet_id: from_wallet_id ?? '', protocol: protocol ?? '' } },
    { enabled: from_wallet_id !== undefined && protocol !== undefined && protocol !== '' },
  )

  const native = offered
    ?.find((each) => each.asset === from?.asset)
    ?.protocols.filter((protocol) => protocol.withdraw)
    .map((protocol) => protocol.protocol)
  const protocols =
    known !== undefined
      ? [known.protocol]
      : from === undefined
        ? []
        : from.protocol !== null
          ? [from.protocol]
          : (native ?? [])
  const only = protocols.length === 1 ? protocols[0] : undefined
  useEffect(() => {
    const chosen = form.getFieldValue('protocol') as string | undefined
    if (known === undefined && (chosen === undefined || !protocols.includes(chosen)))
      form.setFieldValue('protocol', only)
  }, [form, only, protocols.join()])

  const sends = new Set(
    wallets
      .filter((wallet) => wallet.access_type === 'INTERNAL' && wallet.state === 'ACTIVE')
      .map((wallet) => wallet.id),
  )
  const receives = new Set(
    wallets
      .filter(
        (wallet) =>
          wallet.state === 'ACTIVE' && wallet.asset === from?.asset && wallet.id !== from_wallet_id,
      )
      .map((wallet) => wallet.id),
  )
  return (
    <>
      <InputItem
        field={{
          name: 'from_wallet_id',
          label: 'From the wallet',
          kind: 'wallet',
          required: true,
          disabled: known !== undefined,
          only: (id) => sends.has(id),
        }}
      />
      <InputItem
        field={{
          name: 'to_wallet_id',
          label: 'To the wallet',
          kind: 'wallet',
          required: true,
          only: (id) => receives.has(id),
          help:
            from === undefined
              ? 'Wallets of the same asset, once the first one is chosen'
              : undefined,
        }}
      />
      {notOffered !== null && <Failure error={notOffered} />}
      <InputItem
        field={{
          name: 'protocol',
          label: 'Protocol',
          kind: 'words',
          options: protocols.map((protocol) => ({ value: protocol, label: protocol })),
          required: true,
          disabled: known !== undefined || from === undefined,
        }}
      />
      <InputItem field={{ name: 'label', label: 'Name', kind: 'text', required: true }} />
      {error !== null && <Failure error={error} />}
      {fields?.from.map((field) => (
        <InputItem key={`from ${field.name}`} field={fieldOf('from', field)} />
      ))}
      {fields?.to
        .filter((field) => !ANSWERED.has(field.name))
        .map((field) => (
          <InputItem key={`to ${field.name}`} field={fieldOf('to', field)} />
        ))}
    </>
  )
}

function fieldOf(
  side: 'from' | 'to',
  { name, type, required, description, enum: words }: TransferField,
): FormField {
  const common = {
    name: ['transfer', side, name],
    label: inWords(name),
    required,
    help: description,
  }
  if (type === 'boolean') return { ...common, kind: 'flag' }
  return words === undefined
    ? { ...common, kind: 'text' }
    : { ...common, kind: 'words', options: words.map((word) => ({ value: word, label: word })) }
}
