/** The registry of keyboard shortcuts: a registered shortcut works and is listed by `?`. */
import { useEffect, useRef, useSyncExternalStore } from 'react'
import { t } from '../language/index.ts'

/** The group of shortcuts that lead to a page. */
export const GO_TO = t('Go to')

/** `keys`: one (`?`), with Ctrl or Cmd (`mod+k`), or one after the other (`g d`). */
type Shortcut = { keys: string; says: string; group: string; run(): void }

/** Of the keyboard: `mod+k` → `Ctrl K`. */
export const keyWords = (keys: string): string =>
  keys
    .replace(/^mod\+(.+)$/, (_all, key: string) => `${t('Ctrl')} ${key.toUpperCase()}`)
    .replace('Enter', t('Enter', { context: 'key' }))

const SEQUENCE_MILLISECONDS = 1_200
let registered: readonly Shortcut[] = []
const listeners = new Set<() => void>()

function change(next: readonly Shortcut[]): void {
  registered = next
  for (const notify of listeners) notify()
}

/** Registers a shortcut while the component is mounted. */
export function useShortcut(
  keys: string,
  says: string,
  run: () => void,
  group = t('This page'),
): void {
  const newest = useRef(run)
  useEffect(() => {
    newest.current = run
  })
  useEffect(() => {
    const mine: Shortcut = {
      keys,
      says,
      group,
      run: () => {
        newest.current()
      },
    }
    change([...registered, mine])
    return () => {
      change(registered.filter((shortcut) => shortcut !== mine))
    }
  }, [keys, says, group])
}

export function useShortcuts(): readonly Shortcut[] {
  return useSyncExternalStore(
    (notify) => {
      listeners.add(notify)
      return () => {
        listeners.delete(notify)
      }
    },
    () => registered,
  )
}

function isTyping(target: EventTarget | null): boolean {
  if (target instanceof HTMLInputElement && target.type === 'checkbox') return false
  return (
    target instanceof HTMLElement &&
    (target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName))
  )
}

/** A dialog covers the page, whose shortcuts must not work then. */
const isCovered = (): boolean => document.querySelector('.ant-modal-wrap') !== null

let before: { key: string; at: number } | undefined

addEventListener('keydown', (event) => {
  const mod = event.ctrlKey || event.metaKey
  if (event.altKey || (!mod && (isTyping(event.target) || isCovered()))) return
  const key = mod ? `mod+${event.key.toLowerCase()}` : event.key
  // When the key was pressed, not when the page handles it.
  const now = event.timeStamp
  const sequence =
    before !== undefined && now - before.at < SEQUENCE_MILLISECONDS
      ? `${before.key} ${key}`
      : undefined
  // The newest wins: a page may give a key another meaning.
  const hit =
    registered.findLast((shortcut) => shortcut.keys === sequence) ??
    registered.findLast((shortcut) => shortcut.keys === key)
  before = mod ? undefined : { key, at: now }
  if (hit === undefined) return
  before = undefined
  event.preventDefault()
  hit.run()
})
