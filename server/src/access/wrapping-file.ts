/** The file of the key that wraps the signing keys, and what is wrong when it does not fit them. */
import { join } from 'node:path'
import { mustExist } from '../core/assert.ts'
import { ofCaller, UsageError } from '../core/usage.ts'
import { createKeyFile, readKeyFile } from '../store/key-files.ts'
import { WrappingKey } from '../store/wrapping-key.ts'

/** KONTOR_KEY_FILE names the file; else it lies in DATA_DIR. */
export function keyFileFrom({
  KONTOR_KEY_FILE: file,
  DATA_DIR: data,
}: Readonly<Record<string, string | undefined>>): string | undefined {
  if (file) return ofCaller(file)
  return data ? join(data, 'kontor.key') : undefined
}

/** Undefined without a file, and where it is not there. */
export async function readWrappingKey(file: string | undefined): Promise<WrappingKey | undefined> {
  const key = file === undefined ? undefined : await readKeyFile(file, 'wrapping')
  return key && new WrappingKey(key)
}

/** Undefined without a file. One that is not there is made. */
export async function provideWrappingKey(
  file: string | undefined,
): Promise<WrappingKey | undefined> {
  if (file === undefined) return undefined
  const key = await readKeyFile(file, 'wrapping')
  if (key !== undefined) return new WrappingKey(key)
  await createKeyFile(file)
  return new WrappingKey(mustExist(await readKeyFile(file, 'wrapping'), file))
}

/** Why the keys that sign cannot be opened; undefined where they can. */
export async function wrappingFault(
  ids: readonly string[],
  file: string | undefined,
): Promise<string | undefined> {
  if (ids.length === 0) return undefined
  const key = file === undefined ? undefined : await readKeyFile(file, 'wrapping')
  if (ids.length === 1 && key?.id === ids[0]) return undefined
  const needed = `the keys that sign tokens are wrapped by the key ${ids.join(' and ')}`
  if (file === undefined) return `${needed}: KONTOR_KEY_FILE must name its file`
  const found = key === undefined ? `${file} is missing` : `${file} holds the key ${key.id}`
  return (
    `${needed}, and ${found}: put the right file there. If it is lost, ` +
    `${key === undefined ? '' : 'move this one away, and '}` +
    'npm run keys -- rotate makes another (docs/operations.md, Keys)'
  )
}

/** Throws a UsageError. A file that is not there is lost: rotating makes another. */
export async function assertRotatable(
  ids: readonly string[],
  file: string | undefined,
): Promise<void> {
  const fault = await wrappingFault(ids, file)
  if (fault === undefined) return
  if (file === undefined || (await readKeyFile(file, 'wrapping')) !== undefined)
    throw new UsageError(fault)
}
