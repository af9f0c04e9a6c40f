/** Where the configuration file says something else than the console, and what to do about it. */
import type { ReactNode } from 'react'
import { ActionButton } from '../../action/action.tsx'
import type { ActionPlan } from '../../action/plan.ts'
import { useEvents } from '../../api/events.ts'
import { useGet } from '../../api/query.ts'
import { t } from '../../language/index.ts'
import { told } from '../../parts/refusal-words.ts'
import { Failure } from '../../parts/states.tsx'
import type { Setting } from './setting-shape.ts'
import { SettingValue } from './setting-value.tsx'
import { bothSay, KEEP, TAKE, TwoHandsDrift } from './two-hands.tsx'

type Decision = ActionPlan<'put', '/settings/{key}', Setting>

const showOf = (setting: Setting) => (value: unknown) => (
  <SettingValue setting={setting} value={value} />
)

const both = (setting: Setting) =>
  bothSay(
    { label: t('Setting'), value: told(setting.title) },
    { record: setting.value, file: setting.drift?.file },
    showOf(setting),
  )

const keep = ({ permission }: Setting): Decision => ({
  ...KEEP,
  permission,
  method: 'put',
  path: '/settings/{key}',
  request: ({ key, value, version }) => ({
    params: { key },
    body: { value, version, keep_against_file: true },
  }),
  confirm: both,
  done: ({ title }) => t('{{title}}: the value of the console stays', { title: told(title) }),
})

const take = ({ permission }: Setting): Decision => ({
  ...TAKE,
  permission,
  method: 'put',
  path: '/settings/{key}',
  request: ({ key, drift, version }) => ({
    params: { key },
    body: { value: drift?.file, version },
  }),
  confirm: both,
  done: ({ title }) => t('{{title}}: the value of the file counts', { title: told(title) }),
})

export function Drift({ setting }: { setting: Setting }): ReactNode {
  const { drift } = setting
  const title = told(setting.title)
  if (drift === null) return null
  return (
    <TwoHandsDrift
      label={t('{{title}}: two values', { title })}
      drift={drift}
      show={showOf(setting)}
      ways={
        <>
          <ActionButton plan={keep(setting)} row={setting} />
          <ActionButton plan={take(setting)} row={setting} />
        </>
      }
    />
  )
}

/** All of them, for the overview. */
export function Drifts(): ReactNode {
  const { data, error, refetch } = useGet('/settings')
  useEvents(['setting'], () => refetch())
  if (error !== null) return <Failure error={error} again={refetch} />
  return (data ?? []).map((setting) =>
    setting.drift === null ? null : (
      <section key={setting.key} aria-label={told(setting.title)}>
        <h3>{told(setting.title)}</h3>
        <Drift setting={setting} />
      </section>
    ),
  )
}
