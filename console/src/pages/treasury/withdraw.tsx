/** Withdrawing over a route: what it costs is asked while one types, and what leaves is confirmed. */
import { KontorError } from '@kontor/client'
import { useQuery } from '@tanstack/react-query'
import { Form, Radio, Spin } from 'antd'
import { useDeferredValue, useEffect, useLayoutEffect, useState } from 'react'
import type { ReactNode } from 'react'
import { useNavigate } from 'react-router'
import { ActionButton } from '../../action/action.tsx'
import type { ActionPlan, Fact, Values } from '../../action/action.tsx'
import { InputItem } from '../../action/inputs.tsx'
import { useAll } from '../../api/all.ts'
import { unlessAnswered } from '../../api/query.ts'
import { client } from '../../api/session.ts'
import type { RowOf } from '../../list/work-list.tsx'
import { addAmounts, isZero, readAmount } from '../../parts/decimal.ts'
import { errorText } from '../../parts/states.tsx'
import { inWords } from '../../parts/status.tsx'
import { Amount, Name } from '../../parts/values.tsx'
import { useIsCustomers } from './shares.tsx'
import './treasury.css'

export type Route = RowOf<'/treasury/wallets/routes'>
export const SPEED_LEVELS = ['DEFAULT', 'FAST', 'SLOW'] as const
type Level = (typeof SPEED_LEVELS)[number] | 'CUSTOM'
const TYPING_MILLISECONDS = 400

/** Where it goes besides the address: the tag of a coin, the reference of a wire. */
export const addressOf = (route: Route): string => {
  const { tag, reference } = route.transfer.to as Partial<Record<'tag' | 'reference', string>>
  return `${route.to_wallet.address}${tag === undefined ? '' : `, tag ${tag}`}${reference === undefined ? '' : `, reference “${reference}”`}`
}

export const factsOfRoute = (route: Route): Fact[] => [
  {
    label: 'From',
    value: (
      <>
        {route.from_wallet.label} at <Name of="venue" id={route.from_wallet.venue_id} />
      </>
    ),
  },
  {
    label: 'To',
    value: (
      <>
        {route.to_wallet.label}
        {route.to_wallet.venue_id === null ? (
          ''
        ) : (
          <>
            {' '}
            at <Name of="venue" id={route.to_wallet.venue_id} />
          </>
        )}
      </>
    ),
  },
  { label: 'Address', value: addressOf(route) },
  { label: 'Over', value: `${route.label} (${route.protocol})` },
]

const bodyOf = ({ quantity, speed_level, fee, note, account_id }: Values) => ({
  quantity: String(quantity),
  speed_level: speed_level as Level,
  ...(fee === undefined || fee === '' ? {} : { fee: String(fee) }),
  ...(note === undefined || note === '' ? {} : { note: String(note) }),
  ...(account_id === undefined ? {} : { account_id: String(account_id) }),
})

export function WithdrawButton({
  route,
  primary = false,
}: {
  route?: Route
  primary?: boolean
}): ReactNode {
  const navigate = useNavigate()
  const plan: ActionPlan<
    'post',
    '/treasury/wallets/routes/{treasury_route_id}/withdrawals',
    Route | undefined
  > = {
    label: 'Withdraw',
    permission: 'treasury.withdrawals.create',
    why: () =>
      route !== undefined && route.from_wallet.access_type === 'EXTERNAL'
        ? 'Nothing can be sent from an external wallet'
        : undefined,
    form: () => <WithdrawForm fixed={route} />,
    initial: () => ({
      speed_level: 'DEFAULT',
      ...(route === undefined ? {} : { route_id: route.id }),
    }),
    width: 600,
    method: 'post',
    path: '/treasury/wallets/routes/{treasury_route_id}/withdrawals',
    request: (_row, values) => ({
      params: { treasury_route_id: String(values['route_id']) },
      body: bodyOf(values),
    }),
    confirm: async (_row, values) => {
      // As it is now: where it leads is what is confirmed.
      const [chosen] = await client().get('/treasury/wallets/routes', {
        query: { id: String(values['route_id']) },
      })
      if (chosen === undefined) throw new Error('The route is gone: choose another one')
      const { quantity, fee, speed_level, account_id } = bodyOf(values)
      const asset = chosen.from_wallet.asset
      return [
        { label: 'Arrives', value: <Amount value={quantity} asset={asset} /> },
        {
          label: 'Fee',
          value: (
            <>
              {fee === undefined ? (
                'as the venue takes it'
              ) : (
                <Amount value={fee} asset={values['fee_asset'] as string | undefined} />
              )}
              , {inWords(speed_level)}
            </>
          ),
        },
        ...(fee !== undefined && values['fee_asset'] === asset
          ? [
              {
                label: 'Leaves in all',
                value: <Amount value={addAmounts(quantity, fee)} asset={asset} />,
              },
            ]
          : []),
        ...factsOfRoute(chosen),
        {
          label: 'Account',
          value:
            account_id === undefined ? (
              "Nobody: it is the house's"
            ) : (
              <Name of="account" id={account_id} />
            ),
        },
      ]
    },
    fieldOf: (path) => (path === 'treasury_route_id' || path === '' ? 'route_id' : path),
    done: () => 'Withdrawal made',
    after: ({ id }) => {
      navigate(`/treasury/withdrawals/${id}`)?.catch(() => undefined)
    },
  }
  return (
    <ActionButton plan={plan} primary={primary} {...(route === undefined ? {} : { row: route })} />
  )
}

/** The last value that has not changed for a while. */
export function useSettled<T>(value: T): T {
  const [settled, setSettled] = useState(value)
  useEffect(() => {
    const timer = setTimeout(() => {
      setSettled(value)
    }, TYPING_MILLISECONDS)
    return () => {
      clearTimeout(timer)
    }
  }, [value])
  return settled
}

/** What a transfer costs now; undefined without an amount. */
export function useEstimate(route_id: string | undefined, quantity: string | undefined) {
  const amount = readAmount(quantity ?? '')
  const settled = useSettled(useDeferredValue(amount))
  const asked = settled !== undefined && !isZero(settled) && route_id !== undefined
  const { data, error, isFetching } = useQuery({
    queryKey: ['estimate', route_id, settled],
    enabled: asked,
    staleTime: 60_000,
    retry: unlessAnswered,
    queryFn: ({ signal }) =>
      client().post('/treasury/wallets/routes/{route_id}/estimate-fee', {
        params: { route_id: route_id ?? '' },
        body: { quantity: settled ?? '' },
        signal,
      }),
  })
  // Not of the amount that stood there before.
  return { data: settled === amount ? data : undefined, error, isFetching }
}

function WithdrawForm({ fixed }: { fixed: Route | undefined }): ReactNode {
  const form = Form.useFormInstance()
  const routes = useAll('/treasury/wallets/routes') ?? []
  const route_id = Form.useWatch('route_id', form) as string | undefined
  const quantity = Form.useWatch('quantity', form) as string | undefined
  const level = (Form.useWatch('speed_level', form) as Level | undefined) ?? 'DEFAULT'
  const isCustomers = useIsCustomers()
  const route = fixed ?? routes.find((route) => route.id === route_id)
  const { data: estimate, error, isFetching } = useEstimate(route?.id, quantity)
  const fee =
    estimate === undefined || level === 'CUSTOM' ? undefined : estimate.speed_levels[level].fee

  // Before it is seen: what is seen is what is sent.
  useLayoutEffect(() => {
    if (level !== 'CUSTOM') form.setFieldValue('fee', fee)
  }, [form, fee, level])
  useLayoutEffect(() => {
    form.setFieldValue('fee_asset', estimate?.asset)
  }, [form, estimate?.asset])

  const sendable = routes
    .filter((route) => route.from_wallet.access_type === 'INTERNAL')
    .map((route) => ({ value: route.id, label: `${route.label} · ${route.from_wallet.asset}` }))
  return (
    <>
      <InputItem
        field={{
          name: 'route_id',
          label: 'Route',
          kind: 'words',
          options: fixed === undefined ? sendable : [{ value: fixed.id, label: fixed.label }],
          required: true,
          disabled: fixed !== undefined,
          help:
            route === undefined
              ? undefined
              : `${route.from_wallet.label} → ${route.to_wallet.label}, ${addressOf(route)}`,
        }}
      />
      <InputItem
        field={{
          name: 'quantity',
          label: 'Amount that shall arrive',
          kind: 'amount',
          asset: route?.from_wallet.asset,
          required: true,
        }}
      />
      <Form.Item
        name="speed_level"
        label="Speed and fee"
        required
        extra={error === null ? undefined : <span role="status">{estimateWords(error)}</span>}
      >
        <Radio.Group className="fee-levels">
          {SPEED_LEVELS.map((speedLevel) => (
            <Radio key={speedLevel} value={speedLevel}>
              {inWords(speedLevel)}{' '}
              {estimate === undefined ? (
                isFetching ? (
                  <Spin size="small" />
                ) : null
              ) : (
                <Amount value={estimate.speed_levels[speedLevel].fee} asset={estimate.asset} />
              )}
            </Radio>
          ))}
          {estimate?.custom === true && <Radio value="CUSTOM">A fee of your own</Radio>}
        </Radio.Group>
      </Form.Item>
      <Form.Item name="fee_asset" hidden>
        <input />
      </Form.Item>
      {level === 'CUSTOM' ? (
        <InputItem
          field={{
            name: 'fee',
            label: 'Fee',
            kind: 'amount',
            asset: estimate?.asset,
            required: true,
          }}
        />
      ) : (
        <Form.Item name="fee" className="told">
          <Told />
        </Form.Item>
      )}
      <InputItem
        field={{
          name: 'account_id',
          label: 'For the account',
          kind: 'account',
          only: isCustomers,
          help: "The customer who pays; the amount is blocked at once. Empty: it is the house's.",
        }}
      />
      <InputItem field={{ name: 'note', label: 'Note', kind: 'text' }} />
    </>
  )
}

/** A value of the form that is shown elsewhere; errors about it are shown here. */
function Told(): ReactNode {
  return null
}

const estimateWords = (error: unknown): string =>
  error instanceof KontorError
    ? `No fee is known: ${errorText(error).title}`
    : errorText(error).title
