/** The tabs of a reconciled day: its lines, its breaks, and who signed. */
import type { DataOf } from '@kontor/client'
import type { ReactNode } from 'react'
import { useNavigate } from 'react-router'
import { t } from '../../language/index.ts'
import { ASSET_BESIDE } from '../../list/columns.tsx'
import type { Column } from '../../list/columns.tsx'
import { RowsCsv } from '../../list/csv.tsx'
import { Rows } from '../../list/grid.tsx'
import { Empty } from '../../parts/states.tsx'
import { Status } from '../../parts/status.tsx'

type Day = DataOf<'get', '/desk/reconciliation/days/{day_id}'>
type Line = Day['lines'][number]
type Break = Day['breaks'][number]
type Signature = Day['signatures'][number]

const LINES: readonly Column<Line>[] = [
  { key: 'state', title: t('State'), kind: 'status', width: 110 },
  { key: 'asset', title: t('Asset'), width: 70 },
  { key: 'wallet', title: t('Wallet'), width: 130 },
  { key: 'venue', title: t('Venue held'), kind: 'amount', width: 140, ...ASSET_BESIDE },
  { key: 'ledger', title: t('Books'), kind: 'amount', width: 140, ...ASSET_BESIDE },
  { key: 'on_the_way', title: t('In flight'), kind: 'amount', width: 120, ...ASSET_BESIDE },
  { key: 'difference', title: t('Difference'), kind: 'amount', width: 130, ...ASSET_BESIDE },
  { key: 'note', title: t('Explained by hand'), width: 200 },
  { key: 'explained_by', title: t('Explained by'), kind: 'user', width: 150 },
  { key: 'explanation', title: t('Found'), kind: 'said', width: 265 },
  { key: 'compared_at', title: t('Compared'), kind: 'time' },
]

export function DayLines({ day }: { day: Day }): ReactNode {
  return (
    <>
      {day.lines.length > 0 && (
        <RowsCsv
          label={t('CSV')}
          title={t('Download the lines, with amounts as they are written in each currency')}
          columns={LINES}
          rows={day.lines}
          name={`${t('Reconciliation')} ${day.day}`}
        />
      )}
      <Rows<Line>
        label={t('Lines')}
        rows={day.lines}
        keyOf={({ line_no }) => String(line_no)}
        columns={LINES}
        empty={<Empty title={t('Nothing was compared on this day')} />}
      />
    </>
  )
}

const BREAKS: readonly Column<Break>[] = [
  { key: 'state', title: t('State'), kind: 'status', width: 110 },
  { key: 'asset', title: t('Asset'), width: 70 },
  { key: 'wallet', title: t('Wallet'), width: 130 },
  { key: 'difference', title: t('Difference'), kind: 'amount', width: 130, ...ASSET_BESIDE },
  { key: 'note', title: t('Note'), width: 200 },
  { key: 'closed_by', title: t('Closed by'), kind: 'user', width: 150 },
  { key: 'explanation', title: t('Explanation'), kind: 'said', width: 265 },
  { key: 'first_seen_at', title: t('First seen'), kind: 'time' },
  { key: 'closed_at', title: t('Closed'), kind: 'time' },
]

export function DayBreaks({ day }: { day: Day }): ReactNode {
  const navigate = useNavigate()
  return (
    <Rows<Break>
      label={t('Breaks')}
      rows={day.breaks}
      keyOf={({ id }) => id}
      columns={BREAKS}
      open={({ id }) => {
        navigate(`/desk/breaks/${id}`)?.catch(() => undefined)
      }}
      empty={<Empty title={t('No breaks on this day')} />}
    />
  )
}

const SIGNATURES: readonly Column<Signature>[] = [
  {
    key: 'action',
    title: t('State'),
    width: 140,
    render: ({ action }) => <Status state={action} />,
  },
  { key: 'signed_by', title: t('By'), kind: 'user', width: 180 },
  { key: 'signed_at', title: t('Time'), kind: 'time' },
  { key: 'note', title: t('Note or reason'), width: 300 },
]

export function DaySignatures({ day }: { day: Day }): ReactNode {
  return (
    <Rows<Signature>
      label={t('Signatures')}
      rows={day.signatures}
      keyOf={({ signed_at, action }) => `${signed_at} ${action}`}
      columns={SIGNATURES}
      empty={<Empty title={t('Nobody has signed yet')} />}
    />
  )
}
