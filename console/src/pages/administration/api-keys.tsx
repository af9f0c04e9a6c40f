/** API keys: what programs may do, and when they last did it. */
import type { ReactNode } from 'react'
import { useParams } from 'react-router'
import { ActionButton } from '../../action/action.tsx'
import { WorkList } from '../../list/work-list.tsx'
import { useNames } from '../../api/names.ts'
import { Trans, t } from '../../language/index.ts'
import { useGet } from '../../api/query.ts'
import { told } from '../../parts/refusal-words.ts'
import { Status } from '../../parts/status.tsx'
import { Id, Time } from '../../parts/values.tsx'
import { COMMON_FIELDS, RecordDrawer } from '../../record/record.tsx'
import { change, create, limitWords, revoke, rotate } from './api-key-form.tsx'
import type { ApiKey } from './api-key-form.tsx'

export function Page(): ReactNode {
  return (
    <WorkList
      title={t('API keys')}
      path="/auth/api-keys"
      every={15_000}
      columns={[
        { key: 'label', title: t('Program'), width: 220 },
        { key: 'state', title: t('State'), kind: 'status', width: 110 },
        { key: 'last_used_at', title: t('Last used'), kind: 'time' },
        { key: 'expires_at', title: t('Valid until'), kind: 'time' },
        {
          key: 'permissions',
          title: t('Permissions'),
          value: (row) => row.permissions.join(', '),
          width: 420,
        },
        {
          key: 'networks',
          title: t('Networks'),
          value: (row) => row.networks.join(', '),
          width: 180,
        },
        { key: 'system_created_at', title: t('Since'), kind: 'time', extra: true },
        { key: 'id', title: t('Id'), kind: 'id', extra: true },
      ]}
      filters={[
        {
          name: 'state',
          label: t('State'),
          kind: 'words',
          options: ['ACTIVE', 'REVOKED'],
          many: true,
        },
        { name: 'label', label: t('Program'), kind: 'text' },
      ]}
      empty={{ title: t('No API keys'), text: t('Create one for each program.') }}
      actions={<ActionButton plan={create} primary />}
    />
  )
}

export function Record(): ReactNode {
  const { id = '' } = useParams()
  return (
    <RecordDrawer
      what={t('API key')}
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
            { key: 'label', title: t('Program') },
            { key: 'state', title: t('State'), kind: 'status' },
            { key: 'expires_at', title: t('Valid until'), kind: 'time' },
            { key: 'last_used_at', title: t('Last used'), kind: 'time' },
            {
              key: 'networks',
              title: t('Networks'),
              value: (row) =>
                row.networks.length === 0 ? t('Everywhere') : row.networks.join(', '),
            },
          ],
        },
        {
          title: t('Permissions'),
          fields: [
            {
              key: 'permissions',
              title: t('Permissions'),
              render: (row) => <Permissions row={row} />,
            },
          ],
        },
        {
          title: t('Limits'),
          fields: [
            { key: 'assets', title: t('Assets'), render: (row) => <Assets row={row} /> },
            { key: 'routes', title: t('Routes'), render: (row) => <Routes row={row} /> },
          ],
        },
        {
          title: t('Secrets'),
          fields: [
            {
              key: 'secrets',
              title: t('Accepted', { context: 'secret' }),
              render: (row) => <Secrets row={row} />,
            },
          ],
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

function Permissions({ row }: { row: ApiKey }): ReactNode {
  const { data = [] } = useGet('/auth/permissions')
  const meanings = new Map(data.map(({ name, meaning }) => [name as string, told(meaning)]))
  return <Lines>{row.permissions.map((name) => meanings.get(name) ?? name)}</Lines>
}

function Assets({ row }: { row: ApiKey }): ReactNode {
  const { assets } = row.limits
  return assets === null ? t('Any') : <Lines>{assets.map(limitWords)}</Lines>
}

function Routes({ row }: { row: ApiKey }): ReactNode {
  const { routes } = row.limits
  if (routes === null) return t('Any')
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
              t('never used')
            ) : (
              <Trans
                i18nKey="last used <time/> from {{last_used_address}}"
                components={{ time: <Time at={last_used_at} /> }}
                values={{ last_used_address }}
              />
            )}
            {expires_at !== null && (
              <>
                {' '}
                <Trans i18nKey="· until <time/>" components={{ time: <Time at={expires_at} /> }} />
              </>
            )}
          </span>
        </li>
      ))}
    </ul>
  )
}
