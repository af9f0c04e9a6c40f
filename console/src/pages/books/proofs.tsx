/** Proofs of segregation: what customers own beside what is held for them. */
import { addAmounts } from '@kontor/client'
import type { DataOf } from '@kontor/client'
import type { ReactNode } from 'react'
import { useParams } from 'react-router'
import { ActionButton } from '../../action/action.tsx'
import type { ActionPlan } from '../../action/plan.ts'
import { t } from '../../language/index.ts'
import { ASSET_BESIDE } from '../../list/columns.tsx'
import type { Column } from '../../list/columns.tsx'
import { RowsCsv } from '../../list/csv.tsx'
import { Rows } from '../../list/grid.tsx'
import { WorkList } from '../../list/work-list.tsx'
import { Empty } from '../../parts/states.tsx'
import { Time } from '../../parts/values.tsx'
import { COMMON_FIELDS, RecordDrawer } from '../../record/record.tsx'
import type { Section } from '../../record/record.tsx'

type Proof = DataOf<'get', '/proofs/{proof_id}'>
type Tree = Proof['trees'][number]
type Holding = Tree['held'][number] & { asset: string }

const make: ActionPlan<'post', '/proofs'> = {
  label: t('Make a proof'),
  permission: 'proofs.create',
  explain: () =>
    t(
      'Reads what every customer has, at this moment, and keeps it. Publish the roots: then each ' +
        'customer can check alone that they are counted.',
    ),
  fields: [],
  method: 'post',
  path: '/proofs',
  request: () => ({}),
  done: ({ sequence }) => t('Proof made as of booking {{sequence}}', { sequence }),
}

const isShort = ({ difference, reported_difference }: Tree): boolean =>
  difference.startsWith('-') || (reported_difference ?? '').startsWith('-')

const assetsOf = (trees: readonly Tree[]): string => trees.map(({ asset }) => asset).join(', ')

export function Page(): ReactNode {
  return (
    <WorkList
      title={t('Proofs of segregation')}
      help="proofs"
      path="/proofs"
      every={60_000}
      columns={[
        { key: 'system_created_at', title: t('Made'), kind: 'time' },
        { key: 'sequence', title: t('Last booking'), kind: 'number', width: 120 },
        { key: 'trees', title: t('Assets'), value: ({ trees }) => assetsOf(trees), width: 300 },
        {
          key: 'short',
          title: t('Less held than owned'),
          value: ({ trees }) => assetsOf(trees.filter(isShort)),
          width: 200,
        },
        { key: 'system_created_by', title: t('Made by'), kind: 'user' },
        { key: 'id', title: t('Id'), kind: 'id', extra: true },
      ]}
      empty={{
        title: t('No proofs yet'),
        text: t('A proof shows what customers own beside what is held for them.'),
      }}
      actions={<ActionButton plan={make} primary />}
    />
  )
}

const SECTIONS: readonly Section<Proof>[] = [
  {
    fields: [
      { key: 'sequence', title: t('Last booking'), kind: 'number' },
      { key: 'batch_no', title: t('Batch of the books'), kind: 'number' },
      { key: 'books_hash', title: t('Hash of the books') },
    ],
  },
  COMMON_FIELDS,
]

export function Record(): ReactNode {
  const { id = '' } = useParams()
  return (
    <RecordDrawer
      what={t('Proof of segregation')}
      path="/proofs/{proof_id}"
      request={{ params: { proof_id: id } }}
      timeline={false}
      title={(row) => <Time at={row.system_created_at} />}
      sections={SECTIONS}
      tabs={[
        {
          key: 'owned',
          label: t('Owned and held'),
          node: ({ trees }) => (
            <Rows label={t('Owned and held')} rows={trees} keyOf={assetOf} columns={OWNED} />
          ),
        },
        {
          key: 'held',
          label: t('At the venues'),
          node: ({ trees }) => (
            <Rows
              label={t('At the venues')}
              rows={trees.flatMap(({ asset, held }) => held.map((one) => ({ ...one, asset })))}
              keyOf={({ asset, venue_id }) => `${asset} ${venue_id}`}
              columns={HELD}
              empty={<Empty title={t('Nothing is held')}>{t('No venue had any of it.')}</Empty>}
            />
          ),
        },
        {
          key: 'publish',
          label: t('To be published'),
          node: (proof) => <ToBePublished proof={proof} />,
        },
      ]}
    />
  )
}

const assetOf = ({ asset }: { asset: string }): string => asset
const ASSET = { key: 'asset', title: t('Asset'), width: 70 }

const OWNED: readonly Column<Tree>[] = [
  ASSET,
  { key: 'total', title: t('Customers own'), kind: 'amount', ...ASSET_BESIDE },
  {
    key: 'ledger',
    title: t('Held by the books'),
    kind: 'amount',
    value: ({ held, in_transit }) => addAmounts(in_transit, ...held.map(({ ledger }) => ledger)),
    ...ASSET_BESIDE,
  },
  { key: 'difference', title: t('Difference'), kind: 'amount', ...ASSET_BESIDE },
  { key: 'reported', title: t('Held as venues said'), kind: 'amount', ...ASSET_BESIDE },
  {
    key: 'reported_difference',
    title: t('Difference to that'),
    kind: 'amount',
    ...ASSET_BESIDE,
  },
  { key: 'in_transit', title: t('Of it in transit'), kind: 'amount', ...ASSET_BESIDE },
  { key: 'unassigned', title: t('Deposits without an owner'), kind: 'amount', ...ASSET_BESIDE },
  { key: 'debts', title: t('Customers owe'), kind: 'amount', ...ASSET_BESIDE },
  { key: 'debtors', title: t('Accounts that owe'), kind: 'number' },
]

const HELD: readonly Column<Holding>[] = [
  ASSET,
  { key: 'venue_id', title: t('Venue'), kind: 'venue' },
  { key: 'ledger', title: t('By the books'), kind: 'amount', ...ASSET_BESIDE },
  { key: 'venue', title: t('As the venue said'), kind: 'amount', ...ASSET_BESIDE },
  { key: 'compared_at', title: t('Compared'), kind: 'time' },
]

const PUBLISHED: readonly Column<Tree>[] = [
  ASSET,
  { key: 'total', title: t('Customers own'), kind: 'amount', ...ASSET_BESIDE },
  { key: 'leaves', title: t('Accounts'), kind: 'number' },
  { key: 'root', title: t('Root'), width: 480 },
]

function ToBePublished({ proof: { trees, sequence } }: { proof: Proof }): ReactNode {
  return (
    <>
      <p>
        {t(
          'Publish these where everybody sees the same ones, such as your website. A customer ' +
            'gets the file from their record, under Proofs.',
        )}
      </p>
      <RowsCsv
        label={t('CSV')}
        title={t('Download what is to be published')}
        columns={PUBLISHED}
        rows={trees}
        name={t('Proof of segregation {{sequence}}', { sequence })}
      />
      <Rows label={t('To be published')} rows={trees} keyOf={assetOf} columns={PUBLISHED} />
    </>
  )
}
