/** The payments of a batch, entered row by row. */
import { MinusCircleOutlined, PlusOutlined } from '@ant-design/icons'
import { KontorError } from '@kontor/client'
import type { DataOf } from '@kontor/client'
import { useMutation } from '@tanstack/react-query'
import { Button, Form } from 'antd'
import type { FormInstance } from 'antd'
import type { ReactNode } from 'react'
import { fieldPath } from '../../action/field-errors.ts'
import { InputItem } from '../../action/inputs.tsx'
import { useWithdrawable } from '../../api/available.ts'
import { useAll } from '../../api/all.ts'
import { queries, useMay } from '../../api/query.ts'
import { client } from '../../api/session.ts'
import { t } from '../../language/index.ts'
import { refusalWords } from '../../parts/refusal-words.ts'
import { Failure } from '../../parts/states.tsx'
import { accountHelp, ReceiverWarning } from './account-facts.tsx'
import { SPEED_LEVELS } from './fee-estimate.ts'
import type { SpeedLevel } from './fee-estimate.ts'
import { TextInputs, textsOf } from './payment-texts.tsx'
import type { PaymentTexts } from './payment-texts.tsx'
import type { Route } from './route-facts.tsx'
import { useIsCustomers } from './shares.tsx'
import { ThirdPartyInput, thirdPartyOf, useIsThirdParty } from './third-party.tsx'

/** A transaction as it would be sent. */
export type PreparedWithdrawal = DataOf<'post', '/treasury/withdrawals/batch/prepare'>[number]
type Payment = {
  route_id: string
  quantity: string
  speed_level: SpeedLevel
  account_id?: string
  third_party?: boolean
} & PaymentTexts
export type Payments = { withdrawals: Payment[] }
export type PaymentDraft = Partial<Payment>

const BLANK: PaymentDraft = { speed_level: 'DEFAULT' }
/** Preparing twice would hold twice what customers pay. */
const PREPARING = ['prepare a batch']
const PERMISSION = 'treasury.withdrawals.create'

const bodyOf = ({ withdrawals }: Payments) => ({
  withdrawals: withdrawals.map((payment) => ({
    route_id: payment.route_id,
    quantity: payment.quantity,
    speed_level: payment.speed_level,
    ...(payment.account_id === undefined ? {} : { account_id: payment.account_id }),
    ...thirdPartyOf(payment),
    ...textsOf(payment),
  })),
})

function showRefusals(form: FormInstance<Payments>, { error_details }: KontorError): void {
  for (const refusal of error_details)
    form.setFields([{ name: fieldPath(refusal.path) as never, errors: [refusalWords(refusal)] }])
}

const WHAT_PREPARING_DOES = t(
  'Payments to the same place are sent in one transaction where the venue ' +
    'supports it. This saves fees. Prepare blocks the amounts on customers’ ' +
    'accounts for ten minutes. Nothing is sent until you submit. Until then the ' +
    'batch stands in the list of batches.',
)

export function PaymentsForm({
  form,
  payments = [BLANK, BLANK],
  done,
}: {
  form: FormInstance<Payments>
  /** What the form begins with. */
  payments?: readonly PaymentDraft[] | undefined
  done(prepared: readonly PreparedWithdrawal[]): void
}): ReactNode {
  const routes = useAll('/treasury/wallets/routes') ?? []
  const sendable = routes.filter((route) => route.from_wallet.access_type === 'INTERNAL')
  const drafts = (Form.useWatch('withdrawals', form) as PaymentDraft[] | undefined) ?? []
  const { mutate, isPending, error } = useMutation({
    mutationKey: PREPARING,
    mutationFn: (values: Payments) =>
      client().post('/treasury/withdrawals/batch/prepare', { body: bodyOf(values) }),
    onSuccess: done,
    onError: (thrown) => {
      if (thrown instanceof KontorError) showRefusals(form, thrown)
    },
  })
  return (
    <Form<Payments>
      form={form}
      layout="vertical"
      requiredMark="optional"
      initialValues={{ withdrawals: payments }}
      onFinish={(values) => {
        if (queries.isMutating({ mutationKey: PREPARING }) === 0) mutate(values)
      }}
    >
      <p className="explain">{WHAT_PREPARING_DOES}</p>
      <Form.List name="withdrawals">
        {(items, { add, remove }) => (
          <>
            {items.map((item, index) => (
              <PaymentRow
                key={item.key}
                name={item.name}
                number={index + 1}
                draft={drafts[index]}
                routes={sendable}
                remove={
                  items.length === 1
                    ? undefined
                    : () => {
                        remove(item.name)
                      }
                }
              />
            ))}
            <FormFoot
              add={() => {
                add({ ...BLANK, ...drafts.at(-1), quantity: undefined, client_ref: undefined })
              }}
              preparing={isPending}
            />
          </>
        )}
      </Form.List>
      {error !== null && <Failure error={error} />}
    </Form>
  )
}

const SPEED = { label: t('Speed'), kind: 'words', options: SPEED_LEVELS, required: true } as const

function PaymentRow({
  name,
  number,
  draft,
  routes,
  remove,
}: {
  name: number
  number: number
  draft: PaymentDraft | undefined
  routes: readonly Route[]
  remove: (() => void) | undefined
}): ReactNode {
  const isCustomers = useIsCustomers()
  const route = routes.find((route) => route.id === draft?.route_id)
  const isThirdParty = useIsThirdParty(route, draft?.account_id)
  const asset = route?.from_wallet.asset
  const available = useWithdrawable(draft?.account_id, asset)
  return (
    <div className="share payment" role="group" aria-label={t('Payment {{number}}', { number })}>
      <InputItem
        field={{
          name: [name, 'route_id'],
          label: t('Route'),
          kind: 'words',
          required: true,
          options: routes.map((route) => ({ value: route.id, label: route.label })),
        }}
      />
      <InputItem
        field={{
          name: [name, 'quantity'],
          label: t('Amount'),
          kind: 'amount',
          required: true,
          asset,
          available,
        }}
      />
      <InputItem
        field={{
          name: [name, 'account_id'],
          label: t('Customer account'),
          kind: 'account',
          only: isCustomers,
          help: accountHelp(route),
        }}
      />
      <InputItem field={{ ...SPEED, name: [name, 'speed_level'] }} />
      <ReceiverWarning route={route} account_id={draft?.account_id} />
      {isThirdParty && <ThirdPartyInput within={name} />}
      <TextInputs within={name} />
      {remove !== undefined && (
        <Button
          type="text"
          aria-label={t('Remove payment {{number}}', { number })}
          title={t('Remove')}
          icon={<MinusCircleOutlined />}
          onClick={remove}
        />
      )}
    </div>
  )
}

function FormFoot({ add, preparing }: { add(): void; preparing: boolean }): ReactNode {
  const may = useMay(PERMISSION)
  return (
    <div className="batch-foot">
      <Button size="small" type="dashed" icon={<PlusOutlined aria-hidden />} onClick={add}>
        {t('Add payment')}
      </Button>
      <span className="space" />
      <Button
        type="primary"
        htmlType="submit"
        loading={preparing}
        disabled={!may}
        title={
          may
            ? undefined
            : t('Your roles do not have the permission {{permission}}', { permission: PERMISSION })
        }
      >
        {t('Prepare')}
      </Button>
    </div>
  )
}
