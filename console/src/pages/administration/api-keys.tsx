/** API keys: what programs may do, and when they last did it. */
import type { ReactNode } from 'react'
import { useParams } from 'react-router'
import { ActionButton } from '../../action/action.tsx'
import { WorkList } from '../../list/work-list.tsx'
import { useNames } from '../../api/names.ts'
import { Status } from '../../parts/status.tsx'
import { Id, Time } from '../../parts/values.tsx'
import { COMMON_FIELDS, RecordDrawer } from '../../record/record.tsx'
import { change, create, limitText, revoke, rotate } from './api-key-form.tsx'
import type { ApiKey } from './api-key-form.tsx'

export function Page(): ReactNode {
  return (
    <WorkList
      title="API keys"
      path="/auth/api-keys"
      every={15_000}
      columns={[
        { key: 'label', title: 'Program', width: 220 },
        { key: 'state', title: 'State', kind: 'status', width: 110 },
        { key: 'last_used_at', title: 'Last used', kind: 'time' },
        { key: 'expires_at', title: 'Valid until', kind: 'time' },
        {
          key: 'permissions',
          title: 'Permissions',
          value: (row) => row.permissions.join(', '),
          width: 420,
        },
        { key: 'networks', title: 'Networks', value: (row) => row.networks.join(', '), width: 180 },
        { key: 'system_created_at', title: 'Since', kind: 'time', extra: true },
        { key: 'id', title: 'Id', kind: 'id', extra: true },
      ]}
      filters={[
        {
          name: 'state',
          label: 'State',
          kind: 'words',
          options: ['ACTIVE', 'REVOKED'],
          many: true,
        },
        { name: 'label', label: 'Program', kind: 'text' },
      ]}
      empty={{ title: 'No API keys', text: 'Create one for each program.' }}
      actions={<ActionButton plan={create} primary />}
    />
  )
}

export function Record(): ReactNode {
  const { id = '' } = useParams()
  return (
    <RecordDrawer
      what="API key"
      path="/auth/api-keys/{api_key_id}"
      request={{ params: { api_key_id: id } }}
      timeline={false}
      title={(row) => (
        <>
          {row.label} <Status state={row.state} />
        </>
      )}
      actions={(row) => (
        <>
          <ActionButton plan={change} row={row} />
          <ActionButton plan={rotate} row={row} />
          <ActionButton plan={revoke} row={row} />
        </>
      )}
      sections={[
        {
          fields: [
            { key: 'label', title: 'Program' },
            { key: 'state', title: 'State', kind: 'status' },
            { key: 'expires_at', title: 'Valid until', kind: 'time' },
            { key: 'last_used_at', title: 'Last used', kind: 'time' },
            {
              key: 'networks',
              title: 'Networks',
              value: (row) => (row.networks.length === 0 ? 'Everywhere' : row.networks.join(', ')),
            },
          ],
        },
        {
          title: 'Permissions',
          fields: [
            {
              key: 'permissions',
              title: 'Permissions',
              render: (row) => <Lines>{row.permissions}</Lines>,
            },
          ],
        },
        {
          title: 'Limits',
          fields: [
            { key: 'assets', title: 'Assets', render: (row) => <Assets row={row} /> },
            { key: 'routes', title: 'Routes', render: (row) => <Routes row={row} /> },
          ],
        },
        {
          title: 'Secrets',
          fields: [{ key: 'secrets', title: 'Accepted', render: (row) => <Secrets row={row} /> }],
        },
        COMMON_FIELDS,
      ]}
    />
  )
}

function Lines({ children }: { children: readonly string[] }): ReactNode {
  return (
    <ul className="plain">
      {children.map((line) => (
        <li key={line}>{line}</li>
      ))}
    </ul>
  )
}

function Assets({ row }: { row: ApiKey }): ReactNode {
  const { assets } = row.limits
  return assets === null ? 'Any' : <Lines>{assets.map(limitText)}</Lines>
}

function Routes({ row }: { row: ApiKey }): ReactNode {
  const { routes } = row.limits
  if (routes === null) return 'Any'
  return (
    <ul className="plain">
      {routes.map((id) => (
        <li key={id}>
          <RouteName id={id} />
        </li>
      ))}
    </ul>
  )
}

/** Of either kind. */
function RouteName({ id }: { id: string }): ReactNode {
  const [treasury, prices] = [useNames('route'), useNames('price_route')]
  return treasury.get(id) ?? prices.get(id) ?? <Id value={id} what="route" />
}

function Secrets({ row }: { row: ApiKey }): ReactNode {
  return (
    <ul className="plain">
      {row.secrets.map(({ id, hint, expires_at, last_used_at, last_used_address }) => (
        <li key={id}>
          …{hint}{' '}
          <span className="soft">
            {last_used_at === null ? (
              'never used'
            ) : (
              <>
                last used <Time at={last_used_at} /> from {last_used_address}
              </>
            )}
            {expires_at !== null && (
              <>
                {' '}
                · until <Time at={expires_at} />
              </>
            )}
          </span>
        </li>
      ))}
    </ul>
  )
}
