/**
 * A time that a person types or picks, written as times are shown (2026-11-28 21:05), whatever the
 * language of the browser. Local time, to the minute; `value` in Unix milliseconds.
 */
import { DatePicker } from 'antd'
import locale from 'antd/es/date-picker/locale/en_GB'
import dayjs from 'dayjs'
import 'dayjs/locale/en-gb'
import type { ReactNode } from 'react'
import { t } from '../language/index.ts'
import { typedTime } from './typed-time.ts'

const FORMAT = 'YYYY-MM-DD HH:mm'

export default function TimePicker({
  value,
  onChange,
  ...input
}: {
  value?: number | undefined
  onChange?(at: number | undefined): void
  id?: string
  size?: 'small'
  disabled?: boolean
  'aria-label'?: string
}): ReactNode {
  // The picker itself reads only its own form, and drops what is typed otherwise.
  const takeDay = (target: EventTarget): void => {
    const at = target instanceof HTMLInputElement ? typedTime(target.value) : undefined
    if (at !== undefined) onChange?.(at)
  }
  return (
    <DatePicker
      {...input}
      // Weeks begin on Monday.
      locale={locale}
      format={FORMAT}
      placeholder={t('yyyy-mm-dd hh:mm')}
      showTime={{ format: 'HH:mm' }}
      needConfirm={false}
      value={value === undefined ? null : dayjs(value)}
      onChange={(chosen) => onChange?.(chosen?.valueOf())}
      onBlur={({ target }) => {
        takeDay(target)
      }}
      // Enter takes the time, and does not send the form around it.
      onKeyDown={(event) => {
        if (event.key !== 'Enter') return
        event.preventDefault()
        takeDay(event.target)
      }}
    />
  )
}
