import { Select } from 'antd'
import type { ReactNode } from 'react'
import { Outlet, useNavigate, useSearchParams } from 'react-router'
import type { DataOf } from '@kontor/client'
import { ActionButton } from '../../action/action.tsx'
import type { ActionPlan } from '../../action/plan.ts'
import { useGet } from '../../api/query.ts'
import { t } from '../../language/index.ts'
import { ASSET_BESIDE } from '../../list/columns.tsx'
import type { Column } from '../../list/columns.tsx'
import { Grid } from '../../list/grid.tsx'
import { AT_ONCE } from '../../list/state.ts'
import { whyWords } from '../../parts/record-words.ts'
import { HelpLink } from '../../parts/help-link.tsx'
import { Empty, Failure, Loading } from '../../parts/states.tsx'
import { inWords } from '../../parts/status.tsx'
import { NOTHING, Time } from '../../parts/values.tsx'

type Position = DataOf<'get', '/desk/reconciliation'>[number]
/** A position in one wallet of the venue; the whole position where wallets are not known. */
type Line = Pick<
  Position,
  | 'venue_id'
  | 'asset'
  | 'state'
  | 'ledger'
  | 'venue'
  | 'on_the_way'
  | 'difference'
  | 'since'
  | 'compared_at'
  | 'break_id'
  | 'not_compared'
> & { wallet: string | null }

function linesOf(position: Position): Line[] {
  const lines = position.wallets.flatMap((comparison) => {
    const { wallet, total, ledger, on_the_way, difference, state, since, break_id } = comparison
    return ledger === null ||
      on_the_way === null ||
      difference === null ||
      state === null ||
      since === null
      ? []
      : [
          {
            ...position,
            wallet,
            venue: total,
            ledger,
            on_the_way,
            difference,
            state: position.state === 'NOT_COMPARED' ? position.state : state,
            since,
            break_id,
          },
        ]
  })
  return lines.length > 0 ? lines : [{ ...position, wallet: null }]
}

const EVERY_MILLISECONDS = 10_000
const STATES: readonly Position['state'][] = [
  'BREAK',
  'NOT_COMPARED',
  'CHECKING',
  'ACCEPTED',
  'BALANCED',
]

const byUrgency = (a: Line, b: Line): number =>
  STATES.indexOf(a.state) - STATES.indexOf(b.state) ||
  a.asset.localeCompare(b.asset) ||
  a.venue_id.localeCompare(b.venue_id) ||
  (a.wallet ?? '').localeCompare(b.wallet ?? '')

const COLUMNS: readonly Column<Line>[] = [
  { key: 'state', title: t('State'), kind: 'status', width: 110 },
  { key: 'venue_id', title: t('Venue'), kind: 'venue' },
  { key: 'wallet', title: t('Wallet'), width: 150 },
  { key: 'asset', title: t('Asset'), width: 80 },
  { key: 'ledger', title: t('Books'), kind: 'amount', width: 140, ...ASSET_BESIDE },
  { key: 'venue', title: t('Venue holds'), kind: 'amount', width: 140, ...ASSET_BESIDE },
  { key: 'on_the_way', title: t('In flight'), kind: 'amount', width: 120, ...ASSET_BESIDE },
  { key: 'difference', title: t('Difference'), kind: 'amount', width: 130, ...ASSET_BESIDE },
  { key: 'since', title: t('Since'), kind: 'time' },
  { key: 'compared_at', title: t('Compared'), kind: 'time' },
  {
    key: 'not_compared',
    title: t('Not compared until'),
    kind: 'time',
    width: 170,
    value: ({ not_compared }) => not_compared?.until,
    render: ({ not_compared }) =>
      not_compared === null ? (
        NOTHING
      ) : (
        <span title={whyWords(not_compared.reason)}>
          <Time at={not_compared.until} />
        </span>
      ),
  },
  {
    key: 'not_compared_reason',
    title: t('Reason'),
    kind: 'said',
    value: ({ not_compared }) => not_compared?.reason,
  },
]

const compare: ActionPlan<'post', '/desk/reconciliation/run'> = {
  label: t('Compare now'),
  permission: 'desk.read',
  explain: () =>
    t(
      'Kontor asks every venue for its balances and compares them with the books. A ' +
        'new difference is checked again after 15 seconds before it becomes a break.',
    ),
  method: 'post',
  path: '/desk/reconciliation/run',
  request: () => ({}),
  done: (positions) => {
    const balanced = positions.filter((position) => position.state === 'BALANCED')
    return t('{{some}} of {{all}} in balance', {
      some: balanced.length,
      all: positions.length,
    })
  },
}

/** Venues and books side by side, as of the last comparison. */
export function Page(): ReactNode {
  const navigate = useNavigate()
  const [params, setParams] = useSearchParams()
  const wanted = params.get('state')?.split(',') ?? []
  const { data, error, refetch } = useGet('/desk/reconciliation', {}, { every: EVERY_MILLISECONDS })
  const lines = (data ?? []).flatMap(linesOf)
  const shown = lines
    .filter((line) => wanted.length === 0 || wanted.includes(line.state))
    .toSorted(byUrgency)
  return (
    <section className="page" aria-label={t('Reconciliation')}>
      <header className="page-head">
        <h1>{t('Reconciliation')}</h1>
        <HelpLink about="reconciliation" />
        <span className="count">{shown.length}</span>
        <span className="space" />
        <ActionButton plan={compare} primary />
      </header>
      <div className="filters" role="search" aria-label={t('Filter reconciliation')}>
        <Select
          size="small"
          mode="multiple"
          allowClear
          className="filter"
          aria-label={t('State')}
          placeholder={t('State')}
          popupMatchSelectWidth={false}
          value={wanted}
          options={STATES.map((value) => ({ value, label: inWords(value) }))}
          onChange={(states: string[]) => {
            setParams(states.length === 0 ? {} : { state: states.join() }, AT_ONCE)
          }}
        />
      </div>
      {error !== null && <Failure error={error} again={refetch} />}
      {data === undefined && error === null && <Loading />}
      {data !== undefined && (
        <Grid<Line>
          label={t('Reconciliation')}
          rows={shown}
          keyOf={(row) => `${row.venue_id} ${row.asset} ${row.wallet ?? ''}`}
          open={(row) => {
            navigate(
              row.break_id === null
                ? `/venues/${row.venue_id}#positions`
                : `/desk/breaks/${row.break_id}`,
            )?.catch(() => undefined)
          }}
          empty={
            wanted.length > 0 ? (
              <Empty title={t('No positions match')} />
            ) : (
              <Empty title={t('No positions yet')}>
                {t('Kontor compares venues and books every minute once a venue is connected.')}
              </Empty>
            )
          }
          columns={COLUMNS}
        />
      )}
      <Outlet />
    </section>
  )
}
