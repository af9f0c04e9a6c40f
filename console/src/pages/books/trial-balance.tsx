import { isZero } from '@kontor/client'
import type { DataOf } from '@kontor/client'
import { Input } from 'antd'
import { useMemo } from 'react'
import type { ReactNode } from 'react'
import { Outlet, useSearchParams } from 'react-router'
import { useEvents } from '../../api/events.ts'
import { useGet } from '../../api/query.ts'
import { Trans, t } from '../../language/index.ts'
import { ASSET_BESIDE } from '../../list/columns.tsx'
import type { Column } from '../../list/columns.tsx'
import { withDecimals } from '../../list/csv-text.ts'
import { RowsCsv } from '../../list/csv.tsx'
import { Grid } from '../../list/grid.tsx'
import { saveCsv } from '../../parts/files.ts'
import { PdfButton, SaveButton } from '../../parts/save-button.tsx'
import { Empty, Failure, Loading } from '../../parts/states.tsx'
import { inWords } from '../../parts/status.tsx'
import { AppliedTime } from '../../parts/time-input.tsx'
import { Time } from '../../parts/values.tsx'

const PAUSE_MILLISECONDS = 1_000

type Balances = DataOf<'get', '/bookings/trial-balance'>['assets']
type Line = {
  key: string
  asset: string
  type: string
  debit: string
  credit: string
  total: boolean
}

const inItsDecimals = (amount: string, asset: string): string =>
  isZero(amount) ? '' : withDecimals(amount, asset)

const COLUMNS: readonly Column<Line>[] = [
  { key: 'asset', title: t('Asset'), width: 110 },
  { key: 'type', title: t('Accounts'), width: 220 },
  {
    key: 'debit',
    title: t('Debit'),
    kind: 'amount',
    width: 240,
    ...ASSET_BESIDE,
    value: (line) => (isZero(line.debit) ? null : line.debit),
    text: (line) => inItsDecimals(line.debit, line.asset),
  },
  {
    key: 'credit',
    title: t('Credit'),
    kind: 'amount',
    width: 240,
    ...ASSET_BESIDE,
    value: (line) => (isZero(line.credit) ? null : line.credit),
    text: (line) => inItsDecimals(line.credit, line.asset),
  },
]

const linesOf = ({ asset, debit, credit, lines }: Balances[number]): Line[] => [
  ...lines.map((line) => ({
    key: `${asset} ${line.type}`,
    asset,
    type: inWords(line.type),
    debit: line.debit,
    credit: line.credit,
    total: false,
  })),
  { key: `${asset} total`, asset, type: t('Total'), debit, credit, total: true },
]

/** Debit and credit balances by type of account, now or as booked before a time. */
export function Page(): ReactNode {
  const [params] = useSearchParams()
  const at = params.get('at')
  const wanted = (params.get('asset') ?? '').toUpperCase()
  const { data, error, refetch } = useGet(
    '/bookings/trial-balance',
    at === null ? {} : { query: { at } },
    { keep: true },
  )
  useEvents(['booking'], () => (at === null ? refetch() : undefined), PAUSE_MILLISECONDS)
  const shown = useMemo(
    () => (data?.assets ?? []).filter(({ asset }) => asset.startsWith(wanted)),
    [data, wanted],
  )
  const lines = useMemo(() => shown.flatMap(linesOf), [shown])
  return (
    <section className="page" aria-label={t('Trial balance')}>
      <header className="page-head">
        <h1>{t('Trial balance')}</h1>
        {data !== undefined && (
          <span className="count">
            <Trans i18nKey="As of <time/>" components={{ time: <Time at={data.at} /> }} />
          </span>
        )}
        <span className="space" />
        <RowsCsv
          label={t('CSV')}
          title={t('Download what is shown, with amounts as they are written in each currency')}
          columns={COLUMNS}
          rows={lines}
          name={t('Trial balance')}
        />
        <SaveButton
          label={t('Raw CSV')}
          title={t('Download the lines as the API has them, for programs')}
          save={() => saveRaw(shown)}
        />
        <PdfButton
          path="/bookings/trial-balance"
          request={at === null ? {} : { query: { at } }}
          name={t('Trial balance')}
        />
      </header>
      <Filters />
      {error !== null && <Failure error={error} again={refetch} />}
      {data === undefined && error === null && <Loading />}
      {data !== undefined && error === null && (
        <Grid
          label={t('Trial balance')}
          rows={lines}
          keyOf={(line) => line.key}
          empty={
            <Empty title={t('No bookings yet')}>
              {t('Connecting a venue books its balances.')}
            </Empty>
          }
          classOf={(line) => (line.total ? 'total' : '')}
          columns={COLUMNS}
        />
      )}
      <Outlet />
    </section>
  )
}

async function saveRaw(assets: Balances): Promise<void> {
  const lines = assets.flatMap(({ asset, lines: of }) =>
    of.map(({ type, debit, credit }) => [asset, type, debit, credit].join()),
  )
  saveCsv(t('{{name}} raw', { name: t('Trial balance') }), ['asset,type,debit,credit', ...lines])
}

/** The filters are in the URL: asset and time. */
function Filters(): ReactNode {
  const [params, setParams] = useSearchParams()
  const at = params.get('at')
  const set = (name: string, value: string | undefined): void => {
    setParams(
      (old) => {
        const next = new URLSearchParams(old)
        if (value === undefined || value === '') next.delete(name)
        else next.set(name, value)
        return next
      },
      { replace: true },
    )
  }
  return (
    <div className="filters" role="search" aria-label={t('Filter trial balance')}>
      <Input
        size="small"
        allowClear
        className="filter"
        aria-label={t('Asset')}
        placeholder={t('Asset')}
        value={(params.get('asset') ?? '').toUpperCase()}
        onChange={(event) => {
          set('asset', event.target.value)
        }}
      />
      <label className="time-filter">
        <Trans
          i18nKey="Booked before <timeinput/>"
          components={{
            timeinput: (
              <AppliedTime
                value={at === null ? undefined : Number(at)}
                onChange={(time) => {
                  set('at', time === undefined ? undefined : String(time))
                }}
              />
            ),
          }}
        />
      </label>
    </div>
  )
}
