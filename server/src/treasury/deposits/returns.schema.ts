import type { AccountId, TreasuryRouteId } from '../../core/ids.ts'
import {
  closed,
  id,
  optional,
  optionalBlank,
  positiveText,
  requiredText,
} from '../../http/index.ts'
import type { Static } from '../../http/index.ts'
import { optionalThirdParty } from '../withdrawals/withdrawals.schema.ts'

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
