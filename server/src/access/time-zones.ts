/** Time zones by their names in the IANA time zone database. */
import { refuse } from '../core/errors.ts'
import { requiredText } from '../http/index.ts'

const MAXIMUM_NAME = 64

export const timeZoneText = (what: string) =>
  requiredText(MAXIMUM_NAME, `Time zone, as Europe/Berlin. ${what}`)

/** Throws 3001 for a name that no zone has. */
export function assertTimeZone(name: string, path: string): void {
  try {
    new Intl.DateTimeFormat('en', { timeZone: name }).format(0)
  } catch (error) {
    if (!(error instanceof RangeError)) throw error
    throw refuse('FORMAT', path, `${path} must be a time zone such as Europe/Berlin`)
  }
}
