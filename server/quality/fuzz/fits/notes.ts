/** Comments, tags and files on records. */
import type { Author } from '../author.ts'
import { known } from './fit.ts'
import type { Fits } from './fit.ts'

/** Users are never harvested, and only they can be mentioned. */
const onAccount = (author: Author): Record<string, string> | undefined => {
  const id = known(author, 'account_id')?.['id']
  return typeof id === 'string' ? { kind: 'account', record_id: id } : undefined
}

export const NOTES: Fits = {
  'GET /notes/:kind/:record_id': (_body, author) => onAccount(author),
  'POST /notes/:kind/:record_id/comments': (body, author) => {
    delete body['mentions']
    return onAccount(author)
  },
  'POST /notes/:kind/:record_id/tags': (_body, author) => onAccount(author),
  'POST /notes/:kind/:record_id/attachments': (body, author) => {
    Object.assign(body, { media_type: 'text/plain', content: 'Q29uZmlybWVkLg==' })
    return onAccount(author)
  },
  'GET /tagged/:kind': () => ({ kind: 'account' }),
}
