/** Keys in files: 32 random bytes each, that only their owner may read. */
import { createHash, randomBytes } from 'node:crypto'
import { ofCaller, UsageError } from '../core/usage.ts'
import { createFile, readClosed } from './folders.ts'

/** `id` names the key and tells nothing of it. */
export type Key = { bytes: Buffer; id: string }

/** What a key is for. Its id depends on it, so that nothing shows that two files hold one key. */
type KeyUse = 'backup' | 'wrapping'

const KEY_BYTES = 32
const ID_DIGITS = 16

/** Never over another one. Answers whether there was none. */
export const createKeyFile = (path: string): Promise<boolean> =>
  createFile(path, `${randomBytes(KEY_BYTES).toString('base64url')}\n`)

/**
 * Undefined where there is no such file. Throws a UsageError when it holds no key, or when others
 * can open it too.
 */
export async function readKeyFile(path: string, use: KeyUse): Promise<Key | undefined> {
  const text = await readClosed(ofCaller(path)).catch((error: Error) => {
    throw new UsageError(`the key cannot be read: ${error.message}`)
  })
  if (text === undefined) return undefined
  const bytes = Buffer.from(text.trim(), 'base64url')
  if (bytes.length !== KEY_BYTES) throw new UsageError(`${path} holds no key`)
  const id = createHash('sha256').update(`kontor ${use} key`).update(bytes).digest('hex')
  return { bytes, id: id.slice(0, ID_DIGITS) }
}
