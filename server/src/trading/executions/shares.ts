/** A customer's share of a new execution: its part of the record, its row and its hold. */
import { decimal, format } from '../../core/decimal.ts'
import { newId } from '../../core/ids.ts'
import type { LedgerStep } from '../../ledger/index.ts'
import { insertRow } from '../../store/rows.ts'
import type { Stamp } from '../../store/rows.ts'
import type { Query } from '../../store/sql.ts'
import type { CreateExecutionBody, Execution } from './executions.schema.ts'
import type { PlannedShare } from './plans.ts'
import { SHARES } from './rows.ts'
import type { Share } from './rows.ts'

type NewShare = { planned: PlannedShare; share: Share; customer_no: number; hold_id: string }

export function newShare(
  body: CreateExecutionBody,
  planned: PlannedShare,
  index: number,
): NewShare {
  const requested = body.customers[index]?.quantity_absolute
  const share: Share = {
    customer_id: planned.customer.id,
    quantity_absolute: requested === undefined ? null : format(decimal(requested)),
    filled_amount: '0',
    filled_volume: '0',
    margin: format(planned.margin),
    risk: format(planned.risk),
  }
  return { planned, share, customer_no: index + 1, hold_id: newId() }
}

export function insertShare({ workspace, id }: Execution, share: NewShare, stamp: Stamp): Query {
  const { planned, customer_no, hold_id } = share
  return insertRow(
    SHARES,
    {
      workspace,
      execution_id: id,
      customer_no,
      ...share.share,
      account_id: planned.customer.account_id,
      booking_schema: planned.customer.booking_schema,
      hold_id,
      amount: format(planned.amount),
      volume: planned.volume === null ? null : format(planned.volume),
    },
    stamp,
  )
}

export function holdForShare(
  { id }: Execution,
  { planned, hold_id }: NewShare,
  asset: string,
): LedgerStep {
  return {
    step: 'hold',
    hold: {
      id: hold_id,
      kind: 'TRADING',
      account_id: planned.customer.account_id,
      asset,
      quantity: planned.hold,
      cause_type: 'execution',
      cause_id: id,
    },
  }
}
