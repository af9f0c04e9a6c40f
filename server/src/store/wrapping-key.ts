/**
 * The key that wraps what the database must not show by itself. It is read from a file, so whoever
 * has the database, or a backup of it, has nothing. Wrapped with AES-256-GCM.
 */
import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto'
import type { Key } from './key-files.ts'

const CIPHER = 'aes-256-gcm'
const KEY_BYTES = 32
const NONCE_BYTES = 12
const TAG_BYTES = 16

export class WrappingKey {
  readonly id: string
  readonly #bytes: Buffer
  readonly #secret: Buffer

  constructor({ bytes, id }: Key) {
    this.id = id
    this.#bytes = bytes
    this.#secret = this.derive('wrap')
  }

  /** A key of its own for a purpose, from which nobody finds this one or another. */
  derive(purpose: string): Buffer {
    return Buffer.from(hkdfSync('sha256', this.#bytes, '', `kontor ${purpose}`, KEY_BYTES))
  }

  /** `place`: whose it is and what. Moved to another place it is not opened. */
  wrap(place: readonly string[], text: string): Buffer {
    const nonce = randomBytes(NONCE_BYTES)
    const cipher = createCipheriv(CIPHER, this.#secret, nonce)
    cipher.setAAD(this.#dataOf(place))
    return Buffer.concat([nonce, cipher.update(text, 'utf8'), cipher.final(), cipher.getAuthTag()])
  }

  /** Throws when it was changed, is of another place, or was wrapped by another key. */
  unwrap(place: readonly string[], wrapped: Buffer): string {
    const end = wrapped.length - TAG_BYTES
    if (end < NONCE_BYTES) throw new Error(`${place.join(' ')} is cut off`)
    const decipher = createDecipheriv(CIPHER, this.#secret, wrapped.subarray(0, NONCE_BYTES))
    decipher.setAAD(this.#dataOf(place))
    decipher.setAuthTag(wrapped.subarray(end))
    try {
      const text = [decipher.update(wrapped.subarray(NONCE_BYTES, end)), decipher.final()]
      return Buffer.concat(text).toString('utf8')
    } catch (cause) {
      throw new Error(`${place.join(' ')} was changed, or wrapped by another key`, { cause })
    }
  }

  #dataOf(place: readonly string[]): Buffer {
    return Buffer.from(JSON.stringify([this.id, ...place]))
  }
}
