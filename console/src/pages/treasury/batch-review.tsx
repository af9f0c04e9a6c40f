/** Step 2 of a batch: the prepared transactions. The chosen ones are submitted. */
import type { DataOf } from '@kontor/client'
import { useMutation } from '@tanstack/react-query'
import { App, Button, Checkbox, Tag } from 'antd'
import { useEffect, useState } from 'react'
import type { ReactNode } from 'react'
import { once } from '../../api/once.ts'
import { refreshAll } from '../../api/query.ts'
import { client } from '../../api/session.ts'
import { Rows } from '../../list/grid.tsx'
import { Failure } from '../../parts/states.tsx'
import { inWords } from '../../parts/status.tsx'
import { Amount, Name } from '../../parts/values.tsx'
import type { PreparedWithdrawal } from './batch-payments.tsx'
import { TEXT_FIELDS } from './payment-texts.tsx'
import { THIRD_PARTY_FIELD } from './third-party.tsx'

export type CreatedWithdrawal = DataOf<'post', '/treasury/withdrawals/batch/submit'>[number]

const SECOND_MILLISECONDS = 1_000

export function BatchReview({
  prepared,
  back,
  done,
}: {
  prepared: readonly PreparedWithdrawal[]
  back(): void
  done(withdrawals: readonly CreatedWithdrawal[]): void
}): ReactNode {
  const [chosenIds, setChosenIds] = useState<ReadonlySet<string>>(
    () => new Set(prepared.map((transaction) => transaction.id)),
  )
  const seconds = useSecondsUntil(prepared[0]?.expires_at ?? 0)
  const chosen = prepared.filter((transaction) => chosenIds.has(transaction.id))
  const { submit, isPending, error } = useSubmission(chosen, done)
  const choose = (id: string, on: boolean): void => {
    setChosenIds((old) => new Set(on ? [...old, id] : [...old].filter((other) => other !== id)))
  }
  return (
    <>
      {prepared.map((transaction, index) => (
        <Transaction
          key={transaction.id}
          transaction={transaction}
          number={index + 1}
          chosen={chosenIds.has(transaction.id)}
          choose={(on) => {
            choose(transaction.id, on)
          }}
        />
      ))}
      {error !== null && <Failure error={error} sent />}
      <div className="batch-foot">
        <Button onClick={back}>Back to payments</Button>
        <span role="timer" className="count">
          {seconds <= 0
            ? 'The ten minutes are over. Go back and prepare the payments again.'
            : `Submit within ${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`}
        </span>
        <span className="space" />
        <Button
          type="primary"
          loading={isPending}
          disabled={seconds <= 0 || chosen.length === 0}
          onClick={submit}
        >{`Submit ${chosen.length} of ${prepared.length}`}</Button>
      </div>
    </>
  )
}

function useSubmission(
  chosen: PreparedWithdrawal[],
  done: (withdrawals: readonly CreatedWithdrawal[]) => void,
): { submit(): void; isPending: boolean; error: Error | null } {
  const { message } = App.useApp()
  const { mutate, isPending, error } = useMutation({
    mutationFn: () =>
      once(chosen.map((transaction) => transaction.id).join(), (idempotency_key) =>
        client().post('/treasury/withdrawals/batch/submit', {
          body: { withdrawals: chosen },
          idempotency_key,
        } as { body: { withdrawals: PreparedWithdrawal[] } }),
      ),
    onSuccess: (withdrawals) => {
      message.success(
        `${withdrawals.length} ${withdrawals.length === 1 ? 'withdrawal' : 'withdrawals'} created`,
      )
      done(withdrawals)
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
  number,
  chosen,
  choose,
}: {
  transaction: PreparedWithdrawal
  number: number
  chosen: boolean
  choose(on: boolean): void
}): ReactNode {
  const { asset, stakes, protocol, quantity, fee_estimate, fee_asset, speed_level } = transaction
  return (
    <section className="bundle" aria-label={`Transaction ${number}`}>
      <header>
        <Checkbox
          checked={chosen}
          onChange={({ target }) => {
            choose(target.checked)
          }}
        >
          Transaction {number}
        </Checkbox>
        <strong>
          <Amount value={quantity} asset={asset} />
        </strong>
        {transaction.bundled && <Tag>{stakes.length} payments in one</Tag>}
        <Way transaction={transaction} />
        <span className="space" />
        <span>
          {protocol}, {inWords(speed_level).toLowerCase()}, fee{' '}
          <Amount value={fee_estimate} asset={fee_asset} />
        </span>
      </header>
      <Rows
        label={`Payments of transaction ${number}`}
        rows={stakes.map((stake, index) => ({ ...stake, index }))}
        keyOf={(row) => String(row.index)}
        columns={[
          { key: 'quantity', title: 'Amount', kind: 'amount', asset: () => asset, width: 150 },
          { key: 'route_id', title: 'Route', kind: 'route' },
          {
            key: 'destination',
            title: 'To address',
            render: (row) => <span title={row.destination}>{row.destination}</span>,
            width: 300,
          },
          { key: 'account_id', title: 'Account', kind: 'account' },
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
