/** Settlements and their parts. */
import type { Author } from '../author.ts'
import type { JsonRecord } from '../known-records.ts'
import { known, parameterOf } from './fit.ts'
import type { Fits } from './fit.ts'

export const SETTLEMENTS: Fits = {
  'POST /settlements': (body) => {
    Object.assign(body, {
      timerange_from: Date.now() - DAY_MILLISECONDS,
      timerange_to: Date.now() + DAY_MILLISECONDS,
    })
  },
  'PATCH /settlements/:settlement_id/fills': (body, author) => {
    const settlement = settlementThat(author, ['PREPARING'])
    const fill = known(
      author,
      'fill_id',
      (record) => record['settlement_id'] === settlement?.['id'],
    )?.['id']
    for (const name of Object.keys(body)) delete body[name]
    body[author.draws.once(2) ? 'leave' : 'take'] = fill === undefined ? [] : [fill]
    return parameterOf('settlement_id', settlement?.['id'])
  },
  'PUT /settlements/:settlement_id/parts': (body, author) => {
    for (const name of Object.keys(body)) delete body[name]
    return parameterOf('settlement_id', settlementThat(author, ['PREPARING', 'READY'])?.['id'])
  },
  'POST /settlements/:settlement_id/cancel': (_body, author) =>
    author.draws.once(4)
      ? parameterOf('settlement_id', settlementThat(author, ['PREPARING', 'READY'])?.['id'])
      : undefined,
  'POST /settlements/:settlement_id/initiate': (body, author) => {
    delete body['part_ids']
    return parameterOf('settlement_id', settlementThat(author, ['READY', 'FAILED'])?.['id'])
  },
  'POST /settlements/:settlement_id/parts/:part_id/confirm': (body, author) => {
    delete body['deposit_id']
    const settlement = settlementThat(author, ['READY', 'TRANSFERRING', 'PARTIALLY_SETTLED'])
    const open =
      (settlement?.['parts'] as JsonRecord[] | undefined)?.filter(
        (part) => part['withdrawal_id'] === null,
      ) ?? []
    return open.length === 0
      ? undefined
      : {
          settlement_id: String(settlement?.['id']),
          part_id: String(author.draws.pick(open)['id']),
        }
  },
}

const DAY_MILLISECONDS = 86_400_000

const settlementThat = (author: Author, states: readonly string[]) =>
  known(author, 'settlement_id', (record) => states.includes(String(record['state'])))
