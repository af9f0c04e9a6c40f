/** How a wallet pays: the protocol, and the fields that its venue asks for. */
import type { DataOf } from '@kontor/client'
import { Form } from 'antd'
import { useEffect } from 'react'
import type { ReactNode } from 'react'
import { InputItem } from '../../action/inputs.tsx'
import type { FormField } from '../../action/inputs.tsx'
import { useAll } from '../../api/all.ts'
import { useGet } from '../../api/query.ts'
import { t } from '../../language/index.ts'
import { told } from '../../parts/refusal-words.ts'
import { Failure } from '../../parts/states.tsx'
import { inWords } from '../../parts/status.tsx'
import { protocolWords } from './protocol-words.ts'
import type { Route } from './route-facts.tsx'
import type { Wallet } from './wallet-form.tsx'

type TransferField = DataOf<
  'get',
  '/treasury/wallets/routes/fields/{from_wallet_id}/{protocol}'
>['from'][number]

/** Fields that the venue reports and nobody enters. */
export const REPORTED = new Set(['on_allowlist', 'allowlist_state'])

/** Of a bank. */
const USUAL = 'SEPA'

/** The protocols that the sending wallet can use; the only or the usual one is chosen at once. */
export function ProtocolInput({
  known,
  from,
}: {
  known: Route | undefined
  from: Wallet | undefined
}): ReactNode {
  const form = Form.useFormInstance()
  const { data: offered, error } = useGet(
    '/venues/{venue_id}/protocols',
    { params: { venue_id: from?.venue_id ?? '' } },
    { enabled: known === undefined && from?.venue_id !== null && from !== undefined },
  )
  const protocols = protocolsOf(known, from, offered ?? [])
  // Networks of a coin are chosen by a person: on the wrong one it is lost.
  const only = protocols.length === 1 ? protocols[0] : protocols.find((one) => one === USUAL)
  useEffect(() => {
    const chosen = form.getFieldValue('protocol') as string | undefined
    if (known === undefined && (chosen === undefined || !protocols.includes(chosen)))
      form.setFieldValue('protocol', only)
  }, [form, only, protocols.join()])
  return (
    <>
      {error !== null && <Failure error={error} />}
      <InputItem
        field={{
          name: 'protocol',
          label: t('Protocol'),
          kind: 'words',
          options: protocols.map((protocol) => ({
            value: protocol,
            label: protocolWords(protocol),
          })),
          required: true,
          disabled: known !== undefined || from === undefined,
        }}
      />
    </>
  )
}

function protocolsOf(
  known: Route | undefined,
  from: Wallet | undefined,
  offered: DataOf<'get', '/venues/{venue_id}/protocols'>,
): string[] {
  if (known !== undefined) return [known.protocol]
  if (from === undefined) return []
  if (from.protocol !== null) return [from.protocol]
  const ofAsset = offered.find(({ asset }) => asset === from.asset)?.protocols ?? []
  return ofAsset.filter(({ withdraw }) => withdraw).map(({ protocol }) => protocol)
}

const FIELD_WORDS: Readonly<Record<string, string>> = {
  name: t('Name that the bank is told'),
  street: t("Payee's street"),
  building_number: t("Payee's building number"),
  post_code: t("Payee's post code"),
  town: t("Payee's town"),
  country: t("Payee's country"),
  tag: t('Tag', { context: 'address' }),
  bic: 'BIC',
  aba: 'ABA',
  source_vault_account_id: t('Vault account'),
  destination_external_account_id: t('Allow-list entry'),
}

/** The route has a name of its own. */
export const transferFieldWords = (name: string): string => FIELD_WORDS[name] ?? inWords(name)

const FIELD_HELP: Readonly<Record<string, string>> = {
  source_vault_account_id: t(
    'The number of the vault account that pays, as the custodian shows it',
  ),
  destination_external_account_id: t(
    'Leave it empty, and one is made for this address. Else the id of the one that has it.',
  ),
}

/** Of a field whose name says as much. */
const SAYS_NO_MORE = /of the recipient's address$/

/** What a person is to give there. */
const fieldHelp = (name: string, description: string): string | undefined =>
  FIELD_HELP[name] ?? (SAYS_NO_MORE.test(description) ? undefined : told(description))

/** What the venue of this wallet asks for; nothing is asked of it before both are known. */
export const useTransferFields = (
  from_wallet_id: string | undefined,
  protocol: string | undefined,
) =>
  useGet(
    '/treasury/wallets/routes/fields/{from_wallet_id}/{protocol}',
    { params: { from_wallet_id: from_wallet_id ?? '', protocol: protocol ?? '' } },
    { enabled: from_wallet_id !== undefined && protocol !== undefined && protocol !== '' },
  )

/** The fields that the venue needs, of the sender and of the recipient; `only` these. */
export function TransferInputs({
  from_wallet_id,
  only,
}: {
  from_wallet_id: string | undefined
  only?: readonly string[] | undefined
}): ReactNode {
  const form = Form.useFormInstance()
  const protocol = Form.useWatch('protocol', form) as string | undefined
  const wallets = useAll('/treasury/wallets') ?? []
  const inVault = (wallets.find(({ id }) => id === from_wallet_id)?.foreign_id ?? null) !== null
  // Of a wallet that its custodian has made the vault account is known.
  const isAsked = ({ name }: TransferField) => !inVault || name !== 'source_vault_account_id'
  const { data: fields, error } = useTransferFields(from_wallet_id, protocol)
  return (
    <>
      {error !== null && <Failure error={error} />}
      {(only === undefined ? fields?.from : [])?.filter(isAsked).map((field) => (
        <InputItem key={`from ${field.name}`} field={fieldOf('from', field)} />
      ))}
      {fields?.to
        .filter(({ name }) => !REPORTED.has(name) && (only?.includes(name) ?? true))
        .map((field) => (
          <InputItem key={`to ${field.name}`} field={fieldOf('to', field)} />
        ))}
    </>
  )
}

function fieldOf(
  side: 'from' | 'to',
  { name, type, required, description, enum: words }: TransferField,
): FormField {
  const common = {
    name: ['transfer', side, name],
    label: transferFieldWords(name),
    required,
    help: fieldHelp(name, description),
  }
  if (type === 'boolean') return { ...common, kind: 'flag' }
  return words === undefined
    ? { ...common, kind: 'text' }
    : { ...common, kind: 'words', options: words.map((word) => ({ value: word, label: word })) }
}
