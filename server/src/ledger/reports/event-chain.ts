/**
 * The chain over the rows of `events`. Bookings are events too: they have a chain of their own, and
 * take the numbers that are left, in their order. So both chains together cover the whole sequence,
 * and booking costs no more for it.
 */
import type { Clock } from '../../core/clock.ts'
import type { WorkspaceId } from '../../core/ids.ts'
import { addBatch, batchesIn, digestsOf, endOfChain, verifyChain } from '../../store/chains.ts'
import type { Chain, ChainedLine, ChainEnd } from '../../store/chains.ts'
import type { Db, Reader } from '../../store/db.ts'
import { sql } from '../../store/sql.ts'

const EVENTS_IN_A_BATCH = 500

type EventRow = {
  sequence: number
  id: string
  type: string
  resource_id: string
  occurred_at: number
  told_by: string | null
  data: object
}

/** What `data` tells may have to be erased, so its fields are hashed by their digests. */
const lineOf = (event: EventRow): ChainedLine => ({
  sequence: event.sequence,
  line: JSON.stringify([
    event.sequence,
    event.id,
    event.type,
    event.resource_id,
    event.occurred_at,
    event.told_by,
    digestsOf(event.id, event.data),
  ]),
})

const EVENT_CHAIN: Chain = {
  batches: batchesIn('event_batches'),
  name: 'events',
  async lines(reader, workspace, { after, upto, limit }) {
    const events = await reader.query<EventRow>(sql`
      select sequence, id, type, resource_id, occurred_at, told_by, data
      from events
      where workspace = ${workspace}
        and sequence > ${after}
        and sequence <= ${upto}
      order by sequence
      limit ${limit ?? null}`)
    return events.map(lineOf)
  },
}

/**
 * Chains the events of every workspace that are not chained yet; answers how many batches it made.
 * Safe in several processes.
 */
export async function chainEvents({ db, clock }: { db: Db; clock: Clock }): Promise<number> {
  let batches = 0
  const due = await db.query<{ workspace: WorkspaceId; upto: number }>(sql`
    select l.workspace, l.event_sequence as upto
    from lanes l
    left join lateral (
      select last_sequence
      from event_batches
      where workspace = l.workspace
      order by batch_no desc
      limit 1
    ) b on true
    where exists (
      select
      from events
      where workspace = l.workspace
        and sequence > coalesce(b.last_sequence, 0)
    )`)
  for (const { workspace, upto } of due) {
    let end: ChainEnd | undefined = await endOfChain(db, EVENT_CHAIN, workspace)
    while (end !== undefined) {
      // All up to here are committed, in this order: the lane's lock is taken for each.
      const range = { after: end.sequence, upto, limit: EVENTS_IN_A_BATCH }
      const lines: ChainedLine[] = await EVENT_CHAIN.lines(db, workspace, range)
      if (lines.length === 0) break
      end = await addBatch(db, EVENT_CHAIN, { workspace, now: clock.now(), end }, lines)
      if (end !== undefined) batches += 1
    }
  }
  return batches
}

export const verifyEventChain = (
  reader: Reader,
  workspace: WorkspaceId,
  verifying: { after: ChainEnd | undefined; fault(text: string): void },
): Promise<ChainEnd> => verifyChain(reader, EVENT_CHAIN, workspace, verifying)
