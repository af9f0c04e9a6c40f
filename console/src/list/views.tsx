/**
 * Saved views of a list: its filters, sort and columns under a name. They are kept by the service,
 * so that another computer has them, and can be shared with the workspace.
 */
import { StarOutlined } from '@ant-design/icons'
import { Button, Checkbox, Input, Popover, Tooltip } from 'antd'
import { useState } from 'react'
import type { ReactNode } from 'react'
import { useLocation } from 'react-router'
import { once } from '../api/once.ts'
import { useGet, useMe } from '../api/query.ts'
import { client } from '../api/session.ts'
import { t } from '../language/index.ts'
import { PAGES } from '../pages/index.ts'
import { errorText } from '../parts/states.tsx'
import { useChange, ViewItem } from './view-item.tsx'
import type { Shown, View } from './view-item.tsx'

export function ViewsButton({ state }: { state: Shown }): ReactNode {
  const { pathname } = useLocation()
  const [open, setOpen] = useState(false)
  const list = PAGES.find(({ path }) => pathname === path || pathname.startsWith(`${path}/`))?.path
  if (list === undefined) return null
  return (
    <Popover
      trigger="click"
      placement="bottomRight"
      open={open}
      onOpenChange={setOpen}
      destroyOnHidden
      content={
        <Views
          list={list}
          state={state}
          close={() => {
            setOpen(false)
          }}
        />
      }
    >
      <Tooltip title={open ? undefined : t('Saved views')}>
        <Button
          size="small"
          aria-label={t('Saved views')}
          aria-expanded={open}
          icon={<StarOutlined />}
        />
      </Tooltip>
    </Popover>
  )
}

type ListProps = { list: string; state: Shown; close(): void }

function Views({ list, state, close }: ListProps): ReactNode {
  const me = useMe()
  const { data = [], error } = useGet('/views', { query: { list } })
  const own = data.filter(({ user_id }) => user_id === me?.user.id)
  const others = data.filter(({ user_id }) => user_id !== me?.user.id)
  const items = (views: readonly View[], mine: boolean): ReactNode =>
    views
      .toSorted((a, b) => a.name.localeCompare(b.name))
      .map((view) => <ViewItem key={view.id} {...{ view, state, mine, close }} />)
  return (
    <section className="views" aria-label={t('Saved views')}>
      {error !== null && <p role="alert">{errorText(error).title}</p>}
      {data.length === 0 && error === null && <p>{t('No saved view of this list yet.')}</p>}
      {own.length > 0 && <ul aria-label={t('Your views')}>{items(own, true)}</ul>}
      {others.length > 0 && (
        <>
          <h2>{t('Shared by others')}</h2>
          <ul aria-label={t('Shared by others')}>{items(others, false)}</ul>
        </>
      )}
      <NewView list={list} view={state.view} />
    </section>
  )
}

function NewView({ list, view }: { list: string; view: string }): ReactNode {
  const [name, setName] = useState('')
  const [shared, setShared] = useState(false)
  const { busy, change } = useChange()
  const body = { list, name: name.trim(), query: view, shared }
  return (
    <form
      className="new-view"
      onSubmit={(event) => {
        event.preventDefault()
        if (body.name === '' || busy) return
        change(
          async () => {
            const saved = await once(JSON.stringify(['save view', body]), (idempotency_key) =>
              client().post('/views', { body, idempotency_key }),
            )
            setName('')
            return saved
          },
          t('Saved as {{name}}', { name: body.name }),
        )
      }}
    >
      <Input
        size="small"
        aria-label={t('Name of the view')}
        placeholder={t('Save the list as it is now as …')}
        maxLength={80}
        value={name}
        onChange={({ target }) => {
          setName(target.value)
        }}
      />
      <Checkbox
        checked={shared}
        onChange={({ target }) => {
          setShared(target.checked)
        }}
      >
        {t('Share with the workspace')}
      </Checkbox>
      <Button size="small" type="primary" htmlType="submit" loading={busy}>
        {t('Save view')}
      </Button>
    </form>
  )
}
