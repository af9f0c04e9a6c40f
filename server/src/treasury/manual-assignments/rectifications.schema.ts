import type { AccountId, DepositId, RectificationId, WithdrawalId } from '../../core/ids.ts'
import {
  asset,
  closed,
  decimalText,
  flag,
  id,
  nullable,
  optionalBlank,
  record,
  refusedForm,
  requiredText,
  text,
  Type,
  oneOf,
} from '../../http/index.ts'
import type { Static } from '../../http/index.ts'
import {
  CreateAssignments,
  CreateWithdrawalAssignments,
  DepositAssignmentRecord,
  MAXIMUM_ITEMS,
  WithdrawalAssignmentRecord,
} from '../assignments/assignments.schema.ts'

const RECTIFICATION_REASONS = [
  'WRONG_ACCOUNT',
  'WRONG_QUANTITY',
  'DUPLICATE',
  'MATCHING_ERROR',
  'CUSTOMER_REQUEST',
  'COMPLIANCE',
  'FRAUD',
  'RETURNED',
  'TECHNICAL_ERROR',
  'OTHER',
] as const

const fields = {
  state: oneOf(['BOOKED']),
  reason: oneOf(RECTIFICATION_REASONS),
  note: nullable(text()),
  origins: Type.Array(id(), {
    description: 'The reversed assignments; they keep their status and name this rectification',
  }),
}

export const DepositRectificationRecord = record('DepositAssignmentRectification', {
  id: id<RectificationId>(),
  deposit_id: id<DepositId>(),
  ...fields,
  targets: Type.Array(DepositAssignmentRecord, { description: 'The new assignments' }),
})
export type DepositRectification = Static<typeof DepositRectificationRecord>

export const WithdrawalRectificationRecord = record('WithdrawalAssignmentRectification', {
  id: id<RectificationId>(),
  withdrawal_id: id<WithdrawalId>(),
  ...fields,
  targets: Type.Array(WithdrawalAssignmentRecord, { description: 'The new assignments' }),
})
export type WithdrawalRectification = Static<typeof WithdrawalRectificationRecord>

/** As it is stored: of either kind, so that one of deposit_id and withdrawal_id is null. */
export const StoredRectification = record('StoredRectification', {
  id: id<RectificationId>(),
  state: fields.state,
  deposit_id: nullable(id<DepositId>()),
  withdrawal_id: nullable(id<WithdrawalId>()),
  reason: fields.reason,
  note: fields.note,
  origin_ids: Type.Array(id()),
  target_ids: Type.Array(id()),
})

export const RectificationPreview = closed(
  {
    dry_run: flag('Always true: nothing was changed'),
    bookings: Type.Array(
      closed({
        type: oneOf(['REVERSAL', 'RECTIFICATION']),
        asset: asset(),
        legs: Type.Array(
          closed({
            account_id: id<AccountId>(),
            account_label: text(),
            type: oneOf(['DEBIT', 'CREDIT']),
            quantity: decimalText(),
          }),
        ),
        reverses_id: nullable(id('The reversed booking')),
        description: text(),
      }),
    ),
  },
  { title: 'RectificationPreview' },
)
export type Preview = Static<typeof RectificationPreview>

const request = {
  reason: oneOf(RECTIFICATION_REASONS),
  note: optionalBlank(requiredText(500, 'Mandatory with reason OTHER')),
  origins: Type.Array(id('A successful assignment of this movement'), {
    minItems: 1,
    maxItems: MAXIMUM_ITEMS,
  }),
}

const REFUSED = [refusedForm({ where: { reason: ['OTHER'] }, lacking: ['note'] })]

export const CreateRectification = closed(
  { ...request, targets: CreateAssignments },
  { title: 'CreateRectification', 'x-refused': REFUSED },
)

export const CreateWithdrawalRectification = closed(
  { ...request, targets: CreateWithdrawalAssignments },
  { title: 'CreateWithdrawalRectification', 'x-refused': REFUSED },
)
/** Of a deposit or a withdrawal. */
export type CreateRectificationBody = Static<typeof CreateWithdrawalRectification>
