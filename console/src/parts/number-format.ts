/**
 * How this person writes numbers. Chosen in the menu and stored in the browser; until then it is a
 * guess from the browser's language, and fields ask where a number can be read in two ways.
 */
import { NUMBER_FORMATS } from '@kontor/client'
import type { NumberFormat, NumberFormatName } from '@kontor/client'
import { chosenLanguage } from '../language/index.ts'
import { useSyncExternalStore } from 'react'

export type NumberChoice = NumberFormatName | 'language'
export type Numbers = {
  choice: NumberChoice
  format: NumberFormat
  /** The person has chosen the format. */
  sure: boolean
}

const KEY = 'kontor.numbers'
const listeners = new Set<() => void>()

const isName = (text: string | null): text is NumberFormatName =>
  text !== null && Object.hasOwn(NUMBER_FORMATS, text)

/** The format of a language as browsers name it. One that they do not know has points. */
function formatOfLanguage(language: string): NumberFormatName {
  const parts = partsOf(language)
  const sign = (type: string): string => parts.find((part) => part.type === type)?.value ?? ''
  if (sign('decimal') === ',') return sign('group') === '.' ? 'comma' : 'space'
  return sign('group') === '’' ? 'apostrophe' : 'point'
}

function partsOf(language: string): Intl.NumberFormatPart[] {
  // Some browsers name a language that their own formats refuse (en-US@posix).
  const known = /^[A-Za-z]{2,3}(-[A-Za-z0-9]{2,8})*$/.test(language) ? language : 'en'
  return new Intl.NumberFormat(known).formatToParts(1_234_567.5)
}

function read(): Numbers {
  // Tests of texts read them outside a browser.
  const kept = typeof localStorage === 'undefined' ? null : localStorage.getItem(KEY)
  return isName(kept)
    ? { choice: kept, format: NUMBER_FORMATS[kept], sure: true }
    : {
        choice: 'language',
        format: NUMBER_FORMATS[formatOfLanguage(chosenLanguage() ?? navigator.language)],
        sure: false,
      }
}

let now: Numbers | undefined
/** Outside of components; those use `useNumbers`. */
export const numbers = (): Numbers => (now ??= read())

export function chooseNumbers(choice: NumberChoice): void {
  if (choice === 'language') localStorage.removeItem(KEY)
  else localStorage.setItem(KEY, choice)
  now = undefined
  for (const notify of listeners) notify()
}

const subscribe = (notify: () => void): (() => void) => {
  listeners.add(notify)
  return () => {
    listeners.delete(notify)
  }
}

export function useNumbers(): Numbers {
  return useSyncExternalStore(subscribe, numbers)
}

/** How many of something: `12 345`. */
export const countText = (count: number): string => count.toLocaleString('en').replaceAll(',', ' ')
