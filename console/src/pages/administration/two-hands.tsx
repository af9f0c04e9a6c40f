/** What settings and declarations have alike: people and the configuration file change both. */
import type { ReactNode } from 'react'
import type { DataOf } from '@kontor/client'
import { Trans, t } from '../../language/index.ts'
import { Empty, Failure, Loading } from '../../parts/states.tsx'
import { Time } from '../../parts/values.tsx'
import { byWords } from './setting-words.ts'
import './settings.css'

/** What is shown of a value beside another one. */
type Show = (value: unknown, other: unknown) => ReactNode

type Drift = { file: unknown; record: unknown; since: number }

/** What a person is asked to confirm of either decision. */
export const bothSay = (
  what: { label: string; value: string },
  { file, record }: Pick<Drift, 'file' | 'record'>,
  show: Show,
) => [
  what,
  { label: t('The console says'), value: show(record, file) },
  { label: t('The file says'), value: show(file, record) },
]

export const KEEP = {
  label: t('Keep what the console says'),
  explain: () =>
    t('It stays. The difference is not shown again until the file says something else.'),
} as const

export const TAKE = {
  label: t('Take what the file says'),
  explain: () => t('What the file says counts at once.'),
} as const

/** `ways`: the buttons of those who decide. */
export function TwoHandsDrift({
  label,
  drift: { file, record, since },
  show,
  ways,
}: {
  label: string
  drift: Drift
  show: Show
  ways: ReactNode
}): ReactNode {
  return (
    <div className="setting-drift" role="group" aria-label={label}>
      <p>
        <Trans
          i18nKey={
            'The configuration file says something else since <time/>. What the console ' +
            'says counts.'
          }
          components={{ time: <Time at={since} /> }}
        />
      </p>
      <dl>
        <div>
          <dt>{t('The console says')}</dt>
          <dd>{show(record, file)}</dd>
        </div>
        <div>
          <dt>{t('The file says')}</dt>
          <dd>{show(file, record)}</dd>
        </div>
      </dl>
      <span className="setting-ways">{ways}</span>
    </div>
  )
}

/** How many changes are read at once. */
export const MOST_CHANGES = '200'

type Change =
  | DataOf<'get', '/settings/{key}/history'>[number]
  | DataOf<'get', '/declarations/{key}/history'>[number]

type Read = {
  data: readonly Change[] | undefined
  error: Error | null
  refetch: () => unknown
}

/** Every change, the newest first. */
export function TwoHandsHistory({
  read: { data, error, refetch },
  show,
}: {
  read: Read
  show: Show
}): ReactNode {
  if (error !== null) return <Failure error={error} again={refetch} />
  if (data === undefined) return <Loading />
  if (data.length === 0)
    return <Empty title={t('Never changed')}>{t('It has been as it is from the start.')}</Empty>
  return (
    <ol className="setting-history" aria-label={t('Changes')}>
      {data.map((row) => (
        <li key={row.id}>
          <h3>{t('Version {{version}}: {{who}}', { version: row.version, who: byWords(row) })}</h3>
          <dl>
            <div>
              <dt>{t('Before')}</dt>
              <dd>{show(row.before, row.after)}</dd>
            </div>
            <div>
              <dt>{t('After')}</dt>
              <dd>{show(row.after, row.before)}</dd>
            </div>
            {row.kept_against !== null && (
              <div>
                <dt>{t('Kept although the file says')}</dt>
                <dd>{show(row.kept_against, row.after)}</dd>
              </div>
            )}
          </dl>
        </li>
      ))}
    </ol>
  )
}
