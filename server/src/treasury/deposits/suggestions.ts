/**
 * Whose a deposit may be: the accounts that its clues point to, each with a score. Read only, for a
 * person who decides; what a matching may decide by itself it has decided already.
 */
import { format } from '../../core/decimal.ts'
import type { DepositId, WorkspaceId } from '../../core/ids.ts'
import { customersOfAccounts } from '../../customers/index.ts'
import { accountLabels } from '../../ledger/index.ts'
import type { Reader } from '../../store/db.ts'
import { assignmentsOf } from '../assignments/rows.ts'
import { liveSum } from '../assignments/assignments.schema.ts'
import { cluesOf } from './clues.ts'
import { depositRow, unassignedReturns } from '../deposit-rows/rows.ts'
import { SUGGESTION_WEIGHTS } from './suggestions.schema.ts'
import type { DepositSuggestion } from './suggestions.schema.ts'

const MAXIMUM_SUGGESTIONS = 10

/**
 * Best first; none when nothing of it is left to assign, it has not arrived, or nothing points to
 * anybody. Throws 4004.
 */
export async function suggestionsFor(
  reader: Reader,
  workspace: WorkspaceId,
  deposit_id: DepositId,
): Promise<DepositSuggestion[]> {
  const row = await depositRow(reader, workspace, deposit_id)
  const assigned = liveSum(await assignmentsOf(reader, workspace, { deposit_id }))
  const left = row.assignable - unassignedReturns(row) - assigned
  if (left <= 0n || row.state === 'FAILED' || row.state === 'REVERSED') return []
  const clues = await cluesOf(reader, row)
  const byAccount = Map.groupBy(clues, (clue) => clue.account_id)
  const customers = await customersOfAccounts(reader, workspace, [...byAccount.keys()])
  const labels = await accountLabels(reader, workspace, [...byAccount.keys()])
  const suggestions = [...byAccount].flatMap(([account_id, of]): DepositSuggestion[] => {
    const customer = customers.get(account_id)
    if (customer === undefined || customer.state !== 'ACTIVE') return []
    const named = of.some((clue) => clue.code === 'NAME')
    const reasons = [
      ...new Map(
        of
          .filter((clue) => !(named && clue.code === 'PART_OF_NAME'))
          .map((clue) => [clue.code, { code: clue.code, explanation: clue.explanation }]),
      ).values(),
    ].toSorted((a, b) => SUGGESTION_WEIGHTS[b.code] - SUGGESTION_WEIGHTS[a.code])
    return [
      {
        account_id,
        account_label: labels.get(account_id) ?? '',
        customer_id: customer.id,
        withdrawal_id: of.find((clue) => clue.withdrawal_id !== undefined)?.withdrawal_id ?? null,
        score: scoreOf(reasons.map((reason) => SUGGESTION_WEIGHTS[reason.code])),
        quantity: format(left),
        reasons,
      },
    ]
  })
  return suggestions
    .toSorted((a, b) => b.score - a.score || (a.account_label < b.account_label ? -1 : 1))
    .slice(0, MAXIMUM_SUGGESTIONS)
}

/** What speaks against all reasons being wrong, in whole percent, never sure. */
export function scoreOf(weights: readonly number[]): number {
  const doubt = weights.reduce((left, weight) => (left * BigInt(100 - weight)) / 100n, 10_000n)
  return Math.max(1, Math.min(99, 100 - Number(doubt / 100n)))
}
