import type { AccountId, TreasuryRouteId } from '../../core/ids.ts'
import {
  closed,
  flag,
  id,
  optional,
  optionalBlank,
  positiveText,
  requiredText,
} from '../../http/index.ts'
import type { Static } from '../../http/index.ts'
import { optionalThirdParty, WithdrawalRecord } from '../withdrawals/withdrawals.schema.ts'

export const ReturnDeposit = closed(
  {
    quantity: optional(
      positiveText('The quantity that arrives; all that can be returned when it is absent'),
    ),
    account_id: optionalBlank(
      id<AccountId>('Whose part it returns; absent: what is not assigned to anybody'),
    ),
    route_id: optionalBlank(
      id<TreasuryRouteId>(
        'Over which it goes back; needed where the venue named no payer that it can pay, and for ' +
          'money of a withdrawal that came back',
      ),
    ),
    reason: requiredText(500, 'Why it is returned'),
    third_party: optionalThirdParty(),
  },
  { title: 'ReturnDeposit' },
)
export type ReturnDepositBody = Static<typeof ReturnDeposit>

const { asset, destination_address, execution_date, fee_asset, fee_estimate } =
  WithdrawalRecord.properties
const { quantity, recipient_name } = WithdrawalRecord.properties

/** As the withdrawal would have them. */
export const ReturnPreview = closed(
  {
    dry_run: flag('Always true: nothing was changed'),
    quantity,
    asset,
    fee_estimate,
    fee_asset,
    destination_address,
    recipient_name,
    execution_date,
  },
  { title: 'ReturnPreview' },
)
export type ReturnPreview = Static<typeof ReturnPreview>
