import { Button, Mentions, Popconfirm } from 'antd'
import { useState } from 'react'
import type { ReactNode } from 'react'
import { useTypedForm } from '../action/leaving.tsx'
import type { Noted, Notes } from '../api/notes.ts'
import { once } from '../api/once.ts'
import { useGet, useMay, useMe } from '../api/query.ts'
import { client } from '../api/session.ts'
import { Trans, t } from '../language/index.ts'
import { Time } from '../parts/values.tsx'
import { mentionedIn } from './mentions.ts'
import { useNoting } from './noting.ts'

type Comment = Notes['comments'][number]
const MAXIMUM_COMMENT = 4_000

export function CommentsPart({ of, comments }: { of: Noted; comments: Comment[] }): ReactNode {
  const may = useMay('notes.write')
  return (
    <section aria-label={t('Comments')}>
      <h3>{t('Comments')}</h3>
      {comments.length === 0 && <p className="explain">{t('No comments yet.')}</p>}
      <ol className="comments">
        {comments.map((comment) => (
          <CommentItem key={comment.id} comment={comment} />
        ))}
      </ol>
      {may && <NewComment of={of} />}
    </section>
  )
}

function CommentItem({ comment }: { comment: Comment }): ReactNode {
  const me = useMe()
  const { run } = useNoting()
  const { id, author_name, system_created_by, system_created_at, text, deleted_at } = comment
  const author = author_name ?? t('Somebody who is not known any more')
  return (
    <li>
      <header>
        <strong>{author}</strong> <Time at={system_created_at} />
        {deleted_at === null && system_created_by === me?.user.id && (
          <Popconfirm
            title={t('Delete this comment?')}
            description={t('A line will say that there was one.')}
            okText={t('Delete')}
            cancelText={t('Keep it')}
            onConfirm={() =>
              run(() => client().del('/comments/{comment_id}', { params: { comment_id: id } }))
            }
          >
            <Button size="small" type="link" aria-label={t('Delete your comment')}>
              {t('Delete')}
            </Button>
          </Popconfirm>
        )}
      </header>
      {deleted_at === null ? (
        <p className="comment-text">{text}</p>
      ) : (
        <p className="explain">
          <Trans
            i18nKey="Deleted by its author, <time/>"
            components={{ time: <Time at={deleted_at} /> }}
          />
        </p>
      )}
    </li>
  )
}

function NewComment({ of }: { of: Noted }): ReactNode {
  const [text, setText] = useState('')
  const { data: colleagues = [] } = useGet('/colleagues')
  const { busy, run } = useNoting()
  useTypedForm(() => text.trim() !== '')
  const write = async (): Promise<void> => {
    if (text.trim() === '' || busy) return
    const body = { text: text.trim(), mentions: mentionedIn(text, colleagues) }
    const done = await run(() =>
      once(JSON.stringify(['comment', of, body]), (idempotency_key) =>
        client().post('/notes/{kind}/{record_id}/comments', { params: of, body, idempotency_key }),
      ),
    )
    if (done) setText('')
  }
  return (
    <form
      className="note-form tall"
      onSubmit={(event) => {
        event.preventDefault()
        write().catch(() => undefined)
      }}
    >
      <Mentions
        aria-label={t('New comment')}
        placeholder={t('Write a comment. @ mentions a colleague')}
        autoSize={{ minRows: 2, maxRows: 8 }}
        maxLength={MAXIMUM_COMMENT}
        value={text}
        onChange={setText}
        options={colleagues.map(({ name }) => ({ value: name, label: name }))}
      />
      <Button size="small" type="primary" htmlType="submit" loading={busy}>
        {t('Comment')}
      </Button>
    </form>
  )
}
