/** What of a deposit nobody has yet. */
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
