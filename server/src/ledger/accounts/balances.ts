/** What an account has, per asset, and what of it is blocked. */
import { decimal, format } from '../../core/decimal.ts'
import type { Decimal } from '../../core/decimal.ts'
import type { AccountId, WorkspaceId } from '../../core/ids.ts'
import { only } from '../../store/db.ts'
import type { Reader } from '../../store/db.ts'
import { sql } from '../../store/sql.ts'

type Balance = {
  asset: string
  total: Decimal
  held_withdrawal: Decimal
  held_trading: Decimal
  unsettled: Decimal
}

export async function balancesOf(
  reader: Reader,
  workspace: WorkspaceId,
  account_id: AccountId,
): Promise<Balance[]> {
  const rows = await reader.query<
    Record<'asset' | 'total' | 'held_withdrawal' | 'held_trading' | 'unsettled', string>
  >(sql`
    select asset, total, held_withdrawal, held_trading, unsettled
    from balances
    where workspace = ${workspace}
      and account_id = ${account_id}
    order by asset`)
  return rows.map((row) => ({
    asset: row.asset,
    total: decimal(row.total),
    held_withdrawal: decimal(row.held_withdrawal),
    held_trading: decimal(row.held_trading),
    unsettled: decimal(row.unsettled),
  }))
}

/** What the balance endpoint answers (docs/domain.md, part 2). */
export function balanceShape(
  balances: readonly Balance[],
): Record<string, { withdrawing: string; trading: string; total: string }> {
  return Object.fromEntries(
    balances.map((balance) => {
      const trading = balance.total - balance.held_withdrawal - balance.held_trading
      return [
        balance.asset,
        {
          withdrawing: format(trading - balance.unsettled),
          trading: format(trading),
          total: format(balance.total),
        },
      ]
    }),
  )
}

/** What can be withdrawn now; null where the account may go below zero. */
export async function withdrawableOf(
  reader: Reader,
  {
    workspace,
    account_id,
    asset,
  }: { workspace: WorkspaceId; account_id: AccountId; asset: string },
): Promise<Decimal | null> {
  const rows = await reader.query<{ overdraft: boolean; left: string }>(sql`
    select a.overdraft,
      coalesce(b.total - b.held_withdrawal - b.held_trading - b.unsettled, 0) as left
    from accounts a
    left join balances b on b.workspace = a.workspace
      and b.account_id = a.id
      and b.asset = ${asset}
    where a.workspace = ${workspace}
      and a.id = ${account_id}`)
  const row = only(rows)
  return row === undefined || row.overdraft ? null : decimal(row.left)
}

/** Whether the account holds or owes anything, or has something blocked. */
export async function isAccountInUse(
  reader: Reader,
  workspace: WorkspaceId,
  account_id: AccountId,
): Promise<boolean> {
  const rows = await reader.query(sql`
      select 1
      from balances
      where workspace = ${workspace}
        and account_id = ${account_id}
        and (total <> 0 or held_withdrawal <> 0 or held_trading <> 0 or unsettled <> 0)
      limit 1`)
  return rows.length > 0
}
