/**
 * Whether a venue is paid before or after its trades cannot change while something traded there is
 * open: what was traded under one is booked, taken back and settled under it. A trade that the
 * venue reports after the change counts as traded after it.
 */
import { format } from '../core/decimal.ts'
import { refuse } from '../core/errors.ts'
import type { WorkspaceId } from '../core/ids.ts'
import { balancesOf, venueAccounts } from '../ledger/index.ts'
import type { Tx } from '../store/db.ts'
import { unfinishedAt } from '../trading/index.ts'
import { findChangedSettlements } from '../venues/index.ts'
import type { DeclaredVenue } from '../venues/index.ts'

/**
 * Under the lane's lock, so that no trade comes in between. Refused: IN_USE, which says how much
 * is open.
 */
export async function assertPaymentMayChange(
  tx: Tx,
  workspace: WorkspaceId,
  declared: readonly DeclaredVenue[],
): Promise<void> {
  for (const { path, venue_id, key, from, to } of await findChangedSettlements(
    tx,
    workspace,
    declared,
  )) {
    const { orders, trades } = await unfinishedAt(tx, workspace, venue_id)
    const open = [
      ...(orders > 0 ? [`${orders} open ${orders === 1 ? 'order' : 'orders'}`] : []),
      ...(trades > 0 ? [`${trades} ${trades === 1 ? 'trade' : 'trades'} not settled`] : []),
    ]
    const left = (
      await balancesOf(tx, workspace, (await venueAccounts(tx, workspace, venue_id)).TRADING)
    ).filter((balance) => balance.total !== 0n)
    const reasons =
      open.length > 0
        ? open
        : left.map((balance) => `${format(balance.total)} ${balance.asset} on its trading account`)
    if (reasons.length > 0)
      throw refuse(
        'IN_USE',
        path,
        `${path}: the venue ${key} has ${reasons.join(' and ')}: it stays ${from}, ` +
          `and becomes ${to} once nothing of that is left`,
      )
  }
}
