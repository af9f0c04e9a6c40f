/** Nothing typed is lost by accident: who leaves a form in which something was typed is asked. */
import { Button, Modal } from 'antd'
import type { FormInstance } from 'antd'
import { useCallback, useEffect, useRef, useState, useSyncExternalStore } from 'react'
import type { ReactNode } from 'react'
import { useBlocker } from 'react-router'
import { isLeaving } from '../api/session.ts'
import { t } from '../language/index.ts'
import { useFocusBack } from '../parts/focus.ts'
import type { Values } from './plan.ts'

type IsTyped = () => boolean

/** What is asked. */
export type Leaving = { title: string; text: string; stay: string }

const TYPED: Leaving = {
  title: t('Leave without saving?'),
  text: t('What you typed is lost if you leave.'),
  stay: t('Keep editing'),
}

/** The forms on the screen. */
const forms = new Map<IsTyped, Leaving>()
const somethingTyped = (): boolean => [...forms.keys()].some((isTyped) => isTyped())
const wordsNow = (): Leaving => [...forms].find(([isTyped]) => isTyped())?.[1] ?? TYPED

let asked: { leave(): void } | undefined
const listeners = new Set<() => void>()

function ask(next: typeof asked): void {
  asked = next
  for (const notify of listeners) notify()
}

// The browser asks by itself when the tab is closed, unless the session ends.
addEventListener('beforeunload', (event) => {
  if (!isLeaving() && somethingTyped()) event.preventDefault()
})

/** For a form: whether something would be lost with it, and how that is asked. */
export function useTypedForm(isTyped: IsTyped, words = TYPED): void {
  const newest = useRef(isTyped)
  useEffect(() => {
    newest.current = isTyped
  })
  useEffect(() => {
    const mine: IsTyped = () => newest.current()
    forms.set(mine, words)
    return () => {
      forms.delete(mine)
    }
  }, [words])
}

/** Does this at once, or asks first when something was typed. */
export function leaveForm(leave: () => void): void {
  if (somethingTyped()) ask({ leave })
  else leave()
}

const isEmpty = (value: unknown): boolean =>
  value === undefined || value === null || value === '' || value === false

const isSame = (one: unknown, other: unknown): boolean =>
  (isEmpty(one) && isEmpty(other)) || JSON.stringify(one) === JSON.stringify(other)

/**
 * Tells what a person has typed or chosen from what the form has filled in by itself: `changed`
 * belongs to the form's `onValuesChange`, and `saved` ends what is asked.
 */
export function useTyping(
  form: FormInstance<Values>,
  initial: Values,
): { changed(values: Partial<Values>): void; isTyped: IsTyped; saved(): void } {
  const names = useRef(new Set<string>())
  const changed = useCallback((values: Partial<Values>) => {
    for (const name of Object.keys(values)) names.current.add(name)
  }, [])
  const isTyped = (): boolean =>
    [...names.current].some((name) => !isSame(form.getFieldValue(name), initial[name]))
  const saved = (): void => {
    names.current.clear()
  }
  return { changed, isTyped, saved }
}

/** Used once, in the frame: also asks who goes to another page, or back in the browser. */
export function AskBeforeLeaving(): ReactNode {
  const now = useSyncExternalStore(
    (notify) => {
      listeners.add(notify)
      return () => {
        listeners.delete(notify)
      }
    },
    () => asked,
  )
  const blocker = useBlocker(
    ({ currentLocation, nextLocation }) =>
      currentLocation.pathname !== nextLocation.pathname && somethingTyped(),
  )
  if (blocker.state === 'blocked')
    return (
      <Question
        stay={() => {
          blocker.reset()
        }}
        leave={() => {
          blocker.proceed()
        }}
      />
    )
  if (now === undefined) return null
  const stay = (): void => {
    ask(undefined)
  }
  return (
    <Question
      stay={stay}
      leave={() => {
        stay()
        now.leave()
      }}
    />
  )
}

function Question({ stay, leave }: { stay(): void; leave(): void }): ReactNode {
  useFocusBack()
  const keep = useRef<HTMLButtonElement>(null)
  const [words] = useState(wordsNow)
  return (
    <Modal
      open
      title={words.title}
      width={400}
      zIndex={2000}
      mask={{ closable: false }}
      onCancel={stay}
      afterOpenChange={() => keep.current?.focus()}
      footer={[
        <Button key="stay" ref={keep} type="primary" onClick={stay}>
          {words.stay}
        </Button>,
        <Button key="leave" danger onClick={leave}>
          {t('Leave')}
        </Button>,
      ]}
    >
      {words.text}
    </Modal>
  )
}
