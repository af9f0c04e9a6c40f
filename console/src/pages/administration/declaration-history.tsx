/** Every change of a declaration, the newest first. */
import type { ReactNode } from 'react'
import { useGet } from '../../api/query.ts'
import { t } from '../../language/index.ts'
import { Failure, Loading } from '../../parts/states.tsx'
import { DeclarationValue } from './declaration-value.tsx'
import { byWords } from './setting-words.ts'

const MOST = '200'

export function DeclarationHistory({ of }: { of: string }): ReactNode {
  const { data, error, refetch } = useGet('/declarations/{key}/history', {
    params: { key: of },
    query: { limit: MOST },
  })
  if (error !== null) return <Failure error={error} again={refetch} />
  if (data === undefined) return <Loading />
  return (
    <ol className="setting-history" aria-label={t('Changes')}>
      {data.map((row) => (
        <li key={row.id}>
          <h3>{t('Version {{version}}: {{row}}', { version: row.version, row: byWords(row) })}</h3>
          <dl>
            <div>
              <dt>{t('Before')}</dt>
              <dd>
                <DeclarationValue value={row.before} />
              </dd>
            </div>
            <div>
              <dt>{t('After')}</dt>
              <dd>
                <DeclarationValue value={row.after} />
              </dd>
            </div>
            {row.kept_against !== null && (
              <div>
                <dt>{t('Kept although the file says')}</dt>
                <dd>
                  <DeclarationValue value={row.kept_against} />
                </dd>
              </div>
            )}
          </dl>
        </li>
      ))}
    </ol>
  )
}
