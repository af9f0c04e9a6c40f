/** Transfers between customers on the books: nothing moves at any venue. */
import { Form } from 'antd'
import type { ReactNode } from 'react'
import { useParams } from 'react-router'
import { ActionButton } from '../../action/action.tsx'
import { filledTexts } from '../../action/filled.ts'
import { Inputs } from '../../action/inputs.tsx'
import type { ActionPlan, Values } from '../../action/plan.ts'
import { useWithdrawable } from '../../api/available.ts'
import { t } from '../../language/index.ts'
import { WorkList } from '../../list/work-list.tsx'
import type { RowOf } from '../../list/work-list.tsx'
import { Status } from '../../parts/status.tsx'
import { Amount, Name } from '../../parts/values.tsx'
import { COMMON_FIELDS, RecordDrawer } from '../../record/record.tsx'
import type { Section } from '../../record/record.tsx'
import { useIsCustomers } from '../treasury/shares.tsx'

type BookTransfer = RowOf<'/book-transfers'>

const STATES = ['PENDING', 'DONE', 'CANCELED'] as const

/** The account that gives, when the button stands on its record. */
type Giver = { id: string; customer_id: string | null }

const bodyOf = (values: Values, giver: Giver | undefined) => ({
  from_account_id: giver?.id ?? String(values['from_account_id']),
  to_account_id: String(values['to_account_id']),
  asset: String(values['asset']).trim().toUpperCase(),
  quantity: String(values['quantity']),
  reason: String(values['reason']),
})

export const transferToCustomer: ActionPlan<'post', '/book-transfers', Giver | undefined> = {
  label: t('Transfer to another customer'),
  permission: 'book-transfers.create',
  why: (giver) =>
    giver !== undefined && giver.customer_id === null
      ? t('Only customers transfer to each other')
      : undefined,
  explain: () =>
    t(
      'The amount is held at once and booked within moments. Nothing moves at a ' +
        'venue. A customer with mail recipients gets a mail with the reason.',
    ),
  form: (giver) => <TransferForm giver={giver} />,
  method: 'post',
  path: '/book-transfers',
  request: (giver, values) => ({ body: bodyOf(values, giver) }),
  confirm: (giver, values) => {
    const { from_account_id, to_account_id, asset, quantity, reason } = bodyOf(values, giver)
    return [
      { label: t('Amount'), value: <Amount value={quantity} asset={asset} /> },
      { label: t('From'), value: <Name of="account" id={from_account_id} /> },
      { label: t('To'), value: <Name of="account" id={to_account_id} /> },
      { label: t('Reason'), value: reason },
    ]
  },
  fieldOf: (path) => path || 'quantity',
  done: () => t('Transfer requested'),
}

function TransferForm({ giver }: { giver: Giver | undefined }): ReactNode {
  const isCustomers = useIsCustomers()
  const form = Form.useFormInstance()
  const from = Form.useWatch('from_account_id', form) as string | undefined
  const typed = (Form.useWatch('asset', form) as string | undefined) ?? ''
  const asset = typed.trim().toUpperCase()
  const available = useWithdrawable(giver?.id ?? from, asset === '' ? undefined : asset)
  return (
    <Inputs
      fields={[
        ...(giver === undefined
          ? [
              {
                name: 'from_account_id',
                label: t('Giving account'),
                kind: 'account' as const,
                only: isCustomers,
                required: true,
              },
            ]
          : []),
        {
          name: 'to_account_id',
          label: t('Receiving account'),
          kind: 'account',
          only: (id) => isCustomers(id) && id !== giver?.id,
          required: true,
        },
        { name: 'asset', label: t('Asset'), kind: 'text', required: true },
        { name: 'quantity', label: t('Amount'), kind: 'amount', asset, available, required: true },
        {
          name: 'reason',
          label: t('Reason'),
          kind: 'text',
          required: true,
          limit: 140,
          help: t('Both customers read it.'),
        },
      ]}
    />
  )
}

const cancel: ActionPlan<'post', '/book-transfers/{book_transfer_id}/cancel', BookTransfer> = {
  label: t('Cancel transfer'),
  cancels: true,
  permission: 'book-transfers.create',
  danger: true,
  why: ({ state }) => (state === 'PENDING' ? undefined : t('The transfer has ended')),
  explain: () => t('The transfer is not booked yet. The amount held for it is released.'),
  fields: [{ name: 'reason', label: t('Reason'), kind: 'text' }],
  method: 'post',
  path: '/book-transfers/{book_transfer_id}/cancel',
  request: ({ id }, { reason }) => ({
    params: { book_transfer_id: id },
    body: filledTexts({ reason }),
  }),
  done: () => t('Canceled'),
}

const SECTIONS: readonly Section<BookTransfer>[] = [
  {
    fields: [
      { key: 'quantity', title: t('Amount'), kind: 'amount', asset: (row) => row.asset },
      { key: 'state', title: t('State'), kind: 'status' },
      { key: 'from_account_id', title: t('From'), kind: 'account' },
      { key: 'to_account_id', title: t('To'), kind: 'account' },
      { key: 'reason', title: t('Reason') },
      { key: 'waits_for', title: t('Waits for') },
      { key: 'canceled_reason', title: t('Why canceled') },
      { key: 'completed_at', title: t('Ended'), kind: 'time' },
    ],
  },
  COMMON_FIELDS,
]

export function Page(): ReactNode {
  return (
    <WorkList
      title={t('Book transfers')}
      path="/book-transfers"
      live={['book_transfer']}
      columns={[
        { key: 'system_created_at', title: t('Created'), kind: 'time' },
        { key: 'state', title: t('State'), kind: 'status', width: 110 },
        {
          key: 'quantity',
          title: t('Amount'),
          kind: 'amount',
          asset: (row) => row.asset,
          width: 140,
        },
        { key: 'from_account_id', title: t('From'), kind: 'account' },
        { key: 'to_account_id', title: t('To'), kind: 'account' },
        { key: 'reason', title: t('Reason'), width: 150 },
        { key: 'waits_for', title: t('Waits for'), width: 200 },
      ]}
      sections={SECTIONS}
      filters={[
        { name: 'state', label: t('State'), kind: 'words', options: STATES, many: true },
        { name: 'account_id', label: t('Account'), kind: 'account' },
      ]}
      empty={{
        title: t('No transfers between customers yet'),
        text: t('A customer can give another what the books say they have.'),
      }}
      actions={<ActionButton plan={transferToCustomer} row={undefined} primary />}
    />
  )
}

export function Record(): ReactNode {
  const { id = '' } = useParams()
  return (
    <RecordDrawer
      what={t('Book transfer')}
      path="/book-transfers/{book_transfer_id}"
      request={{ params: { book_transfer_id: id } }}
      live={['book_transfer']}
      title={(row) => (
        <>
          <Amount value={row.quantity} asset={row.asset} /> <Status state={row.state} />
        </>
      )}
      actions={(row) => <ActionButton plan={cancel} row={row} />}
      sections={SECTIONS}
    />
  )
}
