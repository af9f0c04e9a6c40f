import { Form } from 'antd'
import type { ReactNode } from 'react'
import { useNavigate, useParams } from 'react-router'
import { ActionButton } from '../../action/action.tsx'
import type { ActionPlan, Values } from '../../action/plan.ts'
import { InputItem } from '../../action/inputs.tsx'
import { useAll } from '../../api/all.ts'
import { lowered, Trans, t } from '../../language/index.ts'
import { WorkList } from '../../list/work-list.tsx'
import type { RowOf } from '../../list/work-list.tsx'
import { inWords } from '../../parts/status.tsx'
import { Name } from '../../parts/values.tsx'
import { COMMON_FIELDS, RecordDrawer } from '../../record/record.tsx'
import { useIsAssignable } from './shares.tsx'

type Matching = RowOf<'/accounts/matchings'>
type Type = Matching['type']

const TYPES = [
  'DESTINATION_WITH_REFERENCE',
  'DESTINATION_WITHOUT_REFERENCE',
  'SOURCE_WITH_REFERENCE',
  'SOURCE_WITHOUT_REFERENCE',
] as const
const WORDS: Readonly<Record<Type, string>> = {
  DESTINATION_WITH_REFERENCE: t('Destination and reference'),
  DESTINATION_WITHOUT_REFERENCE: t('Destination only'),
  SOURCE_WITH_REFERENCE: t('Source and reference'),
  SOURCE_WITHOUT_REFERENCE: t('Source only'),
}
const addressOf = ({ details }: Matching): string | null =>
  details.destination_address ?? details.source_address

function bodyOf({ resource_id, type, asset, is_withdrawal_matching, address, reference }: Values) {
  const kind = type as Type
  return {
    resource_id: String(resource_id),
    type: kind,
    details: {
      asset: String(asset),
      is_withdrawal_matching: is_withdrawal_matching === 'withdrawals',
      [kind.startsWith('SOURCE') ? 'source_address' : 'destination_address']:
        String(address).trim(),
      ...(kind.endsWith('WITH_REFERENCE') ? { reference: String(reference).trim() } : {}),
    },
  }
}
const fieldOf = (path: string): string =>
  path.endsWith('address') ? 'address' : path.replace('details.', '')

const create: ActionPlan<'post', '/accounts/matchings'> = {
  label: t('Create matching'),
  permission: 'matchings.write',
  explain: () => t('From now on every movement that matches is assigned to the account.'),
  form: () => <MatchingForm />,
  initial: () => ({ type: 'DESTINATION_WITH_REFERENCE', is_withdrawal_matching: 'deposits' }),
  method: 'post',
  path: '/accounts/matchings',
  request: (_row, values) => ({ body: bodyOf(values) }),
  fieldOf,
  done: () => t('Matching created'),
}

const whyNotChange = ({ state }: Matching): string | undefined =>
  state === 'ACTIVE' ? undefined : t('The matching is deleted')

const change: ActionPlan<'put', '/accounts/matchings', Matching> = {
  label: t('Change'),
  title: ({ resource_id }) => (
    <Trans
      i18nKey="Change matching of <name/>"
      components={{ name: <Name of="account" id={resource_id} /> }}
    />
  ),
  permission: 'matchings.write',
  why: whyNotChange,
  form: () => <MatchingForm />,
  initial: (row) => ({
    resource_id: row.resource_id,
    type: row.type,
    asset: row.details.asset,
    is_withdrawal_matching: row.details.is_withdrawal_matching ? 'withdrawals' : 'deposits',
    address: addressOf(row),
    reference: row.details.reference ?? undefined,
  }),
  method: 'put',
  path: '/accounts/matchings',
  request: ({ id, version }, values) => ({ body: { id, version, ...bodyOf(values) } }),
  fieldOf,
  done: () => t('Matching changed'),
}

const remove = (
  leave: () => void,
): ActionPlan<'delete', '/accounts/matchings/{matching_id}', Matching> => ({
  label: t('Delete'),
  title: ({ resource_id }) => (
    <Trans
      i18nKey="Delete matching of <name/>"
      components={{ name: <Name of="account" id={resource_id} /> }}
    />
  ),
  permission: 'matchings.write',
  danger: true,
  why: whyNotChange,
  explain: () => t('Existing assignments stay. The matching assigns nothing more.'),
  method: 'delete',
  path: '/accounts/matchings/{matching_id}',
  request: ({ id }) => ({ params: { matching_id: id } }),
  done: () => t('Matching deleted'),
  after: leave,
})

const APPLIES_TO = [
  { value: 'deposits', label: t('Deposits') },
  { value: 'withdrawals', label: t('Withdrawals') },
]

function MatchingForm(): ReactNode {
  const form = Form.useFormInstance()
  const type = Form.useWatch('type', form) as Type | undefined
  const isAssignable = useIsAssignable()
  const assets = [...new Set(useAll('/treasury/wallets')?.map((wallet) => wallet.asset))].toSorted()
  return (
    <>
      <InputItem
        field={{
          name: 'resource_id',
          label: t('Account'),
          kind: 'account',
          required: true,
          only: isAssignable,
        }}
      />
      <InputItem
        field={{
          name: 'is_withdrawal_matching',
          label: t('Applies to'),
          kind: 'words',
          options: APPLIES_TO,
          required: true,
        }}
      />
      <InputItem
        field={{
          name: 'type',
          label: t('Matched by'),
          kind: 'words',
          options: TYPES.map((type) => ({ value: type, label: WORDS[type] })),
          required: true,
        }}
      />
      <InputItem
        field={{
          name: 'asset',
          label: t('Asset'),
          kind: 'words',
          options: assets.map((asset) => ({ value: asset, label: asset })),
          required: true,
        }}
      />
      <InputItem
        field={{
          name: 'address',
          label:
            type?.startsWith('SOURCE') === true
              ? t('Source address or IBAN')
              : t('Destination address or IBAN'),
          kind: 'text',
          required: true,
        }}
      />
      {type?.endsWith('WITH_REFERENCE') === true && (
        <InputItem
          field={{
            name: 'reference',
            label: t('Reference'),
            kind: 'text',
            required: true,
            help: t('The tag, or whole words of the reference'),
          }}
        />
      )}
    </>
  )
}

export function Page(): ReactNode {
  return (
    <WorkList
      title={t('Matchings')}
      help="matching"
      path="/accounts/matchings"
      live={['matching']}
      columns={[
        { key: 'resource_id', title: t('Account'), kind: 'account' },
        {
          key: 'of',
          title: t('Applies to'),
          value: (row) => (row.details.is_withdrawal_matching ? t('Withdrawals') : t('Deposits')),
          width: 110,
        },
        { key: 'asset', title: t('Asset'), value: (row) => row.details.asset, width: 80 },
        { key: 'type', title: t('Matched by'), value: (row) => WORDS[row.type], width: 240 },
        { key: 'address', title: t('Address'), kind: 'id', value: addressOf },
        { key: 'reference', title: t('Reference'), value: (row) => row.details.reference },
        { key: 'wallet_id', title: t('Declared on wallet'), kind: 'wallet' },
        { key: 'state', title: t('State'), kind: 'status', width: 110 },
        { key: 'system_created_at', title: t('Since'), kind: 'time', extra: true },
        { key: 'id', title: t('Id'), kind: 'id', extra: true },
      ]}
      filters={[{ name: 'account_id', label: t('Account'), kind: 'account' }]}
      empty={{
        title: t('No matchings yet'),
        text: t('A matching assigns movements to an account. Create the first one.'),
      }}
      actions={<ActionButton plan={create} primary />}
    />
  )
}

export function Record(): ReactNode {
  const { id = '' } = useParams()
  const navigate = useNavigate()
  const leave = (): void => {
    navigate('/treasury/matchings')?.catch(() => undefined)
  }
  return (
    <RecordDrawer
      what={t('Matching')}
      path="/accounts/matchings"
      request={{ query: { id } }}
      pick={(data) => data[0]}
      live={['matching']}
      title={(row: Matching) => `${row.details.asset}, ${lowered(WORDS[row.type])}`}
      actions={(row) => (
        <>
          <ActionButton plan={change} row={row} />
          <ActionButton plan={remove(leave)} row={row} />
        </>
      )}
      sections={[
        {
          fields: [
            { key: 'resource_id', title: t('Account'), kind: 'account' },
            { key: 'state', title: t('State'), kind: 'status' },
            {
              key: 'of',
              title: t('Applies to'),
              value: (row) =>
                row.details.is_withdrawal_matching ? t('Withdrawals') : t('Deposits'),
            },
            { key: 'asset', title: t('Asset'), value: (row) => row.details.asset },
            { key: 'type', title: t('Matched by'), value: (row) => inWords(row.type) },
            { key: 'reference', title: t('Reference'), value: (row) => row.details.reference },
            {
              key: 'destination',
              title: t('To address'),
              kind: 'id',
              value: (row) => row.details.destination_address,
            },
            {
              key: 'source',
              title: t('From address'),
              kind: 'id',
              value: (row) => row.details.source_address,
            },
            { key: 'wallet_id', title: t('Declared on wallet'), kind: 'wallet' },
          ],
        },
        COMMON_FIELDS,
      ]}
    />
  )
}
