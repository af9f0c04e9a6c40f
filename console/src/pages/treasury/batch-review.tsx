/** The transactions of a batch. While it is prepared, the chosen ones are submitted. */
import type { DataOf } from '@kontor/client'
import { useMutation } from '@tanstack/react-query'
import { App, Button, Checkbox, Tag } from 'antd'
import { useEffect, useState } from 'react'
import type { ReactNode } from 'react'
import { Link } from 'react-router'
import { once } from '../../api/once.ts'
import { refreshAll, useMay } from '../../api/query.ts'
import { client } from '../../api/session.ts'
import { Trans, lowered, t } from '../../language/index.ts'
import { Rows } from '../../list/grid.tsx'
import { Failure } from '../../parts/states.tsx'
import { inWords, Status } from '../../parts/status.tsx'
import { Amount, Name } from '../../parts/values.tsx'
import type { PreparedWithdrawal } from './batch-payments.tsx'
import { TEXT_FIELDS } from './payment-texts.tsx'
import { THIRD_PARTY_FIELD } from './third-party.tsx'

type Batch = DataOf<'get', '/treasury/batches/{batch_id}'>
type Submitted = DataOf<'post', '/treasury/withdrawals/batch/submit'>

const SECOND_MILLISECONDS = 1_000
const PERMISSION = 'treasury.withdrawals.create'

export function BatchTransactions({ batch }: { batch: Batch }): ReactNode {
  const { requests } = batch
  const [leftOut, setLeftOut] = useState<ReadonlySet<string>>(new Set())
  const isChosen = (id: string): boolean => !leftOut.has(id)
  const live = requests.filter(({ state }) => state === 'PREPARED').map(({ request }) => request)
  const chosen = live.filter(({ id }) => isChosen(id))
  const { submit, isPending, error } = useSubmission(chosen)
  const choose = (id: string, on: boolean): void => {
    setLeftOut((old) => new Set(on ? [...old].filter((other) => other !== id) : [...old, id]))
  }
  return (
    <div className="batch">
      {requests.map(({ request, state, withdrawal_id }, index) => (
        <Transaction
          key={request.id}
          transaction={request}
          head={
            state === 'PREPARED' && batch.state === 'PREPARED' ? (
              <Checkbox
                checked={isChosen(request.id)}
                onChange={({ target }) => {
                  choose(request.id, target.checked)
                }}
              >
                {t('Transaction {{number}}', { number: index + 1 })}
              </Checkbox>
            ) : (
              <>
                {t('Transaction {{number}}', { number: index + 1 })} <Status state={state} />
                {withdrawal_id !== null && (
                  <Link to={`/treasury/withdrawals/${withdrawal_id}`}>{t('Open withdrawal')}</Link>
                )}
              </>
            )
          }
          number={index + 1}
        />
      ))}
      {error !== null && <Failure error={error} sent />}
      {batch.state === 'PREPARED' && (
        <SubmitFoot
          expires_at={batch.expires_at}
          says={t('Submit {{count}} of {{all}}', { count: chosen.length, all: live.length })}
          none={chosen.length === 0}
          submit={submit}
          pending={isPending}
        />
      )}
    </div>
  )
}

function SubmitFoot({
  expires_at,
  says,
  none,
  submit,
  pending,
}: {
  expires_at: number
  says: string
  none: boolean
  submit(): void
  pending: boolean
}): ReactNode {
  const may = useMay(PERMISSION)
  const seconds = useSecondsUntil(expires_at)
  return (
    <div className="batch-foot">
      <span role="timer" className="count">
        {seconds <= 0
          ? t('The ten minutes are over. Prepare the payments again.')
          : t('Submit within {{time}}', {
              time: `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`,
            })}
      </span>
      <span className="space" />
      <Button
        type="primary"
        loading={pending}
        disabled={!may || seconds <= 0 || none}
        title={
          may
            ? undefined
            : t('Your roles do not have the permission {{permission}}', { permission: PERMISSION })
        }
        onClick={submit}
      >
        {says}
      </Button>
    </div>
  )
}

function useSubmission(chosen: PreparedWithdrawal[]): {
  submit(): void
  isPending: boolean
  error: Error | null
} {
  const { message } = App.useApp()
  const { mutate, isPending, error } = useMutation({
    mutationFn: () =>
      once(chosen.map((transaction) => transaction.id).join(), (idempotency_key) =>
        client().post('/treasury/withdrawals/batch/submit', {
          body: { withdrawals: chosen },
          idempotency_key,
        } as { body: { withdrawals: PreparedWithdrawal[] } }),
      ),
    onSuccess: (withdrawals: Submitted) => {
      message.success(t('{{count}} withdrawals created', { count: withdrawals.length }))
      refreshAll().catch(() => undefined)
    },
  })
  return {
    submit: () => {
      mutate()
    },
    isPending,
    error,
  }
}

function Transaction({
  transaction,
  head,
  number,
}: {
  transaction: PreparedWithdrawal
  head: ReactNode
  number: number
}): ReactNode {
  const { asset, stakes, protocol, quantity, fee_estimate, fee_asset, speed_level } = transaction
  return (
    <section className="bundle" aria-label={t('Transaction {{number}}', { number })}>
      <header>
        {head}
        <strong>
          <Amount value={quantity} asset={asset} />
        </strong>
        {transaction.bundled && (
          <Tag>{t('{{count}} payments in one', { count: stakes.length })}</Tag>
        )}
        <Way transaction={transaction} />
        <span className="space" />
        <span>
          <Trans
            i18nKey="{{protocol}}, {{speed_level}}, fee <amount/>"
            components={{ amount: <Amount value={fee_estimate} asset={fee_asset} /> }}
            values={{ protocol, speed_level: lowered(inWords(speed_level)) }}
          />
        </span>
      </header>
      <Rows
        label={t('Payments of transaction {{number}}', { number })}
        rows={stakes.map((stake, index) => ({ ...stake, index }))}
        keyOf={(row) => String(row.index)}
        columns={[
          { key: 'quantity', title: t('Amount'), kind: 'amount', asset: () => asset, width: 150 },
          { key: 'route_id', title: t('Route'), kind: 'route' },
          {
            key: 'destination',
            title: t('To address'),
            render: (row) => <span title={row.destination}>{row.destination}</span>,
            width: 300,
          },
          { key: 'account_id', title: t('Account'), kind: 'account' },
          { ...THIRD_PARTY_FIELD, kind: 'flag', width: 140 },
          ...TEXT_FIELDS.map((field) => ({ ...field, width: 140 })),
        ]}
      />
    </section>
  )
}

function Way({
  transaction: { source_wallet_id, destination_wallet_id },
}: {
  transaction: PreparedWithdrawal
}): ReactNode {
  return (
    <span>
      <Trans
        i18nKey={
          destination_wallet_id === null
            ? 'from <source/> to several addresses'
            : 'from <source/> to <destination/>'
        }
        components={{
          source: <Name of="wallet" id={source_wallet_id} />,
          destination: <Name of="wallet" id={destination_wallet_id} />,
        }}
      />
    </span>
  )
}

/** Whole seconds until `at` (Unix milliseconds); 0 afterwards. */
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
