/**
 * An index of the bank's inbox. Files are whole when they appear and never change, their names sort
 * in the order they were written, and each is read once; what leaves the directory leaves the
 * index. A file that cannot be read is moved to `aside` for a person and never holds up the others.
 */
import { mkdir, readdir, readFile, rename } from 'node:fs/promises'
import { join } from 'node:path'
import { ApiError } from '../../core/errors.ts'
import { readBankMessage, UnreadableMessage, type BankMessage } from './messages.ts'

export type InboxFile = { name: string; message: BankMessage }

export type Inbox = {
  /**
   * Every file there is now, by name; the same array as long as nothing has changed. Throws
   * VenueUnreachable when the directory cannot be read.
   */
  files(): Promise<InboxFile[]>
  /** Names of files set aside, by name: what they say is missing from every answer. */
  unreadable(): Promise<string[]>
}

const isMessage = (name: string) => name.toLowerCase().endsWith('.xml') && !name.startsWith('.')
const byName = (a: string, b: string) => {
  if (a < b) return -1
  return a > b ? 1 : 0
}

export function openInbox(
  directory: string,
  account: { iban: string; currency: string },
  report: (problem: string) => void,
): Inbox {
  const aside = join(directory, 'aside')
  const index = new Map<string, BankMessage>()
  let queue: Promise<unknown> = Promise.resolve()
  let listed: InboxFile[] = []

  const refresh = async (): Promise<InboxFile[]> => {
    const names = (await readdir(directory)).filter(isMessage).toSorted(byName)
    const present = new Set(names)
    let changed = false
    for (const name of index.keys()) if (!present.has(name)) changed = index.delete(name)
    for (const name of names) {
      if (index.has(name)) continue
      try {
        index.set(name, readBankMessage(await readFile(join(directory, name), 'utf8'), account))
        changed = true
      } catch (error) {
        if (!(error instanceof UnreadableMessage)) throw error
        await mkdir(aside, { recursive: true })
        await rename(join(directory, name), join(aside, name))
        report(
          `bank message ${name} cannot be read and was moved to ${aside}: ` +
            `${error.message}; it needs manual attention`,
        )
      }
    }
    if (changed)
      listed = [...index]
        .map(([name, message]) => ({ name, message }))
        .toSorted((a, b) => byName(a.name, b.name))
    return listed
  }

  return {
    files: () => {
      const answer = queue.then(refresh).catch((error: unknown) => {
        throw unreadableDirectory(directory, error)
      })
      // The queue only orders the runs; each caller sees its own failure.
      queue = answer.catch(() => undefined)
      return answer
    },
    unreadable: async () => {
      try {
        return (await readdir(aside)).filter(isMessage).toSorted(byName)
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code === 'ENOENT') return []
        throw unreadableDirectory(aside, error)
      }
    },
  }
}

export function unreadableDirectory(directory: string, error: unknown): ApiError {
  const code = (error as NodeJS.ErrnoException).code ?? String(error)
  const problem = `the bank's directory ${directory} cannot be read: ${code}`
  return new ApiError('VenueUnreachable', problem)
}
