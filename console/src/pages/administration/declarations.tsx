/** Connections: venues with their secrets, assets and price routes, and who declared them. */
import type { DataOf } from '@kontor/client'
import type { ReactNode } from 'react'
import { Link, Outlet, useParams } from 'react-router'
import { ActionButton } from '../../action/action.tsx'
import { useEvents } from '../../api/events.ts'
import { useGet } from '../../api/query.ts'
import { t } from '../../language/index.ts'
import { told } from '../../parts/refusal-words.ts'
import { Failure, Loading } from '../../parts/states.tsx'
import { Status } from '../../parts/status.tsx'
import { RecordDrawer } from '../../record/record.tsx'
import { DeclarationDrift } from './declaration-drift.tsx'
import { PREFIXES } from './declaration-fields.ts'
import type { Declaration, Kind } from './declaration-fields.ts'
import { declareBank } from './bank-form.tsx'
import { addPlan, changePlan, removePlan } from './declaration-form.tsx'
import { DeclarationHistory } from './declaration-history.tsx'
import { DeclarationValue } from './declaration-value.tsx'
import { byWords } from './setting-words.ts'
import { VenueSecrets } from './venue-secrets.tsx'
import '../../parts/panels.css'
import './settings.css'

/** No event tells that the configuration file says something else. */
const EVERY_MILLISECONDS = 10_000

const GROUPS: readonly { kind: Kind; title: string }[] = [
  { kind: 'VENUE', title: t('Venues') },
  { kind: 'ASSET', title: t('Assets') },
  { kind: 'PRICE_ROUTE', title: t('Price routes') },
]

type Venue = DataOf<'get', '/venues'>[number]

export function Page(): ReactNode {
  const { data, error, refetch } = useGet('/declarations', {}, { every: EVERY_MILLISECONDS })
  const { data: venues } = useGet('/venues', {}, { every: EVERY_MILLISECONDS })
  useEvents(['declaration', 'venue'], () => refetch())
  const drifts = (data ?? []).filter(({ drift }) => drift !== null)
  return (
    <section className="page" aria-label={t('Connections')}>
      <header className="page-head">
        <h1>{t('Connections')}</h1>
        <span className="count">
          {drifts.length > 0 &&
            t('{{count}} connections differ from the configuration file', {
              count: drifts.length,
            })}
        </span>
      </header>
      {error !== null && <Failure error={error} again={refetch} />}
      {data === undefined && error === null && <Loading />}
      {data !== undefined &&
        GROUPS.map(({ kind, title }) => (
          <section key={kind} className="panel" aria-label={title}>
            <header className="panel-head">
              <h2>{title}</h2>
              {kind === 'VENUE' && <ActionButton plan={declareBank} />}
              <ActionButton plan={addPlan(kind)} />
            </header>
            {data
              .filter((record) => record.kind === kind)
              .map((record) => (
                <Entry
                  key={record.key}
                  record={record}
                  venue={venues?.find(({ id }) => id === record.venue_id)}
                />
              ))}
          </section>
        ))}
      <Outlet />
    </section>
  )
}

const SECRETS = {
  key: 'secrets',
  label: t('Secrets'),
  node: (row: Declaration) => <VenueSecrets record={row} />,
}

const labelOf = ({ declaration, name }: Declaration): string =>
  (declaration as { label?: string } | null)?.label ?? name

function Entry({ record, venue }: { record: Declaration; venue: Venue | undefined }): ReactNode {
  const { key, name } = record
  return (
    <article className="setting" aria-label={name}>
      <div className="setting-about">
        <h3>
          <Link to={encodeURIComponent(key)}>{labelOf(record)}</Link>
        </h3>
        <p>{name}</p>
      </div>
      <div className="setting-value">
        {venue !== undefined && <Status state={venue.state} />}
        {venue !== undefined && venue.fault !== null && <p>{told(venue.fault)}</p>}
      </div>
      <div className="setting-hand">
        <ActionButton plan={changePlan(record)} row={record} />
        <small>{byWords(record)}</small>
      </div>
      <DeclarationDrift record={record} />
    </article>
  )
}

export function Record(): ReactNode {
  const { id = '' } = useParams()
  return (
    <RecordDrawer<'/declarations/{key}', Declaration>
      what={t('Declaration')}
      path="/declarations/{key}"
      request={{ params: { key: id } }}
      timeline={false}
      live={['declaration', 'venue']}
      title={labelOf}
      actions={(row) => (
        <>
          <ActionButton plan={changePlan(row)} row={row} />
          <ActionButton plan={removePlan(row)} row={row} />
        </>
      )}
      sections={[
        {
          fields: [
            {
              key: 'declaration',
              title: t('Declared'),
              render: (row) => <DeclarationValue value={row.declaration} />,
            },
            {
              key: 'file',
              title: t('Configuration file'),
              render: (row) =>
                row.in_file ? <DeclarationValue value={row.file} /> : t('It does not name it'),
            },
            { key: 'changed', title: t('Changed'), render: byWords },
            { key: 'permission', title: t('Who may change it') },
            { key: 'key', title: t('Name in the API') },
            { key: 'version', title: t('Version'), kind: 'number' },
          ],
        },
      ]}
      tabs={[
        ...(id.startsWith(PREFIXES.VENUE) ? [SECRETS] : []),
        { key: 'history', label: t('History'), node: (row) => <DeclarationHistory of={row.key} /> },
      ]}
    />
  )
}
