/**
 * An index of the bank's inbox. Files are whole when they appear and never change, their names sort
 * in the order they were written, and each is read once; what leaves the directory leaves the
 * index. A file that cannot be read is moved to `aside` for a person and never holds up the others.
 */
import { lstat, mkdir, readdir, rename } from 'node:fs/promises'
import { join } from 'node:path'
import { ApiError } from '../../core/errors.ts'
import { ifThere } from './durable-file.ts'
import { tellApart } from './look-alikes.ts'
import { readBankMessage, type BankMessage, type NamedAccount } from './messages.ts'
import { readRegularFile } from './regular-file.ts'
import { decodeXml, UnreadableMessage } from './xml.ts'

/** `arrival` is when the file came into the directory, which a restart does not change. */
export type InboxFile = { name: string; message: BankMessage; arrival: number }

/** A file that is no message at all, and why. */
export type AsideFile = { name: string; reason: string }

export type Inbox = {
  /**
   * Every file there is now, by name; the same array as long as nothing has changed. Throws
   * VenueUnreachable when the directory cannot be read.
   */
  files(): Promise<InboxFile[]>
  /** Files set aside, by name: what they say is missing from every answer. */
  aside(): Promise<AsideFile[]>
  /** What stands in the file, from one place to another; null when the file is gone. */
  excerpt(name: string, from?: number, to?: number): Promise<string | null>
  /** Reads a file that was set aside once more, and takes it back when it can be read now. */
  takeBack(name: string): Promise<'taken' | AsideFile>
}

const CAN_BE_READ = 'it can be read now: read it again'

const isMessage = (name: string) => name.toLowerCase().endsWith('.xml') && !name.startsWith('.')
const byName = (a: { name: string }, b: { name: string }) => {
  if (a.name < b.name) return -1
  return a.name > b.name ? 1 : 0
}

/** `collect` brings into the directory what the bank has put out. */
type InboxParts = {
  directory: string
  account: NamedAccount
  collect(): Promise<void>
  report(problem: string): void
}

export function openInbox({ directory, account, collect, report }: InboxParts): Inbox {
  const index = new Map<string, InboxFile>()
  let queue: Promise<unknown> = Promise.resolve()
  let listed: InboxFile[] = []
  const read = async (path: string) =>
    readBankMessage(decodeXml(await readRegularFile(path)), account)
  const aside = openAside(directory, read)

  const refresh = async (): Promise<InboxFile[]> => {
    await collect()
    const names = (await readdir(directory)).filter(isMessage).toSorted()
    const present = new Set(names)
    let changed = false
    for (const name of index.keys()) if (!present.has(name)) changed = index.delete(name)
    for (const name of names) {
      if (index.has(name)) continue
      try {
        const path = join(directory, name)
        // The last change of the file's entry: unlike its own time, no bank can set it.
        const { ctimeMs: arrival } = await lstat(path)
        index.set(name, { name, message: await read(path), arrival })
        changed = true
      } catch (error) {
        if (!(error instanceof UnreadableMessage)) throw error
        report(await aside.move(name, error.message))
      }
    }
    if (!changed) return listed
    listed = tellApart([...index.values()].toSorted(byName))
    return listed
  }

  const inTurn = <Answer>(work: () => Promise<Answer>): Promise<Answer> => {
    const answer = queue.then(work).catch((error: unknown) => {
      throw unreadableDirectory(directory, error)
    })
    // The queue only orders the runs; each caller sees its own failure.
    queue = answer.catch(() => undefined)
    return answer
  }

  return {
    files: () => inTurn(refresh),
    aside: () => inTurn(aside.files),
    excerpt: (name, from, to) =>
      inTurn(async () => {
        const bytes = (await contentOf(join(directory, name))) ?? (await aside.content(name))
        return bytes === null ? null : decodeXml(bytes).slice(from, to)
      }),
    takeBack: (name) => inTurn(() => aside.takeBack(name)),
  }
}

type Aside = Pick<Inbox, 'takeBack'> & {
  files: Inbox['aside']
  content(name: string): Promise<Uint8Array | null>
  /** Answers what to report. */
  move(name: string, reason: string): Promise<string>
}

/** The files that are no messages, in a directory of their own. */
function openAside(inbox: string, read: (path: string) => Promise<BankMessage>): Aside {
  const directory = join(inbox, 'aside')
  const reasons = new Map<string, string>()

  /** Undefined when it can be read now. */
  const objectionTo = async (name: string): Promise<string | undefined> => {
    try {
      await read(join(directory, name))
      return undefined
    } catch (error) {
      if (error instanceof UnreadableMessage) return error.message
      throw error
    }
  }

  return {
    async files() {
      const names = (await ifThere(() => readdir(directory))) ?? []
      const files: AsideFile[] = []
      for (const name of names.filter(isMessage).toSorted()) {
        // One that was moved before this process began is read again, once.
        const reason = reasons.get(name) ?? (await objectionTo(name)) ?? CAN_BE_READ
        reasons.set(name, reason)
        files.push({ name, reason })
      }
      return files
    },
    content: (name) => contentOf(join(directory, name)),
    async move(name, reason) {
      await mkdir(directory, { recursive: true })
      await rename(join(inbox, name), join(directory, name))
      reasons.set(name, reason)
      return (
        `bank message ${name} cannot be read and was moved to ${directory}: ${reason}; ` +
        'it needs manual attention'
      )
    },
    async takeBack(name) {
      const reason = await objectionTo(name)
      if (reason !== undefined) return { name, reason }
      reasons.delete(name)
      await rename(join(directory, name), join(inbox, name))
      return 'taken'
    },
  }
}

const contentOf = (path: string): Promise<Uint8Array | null> =>
  ifThere(() => readRegularFile(path)).catch((error: unknown) => {
    if (error instanceof UnreadableMessage) return null
    throw error
  })

export function unreadableDirectory(directory: string, error: unknown): ApiError {
  if (error instanceof ApiError) return error
  const code = (error as NodeJS.ErrnoException).code ?? String(error)
  const problem = `the bank's directory ${directory} cannot be read: ${code}`
  return new ApiError('VenueUnreachable', problem)
}
