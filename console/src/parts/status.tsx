/** States as they are shown: in words, and in the same colours everywhere. */
import type { ReactNode } from 'react'
import { wordFor } from '../language/index.ts'
import { TONES } from './tones.ts'
import type { Tone } from './tones.ts'
import { NOTHING } from './values.tsx'

/** `PARTIALLY_ASSIGNED` → `Partially assigned`. */
export function inWords(word: string): string {
  const translated = wordFor(word)
  if (translated !== undefined) return translated
  const text = word.replaceAll('_', ' ').toLowerCase()
  return text.charAt(0).toUpperCase() + text.slice(1)
}

/** Words for a code of the API (`BALANCE_NOT_DUE`); any other text stays as it is. */
export function wordsOf(text: string): string {
  return /^[A-Z]{2,}(_[A-Z]+)*$/.test(text) ? inWords(text) : text
}

/**
 * `tone` where the state means something else here: an OPEN break is an alarm. `says` replaces the
 * name of the state.
 */
export function Status({
  state,
  tone,
  says,
}: {
  state: string | null | undefined
  tone?: Tone
  says?: string
}): ReactNode {
  if (state === null || state === undefined) return NOTHING
  return (
    <span className={`status ${tone ?? TONES[state] ?? 'busy'}`} title={state}>
      {says ?? inWords(state)}
    </span>
  )
}
