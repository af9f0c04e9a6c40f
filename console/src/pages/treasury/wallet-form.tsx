/** Naming a wallet, or having a venue make one: what is asked for follows from the venue and from whose it is. */
import { Form } from 'antd'
import { useEffect } from 'react'
import type { ReactNode } from 'react'
import type { ActionPlan, Values } from '../../action/action.tsx'
import { InputItem } from '../../action/inputs.tsx'
import type { FormField } from '../../action/inputs.tsx'
import { useAll } from '../../api/all.ts'
import { useGet } from '../../api/query.ts'
import type { RowOf } from '../../list/work-list.tsx'

export type Wallet = RowOf<'/treasury/wallets'>
type Venue = RowOf<'/venues'>
type Kind = Venue['kind']

const text = (value: unknown): string | undefined => {
  const trimmed = String(value ?? '').trim()
  return trimmed === '' ? undefined : trimmed
}
const given = (values: Record<string, unknown>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(values).flatMap(([name, value]) => {
      const word = text(value)
      return word === undefined ? [] : [[name, word]]
    }),
  )

function bodyOf({
  type,
  asset,
  address,
  label,
  venue_id,
  service_id,
  account_id,
  customer_id,
  configuration,
}: Values) {
  const { create_external_wallet, ...rest } = (configuration ?? {}) as Record<string, unknown>
  const creates = create_external_wallet === true
  return {
    type: type as Wallet['type'],
    asset: String(asset),
    address: creates ? '' : String(address ?? '').trim(),
    label: String(label),
    account_id: String(account_id),
    access_type: venue_id === undefined ? ('EXTERNAL' as const) : ('INTERNAL' as const),
    ...(venue_id === undefined
      ? {}
      : { venue_id: String(venue_id), service_id: String(service_id) }),
    ...(type === 'CUSTOMER' && customer_id !== undefined
      ? { customer_id: String(customer_id) }
      : {}),
    configuration: { ...given(rest), ...(creates ? { create_external_wallet: true } : {}) },
  }
}

export const createWallet: ActionPlan<'post', '/treasury/wallets'> = {
  label: 'New wallet',
  permission: 'treasury.wallets.write',
  form: () => <WalletForm known={undefined} />,
  initial: () => ({ type: 'VENUE' }),
  method: 'post',
  path: '/treasury/wallets',
  request: (_row, values) => ({ body: bodyOf(values) }),
  fieldOf: (path) => (path === 'service_id' || path === 'access_type' ? 'venue_id' : path),
  done: ({ state }) => (state === 'CREATING' ? 'The venue is making it' : 'Wallet created'),
}

export const changeWallet: ActionPlan<'put', '/treasury/wallets/{wallet_id}', Wallet> = {
  label: 'Edit',
  permission: 'treasury.wallets.write',
  form: (wallet) => <WalletForm known={wallet} />,
  explain: (wallet) =>
    wallet.configuration.create_external_wallet === true
      ? 'Its venue made it: only its name, its type and whose it is can be changed.'
      : 'A new address takes the routes to this wallet off the allow-list until they are allowed again.',
  initial: ({
    type,
    asset,
    address,
    label,
    venue_id,
    service_id,
    account_id,
    customer_id,
    configuration,
  }) => ({
    type,
    asset,
    address,
    label,
    account_id,
    configuration,
    ...(venue_id === null ? {} : { venue_id, service_id }),
    ...(customer_id === null ? {} : { customer_id }),
  }),
  method: 'put',
  path: '/treasury/wallets/{wallet_id}',
  request: (wallet, values) => ({
    params: { wallet_id: wallet.id },
    body: { ...bodyOf(values), version: wallet.version },
  }),
  fieldOf: (path) => (path === 'service_id' || path === 'access_type' ? 'venue_id' : path),
  done: () => 'Wallet changed',
}

/** What a wallet says of itself, by the kind of its venue: one that is there already, and one that shall be made. */
const KNOWN: Readonly<Record<Kind, readonly FormField[]>> = {
  EXCHANGE: [],
  CUSTODY_VAULT: [
    {
      name: 'configuration.vault_id',
      label: 'Vault',
      kind: 'text',
      required: true,
      help: 'Id of the vault that holds it',
    },
  ],
  BANK: [
    { name: 'configuration.customer_number', label: 'Customer number', kind: 'text' },
    {
      name: 'configuration.customer_account_number',
      label: 'Sub-account',
      kind: 'text',
      help: 'Empty: the address itself',
    },
  ],
  MANAGED_WALLET: [
    { name: 'configuration.wallet_id', label: 'Wallet at the venue', kind: 'text', required: true },
  ],
}
const MADE: Partial<Readonly<Record<Kind, readonly FormField[]>>> = {
  CUSTODY_VAULT: [
    {
      name: 'configuration.vault_id',
      label: 'Vault',
      kind: 'text',
      help: 'Empty: a new vault is made for it',
    },
    {
      name: 'configuration.vault_name',
      label: 'Name of the new vault',
      kind: 'text',
      help: 'Empty: one is found',
    },
  ],
  MANAGED_WALLET: [
    {
      name: 'configuration.customer_id',
      label: 'Customer at the venue',
      kind: 'text',
      required: true,
      help: 'For whom the venue makes it',
    },
  ],
}

function WalletForm({ known }: { known: Wallet | undefined }): ReactNode {
  const form = Form.useFormInstance()
  const venues = useAll('/venues')
  const accounts = useAll('/accounts')
  const type = Form.useWatch('type', form) as Wallet['type'] | undefined
  const venue_id = Form.useWatch('venue_id', form) as string | undefined
  const customer_id = Form.useWatch('customer_id', form) as string | undefined
  const asset = Form.useWatch('asset', form) as string | undefined
  const creates = Form.useWatch(['configuration', 'create_external_wallet'], form) === true
  const venue = venues?.find((venue) => venue.id === venue_id)
  const { data: offered, failureReason } = useGet(
    '/venues/{venue_id}/protocols',
    { params: { venue_id: venue_id ?? '' } },
    { enabled: venue_id !== undefined },
  )
  // Nothing is typed into a field that is about to be another one.
  const asking = venue_id !== undefined && offered === undefined && failureReason === null
  const made = known?.configuration.create_external_wallet === true

  // The venue's service for wallets, and the account that whose it is decides.
  const service_id = venue?.services.find((service) => service.type === 'WOMS')?.id
  const told = type !== undefined && venues !== undefined
  useEffect(() => {
    if (told) form.setFieldValue('service_id', service_id)
  }, [form, told, service_id])
  // Not before the form has told whose it is: the account that it has stays.
  const own =
    type === undefined
      ? undefined
      : accounts?.filter((account) =>
          type === 'CUSTOMER'
            ? customer_id !== undefined && account.customer_id === customer_id
            : venue_id !== undefined && account.venue_id === venue_id,
        )
  const ownIds = new Set(own?.map((each) => each.id))
  const held = own?.find((each) => type === 'CUSTOMER' || each.type === 'VENUE')?.id ?? own?.[0]?.id
  useEffect(() => {
    const chosen = form.getFieldValue('account_id') as string | undefined
    if (own !== undefined && (chosen === undefined || !ownIds.has(chosen)))
      form.setFieldValue('account_id', held)
  }, [form, held, own?.length])

  const protocols =
    offered
      ?.find((each) => each.asset === asset)
      ?.protocols.filter((protocol) => protocol.deposit)
      .map((protocol) => protocol.protocol) ?? []
  const vault = venue?.kind === 'CUSTODY_VAULT'
  const canMake = known === undefined && venue !== undefined && MADE[venue.kind] !== undefined
  const further =
    venue === undefined || made
      ? []
      : canMake && creates
        ? (MADE[venue.kind] ?? [])
        : KNOWN[venue.kind]
  return (
    <>
      <InputItem
        field={{
          name: 'type',
          label: 'Whose',
          kind: 'words',
          options: [
            { value: 'VENUE', label: 'Ours, at a venue' },
            { value: 'CUSTOMER', label: "A customer's" },
          ],
          required: true,
        }}
      />
      {type === 'CUSTOMER' && (
        <InputItem
          field={{ name: 'customer_id', label: 'Customer', kind: 'customer', required: true }}
        />
      )}
      <InputItem
        field={{
          name: 'venue_id',
          label: 'Venue',
          kind: 'venue',
          required: type === 'VENUE',
          disabled: made,
          help: type === 'CUSTOMER' ? 'Empty: it is at no venue of ours' : undefined,
        }}
      />
      <InputItem
        field={
          venue_id === undefined || (offered === undefined && !asking)
            ? {
                name: 'asset',
                label: 'Asset',
                kind: 'text',
                required: true,
                disabled: made,
                maxLength: 20,
              }
            : {
                name: 'asset',
                label: 'Asset',
                kind: 'words',
                options: (offered ?? []).map((each) => ({ value: each.asset, label: each.asset })),
                required: true,
                disabled: made || asking,
              }
        }
      />
      <InputItem field={{ name: 'label', label: 'Name', kind: 'text', required: true }} />
      {canMake && (
        <InputItem
          field={{
            name: 'configuration.create_external_wallet',
            label: 'The venue shall make it',
            kind: 'flag',
          }}
        />
      )}
      {!(canMake && creates) && (
        <InputItem
          field={{
            name: 'address',
            label: 'Address',
            kind: 'text',
            required: !made,
            disabled: made,
            help: 'Blockchain address or IBAN',
          }}
        />
      )}
      {vault && !made && (
        <InputItem
          field={{
            name: 'configuration.protocol',
            label: 'Protocol',
            kind: 'words',
            options: protocols.map((protocol) => ({ value: protocol, label: protocol })),
          }}
        />
      )}
      {further.map((field) => (
        <InputItem key={String(field.name)} field={field} />
      ))}
      <InputItem
        field={{
          name: 'account_id',
          label: 'Account',
          kind: 'account',
          required: true,
          only: (id) => ownIds.has(id),
        }}
      />
      <Form.Item name="service_id" hidden>
        <input />
      </Form.Item>
    </>
  )
}
