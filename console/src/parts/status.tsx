/** States as they are shown: in words, and in the same colours everywhere. */
import type { ReactNode } from 'react'
import { inWords } from './code-words.ts'
import { TONES } from './tones.ts'
import type { Tone } from './tones.ts'
import { NOTHING } from './values.tsx'

export { inWords, wordsOf } from './code-words.ts'

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
