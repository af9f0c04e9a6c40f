/** Stopping a payment that was not sent. */
import { filledTexts } from '../../action/filled.ts'
import type { ActionPlan } from '../../action/plan.ts'
import { t } from '../../language/index.ts'
import type { RowOf } from '../../list/work-list.tsx'

export type Payment = RowOf<'/treasury/payments'>

const isOpen = ({ state }: Payment): boolean => state === 'WAITING' || state === 'REFUSED'
const whyEnded = ({ state }: Payment): string =>
  state === 'SENT' ? t('It is sent. Open its withdrawal.') : t('The payment was canceled')

export const cancelPayment: ActionPlan<'post', '/treasury/payments/{payment_id}/cancel', Payment> =
  {
    label: t('Cancel payment'),
    cancels: true,
    permission: 'treasury.withdrawals.cancel',
    danger: true,
    why: (payment) => (isOpen(payment) ? undefined : whyEnded(payment)),
    explain: () => t('The payment has not been sent. It never will be.'),
    fields: [{ name: 'reason', label: t('Reason'), kind: 'text' }],
    method: 'post',
    path: '/treasury/payments/{payment_id}/cancel',
    request: ({ id, version }, { reason }) => ({
      params: { payment_id: id },
      body: { ...filledTexts({ reason }), version },
    }),
    done: () => t('Canceled'),
  }
