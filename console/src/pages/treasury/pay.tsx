/**
 * Pay somebody in one form: a known payee or a new one, the amount, what the payee reads, and when
 * to send it. Wallet, route and allow-listing are made behind it.
 */
import { Form, Radio } from 'antd'
import type { ReactNode } from 'react'
import { useNavigate } from 'react-router'
import { ActionButton } from '../../action/action.tsx'
import { filledTexts } from '../../action/filled.ts'
import type { ActionPlan, Fact, Values } from '../../action/plan.ts'
import { InputItem } from '../../action/inputs.tsx'
import { useAll } from '../../api/all.ts'
import { useWithdrawable } from '../../api/available.ts'
import { client } from '../../api/session.ts'
import { Amount, Name, Time } from '../../parts/values.tsx'
import { textsOf, TextInputs } from './payment-texts.tsx'
import { ProtocolInput, TransferInputs } from './route-form.tsx'
import { useIsCustomers } from './shares.tsx'
import { factsOfThirdParty, ThirdPartyInput, thirdPartyOf } from './third-party.tsx'
import type { Wallet } from './wallet-form.tsx'

type PayPlan = ActionPlan<'post', '/treasury/payments'>

/** Values of the form; the fields that the venue asks for stand where a route has them. */
type Transfer = Partial<Record<'from' | 'to', Record<string, string | undefined>>>

function bodyOf(values: Values) {
  const transfer = (values['transfer'] ?? {}) as Transfer
  const { reference, ...to } = filledTexts(transfer.to ?? {}) as Record<string, string>
  const from = filledTexts(transfer.from ?? {}) as Record<string, string>
  const isSaid = Object.keys(to).length + Object.keys(from).length > 0
  const isNew = values['payee'] === 'new'
  const { wallet_id, label, address, account_id, send_at } = values
  return {
    from_wallet_id: String(values['from_wallet_id']),
    protocol: String(values['protocol']),
    payee: {
      ...(isNew
        ? { label: String(label ?? '').trim(), address: String(address ?? '').trim() }
        : { wallet_id: String(wallet_id) }),
      ...(isSaid ? { transfer: { from, to } } : {}),
    },
    ...(account_id === undefined || values['house_pays'] === true
      ? {}
      : { account_id: String(account_id) }),
    quantity: String(values['quantity']),
    ...(reference === undefined ? {} : { reference }),
    ...textsOf(values),
    ...thirdPartyOf(values),
    ...(values['when'] === 'later' && typeof send_at === 'number' ? { send_at } : {}),
  }
}

/** The form's field of a path in the API. */
const fieldOf = (path: string): string =>
  path === 'reference' ? 'transfer.to.reference' : path.replace(/^payee\./, '')

const planOf = (open: (id: string) => void): PayPlan => ({
  label: 'Pay somebody',
  permission: 'treasury.withdrawals.create',
  form: () => <PayForm />,
  initial: () => ({ payee: 'known', when: 'now' }),
  width: 620,
  method: 'post',
  path: '/treasury/payments',
  request: (_row, values) => ({ body: bodyOf(values) }),
  confirm: (_row, values) => factsOf(values),
  fieldOf,
  done: ({ send_at }) => (send_at > Date.now() ? 'Ordered' : 'Ordered. It is being sent.'),
  after: ({ id }) => {
    open(id)
  },
})

export function PayButton(): ReactNode {
  const navigate = useNavigate()
  const plan = planOf((id) => {
    navigate(`/treasury/payments/${id}`)?.catch(() => undefined)
  })
  return <ActionButton plan={plan} primary />
}

const PAYEE_WORDS = {
  KNOWN: 'known, over a route that is there',
  NEW_ROUTE: 'known; the route to it is made',
  NEW: 'new; it is stored with the customer, and the route to it is made',
} as const

/** Checked by the service before anybody confirms it. */
async function factsOf(values: Values): Promise<Fact[]> {
  const body = bodyOf(values)
  const preview = await client().post('/treasury/payments/preview', { body })
  const { payee } = body
  const to = 'wallet_id' in payee ? <Name of="wallet" id={payee.wallet_id} /> : payee.label
  const { payee_name } = preview
  const texts = [
    { label: 'Reference', value: 'reference' in body ? body.reference : undefined },
    { label: 'Purpose', value: body.purpose },
  ].filter(({ value }) => value !== undefined)
  return [
    { label: 'Arrives', value: <Amount value={body.quantity} asset={preview.asset} /> },
    { label: 'Payee', value: to },
    ...(payee_name === null ? [] : [{ label: 'The bank is told', value: payee_name }]),
    ...(preview.address === null ? [] : [{ label: 'Address', value: preview.address }]),
    { label: 'The payee is', value: PAYEE_WORDS[preview.payee] },
    ...(preview.waits_for_allowlist
      ? [{ label: 'Before that', value: "The venue's allow-list must approve the destination" }]
      : []),
    { label: 'From', value: <Name of="wallet" id={body.from_wallet_id} /> },
    {
      label: 'Account',
      value:
        body.account_id === undefined ? (
          <strong>The house pays. No customer is debited.</strong>
        ) : (
          <Name of="account" id={body.account_id} />
        ),
    },
    ...factsOfThirdParty(values),
    ...texts,
    {
      label: 'Send',
      value: 'send_at' in body ? <Time at={body.send_at ?? null} /> : 'At once',
    },
  ]
}

function PayForm(): ReactNode {
  const form = Form.useFormInstance()
  const wallets = useAll('/treasury/wallets') ?? []
  const isCustomers = useIsCustomers()
  const from_wallet_id = Form.useWatch('from_wallet_id', form) as string | undefined
  const housePays = Form.useWatch('house_pays', form) === true
  const chosen = Form.useWatch('account_id', form) as string | undefined
  const account_id = housePays ? undefined : chosen
  const from = wallets.find((wallet) => wallet.id === from_wallet_id)
  const available = useWithdrawable(account_id, from?.asset)
  const goesLater = Form.useWatch('when', form) === 'later'
  return (
    <>
      <InputItem
        field={{
          name: 'account_id',
          label: 'Who pays',
          kind: 'account',
          only: isCustomers,
          required: !housePays,
          disabled: housePays,
          help: 'This customer is debited when the payment is sent.',
        }}
      />
      <InputItem
        field={{
          name: 'house_pays',
          label: 'The house pays: no customer is debited',
          kind: 'flag',
        }}
      />
      <FromInputs wallets={wallets} />
      <PayeeInputs wallets={wallets} from={from} account_id={account_id} />
      <InputItem
        field={{
          name: 'quantity',
          label: 'Amount',
          kind: 'amount',
          asset: from?.asset,
          ...(goesLater ? { known: available } : { available }),
          required: true,
        }}
      />
      <TextInputs />
      <WhenInputs />
    </>
  )
}

const sendersOf = (wallets: readonly Wallet[]) =>
  wallets
    .filter(({ access_type, state }) => access_type === 'INTERNAL' && state === 'ACTIVE')
    .map(({ id, label, asset }) => ({ value: id, label: `${label} · ${asset}` }))

/** Our wallet that pays, and how. */
export function FromInputs({ wallets }: { wallets: readonly Wallet[] }): ReactNode {
  const form = Form.useFormInstance()
  const id = Form.useWatch('from_wallet_id', form) as string | undefined
  return (
    <>
      <InputItem
        field={{
          name: 'from_wallet_id',
          label: 'From',
          kind: 'words',
          required: true,
          options: sendersOf(wallets),
        }}
      />
      <ProtocolInput known={undefined} from={wallets.find((wallet) => wallet.id === id)} />
    </>
  )
}

function PayeeInputs({
  wallets,
  from,
  account_id,
}: {
  wallets: readonly Wallet[]
  from: Wallet | undefined
  account_id: string | undefined
}): ReactNode {
  const form = Form.useFormInstance()
  const payee = Form.useWatch('payee', form) as 'known' | 'new' | undefined
  const wallet_id = Form.useWatch('wallet_id', form) as string | undefined
  const protocol = Form.useWatch('protocol', form) as string | undefined
  const routes = useAll('/treasury/wallets/routes') ?? []
  const payer = useAll('/accounts')?.find(({ id }) => id === account_id)?.customer_id ?? null
  const hasRoute = routes.some(
    (route) =>
      route.from_wallet_id === from?.id &&
      route.to_wallet_id === wallet_id &&
      route.protocol === protocol,
  )
  const known = wallets.find(({ id }) => id === wallet_id)
  const owner = payee === 'known' ? (known?.customer_id ?? null) : null
  return (
    <>
      <Form.Item name="payee" label="Payee" required>
        <Radio.Group
          options={[
            { value: 'known', label: 'Known' },
            { value: 'new', label: 'New' },
          ]}
        />
      </Form.Item>
      {payee === 'new' ? <NewPayeeInputs /> : <KnownPayeeInput wallets={wallets} from={from} />}
      <TransferInputs
        from_wallet_id={from?.id}
        only={payee === 'known' && hasRoute ? REFERENCE_ALONE : undefined}
      />
      {payer !== null && owner !== null && owner !== payer && <ThirdPartyInput />}
    </>
  )
}
const REFERENCE_ALONE: readonly string[] = ['reference']

function KnownPayeeInput({
  wallets,
  from,
}: {
  wallets: readonly Wallet[]
  from: Wallet | undefined
}): ReactNode {
  const payable = new Set(
    wallets
      .filter(({ id, asset, state }) => {
        return asset === from?.asset && state === 'ACTIVE' && id !== from.id
      })
      .map(({ id }) => id),
  )
  return (
    <InputItem
      field={{
        name: 'wallet_id',
        label: 'Known payee',
        kind: 'wallet',
        required: true,
        only: (id) => payable.has(id),
        help: from === undefined ? 'Choose first from where to pay' : undefined,
      }}
    />
  )
}

function NewPayeeInputs(): ReactNode {
  return (
    <>
      <InputItem
        field={{
          name: 'label',
          label: 'Name of the payee',
          kind: 'text',
          required: true,
          help: 'What we call the payee here. It is stored with the customer who pays.',
        }}
      />
      <InputItem
        field={{
          name: 'address',
          label: 'Address',
          kind: 'text',
          required: true,
          help: 'IBAN or blockchain address',
        }}
      />
    </>
  )
}

function WhenInputs(): ReactNode {
  const form = Form.useFormInstance()
  const when = Form.useWatch('when', form) as 'now' | 'later' | undefined
  return (
    <>
      <Form.Item name="when" label="Send" required>
        <Radio.Group
          options={[
            { value: 'now', label: 'At once' },
            { value: 'later', label: 'Later' },
          ]}
        />
      </Form.Item>
      {when === 'later' && (
        <InputItem field={{ name: 'send_at', label: 'When', kind: 'time', required: true }} />
      )}
    </>
  )
}
