/**
 * What was sent over another connection (another address, account or other secrets) is looked up in
 * vain at this one: it may be the system of somebody else. It is not absent, and must not be sent
 * again.
 */
import type { Lookup, Venue } from './contract.ts'

const REASON =
  "the venue's address or its secrets were changed after it was sent: only who sees the system " +
  'from before can say what became of it'

/**
 * `connection`: absent without a key file. `since`: since when it is this one. `files_since`: what
 * was handed over before is not known in a folder that was made anew.
 */
export type Connection = { connection?: string; since?: number; files_since?: number }

type Sending = { sent_over?: string | null | undefined; sent_at: number }

/** The adapter, which says over which connection it sends. */
export function withSameConnection(adapter: Venue, of: Connection): Venue {
  const { connection, since = 0, files_since = 0 } = of
  const { transfers, trading } = adapter
  const wasSentHere = ({ sent_over, sent_at }: Sending): boolean =>
    sent_at > files_since && (sent_over == null ? sent_at > since : sent_over === connection)
  const judged = <Report>(answer: Lookup<Report>, sending: Sending): Lookup<Report> =>
    answer.lookup === 'absent' && !wasSentHere(sending)
      ? { lookup: 'unknown', reason: REASON }
      : answer
  return {
    ...adapter,
    ...(connection !== undefined && { connection }),
    reached_since: Math.max(since, files_since),
    ...(transfers && {
      transfers: {
        ...transfers,
        find: async (asked) =>
          judged(await transfers.find(asked), { ...asked, sent_at: asked.submitted_at }),
      },
    }),
    ...(trading && {
      trading: { ...trading, find: async (asked) => judged(await trading.find(asked), asked) },
    }),
  }
}
