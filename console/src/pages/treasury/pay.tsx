/**
 * Pay somebody in one form: a known payee or a new one, the amount, what the payee reads, and when
 * to send it. Wallet, route and allow-listing are made behind it.
 */
import { Form, Radio } from 'antd'
import { useEffect } from 'react'
import type { ReactNode } from 'react'
import { useNavigate } from 'react-router'
import { ActionButton } from '../../action/action.tsx'
import type { ActionPlan } from '../../action/plan.ts'
import { InputItem } from '../../action/inputs.tsx'
import { useAll } from '../../api/all.ts'
import { useAssets } from '../../api/assets.tsx'
import type { Assets } from '../../api/assets.tsx'
import { useWithdrawable } from '../../api/available.ts'
import { useNames } from '../../api/names.ts'
import { t } from '../../language/index.ts'
import { bodyOf, factsOf } from './pay-facts.tsx'
import { TextInputs } from './payment-texts.tsx'
import { useIsCustomers } from './shares.tsx'
import { ThirdPartyInput } from './third-party.tsx'
import { ProtocolInput, TransferInputs } from './transfer-inputs.tsx'
import type { Wallet } from './wallet-form.tsx'

type PayPlan = ActionPlan<'post', '/treasury/payments'>

/** The form's field of a path in the API. Whose wallets a route joins is answered by a box. */
const FIELDS: Readonly<Record<string, string>> = {
  reference: 'transfer.to.reference',
  treasury_route_id: 'third_party',
}
const fieldOf = (path: string): string => FIELDS[path] ?? path.replace(/^payee\./, '')

function planOf(open: (id: string) => void): PayPlan {
  /** Whether the payment that was confirmed last was to wait. */
  let waits = false
  return {
    label: t('Pay somebody'),
    permission: 'treasury.withdrawals.create',
    form: () => <PayForm />,
    initial: () => ({ payee: 'known', when: 'now' }),
    width: 620,
    method: 'post',
    path: '/treasury/payments',
    request: (_row, values) => ({ body: bodyOf(values) }),
    confirm: async (_row, values) => {
      const answer = await factsOf(values)
      waits = answer.waits
      return answer.facts
    },
    fieldOf,
    done: ({ send_at }) => {
      if (send_at > Date.now()) return t('Ordered')
      return waits
        ? t('Ordered. It waits: its reason says for what.')
        : t('Ordered. It is being sent.')
    },
    after: ({ id }) => {
      open(id)
    },
  }
}

export function PayButton(): ReactNode {
  const navigate = useNavigate()
  const plan = planOf((id) => {
    navigate(`/treasury/payments/${id}`)?.catch(() => undefined)
  })
  return <ActionButton plan={plan} primary />
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
          label: t('Who pays'),
          kind: 'account',
          only: isCustomers,
          required: !housePays,
          disabled: housePays,
          help: t('This customer is debited when the payment is sent.'),
        }}
      />
      <InputItem
        field={{
          name: 'house_pays',
          label: t('The house pays: no customer is debited'),
          kind: 'flag',
        }}
      />
      <FromInputs wallets={wallets} />
      <PayeeInputs wallets={wallets} from={from} account_id={account_id} />
      <InputItem
        field={{
          name: 'quantity',
          label: t('Amount'),
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

const rankOf = ({ asset }: Wallet, assets: Assets): number =>
  assets.get(asset)?.kind === 'FIAT' ? 0 : 1

/** Accounts at banks come first. */
const sendersOf = (wallets: readonly Wallet[], assets: Assets) =>
  wallets
    .filter(({ access_type, state }) => access_type === 'INTERNAL' && state === 'ACTIVE')
    .toSorted((a, b) => rankOf(a, assets) - rankOf(b, assets))
    .map(({ id, label, asset }) => ({ value: id, label: `${label} · ${asset}` }))

/** Our wallet that pays, and how. */
export function FromInputs({ wallets }: { wallets: readonly Wallet[] }): ReactNode {
  const form = Form.useFormInstance()
  const id = Form.useWatch('from_wallet_id', form) as string | undefined
  const assets = useAssets()
  return (
    <>
      <InputItem
        field={{
          name: 'from_wallet_id',
          label: t('From'),
          kind: 'words',
          required: true,
          options: sendersOf(wallets, assets),
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
  const housePays = Form.useWatch('house_pays', form) === true
  useEffect(() => {
    if (housePays) form.setFieldValue('payee', 'known')
  }, [form, housePays])
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
      <Form.Item
        name="payee"
        label={t('Payee')}
        required
        extra={
          housePays &&
          t(
            'The house pays known payees. A payee is stored with a customer: create the ' +
              'supplier as a customer, and a wallet with its IBAN or address for it. ' +
              'It is known here then.',
          )
        }
      >
        <Radio.Group
          options={[
            { value: 'known', label: t('Known') },
            { value: 'new', label: t('New'), disabled: housePays },
          ]}
        />
      </Form.Item>
      {payee === 'new' ? (
        <NewPayeeInputs />
      ) : (
        <KnownPayeeInput wallets={wallets} from={from} payer={payer} />
      )}
      <TransferInputs
        from_wallet_id={from?.id}
        only={payee === 'known' && hasRoute ? REFERENCE_ALONE : undefined}
      />
      {payer !== null && owner !== null && owner !== payer && <ThirdPartyInput />}
    </>
  )
}
const REFERENCE_ALONE: readonly string[] = ['reference']

/** The payees of the customer who pays come first; each other one is named with whose it is. */
function KnownPayeeInput({
  wallets,
  from,
  payer,
}: {
  wallets: readonly Wallet[]
  from: Wallet | undefined
  payer: string | null
}): ReactNode {
  const customers = useNames('customer')
  const venues = useNames('venue')
  const ownerOf = ({ customer_id, venue_id }: Wallet): string =>
    (customer_id === null ? undefined : customers.get(customer_id)) ??
    (venue_id === null ? '' : (venues.get(venue_id) ?? ''))
  const isOwn = ({ customer_id }: Wallet): boolean => payer !== null && customer_id === payer
  const payable = wallets.filter(
    ({ id, asset, state }) => asset === from?.asset && state === 'ACTIVE' && id !== from.id,
  )
  const [own, others] = [payable.filter(isOwn), payable.filter((wallet) => !isOwn(wallet))]
  const options = [...own, ...others].map((wallet) => ({
    value: wallet.id,
    label: [wallet.label ?? wallet.address ?? wallet.id, ownerOf(wallet)]
      .filter((word) => word !== '')
      .join(' · '),
  }))
  return (
    <InputItem
      field={{
        name: 'wallet_id',
        label: t('Known payee'),
        kind: 'words',
        required: true,
        options,
        help: from === undefined ? t('Choose where to pay from first') : undefined,
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
          label: t('Name in Kontor'),
          kind: 'text',
          required: true,
          help: t('What we call the payee here. It is stored with the customer who pays.'),
        }}
      />
      <InputItem
        field={{
          name: 'address',
          label: t('Address'),
          kind: 'text',
          required: true,
          help: t('IBAN or blockchain address'),
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
      <Form.Item name="when" label={t('Send')} required>
        <Radio.Group
          options={[
            { value: 'now', label: t('At once') },
            { value: 'later', label: t('Later') },
          ]}
        />
      </Form.Item>
      {when === 'later' && (
        <InputItem field={{ name: 'send_at', label: t('When'), kind: 'time', required: true }} />
      )}
    </>
  )
}
