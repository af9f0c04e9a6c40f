/** What can be done with a withdrawal that is in flight. */
import { filledText, filledTexts } from '../../action/filled.ts'
import type { ActionPlan } from '../../action/plan.ts'
import { lowered, t } from '../../language/index.ts'
import { Amount, Name } from '../../parts/values.tsx'
import { inWords } from '../../parts/status.tsx'
import type { Withdrawal } from './assign.tsx'

const ENDED = t('The withdrawal has ended')
const OPEN_STATES: readonly Withdrawal['state'][] = [
  'PENDING_APPROVAL',
  'UNKNOWN',
  'PENDING',
  'PENDING_REVIEW',
]
const isOpen = ({ state }: Withdrawal): boolean => OPEN_STATES.includes(state)

function whyNotCancel(withdrawal: Withdrawal): string | undefined {
  if (!isOpen(withdrawal)) return ENDED
  if (withdrawal.state === 'PENDING_APPROVAL') return undefined
  return withdrawal.state === 'PENDING' && withdrawal.submitted_at === null
    ? undefined
    : t('The withdrawal is already being sent. Only the venue can stop it.')
}

function whyNotResolve(withdrawal: Withdrawal): string | undefined {
  if (!isOpen(withdrawal)) return ENDED
  if (withdrawal.state === 'PENDING_APPROVAL')
    return t('The withdrawal waits for approval: nothing has been sent')
  if (withdrawal.state === 'UNKNOWN' || isOverdueReview(withdrawal)) return undefined
  return t('The venue still reports the outcome')
}

/** A bank may say nothing of what was canceled there. The day must be over in every zone. */
function isOverdueReview({ state, execution_date }: Withdrawal): boolean {
  const lastDayOnEarth = new Date(Date.now() - 12 * 3_600_000).toISOString().slice(0, 10)
  return state === 'PENDING_REVIEW' && execution_date !== null && execution_date < lastDayOnEarth
}

/** Whether the venue is certain of it, though where it went it was not taken. */
const hasLeft = ({ reason_code }: Withdrawal): boolean => reason_code === 'NOT_CREDITED'

export const cancel: ActionPlan<
  'post',
  '/treasury/withdrawals/{withdrawal_id}/cancel',
  Withdrawal
> = {
  label: t('Cancel withdrawal'),
  cancels: true,
  permission: 'treasury.withdrawals.cancel',
  danger: true,
  why: whyNotCancel,
  explain: () => t('The withdrawal has not been sent yet. The amount held for it is released.'),
  fields: [{ name: 'reason', label: t('Reason'), kind: 'text' }],
  method: 'post',
  path: '/treasury/withdrawals/{withdrawal_id}/cancel',
  request: ({ id }, { reason }) => ({
    params: { withdrawal_id: id },
    body: filledTexts({ reason }),
  }),
  done: () => t('Canceled'),
}

export const recheck: ActionPlan<
  'post',
  '/treasury/withdrawals/{withdrawal_id}/recheck',
  Withdrawal
> = {
  label: t('Check with venue'),
  permission: 'treasury.withdrawals.resolve',
  why: (withdrawal) => (isOpen(withdrawal) ? undefined : ENDED),
  explain: () => t('Kontor asks the venue for the current state of the withdrawal.'),
  method: 'post',
  path: '/treasury/withdrawals/{withdrawal_id}/recheck',
  request: ({ id }) => ({ params: { withdrawal_id: id } }),
  done: ({ state }) => t('Checked with the venue: {{state}}', { state: lowered(inWords(state)) }),
}

export const resolve: ActionPlan<
  'post',
  '/treasury/withdrawals/{withdrawal_id}/resolve',
  Withdrawal
> = {
  label: t('Resolve'),
  permission: 'treasury.withdrawals.resolve',
  danger: true,
  why: whyNotResolve,
  explain: (withdrawal) => {
    if (withdrawal.state === 'PENDING_REVIEW')
      return t(
        'The bank holds this payment after its check of the payee, and its day is over. ' +
          'Ask the bank. Record here that it was never sent only once the bank confirms ' +
          'that it is canceled.',
      )
    return hasLeft(withdrawal)
      ? t(
          'The withdrawal has left, and the exchange that it went to has not credited it. ' +
            'Ask the exchange. Then record here that it has left. Kontor books it. What the ' +
            'exchange sends back arrives as a deposit.',
        )
      : t(
          'The venue has not confirmed whether this withdrawal was sent. If you have ' +
            'evidence, enter the outcome here. Kontor then books or releases the amount and ' +
            'stops asking the venue.',
        )
  },
  fields: (withdrawal) => [
    {
      name: 'state',
      label: t('Outcome'),
      kind: 'words',
      required: true,
      options: hasLeft(withdrawal)
        ? [{ value: 'SUCCESS', label: t('It has left') }]
        : [
            { value: 'SUCCESS', label: t('Arrived') },
            { value: 'FAILED', label: t('Never sent') },
          ],
    },
    {
      name: 'evidence',
      label: t('Evidence'),
      kind: 'lines',
      required: true,
      help: t('For example a message from the venue, a block explorer or a statement'),
    },
    { name: 'foreign_id', label: t('Venue reference'), kind: 'text' },
    { name: 'transaction_hash', label: t('Transaction'), kind: 'text' },
    {
      name: 'fee',
      label: t('Fee charged by the venue'),
      kind: 'amount',
      zero: true,
      asset: withdrawal.fee_asset ?? undefined,
    },
  ],
  method: 'post',
  path: '/treasury/withdrawals/{withdrawal_id}/resolve',
  request: ({ id, version }, { state, evidence, ...more }) => ({
    params: { withdrawal_id: id },
    body: {
      version,
      state: state as 'SUCCESS' | 'FAILED',
      evidence: String(evidence),
      ...filledTexts(more),
    },
  }),
  confirm: (
    { quantity, asset, from_wallet_id, destination_address, tag, fee_asset, account_id },
    { state, evidence, fee },
  ) => [
    {
      label: t('Outcome'),
      value:
        state === 'SUCCESS'
          ? t('Arrived. The withdrawal is booked.')
          : t('Never sent. The amount held for it is released.'),
    },
    { label: t('Amount'), value: <Amount value={quantity} asset={asset} /> },
    { label: t('From'), value: <Name of="wallet" id={from_wallet_id} /> },
    {
      label: t('To'),
      value: `${destination_address}${tag === null ? '' : t(' (tag {{tag}})', { tag })}`,
    },
    { label: t('Fee'), value: <Amount value={filledText(fee)} asset={fee_asset} /> },
    { label: t('Account'), value: <Name of="account" id={account_id} /> },
    { label: t('Evidence'), value: String(evidence) },
  ],
  done: () => t('Outcome recorded'),
}

const isHeldForPayee = ({ state, payee_check }: Withdrawal): boolean =>
  state === 'PENDING_REVIEW' && payee_check !== null

export const decideReview: ActionPlan<
  'post',
  '/treasury/withdrawals/{withdrawal_id}/review-decision',
  Withdrawal
> = {
  label: t('Decide on payee'),
  permission: 'treasury.withdrawals.resolve',
  why: (withdrawal) => {
    if (!isOpen(withdrawal)) return ENDED
    return isHeldForPayee(withdrawal) ? undefined : t('No bank holds it because of its payee')
  },
  explain: () =>
    t(
      'The bank holds this payment because its payee does not match. Banks take the ' +
        'decision at their own desk: release or cancel it there too. Of a file with ' +
        'several payments the bank releases or cancels all of them. Kontor records what ' +
        'you decide here, sends nothing, and waits for what the bank reports.',
    ),
  fields: [
    {
      name: 'decision',
      label: t('Decision'),
      kind: 'words',
      required: true,
      options: [
        { value: 'RELEASE', label: t('Pay it all the same') },
        { value: 'WITHDRAW', label: t('Do not pay it') },
      ],
    },
    {
      name: 'reason',
      label: t('Why'),
      kind: 'lines',
      required: true,
      help: t('For example who confirmed the name'),
    },
  ],
  method: 'post',
  path: '/treasury/withdrawals/{withdrawal_id}/review-decision',
  request: ({ id, payee_check }, { decision, reason }) => ({
    params: { withdrawal_id: id },
    body: {
      decision: decision as 'RELEASE' | 'WITHDRAW',
      payee_check: payee_check ?? '',
      reason: String(reason),
    },
  }),
  confirm: ({ quantity, asset, destination_address, reason, payee_name }, values) => [
    {
      label: t('Decision'),
      value: values['decision'] === 'RELEASE' ? t('Pay it all the same') : t('Do not pay it'),
    },
    { label: t('Amount'), value: <Amount value={quantity} asset={asset} /> },
    { label: t('To'), value: destination_address },
    { label: t('The bank says'), value: reason },
    ...(payee_name === null ? [] : [{ label: t('Name of the account'), value: payee_name }]),
    { label: t('Why'), value: String(values['reason']) },
  ],
  done: () => t('Decision recorded. Release or cancel the payment at the bank too.'),
}
