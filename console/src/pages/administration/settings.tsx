/** Settings: what the workspace decides for itself, who said so, and since when. */
import { told } from '../../parts/refusal-words.ts'
import { Button } from 'antd'
import type { ReactNode } from 'react'
import { Link, Outlet, useParams } from 'react-router'
import type { DataOf } from '@kontor/client'
import { ActionModal } from '../../action/action.tsx'
import { openDialog } from '../../action/dialogs.tsx'
import { useEvents } from '../../api/events.ts'
import { useGet, useMe } from '../../api/query.ts'
import { t } from '../../language/index.ts'
import { Failure, Loading } from '../../parts/states.tsx'
import { RecordDrawer } from '../../record/record.tsx'
import { Drift } from './setting-drift.tsx'
import { change } from './setting-form.tsx'
import type { Setting } from './setting-shape.ts'
import { SettingHistory } from './setting-history.tsx'
import { SettingValue } from './setting-value.tsx'
import { groupsOf, helpOf, lastWords } from './setting-words.ts'
import '../../parts/panels.css'
import './settings.css'

/** No event tells that the configuration file says something else. */
const EVERY_MILLISECONDS = 10_000

export function Page(): ReactNode {
  const { data, error, refetch } = useGet('/settings', {}, { every: EVERY_MILLISECONDS })
  useEvents(['setting'], () => refetch())
  const drifts = (data ?? []).filter(({ drift }) => drift !== null)
  return (
    <section className="page" aria-label={t('Settings')}>
      <header className="page-head">
        <h1>{t('Settings')}</h1>
        <span className="count">
          {drifts.length > 0 &&
            t('{{count}} settings differ from the configuration file', {
              count: drifts.length,
            })}
        </span>
      </header>
      {error !== null && <Failure error={error} again={refetch} />}
      {data === undefined && error === null && <Loading />}
      {groupsOf(data ?? []).map(({ title, settings }) => (
        <section key={title} className="panel" aria-label={title}>
          <h2>{title}</h2>
          {settings.map((setting) => (
            <Entry key={setting.key} setting={setting} />
          ))}
        </section>
      ))}
      <Outlet />
    </section>
  )
}

function Entry({ setting }: { setting: Setting }): ReactNode {
  const { key } = setting
  const title = told(setting.title)
  return (
    <article className="setting" aria-label={title}>
      <div className="setting-about">
        <h3>
          <Link to={encodeURIComponent(key)}>{title}</Link>
        </h3>
        <p>{helpOf(setting)}.</p>
      </div>
      <div className="setting-value">
        <SettingValue setting={setting} />
      </div>
      <div className="setting-hand">
        <ChangeButton setting={setting} />
        <small>{lastWords(setting)}</small>
      </div>
      <Drift setting={setting} />
    </article>
  )
}

/** A button for those who may; the others are told why there is none. */
function ChangeButton({ setting }: { setting: Setting }): ReactNode {
  const me = useMe()
  if (me === undefined) return null
  if (!me.permissions.includes(setting.permission))
    return (
      <small className="setting-denied">
        {t(
          'You can see this setting, but not change it: your roles do not have the ' +
            'permission {{permission}}.',
          { permission: setting.permission },
        )}
      </small>
    )
  return (
    <Button
      size="small"
      aria-label={t('Change: {{title}}', { title: told(setting.title) })}
      onClick={() => {
        openDialog((close) => <ActionModal plan={change} row={setting} close={close} />)
      }}
    >
      {t('Change')}
    </Button>
  )
}

export function Record(): ReactNode {
  const { id = '' } = useParams()
  return (
    <RecordDrawer<'/settings/{key}', DataOf<'get', '/settings/{key}'>>
      what={t('Setting')}
      path="/settings/{key}"
      request={{ params: { key: id } }}
      timeline={false}
      live={['setting']}
      title={({ title }) => title}
      actions={(row) => <ChangeButton setting={row} />}
      sections={[
        {
          fields: [
            { key: 'value', title: t('Value'), render: (row) => <SettingValue setting={row} /> },
            {
              key: 'default',
              title: t('Without a setting'),
              render: (row) =>
                row.default === null ? (
                  t('Depends on the bank')
                ) : (
                  <SettingValue setting={row} value={row.default} />
                ),
            },
            {
              key: 'file',
              title: t('Configuration file'),
              render: (row) =>
                row.in_file ? (
                  <SettingValue setting={row} value={row.file} />
                ) : (
                  t('It says nothing of this setting')
                ),
            },
            { key: 'changed', title: t('Changed'), render: lastWords },
            { key: 'description', title: t('What it does'), render: helpOf },
            { key: 'permission', title: t('Who may change it') },
            { key: 'key', title: t('Name in the file and in the API') },
            { key: 'version', title: t('Version'), kind: 'number' },
          ],
        },
      ]}
      tabs={[
        { key: 'history', label: t('History'), node: (row) => <SettingHistory setting={row} /> },
      ]}
    />
  )
}
