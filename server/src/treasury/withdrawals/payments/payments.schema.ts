import type {
  AccountId,
  DepositId,
  PaymentId,
  TreasuryRouteId,
  WalletId,
  WithdrawalId,
} from '../../../core/ids.ts'
import type { Moves } from '../../../core/moves.ts'
import {
  asset,
  closed,
  currentVersion,
  decimalText,
  flag,
  id,
  nullable,
  oneOf,
  optional,
  optionalBlank,
  positiveText,
  record,
  refusedForm,
  requiredText,
  text,
  time,
  Type,
} from '../../../http/index.ts'
import type { Static } from '../../../http/index.ts'
import { TransferRequest } from '../../routes/routes.schema.ts'
import {
  optionalClientRef,
  optionalPurpose,
  optionalReference,
  optionalThirdParty,
  WITHDRAWAL_STATES,
} from '../withdrawals.schema.ts'

export const PAYMENT_STATES = ['WAITING', 'SENT', 'REFUSED', 'CANCELED'] as const
export type PaymentState = (typeof PAYMENT_STATES)[number]

/** What was refused waits for a person, who has it tried once more or cancels it. */
export const PAYMENT_MOVES: Moves<PaymentState> = {
  WAITING: ['SENT', 'REFUSED', 'CANCELED'],
  REFUSED: ['WAITING', 'CANCELED'],
  SENT: [],
  CANCELED: [],
}

const SPEEDS = ['DEFAULT', 'FAST', 'SLOW'] as const
const MAXIMUM_REFERENCE = 140
const MAXIMUM_PROTOCOL = 100

export const PaymentRecord = record('Payment', {
  id: id<PaymentId>(),
  state: oneOf(
    PAYMENT_STATES,
    'WAITING: for its time, for the allow-list, or for the end of a halt. SENT: its withdrawal ' +
      'was made. REFUSED: it waits for a person',
  ),
  reason: nullable(
    text(1_000, 'Why it was refused or canceled, or what it waits for when its time has come'),
  ),
  route_id: id<TreasuryRouteId>(),
  from_wallet_id: id<WalletId>(),
  to_wallet_id: id<WalletId>('The payee'),
  asset: asset(),
  quantity: decimalText('What arrives'),
  speed_level: oneOf(SPEEDS),
  account_id: nullable(id<AccountId>('The customer who pays; null: the house does')),
  reference: nullable(text(MAXIMUM_REFERENCE, 'What the payee reads')),
  purpose: nullable(text(MAXIMUM_REFERENCE)),
  note: nullable(text()),
  client_ref: nullable(text(200, "The caller's own name for it")),
  third_party: flag('Whether it may go to the wallet of a customer who does not pay'),
  send_at: time('It is sent then or later, never earlier'),
  withdrawal_id: nullable(id<WithdrawalId>('Once it is SENT')),
  withdrawal_state: nullable(
    oneOf(WITHDRAWAL_STATES, 'What became of its withdrawal: SENT does not say that it arrived'),
  ),
  withdrawal_reason: nullable(
    Type.String({ description: 'Why its withdrawal did not succeed, or what it waits for' }),
  ),
  came_back_as: nullable(id<DepositId>('The deposit by which its money has come back')),
  destination_address: nullable(text(500, 'Where it goes: blockchain address or IBAN')),
  recipient_name: nullable(text(500, 'The name of the payee that the venue is told')),
})
export type Payment = Static<typeof PaymentRecord>

const Payee = closed(
  {
    wallet_id: optionalBlank(id<WalletId>('A payee who is known; else label and address')),
    label: optionalBlank(requiredText(500, 'The name of a new payee')),
    address: optionalBlank(requiredText(500, 'Of a new payee: blockchain address or IBAN')),
    transfer: optional(TransferRequest),
  },
  {
    title: 'Payee',
    'x-refused': [
      refusedForm({ having: ['wallet_id', 'address'] }),
      refusedForm({ having: ['wallet_id', 'label'] }),
      refusedForm({ lacking: ['wallet_id', 'address'] }),
      refusedForm({ having: ['address'], lacking: ['label'] }),
    ],
  },
)
export type PayeeBody = Static<typeof Payee>

export const CreatePayment = closed(
  {
    route_id: optionalBlank(
      id<TreasuryRouteId>('A way that is known; else from_wallet_id, protocol and payee'),
    ),
    from_wallet_id: optionalBlank(id<WalletId>('The wallet of ours that pays')),
    protocol: optionalBlank(requiredText(MAXIMUM_PROTOCOL, 'How it is sent')),
    payee: optional(Payee),
    account_id: optionalBlank(
      id<AccountId>("The customer who pays. A new payee is stored as a wallet of this customer's"),
    ),
    quantity: positiveText('What arrives'),
    speed_level: optional(oneOf(SPEEDS, 'DEFAULT where absent')),
    reference: optionalReference(),
    purpose: optionalPurpose(),
    note: optional(text()),
    client_ref: optionalClientRef(),
    third_party: optionalThirdParty(),
    send_at: optional(time('When to send it; at once where absent. At most a year ahead')),
  },
  {
    title: 'CreatePayment',
    'x-refused': [
      refusedForm({ having: ['route_id', 'payee'] }),
      refusedForm({ having: ['route_id', 'from_wallet_id'] }),
      refusedForm({ having: ['route_id', 'protocol'] }),
      refusedForm({ lacking: ['route_id', 'payee'] }),
      refusedForm({ having: ['payee'], lacking: ['from_wallet_id'] }),
      refusedForm({ having: ['payee'], lacking: ['protocol'] }),
    ],
  },
)
export type CreatePaymentBody = Static<typeof CreatePayment>

export const PaymentPreview = closed(
  {
    payee: oneOf(
      ['KNOWN', 'NEW_ROUTE', 'NEW'],
      'NEW_ROUTE: the wallet is known, and the way to it is made. NEW: both are made',
    ),
    asset: asset(),
    address: nullable(text(500, 'Where it goes: blockchain address or IBAN')),
    payee_name: nullable(text(500, 'The name of the payee that the venue is told')),
    known_label: nullable(text(500, 'What a payee who is known is called here')),
    known_names: Type.Array(text(500), {
      description: 'The names of this payee that venues were told over other routes to its wallet',
    }),
    waits_for_allowlist: flag("The venue's allow-list has not approved the destination yet"),
    waits_for_halt: flag('It goes at once, and withdrawals from there are halted now'),
  },
  { title: 'PaymentPreview', description: 'What ordering the payment would do' },
)
export type PaymentPreview = Static<typeof PaymentPreview>

export const CancelPayment = closed(
  {
    reason: optionalBlank(requiredText(500, 'Why')),
    version: optional(currentVersion()),
  },
  { title: 'CancelPayment' },
)
export type CancelPaymentBody = Static<typeof CancelPayment>

export const RetryPayment = closed(
  { version: optional(currentVersion()) },
  { title: 'RetryPayment' },
)
