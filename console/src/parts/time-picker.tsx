/**
 * A time that a person types or picks, written as times are shown, whatever the language of the
 * browser. `value` in Unix milliseconds, and UNREAD for a text that is not read as a time, so that
 * nothing takes the former time for it.
 */
import { DatePicker, Form } from 'antd'
import locale from 'antd/es/date-picker/locale/en_GB'
import dayjs from 'dayjs'
import 'dayjs/locale/en-gb'
import { createContext, use, useEffect, useId, useState } from 'react'
import type { ComponentProps, ReactNode } from 'react'
import { t } from '../language/index.ts'
import { typedTime, UNREAD, UNREAD_WORDS } from './typed-time.ts'

const FORMAT = 'YYYY-MM-DD HH:mm'
const COMPONENTS = { input: TextOfTime }

/** What a person types, until it is read. The calendar has no part in it. */
const Typing = createContext<{
  text: string | undefined
  type(text: string): void
  end(): void
  close(): void
  described: string
}>({ text: undefined, type: () => {}, end: () => {}, close: () => {}, described: '' })

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
  const note = useId()
  const [open, setOpen] = useState(false)
  const typed = useTyped(value, onChange)
  // At a field with an error the words of the error stand already.
  const { status } = Form.Item.useStatus()
  const at = typed.text === undefined ? value : typedTime(typed.text)
  return (
    <Typing
      value={{
        ...typed,
        close: () => {
          setOpen(false)
        },
        described: note,
      }}
    >
      <DatePicker
        {...input}
        components={COMPONENTS}
        // Weeks begin on Monday.
        locale={locale}
        format={FORMAT}
        placeholder={t('yyyy-mm-dd hh:mm')}
        showTime={{ format: 'HH:mm' }}
        needConfirm={false}
        previewValue={false}
        open={open}
        onOpenChange={setOpen}
        value={at === undefined || Number.isNaN(at) ? null : dayjs(at)}
        onCalendarChange={(chosen) => {
          typed.pick(Array.isArray(chosen) ? undefined : chosen?.valueOf())
        }}
        {...(typed.refused ? { status: 'error' as const } : {})}
      />
      <span className="time-note" id={note} role="status">
        {typed.refused && status !== 'error' && UNREAD_WORDS}
      </span>
    </Typing>
  )
}

/** What is typed is read when its field is left, and by Enter. Nothing else takes it away. */
function useTyped(
  value: number | undefined,
  onChange: ((at: number | undefined) => void) | undefined,
) {
  const [text, setText] = useState<string>()
  const [refused, setRefused] = useState(false)
  const set = (next: string | undefined, isRefused = false): void => {
    setText(next)
    setRefused(isRefused)
  }
  const [seen, setSeen] = useState(value)
  if (!Object.is(seen, value)) {
    setSeen(value)
    if (!Number.isNaN(value)) set(undefined)
  }
  // A field that was away comes back empty.
  const isLeft = text === undefined && Number.isNaN(value)
  useEffect(() => {
    if (isLeft) onChange?.(undefined)
  })
  return {
    text,
    refused,
    type: (next: string) => {
      set(next)
      onChange?.(next.trim() === '' ? undefined : UNREAD)
    },
    end: () => {
      if (text === undefined || text.trim() === '') return
      const at = typedTime(text)
      set(at === undefined ? text : undefined, at === undefined)
      onChange?.(at ?? UNREAD)
    },
    pick: (at: number | undefined) => {
      set(undefined)
      onChange?.(at)
    },
  }
}

function TextOfTime({ value, onKeyDown, onBlur, ...input }: ComponentProps<'input'>): ReactNode {
  const { text, type, end, close, described } = use(Typing)
  return (
    <input
      {...input}
      aria-describedby={described}
      value={text ?? value}
      onChange={({ target }) => {
        type(target.value)
      }}
      onBlur={(event) => {
        end()
        onBlur?.(event)
      }}
      // Enter takes the time, and does not send the form around it.
      onKeyDown={(event) => {
        if (event.key !== 'Enter') return onKeyDown?.(event)
        event.preventDefault()
        end()
        close()
      }}
    />
  )
}
