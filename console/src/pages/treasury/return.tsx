/** Sending a deposit, or a part of it, back to whom it came from. */
import { isZero } from '@kontor/client'
import type { ReactNode } from 'react'
import { Inputs } from '../../action/inputs.tsx'
import type { ActionPlan, Fact, Values } from '../../action/plan.ts'
import { useAll } from '../../api/all.ts'
import { useGet } from '../../api/query.ts'
import { client } from '../../api/session.ts'
import { RecordLink } from '../../parts/links.tsx'
import { Status } from '../../parts/status.tsx'
import { Amount, Name, NOTHING } from '../../parts/values.tsx'
import { openRest } from './assign.tsx'
import type { Deposit } from './assign.tsx'
import { factsOfRoute } from './route-facts.tsx'

/** States in which nothing of a deposit can go back. */
const WHY_NOT_RETURN: Partial<Readonly<Record<Deposit['state'], string>>> = {
  PENDING: 'The deposit is not final at the venue yet',
  PENDING_REVIEW: 'The venue keeps the deposit frozen',
  FAILED: 'The deposit failed',
  REVERSED: 'The venue has taken the deposit back',
  RETURNED: 'The deposit has gone back to its sender',
}

const payerOf = ({ counterparty, source_address }: Deposit): string =>
  [counterparty?.name, source_address].filter(Boolean).join(', ')

const given = (value: unknown): string | undefined =>
  value === undefined || value === null || value === '' ? undefined : String(value)

function bodyOf({ quantity, account_id, route_id, reason }: Values) {
  const stated = {
    quantity: given(quantity),
    account_id: given(account_id),
    route_id: given(route_id),
  }
  return {
    reason: String(reason),
    ...Object.fromEntries(Object.entries(stated).filter(([, value]) => value !== undefined)),
  }
}

export const returnDeposit: ActionPlan<'post', '/treasury/deposits/{deposit_id}/return', Deposit> =
  {
    label: 'Return to sender',
    permission: 'treasury.deposits.return',
    danger: true,
    why: ({ state, own_transfer }) =>
      own_transfer ? 'The deposit is the arrival of a transfer' : WHY_NOT_RETURN[state],
    explain: () =>
      'Makes a withdrawal to the account from which the deposit was paid. A coin goes back over ' +
      'a route: ask the sender for an address. What is sent to the sending address may be lost.',
    form: (deposit) => <ReturnForm deposit={deposit} />,
    initial: (deposit) => (isZero(openRest(deposit)) ? {} : { quantity: openRest(deposit) }),
    width: 600,
    method: 'post',
    path: '/treasury/deposits/{deposit_id}/return',
    request: ({ id }, values) => ({ params: { deposit_id: id }, body: bodyOf(values) }),
    confirm: factsOfReturn,
    fieldOf: (path) => (path === 'treasury_route_id' ? 'route_id' : path || 'quantity'),
    done: () => 'Return requested',
  }

async function factsOfReturn(deposit: Deposit, values: Values): Promise<Fact[]> {
  const account_id = given(values['account_id'])
  const quantity = given(values['quantity'])
  return [
    {
      label: 'Arrives',
      value: quantity ? <Amount value={quantity} asset={deposit.asset} /> : 'all that is left',
    },
    {
      label: 'Taken from',
      value: account_id ? <Name of="account" id={account_id} /> : 'what is not assigned',
    },
    ...(await factsOfWay(deposit, given(values['route_id']))),
    { label: 'Why', value: String(values['reason']) },
  ]
}

/** The route is read again, so that its present destination is what is confirmed. */
async function factsOfWay(deposit: Deposit, route_id: string | undefined): Promise<Fact[]> {
  if (route_id === undefined)
    return [{ label: 'To', value: payerOf(deposit) || 'nobody: the venue did not name the payer' }]
  const [route] = await client().get('/treasury/wallets/routes', { query: { id: route_id } })
  if (route === undefined) throw new Error('This route no longer exists. Choose another one.')
  return factsOfRoute(route)
}

function ReturnForm({ deposit }: { deposit: Deposit }): ReactNode {
  const { data: assignments = [] } = useGet('/treasury/deposits/{deposit_id}/assignments', {
    params: { deposit_id: deposit.id },
  })
  const routes = useAll('/treasury/wallets/routes') ?? []
  const owners = new Set(assignments.map((assignment) => assignment.account_id))
  const outward = new Set(
    routes
      .filter(
        (route) =>
          route.from_wallet_id === deposit.wallet_id && route.to_wallet.access_type === 'EXTERNAL',
      )
      .map((route) => route.id),
  )
  return (
    <Inputs
      fields={[
        {
          name: 'quantity',
          label: 'Amount',
          kind: 'amount',
          asset: deposit.asset,
          help: 'What arrives. Empty: all that is left.',
        },
        {
          name: 'account_id',
          label: 'From account',
          kind: 'account',
          only: (id) => owners.has(id),
          help: 'Whose part goes back. Empty: what is not assigned.',
        },
        {
          name: 'route_id',
          label: 'Route',
          kind: 'route',
          only: (id) => outward.has(id),
          help: 'For what came back, and where the venue names no account of the payer.',
        },
        { name: 'reason', label: 'Why it goes back', kind: 'lines', required: true },
      ]}
    />
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
