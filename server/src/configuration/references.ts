/** Whether the venues that the file names are in it, and times are times. */
import type { ErrorDetail } from '../core/errors.ts'
import { timeOf } from '../http/index.ts'
import type { Config } from './configuration.schema.ts'

const WRONG_TIME =
  'is not a valid time: give ISO 8601 or an integer of 10 (s), 13 (ms), 16 (µs) or 19 (ns) digits'

/**
 * Venues are all in the file. Wallets and assets may be those of an earlier one: whoever applies
 * the file knows them.
 */
export function problemsOfReferences(config: Config): ErrorDetail[] {
  const venues = new Set((config.venues ?? []).map(({ key }) => key))
  const unknown = (path: string, key: string): ErrorDetail[] =>
    venues.has(key)
      ? []
      : [{ path, code: 'NOT_FOUND', message: `${path}: venue ${key} is not in this file` }]
  return [
    ...(config.wallets ?? []).flatMap(({ venue, integrate_from }, index) => [
      ...unknown(`wallets[${index}].venue`, venue),
      ...problemOfTime(`wallets[${index}].integrate_from`, integrate_from),
    ]),
    ...(config.price_routes ?? []).flatMap(({ hops }, index) =>
      hops.flatMap(({ venue }, hop) => unknown(`price_routes[${index}].hops[${hop}].venue`, venue)),
    ),
  ]
}

const problemOfTime = (path: string, given: string | number | undefined): ErrorDetail[] =>
  given === undefined || timeOf(String(given)) !== undefined
    ? []
    : [{ path, code: 'FORMAT', message: `${path} ${WRONG_TIME}` }]
