/** Where the configuration file says something else than the console, and what to do about it. */
import type { ReactNode } from 'react'
import { ActionButton } from '../../action/action.tsx'
import type { ActionPlan } from '../../action/plan.ts'
import { useEvents } from '../../api/events.ts'
import { useGet } from '../../api/query.ts'
import { Failure } from '../../parts/states.tsx'
import { Time } from '../../parts/values.tsx'
import type { Setting } from './setting-shape.ts'
import { SettingValue } from './setting-value.tsx'
import './settings.css'

type Decision = ActionPlan<'put', '/settings/{key}', Setting>

const both = (setting: Setting) => [
  { label: 'Setting', value: setting.title },
  { label: 'The console says', value: <SettingValue setting={setting} /> },
  {
    label: 'The file says',
    value: <SettingValue setting={setting} value={setting.drift?.file} />,
  },
]

const keep = ({ permission }: Setting): Decision => ({
  label: 'Keep what the console says',
  permission,
  explain: () =>
    'The value stays. The difference is not shown again until the file says something else.',
  method: 'put',
  path: '/settings/{key}',
  request: ({ key, value, version }) => ({
    params: { key },
    body: { value, version, keep_against_file: true },
  }),
  confirm: both,
  done: ({ title }) => `${title}: the value of the console stays`,
})

const take = ({ permission }: Setting): Decision => ({
  label: 'Take what the file says',
  permission,
  explain: () => 'The value of the file counts at once.',
  method: 'put',
  path: '/settings/{key}',
  request: ({ key, drift, version }) => ({
    params: { key },
    body: { value: drift?.file, version },
  }),
  confirm: both,
  done: ({ title }) => `${title}: the value of the file counts`,
})

export function Drift({ setting }: { setting: Setting }): ReactNode {
  const { drift, title } = setting
  if (drift === null) return null
  return (
    <div className="setting-drift" role="group" aria-label={`${title}: two values`}>
      <p>
        The configuration file says something else since <Time at={drift.since} />. What the console
        says counts.
      </p>
      <dl>
        <div>
          <dt>The console says</dt>
          <dd>
            <SettingValue setting={setting} />
          </dd>
        </div>
        <div>
          <dt>The file says</dt>
          <dd>
            <SettingValue setting={setting} value={drift.file} />
          </dd>
        </div>
      </dl>
      <span className="setting-ways">
        <ActionButton plan={keep(setting)} row={setting} />
        <ActionButton plan={take(setting)} row={setting} />
      </span>
    </div>
  )
}

/** All of them, for the overview. */
export function Drifts(): ReactNode {
  const { data, error, refetch } = useGet('/settings')
  useEvents(['setting'], () => refetch())
  if (error !== null) return <Failure error={error} again={refetch} />
  return (data ?? []).map((setting) =>
    setting.drift === null ? null : (
      <section key={setting.key} aria-label={setting.title}>
        <h3>{setting.title}</h3>
        <Drift setting={setting} />
      </section>
    ),
  )
}
