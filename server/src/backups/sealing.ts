/**
 * Files under a key: chunks of 64 KB, each sealed with AES-256-GCM. The nonce of a chunk is its
 * number and whether it is the last, so that none can be left out, moved, added or cut off
 * unnoticed (STREAM, https://eprint.iacr.org/2015/189, as age has it). Every file has a key of its
 * own, made from ours, a random salt and the file's name.
 */
import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto'
import { UsageError } from '../core/usage.ts'
import { createKeyFile, readKeyFile } from '../store/key-files.ts'
import type { Key } from '../store/key-files.ts'

/** A file that was changed, or another key. */
export class NotOpened extends Error {}

const CIPHER = 'aes-256-gcm'
const KEY_BYTES = 32
const SALT_BYTES = 32
const CHUNK_BYTES = 65_536
const TAG_BYTES = 16
const NONCE_BYTES = 12

export async function createKey(path: string): Promise<void> {
  if (!(await createKeyFile(path)))
    throw new UsageError(`${path} exists; a key is never overwritten`)
}

export async function readKey(path: string): Promise<Key> {
  const key = await readKeyFile(path, 'backup')
  if (key === undefined)
    throw new UsageError(`there is no key ${path}: npm run backup -- key FILE makes one`)
  return key
}

type Bytes = AsyncIterable<Buffer>

export async function* seal(source: Bytes, key: Key, name: string): AsyncGenerator<Buffer> {
  const salt = randomBytes(SALT_BYTES)
  const secret = secretOf(key, salt, name)
  yield salt
  let number = 0
  for await (const { bytes, isLast } of chunksOf(source, CHUNK_BYTES)) {
    const cipher = createCipheriv(CIPHER, secret, nonceOf(number, isLast))
    yield Buffer.concat([cipher.update(bytes), cipher.final(), cipher.getAuthTag()])
    number += 1
  }
}

export async function* unseal(source: Bytes, key: Key, name: string): AsyncGenerator<Buffer> {
  const pieces = source[Symbol.asyncIterator]()
  const head = await readHead(pieces)
  const secret = secretOf(key, head.subarray(0, SALT_BYTES), name)
  let number = 0
  for await (const { bytes, isLast } of chunksOf(
    joined(head.subarray(SALT_BYTES), pieces),
    CHUNK_BYTES + TAG_BYTES,
  )) {
    yield opened(bytes, secret, nonceOf(number, isLast))
    number += 1
  }
}

function opened(bytes: Buffer, secret: Buffer, nonce: Buffer): Buffer {
  const end = bytes.length - TAG_BYTES
  if (end < 0) throw new NotOpened('a sealed file is cut off')
  const decipher = createDecipheriv(CIPHER, secret, nonce)
  decipher.setAuthTag(bytes.subarray(end))
  try {
    return Buffer.concat([decipher.update(bytes.subarray(0, end)), decipher.final()])
  } catch (cause) {
    throw new NotOpened('a sealed file was changed, or the key is another one', { cause })
  }
}

function secretOf({ bytes }: Key, salt: Buffer, name: string): Buffer {
  return Buffer.from(hkdfSync('sha256', bytes, salt, `kontor backup ${name}`, KEY_BYTES))
}

function nonceOf(number: number, isLast: boolean): Buffer {
  const nonce = Buffer.alloc(NONCE_BYTES)
  nonce.writeUIntBE(number, NONCE_BYTES - 7, 6)
  nonce[NONCE_BYTES - 1] = isLast ? 1 : 0
  return nonce
}

async function readHead(pieces: AsyncIterator<Buffer>): Promise<Buffer> {
  let head = Buffer.alloc(0)
  while (head.length < SALT_BYTES) {
    const next = await pieces.next()
    if (next.done === true) throw new NotOpened('a sealed file is cut off')
    head = Buffer.concat([head, next.value])
  }
  return head
}

async function* joined(first: Buffer, rest: AsyncIterator<Buffer>): AsyncGenerator<Buffer> {
  yield first
  for (let next = await rest.next(); next.done !== true; next = await rest.next()) yield next.value
}

/** Pieces of one size. The last one may be shorter, also empty, and is marked. */
async function* chunksOf(
  source: Bytes,
  size: number,
): AsyncGenerator<{ bytes: Buffer; isLast: boolean }> {
  let held: Buffer[] = []
  let length = 0
  for await (const piece of source) {
    held.push(piece)
    length += piece.length
    if (length <= size) continue
    const all = Buffer.concat(held)
    let from = 0
    // One that is full may be the last: it waits for the next piece.
    for (; all.length - from > size; from += size)
      yield { bytes: all.subarray(from, from + size), isLast: false }
    held = [all.subarray(from)]
    length = all.length - from
  }
  yield { bytes: Buffer.concat(held), isLast: true }
}
