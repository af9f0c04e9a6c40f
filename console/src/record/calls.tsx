/** Who did what to a record, from where: its entries of the audit trail. */
import type { ReactNode } from 'react'
import { useEvents } from '../api/events.ts'
import { useNames } from '../api/names.ts'
import { useGet } from '../api/query.ts'
import { t } from '../language/index.ts'
import { changeWords, doerOf, whatWords } from '../parts/audit-words.ts'
import type { AuditEntry } from '../parts/audit-words.ts'
import { Empty, Failure, Loading } from '../parts/states.tsx'
import { inWords } from '../parts/status.tsx'
import { Time } from '../parts/values.tsx'

const REFRESH_MILLISECONDS = 15_000
const PAUSE_MILLISECONDS = 2_000

export function Calls({ of }: { of: string }): ReactNode {
  const { data, error, refetch } = useGet(
    '/audit',
    { query: { record_id: of, limit: '200' } },
    { every: REFRESH_MILLISECONDS },
  )
  useEvents('all', () => refetch(), PAUSE_MILLISECONDS)
  if (error !== null) return <Failure error={error} again={refetch} />
  if (data === undefined) return <Loading />
  if (data.length === 0)
    return (
      <Empty title={t('No entries in the audit trail')}>
        {t('A booking says who made it. What the service did by itself stands in the timeline.')}
      </Empty>
    )
  return (
    <ol className="story" aria-label={t('Who did what')}>
      {data.map((entry) => (
        <Call key={entry.id} entry={entry} />
      ))}
    </ol>
  )
}

function Call({ entry }: { entry: AuditEntry }): ReactNode {
  const { occurred_at, operation, kind, address, agent } = entry
  const users = useNames('user')
  const changed = changeWords(entry)
  const what = whatWords(entry)
  const by = doerOf(entry, users)
  return (
    <li>
      <div className="story-head">
        <Time at={occurred_at} />
        <strong>{operation ?? inWords(kind)}</strong>
      </div>
      {kind !== 'CALLED' && <p className="story-reason">{inWords(kind)}</p>}
      {what !== '' && <p className="story-reason">{what}</p>}
      {changed !== '' && <p className="story-reason">{changed}</p>}
      <p className="story-by">
        {[by === null ? '' : t('by {{by_name}}', { by_name: by }), address, agent]
          .filter(Boolean)
          .join(' · ')}
      </p>
    </li>
  )
}
