/** Which number of the bank's chart an account has in an asset. */
import { settingsOf } from '../../access/index.ts'
import type { WorkspaceId } from '../../core/ids.ts'
import type { Reader } from '../../store/db.ts'
import { sql } from '../../store/sql.ts'
import type { UnnumberedAccounts } from './general-ledger.schema.ts'

type Numbered = { account_type: string; account_id: string; asset: string }
/** By `what` and by `what asset`, where `what` is a type or an id. */
export type Numbers = ReadonlyMap<string, string>

export async function numbersOf(reader: Reader, workspace: WorkspaceId): Promise<Numbers> {
  const { general_ledger } = await settingsOf(reader, workspace)
  return new Map(
    general_ledger.accounts.map(({ type, account_id, asset, number }) => [
      [type ?? account_id, asset].filter((part) => part !== undefined).join(' '),
      number,
    ]),
  )
}

/** One account counts before its type, and one asset before all. */
export const numberOf = (
  numbers: Numbers,
  { account_type, account_id, asset }: Numbered,
): string | undefined =>
  numbers.get(`${account_id} ${asset}`) ??
  numbers.get(account_id) ??
  numbers.get(`${account_type} ${asset}`) ??
  numbers.get(account_type)

/** All that ever moved and has no number. Read from the balances, not from what was booked. */
export async function unnumbered(
  reader: Reader,
  workspace: WorkspaceId,
): Promise<UnnumberedAccounts[]> {
  const keys = [...(await numbersOf(reader, workspace)).keys()]
  const rows = await reader.query<Omit<UnnumberedAccounts, 'reason'>>(sql`
    select a.type as account_type, b.asset, count(*)::int as accounts,
      (array_agg(a.id order by a.id))[1] as account_id,
      (array_agg(a.label order by a.id))[1] as account_label
    from balances b
    join accounts a on a.workspace = b.workspace
      and a.id = b.account_id
    where b.workspace = ${workspace}
      and not (a.type = any(${keys}))
      and not (a.id::text = any(${keys}))
      and not (a.type || ' ' || b.asset = any(${keys}))
      and not (a.id::text || ' ' || b.asset = any(${keys}))
    group by a.type, b.asset
    order by a.type, b.asset`)
  return rows.map((row) => ({ ...row, reason: 'NO_NUMBER' }))
}
