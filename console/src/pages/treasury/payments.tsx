/** Payments that people ordered, and what can be done with one that was not sent. */
import type { ReactNode } from 'react'
import { useParams } from 'react-router'
import { ActionButton } from '../../action/action.tsx'
import type { ActionPlan } from '../../action/plan.ts'
import { useAll } from '../../api/all.ts'
import { t } from '../../language/index.ts'
import { WorkList } from '../../list/work-list.tsx'
import { whyWords } from '../../parts/record-words.ts'
import { inWords, Status } from '../../parts/status.tsx'
import { Amount, Name, NOTHING } from '../../parts/values.tsx'
import { COMMON_FIELDS, RecordDrawer } from '../../record/record.tsx'
import { CHOOSE_PAYMENTS } from './chosen.tsx'
import { cancelPayment } from './payment-actions.ts'
import type { Payment } from './payment-actions.ts'
import { PayButton } from './pay.tsx'
import { PayFileButton } from './pay-file.tsx'
import { protocolWords } from './protocol-words.ts'
import { THIRD_PARTY_FIELD } from './third-party.tsx'

const STATES = ['WAITING', 'SENT', 'REFUSED', 'CANCELED'] as const
/** Once it is sent, its withdrawal says what became of it; what has come back is no success. */
const stateOf = ({ state, withdrawal_state, came_back_as }: Payment): string => {
  if (came_back_as !== null) return 'RETURNED'
  return withdrawal_state === null || withdrawal_state === 'PENDING' ? state : withdrawal_state
}

export function Page(): ReactNode {
  return (
    <WorkList
      title={t('Payments')}
      help="payments"
      path="/treasury/payments"
      live={['payment', 'withdrawal']}
      columns={[
        { key: 'system_created_at', title: t('Ordered'), kind: 'time' },
        { key: 'state', title: t('State'), kind: 'status', width: 120, value: stateOf },
        { key: 'quantity', title: t('Amount'), kind: 'amount', asset: (row) => row.asset },
        { key: 'account_id', title: t('Pays'), kind: 'account' },
        { key: 'to_wallet_id', title: t('Payee'), kind: 'wallet' },
        { key: 'reference', title: t('Reference') },
        { key: 'send_at', title: t('To be sent'), kind: 'time' },
        {
          key: 'reason',
          title: t('Reason'),
          value: reasonOf,
        },
        { key: 'recipient_name', title: t('The bank is told'), extra: true },
        { key: 'destination_address', title: t('To address'), kind: 'id', extra: true },
        { key: 'purpose', title: t('Purpose'), extra: true },
        { key: 'from_wallet_id', title: t('From'), kind: 'wallet', extra: true },
        { key: 'client_ref', title: t('Your reference'), extra: true },
        { key: 'id', title: t('Id'), kind: 'id', extra: true },
      ]}
      filters={[
        { name: 'state', label: t('State'), kind: 'words', options: STATES, many: true },
        { name: 'asset', label: t('Asset'), kind: 'text' },
        { name: 'quantity_from', label: t('Amount from'), kind: 'amount' },
        { name: 'quantity_to', label: t('Amount to'), kind: 'amount' },
        { name: 'customer_id', label: t('Customer'), kind: 'customer' },
        { name: 'account_id', label: t('Account'), kind: 'account' },
        { name: 'client_ref', label: t('Your reference'), kind: 'text' },
      ]}
      choose={CHOOSE_PAYMENTS}
      empty={{
        title: t('No payments yet'),
        text: t('Use Pay somebody. The payee may be known or new. You say when it is sent.'),
      }}
      actions={
        <>
          <PayFileButton />
          <PayButton />
        </>
      }
    />
  )
}

const ENDED: readonly (string | null)[] = ['FAILED', 'REJECTED', 'CANCELED']
const whyNoRetry = ({ withdrawal_state }: Payment): string =>
  ENDED.includes(withdrawal_state)
    ? t('It was sent and has ended without success: order it anew')
    : t('Only a refused payment is tried again')

/** Why it did not go: who refused it here, or what the venue said of its withdrawal. */
const reasonOf = ({ reason, withdrawal_reason }: Payment): string | null => {
  const why = reason ?? withdrawal_reason
  return why === null ? null : whyWords(why)
}

const retry: ActionPlan<'post', '/treasury/payments/{payment_id}/retry', Payment> = {
  label: t('Try again'),
  permission: 'treasury.withdrawals.create',
  why: (payment) => (payment.state === 'REFUSED' ? undefined : whyNoRetry(payment)),
  explain: ({ reason }) =>
    t('It was refused: {{reason}}.', { reason: reason ?? t('no reason is known') }),
  method: 'post',
  path: '/treasury/payments/{payment_id}/retry',
  request: ({ id, version }) => ({ params: { payment_id: id }, body: { version } }),
  confirm: (payment) => [
    { label: t('Arrives'), value: <Amount value={payment.quantity} asset={payment.asset} /> },
    { label: t('Payee'), value: <Name of="wallet" id={payment.to_wallet_id} /> },
    { label: t('Send'), value: t('At once') },
  ],
  done: () => t('It will be sent at once'),
}

/** How it is sent: its route says so. */
function ProtocolOf({ route_id }: { route_id: string }): ReactNode {
  const route = useAll('/treasury/wallets/routes')?.find(({ id }) => id === route_id)
  return route === undefined ? NOTHING : protocolWords(route.protocol)
}

const PROTOCOL = {
  key: 'protocol',
  title: t('Protocol'),
  render: ({ route_id }: Payment) => <ProtocolOf route_id={route_id} />,
}

const CAME_BACK = {
  key: 'came_back_as',
  title: t('Came back as'),
  value: ({ came_back_as }: Payment) => (came_back_as === null ? null : t('Deposit')),
  leads: ({ came_back_as }: Payment) =>
    came_back_as === null ? null : { kind: 'deposit', id: came_back_as },
}

export function Record(): ReactNode {
  const { id = '' } = useParams()
  return (
    <RecordDrawer
      what={t('Payment')}
      path="/treasury/payments"
      request={{ query: { id } }}
      pick={(data) => data[0]}
      live={['payment', 'withdrawal']}
      timeline={({ id: own, withdrawal_id }) => [
        { kind: 'payment', id: own },
        ...(withdrawal_id === null ? [] : [{ kind: 'withdrawal' as const, id: withdrawal_id }]),
      ]}
      title={(row: Payment) => (
        <>
          <Amount value={row.quantity} asset={row.asset} /> <Status state={stateOf(row)} />
        </>
      )}
      actions={(row) => (
        <>
          <ActionButton plan={retry} row={row} />
          <ActionButton plan={cancelPayment} row={row} />
        </>
      )}
      sections={[
        {
          fields: [
            { key: 'state', title: t('State'), kind: 'status', value: stateOf },
            { key: 'quantity', title: t('Arrives'), kind: 'amount', asset: (row) => row.asset },
            {
              key: 'reason',
              title: t('Reason'),
              value: reasonOf,
            },
            { key: 'send_at', title: t('To be sent'), kind: 'time' },
            {
              key: 'withdrawal_id',
              title: t('Withdrawal'),
              value: (row) => (row.withdrawal_id === null ? null : t('Open')),
              leads: (row) =>
                row.withdrawal_id === null ? null : { kind: 'withdrawal', id: row.withdrawal_id },
            },
            CAME_BACK,
            { key: 'speed_level', title: t('Speed'), value: (row) => inWords(row.speed_level) },
          ],
        },
        {
          title: t('From and to'),
          fields: [
            { key: 'account_id', title: t('Pays'), kind: 'account' },
            { key: 'from_wallet_id', title: t('From'), kind: 'wallet' },
            { key: 'to_wallet_id', title: t('Payee'), kind: 'wallet' },
            { key: 'recipient_name', title: t('The bank is told') },
            { key: 'destination_address', title: t('To address') },
            { key: 'route_id', title: t('Route'), kind: 'route' },
            PROTOCOL,
            { ...THIRD_PARTY_FIELD, kind: 'flag' },
            { key: 'reference', title: t('Reference') },
            { key: 'purpose', title: t('Purpose') },
            { key: 'note', title: t('Note') },
            { key: 'client_ref', title: t('Your reference') },
          ],
        },
        COMMON_FIELDS,
      ]}
    />
  )
}
