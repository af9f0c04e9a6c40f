import type { Clock } from '../../core/clock.ts'
import { decimal } from '../../core/decimal.ts'
import type { Decimal } from '../../core/decimal.ts'
import type { AccountId, WorkspaceId } from '../../core/ids.ts'
import type { ListQuery } from '../../http/index.ts'
import type { Db, Reader } from '../../store/db.ts'
import { sql } from '../../store/sql.ts'
import { stateIn } from '../../store/states.ts'
import type { Lane } from '../lane/lane.ts'
import { HOLD_MOVES } from '../ledger.schema.ts'
import type { AccountHold, HoldKind } from '../ledger.schema.ts'

export type Hold = {
  id: string
  kind: HoldKind
  account_id: string
  asset: string
  quantity: Decimal
  remaining: Decimal
  cause_type: string
  cause_id: string
  state: keyof typeof HOLD_MOVES
}

/** The holds of one cause (a withdrawal, an execution), open or ended. */
export async function holdsOf(
  reader: Reader,
  workspace: WorkspaceId,
  cause_id: string,
): Promise<Hold[]> {
  const rows = await reader.query<
    Omit<Hold, 'quantity' | 'remaining'> & { quantity: string; remaining: string }
  >(sql`
    select id, kind, account_id, asset, quantity, quantity - captured - released as remaining,
      cause_type, cause_id, state
    from holds
    where workspace = ${workspace}
      and cause_id = ${cause_id}
    order by id`)
  return rows.map((row) => ({
    ...row,
    quantity: decimal(row.quantity),
    remaining: decimal(row.remaining),
  }))
}

/** What is held on an account now. */
export const listAccountHolds = (
  workspace: WorkspaceId,
  account_id: AccountId,
): ListQuery<AccountHold> => ({
  select: sql`
    select id, kind, asset, quantity - captured - released as quantity, cause_type, cause_id,
      expires_at, created_at
    from holds`,
  conditions: [
    sql`workspace = ${workspace}`,
    sql`account_id = ${account_id}`,
    stateIn(HOLD_MOVES, 'OPEN'),
  ],
  key: { column: 'id', type: 'uuid' },
})

/** The open holds of several causes. */
export const openHoldsOf = (
  reader: Reader,
  workspace: WorkspaceId,
  cause_ids: readonly string[],
): Promise<Pick<Hold, 'id'>[]> =>
  reader.query<Pick<Hold, 'id'>>(sql`
    select id
    from holds
    where workspace = ${workspace}
      and cause_id = any(${cause_ids}::uuid[])
      and ${stateIn(HOLD_MOVES, 'OPEN')}
    order by id`)

const EXPIRED_AT_ONCE = 500

/**
 * Releases every hold whose time is over, in all workspaces; answers how many. Safe to run in
 * several processes.
 */
export async function releaseExpiredHolds(app: {
  db: Db
  clock: Clock
  lane: Lane
}): Promise<number> {
  const expired = await app.db.query<{ workspace: WorkspaceId; id: string }>(sql`
    select workspace, id
    from holds
    where ${stateIn(HOLD_MOVES, 'OPEN')}
      and expires_at is not null
      and expires_at <= ${app.clock.now()}
    order by expires_at
    limit ${EXPIRED_AT_ONCE}`)
  await Promise.all(
    expired.map(({ workspace, id }) =>
      app.lane.commit({
        workspace,
        class: 'fact',
        by: 'ledger',
        ledger: [{ step: 'release', hold_id: id }],
      }),
    ),
  )
  return expired.length
}
