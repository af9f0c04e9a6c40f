/** Where the configuration file says something else than the console, and what to do about it. */
import type { ReactNode } from 'react'
import { ActionButton } from '../../action/action.tsx'
import type { ActionPlan } from '../../action/plan.ts'
import { useEvents } from '../../api/events.ts'
import { useGet } from '../../api/query.ts'
import { Trans, t } from '../../language/index.ts'
import { Failure } from '../../parts/states.tsx'
import { Time } from '../../parts/values.tsx'
import type { Setting } from './setting-shape.ts'
import { SettingValue } from './setting-value.tsx'
import './settings.css'

type Decision = ActionPlan<'put', '/settings/{key}', Setting>

const both = (setting: Setting) => [
  { label: t('Setting'), value: setting.title },
  { label: t('The console says'), value: <SettingValue setting={setting} /> },
  {
    label: t('The file says'),
    value: <SettingValue setting={setting} value={setting.drift?.file} />,
  },
]

const keep = ({ permission }: Setting): Decision => ({
  label: t('Keep what the console says'),
  permission,
  explain: () =>
    t('The value stays. The difference is not shown again until the file says something else.'),
  method: 'put',
  path: '/settings/{key}',
  request: ({ key, value, version }) => ({
    params: { key },
    body: { value, version, keep_against_file: true },
  }),
  confirm: both,
  done: ({ title }) => t('{{title}}: the value of the console stays', { title }),
})

const take = ({ permission }: Setting): Decision => ({
  label: t('Take what the file says'),
  permission,
  explain: () => t('The value of the file counts at once.'),
  method: 'put',
  path: '/settings/{key}',
  request: ({ key, drift, version }) => ({
    params: { key },
    body: { value: drift?.file, version },
  }),
  confirm: both,
  done: ({ title }) => t('{{title}}: the value of the file counts', { title }),
})

export function Drift({ setting }: { setting: Setting }): ReactNode {
  const { drift, title } = setting
  if (drift === null) return null
  return (
    <div className="setting-drift" role="group" aria-label={t('{{title}}: two values', { title })}>
      <p>
        <Trans
          i18nKey={
            'The configuration file says something else since <time/>. What the console ' +
            'says counts.'
          }
          components={{ time: <Time at={drift.since} /> }}
        />
      </p>
      <dl>
        <div>
          <dt>{t('The console says')}</dt>
          <dd>
            <SettingValue setting={setting} />
          </dd>
        </div>
        <div>
          <dt>{t('The file says')}</dt>
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
