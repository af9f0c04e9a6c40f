/** Naming a wallet, or having a venue create one. Venue and owner decide the fields. */
import type { DataOf } from '@kontor/client'
import { Form } from 'antd'
import { useEffect } from 'react'
import type { ReactNode } from 'react'
import { filledTexts } from '../../action/filled.ts'
import type { ActionPlan, Values } from '../../action/plan.ts'
import { InputItem } from '../../action/inputs.tsx'
import { useAll } from '../../api/all.ts'
import { useGet } from '../../api/query.ts'
import { t } from '../../language/index.ts'
import type { RowOf } from '../../list/work-list.tsx'
import { CREATION_FIELDS, EXISTING_FIELDS } from './wallet-fields.ts'

export type Wallet = RowOf<'/treasury/wallets'>
type Venue = RowOf<'/venues'>
type Account = RowOf<'/accounts'>

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
    configuration: { ...filledTexts(rest), ...(creates ? { create_external_wallet: true } : {}) },
  }
}

export const createWallet: ActionPlan<'post', '/treasury/wallets'> = {
  label: t('Create wallet'),
  permission: 'treasury.wallets.write',
  form: () => <WalletForm known={undefined} />,
  initial: () => ({ type: 'VENUE' }),
  method: 'post',
  path: '/treasury/wallets',
  request: (_row, values) => ({ body: bodyOf(values) }),
  fieldOf: (path) => (path === 'service_id' || path === 'access_type' ? 'venue_id' : path),
  done: ({ state }) =>
    state === 'CREATING' ? t('The venue is creating the wallet') : t('Wallet created'),
}

type Declared = { options?: Readonly<Record<string, string>> } | null

/** The same for the account of a bank, which its declaration names. */
export function walletOf(bank: Venue | undefined, declared: unknown): typeof createWallet {
  if (bank === undefined)
    return {
      ...createWallet,
      why: () => t('Declare your bank first: a wallet is an account there'),
    }
  const { iban, account_number, currency } = (declared as Declared)?.options ?? {}
  const address = iban ?? account_number
  return {
    ...createWallet,
    initial: () => ({
      type: 'VENUE',
      venue_id: bank.id,
      ...(currency === undefined ? {} : { asset: currency, label: `${bank.label} ${currency}` }),
      ...(address === undefined ? {} : { address }),
    }),
  }
}

export const changeWallet: ActionPlan<'put', '/treasury/wallets/{wallet_id}', Wallet> = {
  label: t('Change'),
  title: ({ label }) => t('Change wallet “{{label}}”', { label }),
  permission: 'treasury.wallets.write',
  form: (wallet) => <WalletForm known={wallet} />,
  explain: (wallet) =>
    wallet.configuration.create_external_wallet === true
      ? t('The venue created this wallet. You can change its name and its owner.')
      : t('A new address takes the routes to this wallet off the allow-list.'),
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
  done: () => t('Wallet changed'),
}

/** `known`: the wallet that is edited. What the venue created can hardly be changed. */
function WalletForm({ known }: { known: Wallet | undefined }): ReactNode {
  const form = Form.useFormInstance()
  const venues = useAll('/venues')
  const type = Form.useWatch('type', form) as Wallet['type'] | undefined
  const venue_id = Form.useWatch('venue_id', form) as string | undefined
  const isVenueMade = known?.configuration.create_external_wallet === true
  const venue = venues?.find((venue) => venue.id === venue_id)
  const offer = useOffer(venue_id)
  useServiceOf(venue, type !== undefined && venues !== undefined)
  return (
    <>
      <InputItem
        field={{
          name: 'type',
          label: t('Owner'),
          kind: 'words',
          options: [
            { value: 'VENUE', label: t('House') },
            { value: 'CUSTOMER', label: t('Customer') },
          ],
          required: true,
        }}
      />
      {type === 'CUSTOMER' && (
        <InputItem
          field={{ name: 'customer_id', label: t('Customer'), kind: 'customer', required: true }}
        />
      )}
      <InputItem
        field={{
          name: 'venue_id',
          label: t('Venue'),
          kind: 'venue',
          required: type === 'VENUE',
          disabled: isVenueMade,
          help:
            type === 'CUSTOMER'
              ? t('Leave empty if the wallet is not at one of our venues')
              : undefined,
        }}
      />
      <AssetInput offer={offer} disabled={isVenueMade} />
      <InputItem field={{ name: 'label', label: t('Name'), kind: 'text', required: true }} />
      <PlaceInputs
        venue={venue}
        offered={offer.offered ?? []}
        canCreate={known === undefined}
        isVenueMade={isVenueMade}
      />
      <AccountInput />
      <Form.Item name="service_id" hidden>
        <input />
      </Form.Item>
    </>
  )
}

type Offer = {
  offered: DataOf<'get', '/venues/{venue_id}/protocols'> | undefined
  /** The venue is being asked. */
  loading: boolean
}

/** The assets and protocols that the venue offers. */
function useOffer(venue_id: string | undefined): Offer {
  const { data: offered, failureReason } = useGet(
    '/venues/{venue_id}/protocols',
    { params: { venue_id: venue_id ?? '' } },
    { enabled: venue_id !== undefined },
  )
  const loading = venue_id !== undefined && offered === undefined && failureReason === null
  return { offered: venue_id === undefined ? undefined : offered, loading }
}

/** Sets the venue's service for wallets in the form, once `ready`. */
function useServiceOf(venue: Venue | undefined, ready: boolean): void {
  const form = Form.useFormInstance()
  const service_id = venue?.services.find((service) => service.type === 'WOMS')?.id
  useEffect(() => {
    if (ready) form.setFieldValue('service_id', service_id)
  }, [form, ready, service_id])
}

/** A choice where the venue says what it offers. Disabled until then: nothing typed gets lost. */
function AssetInput({
  offer: { offered, loading },
  disabled,
}: {
  offer: Offer
  disabled: boolean
}): ReactNode {
  const field = { name: 'asset', label: t('Asset'), required: true }
  if (offered === undefined && !loading)
    return <InputItem field={{ ...field, kind: 'text', disabled, maxLength: 20 }} />
  const options = (offered ?? []).map(({ asset }) => ({ value: asset, label: asset }))
  return <InputItem field={{ ...field, kind: 'words', options, disabled: disabled || loading }} />
}

/** Where the wallet is: its address, or what the venue needs to create it. */
function PlaceInputs({
  venue,
  offered,
  canCreate,
  isVenueMade,
}: {
  venue: Venue | undefined
  offered: NonNullable<Offer['offered']>
  canCreate: boolean
  isVenueMade: boolean
}): ReactNode {
  const form = Form.useFormInstance()
  const asset = Form.useWatch('asset', form) as string | undefined
  const wantsNew = Form.useWatch(['configuration', 'create_external_wallet'], form) === true
  const creationFields = canCreate && venue !== undefined ? CREATION_FIELDS[venue.kind] : undefined
  const creates = creationFields !== undefined && wantsNew
  const protocols = offered.find((entry) => entry.asset === asset)?.protocols ?? []
  const existingFields = venue === undefined || isVenueMade ? [] : EXISTING_FIELDS[venue.kind]
  return (
    <>
      {creationFields !== undefined && (
        <InputItem
          field={{
            name: 'configuration.create_external_wallet',
            label: t('Have the venue create the wallet'),
            kind: 'flag',
          }}
        />
      )}
      {!creates && (
        <InputItem
          field={{
            name: 'address',
            label: t('Address'),
            kind: 'text',
            required: !isVenueMade,
            disabled: isVenueMade,
            help: t('Blockchain address or IBAN'),
          }}
        />
      )}
      {venue?.kind === 'CUSTODY_VAULT' && !isVenueMade && (
        <InputItem
          field={{
            name: 'configuration.protocol',
            label: t('Protocol'),
            kind: 'words',
            options: protocols
              .filter(({ deposit }) => deposit)
              .map(({ protocol }) => ({ value: protocol, label: protocol })),
          }}
        />
      )}
      {(creates ? creationFields : existingFields).map((field) => (
        <InputItem key={String(field.name)} field={field} />
      ))}
    </>
  )
}

/** The accounts of the owner; the first that fits is chosen unless one of them already is. */
function AccountInput(): ReactNode {
  const form = Form.useFormInstance()
  const accounts = useAll('/accounts')
  const type = Form.useWatch('type', form) as Wallet['type'] | undefined
  const venue_id = Form.useWatch('venue_id', form) as string | undefined
  const customer_id = Form.useWatch('customer_id', form) as string | undefined
  const isOwners = (account: Account): boolean =>
    type === 'CUSTOMER'
      ? customer_id !== undefined && account.customer_id === customer_id
      : venue_id !== undefined && account.venue_id === venue_id
  // Before the form knows the owner, the account that the wallet has must stay.
  const fitting = type === undefined ? undefined : accounts?.filter(isOwners)
  const fittingIds = new Set(fitting?.map((account) => account.id))
  const first =
    fitting?.find((account) => type === 'CUSTOMER' || account.type === 'VENUE') ?? fitting?.[0]
  useEffect(() => {
    const chosen = form.getFieldValue('account_id') as string | undefined
    if (fitting !== undefined && (chosen === undefined || !fittingIds.has(chosen)))
      form.setFieldValue('account_id', first?.id)
  }, [form, first?.id, fitting?.length])
  return (
    <InputItem
      field={{
        name: 'account_id',
        label: t('Account'),
        kind: 'account',
        required: true,
        only: (id) => fittingIds.has(id),
      }}
    />
  )
}
