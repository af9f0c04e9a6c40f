import { Input } from 'antd'
import { useMemo } from 'react'
import type { ReactNode } from 'react'
import { Outlet, useSearchParams } from 'react-router'
import { useEvents } from '../../api/events.ts'
import { useGet } from '../../api/query.ts'
import { Trans, t } from '../../language/index.ts'
import { RowsCsv } from '../../list/csv.tsx'
import { Grid } from '../../list/grid.tsx'
import { saveCsv } from '../../parts/files.ts'
import { PdfButton, SaveButton } from '../../parts/save-button.tsx'
import { Empty, Failure, Loading } from '../../parts/states.tsx'
import { AppliedTime } from '../../parts/time-input.tsx'
import { Time } from '../../parts/values.tsx'
import { TRIAL_COLUMNS, trialLines } from './trial-lines.ts'
import type { Balances } from './trial-lines.ts'

const PAUSE_MILLISECONDS = 1_000

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
  const lines = useMemo(() => shown.flatMap(trialLines), [shown])
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
          columns={TRIAL_COLUMNS}
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
          columns={TRIAL_COLUMNS}
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
