/** What of a deposit nobody has yet, and which assignments count. */
import { addAmounts, negated } from '@kontor/client'
import type { RowOf } from '../../list/work-list.tsx'

export type Deposit = RowOf<'/treasury/deposits'>

export const openRest = (deposit: Deposit): string =>
  addAmounts(
    deposit.quantity,
    negated(deposit.transfer_quantity),
    negated(deposit.assigned_quantity),
    negated(deposit.returned_unassigned),
    negated(deposit.returning_unassigned),
  )

/** Neither rejected nor reversed. */
export const isLive = ({
  status,
  rectification_id,
}: {
  status: string
  rectification_id: string | null
}): boolean => status !== 'REJECTED' && rectification_id === null
