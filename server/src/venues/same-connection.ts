/**
 * What was sent over another connection (another address, account or other secrets) is looked up in
 * vain at this one: it may be the system of somebody else. It is not absent, and must not be sent
 * again.
 */
import type { Lookup, Venue } from './contract.ts'

const REASON =
  "the venue's address or its secrets were changed after it was sent: only who sees the system " +
  'from before can say what became of it'

/** `connection`: absent without a key file. `since`: since when it is this one. */
export type Connection = { connection?: string; since?: number }

type Sending = { sent_over?: string | null | undefined; sent_at: number }

/** The adapter, which says over which connection it sends. */
export function withSameConnection(adapter: Venue, { connection, since }: Connection): Venue {
  const { transfers, trading } = adapter
  const wasSentHere = ({ sent_over, sent_at }: Sending): boolean =>
    sent_over == null ? since === undefined || sent_at > since : sent_over === connection
  const judged = <Report>(answer: Lookup<Report>, sending: Sending): Lookup<Report> =>
    answer.lookup === 'absent' && !wasSentHere(sending)
      ? { lookup: 'unknown', reason: REASON }
      : answer
  return {
    ...adapter,
    ...(connection !== undefined && { connection }),
    ...(since !== undefined && { reached_since: since }),
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
