/** Which ids are those of routes, for whoever stands below both kinds. */
import type { WorkspaceId } from './core/ids.ts'
import type { Reader } from './store/db.ts'
import { raw, sql } from './store/sql.ts'
import { tradingDeskFeed } from './trading/index.ts'
import { treasuryDeskFeed } from './treasury/index.ts'

const KINDS: readonly string[] = ['route', 'price_route']
const TABLES = [treasuryDeskFeed, tradingDeskFeed]
  .flatMap(({ searchables }) => searchables)
  .filter(({ kind }) => KINDS.includes(kind))
  .map(({ table }) => raw(table))

/** Those of these ids that are no treasury or price-stream route of the workspace. */
export async function unknownRoutes(
  reader: Reader,
  workspace: WorkspaceId,
  ids: readonly string[],
): Promise<readonly string[]> {
  const unknown = new Set(ids)
  for (const table of ids.length === 0 ? [] : TABLES) {
    const known = await reader.query<{ id: string }>(sql`
      select id
      from ${table}
      where workspace = ${workspace}
        and id = any(${ids}::uuid[])`)
    for (const { id } of known) unknown.delete(id)
  }
  return [...unknown]
}
