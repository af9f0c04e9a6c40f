/** Overview: what needs attention, balances and their owners, movements of today, and prices. */
import { sentenceOf } from '../parts/refusal-words.ts'
import type { DataOf } from '@kontor/client'
import { Select } from 'antd'
import { lazy, Suspense, useState } from 'react'
import type { ReactNode } from 'react'
import { Link } from 'react-router'
import { useEvents, useLiveness } from '../api/events.ts'
import { useGet, useMay } from '../api/query.ts'
import { Trans, t } from '../language/index.ts'
import type { Column } from '../list/columns.tsx'
import { Rows } from '../list/grid.tsx'
import { Empty, Failure, Loading } from '../parts/states.tsx'
import { Time } from '../parts/values.tsx'
import { PAGES } from './index.ts'
import { BalancePanels } from './overview-balances.tsx'
import '../parts/panels.css'
import './overview.css'

const RouteChart = lazy(async () => ({
  default: (await import('./trading/route-chart.tsx')).RouteChart,
}))

const Drifts = lazy(async () => ({
  default: (await import('./administration/setting-drift.tsx')).Drifts,
}))

/** The shortest time between two reads, however many events arrive. */
const PAUSE_MILLISECONDS = 2_000
const POLL_MILLISECONDS = 15_000

type Overview = DataOf<'get', '/overview'>

export function Page(): ReactNode {
  const liveness = useLiveness()
  const { data, error, refetch } = useGet(
    '/overview',
    { query: { from: String(new Date().setHours(0, 0, 0, 0)) } },
    liveness === 'off' ? { every: POLL_MILLISECONDS } : {},
  )
  useEvents('all', () => refetch(), PAUSE_MILLISECONDS)
  return (
    <section className="page" aria-label={t('Overview')}>
      <header className="page-head">
        <h1>{t('Overview')}</h1>
        <span className="space" />
        {data !== undefined && (
          <span className="count">
            <Trans i18nKey="As of <time/>" components={{ time: <Time at={data.at} /> }} />
          </span>
        )}
      </header>
      {error !== null && <Failure error={error} again={refetch} />}
      {data === undefined && error === null && <Loading />}
      {data !== undefined && (
        <div className="overview">
          <FirstHourLink />
          <Needs needs={data.needs} />
          {data.assets !== null && <BalancePanels assets={data.assets} />}
          <div className="overview-two">
            <Movements movements={data.movements} from={data.from} />
            <PriceChart />
          </div>
        </div>
      )}
    </section>
  )
}

/** While nothing works yet. */
function FirstHourLink(): ReactNode {
  const may = useMay('venues.read')
  const { data: venues } = useGet('/venues', {}, { enabled: may, every: POLL_MILLISECONDS })
  if (venues === undefined || venues.some(({ state }) => state === 'CONNECTED')) return null
  return (
    <section className="panel" aria-label={t('First hour')}>
      <h2>{t('No venue works yet')}</h2>
      <Link to="/administration/first-hour">{t('From your bank to the first deposit')}</Link>
    </section>
  )
}

/** `3 min`, `2 h`, `5 d`. */
function ageWords(milliseconds: number): string {
  const minutes = Math.floor(milliseconds / 60_000)
  if (minutes < 1) return t('just now')
  if (minutes < 120) return t('{{minutes}} min', { minutes })
  const hours = Math.floor(minutes / 60)
  return hours < 48 ? `${hours} h` : `${Math.floor(hours / 24)} d`
}

const GRAVE: readonly string[] = [
  'withdrawals_unknown',
  'withdrawals_stuck',
  'executions_unknown',
  'executions_stuck',
  'breaks_open',
  'screening_cases_open',
  'deposits_gone_twice',
  'suspense_unexplained',
  'records_set_aside',
  'venues_stale',
  'venues_unserved',
  'jobs_failing',
  'settlements_failed',
  'halts_set',
]

/** What is decided on the spot takes the whole width. */
const WIDE: readonly string[] = ['settings_drifting']

const classOf = (kind: string): string =>
  [GRAVE.includes(kind) ? 'grave' : '', WIDE.includes(kind) ? 'wide' : ''].join(' ').trim()

function Needs({ needs }: { needs: Overview['needs'] }): ReactNode {
  const open = needs.filter((need) => need.count > 0)
  const clear = needs.filter((need) => need.count === 0)
  return (
    <section className="panel" aria-label={t('Needs attention')}>
      <header className="panel-head">
        <h2>{t('Needs attention')}</h2>
        {open.length > 0 && clear.length > 0 && (
          <span className="count" title={clear.map((need) => sentenceOf(need.title)).join('\n')}>
            {t('{{count}} other checks are clear', { count: clear.length })}
          </span>
        )}
      </header>
      {open.length === 0 ? (
        <p className="all-clear">{t('All {{count}} checks are clear.', { count: clear.length })}</p>
      ) : (
        <ul className="needs">
          {open.map((need) => (
            <li key={need.kind} className={classOf(need.kind)}>
              <NeedLink need={need}>
                {sentenceOf(need.title)}: <strong>{need.count}</strong>
              </NeedLink>
              {need.oldest_at !== null && (
                <small title={new Date(need.oldest_at).toISOString()}>
                  {t('oldest {{age}}', { age: ageWords(need.age_ms) })}
                </small>
              )}
              {need.reasons.map((reason) => (
                <p key={reason}>{sentenceOf(reason)}</p>
              ))}
              {need.kind === 'settings_drifting' && (
                <details>
                  <summary>{t('Show both values')}</summary>
                  <Suspense fallback={<Loading />}>
                    <Drifts />
                  </Suspense>
                </details>
              )}
            </li>
          ))}
        </ul>
      )}
    </section>
  )
}

function NeedLink({
  need,
  children,
}: {
  need: Overview['needs'][number]
  children: ReactNode
}): ReactNode {
  const { list, filter } = need.link
  const page =
    PAGES.find((page) => page.path === list) ?? PAGES.find((page) => page.path.endsWith(list))
  return page === undefined ? (
    <span>{children}</span>
  ) : (
    <Link to={{ pathname: page.path, search: new URLSearchParams(filter).toString() }}>
      {children}
    </Link>
  )
}

type Movement = {
  key: string
  what: string
  asset: string
  count: number
  quantity: string
  /** Of trades: what was paid or received. */
  volume?: string
  quote_asset?: string
  list: string
}

function movementsOf({
  deposits,
  withdrawals,
  transfers,
  executions,
}: Overview['movements']): Movement[] {
  const transfersOf = (what: string, list: string, sums: typeof deposits): Movement[] =>
    (sums ?? []).map((sum) => ({ ...sum, what, list, key: `${what} ${sum.asset}` }))
  return [
    ...transfersOf(t('Deposits'), '/treasury/deposits', deposits),
    ...transfersOf(t('Withdrawals'), '/treasury/withdrawals', withdrawals),
    ...transfersOf(t('Own transfers'), '/treasury/withdrawals', transfers),
    ...(executions ?? []).map(({ base_asset, quote_asset, side, count, amount, volume }) => ({
      key: `${side} ${base_asset} ${quote_asset}`,
      what: side === 'BUY' ? t('Bought') : t('Sold'),
      asset: base_asset,
      count,
      quantity: amount,
      volume,
      quote_asset,
      list: '/trading/executions',
    })),
  ]
}

const MOVEMENT_COLUMNS: readonly Column<Movement>[] = [
  {
    key: 'what',
    title: t('Movement'),
    width: 110,
    render: (row) => <Link to={row.list}>{row.what}</Link>,
  },
  { key: 'count', title: t('Count'), kind: 'number', width: 70 },
  { key: 'quantity', title: t('Total'), kind: 'amount', width: 145, asset: (row) => row.asset },
  {
    key: 'volume',
    title: t('For'),
    kind: 'amount',
    width: 235,
    asset: (row) => row.quote_asset ?? null,
  },
]

function Movements({
  movements,
  from,
}: {
  movements: Overview['movements']
  from: number
}): ReactNode {
  return (
    <section className="panel" aria-label={t('Movements today')}>
      <header className="panel-head">
        <h2>{t('Movements today')}</h2>
        <span className="count">
          <Trans i18nKey="since <time/>" components={{ time: <Time at={from} /> }} />
        </span>
      </header>
      <Rows<Movement>
        label={t('Movements today')}
        rows={movementsOf(movements)}
        keyOf={(row) => row.key}
        empty={
          <Empty title={t('No movements today')}>
            {t('Deposits, withdrawals and trades are counted here as they happen.')}
          </Empty>
        }
        columns={MOVEMENT_COLUMNS}
      />
    </section>
  )
}

function PriceChart(): ReactNode {
  const may = useMay('trading.routes.read')
  const { data: routes } = useGet('/price-stream/routes', {}, { enabled: may })
  const [chosen, choose] = useState<string>()
  const active = (routes ?? []).filter((route) => route.active).toReversed()
  const route = active.find((route) => route.id === chosen) ?? active[0]
  if (route === undefined) return null
  return (
    <section className="panel" aria-label={t('Prices')}>
      <header className="panel-head">
        <h2>{t('Price')}</h2>
        <Select
          size="small"
          aria-label={t('Price of')}
          value={route.id}
          options={active.map(({ id, label }) => ({ value: id, label }))}
          onChange={choose}
          popupMatchSelectWidth={false}
        />
      </header>
      <Suspense fallback={<Loading />}>
        <RouteChart route_id={route.id} quoted={route.quote_asset} height={210} />
      </Suspense>
    </section>
  )
}
