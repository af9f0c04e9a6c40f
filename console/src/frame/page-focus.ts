/** Whoever goes to another page goes on at its heading: the keys of the page work at once. */
import { useEffect, useRef } from 'react'
import { useLocation, useNavigation } from 'react-router'
import { PAGES } from '../pages/index.ts'
import { focusHeading, isFocusFree } from '../parts/focus.ts'

/** A record stands over the page of its list. */
const pageOf = (pathname: string): string =>
  PAGES.find(({ path }) => pathname === path || pathname.startsWith(`${path}/`))?.path ?? pathname

/**
 * Used once, in the frame. While the code of a page loads somebody may begin something else: then
 * the focus stays there.
 */
export function usePageFocus(): void {
  const page = pageOf(useLocation().pathname)
  const target = useNavigation().location
  const shown = useRef(page)
  const atStart = useRef<Element | null>(null)
  useEffect(() => {
    if (target !== undefined) atStart.current = document.activeElement
  }, [target])
  useEffect(() => {
    if (shown.current === page) return
    const wasShown = shown.current
    shown.current = page
    const waited = atStart.current
    atStart.current = null
    // The first page of a visit is read from its top.
    if (wasShown === '/') return
    const held = document.activeElement
    if (waited !== null && waited !== held && !isFocusFree()) return
    return whenHeaded(() => {
      const stays = held === document.activeElement || isFocusFree()
      if (stays && document.querySelector('.record, .ant-modal-wrap') === null) focusHeading()
    })
  }, [page])
}

/** At once, or when what the page must read first is there. Answers what ends the waiting. */
function whenHeaded(then: () => void): (() => void) | undefined {
  const content = document.querySelector('#content')
  const isHeaded = (): boolean => content?.querySelector('h1') !== null
  if (content === null || isHeaded()) {
    then()
    return undefined
  }
  const observer = new MutationObserver(() => {
    if (!isHeaded()) return
    observer.disconnect()
    then()
  })
  observer.observe(content, { childList: true, subtree: true })
  return () => {
    observer.disconnect()
  }
}
