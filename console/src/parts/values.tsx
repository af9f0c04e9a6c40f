/** Single values, which look the same everywhere: amounts, times, ids, names. */
import { CopyOutlined } from '@ant-design/icons'
import { groupsOf } from '@kontor/client'
import { App } from 'antd'
import type { ReactNode } from 'react'
import { useNames } from '../api/names.ts'
import type { NamedKind } from '../api/names.ts'

/** In place of a value that is absent. */
export const NOTHING = (
  <span className="nothing" role="img" aria-label="none">
    –
  </span>
)

/** An exact amount in groups of digits. Copying it gives the plain digits. */
export function Amount({
  value,
  asset,
}: {
  value: string | null | undefined
  asset?: string | null | undefined
}): ReactNode {
  if (value === null || value === undefined) return NOTHING
  const { sign, groups, fraction } = groupsOf(value)
  return (
    <span className={`amount${sign === '' ? '' : ' negative'}`} title={value}>
      {sign}
      {groups.map((group, index) => (
        <span key={index} className="group">
          {group}
        </span>
      ))}
      {fraction !== '' && <span className="fraction">.{fraction}</span>}
      {asset !== undefined && asset !== null && <span className="asset">{asset}</span>}
    </span>
  )
}

const two = (part: number): string => String(part).padStart(2, '0')

/** Local date and time to the second. */
export function localTime(at: number): string {
  const date = new Date(at)
  const day = `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`
  return `${day} ${two(date.getHours())}:${two(date.getMinutes())}:${two(date.getSeconds())}`
}

/** Local time to the minute. */
export const clockTime = (at: number): string => localTime(at).slice(11, 16)

const MONTHS = [
  'Jan',
  'Feb',
  'Mar',
  'Apr',
  'May',
  'Jun',
  'Jul',
  'Aug',
  'Sep',
  'Oct',
  'Nov',
  'Dec',
] as const

/** Short for a list: `14:05:09` today, `3 Nov 14:05` in this year, otherwise the date. */
function shortTime(at: number, now: number): string {
  const [date, today] = [new Date(at), new Date(now)]
  if (date.toDateString() === today.toDateString()) return localTime(at).slice(11)
  return date.getFullYear() === today.getFullYear()
    ? `${date.getDate()} ${MONTHS[date.getMonth()]} ${localTime(at).slice(11, 16)}`
    : localTime(at).slice(0, 10)
}

/** Local time, in full and in UTC on hover. `at` in Unix milliseconds. */
export function Time({
  at,
  short = false,
}: {
  at: number | null | undefined
  short?: boolean
}): ReactNode {
  if (at === null || at === undefined) return NOTHING
  const utc = new Date(at).toISOString()
  const local = localTime(at)
  return (
    <time
      dateTime={utc}
      title={`${short ? `${local} · ` : ''}${utc.replace('T', ' ').replace('Z', '')} UTC`}
      className="time"
    >
      {short ? shortTime(at, Date.now()) : local}
    </time>
  )
}

const DAY_MILLISECONDS = 86_400_000

/** A bank names a day, which counts from midnight UTC: it is the same day in every zone. */
export function ValueDate({
  at,
  short = false,
}: {
  at: number | null
  short?: boolean
}): ReactNode {
  return at !== null && at % DAY_MILLISECONDS === 0 ? (
    <span className="time">{new Date(at).toISOString().slice(0, 10)}</span>
  ) : (
    <Time at={at} short={short} />
  )
}

export function useCopy(): (text: string, what: string) => void {
  const { message } = App.useApp()
  return (text, what) => {
    navigator.clipboard.writeText(text).then(
      () => message.success(`${what} copied`),
      () => message.error('The browser does not allow copying'),
    )
  }
}

/** Both ends of a long text. */
export function shorten(text: string, ends = 8): string {
  return text.length <= ends * 2 + 1 ? text : `${text.slice(0, ends)}…${text.slice(-6)}`
}

/** An id, address, hash or reference: shown in short, copied in full. */
export function Id({
  value,
  what = 'Id',
  full = false,
}: {
  value: string | null | undefined
  what?: string
  full?: boolean
}): ReactNode {
  const copy = useCopy()
  if (value === null || value === undefined || value === '') return NOTHING
  return (
    <span className="id">
      <span title={value}>{full ? value : shorten(value)}</span>
      <button
        type="button"
        className="copy"
        aria-label={`Copy ${what.toLowerCase()} ${value}`}
        title={`Copy ${value}`}
        onClick={(event) => {
          event.preventDefault()
          event.stopPropagation()
          copy(value, what)
        }}
      >
        <CopyOutlined />
      </button>
    </span>
  )
}

/** Whether this is the id of a user; workers have plain names instead. */
export const isUser = (id: string): boolean => /^[0-9a-f-]{36}$/.test(id)

/** The name of a record, with the id on hover. Without a known name, the id. */
export function Name({ of, id }: { of: NamedKind; id: string | null | undefined }): ReactNode {
  const names = useNames(of)
  if (id === null || id === undefined) return NOTHING
  const name = names.get(id)
  if (of === 'user' && !isUser(id)) return id
  return name === undefined ? (
    <Id value={id} what={of} />
  ) : (
    <span title={`${name} · ${id}`}>{name}</span>
  )
}
