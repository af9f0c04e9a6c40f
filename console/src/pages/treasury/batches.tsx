/**
 * Many withdrawals at once. The user enters payments, reviews the transactions that they become,
 * and submits them unchanged within ten minutes.
 */
import { Button, Form } from 'antd'
import { useState } from 'react'
import type { ReactNode } from 'react'
import { Link } from 'react-router'
import { Rows } from '../../list/grid.tsx'
import { Empty } from '../../parts/states.tsx'
import { Status } from '../../parts/status.tsx'
import { PaymentsForm } from './batch-payments.tsx'
import type { Payments, PreparedWithdrawal } from './batch-payments.tsx'
import { BatchReview } from './batch-review.tsx'
import type { CreatedWithdrawal } from './batch-review.tsx'
import './treasury.css'

type Step = 'enter' | 'review' | 'created'
const STEP_WORDS: Readonly<Record<Step, string>> = {
  enter: 'Step 1 of 2: enter payments',
  review: 'Step 2 of 2: review and submit',
  created: 'Submitted',
}

export function Page(): ReactNode {
  const [prepared, setPrepared] = useState<readonly PreparedWithdrawal[]>()
  const [created, setCreated] = useState<readonly CreatedWithdrawal[]>()
  const [form] = Form.useForm<Payments>()
  const step = stepOf(prepared, created)
  const restart = (): void => {
    setPrepared(undefined)
    setCreated(undefined)
  }
  return (
    <section className="page" aria-label="Batches">
      <header className="page-head">
        <h1>Batches</h1>
        <span className="count">{STEP_WORDS[step]}</span>
      </header>
      <div className="batch">
        <div hidden={step !== 'enter'}>
          <PaymentsForm form={form} done={setPrepared} />
        </div>
        {prepared !== undefined && created === undefined && (
          <BatchReview prepared={prepared} back={restart} done={setCreated} />
        )}
        {created !== undefined && (
          <CreatedWithdrawals
            withdrawals={created}
            restart={() => {
              form.resetFields()
              restart()
            }}
          />
        )}
      </div>
    </section>
  )
}

function stepOf(prepared: unknown, created: unknown): Step {
  if (created !== undefined) return 'created'
  return prepared === undefined ? 'enter' : 'review'
}

function CreatedWithdrawals({
  withdrawals,
  restart,
}: {
  withdrawals: readonly CreatedWithdrawal[]
  restart(): void
}): ReactNode {
  return (
    <>
      <Rows
        label="Withdrawals created"
        rows={withdrawals}
        keyOf={(row) => row.id}
        empty={<Empty title="No withdrawals were created" />}
        columns={[
          {
            key: 'state',
            title: 'State',
            width: 120,
            render: (row) => <Status state={row.state} />,
          },
          { key: 'quantity', title: 'Amount', kind: 'amount', asset: (row) => row.asset },
          { key: 'from_wallet_id', title: 'From', kind: 'wallet' },
          { key: 'destination_address', title: 'To address', width: 320 },
          {
            key: 'id',
            title: 'Withdrawal',
            width: 120,
            render: (row) => <Link to={`/treasury/withdrawals/${row.id}`}>Open</Link>,
          },
        ]}
      />
      <div className="batch-foot">
        <Button onClick={restart}>Create another batch</Button>
      </div>
    </>
  )
}
