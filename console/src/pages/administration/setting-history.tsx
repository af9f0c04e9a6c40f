/** Every change of a setting, the newest first. */
import type { ReactNode } from 'react'
import { useGet } from '../../api/query.ts'
import { t } from '../../language/index.ts'
import { Empty, Failure, Loading } from '../../parts/states.tsx'
import type { Setting } from './setting-shape.ts'
import { SettingValue } from './setting-value.tsx'
import { byWords } from './setting-words.ts'

const MOST = '200'

export function SettingHistory({ setting }: { setting: Setting }): ReactNode {
  const { data, error, refetch } = useGet('/settings/{key}/history', {
    params: { key: setting.key },
    query: { limit: MOST },
  })
  if (error !== null) return <Failure error={error} again={refetch} />
  if (data === undefined) return <Loading />
  if (data.length === 0)
    return <Empty title={t('Never changed')}>{t('It has been as it is from the start.')}</Empty>
  return (
    <ol className="setting-history" aria-label={t('Changes')}>
      {data.map((row) => (
        <li key={row.id}>
          <h3>{t('Version {{version}}: {{row}}', { version: row.version, row: byWords(row) })}</h3>
          <dl>
            <div>
              <dt>{t('Before')}</dt>
              <dd>
                <SettingValue setting={setting} value={row.before} />
              </dd>
            </div>
            <div>
              <dt>{t('After')}</dt>
              <dd>
                <SettingValue setting={setting} value={row.after} />
              </dd>
            </div>
            {row.kept_against !== null && (
              <div>
                <dt>{t('Kept although the file says')}</dt>
                <dd>
                  <SettingValue setting={setting} value={row.kept_against} />
                </dd>
              </div>
            )}
          </dl>
        </li>
      ))}
    </ol>
  )
}
