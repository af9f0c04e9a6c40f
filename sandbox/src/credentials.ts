/**
 * Credentials the venues hand out: made at the first start, kept in `credentials/` of the world's
 * folder, readable only by its owner. A file appears whole or not at all, so a start that was
 * killed half way leaves nothing to repair.
 */
import {
  closeSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  writeSync,
} from 'node:fs'
import { join } from 'node:path'

export function credential(dir: string, name: string, create: () => string): string {
  const folder = join(dir, 'credentials')
  const path = join(folder, name)
  if (existsSync(path)) return readFileSync(path, 'utf8')
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const text = create()
  const draft = openSync(`${path}.new`, 'w', 0o600)
  writeSync(draft, text)
  fsyncSync(draft)
  closeSync(draft)
  renameSync(`${path}.new`, path)
  return text
}
