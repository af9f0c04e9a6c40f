import type { DataOf } from '@kontor/client'
import type { ReactNode } from 'react'
import { useNavigate, useParams } from 'react-router'
import { useGet } from '../../api/query.ts'
import { Trans, lowered, t } from '../../language/index.ts'
import { ASSET_BESIDE } from '../../list/columns.tsx'
import { Rows } from '../../list/grid.tsx'
import { WorkList } from '../../list/work-list.tsx'
import type { RowOf } from '../../list/work-list.tsx'
import { whyWords } from '../../parts/record-words.ts'
import { SERVICE_WORDS } from '../../parts/service-words.ts'
import { Empty, Failure, Loading } from '../../parts/states.tsx'
import { inWords, Status } from '../../parts/status.tsx'
import { Time } from '../../parts/values.tsx'
import { COMMON_FIELDS, RecordDrawer } from '../../record/record.tsx'

type Venue = RowOf<'/venues'>

/** No event reports whether a venue answers. */
const EVERY_MILLISECONDS = 10_000
const EVERYTHING = { query: { limit: '5000' } }

export function Page(): ReactNode {
  return (
    <WorkList
      title={t('Venues')}
      path="/venues"
      live={['venue', 'halt']}
      every={EVERY_MILLISECONDS}
      columns={[
        { key: 'label', title: t('Venue'), width: 190 },
        { key: 'kind', title: t('Kind'), value: (row) => inWords(row.kind), width: 150 },
        { key: 'state', title: t('State'), kind: 'status' },
        {
          key: 'services',
          title: t('Services'),
          render: (row) => <Services venue={row} />,
          value: (row) => row.services.map((service) => SERVICE_WORDS[service.type]).join(', '),
          width: 260,
        },
        {
          key: 'settlement',
          title: t('Settlement'),
          value: (row) => inWords(row.settlement),
          width: 120,
        },
        { key: 'fault', title: t('Fault'), kind: 'said', width: 260 },
        { key: 'last_seen_at', title: t('Last response'), kind: 'time' },
        { key: 'connected_at', title: t('Connected'), kind: 'time' },
        {
          key: 'unserved',
          title: t('Cannot serve'),
          value: (row) => [...new Set(row.unserved.map(({ asset }) => asset))].join(', '),
          width: 120,
        },
        {
          key: 'capabilities',
          title: t('Capabilities'),
          value: (row) => row.capabilities.map(inWords).join(', '),
          extra: true,
          width: 260,
        },
        { key: 'id', title: t('Id'), kind: 'id', extra: true },
      ]}
      empty={{
        title: t('No venues yet'),
        text: t('Declare venues in the configuration file and run npm run configure.'),
      }}
    />
  )
}

function Services({ venue }: { venue: Venue }): ReactNode {
  return venue.services.map((service) => (
    <span key={service.id} className="service">
      <Status
        state={service.state}
        tone={service.state === 'RUNNING' ? 'good' : 'alarm'}
        says={
          service.state === 'RUNNING'
            ? SERVICE_WORDS[service.type]
            : `${SERVICE_WORDS[service.type]} ${lowered(inWords(service.state))}`
        }
      />
    </span>
  ))
}

/** What the configuration needs of it, and why it cannot. */
function Unserved({ venue }: { venue: Venue }): ReactNode {
  if (venue.unserved.length === 0) return null
  return (
    <ul>
      {venue.unserved.map(({ asset, protocol, reason }) => (
        <li key={`${asset} ${protocol} ${reason}`}>
          <Status state="UNSERVED" tone="alarm" says={asset} /> {whyWords(reason)}
        </li>
      ))}
    </ul>
  )
}

export function Record(): ReactNode {
  const { id = '' } = useParams()
  const navigate = useNavigate()
  return (
    <RecordDrawer
      what={t('Venue')}
      path="/venues"
      request={EVERYTHING}
      pick={(venues) => venues.find((venue) => venue.id === id)}
      live={['venue', 'booking']}
      title={(row) => (
        <>
          {row.label} <Status state={row.state} />
        </>
      )}
      sections={[
        {
          fields: [
            { key: 'kind', title: t('Kind'), value: (row) => inWords(row.kind) },
            { key: 'settlement', title: t('Settlement'), value: (row) => inWords(row.settlement) },
            { key: 'fault', title: t('Fault'), kind: 'said' },
            { key: 'fault_since', title: t('Fault since'), kind: 'time' },
            { key: 'last_seen_at', title: t('Last response'), kind: 'time' },
            { key: 'connected_at', title: t('Connected'), kind: 'time' },
            {
              key: 'capabilities',
              title: t('Capabilities'),
              value: (row) => row.capabilities.map(inWords).join(', '),
            },
            { key: 'services', title: t('Services'), render: (row) => <Services venue={row} /> },
            {
              key: 'unserved',
              title: t('Cannot serve'),
              render: (row) => <Unserved venue={row} />,
              value: (row) => row.unserved.map(({ asset }) => asset).join(', '),
            },
          ],
        },
        COMMON_FIELDS,
      ]}
      tabs={[
        {
          key: 'balances',
          label: t('Balances'),
          node: (row) => <VenueBalances venue_id={row.id} />,
        },
        {
          key: 'positions',
          label: t('Books'),
          node: (row) => (
            <Positions
              venue_id={row.id}
              open={(break_id) => {
                navigate(`/desk/breaks/${break_id}`)?.catch(() => undefined)
              }}
            />
          ),
        },
        { key: 'assets', label: t('Assets'), node: (row) => <Assets venue_id={row.id} /> },
      ]}
    />
  )
}

/** As the venue last reported them. */
function VenueBalances({ venue_id }: { venue_id: string }): ReactNode {
  const { data, error, refetch } = useGet(
    '/venues/{venue_id}/balances',
    { params: { venue_id } },
    { every: EVERY_MILLISECONDS },
  )
  if (error !== null) return <Failure error={error} again={refetch} />
  if (data === undefined) return <Loading />
  return (
    <>
      <p className="explain">
        {data.timestamp === null ? (
          t('The venue has not reported its balances yet.')
        ) : (
          <Trans
            i18nKey={data.stale ? 'Reported at <time/> <stale/>' : 'Reported at <time/>.'}
            components={{ time: <Time at={data.timestamp} />, stale: <Status state="STALE" /> }}
          />
        )}
      </p>
      <Rows
        label={t('Balances')}
        rows={Object.entries(data.balances)
          .map(([asset, balance]) => ({ asset, ...balance }))
          .toSorted((a, b) => a.asset.localeCompare(b.asset))}
        keyOf={(row) => row.asset}
        empty={<Empty title={t('No balances')} />}
        columns={[
          { key: 'asset', title: t('Asset'), width: 90 },
          { key: 'total', title: t('Total'), kind: 'amount', ...ASSET_BESIDE },
          { key: 'free', title: t('Free'), kind: 'amount', ...ASSET_BESIDE },
          { key: 'used', title: t('Used'), kind: 'amount', ...ASSET_BESIDE },
        ]}
      />
    </>
  )
}

function Positions({
  venue_id,
  open,
}: {
  venue_id: string
  open(break_id: string): void
}): ReactNode {
  const { data, error, refetch } = useGet('/desk/reconciliation', {}, { every: EVERY_MILLISECONDS })
  if (error !== null) return <Failure error={error} again={refetch} />
  if (data === undefined) return <Loading />
  return (
    <Rows<(typeof data)[number]>
      label={t('Books and venue')}
      rows={data.filter((row) => row.venue_id === venue_id)}
      keyOf={(row) => row.asset}
      open={(row) => {
        if (row.break_id !== null) open(row.break_id)
      }}
      empty={
        <Empty title={t('Not compared yet')}>
          {t('Venues and books are compared every minute.')}
        </Empty>
      }
      columns={[
        { key: 'asset', title: t('Asset'), width: 70 },
        { key: 'state', title: t('State'), kind: 'status', width: 110 },
        { key: 'ledger', title: t('Books'), kind: 'amount', ...ASSET_BESIDE },
        { key: 'venue', title: t('Venue'), kind: 'amount', ...ASSET_BESIDE },
        { key: 'difference', title: t('Difference'), kind: 'amount', ...ASSET_BESIDE },
      ]}
    />
  )
}

type Asset = {
  asset: string
  protocol: string
  native: string
  decimals: number
  tag_required: boolean
  min_withdrawal: string | null
  max_withdrawal: string | null
  deposit: boolean
  withdraw: boolean
}

type AssetProtocols = DataOf<'get', '/venues/{venue_id}/protocols'>

function Assets({ venue_id }: { venue_id: string }): ReactNode {
  const { data, error, refetch } = useGet('/venues/{venue_id}/protocols', { params: { venue_id } })
  if (error !== null) return <Failure error={error} again={refetch} />
  if (data === undefined) return <Loading />
  return (
    <>
      <ServedAssets assets={data} />
      <NotServed assets={data} />
    </>
  )
}

function ServedAssets({ assets }: { assets: AssetProtocols }): ReactNode {
  return (
    <Rows<Asset>
      label={t('Assets')}
      rows={assets.flatMap(({ asset, protocols }) =>
        protocols.map((protocol) => ({ asset, ...protocol })),
      )}
      keyOf={(row) => `${row.asset} ${row.protocol}`}
      empty={
        <Empty title={t('No assets')}>
          {t('Only venues with the capability protocols list their assets and protocols.')}
        </Empty>
      }
      columns={[
        { key: 'asset', title: t('Asset'), width: 80 },
        { key: 'protocol', title: t('Protocol'), width: 130 },
        { key: 'deposit', title: t('Deposit'), kind: 'flag', width: 80 },
        { key: 'withdraw', title: t('Withdraw', { context: 'noun' }), kind: 'flag', width: 90 },
        { key: 'min_withdrawal', title: t('Minimum'), kind: 'amount', width: 120, ...ASSET_BESIDE },
        { key: 'max_withdrawal', title: t('Maximum'), kind: 'amount', width: 130, ...ASSET_BESIDE },
        { key: 'decimals', title: t('Decimals'), kind: 'number', width: 80 },
        { key: 'tag_required', title: t('Tag', { context: 'address' }), kind: 'flag', width: 55 },
      ]}
    />
  )
}

/** Whether something needs it or not: what is needed stands in the record as well. */
function NotServed({ assets }: { assets: AssetProtocols }): ReactNode {
  const reasons = assets.flatMap(({ asset, unserved }) =>
    unserved.map((one) =>
      t('{{asset}} on {{protocol}}: {{reason}}', { ...one, asset, reason: whyWords(one.reason) }),
    ),
  )
  return reasons.length === 0 ? null : (
    <section className="soft" aria-label={t('Not served')}>
      <p className="explain">{t('Not served by this venue:')}</p>
      <ul>
        {reasons.map((reason) => (
          <li key={reason}>{reason}</li>
        ))}
      </ul>
    </section>
  )
}
