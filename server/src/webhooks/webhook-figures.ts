/** What waits to be delivered, what was given up, and which webhooks are paused. */
import type { Clock } from '../core/clock.ts'
import { figures } from '../core/figures.ts'
import type { Figures } from '../core/figures.ts'
import type { Reader } from '../store/db.ts'
import { sql } from '../store/sql.ts'
import type { Query } from '../store/sql.ts'
import { stateIn } from '../store/states.ts'
import { DELIVERY_MOVES } from './deliveries.schema.ts'
import { WEBHOOK_MOVES } from './webhooks.schema.ts'

const COUNTED_AT_MOST = 1_000
const FAILED_WITHIN_MILLISECONDS = 86_400_000

type Row = { failed: number; waiting: number; paused: number; oldest_at: number | null }

export function webhookFigures(reader: Reader, clock: Clock): Figures {
  const labels: string[] = []
  return figures({
    name: 'webhooks',
    gauges: {
      kontor_webhooks_paused: { help: 'Webhooks that are paused, also by hand', labels },
      kontor_webhook_deliveries_failed: {
        help: 'Deliveries given up within the last day',
        labels,
      },
      kontor_webhook_deliveries_pending: {
        help: `Deliveries to be made, at most ${COUNTED_AT_MOST}`,
        labels,
      },
      kontor_webhook_age_seconds: {
        help: 'For how long the oldest delivery waits',
        labels,
      },
    },
    async read() {
      const now = clock.now()
      const [row] = await readFigures(reader, now)
      const { failed = 0, waiting = 0, paused = 0, oldest_at = null } = row ?? {}
      const one = (value: number) => [{ labels: {}, value }]
      return {
        kontor_webhooks_paused: one(paused),
        kontor_webhook_deliveries_failed: one(failed),
        kontor_webhook_deliveries_pending: one(waiting),
        kontor_webhook_age_seconds: one(oldest_at === null ? 0 : (now - oldest_at) / 1000),
      }
    },
  })
}

const readFigures = (reader: Reader, now: number): Promise<Row[]> =>
  reader.query<Row>(sql`
    select ${counted(sql`
      select
      from webhooks
      where ${stateIn(WEBHOOK_MOVES, 'PAUSED')}
      limit ${COUNTED_AT_MOST}`)} as paused,
      ${counted(sql`
      select
      from webhook_deliveries
      where ${stateIn(DELIVERY_MOVES, 'FAILED')}
        and system_updated_at > ${now - FAILED_WITHIN_MILLISECONDS}
      limit ${COUNTED_AT_MOST}`)} as failed,
      ${counted(sql`
      select
      from webhook_deliveries
      where ${stateIn(DELIVERY_MOVES, 'PENDING')}
      limit ${COUNTED_AT_MOST}`)} as waiting,
      (
        select system_created_at
        from webhook_deliveries
        where ${stateIn(DELIVERY_MOVES, 'PENDING')}
        order by system_created_at
        limit 1
      ) as oldest_at`)

const counted = (rows: Query): Query => sql`(
  select count(*)::integer
  from (
    ${rows}
  ) as counted
)`
