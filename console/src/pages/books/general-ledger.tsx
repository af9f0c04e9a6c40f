/** The books in the numbers of the bank's own chart of accounts, and as DATEV reads them. */
import type { DataOf } from '@kontor/client'
import type { ReactNode } from 'react'
import { Link } from 'react-router'
import { useGet } from '../../api/query.ts'
import { client } from '../../api/session.ts'
import { Trans, t } from '../../language/index.ts'
import { ASSET_BESIDE } from '../../list/columns.tsx'
import type { Column } from '../../list/columns.tsx'
import { Rows } from '../../list/grid.tsx'
import { WorkList } from '../../list/work-list.tsx'
import type { RowOf } from '../../list/work-list.tsx'
import { saveAs } from '../../parts/files.ts'
import { SaveButton } from '../../parts/save-button.tsx'
import { inWords } from '../../parts/status.tsx'

type Line = RowOf<'/general-ledger'>
type Unnumbered = DataOf<'get', '/general-ledger/unnumbered'>[number]

const COLUMNS: readonly Column<Line>[] = [
  { key: 'sequence', title: t('No.'), kind: 'number', width: 80 },
  { key: 'booked_at', title: t('Booked'), kind: 'time' },
  { key: 'type', title: t('Entry'), value: ({ type }) => inWords(type), width: 140 },
  { key: 'number', title: t('Number'), value: ({ number }) => number ?? t('None'), width: 100 },
  { key: 'account_label', title: t('Account'), width: 180 },
  {
    key: 'account_type',
    title: t('Accounts'),
    value: ({ account_type }) => inWords(account_type),
    width: 120,
  },
  { key: 'asset', title: t('Asset'), width: 70 },
  { key: 'debit', title: t('Debit'), kind: 'amount', ...ASSET_BESIDE },
  { key: 'credit', title: t('Credit'), kind: 'amount', ...ASSET_BESIDE },
  { key: 'description', title: t('Description'), width: 220 },
  { key: 'value_date', title: t('Value date'), kind: 'time', extra: true },
]

export function Page(): ReactNode {
  return (
    <WorkList
      title={t('General ledger')}
      help="general-ledger"
      path="/general-ledger"
      live={['booking']}
      above={<WithoutNumber />}
      keyOf={({ sequence, leg }) => `${sequence} ${leg}`}
      record={({ booking_id }) => `/books/bookings/${booking_id}`}
      columns={COLUMNS}
      filters={[
        { name: 'from', label: t('Since'), kind: 'time' },
        { name: 'to', label: t('Until'), kind: 'time' },
        { name: 'assets', label: t('Assets, e.g. EUR,BTC'), kind: 'text' },
      ]}
      files={({ from, to, assets }) => (
        <SaveButton
          label={t('DATEV')}
          title={t('Download as DATEV Buchungsstapel: of one currency, from a time until a time')}
          save={() => saveDatev({ from, to, asset: assets })}
        />
      )}
      empty={{
        title: t('Nothing is booked in that time'),
        text: t('Each booking stands here with all its accounts.'),
      }}
    />
  )
}

type Wanted = { from: string | undefined; to: string | undefined; asset: string | undefined }

/** What is missing, the service says. The file has the name that DATEV wants. */
async function saveDatev(wanted: Wanted): Promise<void> {
  const query = Object.fromEntries(
    Object.entries(wanted).filter(([, value]) => value !== undefined && value !== ''),
  )
  const { file } = await client().get('/general-ledger/datev', { query })
  const response = await client().open('/general-ledger/datev', { query, accept: 'text/csv' })
  saveAs(file, await response.blob())
}

const UNNUMBERED: readonly Column<Unnumbered>[] = [
  {
    key: 'account_type',
    title: t('Accounts'),
    value: ({ account_type }) => inWords(account_type),
    width: 160,
  },
  { key: 'asset', title: t('Asset'), width: 80 },
  { key: 'accounts', title: t('How many'), kind: 'number', width: 100 },
  { key: 'account_label', title: t('Such as'), width: 240 },
]

/** They stand in the list without a number, and are refused by DATEV. */
function WithoutNumber(): ReactNode {
  const { data = [] } = useGet('/general-ledger/unnumbered', {})
  if (data.length === 0) return null
  return (
    <>
      <p>
        <Trans
          i18nKey="These accounts have no number yet: give it in the <settings>settings</settings>."
          components={{ settings: <Link to="/administration/settings" /> }}
        />
      </p>
      <Rows
        label={t('Accounts without a number')}
        rows={data}
        keyOf={({ account_type, asset }) => `${account_type} ${asset}`}
        columns={UNNUMBERED}
      />
    </>
  )
}
