/** One saved view: it is chosen, renamed, shared, saved anew and deleted. */
import { DeleteOutlined, EditOutlined, SaveOutlined } from '@ant-design/icons'
import type { DataOf } from '@kontor/client'
import { App, Button, Checkbox, Input, Popconfirm } from 'antd'
import { useState } from 'react'
import type { ReactNode } from 'react'
import { queries, useMay } from '../api/query.ts'
import { client } from '../api/session.ts'
import { t } from '../language/index.ts'
import { errorText } from '../parts/states.tsx'
import { Name } from '../parts/values.tsx'
import type { ListState } from './state.ts'

export type View = DataOf<'get', '/views'>[number]
export type Shown = Pick<ListState, 'view' | 'show'>

/** A change at the service; what it refuses is told, and the views are read again. */
export function useChange(): {
  busy: boolean
  change(work: () => Promise<View>, done: string): void
} {
  const [busy, setBusy] = useState(false)
  const { message } = App.useApp()
  const change = async (work: () => Promise<View>, done: string): Promise<void> => {
    setBusy(true)
    try {
      await work()
      message.success(done)
    } catch (error) {
      message.error(errorText(error, true).title)
    } finally {
      setBusy(false)
      await queries.invalidateQueries({ queryKey: ['/views'] })
    }
  }
  return {
    busy,
    change: (work, done) => {
      change(work, done).catch(() => undefined)
    },
  }
}

const changeView = (
  { id, version }: View,
  body: { name?: string; query?: string; shared?: boolean },
): Promise<View> =>
  client().put('/views/{view_id}', { params: { view_id: id }, body: { ...body, version } })

type ItemProps = { view: View; state: Shown; mine: boolean; close(): void }

export function ViewItem({ view, state, mine, close }: ItemProps): ReactNode {
  const [renaming, setRenaming] = useState(false)
  const mayTidy = useMay('users.write')
  const { change } = useChange()
  const { name, query } = view
  if (renaming)
    return (
      <li>
        <Rename
          view={view}
          end={() => {
            setRenaming(false)
          }}
        />
      </li>
    )
  return (
    <li>
      <button
        type="button"
        className="view-name"
        aria-current={query === state.view ? 'true' : undefined}
        onClick={() => {
          state.show(query)
          close()
        }}
      >
        {name}
      </button>
      {!mine && <small>{view.user_name ?? <Name of="user" id={view.user_id} />}</small>}
      {mine && (
        <OwnButtons
          view={view}
          now={state.view}
          rename={() => {
            setRenaming(true)
          }}
        />
      )}
      {(mine || mayTidy) && (
        <Popconfirm
          title={t('Delete saved view “{{name}}”?', { name })}
          okText={t('Delete')}
          cancelText={t('Keep it')}
          onConfirm={() => {
            change(
              () => client().del('/views/{view_id}', { params: { view_id: view.id } }),
              t('{{name}} deleted', { name }),
            )
          }}
        >
          <Button
            size="small"
            type="text"
            aria-label={t('Delete {{name}}', { name })}
            title={t('Delete')}
            icon={<DeleteOutlined />}
          />
        </Popconfirm>
      )}
    </li>
  )
}

type OwnProps = { view: View; now: string; rename(): void }

function OwnButtons({ view, now, rename }: OwnProps): ReactNode {
  const { busy, change } = useChange()
  const { name, shared } = view
  return (
    <>
      <Checkbox
        checked={shared}
        disabled={busy}
        aria-label={t('Share {{name}} with the workspace', { name })}
        onChange={({ target }) => {
          change(
            () => changeView(view, { shared: target.checked }),
            target.checked
              ? t('{{name}} is shared', { name })
              : t('{{name}} is yours alone', { name }),
          )
        }}
      >
        {t('Shared')}
      </Checkbox>
      <Button
        size="small"
        type="text"
        aria-label={t('Rename {{name}}', { name })}
        title={t('Rename')}
        icon={<EditOutlined />}
        onClick={rename}
      />
      <Button
        size="small"
        type="text"
        disabled={view.query === now}
        aria-label={t('Save the list as it is now as {{name}}', { name })}
        title={t('Save the list as it is now under this name')}
        icon={<SaveOutlined />}
        onClick={() => {
          change(() => changeView(view, { query: now }), t('{{name}} saved', { name }))
        }}
      />
    </>
  )
}

function Rename({ view, end }: { view: View; end(): void }): ReactNode {
  const [name, setName] = useState(view.name)
  const { change } = useChange()
  return (
    <Input
      size="small"
      autoFocus
      aria-label={t('New name of {{name}}', { name: view.name })}
      maxLength={80}
      value={name}
      onChange={({ target }) => {
        setName(target.value)
      }}
      onBlur={end}
      onKeyDown={(event) => {
        if (event.key === 'Escape') {
          event.stopPropagation()
          end()
        }
      }}
      onPressEnter={() => {
        const wanted = name.trim()
        if (wanted !== '' && wanted !== view.name)
          change(() => changeView(view, { name: wanted }), t('Renamed to {{wanted}}', { wanted }))
        end()
      }}
    />
  )
}
