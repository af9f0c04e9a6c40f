/**
 * The directory the bank takes payment files from: `<message id>.xml`, whole by rename and durable.
 * The bank moves what it has taken to `done`. Both together answer, for ever, whether a payment was
 * handed over; so neither may be emptied of payments whose outcome is still open.
 */
import { access, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { exists, syncDirectory, writeDurably } from './durable-file.ts'
import type { Handover, Outbox, Transport } from './transport.ts'

/** Another program carries the files; what it brings lies in the inbox already. */
export function openFolder(directory: string): Transport {
  return {
    place: directory,
    outbox: openOutbox(directory),
    collect: () => Promise.resolve(),
    close: () => Promise.resolve(),
  }
}

function openOutbox(directory: string): Outbox {
  const done = join(directory, 'done')
  const hiddenPlace = (message_id: string) => join(directory, `.${message_id}.part`)

  const state: Outbox['state'] = async (message_id) => {
    const name = `${message_id}.xml`
    await access(done)
    // In this order: a file that is taken in between is found in the second place.
    const stateNow = async (): Promise<Handover> => {
      if (await exists(join(directory, name))) return 'WAITING'
      return (await exists(join(done, name))) ? 'TAKEN' : 'ABSENT'
    }
    const before = await stateNow()
    if (before !== 'ABSENT') return before
    // A process that stands still before its rename has nothing to hand over any more.
    await rm(hiddenPlace(message_id), { force: true })
    return stateNow()
  }

  return {
    state,
    async put(message_id, content, until) {
      const hidden = hiddenPlace(message_id)
      try {
        await writeDurably(hidden, content)
      } catch (error) {
        await rm(hidden, { force: true }).catch(() => undefined) // a hidden file is never taken
        return { put: 'failed', reason: `the payment file could not be written: ${codeOf(error)}` }
      }
      if (performance.now() > until) {
        await rm(hidden, { force: true })
        return { put: 'unknown', reason: 'the folder was too slow: nothing was handed over' }
      }
      try {
        await rename(hidden, join(directory, `${message_id}.xml`))
        await syncDirectory(directory)
        return { put: 'done' }
      } catch (error) {
        return {
          put: 'unknown',
          reason: `the payment file may have been handed over: ${codeOf(error)}`,
        }
      }
    },
  }
}

function codeOf(error: unknown): string {
  return (error as NodeJS.ErrnoException).code ?? String(error)
}
