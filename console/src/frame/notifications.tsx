/** The bell: what concerns the person, how much of it is not read, and what each is told of. */
import { BellOutlined, SettingOutlined } from '@ant-design/icons'
import type { DataOf } from '@kontor/client'
import { App, Badge, Button, Popover } from 'antd'
import { useState } from 'react'
import type { ReactNode } from 'react'
import { Link } from 'react-router'
import { openDialog } from '../action/dialogs.tsx'
import { useEvents } from '../api/events.ts'
import type { Subject } from '../api/events.ts'
import { queries, useGet } from '../api/query.ts'
import { client } from '../api/session.ts'
import { t } from '../language/index.ts'
import { placeOf } from '../parts/links.tsx'
import { recordTitle } from '../parts/record-words.ts'
import { errorText } from '../parts/states.tsx'
import { Time } from '../parts/values.tsx'
import { NotificationPreferences } from './notification-preferences.tsx'
import { countedText, personalText } from './notification-words.ts'

type Notification = DataOf<'get', '/notifications'>[number]

/** Of what is told. The notification is made a moment after the event. */
const SUBJECTS: readonly Subject[] = [
  'comment',
  'deposit',
  'withdrawal',
  'payment',
  'execution',
  'break',
  'halt',
  'set_aside_item',
  'settlement',
  'job',
  'account',
  'venue',
  'approval',
  'setting',
  'declaration',
]
const PAUSE_MILLISECONDS = 3_000
const LATER_MILLISECONDS = 2_500
/** However the events fare. */
const LOOK_MILLISECONDS = 30_000
const SHOWN = '50'
const MANY = 99

/** Where those that are counted stand. */
const LISTS: Readonly<Partial<Record<Notification['kind'], string>>> = {
  deposit_unassigned: '/treasury/deposits?state=UNASSIGNED,PARTIALLY_ASSIGNED',
  assignment_pending: '/treasury/assignments?state=PENDING',
  approval_waiting: '/desk/approvals?state=PENDING',
  break_opened: '/desk/breaks?state=OPEN',
  halt_set: '/desk/halts',
  set_aside: '/treasury/set-aside-items?state=OPEN',
  venue_silent: '/venues',
  setting_drifts: '/administration/settings',
  declaration_drifts: '/administration/declarations',
}

const readAgain = (): Promise<void> =>
  queries.invalidateQueries({
    predicate: ({ queryKey: [first] }) => String(first).startsWith('/notifications'),
  })

export function NotificationsButton(): ReactNode {
  const [open, setOpen] = useState(false)
  const { data } = useGet('/notifications/unread', undefined, { every: LOOK_MILLISECONDS })
  useEvents(
    SUBJECTS,
    () => setTimeout(() => void readAgain(), LATER_MILLISECONDS),
    PAUSE_MILLISECONDS,
  )
  const unread = data?.unread ?? 0
  const words =
    unread === 0 ? t('Notifications') : t('Notifications: {{unread}} not read', { unread })
  const close = (): void => {
    setOpen(false)
  }
  return (
    <Popover
      trigger="click"
      placement="bottomRight"
      open={open}
      onOpenChange={setOpen}
      destroyOnHidden
      content={<Notifications close={close} />}
    >
      <Button
        type="text"
        className="bell"
        aria-label={words}
        aria-expanded={open}
        title={t('Notifications')}
        icon={
          <Badge count={unread} overflowCount={MANY} size="small" offset={[2, -2]}>
            <BellOutlined />
          </Badge>
        }
      />
    </Popover>
  )
}

function Notifications({ close }: { close(): void }): ReactNode {
  const { data, error } = useGet('/notifications', { query: { limit: SHOWN } })
  const { read } = useReading()
  const unread = data?.some(({ read_at }) => read_at === null) === true
  return (
    <section className="notifications" aria-label={t('Notifications')}>
      <header>
        <h2>{t('Notifications')}</h2>
        <Button
          size="small"
          type="link"
          disabled={!unread}
          onClick={() => {
            read()
          }}
        >
          {t('Mark all as read')}
        </Button>
        <Button
          size="small"
          type="text"
          aria-label={t('Preferences')}
          title={t('Preferences')}
          icon={<SettingOutlined />}
          onClick={() => {
            close()
            openDialog((end) => <NotificationPreferences close={end} />)
          }}
        />
      </header>
      {error !== null && <p role="alert">{errorText(error).title}</p>}
      {data?.length === 0 && <p className="explain">{t('Nothing has concerned you yet.')}</p>}
      <ul>
        {(data ?? []).map((one) => (
          <Item
            key={one.id}
            notification={one}
            read={() => {
              if (one.read_at === null) read([one.id])
            }}
            close={close}
          />
        ))}
      </ul>
    </section>
  )
}

function useReading(): { read(ids?: string[]): void } {
  const { message } = App.useApp()
  const read = async (ids?: string[]): Promise<void> => {
    try {
      await client().post('/notifications/read', { body: ids === undefined ? {} : { ids } })
    } catch (error) {
      message.error(errorText(error, true).title)
    } finally {
      await readAgain()
    }
  }
  return {
    read: (ids) => {
      read(ids).catch(() => undefined)
    },
  }
}

function Item({
  notification,
  read,
  close,
}: {
  notification: Notification
  read(): void
  close(): void
}): ReactNode {
  const { count, waiting, record_kind, record_title, read_at, system_updated_at } = notification
  const isNew = read_at === null
  return (
    <li className={isNew ? 'unread' : undefined}>
      <Link
        to={addressOf(notification)}
        onClick={() => {
          read()
          close()
        }}
      >
        {textOf(notification)}
      </Link>
      {isNew && (
        <button
          type="button"
          className="mark-read"
          onClick={read}
          aria-label={t('Mark as read')}
          title={t('Mark as read')}
        >
          ●
        </button>
      )}
      <p>
        {count === 1 && record_title !== null && <>{recordTitle(record_kind, record_title)} · </>}
        <Time at={system_updated_at} short />
        {waiting === 0 && <> · {count === 1 ? t('done since') : t('none waits any more')}</>}
      </p>
    </li>
  )
}

function textOf({ kind, author_name, ...counted }: Notification): string {
  if (kind === 'mention' || kind === 'comment') return personalText(kind, author_name)
  return countedText(kind, counted)
}

function addressOf({ kind, count, record_kind, record_id }: Notification): string {
  const list = LISTS[kind]
  if (count > 1 && list !== undefined) return list
  const place =
    record_kind === 'approval' ? `/desk/approvals/${record_id}` : placeOf(record_kind, record_id)
  const tab = kind === 'mention' || kind === 'comment' ? '#notes' : ''
  if (place === undefined) return list ?? '/overview'
  return count > 1 ? place.slice(0, place.lastIndexOf('/')) : `${place}${tab}`
}
