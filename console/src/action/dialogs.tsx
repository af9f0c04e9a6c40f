/**
 * The open dialog. It lives beside the page, not in the row or record that opened it: these may
 * change or disappear while somebody fills in the form.
 */
import { useEffect, useSyncExternalStore } from 'react'
import type { ReactNode } from 'react'
import { useLocation, useNavigation } from 'react-router'
import { useFocusBack } from '../parts/focus.ts'
import { AskBeforeLeaving } from './leaving.tsx'

type Dialog = (close: () => void) => ReactNode

let open: { dialog: Dialog; nth: number } | undefined
let opened = 0
const listeners = new Set<() => void>()

function show(next: typeof open): void {
  open = next
  for (const notify of listeners) notify()
}

const close = (): void => {
  show(undefined)
}

export function openDialog(dialog: Dialog): void {
  show({ dialog, nth: ++opened })
}

/**
 * Used once, in the frame. Going to another page closes the dialog, but not one that is opened
 * while that page still loads.
 */
export function OpenDialog(): ReactNode {
  const now = useSyncExternalStore(
    (notify) => {
      listeners.add(notify)
      return () => {
        listeners.delete(notify)
      }
    },
    () => open,
  )
  const here = useLocation().pathname
  const target = useNavigation().location?.pathname ?? here
  useEffect(() => close, [target])
  return (
    <>
      {now !== undefined && <Opened key={now.nth} dialog={now.dialog} />}
      <AskBeforeLeaving />
    </>
  )
}

function Opened({ dialog }: { dialog: Dialog }): ReactNode {
  useFocusBack()
  return dialog(close)
}
