/** Whether the database's log arrives in its archive, where it has one. */
import { figures } from '../core/figures.ts'
import type { Figures } from '../core/figures.ts'
import type { Reader } from './db.ts'
import { sql } from './sql.ts'

export const archiveFigures = (reader: Reader): Figures =>
  figures({
    name: 'archive',
    gauges: {
      kontor_log_archive_failing_seconds: {
        help: 'For how long no piece of the log could be archived',
        labels: [],
      },
    },
    async read() {
      const rows = await reader.query<{ value: number }>(sql`
        select
          case when last_failed_time > coalesce(last_archived_time, '-infinity') then greatest(
            1, extract(epoch from now() - coalesce(last_archived_time, stats_reset))::integer
          ) else 0 end as value
        from pg_stat_archiver
        where current_setting('archive_mode') <> 'off'`)
      return {
        kontor_log_archive_failing_seconds: rows.map(({ value }) => ({ labels: {}, value })),
      }
    },
  })
