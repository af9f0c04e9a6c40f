/** Single values, which look the same everywhere: amounts, times, ids, names. */
import { CopyOutlined } from '@ant-design/icons'
import { groupsOf } from '@kontor/client'
import { App } from 'antd'
import type { ReactNode } from 'react'
import { useAssets } from '../api/assets.tsx'
import { nameWords, shortId } from '../api/named.ts'
import { LOADING, useNamed } from '../api/names.ts'
import type { NamedKind } from '../api/names.ts'
import { useMe } from '../api/query.ts'
import { lowered, t } from '../language/index.ts'
import { fractionOf } from './amounts.ts'
import { localTime } from './local-time.ts'
import { useNumbers } from './number-format.ts'
import { doerWords } from './record-words.ts'

/** In place of a value that is absent. */
export const NOTHING = (
  <span className="nothing" role="img" aria-label={t('none')}>
    –
  </span>
)

type AmountProps = {
  value: string | null | undefined
  asset?: string | null | undefined
  /** The asset is known from elsewhere, and not named again. */
  bare?: boolean
  /** What one unit costs: shown with all its digits. */
  price?: boolean
  /** In a column: the digits behind the point for which it leaves room. */
  room?: number | undefined
}

/**
 * An exact amount as this person writes numbers. Its text, which is copied and read aloud, is the
 * plain digits, all of them: separators, zeros at the end and the mark of what is cut are looks.
 */
export function Amount({ value, asset, bare, price, room }: AmountProps): ReactNode {
  const { format } = useNumbers()
  const known = useAssets().get(asset ?? '')
  if (value === null || value === undefined) return NOTHING
  const { sign, groups } = groupsOf(value)
  const fraction = fractionOf(value, known, { price: price === true, room })
  const named = bare !== true && asset !== undefined && asset !== null
  const looks = [
    'amount',
    ...(sign === '' ? [] : ['negative']),
    ...(room === undefined ? [] : [named ? 'aligned with-asset' : 'aligned']),
  ]
  return (
    <span className={looks.join(' ')} title={value}>
      {sign}
      {groups.map((group, index) => (
        <span key={index} className="group" data-group={format.group}>
          {group}
        </span>
      ))}
      <Fraction fraction={fraction} decimal={format.decimal} aligned={room !== undefined} />
      {named && <span className="asset">{asset}</span>}
    </span>
  )
}

/** Digits as wide as a digit, and as wide as a point. */
const BLANK_DIGIT = '\u2007'
const BLANK_POINT = '\u2008'

function Fraction({
  fraction: { shown, zeros, cut, blanks },
  decimal,
  aligned,
}: {
  fraction: ReturnType<typeof fractionOf>
  decimal: string
  aligned: boolean
}): ReactNode {
  const point = <span className={decimal === ',' ? 'point comma' : 'point'}>.</span>
  const text = `${shown}${cut}`
  const pad = `${text === '' && zeros > 0 ? decimal : ''}${'0'.repeat(zeros)}`
  const blank = `${text === '' && zeros === 0 ? BLANK_POINT : ''}${BLANK_DIGIT.repeat(blanks)}`
  return (
    <>
      {text !== '' && (
        <span className="fraction">
          {point}
          {shown}
          {cut !== '' && <span className={/[1-9]/.test(cut) ? 'cut marked' : 'cut'}>{cut}</span>}
        </span>
      )}
      {pad !== '' && <span className="fraction pad" data-pad={pad} />}
      {aligned && blanks > 0 && <span className="pad" data-pad={blank} />}
    </>
  )
}

/** Local time to the minute. */
export const clockTime = (at: number): string => localTime(at).slice(11, 16)

const MONTHS = [
  t('Jan'),
  t('Feb'),
  t('Mar'),
  t('Apr'),
  t('May'),
  t('Jun'),
  t('Jul'),
  t('Aug'),
  t('Sep'),
  t('Oct'),
  t('Nov'),
  t('Dec'),
] as const

/** Short for a list: `14:05:09` today, `3 Nov 14:05` in this year, otherwise the date. */
function shortTime(at: number, now: number): string {
  const [date, today] = [new Date(at), new Date(now)]
  if (date.toDateString() === today.toDateString()) return localTime(at).slice(11)
  return date.getFullYear() === today.getFullYear()
    ? t('{{day}} {{month}} {{time}}', {
        day: date.getDate(),
        month: MONTHS[date.getMonth()],
        time: localTime(at).slice(11, 16),
      })
    : localTime(at).slice(0, 10)
}

/** What `shortTime` answers at its widest: a late day of each month, and a year that is over. */
export function widestTimes(): readonly string[] {
  const year = new Date().getFullYear()
  const days = MONTHS.map((_month, index) => new Date(year, index, 28).getTime())
  const halfYearOn = (index: number): number => days[(index + 6) % days.length] ?? 0
  const past = new Date(year - 1, 0, 1).getTime()
  return [...days, past].map((day, index) => shortTime(day, halfYearOn(index)))
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

/** A bank names a day, which counts from midnight UTC. Another moment is of the day it is here. */
export function valueDateText(at: number | null): string {
  if (at === null) return ''
  return at % DAY_MILLISECONDS === 0
    ? new Date(at).toISOString().slice(0, 10)
    : localTime(at).slice(0, 10)
}

export function ValueDate({ at }: { at: number | null }): ReactNode {
  return at === null ? NOTHING : <span className="time">{valueDateText(at)}</span>
}

export function useCopy(): (text: string, what: string) => void {
  const { message } = App.useApp()
  return (text, what) => {
    navigator.clipboard.writeText(text).then(
      () => message.success(t('{{what}} copied', { what })),
      () => message.error(t('The browser does not allow copying')),
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
  what = t('Id'),
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
        aria-label={t('Copy {{what}} {{value}}', { what: lowered(what), value })}
        title={t('Copy {{value}}', { value })}
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

/** A name with the end of the customer's id, where the record itself is at hand. */
export const Told = ({ label, id }: { label: string; id: string | null }): ReactNode => (
  <span className="named" title={id === null ? label : `${label} · ${id}`}>
    <span className="name">{label}</span>
    {id !== null && <small> {shortId(id)}</small>}
  </span>
)

/**
 * The name of a record, with the id on hover. A customer, and a customer's account, is told from
 * others of the same name. Without a known name, the id.
 */
export function Name({ of, id }: { of: NamedKind; id: string | null | undefined }): ReactNode {
  const names = useNamed(of)
  const me = useMe()
  if (id === null || id === undefined) return NOTHING
  if (of === 'user' && !isUser(id)) return doerWords(id)
  const named = names.get(id)
  // Who may not read users knows oneself.
  if (of === 'user' && named === undefined && id === me?.user.id)
    return <span title={id}>{me.user.email}</span>
  if (named === undefined && names === LOADING) return <span title={id}>…</span>
  if (named === undefined) return <Id value={id} what={of} />
  const { name, marks, short } = named
  const title = `${nameWords(named)} · ${id}`
  if (short === undefined && marks.length === 0) return <span title={title}>{name}</span>
  return (
    <span className="named" title={title}>
      <span className="name">{name}</span>
      {marks.length > 0 && <small className="marks"> {marks.join(' · ')}</small>}
      {short !== undefined && <small> {short}</small>}
    </span>
  )
}
