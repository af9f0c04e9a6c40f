/**
 * How things stand: what needs a person now, what there is and whose it is, what moved today, and
 * how prices went.
 */
import { addAmounts, isZero } from '@kontor/client'
import type { DataOf } from '@kontor/client'
import { Select } from 'antd'
import { lazy, Suspense, useState } from 'react'
import type { ReactNode } from 'react'
import { Link } from 'react-router'
import { useEvents, useLiveness } from '../api/events.ts'
import { useGet, useMay } from '../api/query.ts'
import type { Column } from '../list/columns.tsx'
import { Rows } from '../list/grid.tsx'
import { Empty, Failure, Loading } from '../parts/states.tsx'
import { Amount, NOTHING, Time } from '../parts/values.tsx'
import { PAGES } from './index.ts'
import '../parts/panels.css'
import './overview.css'

const RouteChart = lazy(async () => ({
  default: (await import('./trading/route-chart.tsx')).RouteChart,
}))

/** However much happens, it is asked no more often. */
const PAUSE_MILLISECONDS = 2_000
const LOOK_AGAIN_MILLISECONDS = 15_000

type Overview = DataOf<'get', '/overview'>
type Asset = NonNullable<Overview['assets']>[number]

export function Page(): ReactNode {
  const liveness = useLiveness()
  const { data, error, refetch } = useGet(
    '/overview',
    {},
    liveness === 'off' ? { every: LOOK_AGAIN_MILLISECONDS } : {},
  )
  useEvents('all', () => refetch(), PAUSE_MILLISECONDS)
  return (
    <section className="page" aria-label="Overview">
      <header className="page-head">
        <h1>Overview</h1>
        <span className="space" />
        {data !== undefined && (
          <span className="count">
            As of <Time at={data.at} />
          </span>
        )}
      </header>
      {error !== null && <Failure error={error} again={refetch} />}
      {data === undefined && error === null && <Loading />}
      {data !== undefined && (
        <div className="overview">
          <Needs needs={data.needs} />
          {data.assets !== null && <Totals assets={data.assets} />}
          <div className="overview-two">
            <Movements movements={data.movements} from={data.from} />
            <PriceChart />
          </div>
        </div>
      )}
    </section>
  )
}

/** `3 min`, `2 h`, `5 d`. */
function ageWords(milliseconds: number): string {
  const minutes = Math.floor(milliseconds / 60_000)
  return minutes < 1
    ? 'just now'
    : minutes < 120
      ? `${minutes} min`
      : minutes < 2_880
        ? `${Math.floor(minutes / 60)} h`
        : `${Math.floor(minutes / 1_440)} d`
}

const GRAVE: readonly string[] = [
  'withdrawals_unknown',
  'withdrawals_stuck',
  'executions_unknown',
  'executions_stuck',
  'breaks_open',
  'venues_stale',
  'jobs_failing',
  'settlements_failed',
  'halts_set',
]

function Needs({ needs }: { needs: Overview['needs'] }): ReactNode {
  const open = needs.filter((need) => need.count > 0)
  const clear = needs.filter((need) => need.count === 0)
  return (
    <section className="panel" aria-label="Needs a person">
      <header className="panel-head">
        <h2>Needs a person</h2>
        {open.length > 0 && clear.length > 0 && (
          <span className="count" title={clear.map((need) => need.title).join('\n')}>
            {clear.length} other checks are clear
          </span>
        )}
      </header>
      {open.length === 0 ? (
        <p className="all-clear">Nothing. All {clear.length} checks are clear.</p>
      ) : (
        <ul className="needs">
          {open.map((need) => (
            <li key={need.kind} className={GRAVE.includes(need.kind) ? 'grave' : ''}>
              <NeedLink need={need}>
                <strong>{need.count}</strong> {need.title}
              </NeedLink>
              {need.oldest_at !== null && (
                <small title={new Date(need.oldest_at).toISOString()}>
                  oldest {ageWords(need.age_ms)}
                </small>
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

const amount = (key: keyof Asset & string, title: string, width: number): Column<Asset> => ({
  key,
  title,
  kind: 'amount',
  width,
  render: (row) => <Quiet value={row[key] as string} />,
})

/** Nothing of it stands back. */
function Quiet({ value }: { value: string | null }): ReactNode {
  return value === null || isZero(value) ? NOTHING : <Amount value={value} />
}

function Totals({ assets }: { assets: readonly Asset[] }): ReactNode {
  const venues = [
    ...new Map(
      assets.flatMap((asset) =>
        asset.venues.map((venue) => [venue.venue_id, venue.label] as const),
      ),
    ),
  ].toSorted((a, b) => a[1].localeCompare(b[1]))
  const name: Column<Asset> = {
    key: 'asset',
    title: 'Asset',
    width: 70,
    render: (row) => <strong>{row.asset}</strong>,
  }
  if (assets.length === 0)
    return (
      <section className="panel">
        <Empty title="There is nothing yet">
          Connect a venue: what it holds is its opening balance.
        </Empty>
      </section>
    )
  return (
    <>
      <section className="panel" aria-label="Totals">
        <h2>What there is, and whose it is</h2>
        <Rows<Asset>
          label="Totals per asset"
          rows={assets}
          keyOf={(row) => row.asset}
          columns={[
            name,
            amount('held', 'At venues', 130),
            amount('owed', 'Customers', 130),
            amount('house', 'House', 120),
            amount('unassigned', 'Unassigned', 120),
            amount('transit', 'On the way', 105),
            amount('pending_in', 'Arriving', 95),
            amount('pending_out', 'Leaving', 95),
            amount('trading', 'Unsettled', 115),
            {
              key: 'revenue',
              title: 'Margin, risk',
              kind: 'amount',
              width: 110,
              render: (row) => (
                <span title={`Margin ${row.margin}, risk ${row.risk}`}>
                  <Quiet value={addAmounts(row.margin, row.risk)} />
                </span>
              ),
            },
            amount('fee', 'Fees paid', 100),
          ]}
        />
      </section>
      <section className="panel" aria-label="Where it is">
        <h2>Where it is</h2>
        <Rows<Asset>
          label="Held per venue"
          rows={assets}
          keyOf={(row) => row.asset}
          columns={[
            name,
            ...venues.map(([venue_id, label]): Column<Asset> => ({
              key: venue_id,
              title: label,
              kind: 'amount',
              width: 140,
              render: (row) => (
                <Held at={row.venues.find((venue) => venue.venue_id === venue_id)} />
              ),
            })),
          ]}
        />
      </section>
    </>
  )
}

/**
 * By the books; beside it what the venue says, where that differs: it may be late, or trades are
 * not settled. A break is told above.
 */
function Held({ at }: { at: Asset['venues'][number] | undefined }): ReactNode {
  if (at === undefined) return NOTHING
  const differs =
    at.reported !== null &&
    !isZero(
      addAmounts(at.held, at.reported.startsWith('-') ? at.reported.slice(1) : `-${at.reported}`),
    )
  return (
    <span
      className={differs ? 'differs' : undefined}
      title={
        at.reported === null
          ? 'The venue does not say'
          : `The venue says ${at.reported}${differs ? ': it may be late, or trades are not settled' : ''}`
      }
    >
      <Quiet value={at.held} />
      {differs && (
        <small>
          {' '}
          ≠ <Amount value={at.reported} />
        </small>
      )}
    </span>
  )
}

type Moved = {
  key: string
  what: string
  asset: string
  count: number
  quantity: string
  second?: string
  list: string
}

function Movements({
  movements,
  from,
}: {
  movements: Overview['movements']
  from: number
}): ReactNode {
  const { deposits, withdrawals, transfers, executions } = movements
  const rows: Moved[] = [
    ...(deposits ?? []).map((deposit) => ({
      ...deposit,
      what: 'Deposits',
      list: '/treasury/deposits',
    })),
    ...(withdrawals ?? []).map((withdrawal) => ({
      ...withdrawal,
      what: 'Withdrawals',
      list: '/treasury/withdrawals',
    })),
    ...(transfers ?? []).map((transfer) => ({
      ...transfer,
      what: 'Own transfers',
      list: '/treasury/withdrawals',
    })),
    ...(executions ?? []).map((execution) => ({
      asset: execution.base_asset,
      count: execution.count,
      quantity: execution.amount,
      second: `${execution.volume} ${execution.quote_asset}`,
      what: execution.side === 'BUY' ? 'Bought' : 'Sold',
      list: '/trading/executions',
    })),
  ].map((each) => ({
    ...each,
    key: `${each.what} ${each.asset} ${'second' in each ? each.second : ''}`,
  }))
  return (
    <section className="panel" aria-label="Movements today">
      <header className="panel-head">
        <h2>Movements today</h2>
        <span className="count">
          since <Time at={from} />
        </span>
      </header>
      <Rows<Moved>
        label="Movements today"
        rows={rows}
        keyOf={(row) => row.key}
        empty={
          <Empty title="Nothing has moved today">
            Deposits, withdrawals and trades are counted here as they happen.
          </Empty>
        }
        columns={[
          {
            key: 'what',
            title: 'What',
            width: 110,
            render: (row) => <Link to={row.list}>{row.what}</Link>,
          },
          { key: 'count', title: 'Count', kind: 'number', width: 60 },
          {
            key: 'quantity',
            title: 'Together',
            kind: 'amount',
            width: 145,
            asset: (row) => row.asset,
          },
          {
            key: 'second',
            title: 'For',
            kind: 'amount',
            width: 235,
            render: (row) =>
              row.second === undefined ? (
                NOTHING
              ) : (
                <Amount value={row.second.split(' ')[0]} asset={row.second.split(' ')[1]} />
              ),
          },
        ]}
      />
    </section>
  )
}

function PriceChart(): ReactNode {
  const may = useMay('trading.routes.read')
  const { data: routes } = useGet('/price-stream/routes', {}, { enabled: may })
  const [chosen, choose] = useState<string>()
  const active = (routes ?? []).filter((route) => route.active).toReversed()
  const route = active.find((each) => each.id === chosen) ?? active[0]
  if (route === undefined) return null
  return (
    <section className="panel" aria-label="Prices">
      <header className="panel-head">
        <h2>Price</h2>
        <Select
          size="small"
          aria-label="Price of"
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
