/** Withdrawing over a route. The fee is estimated while the user types the amount. */
import { addAmounts, KontorError } from '@kontor/client'
import { Form, Radio, Spin } from 'antd'
import { useLayoutEffect } from 'react'
import type { ReactNode } from 'react'
import { useNavigate } from 'react-router'
import { ActionButton } from '../../action/action.tsx'
import type { ActionPlan, Fact, Values } from '../../action/plan.ts'
import { InputItem } from '../../action/inputs.tsx'
import { useAll } from '../../api/all.ts'
import { useInWallet, useWithdrawable } from '../../api/available.ts'
import { useNames } from '../../api/names.ts'
import { client } from '../../api/session.ts'
import { t } from '../../language/index.ts'
import { errorText } from '../../parts/states.tsx'
import { inWords } from '../../parts/status.tsx'
import { Amount } from '../../parts/values.tsx'
import { accountHelp, factsOfAccount, isAtVenue, ReceiverWarning } from './account-facts.tsx'
import { SPEED_LEVELS, useEstimate } from './fee-estimate.ts'
import type { FeeEstimate, SpeedLevel } from './fee-estimate.ts'
import { factsOfTexts, TextInputs, textsOf } from './payment-texts.tsx'
import { addressOf, factsOfRoute } from './route-facts.tsx'
import type { Route } from './route-facts.tsx'
import { useIsCustomers } from './shares.tsx'
import {
  factsOfThirdParty,
  ThirdPartyInput,
  thirdPartyOf,
  useIsThirdParty,
} from './third-party.tsx'
import { transferFieldWords } from './transfer-inputs.tsx'
import './treasury.css'

type Level = SpeedLevel | 'CUSTOM'
type WithdrawPlan = ActionPlan<
  'post',
  '/treasury/wallets/routes/{treasury_route_id}/withdrawals',
  Route | undefined
>

const bodyOf = ({ quantity, speed_level, fee, account_id, third_party, ...texts }: Values) => ({
  quantity: String(quantity),
  speed_level: speed_level as Level,
  ...(fee === undefined || fee === '' ? {} : { fee: String(fee) }),
  ...textsOf(texts),
  ...(account_id === undefined ? {} : { account_id: String(account_id) }),
  ...thirdPartyOf({ third_party }),
})

/** `route` is fixed where the button stands on a route; otherwise the form asks for it. */
export function WithdrawButton({
  route,
  primary = false,
}: {
  route?: Route
  primary?: boolean
}): ReactNode {
  const navigate = useNavigate()
  const plan = withdrawPlan(route, (id) => {
    navigate(`/treasury/withdrawals/${id}`)?.catch(() => undefined)
  })
  return (
    <ActionButton plan={plan} primary={primary} {...(route === undefined ? {} : { row: route })} />
  )
}

const withdrawPlan = (route: Route | undefined, open: (id: string) => void): WithdrawPlan => ({
  label: t('Withdraw'),
  permission: 'treasury.withdrawals.create',
  why: () =>
    route?.from_wallet.access_type === 'EXTERNAL'
      ? t('Kontor cannot send from an external wallet')
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
  confirm: (_row, values) => factsOfWithdrawal(values),
  fieldOf: (path) => (path === 'treasury_route_id' || path === '' ? 'route_id' : path),
  done: () => t('Withdrawal created'),
  after: ({ id }) => {
    open(id)
  },
})

/** The route is read again, so that its present destination is what is confirmed. */
async function factsOfWithdrawal(values: Values): Promise<Fact[]> {
  const [[route], venues] = await Promise.all([
    client().get('/treasury/wallets/routes', { query: { id: String(values['route_id']) } }),
    client().get('/venues'),
  ])
  if (route === undefined) throw new Error(t('This route no longer exists. Choose another one.'))
  const { quantity, fee, speed_level, account_id } = bodyOf(values)
  const { asset, venue_id } = route.from_wallet
  const from = venues.find((venue) => venue.id === venue_id)
  const feeAsset = values['fee_asset'] as string | undefined
  return [
    { label: t('Arrives'), value: <Amount value={quantity} asset={asset} /> },
    {
      label: t('Fee'),
      value: (
        <>
          {fee === undefined ? t('set by the venue') : <Amount value={fee} asset={feeAsset} />}
          {`, ${inWords(speed_level)}`}
        </>
      ),
    },
    ...(fee !== undefined && feeAsset === asset
      ? [
          {
            label: t('Total sent'),
            value: <Amount value={addAmounts(quantity, fee)} asset={asset} />,
          },
        ]
      : []),
    ...factsOfExecution(values),
    ...factsOfRoute(route),
    ...factsOfTextsSent(values),
    ...factsOfAccount(route, account_id),
    ...factsOfThirdParty(values),
    ...factsOfTexts(values, { sent: from?.kind === 'BANK' && !isAtVenue(route) }),
  ]
}

/** On which day a bank executes it. Other venues execute at once. */
function factsOfExecution(values: Values): Fact[] {
  const date = values['execution_date'] as string | null | undefined
  return date == null ? [] : [{ label: t('Execution expected'), value: date }]
}

/** What the bank is sent in other characters than it was typed. */
function factsOfTextsSent(values: Values): Fact[] {
  const sent = Object.entries((values['sent_as'] ?? {}) as FeeEstimate['sent_as'])
  if (sent.length === 0) return []
  const texts = sent.map(([name, text]) => `${transferFieldWords(name)} “${text}”`)
  return [{ label: t('Sent to the bank as'), value: texts.join(', ') }]
}

/** Routes of one name are told apart by customer, protocol, and what the payee reads. */
function routeWords(route: Route, names: ReturnType<typeof useNames>): string {
  const { reference, tag } = route.transfer.to as { reference?: string; tag?: string }
  const customer = names.get(route.to_wallet.customer_id ?? '')
  return [route.label, route.from_wallet.asset, route.protocol, customer, tag, reference]
    .filter((part) => part !== undefined && part !== '')
    .join(' · ')
}

function WithdrawForm({ fixed }: { fixed: Route | undefined }): ReactNode {
  const form = Form.useFormInstance()
  const names = useNames('customer')
  const routes = useAll('/treasury/wallets/routes') ?? []
  const route_id = Form.useWatch('route_id', form) as string | undefined
  const isCustomers = useIsCustomers()
  const account_id = Form.useWatch('account_id', form) as string | undefined
  const route = fixed ?? routes.find((route) => route.id === route_id)
  const isThirdParty = useIsThirdParty(route, account_id)
  const asset = route?.from_wallet.asset
  const available = useWithdrawable(account_id, asset)
  const known = useInWallet(account_id === undefined ? route?.from_wallet_id : undefined)
  const sendable = routes
    .filter((route) => route.from_wallet.access_type === 'INTERNAL')
    .map((route) => ({ value: route.id, label: routeWords(route, names) }))
  return (
    <>
      <InputItem
        field={{
          name: 'route_id',
          label: t('Route'),
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
          label: t('Amount'),
          kind: 'amount',
          asset,
          available,
          known,
          required: true,
        }}
      />
      <FeeInputs route={route} />
      <InputItem
        field={{
          name: 'account_id',
          label: t('Customer account'),
          kind: 'account',
          only: isCustomers,
          help: accountHelp(route),
        }}
      />
      <ReceiverWarning route={route} account_id={account_id} />
      {isThirdParty && <ThirdPartyInput />}
      <TextInputs />
    </>
  )
}

/** Speed and fee. Without a custom fee, the estimate of the chosen speed is what is sent. */
function FeeInputs({ route }: { route: Route | undefined }): ReactNode {
  const form = Form.useFormInstance()
  const quantity = Form.useWatch('quantity', form) as string | undefined
  const level = (Form.useWatch('speed_level', form) as Level | undefined) ?? 'DEFAULT'
  const { data: estimate, error, isFetching } = useEstimate(route?.id, quantity)
  const fee = level === 'CUSTOM' ? undefined : estimate?.speed_levels[level].fee

  // Before the browser paints: the fee on the screen is always the fee that is sent.
  useLayoutEffect(() => {
    if (level !== 'CUSTOM') form.setFieldValue('fee', fee)
  }, [form, fee, level])
  useLayoutEffect(() => {
    form.setFieldValue('fee_asset', estimate?.asset)
    form.setFieldValue('execution_date', estimate?.execution_date)
    form.setFieldValue('sent_as', estimate?.sent_as)
  }, [form, estimate?.asset, estimate?.execution_date, estimate?.sent_as])

  return (
    <>
      <Form.Item
        name="speed_level"
        label={t('Speed and fee')}
        required
        extra={<EstimateNote estimate={estimate} error={error} />}
      >
        <Radio.Group className="fee-levels">
          {SPEED_LEVELS.map((speedLevel) => (
            <Radio key={speedLevel} value={speedLevel}>
              {inWords(speedLevel)}{' '}
              <LevelFee level={speedLevel} estimate={estimate} loading={isFetching} />
            </Radio>
          ))}
          {estimate?.custom === true && <Radio value="CUSTOM">{t('Custom fee')}</Radio>}
        </Radio.Group>
      </Form.Item>
      {['fee_asset', 'execution_date'].map((name) => (
        <Form.Item key={name} name={name} hidden>
          <input />
        </Form.Item>
      ))}
      <Form.Item name="sent_as" hidden>
        <NoControl />
      </Form.Item>
      {level === 'CUSTOM' ? (
        <InputItem
          field={{
            name: 'fee',
            label: t('Fee'),
            kind: 'amount',
            asset: estimate?.asset,
            required: true,
          }}
        />
      ) : (
        <Form.Item name="fee" className="errors-only">
          <NoControl />
        </Form.Item>
      )}
    </>
  )
}

function EstimateNote({
  estimate,
  error,
}: {
  estimate: FeeEstimate | undefined
  error: unknown
}): ReactNode {
  if (error !== null) return <span role="status">{estimateWords(error)}</span>
  const date = estimate?.execution_date ?? null
  return date === null ? null : t('The bank executes it on {{date}}.', { date })
}

function LevelFee({
  level,
  estimate,
  loading,
}: {
  level: SpeedLevel
  estimate: FeeEstimate | undefined
  loading: boolean
}): ReactNode {
  if (estimate !== undefined)
    return <Amount value={estimate.speed_levels[level].fee} asset={estimate.asset} />
  return loading ? <Spin size="small" /> : null
}

/** For a value that is shown elsewhere: its form item shows errors only. */
function NoControl(): ReactNode {
  return null
}

const estimateWords = (error: unknown): string =>
  error instanceof KontorError
    ? t('No fee estimate: {{title}}', { title: errorText(error).title })
    : errorText(error).title
