/** What a workspace may demand only where there is a key file. */
import type { SettingName } from '../access/index.ts'
import { refuse } from '../core/errors.ts'

/** Says whether second factors can be set up. Without it nothing is demanded of anybody. */
export type KeyHolder = { access?: { tokens: { wrapping: unknown } } }

/** Otherwise everybody would have to set up what nobody can. Throws 3001 CONFLICT. */
export function assertKeyFor(
  { access }: KeyHolder,
  { key, value, path }: { key: string; value: unknown; path: string },
): void {
  const demanded: SettingName = 'second_factor_roles'
  if (key !== demanded || access === undefined || access.tokens.wrapping !== undefined) return
  if (!Array.isArray(value) || value.length === 0) return
  throw refuse('CONFLICT', path, 'second factors need a key file: KONTOR_KEY_FILE must name it')
}
