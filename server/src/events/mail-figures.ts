/** What mails wait, and which were given up. */
import type { Clock } from '../core/clock.ts'
import { figures } from '../core/figures.ts'
import type { Figures } from '../core/figures.ts'
import type { Reader } from '../store/db.ts'
import { sql } from '../store/sql.ts'
import { stateIn } from '../store/states.ts'
import { MAIL_MOVES } from './mails.schema.ts'

const COUNTED_AT_MOST = 1_000
const FAILED_WITHIN_MILLISECONDS = 86_400_000

type MailRow = { failed: number; pending: number; oldest_at: number | null }

export function mailFigures(reader: Reader, clock: Clock): Figures {
  const labels: string[] = []
  return figures({
    name: 'mails',
    gauges: {
      kontor_mails_failed: { help: 'Mails given up within the last day', labels },
      kontor_mails_pending: { help: `Mails to be sent, at most ${COUNTED_AT_MOST}`, labels },
      kontor_mail_age_seconds: { help: 'For how long the oldest mail that is due waits', labels },
    },
    async read() {
      const now = clock.now()
      const [row] = await readMails(reader, now)
      const { failed = 0, pending = 0, oldest_at = null } = row ?? {}
      const one = (value: number) => [{ labels: {}, value }]
      return {
        kontor_mails_failed: one(failed),
        kontor_mails_pending: one(pending),
        kontor_mail_age_seconds: one(oldest_at === null ? 0 : Math.max(0, now - oldest_at) / 1000),
      }
    },
  })
}

const readMails = (reader: Reader, now: number): Promise<MailRow[]> =>
  reader.query<MailRow>(sql`
    select failed.count as failed, pending.count as pending, pending.oldest_at
    from (
      select count(*)::integer as count
      from (
        select 1
        from mails
        where ${stateIn(MAIL_MOVES, 'FAILED')}
          and system_updated_at > ${now - FAILED_WITHIN_MILLISECONDS}
        limit ${COUNTED_AT_MOST}
      ) as counted
    ) as failed
    cross join (
      select count(*)::integer as count, min(due_at) as oldest_at
      from (
        select coalesce(waits_until, system_created_at) as due_at
        from mails
        where ${stateIn(MAIL_MOVES, 'PENDING')}
        order by system_created_at
        limit ${COUNTED_AT_MOST}
      ) as counted
    ) as pending`)
