/** The secrets of a venue: written once, and never shown. */
import type { DataOf } from '@kontor/client'
import type { ReactNode } from 'react'
import { ActionButton } from '../../action/action.tsx'
import type { ActionPlan } from '../../action/plan.ts'
import { useEvents } from '../../api/events.ts'
import { useGet } from '../../api/query.ts'
import { t } from '../../language/index.ts'
import { Empty, Failure, Loading } from '../../parts/states.tsx'
import { localTime } from '../../parts/local-time.ts'
import type { Declaration } from './declaration-fields.ts'
import { storedIn } from './declaration-fields.ts'
import './settings.css'

type Stored = DataOf<'get', '/venues/{venue_id}/secrets'>[number]
type Row = { venue_id: string; name: string }

/** A key in PEM has lines, which a password field would drop. */
const HAS_LINES = /_pem$|private_key$/

const write = (name: string): ActionPlan<'put', '/venues/{venue_id}/secrets/{name}', Row> => ({
  label: t('Write'),
  permission: 'venues.secrets.write',
  explain: () =>
    t(
      'It is stored encrypted, used within seconds, and shown to nobody. It is sent ' +
        'to the address that the venue has now, and to no other.',
    ),
  fields: [
    {
      name: 'value',
      label: name,
      kind: HAS_LINES.test(name) ? 'lines' : 'password',
      required: true,
    },
  ],
  method: 'put',
  path: '/venues/{venue_id}/secrets/{name}',
  request: ({ venue_id }, { value }) => ({
    params: { venue_id, name },
    body: { value: String(value) },
  }),
  done: () => t('{{name}} written', { name }),
})

export function VenueSecrets({ record }: { record: Declaration }): ReactNode {
  const { venue_id } = record
  return venue_id === null ? null : <Secrets record={record} venue_id={venue_id} />
}

function Secrets({ record, venue_id }: { record: Declaration; venue_id: string }): ReactNode {
  const path = '/venues/{venue_id}/secrets'
  const { data, error, refetch } = useGet(path, { params: { venue_id } })
  useEvents(['venue'], () => refetch())
  if (error !== null) return <Failure error={error} again={refetch} />
  if (data === undefined) return <Loading />
  const wanted = storedIn((record.declaration as { secrets?: unknown } | null)?.secrets)
  const names = [...new Set([...wanted, ...data.map(({ name }) => name)])]
  if (names.length === 0)
    return (
      <Empty title={t('No secret is stored here')}>
        {t('The configuration file says where they lie.')}
      </Empty>
    )
  return (
    <ul className="setting-history" aria-label={t('Stored secrets')}>
      {names.map((name) => (
        <li key={name}>
          <h3>{name}</h3>
          <p>{wordsOf(data.find((secret) => secret.name === name))}</p>
          <ActionButton plan={write(name)} row={{ venue_id, name }} />
        </li>
      ))}
    </ul>
  )
}

function wordsOf(secret: Stored | undefined): string {
  if (secret === undefined) return t('Not written yet')
  const { usable, set_at, set_by_name } = secret
  const last = t('Written by {{set_by_name}}, {{set_at}}', {
    set_by_name: set_by_name ?? 'Kontor',
    set_at: localTime(set_at),
  })
  return usable
    ? last
    : t('Write it anew: the venue has another address, or the key file is another. {{last}}', {
        last,
      })
}
