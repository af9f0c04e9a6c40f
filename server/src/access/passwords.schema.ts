import { Type } from '../http/index.ts'
import { MAXIMUM_PASSWORD, MINIMUM_PASSWORD } from './passwords.ts'

/** One that is too short is refused with WEAK_PASSWORD, not by the schema. */
export const newPassword = () =>
  Type.String({
    minLength: 1,
    maxLength: MAXIMUM_PASSWORD,
    'x-means': { type: 'string', minLength: MINIMUM_PASSWORD, maxLength: MAXIMUM_PASSWORD },
    description: 'At least four different characters, and none of those that many people use',
  })
