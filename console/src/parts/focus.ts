/** Where the focus goes when what had it is gone. */
import { useEffect, useState } from 'react'

/** Nobody has put the focus anywhere: what had it is gone, or nothing had it yet. */
export const isFocusFree = (): boolean =>
  document.activeElement === null || document.activeElement === document.body

/** For what covers the page: when it closes, the focus returns to where it was before. */
export function useFocusBack(): void {
  const [before] = useState(() => document.activeElement)
  useEffect(
    () => () => {
      if (isFocusFree() && before instanceof HTMLElement) before.focus({ preventScroll: true })
    },
    [before],
  )
}

/** Moves the focus to the heading of the page, where a screen reader reads on. */
export function focusHeading(): void {
  const heading = document.querySelector<HTMLElement>('#content h1')
  if (heading === null) return
  heading.tabIndex = -1
  heading.focus({ preventScroll: true })
}
