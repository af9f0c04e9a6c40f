/**
 * A venue that says by itself that an order has changed is asked about it before the order's next
 * turn. About an order that is none of ours, the trades of the account are read.
 */
import type { Clock } from '../../core/clock.ts'
import type { ExecutionId, VenueId, WorkspaceId } from '../../core/ids.ts'
import { isFinal } from '../../core/moves.ts'
import type { Db } from '../../store/db.ts'
import { sql } from '../../store/sql.ts'
import { hastenTasks } from '../../store/tasks.ts'
import { readingPace } from '../../venues/index.ts'
import type { HearVenue, VenueRecord } from '../../venues/index.ts'
import { EXECUTION_TASK } from '../executions/rows.ts'
import type { OrderRow } from '../executions/rows.ts'
import { ORDER_MOVES } from '../states.ts'
import { TRADES_TASK } from './account-trades.ts'

/** So many messages become one question to the database. */
const GATHER_MILLISECONDS = 100
/** An order that was sent just now is asked about every half second by its own task. */
const YOUNG_MILLISECONDS = 2_000

type HearingParts = {
  db: Db
  clock: Clock
  log: { error(details: object, message: string): void }
}

/** `strange`: of an order that the venue does not name by a client id, or of anything. */
type Gathered = {
  client_order_ids: Set<string>
  strange: boolean
  every_ms: number | undefined
}

export function hearOrders({ db, clock, log }: HearingParts): HearVenue {
  const gathered = new Map<VenueId, Gathered>()
  const nextLookup = readingPace()
  const nextReading = readingPace()
  const follow = async ({ workspace, id, services }: VenueRecord, heard: Gathered) => {
    const now = clock.now()
    const named = [...heard.client_order_ids]
    const ours = named.length === 0 ? [] : await readOrders(db, { workspace, id }, named)
    const waiting = ours.filter((order) => isWaiting(order, now))
    const lookups = [...new Set(waiting.map(({ execution_id }) => execution_id))].flatMap(
      (subject_id) => {
        const due_at = nextLookup(subject_id, now, heard.every_ms)
        return due_at === undefined ? [] : [{ workspace, kind: EXECUTION_TASK, subject_id, due_at }]
      },
    )
    const desk = services.find(({ type }) => type === 'TOMS')
    const isStrange = heard.strange || ours.length < named.length
    const due_at =
      isStrange && desk !== undefined ? nextReading(desk.id, now, heard.every_ms) : undefined
    const trades =
      desk === undefined || due_at === undefined
        ? []
        : [{ workspace, kind: TRADES_TASK, subject_id: desk.id, due_at }]
    await hastenTasks(db, [...lookups, ...trades])
  }
  return (venue, news, every_ms) => {
    if (news.about === 'TRANSFERS') return
    const known = gathered.get(venue.id)
    const heard = known ?? { client_order_ids: new Set(), strange: false, every_ms }
    const named = news.about === 'ORDER' ? news.client_order_id : null
    if (named === null) heard.strange = true
    else heard.client_order_ids.add(named)
    if (known !== undefined) return
    gathered.set(venue.id, heard)
    setTimeout(() => {
      gathered.delete(venue.id)
      follow(venue, heard).catch((error: unknown) => {
        log.error({ venue_id: venue.id, error: String(error) }, "a venue's news were not followed")
      })
    }, GATHER_MILLISECONDS).unref()
  }
}

type HeardOrder = Pick<OrderRow, 'state' | 'sent_at'> & { execution_id: ExecutionId }

const readOrders = (
  db: Db,
  venue: { workspace: WorkspaceId; id: VenueId },
  client_order_ids: readonly string[],
): Promise<HeardOrder[]> =>
  db.query<HeardOrder>(sql`
    select execution_id, state, sent_at
    from execution_orders
    where workspace = ${venue.workspace}
      and venue_id = ${venue.id}
      and client_order_id = any(${client_order_ids}::text[])`)

const isWaiting = ({ state, sent_at }: HeardOrder, now: number): boolean =>
  !isFinal(ORDER_MOVES, state) && sent_at !== null && now - sent_at >= YOUNG_MILLISECONDS
