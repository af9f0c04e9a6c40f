/** The page on which a batch is entered, empty or with the payments of an earlier one. */
import { Form } from 'antd'
import type { FormInstance } from 'antd'
import type { ReactNode } from 'react'
import { Link, useNavigate, useSearchParams } from 'react-router'
import { filledText } from '../../action/filled.ts'
import { useTypedForm } from '../../action/leaving.tsx'
import { refreshAll, useGet } from '../../api/query.ts'
import { t } from '../../language/index.ts'
import { Failure, Loading } from '../../parts/states.tsx'
import { PaymentsForm } from './batch-payments.tsx'
import type { PaymentDraft, Payments, PreparedWithdrawal } from './batch-payments.tsx'

export function NewBatch(): ReactNode {
  const [search] = useSearchParams()
  const from = search.get('from')
  return (
    <section className="page" aria-label={t('New batch')}>
      <header className="page-head">
        <h1>{t('New batch')}</h1>
        <Link to="/treasury/batches">{t('All batches')}</Link>
      </header>
      <div className="batch">{from === null ? <Entry /> : <EntryFrom key={from} id={from} />}</div>
    </section>
  )
}

function EntryFrom({ id }: { id: string }): ReactNode {
  const { data, error, refetch } = useGet('/treasury/batches/{batch_id}', {
    params: { batch_id: id },
  })
  if (error !== null) return <Failure error={error} again={refetch} />
  if (data === undefined) return <Loading />
  return <Entry payments={data.requests.flatMap(({ request }) => paymentsOf(request))} />
}

/** Your reference names one payment, so it is not taken over. */
const paymentsOf = ({ stakes, speed_level }: PreparedWithdrawal): PaymentDraft[] =>
  stakes.map(({ route_id, quantity, account_id, third_party, note, purpose }) => ({
    route_id,
    quantity,
    speed_level,
    ...(account_id === null ? {} : { account_id }),
    ...(third_party === true ? { third_party } : {}),
    ...(typeof note === 'string' ? { note } : {}),
    ...(typeof purpose === 'string' ? { purpose } : {}),
  }))

function Entry({ payments }: { payments?: readonly PaymentDraft[] }): ReactNode {
  const [form] = Form.useForm<Payments>()
  const navigate = useNavigate()
  useTypedForm(() => hasPayments(form))
  const open = (prepared: readonly PreparedWithdrawal[]): void => {
    const id = prepared[0]?.prepare_id ?? ''
    form.setFieldsValue({ withdrawals: [] })
    refreshAll().catch(() => undefined)
    navigate(`/treasury/batches/${id}#transactions`)?.catch(() => undefined)
  }
  return <PaymentsForm form={form} payments={payments} done={open} />
}

function hasPayments(form: FormInstance<Payments>): boolean {
  const payments = form.getFieldValue('withdrawals') as PaymentDraft[] | undefined
  return (
    payments?.some(({ route_id, quantity }) => filledText(route_id ?? quantity) !== undefined) ===
    true
  )
}
