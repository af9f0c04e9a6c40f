/** Providers of single sign-on. None answers: what a sign-in does is tested in its module. */
import type { Author } from '../author.ts'
import type { JsonRecord } from '../known-records.ts'
import { known, parameterOf } from './fit.ts'
import type { Fits } from './fit.ts'

const ISSUER = 'https://login.example.com'
const MAPPING = [{ value: 'desk', role: 'READER' }]

export const SIGN_IN_PROVIDERS: Fits = {
  'POST /sign-in-providers': (body) => {
    Object.assign(body, { issuer: ISSUER, role_mapping: MAPPING })
  },
  'PUT /sign-in-providers': (body, author) => {
    const { id, version } = active(author) ?? {}
    Object.assign(body, {
      issuer: ISSUER,
      client_secret: 'another secret',
      role_mapping: MAPPING,
      ...(id === undefined ? {} : { id, version }),
    })
  },
  // Most are left.
  'DELETE /sign-in-providers/:sign_in_provider_id': (_body, author) =>
    author.draws.once(8) ? parameterOf('sign_in_provider_id', active(author)?.['id']) : undefined,
  'POST /sign-in-providers/:sign_in_provider_id/test': (_body, author) =>
    parameterOf('sign_in_provider_id', active(author)?.['id']),
  'POST /users/:user_id/identities': (body, author) => {
    body['provider_id'] = active(author)?.['id'] ?? body['provider_id']
  },
}

const active = (author: Author): JsonRecord | undefined =>
  known(author, 'sign_in_provider_id', ({ state }) => state === 'ACTIVE')
