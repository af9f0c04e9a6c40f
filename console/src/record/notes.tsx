/** What people noted on a record: tags, comments and files. The same for every kind of record. */
import type { ReactNode } from 'react'
import { useEvents } from '../api/events.ts'
import { useNotes } from '../api/notes.ts'
import type { Noted } from '../api/notes.ts'
import { t } from '../language/index.ts'
import { Failure, Loading } from '../parts/states.tsx'
import { CommentsPart } from './notes-comments.tsx'
import { FilesPart } from './notes-files.tsx'
import { TagsPart } from './notes-tags.tsx'
import { readNotesAgain } from './noting.ts'

/** The label of the tab, with how much there is. */
export function NotesLabel({ of }: { of: Noted }): ReactNode {
  const { data } = useNotes(of)
  useEvents(['comment', 'tag', 'attachment'], readNotesAgain)
  const comments = data?.comments.filter(({ deleted_at }) => deleted_at === null).length ?? 0
  const files = data?.attachments.filter(({ deleted_at }) => deleted_at === null).length ?? 0
  const count = comments + files + (data?.tags.length ?? 0)
  return count === 0 ? t('Notes') : t('Notes ({{count}})', { count })
}

export function NotesTab({ of }: { of: Noted }): ReactNode {
  const { data, error, refetch } = useNotes(of)
  if (error !== null) return <Failure error={error} again={refetch} />
  if (data === undefined) return <Loading />
  return (
    <div className="notes">
      <TagsPart of={of} tags={data.tags} />
      <CommentsPart of={of} comments={data.comments} />
      <FilesPart of={of} files={data.attachments} />
    </div>
  )
}
