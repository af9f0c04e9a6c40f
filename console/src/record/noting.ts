/** Changing notes: what all parts of the tab share. */
import { App } from 'antd'
import { useState } from 'react'
import { queries } from '../api/query.ts'
import { errorText } from '../parts/states.tsx'

export const readNotesAgain = (): Promise<void> =>
  queries.invalidateQueries({
    predicate: ({ queryKey: [first] }) => first === '/notes/{kind}/{record_id}' || first === 'tags',
  })

/** A change of notes; what is refused is told, and the notes are read again. Answers success. */
export function useNoting(): {
  busy: boolean
  run(work: () => Promise<unknown>): Promise<boolean>
} {
  const [busy, setBusy] = useState(false)
  const { message } = App.useApp()
  return {
    busy,
    async run(work) {
      setBusy(true)
      try {
        await work()
        return true
      } catch (error) {
        message.error(errorText(error, true).title)
        return false
      } finally {
        setBusy(false)
        await readNotesAgain()
      }
    },
  }
}
