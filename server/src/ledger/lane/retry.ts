import { ApiError, refuse } from '../../core/errors.ts'

const MAXIMUM_ATTEMPTS = 100

/** What the caller names is outdated already: to read anew does not help. */
const outdated = new WeakSet<Error>()

/** Throws STALE_VERSION where the caller names another version than the current one. */
export function assertVersion(
  resource: string,
  { id, version }: { id: string; version: number },
  named: number | undefined,
): void {
  if (named === undefined || named === version) return
  const error = refuse(
    'STALE_VERSION',
    'version',
    `${resource} ${id} has version ${version}, not ${named}`,
  )
  outdated.add(error)
  throw error
}

/** Reads and decides anew when what was read has changed by the time of the commit. */
export async function retryOnStale<T>(attempt: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await attempt()
    } catch (error) {
      if (!(error instanceof ApiError) || outdated.has(error)) throw error
      const code = error.details[0]?.code
      // The guard refuses a state that just changed too. Refused twice, the state is what it is.
      const isStale =
        code === 'STALE_VERSION'
          ? tries < MAXIMUM_ATTEMPTS
          : code === 'STATE_NOT_ALLOWED' && tries === 1
      if (!isStale) throw error
    }
  }
}
