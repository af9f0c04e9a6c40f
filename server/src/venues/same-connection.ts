/**
 * What was sent over another connection (another address or other secrets) is looked up in vain at
 * this one: it may be the system of somebody else. It is not absent, and must not be sent again.
 */
import type { Lookup, Venue } from './contract.ts'

const REASON =
  "the venue's address or its secrets were changed after it was sent: only who sees the system " +
  'from before can say what became of it'

/** `reached_since`: when the connection was changed last; undefined when it never was. */
export function withSameConnection(adapter: Venue, reached_since: number | undefined): Venue {
  if (reached_since === undefined) return adapter
  const { transfers, trading } = adapter
  const judged = <Report>(answer: Lookup<Report>, sent_at: number): Lookup<Report> =>
    answer.lookup === 'absent' && sent_at <= reached_since
      ? { lookup: 'unknown', reason: REASON }
      : answer
  return {
    ...adapter,
    ...(transfers && {
      transfers: {
        ...transfers,
        find: async (asked) => judged(await transfers.find(asked), asked.submitted_at),
      },
    }),
    ...(trading && {
      trading: {
        ...trading,
        find: async (asked) => judged(await trading.find(asked), asked.sent_at),
      },
    }),
  }
}
