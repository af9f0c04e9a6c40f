/** What is declared of venues, assets and price routes, and the secrets of venues. */
import type { Author } from '../author.ts'
import type { JsonRecord } from '../known-records.ts'
import { known, parameterOf } from './fit.ts'
import type { Fits } from './fit.ts'

const SECRETS: Readonly<Record<string, string>> = {
  EXCHANGE: 'api_key',
  CUSTODY_VAULT: 'api_key',
  MANAGED_WALLET: 'api_secret',
  BANK: 'sftp_password',
}

export const DECLARATIONS: Fits = {
  'GET /declarations/:key': (_body, author) => keyOf(declarationIn(author)),
  'GET /declarations/:key/history': (_body, author) => keyOf(declarationIn(author)),
  // What the simulation is made of stays as it is, and gets one route more: others work with it.
  'PUT /declarations/:key': (body, author) => {
    const isNew = author.draws.once(4)
    const record = declarationIn(author, ({ kind }) => !isNew || kind === 'PRICE_ROUTE')
    for (const name of Object.keys(body)) delete body[name]
    const declaration = (record?.['declaration'] ?? {}) as JsonRecord
    body['declaration'] = declaration
    return isNew ? { key: 'price_route.one-more' } : keyOf(record)
  },
  'DELETE /declarations/:key': (_body, author) =>
    keyOf(declarationIn(author, ({ in_file }) => in_file === false)),
  'PUT /venues/:venue_id/secrets/:name': (_body, author) => {
    const venue = known(author, 'venue_id', ({ state }) => state !== 'DISABLED')
    const name = SECRETS[String(venue?.['kind'])] ?? ''
    return { ...parameterOf('venue_id', venue?.['id']), name }
  },
}

/** One that is still declared. */
const declarationIn = (author: Author, fits: (record: JsonRecord) => boolean = () => true) =>
  known(author, 'declaration_id', (one) => (one['declaration'] ?? null) !== null && fits(one))

const keyOf = (record: JsonRecord | undefined) =>
  parameterOf('key', record && encodeURIComponent(String(record['key'])))
