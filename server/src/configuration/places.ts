/** Where a fault lies, in the words of whoever has made it. */
import { ApiError } from '../core/errors.ts'
import type { ErrorDetail } from '../core/errors.ts'
import type { Composed } from './declarations.ts'

const PLACE = /\b(venues|assets|price_routes)\[(\d+)\]/g

/** What stands for a place, by the key of its entry and its number; undefined: it stays. */
type Naming = (key: string, index: number, section: string) => string | undefined

export function named(
  details: readonly ErrorDetail[],
  keys: Composed['keys'],
  naming: Naming,
): ErrorDetail[] {
  const inWords = (text: string) =>
    text.replaceAll(PLACE, (place, section: keyof Composed['keys'], digits: string) => {
      const index = Number(digits)
      const key = keys[section][index]
      return (key === undefined ? undefined : naming(key, index, section)) ?? place
    })
  return details.map(({ code, path, message }) => ({
    code,
    path: inWords(path),
    message: inWords(message),
  }))
}

/** Answers what the work answers; what it refuses names its places so. */
export async function withNames<T>(
  keys: Composed['keys'],
  naming: Naming,
  work: () => Promise<T>,
): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof ApiError) || error.kind !== 'BadRequest') throw error
    const details = named(error.details, keys, naming)
    if (details.every(({ path }, index) => path === error.details[index]?.path)) throw error
    throw new ApiError(error.kind, details.map(({ message }) => message).join('; '), details)
  }
}
