/** For tests: what accounts hold, and whether the books of a workspace hold together. */
import assert from 'node:assert/strict'
import { absolute, decimal, format, sum } from '../../core/decimal.ts'
import type { AccountId, WorkspaceId } from '../../core/ids.ts'
import { balancesOf, verifyBooks } from '../../ledger/index.ts'
import { sql } from '../../store/sql.ts'
import type { TradingApp } from '../app.ts'
import type { ScriptedExchange } from './scripted-exchange.fixture.ts'

export async function readTotals(
  { db }: TradingApp,
  workspace: WorkspaceId,
  account_id: AccountId,
): Promise<Record<string, string>> {
  return Object.fromEntries(
    (await balancesOf(db, workspace, account_id))
      .filter((balance) => balance.total !== 0n)
      .map((balance) => [balance.asset, format(balance.total)]),
  )
}

/** Books verify, TRADING is 0 at a prefunded venue and the house equation holds in every asset. */
export async function assertBooksOf(
  { db }: TradingApp,
  workspace: WorkspaceId,
  settlement: ScriptedExchange['settlement'],
): Promise<void> {
  assert.deepEqual((await verifyBooks(db, workspace)).faults, [])
  const rows = await db.query<{ type: string; asset: string; total: string }>(sql`
    select a.type, b.asset, sum(b.total) as total
    from balances b
    join accounts a on a.workspace = b.workspace
      and a.id = b.account_id
    where b.workspace = ${workspace}
    group by 1, 2`)
  for (const asset of ['BTC', 'EUR', 'ETH']) {
    const of = (type: string) =>
      decimal(rows.find((row) => row.type === type && row.asset === asset)?.total ?? '0')
    if (settlement === 'PREFUNDED') assert.equal(format(of('TRADING')), '0', `TRADING ${asset}`)
    const owed = ['CUSTOMER', 'HOUSE', 'MARGIN', 'RISK', 'ROUNDING', 'TRADING']
    assert.equal(
      format(of('VENUE') + of('FEE')),
      format(sum(owed.map(of))),
      `house equation in ${asset}`,
    )
    assert.ok(absolute(of('ROUNDING')) < decimal('10'), `ROUNDING ${asset} holds cents`)
  }
}
