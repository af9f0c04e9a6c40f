/** Many withdrawals at once: what goes together is shown as it will be sent, and is submitted unchanged within ten minutes. */
import { MinusCircleOutlined, PlusOutlined } from '@ant-design/icons'
import { KontorError } from '@kontor/client'
import type { DataOf } from '@kontor/client'
import { useMutation } from '@tanstack/react-query'
import { App, Button, Checkbox, Form, Tag } from 'antd'
import { useEffect, useState } from 'react'
import type { ReactNode } from 'react'
import { Link } from 'react-router'
import { fieldPath } from '../../action/action.tsx'
import { InputItem } from '../../action/inputs.tsx'
import { useAll } from '../../api/all.ts'
import { once } from '../../api/once.ts'
import { queries, refreshAll, useMay } from '../../api/query.ts'
import { client } from '../../api/session.ts'
import { Rows } from '../../list/grid.tsx'
import { Empty, Failure } from '../../parts/states.tsx'
import { inWords, Status } from '../../parts/status.tsx'
import { Amount, Name } from '../../parts/values.tsx'
import { useIsCustomers } from './shares.tsx'
import { SPEED_LEVELS } from './withdraw.tsx'
import './treasury.css'

type Request = DataOf<'post', '/treasury/withdrawals/batch/prepare'>[number]
type Withdrawal = DataOf<'post', '/treasury/withdrawals/batch/submit'>[number]
type Payment = {
  route_id: string
  quantity: string
  speed_level: (typeof SPEED_LEVELS)[number]
  account_id?: string
  note?: string
}
type Payments = { withdrawals: Payment[] }

const EMPTY: Partial<Payment> = { speed_level: 'DEFAULT' }
const SECOND_MILLISECONDS = 1_000
/** Preparing twice would block twice what customers pay. */
const PREPARING = ['prepare a batch']

export function Page(): ReactNode {
  const [prepared, setPrepared] = useState<readonly Request[]>()
  const [made, setMade] = useState<readonly Withdrawal[]>()
  const [form] = Form.useForm<Payments>()
  const again = (): void => {
    setPrepared(undefined)
    setMade(undefined)
  }
  return (
    <section className="page" aria-label="Batches">
      <header className="page-head">
        <h1>Batches</h1>
        <span className="count">
          {made !== undefined
            ? 'submitted'
            : prepared !== undefined
              ? 'step 2 of 2: look and submit'
              : 'step 1 of 2: enter payments'}
        </span>
      </header>
      <div className="batch">
        <div hidden={prepared !== undefined || made !== undefined}>
          <PaymentsForm form={form} done={setPrepared} />
        </div>
        {prepared !== undefined && made === undefined && (
          <Bundles requests={prepared} back={again} done={setMade} />
        )}
        {made !== undefined && (
          <Made
            withdrawals={made}
            again={() => {
              form.resetFields()
              again()
            }}
          />
        )}
      </div>
    </section>
  )
}

const blank = (text: string | undefined): boolean => text === undefined || text.trim() === ''

function PaymentsForm({
  form,
  done,
}: {
  form: ReturnType<typeof Form.useForm<Payments>>[0]
  done(requests: readonly Request[]): void
}): ReactNode {
  const routes = useAll('/treasury/wallets/routes')
  const may = useMay('treasury.withdrawals.create')
  const isCustomers = useIsCustomers()
  const rows = (Form.useWatch('withdrawals', form) as Partial<Payment>[] | undefined) ?? []
  const { mutate, isPending, error } = useMutation({
    mutationKey: PREPARING,
    mutationFn: (values: Payments) =>
      client().post('/treasury/withdrawals/batch/prepare', {
        body: {
          withdrawals: values.withdrawals.map(
            ({ route_id, quantity, speed_level, account_id, note }) => ({
              route_id,
              quantity,
              speed_level,
              ...(account_id === undefined ? {} : { account_id }),
              ...(blank(note) ? {} : { note: String(note) }),
            }),
          ),
        },
      }),
    onSuccess: done,
    onError: (thrown) => {
      if (!(thrown instanceof KontorError)) return
      for (const { path, message } of thrown.error_details)
        form.setFields([{ name: fieldPath(path) as never, errors: [message] }])
    },
  })
  const sendable = (routes ?? []).filter((route) => route.from_wallet.access_type === 'INTERNAL')
  const assetOf = new Map(sendable.map((each) => [each.id, each.from_wallet.asset]))
  return (
    <Form<Payments>
      form={form}
      layout="vertical"
      requiredMark="optional"
      initialValues={{ withdrawals: [EMPTY, EMPTY] }}
      onFinish={(values) => {
        if (queries.isMutating({ mutationKey: PREPARING }) === 0) mutate(values)
      }}
    >
      <p className="explain">
        Payments to the same place go together in one transaction where the venue can do that, which
        saves fees. Preparing blocks what customers pay for ten minutes; nothing is sent before it
        is submitted.
      </p>
      <Form.List name="withdrawals">
        {(items, { add, remove }) => (
          <>
            {items.map((item, index) => (
              <div
                key={item.key}
                className="share payment"
                role="group"
                aria-label={`Payment ${index + 1}`}
              >
                <InputItem
                  field={{
                    name: [item.name, 'route_id'],
                    label: 'Route',
                    kind: 'words',
                    required: true,
                    options: sendable.map((each) => ({ value: each.id, label: each.label })),
                  }}
                />
                <InputItem
                  field={{
                    name: [item.name, 'quantity'],
                    label: 'Amount',
                    kind: 'amount',
                    required: true,
                    asset: assetOf.get(rows[index]?.route_id ?? ''),
                  }}
                />
                <InputItem
                  field={{
                    name: [item.name, 'account_id'],
                    label: 'For the account',
                    kind: 'account',
                    only: isCustomers,
                  }}
                />
                <InputItem
                  field={{
                    name: [item.name, 'speed_level'],
                    label: 'Speed',
                    kind: 'words',
                    options: SPEED_LEVELS,
                    required: true,
                  }}
                />
                <InputItem field={{ name: [item.name, 'note'], label: 'Note', kind: 'text' }} />
                {items.length > 1 && (
                  <Button
                    type="text"
                    aria-label={`Remove payment ${index + 1}`}
                    title="Remove"
                    icon={<MinusCircleOutlined />}
                    onClick={() => {
                      remove(item.name)
                    }}
                  />
                )}
              </div>
            ))}
            <div className="batch-foot">
              <Button
                size="small"
                type="dashed"
                icon={<PlusOutlined aria-hidden />}
                onClick={() => {
                  add({ ...EMPTY, ...rows.at(-1), quantity: undefined })
                }}
              >
                Another payment
              </Button>
              <span className="space" />
              <Button
                type="primary"
                htmlType="submit"
                loading={isPending}
                disabled={!may}
                title={
                  may
                    ? undefined
                    : 'Your roles do not have the permission treasury.withdrawals.create'
                }
              >
                Prepare
              </Button>
            </div>
          </>
        )}
      </Form.List>
      {error !== null && <Failure error={error} />}
    </Form>
  )
}

/** What would be sent, transaction by transaction; what is chosen is submitted. */
function Bundles({
  requests,
  back,
  done,
}: {
  requests: readonly Request[]
  back(): void
  done(withdrawals: readonly Withdrawal[]): void
}): ReactNode {
  const [chosen, setChosen] = useState<ReadonlySet<string>>(
    () => new Set(requests.map((request) => request.id)),
  )
  const { message } = App.useApp()
  const left = useSecondsUntil(requests[0]?.expires_at ?? 0)
  const given = requests.filter((request) => chosen.has(request.id))
  const { mutate, isPending, error } = useMutation({
    mutationFn: () =>
      once(given.map((each) => each.id).join(), (idempotency_key) =>
        client().post('/treasury/withdrawals/batch/submit', {
          body: { withdrawals: given },
          idempotency_key,
        } as { body: { withdrawals: Request[] } }),
      ),
    onSuccess: (withdrawals) => {
      message.success(
        `${withdrawals.length} ${withdrawals.length === 1 ? 'withdrawal' : 'withdrawals'} made`,
      )
      done(withdrawals)
      refreshAll().catch(() => undefined)
    },
  })
  const over = left <= 0
  return (
    <>
      {requests.map((request, index) => (
        <Bundle
          key={request.id}
          request={request}
          index={index}
          chosen={chosen.has(request.id)}
          choose={(on) => {
            setChosen(
              (old) =>
                new Set(on ? [...old, request.id] : [...old].filter((id) => id !== request.id)),
            )
          }}
        />
      ))}
      {error !== null && <Failure error={error} sent />}
      <div className="batch-foot">
        <Button onClick={back}>Back to the payments</Button>
        <span role="timer" className="count">
          {over
            ? 'The ten minutes are over: prepare them again.'
            : `Can be submitted for ${Math.floor(left / 60)}:${String(left % 60).padStart(2, '0')}`}
        </span>
        <span className="space" />
        <Button
          type="primary"
          loading={isPending}
          disabled={over || given.length === 0}
          onClick={() => {
            mutate()
          }}
        >{`Submit ${given.length} of ${requests.length}`}</Button>
      </div>
    </>
  )
}

function Bundle({
  request,
  index,
  chosen,
  choose,
}: {
  request: Request
  index: number
  chosen: boolean
  choose(on: boolean): void
}): ReactNode {
  const {
    asset,
    stakes,
    source_wallet_id,
    destination_wallet_id,
    protocol,
    quantity,
    fee_estimate,
    fee_asset,
    speed_level,
    bundled,
  } = request
  return (
    <section className="bundle" aria-label={`Transaction ${index + 1}`}>
      <header>
        <Checkbox
          checked={chosen}
          onChange={({ target }) => {
            choose(target.checked)
          }}
        >
          Transaction {index + 1}
        </Checkbox>
        <strong>
          <Amount value={quantity} asset={asset} />
        </strong>
        {bundled && <Tag>{stakes.length} payments together</Tag>}
        <span>
          from <Name of="wallet" id={source_wallet_id} />
          {destination_wallet_id === null ? (
            ' to several addresses'
          ) : (
            <>
              {' '}
              to <Name of="wallet" id={destination_wallet_id} />
            </>
          )}
        </span>
        <span className="space" />
        <span>
          {protocol}, {inWords(speed_level).toLowerCase()}, fee{' '}
          <Amount value={fee_estimate} asset={fee_asset} />
        </span>
      </header>
      <Rows
        label={`Payments of transaction ${index + 1}`}
        rows={stakes.map((stake, at) => ({ ...stake, at }))}
        keyOf={(row) => String(row.at)}
        columns={[
          { key: 'quantity', title: 'Amount', kind: 'amount', asset: () => asset, width: 150 },
          { key: 'route_id', title: 'Over', kind: 'route' },
          {
            key: 'destination',
            title: 'To address',
            render: (row) => <span title={row.destination}>{row.destination}</span>,
            width: 300,
          },
          { key: 'account_id', title: 'Account', kind: 'account' },
          { key: 'note', title: 'Note', width: 140 },
        ]}
      />
    </section>
  )
}

function Made({
  withdrawals,
  again,
}: {
  withdrawals: readonly Withdrawal[]
  again(): void
}): ReactNode {
  return (
    <>
      <Rows
        label="Withdrawals made"
        rows={withdrawals}
        keyOf={(row) => row.id}
        empty={<Empty title="Nothing was made" />}
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
        <Button onClick={again}>Another batch</Button>
      </div>
    </>
  )
}

/** Whole seconds that are left; 0 when it is over. `at` in Unix milliseconds. */
function useSecondsUntil(at: number): number {
  const [now, setNow] = useState(() => Date.now())
  useEffect(() => {
    const timer = setInterval(() => {
      setNow(Date.now())
    }, SECOND_MILLISECONDS)
    return () => {
      clearInterval(timer)
    }
  }, [])
  return Math.max(0, Math.ceil((at - now) / SECOND_MILLISECONDS))
}
