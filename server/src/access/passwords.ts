import { randomBytes } from 'node:crypto'
import { hash, verify } from '@node-rs/argon2'
import { refuse } from '../core/errors.ts'
import { isKnownPassword } from './known-passwords.ts'

export const MAXIMUM_PASSWORD = 200
export const MINIMUM_PASSWORD = 10
const GENERATED_BYTES = 15
/** Argon2id is the library's default; memory in KiB. */
const COST = { memoryCost: 19_456, timeCost: 2, parallelism: 1 }

/** Two ways to type the same letter are the same password. */
const normalizePassword = (password: string) => password.normalize('NFKC')

export function hashPassword(password: string): Promise<string> {
  return hash(normalizePassword(password), COST)
}

let unknown: Promise<string> | undefined
/** Of a password that nobody knows: of users without one, and compared with where there is none. */
export const unknownPasswordHash = (): Promise<string> =>
  (unknown ??= hashPassword(generatePassword()))

/** Compares; without a hash it takes the same time and answers false. */
export async function passwordMatches(
  stored: string | undefined,
  password: string,
): Promise<boolean> {
  if (stored !== undefined) return verify(stored, normalizePassword(password))
  await verify(await unknownPasswordHash(), normalizePassword(password))
  return false
}

export function generatePassword(): string {
  return randomBytes(GENERATED_BYTES).toString('base64url')
}

/** Throws 3001 WEAK_PASSWORD naming `path`. */
export async function assertStrongPassword(
  password: string,
  email: string,
  path: string,
): Promise<void> {
  if (normalizePassword(password).length < MINIMUM_PASSWORD)
    throw refuse('WEAK_PASSWORD', path, `${path} needs at least ${MINIMUM_PASSWORD} characters`)
  const lower = password.toLowerCase()
  if (lower === email || lower === email.split('@')[0])
    throw refuse('WEAK_PASSWORD', path, `${path} must not be the e-mail address`)
  if (new Set(lower).size < 4)
    throw refuse('WEAK_PASSWORD', path, `${path} needs at least 4 different characters`)
  if (await isKnownPassword(normalizePassword(password)))
    throw refuse('WEAK_PASSWORD', path, `${path} is one that many people use`)
}
