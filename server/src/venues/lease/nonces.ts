/** Nonces that the holder of the lease may use: no other holder of a credential has used them. */
import { sql } from '../../store/sql.ts'
import type { Query } from '../../store/sql.ts'

/** At a time. They are microseconds, so a second of them. */
export const RESERVED_NONCES = 1_000_000

/**
 * Above what any holder has reserved, and above what was used before there was a lease. undefined
 * when `holder` does not have the lease now.
 */
export async function reserveNonces(
  run: <Row>(query: Query) => Promise<Row[]>,
  holder: string,
  credential: string,
): Promise<{ from: number; to: number } | undefined> {
  const [row] = await run<{ reserved_to: number }>(sql`
    insert into credential_nonces as known (credential, reserved_to, fence)
    select ${credential},
      (extract(epoch from clock_timestamp()) * 1000000)::bigint + ${RESERVED_NONCES}::bigint,
      fence
    from venue_lease
    where holder = ${holder}
      and expires_at > clock_timestamp()
    on conflict (credential) do update
    set reserved_to = greatest(
        excluded.reserved_to, known.reserved_to + ${RESERVED_NONCES}::bigint
      ),
      fence = excluded.fence
    returning reserved_to`)
  return row && { from: row.reserved_to - RESERVED_NONCES, to: row.reserved_to }
}
