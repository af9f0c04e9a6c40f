import type { AccountId, WorkspaceId } from '../core/ids.ts'
import type { Reader } from '../store/db.ts'
import type { DeskFeed, TimelineResource } from '../store/desk-feed.ts'
import { sql } from '../store/sql.ts'
import { stateIn } from '../store/states.ts'
import { BOOK_TRANSFER_MOVES } from './book-transfers.schema.ts'

/** The end of an id, by which customers of one name are told from each other. */
const SHORT_ID = /^…?([0-9a-f]{6})$/i

export const customersDeskFeed: DeskFeed = {
  searchables: [
    {
      kind: 'customer',
      permission: 'customers.read',
      table: 'customers',
      show: (workspace, ids) => sql`
        select
          id,
          label as title,
          concat_ws(
            ' · ',
            nullif(concat_ws(' ', first_name, last_name), ''),
            company_name,
            joint_name,
            foreign_id
          ) as subtitle,
          state,
          system_created_at as at,
          'account' as parent_kind,
          account_id as parent_id
        from customers
        where workspace = ${workspace}
          and id = any(${ids}::uuid[])`,
      lookups: [
        {
          field: 'id',
          find(workspace, text, limit) {
            const [, end] = SHORT_ID.exec(text) ?? []
            return end === undefined
              ? undefined
              : sql`
                select id, right(id::text, 6) as matched
                from customers
                where workspace = ${workspace}
                  and right(id::text, 6) = ${end.toLowerCase()}
                limit ${limit}`
          },
        },
      ],
    },
    {
      kind: 'book_transfer',
      permission: 'bookings.read',
      table: 'book_transfers',
      show: (workspace, ids) => sql`
        select id, 'Book transfer ' || trim_scale(quantity)::text || ' ' || asset as title,
          reason as subtitle, state, system_created_at as at, null::text as parent_kind,
          null::uuid as parent_id
        from book_transfers
        where workspace = ${workspace}
          and id = any(${ids}::uuid[])`,
    },
  ],
  needs: [
    {
      kind: 'book_transfers_waiting',
      permission: 'bookings.read',
      title: 'Transfers between customers that wait',
      list: '/book-transfers',
      filter: { state: 'PENDING' },
      select: (workspace) => sql`
        select count(*)::integer as count, min(system_created_at) as oldest_at
        from book_transfers
        where workspace = ${workspace}
          and ${stateIn(BOOK_TRANSFER_MOVES, 'PENDING')}
          and waits_for is not null`,
    },
  ],
  timelines: [
    {
      kind: 'book_transfer',
      permission: 'bookings.read',
      parts: async (reader, workspace, id) => {
        const found = await reader.query(sql`
          select 1
          from book_transfers
          where workspace = ${workspace}
            and id = ${id}`)
        return found.length === 0 ? undefined : { resources: [{ kind: 'book_transfer', id }] }
      },
    },
  ],
}

/** The transfers that an account gave or got lately, also those that wait or were canceled. */
export async function latestBookTransfers(
  reader: Reader,
  workspace: WorkspaceId,
  account_id: AccountId,
  limit: number,
): Promise<TimelineResource[]> {
  const rows = await reader.query<{ id: string }>(sql`
    (
      select id
      from book_transfers
      where workspace = ${workspace}
        and from_account_id = ${account_id}
      order by id desc
      limit ${limit}
    )
    union all
    (
      select id
      from book_transfers
      where workspace = ${workspace}
        and to_account_id = ${account_id}
      order by id desc
      limit ${limit}
    )`)
  return rows.map(({ id }) => ({ kind: 'book_transfer', id }))
}
