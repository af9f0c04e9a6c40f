/** Creating, changing and allowing routes. */
import { Form } from 'antd'
import type { ReactNode } from 'react'
import { ActionButton } from '../../action/action.tsx'
import type { ActionPlan, Values } from '../../action/plan.ts'
import { InputItem } from '../../action/inputs.tsx'
import { useAll } from '../../api/all.ts'
import { t } from '../../language/index.ts'
import { inWords } from '../../parts/status.tsx'
import { factsOfRoute } from './route-facts.tsx'
import type { Route } from './route-facts.tsx'
import { ProtocolInput, REPORTED, TransferInputs } from './transfer-inputs.tsx'

const filled = (side: unknown): Record<string, string | boolean> =>
  Object.fromEntries(
    Object.entries((side ?? {}) as Record<string, string | boolean | undefined>).flatMap(
      ([name, value]) =>
        value === undefined || value === '' || REPORTED.has(name)
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
  label: t('Create route'),
  permission: 'treasury.routes.write',
  explain: () =>
    t('A route is the way from one of our wallets to another wallet of the same asset.'),
  form: () => <RouteForm known={undefined} />,
  method: 'post',
  path: '/treasury/wallets/routes',
  request: (_row, values) => ({ body: bodyOf(values) }),
  done: () => t('Route created'),
}

export const changeRoute: ActionPlan<'put', '/treasury/wallets/routes/{route_id}', Route> = {
  label: t('Change'),
  title: ({ label }) => t('Change treasury route “{{label}}”', { label }),
  permission: 'treasury.routes.write',
  explain: () =>
    t('A new destination takes the route off the allow-list until it is allowed again.'),
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
  // The venue's fields may not have loaded yet: then they stay as they are.
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
  done: () => t('Route changed'),
}

const WHY_NOT_ALLOW: Readonly<Record<string, string>> = {
  APPROVED: t('The destination is already allowed'),
  PENDING_APPROVAL: t('The venue has been asked and will decide'),
}

const allow: ActionPlan<'put', '/treasury/wallets/routes/{route_id}/allow', Route> = {
  label: t('Allow'),
  permission: 'treasury.routes.allow',
  why: ({ transfer: { to } }) => WHY_NOT_ALLOW[to.allowlist_state],
  explain: () =>
    t(
      'Kontor asks the venue to add this address to its allow-list. Money can then be ' +
        'sent to it.',
    ),
  method: 'put',
  path: '/treasury/wallets/routes/{route_id}/allow',
  request: ({ id, version }) => ({ params: { route_id: id }, body: { version } }),
  confirm: (route) => [
    { label: t('Asset'), value: route.from_wallet.asset },
    ...factsOfRoute(route),
  ],
  done: (route) =>
    t('Allow-list: {{allowlist_state}}', {
      allowlist_state: inWords(route.transfer.to.allowlist_state),
    }),
}

export function AllowButton({ route }: { route: Route }): ReactNode {
  const venue = useAll('/venues')?.find((venue) => venue.id === route.from_wallet.venue_id)
  return (
    <ActionButton
      plan={
        venue === undefined || venue.capabilities.includes('allowlist')
          ? allow
          : { ...allow, why: () => t('{{label}} has no allow-list', { label: venue.label }) }
      }
      row={route}
    />
  )
}

/** `known`: the route that is edited; its source and protocol stay. */
function RouteForm({ known }: { known: Route | undefined }): ReactNode {
  const form = Form.useFormInstance()
  const wallets = useAll('/treasury/wallets') ?? []
  const from_wallet_id = Form.useWatch('from_wallet_id', form) as string | undefined
  const from = wallets.find((wallet) => wallet.id === from_wallet_id)
  const active = wallets.filter((wallet) => wallet.state === 'ACTIVE')
  const senders = new Set(
    active.filter((wallet) => wallet.access_type === 'INTERNAL').map((wallet) => wallet.id),
  )
  const recipients = new Set(
    active
      .filter((wallet) => wallet.asset === from?.asset && wallet.id !== from_wallet_id)
      .map((wallet) => wallet.id),
  )
  return (
    <>
      <InputItem
        field={{
          name: 'from_wallet_id',
          label: t('From wallet'),
          kind: 'wallet',
          required: true,
          disabled: known !== undefined,
          only: (id) => senders.has(id),
        }}
      />
      <InputItem
        field={{
          name: 'to_wallet_id',
          label: t('To wallet'),
          kind: 'wallet',
          required: true,
          only: (id) => recipients.has(id),
          help: from === undefined ? t('Choose the first wallet to see those that fit') : undefined,
        }}
      />
      <ProtocolInput known={known} from={from} />
      <InputItem field={{ name: 'label', label: t('Name'), kind: 'text', required: true }} />
      <TransferInputs from_wallet_id={from_wallet_id} />
    </>
  )
}
