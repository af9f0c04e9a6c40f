/** How venues, assets and price routes are added, changed and removed. */
import type { ReactNode } from 'react'
import { Form } from 'antd'
import { Inputs } from '../../action/inputs.tsx'
import type { FormField } from '../../action/inputs.tsx'
import type { ActionPlan, Values } from '../../action/plan.ts'
import { Trans, t } from '../../language/index.ts'
import { SERVICE_WORDS } from '../../parts/service-words.ts'
import { DeclarationValue, differences } from './declaration-value.tsx'
import { partLabel } from './declaration-parts.ts'
import { fieldOf, fromFields, PREFIXES, SECRETS, toFields } from './declaration-fields.ts'
import type { Declaration, Kind } from './declaration-fields.ts'

const WORDS: Readonly<
  Record<Kind, { add: string; key: string; permission: Declaration['permission'] }>
> = {
  VENUE: { add: t('Add a venue'), key: t('Key'), permission: 'venues.write' },
  ASSET: { add: t('Add an asset'), key: t('Code'), permission: 'assets.write' },
  PRICE_ROUTE: { add: t('Add a price route'), key: t('Key'), permission: 'trading.routes.write' },
}

const KINDS = Object.keys(SECRETS)
/** A bank is declared in a form of its own. */
const ADDED_KINDS = KINDS.filter((kind) => kind !== 'BANK')
const LABEL: FormField = { name: 'label', label: partLabel('label'), kind: 'text', required: true }

const venueFields = (kind: unknown, fixed: boolean): FormField[] => [
  LABEL,
  {
    name: 'kind',
    label: partLabel('kind'),
    kind: 'words',
    required: true,
    options: fixed ? KINDS : ADDED_KINDS,
    disabled: fixed,
    ...(fixed ? {} : { help: t('A bank has a form of its own: Declare a bank') }),
  },
  {
    name: 'settlement',
    label: partLabel('settlement'),
    kind: 'words',
    options: ['PREFUNDED', 'POST_TRADE'],
    help: t('Prefunded when empty'),
  },
  {
    name: 'options',
    label: t('Options'),
    kind: 'lines',
    required: true,
    help: t('One in each line, such as exchange = kraken. Another address needs its secrets anew'),
  },
  {
    name: 'secrets',
    label: t('Secrets stored here'),
    kind: 'words',
    many: true,
    options: (SECRETS[String(kind)] ?? []).map((name) => ({ value: name, label: name })),
    help: t(
      'Each is written after this, once. Choose all that the venue needs, as an API key and ' +
        'its secret; what the configuration file names stays there',
    ),
  },
  {
    name: 'services',
    label: partLabel('services'),
    kind: 'words',
    many: true,
    options: Object.entries(SERVICE_WORDS).map(([value, label]) => ({ value, label })),
    help: t('All that the kind offers when empty'),
  },
  { name: 'payout_ibans', label: partLabel('payout_ibans'), kind: 'texts' },
  {
    name: 'terms',
    label: partLabel('terms'),
    kind: 'lines',
    help: t('JSON, as terms in the configuration file'),
  },
]

const assetFields = (fixed: boolean): FormField[] => [
  LABEL,
  {
    name: 'kind',
    label: partLabel('kind'),
    kind: 'words',
    required: true,
    options: ['FIAT', 'CRYPTO'],
    disabled: fixed,
  },
  {
    name: 'scale',
    label: partLabel('scale'),
    kind: 'text',
    required: true,
    help: t('Of amounts, from 0 to 18; they may grow later, never shrink'),
  },
  {
    name: 'circulating_supply',
    label: partLabel('circulating_supply'),
    kind: 'text',
    help: t('Whole units, for assets that the aggregator does not report'),
  },
  {
    name: 'protocols',
    label: partLabel('protocols'),
    kind: 'lines',
    help: t('JSON, as in the configuration file; those that are shipped when empty'),
  },
]

const AMOUNT = { kind: 'amount', zero: true, required: true } as const
const ROUTE_FIELDS: FormField[] = [
  LABEL,
  { name: 'base_asset', label: partLabel('base_asset'), kind: 'text', required: true },
  { name: 'quote_asset', label: partLabel('quote_asset'), kind: 'text', required: true },
  { name: 'symbol', label: partLabel('symbol'), kind: 'text', help: t('Base/quote when empty') },
  {
    name: 'hops',
    label: partLabel('hops'),
    kind: 'lines',
    required: true,
    help: t('One in each line: kraken BTC/EUR'),
  },
  { name: 'min_amount', label: partLabel('min_amount'), ...AMOUNT },
  { name: 'max_amount', label: partLabel('max_amount'), ...AMOUNT },
  { name: 'amount_step', label: partLabel('amount_step'), ...AMOUNT },
  { name: 'price_step', label: partLabel('price_step'), ...AMOUNT },
  {
    name: 'risk_quantile',
    label: partLabel('risk_quantile'),
    ...AMOUNT,
    help: t('Between 0 and 1, such as 0.99'),
  },
  {
    name: 'margin',
    label: t('Margins'),
    kind: 'lines',
    help: t('Category = factor in each line; the workspace’s when empty'),
  },
  { name: 'active', label: partLabel('active'), kind: 'flag' },
]

function Fields({ kind, fixed }: { kind: Kind; fixed: boolean }): ReactNode {
  const venueKind: unknown = Form.useWatch('kind')
  const { key } = WORDS[kind]
  const fields = {
    VENUE: venueFields(venueKind, fixed),
    ASSET: assetFields(fixed),
    PRICE_ROUTE: ROUTE_FIELDS,
  }
  const name: FormField = {
    name: 'key',
    label: key,
    kind: 'text',
    required: true,
    limit: 100,
    ...(kind === 'ASSET'
      ? {}
      : { help: t('A short name of your own, such as kraken-2: it is never changed') }),
  }
  return <Inputs fields={fixed ? fields[kind] : [name, ...fields[kind]]} />
}

type Put<Row> = ActionPlan<'put', '/declarations/{key}', Row>

export function addPlan(kind: Kind): Put<undefined> {
  const { add, permission } = WORDS[kind]
  const keyIn = ({ key }: Values): string => `${PREFIXES[kind]}${String(key).trim()}`
  return {
    label: add,
    permission,
    width: 620,
    explain: () => t('It counts at once, without a restart.'),
    form: () => <Fields kind={kind} fixed={false} />,
    initial: () => toFields(kind, {}),
    method: 'put',
    path: '/declarations/{key}',
    request: (_row, values) => ({
      params: { key: keyIn(values) },
      body: { declaration: fromFields(kind, values, {}) },
    }),
    confirm: (_row, values) => [
      { label: t('Added'), value: keyIn(values) },
      { label: t('Declared'), value: <DeclarationValue value={fromFields(kind, values, {})} /> },
    ],
    fieldOf,
    done: ({ name }) => t('{{name}} added', { name }),
  }
}

export const changePlan = ({ kind, permission }: Declaration): Put<Declaration> => ({
  label: t('Change'),
  title: ({ name }) => t('Change {{name}}', { name }),
  permission,
  width: 620,
  explain: ({ name }) => (
    <Trans
      i18nKey="<strong/> It counts at once, without a restart."
      components={{ strong: <strong>{name}.</strong> }}
    />
  ),
  form: () => <Fields kind={kind} fixed />,
  initial: ({ declaration }) => toFields(kind, declaration),
  method: 'put',
  path: '/declarations/{key}',
  request: ({ key, version, declaration }, values) => ({
    params: { key },
    body: { declaration: fromFields(kind, values, declaration), version },
  }),
  confirm: ({ key, declaration }, values) => [
    { label: t('Changed'), value: key },
    {
      label: t('Until now'),
      value: differences(declaration, fromFields(kind, values, declaration)),
    },
    {
      label: t('From now on'),
      value: differences(fromFields(kind, values, declaration), declaration),
    },
  ],
  fieldOf,
  done: ({ name }) => t('{{name}} changed', { name }),
})

export const removePlan = ({
  permission,
}: Declaration): ActionPlan<'delete', '/declarations/{key}', Declaration> => ({
  label: t('Remove'),
  title: ({ name }) => t('Remove {{name}}', { name }),
  permission,
  danger: true,
  why: ({ kind, in_file }) => {
    if (kind === 'ASSET') return t('An asset stays: amounts are booked in it')
    return in_file ? t('The configuration file names it: take it out there') : undefined
  },
  explain: ({ name, kind }) =>
    kind === 'VENUE'
      ? t('{{name}} is disabled: nothing is sent there and nothing read. What was booked stays.', {
          name,
        })
      : t('No prices are made on {{name}} any more.', { name }),
  method: 'delete',
  path: '/declarations/{key}',
  request: ({ key }) => ({ params: { key } }),
  done: ({ name }) => t('{{name}} removed', { name }),
})
