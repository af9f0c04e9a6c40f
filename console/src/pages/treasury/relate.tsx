/** Relating a deposit to the transfer that arrives with it, and taking that back. */
import type { DataOf } from '@kontor/client'
import type { ReactNode } from 'react'
import { ActionButton } from '../../action/action.tsx'
import type { ActionPlan } from '../../action/plan.ts'
import { useGet } from '../../api/query.ts'
import { t } from '../../language/index.ts'
import { whyWords } from '../../parts/record-words.ts'
import { RecordLink } from '../../parts/links.tsx'
import { Amount, Name, NOTHING, Time } from '../../parts/values.tsx'
import type { Withdrawal } from './assign.tsx'
import type { Deposit } from './open-rest.ts'

type Suggestion = DataOf<'get', '/treasury/deposits/{deposit_id}/transfer-suggestions'>[number]
type Suggested = { deposit: Deposit; suggestion: Suggestion }

const ARRIVED_STATES: readonly Deposit['state'][] = [
  'UNASSIGNED',
  'PARTIALLY_ASSIGNED',
  'REJECTED',
  'ASSIGNED',
  'SUCCESSFUL',
]

const relateDeposit: ActionPlan<'post', '/treasury/deposits/{deposit_id}/relate', Suggested> = {
  label: t('Relate'),
  permission: 'assignments.create',
  explain: () =>
    t(
      "The deposit becomes the arrival of this transfer. The transfer's part needs no " +
        'assignment; what accounts sent with it must still be assigned. You can take it ' +
        'back. An equal amount proves nothing: compare payer and reference with the ' +
        'venue first.',
    ),
  method: 'post',
  path: '/treasury/deposits/{deposit_id}/relate',
  request: ({ deposit, suggestion: { withdrawal_id, part_id } }) => ({
    params: { deposit_id: deposit.id },
    body:
      withdrawal_id === null ? { part_id: part_id ?? '' } : { withdrawal_id: withdrawal_id ?? '' },
  }),
  confirm: ({ deposit, suggestion }) => [
    { label: t('Amount'), value: <Amount value={deposit.quantity} asset={deposit.asset} /> },
    { label: t('From'), value: <Name of="venue" id={suggestion.venue_id} /> },
    {
      label: t('Sent by'),
      value: deposit.counterparty?.name ?? deposit.source_address ?? t('unknown'),
    },
    { label: t('Reference'), value: deposit.reference_text ?? t('none') },
    { label: t('Why'), value: <Reasons of={suggestion} /> },
  ],
  done: () => t('Related'),
}

/** What pays a part says that it has moved. */
const relateToPart: typeof relateDeposit = { ...relateDeposit, permission: 'settlements.initiate' }

export const unrelateDeposit: ActionPlan<
  'post',
  '/treasury/deposits/{deposit_id}/unrelate',
  Deposit
> = {
  label: t('Take back'),
  permission: 'rectifications.create',
  danger: true,
  why: ({ own_transfer, state }) =>
    own_transfer && ARRIVED_STATES.includes(state)
      ? undefined
      : t('The deposit is not the arrival of a transfer'),
  explain: () =>
    t(
      'For a deposit that was taken for the arrival of a transfer, and is not. What ' +
        'accounts did not get of it becomes unassigned, and the transfer waits for its ' +
        'arrival again.',
    ),
  fields: [{ name: 'reason', label: t('Reason'), kind: 'lines', required: true }],
  method: 'post',
  path: '/treasury/deposits/{deposit_id}/unrelate',
  request: ({ id }, { reason }) => ({
    params: { deposit_id: id },
    body: { reason: String(reason) },
  }),
  confirm: ({ quantity, asset }, { reason }) => [
    { label: t('Amount'), value: <Amount value={quantity} asset={asset} /> },
    { label: t('Reason'), value: String(reason) },
  ],
  done: () => t('Taken back'),
}

const Reasons = ({ of }: { of: Suggestion }): ReactNode =>
  of.reasons.map(({ explanation }) => whyWords(explanation)).join('; ')

/** Each with its reasons; nothing where the deposit cannot be related. */
export function TransferSuggestions({ deposit }: { deposit: Deposit }): ReactNode {
  const mayBe = !deposit.own_transfer && ARRIVED_STATES.includes(deposit.state)
  return mayBe ? <Suggestions deposit={deposit} /> : NOTHING
}

function Suggestions({ deposit }: { deposit: Deposit }): ReactNode {
  const { data: suggestions = [] } = useGet(
    '/treasury/deposits/{deposit_id}/transfer-suggestions',
    { params: { deposit_id: deposit.id } },
  )
  if (suggestions.length === 0) return NOTHING
  return (
    <ol className="suggestions" aria-label={t('Suggested transfers')}>
      {suggestions.map((suggestion) => (
        <li key={suggestion.withdrawal_id ?? suggestion.part_id}>
          <SuggestionLink of={suggestion} />
          <span className="why">
            <Time at={suggestion.since} /> <Reasons of={suggestion} />
          </span>
          <ActionButton
            plan={suggestion.withdrawal_id === null ? relateToPart : relateDeposit}
            row={{ deposit, suggestion }}
          />
        </li>
      ))}
    </ol>
  )
}

function SuggestionLink({ of: { withdrawal_id, settlement_id } }: { of: Suggestion }): ReactNode {
  return withdrawal_id === null ? (
    <RecordLink to={{ kind: 'settlement', id: settlement_id ?? '' }}>{t('Settlement')}</RecordLink>
  ) : (
    <RecordLink to={{ kind: 'withdrawal', id: withdrawal_id }}>{t('Own transfer')}</RecordLink>
  )
}

/** The deposits that name a withdrawal: its arrival, or what came back of it. */
export function DepositsOf({ withdrawal }: { withdrawal: Withdrawal }): ReactNode {
  const { data: deposits = [] } = useGet('/treasury/deposits', {
    query: { related_withdrawal_id: withdrawal.id },
  })
  if (deposits.length === 0) return NOTHING
  return deposits.map(({ id, quantity, asset, wallet_id }) => (
    <div key={id}>
      <RecordLink to={{ kind: 'deposit', id }}>
        {wallet_id === withdrawal.to_wallet_id ? t('Arrived') : t('Came back')}:{' '}
        <Amount value={quantity} asset={asset} />
      </RecordLink>
    </div>
  ))
}
