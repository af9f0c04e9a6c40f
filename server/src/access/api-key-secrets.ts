/**
 * The secret of an API key: `kontor_`, 40 random characters and a checksum of 6, all in base 62, as
 * GitHub's tokens have it. The checksum lets a scanner of leaked secrets drop false hits without
 * asking us; it protects nothing.
 */
import { hash as digest, randomInt } from 'node:crypto'
import { crc32 } from 'node:zlib'

const PREFIX = 'kontor_'
const RANDOM_CHARACTERS = 40
const CHECKSUM_CHARACTERS = 6
const SECRET_CHARACTERS = PREFIX.length + RANDOM_CHARACTERS + CHECKSUM_CHARACTERS
/** Of a secret, shown beside its key, so that people find out which one a program has. */
const HINT_CHARACTERS = 4
const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'

const SCHEME = 'bearer '
const SECRET = new RegExp(`^${PREFIX}[0-9A-Za-z]{${RANDOM_CHARACTERS + CHECKSUM_CHARACTERS}}$`)

export function newSecret(): string {
  const random = Array.from({ length: RANDOM_CHARACTERS }, () =>
    ALPHABET.charAt(randomInt(ALPHABET.length)),
  )
  const begun = PREFIX + random.join('')
  return begun + checksumOf(begun)
}

export const hintOf = (secret: string): string => secret.slice(-HINT_CHARACTERS)

/** 238 random bits need no slow hash (OWASP ASVS 5.0, 6.5.2). */
export const hashOf = (secret: string): Buffer => digest('sha256', secret, 'buffer')

/** The secret of an `Authorization` header; undefined for everything else. */
export function secretIn(authorization: string | undefined): string | undefined {
  // The length is right of no access token: those cost nothing here.
  if (authorization?.length !== SCHEME.length + SECRET_CHARACTERS) return undefined
  if (authorization.slice(0, SCHEME.length).toLowerCase() !== SCHEME) return undefined
  const secret = authorization.slice(SCHEME.length)
  return isSecret(secret) ? secret : undefined
}

export function isSecret(text: string): boolean {
  if (!SECRET.test(text)) return false
  const begun = text.slice(0, -CHECKSUM_CHARACTERS)
  return text.slice(-CHECKSUM_CHARACTERS) === checksumOf(begun)
}

function checksumOf(text: string): string {
  let rest = crc32(text)
  let written = ''
  for (let place = 0; place < CHECKSUM_CHARACTERS; place += 1) {
    written = ALPHABET.charAt(rest % ALPHABET.length) + written
    rest = Math.floor(rest / ALPHABET.length)
  }
  return written
}
