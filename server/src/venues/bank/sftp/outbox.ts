/**
 * Payment files over SFTP. A file is written under a name of its own that the bank does not take,
 * and then renamed to `<message id>.xml`: that hands it over. Many banks move it away at once, so
 * that it is not listed proves nothing. What is known for certain stands in a folder of ours:
 *
 *   <message id>.xml         may have been handed over: written before the bank has all of the file
 *   done/<message id>.xml    was handed over
 *   neither                  was not
 *
 * After a lost answer the server is asked. The file under its last name: handed over. Else the
 * file under its first name is renamed to a third, which is no payment. Where that name is there,
 * the file has not been handed over and never will be, however often this is asked. Where there is
 * nothing to rename, only the bank's messages can tell.
 */
import { createHash } from 'node:crypto'
import { access, link, readFile, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { ApiError } from '../../../core/errors.ts'
import { withFailpoints } from '../../../core/failpoint.ts'
import { takeLock } from '../../../core/file-lock.mjs'
import { exists, ifThere, syncDirectory, writeDurably } from '../durable-file.ts'
import type { Handover, Outbox, PutResult } from '../transport.ts'
import { FileProblem } from './line.ts'
import type { Session } from './files.ts'
import type { Sessions } from './session.ts'
import type { SftpSettings } from './settings.ts'

type Places = {
  /** Ours. */
  directory: string
  remote: Pick<SftpSettings, 'outbox_dir' | 'part_suffix' | 'timeout_ms'>
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
  /** At the bank, once it is certain that it never will be. */
  void: string
}

export function openSftpOutbox(places: Places, sessions: Sessions): Outbox {
  const { directory } = places
  return {
    async state(message_id) {
      const isClaimed = await exists(join(directory, `${message_id}.xml`))
      return isClaimed
        ? sessions.run((session) => settle(session, places, message_id))
        : stateWithoutClaim(places, message_id)
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

async function stateWithoutClaim({ directory }: Places, message_id: string): Promise<Handover> {
  await access(join(directory, 'done'))
  return (await exists(join(directory, 'done', `${message_id}.xml`))) ? 'TAKEN' : 'ABSENT'
}

function attemptOf({ directory, remote }: Places, message_id: string, content: Buffer): Attempt {
  const name = `${message_id}.xml`
  const hash = createHash('sha256').update(content).digest('hex').slice(0, 16)
  const own = `${remote.outbox_dir}/${message_id}-${hash}`
  return {
    message_id,
    content,
    claim: join(directory, name),
    done: join(directory, 'done', name),
    part: `${own}${remote.part_suffix}`,
    last: `${remote.outbox_dir}/${name}`,
    void: `${own}.void${remote.part_suffix}`,
  }
}

/** What throws here leaves behind what `settle` needs to find out. */
async function handOver(
  session: Session,
  places: Places,
  attempt: Attempt,
  until: number,
): Promise<PutResult> {
  const { message_id, content, claim, done, part, last } = attempt
  const claimed = await withFailpoints('bank.upload', message_id, () =>
    // Without its last tag it is no payment. Some servers take a file as soon as it is closed.
    session.write(part, splitAt(content, content.lastIndexOf('<')), () =>
      withFailpoints('bank.claim', message_id, () => claimOnce(places.directory, attempt)),
    ),
  )
  if (!claimed) {
    await session.remove(part)
    return { put: 'unknown', reason: 'the payment file is handed over by another process' }
  }
  const size = await session.size(part)
  if (size === null)
    return { put: 'unknown', reason: 'the server took the payment file before it was renamed' }
  // A rename may overwrite.
  if ((await session.size(last)) !== null)
    return { put: 'unknown', reason: 'the server has a payment file of this name' }
  // Later another process may have found it absent, and a person may have canceled the payment.
  const isLate = performance.now() > until
  if (isLate || size !== content.length) {
    await settle(session, places, message_id)
    const reason = isLate
      ? 'the server was too slow to hand the payment file over'
      : 'the server has not the whole payment file'
    return { put: 'unknown', reason }
  }
  await withFailpoints('bank.rename', message_id, () => session.rename(part, last))
  await withFailpoints('bank.confirm', message_id, () => confirm(claim, done))
  return { put: 'done' }
}

const splitAt = (content: Buffer, at: number) => ({
  head: content.subarray(0, Math.max(0, at)),
  tail: content.subarray(Math.max(0, at)),
})

/** False when another attempt has handed it over, or may have. */
async function claimOnce(directory: string, attempt: Attempt): Promise<boolean> {
  const { content, claim, done, part } = attempt
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
    await rm(claim)
    return false
  }
  await syncDirectory(directory)
  return true
}

/** Finds out what became of the attempt that has the claim, and got no answer. */
async function settle(session: Session, places: Places, message_id: string): Promise<Handover> {
  const { directory, remote } = places
  const giveUpAt = performance.now() + remote.timeout_ms
  // What one has settled, a second must not settle again: the claim may be another attempt's then.
  const lock = await takeLock(join(directory, `.${message_id}.settling`), () => {
    if (performance.now() > giveUpAt)
      throw new ApiError('VenueUnreachable', 'another process is asking about this payment file')
  })
  try {
    const content = await ifThere(() => readFile(join(directory, `${message_id}.xml`)))
    if (content === null) return await stateWithoutClaim(places, message_id)
    return await settleAttempt(session, attemptOf(places, message_id, content))
  } finally {
    await lock.release()
  }
}

async function settleAttempt(session: Session, attempt: Attempt): Promise<Handover> {
  const { message_id, content, claim, done, last } = attempt
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
  if (!(await isVoid(session, attempt))) return 'UNKNOWN'
  // Some servers rename by copying.
  if ((await isThere()) !== undefined) return 'UNKNOWN'
  await withFailpoints('bank.settle', message_id, () => rm(claim, { force: true }))
  await session.remove(attempt.void).catch(passFileProblem)
  return 'ABSENT'
}

/** Renaming instead of removing leaves the proof behind, also when its answer is lost. */
async function isVoid(session: Session, { part, void: other }: Attempt): Promise<boolean> {
  if ((await session.size(other)) === null) await session.rename(part, other).catch(passFileProblem)
  return (await session.size(other)) !== null || session.remove(part)
}

/** What the server refuses shows in what is there afterwards. */
function passFileProblem(error: unknown): void {
  if (!(error instanceof FileProblem)) throw error
}

/** Another process may have done so before. */
async function confirm(claim: string, done: string): Promise<void> {
  await ifThere(() => rename(claim, done))
  await syncDirectory(join(done, '..'))
}
