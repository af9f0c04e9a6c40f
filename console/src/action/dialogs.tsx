/**
 * The dialog that is open. It lives beside the page, not in what has opened it: the row may leave its list, and the
 * record may change, while somebody fills in the form.
 */
import { Fragment, useEffect, useSyncExternalStore } from 'react'
import type { ReactNode } from 'react'
import { useLocation, useNavigation } from 'react-router'

type Dialog = (close: () => void) => ReactNode

let open: { dialog: Dialog; nth: number } | undefined
let opened = 0
const listeners = new Set<() => void>()

function show(next: typeof open): void {
  open = next
  for (const tell of listeners) tell()
}

const close = (): void => {
  show(undefined)
}

export function openDialog(dialog: Dialog): void {
  show({ dialog, nth: ++opened })
}

/** Once, in the frame. Who goes elsewhere has left the dialog; not one that they open while the page they go to is still read. */
export function OpenDialog(): ReactNode {
  const now = useSyncExternalStore(
    (tell) => {
      listeners.add(tell)
      return () => {
        listeners.delete(tell)
      }
    },
    () => open,
  )
  const here = useLocation().pathname
  const target = useNavigation().location?.pathname ?? here
  useEffect(() => close, [target])
  return now === undefined ? null : <Fragment key={now.nth}>{now.dialog(close)}</Fragment>
}
