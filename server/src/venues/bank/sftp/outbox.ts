/**
 * Payment files over SFTP. A file is written under a name of its own that the bank does not take,
 * and then renamed to `<message id>.xml`: that hands it over. Many banks move it away at once, so
 * that it is not listed proves nothing. What is known for certain stands in a folder of ours:
 *
 *   <message id>.xml         may have been handed over: written before the rename is asked for
 *   done/<message id>.xml    was handed over
 *   neither                  was not
 *
 * After a lost answer the server is asked. The file under its last name: handed over. Else the
 * file under its first name is removed. Where that succeeds, the rename has not been done and
 * never will be. Where there is nothing to remove, only the bank's messages can tell.
 */
import { createHash } from 'node:crypto'
import { access, link, readFile, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { withFailpoints } from '../../../core/failpoint.ts'
import { syncDirectory, writeDurably } from '../durable-file.ts'
import type { Outbox } from '../transport.ts'
import type { Session, Sessions } from './session.ts'
import type { SftpSettings } from './settings.ts'

type Places = {
  /** Ours. */
  directory: string
  remote: Pick<SftpSettings, 'outbox_dir' | 'part_suffix'>
}

/** One attempt to hand a file over. */
type Attempt = {
  message_id: string
  content: Buffer
  /** Ours: it may have been handed over. */
  claim: string
  done: string
  /** At the bank, before and after it is handed over. */
  part: string
  last: string
}

export function openSftpOutbox(places: Places, sessions: Sessions): Outbox {
  const { directory } = places
  return {
    async state(message_id) {
      await access(join(directory, 'done'))
      const claim = join(directory, `${message_id}.xml`)
      const content = await ifThere(() => readFile(claim))
      if (content === null)
        return (await exists(join(directory, 'done', `${message_id}.xml`))) ? 'TAKEN' : 'ABSENT'
      const attempt = attemptOf(places, message_id, content)
      return sessions.run((session) => settle(session, attempt))
    },
    async put(message_id, text, until) {
      const attempt = attemptOf(places, message_id, Buffer.from(text))
      try {
        return await sessions.run((session) => handOver(session, places, attempt, until))
      } catch (error) {
        return { put: 'unknown', reason: error instanceof Error ? error.message : String(error) }
      }
    },
  }
}

function attemptOf({ directory, remote }: Places, message_id: string, content: Buffer): Attempt {
  const name = `${message_id}.xml`
  const hash = createHash('sha256').update(content).digest('hex').slice(0, 16)
  return {
    message_id,
    content,
    claim: join(directory, name),
    done: join(directory, 'done', name),
    part: `${remote.outbox_dir}/${message_id}-${hash}${remote.part_suffix}`,
    last: `${remote.outbox_dir}/${name}`,
  }
}

type Put = Awaited<ReturnType<Outbox['put']>>

/** What throws here leaves behind what `settle` needs to find out. */
async function handOver(
  session: Session,
  { directory }: Places,
  attempt: Attempt,
  until: number,
): Promise<Put> {
  const { message_id, content, claim, done, part, last } = attempt
  await withFailpoints('bank.upload', message_id, () => session.write(part, content))
  if ((await session.size(part)) !== content.length)
    return { put: 'unknown', reason: 'the server has not the whole payment file' }
  const claimed = await withFailpoints('bank.claim', message_id, () =>
    claimOnce(directory, attempt),
  )
  if (!claimed) {
    await session.remove(part)
    return { put: 'unknown', reason: 'the payment file is handed over by another process' }
  }
  // Later another process may have found it absent, and a person may have canceled the payment.
  if (performance.now() > until) {
    await settle(session, attempt)
    return { put: 'unknown', reason: 'the server was too slow to hand the payment file over' }
  }
  await withFailpoints('bank.rename', message_id, () => session.rename(part, last))
  await withFailpoints('bank.confirm', message_id, () => confirm(claim, done))
  return { put: 'done' }
}

/** False when another attempt has handed it over, or may have. */
async function claimOnce(directory: string, attempt: Attempt): Promise<boolean> {
  const { message_id, content, claim, done, part } = attempt
  const hidden = join(directory, `.${part.slice(part.lastIndexOf('/') + 1)}.${process.pid}`)
  await writeDurably(hidden, content)
  try {
    await link(hidden, claim)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false
    throw error
  } finally {
    await rm(hidden, { force: true })
  }
  // In this order: what was handed over meanwhile is found here.
  if (await exists(done)) {
    await rm(join(directory, `${message_id}.xml`))
    return false
  }
  await syncDirectory(directory)
  return true
}

/** Finds out what became of an attempt that got no answer. */
async function settle(
  session: Session,
  { content, claim, done, part, last }: Attempt,
): Promise<'TAKEN' | 'ABSENT' | 'UNKNOWN'> {
  const isThere = async () => {
    const size = await session.size(last)
    return size === null ? undefined : size === content.length
  }
  const before = await isThere()
  if (before === false) return 'UNKNOWN'
  if (before === true) {
    await confirm(claim, done)
    return 'TAKEN'
  }
  if (!(await session.remove(part))) return 'UNKNOWN'
  // Some servers rename by copying.
  if ((await isThere()) !== undefined) return 'UNKNOWN'
  await rm(claim, { force: true })
  return 'ABSENT'
}

/** Another process may have done so before. */
async function confirm(claim: string, done: string): Promise<void> {
  await ifThere(() => rename(claim, done))
  await syncDirectory(join(done, '..'))
}

const exists = async (path: string): Promise<boolean> =>
  (await ifThere(() => access(path).then(() => true))) ?? false

async function ifThere<Value>(work: () => Promise<Value>): Promise<Value | null> {
  try {
    return await work()
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null
    throw error
  }
}
