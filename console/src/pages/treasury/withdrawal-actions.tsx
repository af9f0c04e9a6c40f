/** What can be done with a withdrawal that is under way. */
import type { ActionPlan } from '../../action/action.tsx'
import { Amount, Name } from '../../parts/values.tsx'
import type { Withdrawal } from './assign.tsx'

const ENDED = 'It has ended'
const isOpen = ({ state }: Withdrawal): boolean =>
  state === 'UNKNOWN' || state === 'PENDING' || state === 'PENDING_REVIEW'

export const cancel: ActionPlan<
  'post',
  '/treasury/withdrawals/{withdrawal_id}/cancel',
  Withdrawal
> = {
  label: 'Cancel withdrawal',
  permission: 'treasury.withdrawals.cancel',
  danger: true,
  why: (row) =>
    !isOpen(row)
      ? ENDED
      : row.state === 'PENDING' && row.submitted_at === null
        ? undefined
        : 'It is being sent already: only the venue can stop it',
  explain: () => 'It has not left yet. What was blocked for it is free again.',
  fields: [{ name: 'reason', label: 'Why', kind: 'text' }],
  method: 'post',
  path: '/treasury/withdrawals/{withdrawal_id}/cancel',
  request: ({ id }, { reason }) => ({
    params: { withdrawal_id: id },
    body: reason === undefined || reason === '' ? {} : { reason: String(reason) },
  }),
  done: () => 'Canceled',
}

export const recheck: ActionPlan<
  'post',
  '/treasury/withdrawals/{withdrawal_id}/recheck',
  Withdrawal
> = {
  label: 'Ask the venue',
  permission: 'treasury.withdrawals.resolve',
  why: (row) => (isOpen(row) ? undefined : ENDED),
  explain: () => 'The venue is asked now what has become of it.',
  method: 'post',
  path: '/treasury/withdrawals/{withdrawal_id}/recheck',
  request: ({ id }) => ({ params: { withdrawal_id: id } }),
  done: ({ state }) => `The venue was asked: ${state.toLowerCase().replaceAll('_', ' ')}`,
}

const text = (value: unknown): string | undefined => {
  const trimmed = String(value ?? '').trim()
  return trimmed === '' ? undefined : trimmed
}

export const resolve: ActionPlan<
  'post',
  '/treasury/withdrawals/{withdrawal_id}/resolve',
  Withdrawal
> = {
  label: 'Tell the outcome',
  permission: 'treasury.withdrawals.resolve',
  danger: true,
  why: (row) =>
    row.state === 'UNKNOWN'
      ? undefined
      : isOpen(row)
        ? 'Its outcome is not unknown: the venue tells it'
        : ENDED,
  explain: () =>
    'Nobody knows whether it has left. If you do, by evidence, say so: it is booked or released by your word, and the venue is not asked any more.',
  fields: (row) => [
    {
      name: 'state',
      label: 'What became of it',
      kind: 'words',
      required: true,
      options: [
        { value: 'SUCCESS', label: 'It has arrived' },
        { value: 'FAILED', label: 'It has not left' },
      ],
    },
    {
      name: 'evidence',
      label: 'By what this is known',
      kind: 'lines',
      required: true,
      help: 'Who said so, a block explorer, a statement',
    },
    { name: 'foreign_id', label: 'Venue reference', kind: 'text' },
    { name: 'transaction_hash', label: 'Transaction', kind: 'text' },
    {
      name: 'fee',
      label: 'Fee that the venue took',
      kind: 'amount',
      zero: true,
      asset: row.fee_asset ?? undefined,
    },
  ],
  method: 'post',
  path: '/treasury/withdrawals/{withdrawal_id}/resolve',
  request: ({ id }, { state, evidence, ...more }) => {
    const told = Object.fromEntries(
      Object.entries(more).flatMap(([name, value]) => {
        const given = text(value)
        return given === undefined ? [] : [[name, given]]
      }),
    )
    return {
      params: { withdrawal_id: id },
      body: { state: state as 'SUCCESS' | 'FAILED', evidence: String(evidence), ...told },
    }
  },
  confirm: (row, { state, evidence, fee }) => [
    {
      label: 'Outcome',
      value:
        state === 'SUCCESS'
          ? 'It has arrived: it is booked'
          : 'It has not left: what was blocked is free again',
    },
    { label: 'Amount', value: <Amount value={row.quantity} asset={row.asset} /> },
    { label: 'From', value: <Name of="wallet" id={row.from_wallet_id} /> },
    {
      label: 'To',
      value: `${row.destination_address}${row.tag === null ? '' : ` (tag ${row.tag})`}`,
    },
    { label: 'Fee', value: <Amount value={text(fee)} asset={row.fee_asset} /> },
    { label: 'Account', value: <Name of="account" id={row.account_id} /> },
    { label: 'Evidence', value: String(evidence) },
  ],
  done: () => 'The outcome is recorded',
}
