/** Webhooks and their deliveries. */
import type { Author } from '../author.ts'
import type { JsonRecord } from '../known-records.ts'
import { known, parameterOf } from './fit.ts'
import type { Fits } from './fit.ts'

const URL = 'https://receiver.example.com/kontor'

export const WEBHOOKS: Fits = {
  'POST /webhooks': (body) => {
    body['url'] = URL
  },
  'PUT /webhooks': (body, author) => {
    const { id, version } = webhookIn(author, ['ACTIVE', 'PAUSED']) ?? {}
    Object.assign(body, { url: URL, ...(id === undefined ? {} : { id, version }) })
  },
  // Most are left, so that something goes to them.
  'DELETE /webhooks/:webhook_id': (_body, author) =>
    author.draws.once(8) ? ofOneIn(author, ['ACTIVE', 'PAUSED']) : undefined,
  'POST /webhooks/:webhook_id/pause': (_body, author) =>
    author.draws.once(4) ? ofOneIn(author, ['ACTIVE']) : undefined,
  'POST /webhooks/:webhook_id/resume': (_body, author) => ofOneIn(author, ['PAUSED']),
  'POST /webhooks/:webhook_id/rotate-secret': (_body, author) =>
    ofOneIn(author, ['ACTIVE', 'PAUSED']),
  'POST /webhooks/:webhook_id/test': (_body, author) => ofOneIn(author, ['ACTIVE']),
  'POST /webhooks/:webhook_id/redeliver': (body, author) => {
    delete body['up_to']
    return ofOneIn(author, ['ACTIVE'])
  },
  'POST /webhook-deliveries/:webhook_delivery_id/redeliver': (_body, author) => {
    const webhook = webhookIn(author, ['ACTIVE'])
    const ofIt = (record: JsonRecord) => record['webhook_id'] === webhook?.['id']
    return parameterOf('webhook_delivery_id', known(author, 'webhook_delivery_id', ofIt)?.['id'])
  },
}

const webhookIn = (author: Author, states: readonly string[]) =>
  known(author, 'webhook_id', (record) => states.includes(String(record['state'])))

const ofOneIn = (author: Author, states: readonly string[]) =>
  parameterOf('webhook_id', webhookIn(author, states)?.['id'])
