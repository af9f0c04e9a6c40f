/** A date and time to type or pick. The calendar is loaded where the first one is shown. */
import { Input } from 'antd'
import { lazy, Suspense } from 'react'
import type { ComponentProps, ReactNode } from 'react'

const TimePicker = lazy(() => import('./time-picker.tsx'))

export function TimeInput(input: ComponentProps<typeof TimePicker>): ReactNode {
  return (
    <Suspense fallback={<Input disabled size={input.size ?? 'middle'} />}>
      <TimePicker {...input} />
    </Suspense>
  )
}

/** Applied without a form around it: a text that is not read as a time changes nothing. */
export function AppliedTime({ onChange, ...input }: ComponentProps<typeof TimePicker>): ReactNode {
  return (
    <TimeInput
      {...input}
      onChange={(at) => {
        if (!Number.isNaN(at)) onChange?.(at)
      }}
    />
  )
}
