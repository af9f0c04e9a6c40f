/** Notes on what an erasure leaves as it is: bookings, quotes and fills. */
import type { AccountId, CustomerId, WorkspaceId } from '../../core/ids.ts'
import type { Reader, Tx } from '../../store/db.ts'
import { sql } from '../../store/sql.ts'
import { eraseNotes } from './beside.ts'

type Id = { id: string }
type Of = { workspace: WorkspaceId; id: CustomerId; account_id: AccountId }

const idsOf = (rows: readonly Id[]): string[] => rows.map(({ id }) => id)

/**
 * Notes on bookings of the account, and on quotes: also of those that are gone by now. Answers the
 * slice of records that was looked at.
 */
export async function eraseNotesOn(
  tx: Tx,
  { workspace, id, account_id }: Of,
  { after, limit }: { after: string; limit: number },
): Promise<Id[]> {
  const rows = await tx.query<Id & { kind: string }>(sql`
    select distinct kind, record_id as id
    from (
      select kind, record_id
      from comments
      where workspace = ${workspace}
        and kind in ('booking', 'quote')
      union all
      select kind, record_id
      from attachments
      where workspace = ${workspace}
        and kind in ('booking', 'quote')
      union all
      select kind, record_id
      from record_tags
      where workspace = ${workspace}
        and kind in ('booking', 'quote')
    ) as noted
    where record_id > ${after}
    order by id
    limit ${limit}`)
  const of = (kind: string) => idsOf(rows.filter((row) => row.kind === kind))
  const booked = await tx.query<Id>(sql`
    select distinct b.id
    from bookings b
    join legs l on l.workspace = b.workspace
      and l.booking_sequence = b.sequence
    where b.workspace = ${workspace}
      and b.id = any(${of('booking')}::uuid[])
      and l.account_id = ${account_id}`)
  const quoted = await tx.query<Id>(sql`
    select n.id
    from unnest(${of('quote')}::uuid[]) as n (id)
    left join all_quotes q on q.workspace = ${workspace}
      and q.id = n.id
    where q.id is null
      or q.customer_id = ${id}`)
  await eraseNotes(tx, workspace, idsOf([...booked, ...quoted]))
  return rows
}

export async function fillsOf(
  reader: Reader,
  workspace: WorkspaceId,
  executions: readonly string[],
): Promise<string[]> {
  return idsOf(
    await reader.query<Id>(sql`
      select id
      from fills
      where workspace = ${workspace}
        and execution_id = any(${executions}::uuid[])`),
  )
}
