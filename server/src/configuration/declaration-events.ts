import type { Clock } from '../core/clock.ts'
import { derivedId } from '../core/ids.ts'
import type { WorkspaceId } from '../core/ids.ts'
import type { Caller } from '../http/index.ts'
import { publishEvents } from '../ledger/index.ts'
import type { Tx } from '../store/db.ts'
import type { Declaration } from './declarations.ts'

/** What the record of a declaration is called in events. */
export const declarationId = (workspace: WorkspaceId, key: string): string =>
  derivedId(`${workspace} declaration ${key}`, 1)

/** They say which, and not what: receivers outside learn no address. */
export async function publishDeclarations(
  { workspace, by }: Caller,
  { tx, clock }: { tx: Tx; clock: Clock },
  rows: readonly Declaration[],
): Promise<void> {
  if (rows.length === 0) return
  await publishEvents(
    { workspace, by },
    { tx, clock },
    rows.map(({ key, kind, value, of_version: version, changed_by, changed_at, hand }) => ({
      type: 'declaration.changed',
      resource_id: declarationId(workspace, key),
      data: { key, kind, version, declared: value !== null, changed_by, changed_at, hand },
    })),
  )
}
