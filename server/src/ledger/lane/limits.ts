/** What a column of a balance carries at most. */
import { absolute, INTEGER_DIGITS, ONE } from '../../core/decimal.ts'
import type { Decimal } from '../../core/decimal.ts'
import { refuse } from '../../core/errors.ts'
import type { BalanceState } from '../changes.ts'

const LIMIT: Decimal = 10n ** BigInt(INTEGER_DIGITS) * ONE

/**
 * No column carries more than 20 integer digits, so neither does a fact; found here it fails alone,
 * found by the database a whole batch.
 */
export function checkLimits({ account_id, asset }: BalanceState, ...values: Decimal[]): void {
  if (values.some((value) => absolute(value) >= LIMIT))
    throw refuse(
      'ABOVE_MAXIMUM',
      '',
      `account ${account_id} would have more than ${INTEGER_DIGITS} integer digits of ${asset}`,
    )
}
