/** The trades of a settlement: those it holds, and per venue those that it may take. */
import { Select } from 'antd'
import { useState } from 'react'
import type { ReactNode } from 'react'
import { ActionButton } from '../../action/action.tsx'
import type { ActionPlan } from '../../action/action.tsx'
import { useGet } from '../../api/query.ts'
import { Rows } from '../../list/grid.tsx'
import { Empty, Failure, Loading } from '../../parts/states.tsx'
import { Amount, Name } from '../../parts/values.tsx'
import { FILL_COLUMNS } from './fill-columns.tsx'
import type { Fill } from './fill-columns.tsx'
import type { Settlement } from './settlement.ts'
import { SideWord } from './words.tsx'

type FillRow = Fill & { settlement: Settlement }

const change = {
  permission: 'settlements.create',
  method: 'patch',
  path: '/settlements/{settlement_id}/fills',
  why: ({ settlement }: FillRow) =>
    settlement.state === 'PREPARING'
      ? undefined
      : 'Only while it is prepared: see Back to preparing',
  confirm: (row: FillRow) => [
    {
      label: 'Trade',
      value: (
        <>
          <SideWord side={row.side} /> <Amount value={row.quantity} asset={row.base_asset} /> for{' '}
          <Amount value={row.volume} asset={row.quote_asset} />
        </>
      ),
    },
    { label: 'Fee', value: <Amount value={row.fee} asset={row.fee_asset} /> },
    { label: 'At', value: <Name of="venue" id={row.venue_id} /> },
  ],
} as const

const leave: ActionPlan<'patch', '/settlements/{settlement_id}/fills', FillRow> = {
  ...change,
  label: 'Leave out',
  explain: () => 'It is free for another settlement; what this one comes to changes.',
  request: ({ settlement, id }) => ({
    params: { settlement_id: settlement.id },
    body: { leave: [id], version: settlement.version },
  }),
  done: () => 'Left out',
}
const take: ActionPlan<'patch', '/settlements/{settlement_id}/fills', FillRow> = {
  ...change,
  label: 'Take in',
  explain: () => 'This settlement holds it then; what it comes to changes.',
  request: ({ settlement, id }) => ({
    params: { settlement_id: settlement.id },
    body: { take: [id], version: settlement.version },
  }),
  done: () => 'Taken in',
}

export function SettlementFills({ settlement }: { settlement: Settlement }): ReactNode {
  const {
    data: held,
    error,
    refetch,
  } = useGet('/settlements/{settlement_id}/fills', { params: { settlement_id: settlement.id } })
  const { data: venues } = useGet('/venues')
  const [chosen, choose] = useState<string>()
  if (error !== null) return <Failure error={error} again={refetch} />
  if (held === undefined) return <Loading />
  const postTrade = (venues ?? []).filter((venue) => venue.settlement === 'POST_TRADE')
  const venue_id = chosen ?? postTrade[0]?.id
  return (
    <>
      <h3>Held by it</h3>
      <FillRows
        label="Trades it holds"
        fills={held}
        settlement={settlement}
        plan={leave}
        empty="It holds no trade"
      />
      {settlement.state === 'PREPARING' && venue_id !== undefined && (
        <section className="free-fills">
          <h3>
            Free in its time at{' '}
            <Select
              size="small"
              aria-label="Venue of free trades"
              value={venue_id}
              options={postTrade.map(({ id, label }) => ({ value: id, label }))}
              onChange={choose}
            />
          </h3>
          <Free settlement={settlement} venue_id={venue_id} />
        </section>
      )}
    </>
  )
}

function Free({ settlement, venue_id }: { settlement: Settlement; venue_id: string }): ReactNode {
  const { data, error, refetch } = useGet('/settlements/{settlement_id}/available-fills', {
    params: { settlement_id: settlement.id },
    query: { venue_id },
  })
  if (error !== null) return <Failure error={error} again={refetch} />
  if (data === undefined) return <Loading />
  return (
    <FillRows
      label="Trades that are free"
      fills={data.filter((fill) => fill.settlement_id === null)}
      settlement={settlement}
      plan={take}
      empty="Every trade of its time at this venue is held by a settlement"
    />
  )
}

function FillRows({
  label,
  fills,
  settlement,
  plan,
  empty,
}: {
  label: string
  fills: readonly Fill[]
  settlement: Settlement
  plan: typeof leave
  empty: string
}): ReactNode {
  return (
    <Rows<FillRow>
      label={label}
      rows={fills.map((fill) => ({ ...fill, settlement }))}
      keyOf={(row) => row.id}
      empty={<Empty title={empty} />}
      columns={[
        {
          key: 'change',
          title: 'Action',
          width: 100,
          render: (row) => <ActionButton plan={plan} row={row} />,
        },
        ...FILL_COLUMNS.filter(({ key }) => key !== 'settlement_state'),
      ]}
    />
  )
}
