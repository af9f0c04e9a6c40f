/** How venues, assets and price routes are added, changed and removed. */
import type { ReactNode } from 'react'
import { Form } from 'antd'
import { Inputs } from '../../action/inputs.tsx'
import type { FormField } from '../../action/inputs.tsx'
import type { ActionPlan, Values } from '../../action/plan.ts'
import { DeclarationValue } from './declaration-value.tsx'
import { fieldOf, fromFields, PREFIXES, SECRETS, toFields } from './declaration-fields.ts'
import type { Declaration, Kind } from './declaration-fields.ts'

const WORDS: Readonly<
  Record<Kind, { what: string; key: string; permission: Declaration['permission'] }>
> = {
  VENUE: { what: 'venue', key: 'Key', permission: 'venues.write' },
  ASSET: { what: 'asset', key: 'Code', permission: 'assets.write' },
  PRICE_ROUTE: { what: 'price route', key: 'Key', permission: 'trading.routes.write' },
}

const KINDS = Object.keys(SECRETS)
const LABEL: FormField = { name: 'label', label: 'Name', kind: 'text', required: true }

const venueFields = (kind: unknown, fixed: boolean): FormField[] => [
  LABEL,
  { name: 'kind', label: 'Kind', kind: 'words', required: true, options: KINDS, disabled: fixed },
  {
    name: 'settlement',
    label: 'Settlement',
    kind: 'words',
    options: ['PREFUNDED', 'POST_TRADE'],
    help: 'Prefunded when empty',
  },
  {
    name: 'options',
    label: 'Options',
    kind: 'lines',
    required: true,
    help: 'One in each line, such as exchange = kraken. Another address needs its secrets anew',
  },
  {
    name: 'secrets',
    label: 'Secrets stored here',
    kind: 'words',
    many: true,
    options: (SECRETS[String(kind)] ?? []).map((name) => ({ value: name, label: name })),
    help: 'Each is written after this, once. What the configuration file names stays there',
  },
  {
    name: 'services',
    label: 'Services',
    kind: 'words',
    many: true,
    options: [
      { value: 'TOMS', label: 'Trading' },
      { value: 'WOMS', label: 'Wallets' },
      { value: 'PRICE_STREAM', label: 'Prices' },
    ],
    help: 'All that the kind offers when empty',
  },
  { name: 'payout_ibans', label: 'IBANs from which it pays us', kind: 'texts' },
  {
    name: 'terms',
    label: 'Words of this venue',
    kind: 'lines',
    help: 'JSON, as terms in the configuration file',
  },
]

const assetFields = (fixed: boolean): FormField[] => [
  LABEL,
  {
    name: 'kind',
    label: 'Kind',
    kind: 'words',
    required: true,
    options: ['FIAT', 'CRYPTO'],
    disabled: fixed,
  },
  {
    name: 'scale',
    label: 'Decimals',
    kind: 'text',
    required: true,
    help: 'Of amounts, from 0 to 18; they may grow later, never shrink',
  },
  {
    name: 'circulating_supply',
    label: 'Circulating supply',
    kind: 'text',
    help: 'Whole units, for assets that the aggregator does not report',
  },
  {
    name: 'protocols',
    label: 'Protocols',
    kind: 'lines',
    help: 'JSON, as in the configuration file; those that are shipped when empty',
  },
]

const AMOUNT = { kind: 'amount', zero: true, required: true } as const
const ROUTE_FIELDS: FormField[] = [
  LABEL,
  { name: 'base_asset', label: 'Base asset', kind: 'text', required: true },
  { name: 'quote_asset', label: 'Quote asset', kind: 'text', required: true },
  { name: 'symbol', label: 'Symbol', kind: 'text', help: 'Base/quote when empty' },
  {
    name: 'hops',
    label: 'Hops',
    kind: 'lines',
    required: true,
    help: 'One in each line: kraken BTC/EUR',
  },
  { name: 'min_amount', label: 'Least amount', ...AMOUNT },
  { name: 'max_amount', label: 'Largest amount', ...AMOUNT },
  { name: 'amount_step', label: 'Step of amounts', ...AMOUNT },
  { name: 'price_step', label: 'Step of prices', ...AMOUNT },
  {
    name: 'risk_quantile',
    label: 'Risk quantile',
    ...AMOUNT,
    help: 'Between 0 and 1, such as 0.99',
  },
  {
    name: 'margin',
    label: 'Margins',
    kind: 'lines',
    help: "Category = factor in each line; the workspace's when empty",
  },
  { name: 'active', label: 'Prices are made', kind: 'flag' },
]

function Fields({ kind, fixed }: { kind: Kind; fixed: boolean }): ReactNode {
  const venueKind: unknown = Form.useWatch('kind')
  const { key } = WORDS[kind]
  const fields = {
    VENUE: venueFields(venueKind, fixed),
    ASSET: assetFields(fixed),
    PRICE_ROUTE: ROUTE_FIELDS,
  }
  const name: FormField = { name: 'key', label: key, kind: 'text', required: true, limit: 100 }
  return <Inputs fields={fixed ? fields[kind] : [name, ...fields[kind]]} />
}

type Put<Row> = ActionPlan<'put', '/declarations/{key}', Row>

export function addPlan(kind: Kind): Put<undefined> {
  const { what, permission } = WORDS[kind]
  const keyIn = ({ key }: Values): string => `${PREFIXES[kind]}${String(key).trim()}`
  return {
    label: `Add ${/^[aeiou]/.test(what) ? 'an' : 'a'} ${what}`,
    permission,
    width: 620,
    explain: () => 'It counts at once, without a restart.',
    form: () => <Fields kind={kind} fixed={false} />,
    initial: () => toFields(kind, {}),
    method: 'put',
    path: '/declarations/{key}',
    request: (_row, values) => ({
      params: { key: keyIn(values) },
      body: { declaration: fromFields(kind, values, {}) },
    }),
    confirm: (_row, values) => [
      { label: 'Added', value: keyIn(values) },
      { label: 'Declared', value: <DeclarationValue value={fromFields(kind, values, {})} /> },
    ],
    fieldOf,
    done: ({ name }) => `${name} added`,
  }
}

export const changePlan = ({ kind, permission }: Declaration): Put<Declaration> => ({
  label: 'Change',
  permission,
  width: 620,
  explain: ({ name }) => (
    <>
      <strong>{name}.</strong> It counts at once, without a restart.
    </>
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
    { label: 'Changed', value: key },
    { label: 'Until now', value: <DeclarationValue value={declaration} /> },
    {
      label: 'From now on',
      value: <DeclarationValue value={fromFields(kind, values, declaration)} />,
    },
  ],
  fieldOf,
  done: ({ name }) => `${name} changed`,
})

export const removePlan = ({
  permission,
}: Declaration): ActionPlan<'delete', '/declarations/{key}', Declaration> => ({
  label: 'Remove',
  permission,
  danger: true,
  why: ({ kind, in_file }) => {
    if (kind === 'ASSET') return 'An asset stays: amounts are booked in it'
    return in_file ? 'The configuration file names it: take it out there' : undefined
  },
  explain: ({ name, kind }) =>
    kind === 'VENUE'
      ? `${name} is disabled: nothing is sent there and nothing read. What was booked stays.`
      : `No prices are made on ${name} any more.`,
  method: 'delete',
  path: '/declarations/{key}',
  request: ({ key }) => ({ params: { key } }),
  done: ({ name }) => `${name} removed`,
})
