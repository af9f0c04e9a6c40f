/**
 * Files with several payments. Which payments a file has is stored before it is handed over, and
 * stays: under the id of the file, and under the reference of each of its payments.
 *
 *   files/<file id>.json     the payments of a file, with their amounts
 *   files/<reference>.json   the same record, of the file that this payment was last put into
 *
 * So whoever looks a payment up knows which file to ask for. A record says nothing of whether its
 * file was handed over: the outbox does.
 */
import { link, mkdir, readFile, rename, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { decimal, format, type Decimal } from '../../core/decimal.ts'
import { ifThere, syncDirectory, writeDurably } from './durable-file.ts'
import { isFileId } from './reference.ts'

export type SharedFile = {
  file_id: string
  payments: { message_id: string; quantity: Decimal }[]
}

export type SharedFiles = {
  /** By the id of a file, or by the reference of a payment; undefined when there is none. */
  find(id: string): Promise<SharedFile | undefined>
  /** Returns when the power may be cut. */
  store(file: SharedFile): Promise<void>
}

type StoredFile = { file_id: string; payments: { message_id: string; quantity: string }[] }

export function openSharedFiles(outbox_dir: string): SharedFiles {
  const directory = join(outbox_dir, 'files')
  const placeOf = (id: string) => join(directory, `${id}.json`)
  // What is stored under the id of a file never changes.
  const known = new Map<string, SharedFile>()
  return {
    async find(id) {
      const before = known.get(id)
      if (before !== undefined) return before
      const text = await ifThere(() => readFile(placeOf(id), 'utf8'))
      if (text === null) return undefined
      const file = fileOf(text)
      if (isFileId(id)) remember(known, file)
      return file
    },
    async store(file) {
      const { file_id, payments } = file
      if ((await mkdir(directory, { recursive: true })) !== undefined)
        await syncDirectory(dirname(directory))
      const own = placeOf(file_id)
      await writeDurably(own, textOf(file))
      for (const { message_id } of payments) {
        const hidden = join(directory, `.${message_id}.${file_id}`)
        await rm(hidden, { force: true })
        await link(own, hidden)
        await rename(hidden, placeOf(message_id))
      }
      await syncDirectory(directory)
    },
  }
}

const MOST_KNOWN = 1_000

function remember(known: Map<string, SharedFile>, file: SharedFile): void {
  const [oldest] = known.keys()
  if (known.size >= MOST_KNOWN && oldest !== undefined) known.delete(oldest)
  known.set(file.file_id, file)
}

const textOf = ({ file_id, payments }: SharedFile): string =>
  JSON.stringify({
    file_id,
    payments: payments.map(({ message_id, quantity }) => ({
      message_id,
      quantity: format(quantity),
    })),
  })

function fileOf(text: string): SharedFile {
  const { file_id, payments } = JSON.parse(text) as StoredFile
  return {
    file_id,
    payments: payments.map(({ message_id, quantity }) => ({
      message_id,
      quantity: decimal(quantity),
    })),
  }
}
