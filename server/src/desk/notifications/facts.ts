/** What a mail says of the records: an amount, and who wrote. No name of a customer leaves here. */
import { userNames } from '../../access/index.ts'
import type { WorkspaceId } from '../../core/ids.ts'
import type { Reader } from '../../store/db.ts'
import { raw, sql } from '../../store/sql.ts'
import type { NotedPlaces } from '../notes/records.ts'
import type { Notification } from './notifications.schema.ts'

export type Facts = {
  amounts: ReadonlyMap<string, { quantity: string; asset: string }>
  authors: ReadonlyMap<string, string>
}

export async function factsOf(
  reader: Reader,
  { workspace, places }: { workspace: WorkspaceId; places: NotedPlaces },
  rows: readonly Notification[],
): Promise<Facts> {
  const amounts = new Map<string, { quantity: string; asset: string }>()
  for (const [kind, of] of Map.groupBy(rows, ({ record_kind }) => record_kind)) {
    const table = places.get(kind)?.table
    if (table === undefined) continue
    const ids = of.map(({ record_id }) => record_id)
    type Found = { id: string; quantity: string | null; asset: string | null }
    for (const { id, quantity, asset } of await reader.query<Found>(
      amountsIn(table, workspace, ids),
    ))
      if (quantity !== null && asset !== null) amounts.set(id, { quantity, asset })
  }
  const authors = rows.flatMap(({ author_id }) => author_id ?? [])
  return { amounts, authors: await userNames(reader, workspace, authors) }
}

/** Not every table has such columns. */
const amountsIn = (table: string, workspace: WorkspaceId, ids: readonly string[]) => sql`
  select id, trim_scale((row ->> 'quantity')::numeric)::text as quantity, row ->> 'asset' as asset
  from (
    select id, to_jsonb(t) as row
    from ${raw(table)} t
    where workspace = ${workspace}
      and id = any(${ids}::uuid[])
  ) as records`
