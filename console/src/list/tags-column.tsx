/** The tags of rows, as a column that each list of records can show. */
import { Tag } from 'antd'
import type { ReactNode } from 'react'
import { useEvents } from '../api/events.ts'
import { tagsKey, useTags } from '../api/notes.ts'
import type { NotedKind } from '../api/notes.ts'
import { queries } from '../api/query.ts'
import { t } from '../language/index.ts'
import { NOTHING } from '../parts/values.tsx'
import type { Column } from './columns.tsx'

const idOf = (row: unknown): string => (row as { id: string }).id

export function tagsColumn<Row>(kind: NotedKind): Column<Row> {
  // Those that were read: of rows that were in sight.
  const known = (row: Row): string =>
    (queries.getQueryData<readonly string[]>(tagsKey(kind, idOf(row))) ?? []).join(' ')
  return {
    key: 'tags',
    title: t('Tags'),
    extra: true,
    value: known,
    text: known,
    render: (row) => <Tags kind={kind} id={idOf(row)} />,
  }
}

/** The tags of rows in sight are read again when somebody tags a record. */
export function useFreshTags(shown: readonly { key: string }[]): void {
  useEvents(shown.some(({ key }) => key === 'tags') ? ['tag'] : [], () =>
    queries.invalidateQueries({ queryKey: ['tags'] }),
  )
}

function Tags({ kind, id }: { kind: NotedKind; id: string }): ReactNode {
  const tags = useTags(kind, id)
  if (tags === undefined || tags.length === 0) return NOTHING
  return (
    <span title={tags.join(' ')}>
      {tags.map((tag) => (
        <Tag key={tag}>{tag}</Tag>
      ))}
    </span>
  )
}
