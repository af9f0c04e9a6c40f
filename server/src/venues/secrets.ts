/**
 * Secrets lie where the configuration says, and are read at that moment: in files and variables of
 * the operator's, or wrapped in the database (stored-secrets.ts).
 */
import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { allInOrder } from '../core/all-in-order.ts'
import { ApiError } from '../core/errors.ts'
import type { Term } from './terms.ts'

/** Where a secret of the operator lies; `field` picks one text of a JSON file. */
export type SecretReference = { file: string; field?: string } | { env: string }
/** `stored`: the name of one that was written over the API. */
export type VenueSecretReference = SecretReference | { stored: string }

/** Reads one that was written over the API. Throws 2003. */
export type ReadStored = (name: string, what: string) => Promise<string>

export type AdapterConfig = {
  options: Record<string, string>
  secrets: Record<string, VenueSecretReference>
  /** What is moved there, in the venue's words; what is shipped when absent. */
  terms?: readonly Term[]
  needs?: VenueNeeds
  /** Its addresses were given over the API: they are judged before it is opened. */
  judged?: true
  /** When its address or its secrets were changed last; absent when they never were. */
  reached_since?: number
  /** Of a bank that names no folders: below the operator's. Not stored: it follows from the key. */
  folder?: string
  seen?: SeenConnection
}

/**
 * By which connection it was opened last, as a digest, and by which key, unless another venue has
 * it. `since`: when it became this one; absent when it was never another.
 */
export type SeenConnection = { connection: string; account: string | null; since?: number }

/** An asset that wallets or routes have there; `scale`: the decimals that the books keep. */
export type Need = {
  asset: string
  protocol: string | null
  scale: number
  receives: boolean
  sends: boolean
}
export type VenueNeeds = {
  assets: readonly Need[]
  pairs: readonly { base_asset: string; quote_asset: string }[]
}

/** By name. Throws 2003 for the first that is missing, as they are declared; `what` they are of. */
export async function secretsOf(
  { secrets }: AdapterConfig,
  what: string,
  readStored: ReadStored,
): Promise<Record<string, string>> {
  const entries = await allInOrder(
    Object.entries(secrets).map(
      async ([name, reference]) =>
        [
          name,
          'stored' in reference
            ? await readStored(reference.stored, `${what}: ${name}`)
            : await secretAt(reference, `${what}: ${name}`),
        ] as const,
    ),
  )
  return Object.fromEntries(entries)
}

/** Tells whether secrets have changed, without keeping them. */
export const digestOf = (secrets: Record<string, string>): string =>
  createHash('sha256').update(JSON.stringify(secrets)).digest('hex')

/** Throws 2003, naming the place of the secret and never its text. */
export async function secretAt(reference: SecretReference, what: string): Promise<string> {
  if ('env' in reference) {
    const value = process.env[reference.env]
    if (value === undefined || value === '')
      throw new ApiError(
        'VenueUnreachable',
        `${what} is missing: the environment has no ${reference.env}`,
      )
    return value
  }
  const text = await readFile(reference.file, 'utf8').catch(() => {
    throw new ApiError('VenueUnreachable', `${what} is missing: ${reference.file} cannot be read`)
  })
  if (reference.field === undefined) return text.trim()
  const value = fieldOf(text, reference.field)
  if (value === undefined)
    throw new ApiError(
      'VenueUnreachable',
      `${what} is missing: ${reference.file} has no text ${reference.field}`,
    )
  return value
}

function fieldOf(text: string, field: string): string | undefined {
  let parsed: unknown
  try {
    parsed = JSON.parse(text)
  } catch {
    return undefined
  }
  const value =
    typeof parsed === 'object' && parsed !== null
      ? (parsed as Record<string, unknown>)[field]
      : undefined
  return typeof value === 'string' ? value : undefined
}
