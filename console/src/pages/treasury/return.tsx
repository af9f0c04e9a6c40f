/** Sending a deposit, or a part of it, back to whom it came from. */
import { addAmounts, isZero, negated } from '@kontor/client'
import type { DataOf } from '@kontor/client'
import { Form } from 'antd'
import type { ReactNode } from 'react'
import { filledText, filledTexts } from '../../action/filled.ts'
import { Inputs } from '../../action/inputs.tsx'
import type { ActionPlan, Fact, Values } from '../../action/plan.ts'
import { useAll } from '../../api/all.ts'
import { useGet } from '../../api/query.ts'
import { client } from '../../api/session.ts'
import { t } from '../../language/index.ts'
import { RecordLink } from '../../parts/links.tsx'
import { Status } from '../../parts/status.tsx'
import { Amount, Name, NOTHING } from '../../parts/values.tsx'
import { openRest } from './open-rest.ts'
import type { Deposit } from './open-rest.ts'
import { factsOfRoute } from './route-facts.tsx'
import { whyHeld } from './screened.tsx'
import {
  factsOfThirdParty,
  ThirdPartyInput,
  thirdPartyOf,
  useIsThirdParty,
} from './third-party.tsx'

type Preview = Extract<
  DataOf<'post', '/treasury/deposits/{deposit_id}/return'>,
  { dry_run: boolean }
>

/** States in which nothing of a deposit can go back. */
const WHY_NOT_RETURN: Partial<Readonly<Record<Deposit['state'], string>>> = {
  PENDING: t('The deposit is not final at the venue yet'),
  PENDING_REVIEW: t('The venue keeps the deposit frozen'),
  FAILED: t('The deposit failed'),
  REVERSED: t('The venue has taken the deposit back'),
  RETURNED: t('The deposit has gone back to its sender'),
}

const isAssigned = (deposit: Deposit): boolean => isZero(openRest(deposit))

const notReturned = ({ quantity, returned_quantity, returning_quantity }: Deposit): string =>
  addAmounts(quantity, negated(returned_quantity), negated(returning_quantity))

const isAllReturned = (deposit: Deposit): boolean => isZero(notReturned(deposit))

/** An account gives back no more than is left of the deposit. */
const returnable = (deposit: Deposit, account_id: string | undefined): string =>
  account_id === undefined && !isAssigned(deposit) ? openRest(deposit) : notReturned(deposit)

function whyNotReturn(deposit: Deposit): string | undefined {
  if (deposit.own_transfer) return t('The deposit is the arrival of a transfer')
  const isOver = isAllReturned(deposit) ? t('All of it has gone back, or is about to') : undefined
  return WHY_NOT_RETURN[deposit.state] ?? isOver ?? whyHeld(deposit)
}

const bodyOf = ({ quantity, account_id, route_id, third_party, reason }: Values) => ({
  reason: String(reason),
  ...filledTexts({ quantity, account_id, route_id }),
  ...thirdPartyOf({ third_party }),
})

export const returnDeposit: ActionPlan<'post', '/treasury/deposits/{deposit_id}/return', Deposit> =
  {
    label: t('Return to sender'),
    permission: 'treasury.deposits.return',
    danger: true,
    why: whyNotReturn,
    explain: () =>
      t(
        'Makes a withdrawal to the account from which the deposit was paid. A coin goes ' +
          'back over a route: ask the sender for an address. What is sent to the sending ' +
          'address may be lost.',
      ),
    form: (deposit) => <ReturnForm deposit={deposit} />,
    initial: (deposit) => (isAssigned(deposit) ? {} : { quantity: openRest(deposit) }),
    width: 600,
    method: 'post',
    path: '/treasury/deposits/{deposit_id}/return',
    request: ({ id }, values) => ({ params: { deposit_id: id }, body: bodyOf(values) }),
    confirm: factsOfReturn,
    fieldOf: (path) => (path === 'treasury_route_id' ? 'route_id' : path || 'quantity'),
    done: () => t('Return requested'),
  }

/** The service works out what would be sent, and where to. It is refused here as it would be. */
async function factsOfReturn(deposit: Deposit, values: Values): Promise<Fact[]> {
  const account_id = filledText(values['account_id'])
  const preview = (await client().post('/treasury/deposits/{deposit_id}/return', {
    params: { deposit_id: deposit.id },
    query: { dry_run: 'true' },
    body: bodyOf(values),
  })) as Preview
  const { quantity, asset, fee_estimate, fee_asset, execution_date } = preview
  return [
    { label: t('Arrives'), value: <Amount value={quantity} asset={asset} /> },
    { label: t('Fee'), value: <Amount value={fee_estimate} asset={fee_asset} /> },
    {
      label: t('Taken from'),
      value: account_id ? <Name of="account" id={account_id} /> : t('what is not assigned'),
    },
    ...(await factsOfWay(preview, filledText(values['route_id']))),
    ...(execution_date === null ? [] : [{ label: t('Execution expected'), value: execution_date }]),
    ...factsOfThirdParty(values),
    { label: t('Why'), value: String(values['reason']) },
  ]
}

const payeeOf = ({ recipient_name, destination_address }: Preview): string =>
  [recipient_name, destination_address].filter(Boolean).join(', ')

/** The route is read again, so that its present destination is what is confirmed. */
async function factsOfWay(preview: Preview, route_id: string | undefined): Promise<Fact[]> {
  if (route_id === undefined) return [{ label: t('To'), value: payeeOf(preview) }]
  const [route] = await client().get('/treasury/wallets/routes', { query: { id: route_id } })
  if (route === undefined) throw new Error(t('This route no longer exists. Choose another one.'))
  return factsOfRoute(route)
}

function ReturnForm({ deposit }: { deposit: Deposit }): ReactNode {
  const { data: assignments = [] } = useGet('/treasury/deposits/{deposit_id}/assignments', {
    params: { deposit_id: deposit.id },
  })
  const routes = useAll('/treasury/wallets/routes') ?? []
  const form = Form.useFormInstance()
  const route_id = Form.useWatch('route_id', form) as string | undefined
  const account_id = Form.useWatch('account_id', form) as string | undefined
  const route = routes.find(({ id }) => id === route_id)
  const isThirdParty = useIsThirdParty(route, account_id)
  const owners = new Set(
    assignments
      .filter(
        ({ customer_id, booked_at, rectification_id }) =>
          customer_id !== null && booked_at !== null && rectification_id === null,
      )
      .map((assignment) => assignment.account_id),
  )
  const outward = new Set(
    routes
      .filter(
        (route) =>
          route.from_wallet_id === deposit.wallet_id && route.to_wallet.access_type === 'EXTERNAL',
      )
      .map((route) => route.id),
  )
  return (
    <>
      <Inputs
        fields={[
          {
            name: 'quantity',
            label: t('Amount'),
            kind: 'amount',
            asset: deposit.asset,
            available: returnable(deposit, account_id),
            help: t('What arrives. Leave empty to return all that is left.'),
          },
          {
            name: 'account_id',
            label: t('From account'),
            kind: 'account',
            only: (id) => owners.has(id),
            required: isAssigned(deposit),
            help: isAssigned(deposit)
              ? t('Whose part goes back. All of this deposit is assigned.')
              : t('Whose part goes back. Leave empty for what is not assigned.'),
          },
          {
            name: 'route_id',
            label: t('Route'),
            kind: 'route',
            only: (id) => outward.has(id),
            help: t(
              'Needed for a coin, for money that a bank sent back to us, and where the ' +
                "payer's account is not named.",
            ),
          },
          { name: 'reason', label: t('Reason of the return'), kind: 'lines', required: true },
        ]}
      />
      {isThirdParty && <ThirdPartyInput />}
    </>
  )
}

/** The withdrawals by which a deposit went, or goes, back. */
export function ReturnsOf({ deposit }: { deposit: Deposit }): ReactNode {
  const { data: returns = [] } = useGet('/treasury/withdrawals', {
    query: { returns_deposit_id: deposit.id },
  })
  if (returns.length === 0) return NOTHING
  return returns.map(({ id, quantity, asset, state }) => (
    <div key={id}>
      <RecordLink to={{ kind: 'withdrawal', id }}>
        <Amount value={quantity} asset={asset} />
      </RecordLink>{' '}
      <Status state={state} />
    </div>
  ))
}
