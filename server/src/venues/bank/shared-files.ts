/**
 * Files with several payments. Which payments a file has is stored before it is handed over, and
 * stays: under the id of the file, and under the reference of each of its payments.
 *
 *   files/<file id>.json   the payments of a file, with their amounts
 *   files/<reference>.1    the id of a file that this payment was put into; of a further one, .2
 *
 * So whoever looks a payment up knows which files to ask for. Nothing is ever written over: a slow
 * process cannot hide the file of another one. A record says nothing of whether its file was handed
 * over: the outbox does.
 */
import { mkdir, readFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { decimal, format, type Decimal } from '../../core/decimal.ts'
import { ifThere, syncDirectory, writeDurably } from './durable-file.ts'
import { isFileId } from './reference.ts'

export type SharedFile = {
  file_id: string
  payments: { message_id: string; quantity: Decimal }[]
}

export type SharedFiles = {
  /** The file of this id, or every file that the payment of this reference was put into. */
  find(id: string): Promise<SharedFile[]>
  /** Returns when the power may be cut. */
  store(file: SharedFile): Promise<void>
}

type StoredFile = { file_id: string; payments: { message_id: string; quantity: string }[] }

export function openSharedFiles(outbox_dir: string): SharedFiles {
  const directory = join(outbox_dir, 'files')
  const placeOf = (id: string) => join(directory, `${id}.json`)
  // What is stored under the id of a file never changes.
  const known = new Map<string, SharedFile>()
  const fileBy = async (file_id: string): Promise<SharedFile[]> => {
    const before = known.get(file_id)
    if (before !== undefined) return [before]
    const text = await ifThere(() => readFile(placeOf(file_id), 'utf8'))
    if (text === null) return []
    const file = fileOf(text)
    remember(known, file)
    return [file]
  }
  return {
    async find(id) {
      if (isFileId(id)) return fileBy(id)
      const files = await Promise.all((await notesOf(directory, id)).map(fileBy))
      return files.flat()
    },
    async store(file) {
      const { file_id, payments } = file
      if ((await mkdir(directory, { recursive: true })) !== undefined)
        await syncDirectory(dirname(directory))
      await writeDurably(placeOf(file_id), textOf(file))
      await Promise.all(payments.map(({ message_id }) => writeNote(directory, message_id, file_id)))
      await syncDirectory(directory)
    },
  }
}

const noteAt = (directory: string, message_id: string, place: number): string =>
  join(directory, `${message_id}.${place}`)

/** What was not written to its end is passed over: its file was never handed over. */
async function notesOf(directory: string, message_id: string): Promise<string[]> {
  const notes: string[] = []
  for (let place = 1; ; place += 1) {
    const text = await ifThere(() => readFile(noteAt(directory, message_id, place), 'utf8'))
    if (text === null) return notes.filter(isFileId)
    notes.push(text)
  }
}

async function writeNote(directory: string, message_id: string, file_id: string): Promise<void> {
  for (let place = 1; ; place += 1)
    try {
      return await writeDurably(noteAt(directory, message_id, place), file_id, 'wx')
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
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
