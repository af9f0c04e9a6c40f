import { Button, Input, Tag } from 'antd'
import { useId, useState } from 'react'
import type { ReactNode } from 'react'
import type { Noted, Notes } from '../api/notes.ts'
import { useMay } from '../api/query.ts'
import { client } from '../api/session.ts'
import { t } from '../language/index.ts'
import { asOneWord, MAXIMUM_TAG, ONE_WORD } from '../parts/tag-text.ts'
import { useNoting } from './noting.ts'

export function TagsPart({ of, tags }: { of: Noted; tags: Notes['tags'] }): ReactNode {
  const may = useMay('notes.write')
  const { run } = useNoting()
  return (
    <section aria-label={t('Tags')}>
      <h3>{t('Tags')}</h3>
      {tags.length === 0 && !may && <p className="explain">{t('No tags.')}</p>}
      <ul className="tags">
        {tags.map(({ id, tag }) => (
          <li key={id}>
            <Tag>
              {tag}{' '}
              {may && (
                <button
                  type="button"
                  aria-label={t('Remove the tag {{tag}}', { tag })}
                  onClick={() => {
                    run(() => client().del('/tags/{tag_id}', { params: { tag_id: id } })).catch(
                      () => undefined,
                    )
                  }}
                >
                  ×
                </button>
              )}
            </Tag>
          </li>
        ))}
      </ul>
      {may && <NewTag of={of} />}
    </section>
  )
}

function NewTag({ of }: { of: Noted }): ReactNode {
  const [typed, setTyped] = useState('')
  const hint = useId()
  const { busy, run } = useNoting()
  const tag = typed.trim()
  const isSeveral = tag !== '' && !ONE_WORD.test(tag)
  const add = async (): Promise<void> => {
    if (tag === '' || isSeveral || busy) return
    const body = { tag }
    if (await run(() => client().post('/notes/{kind}/{record_id}/tags', { params: of, body })))
      setTyped('')
  }
  return (
    <form
      className="note-form"
      onSubmit={(event) => {
        event.preventDefault()
        add().catch(() => undefined)
      }}
    >
      <Input
        size="small"
        aria-label={t('New tag')}
        placeholder={t('One word, such as urgent')}
        maxLength={MAXIMUM_TAG}
        value={typed}
        status={isSeveral ? 'error' : ''}
        aria-invalid={isSeveral}
        aria-describedby={isSeveral ? hint : undefined}
        onChange={({ target }) => {
          setTyped(target.value)
        }}
      />
      <Button size="small" htmlType="submit" loading={busy}>
        {t('Add tag')}
      </Button>
      {isSeveral && (
        <p role="alert" id={hint} className="note-hint">
          {t('A tag is one word: write {{tag}}', { tag: asOneWord(tag) })}
        </p>
      )}
    </form>
  )
}
