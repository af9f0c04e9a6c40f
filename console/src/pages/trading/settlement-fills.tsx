/** The trades of a settlement, and per venue those that it can still claim. */
import { Select } from 'antd'
import { useState } from 'react'
import type { ReactNode } from 'react'
import { ActionButton } from '../../action/action.tsx'
import type { ActionPlan } from '../../action/plan.ts'
import { useGet } from '../../api/query.ts'
import { t, Trans } from '../../language/index.ts'
import { Rows } from '../../list/grid.tsx'
import { Empty, Failure, Loading } from '../../parts/states.tsx'
import { Amount, Name } from '../../parts/values.tsx'
import { FILL_COLUMNS } from './fill-columns.tsx'
import type { Fill } from './fill-columns.tsx'
import type { Settlement } from './settlement-states.ts'
import { SideWord } from './words.tsx'

type FillRow = Fill & { settlement: Settlement }

const change = {
  permission: 'settlements.create',
  method: 'patch',
  path: '/settlements/{settlement_id}/fills',
  why: ({ settlement }: FillRow) =>
    settlement.state === 'PREPARING'
      ? undefined
      : t('Only in state Preparing. Use Back to preparing first.'),
  confirm: (row: FillRow) => [
    {
      label: t('Trade', { context: 'single' }),
      value: (
        <Trans
          i18nKey="<side/> <amount/> for <volume/>"
          components={{
            side: <SideWord side={row.side} />,
            amount: <Amount value={row.quantity} asset={row.base_asset} />,
            volume: <Amount value={row.volume} asset={row.quote_asset} />,
          }}
        />
      ),
    },
    { label: t('Fee'), value: <Amount value={row.fee} asset={row.fee_asset} /> },
    { label: t('At'), value: <Name of="venue" id={row.venue_id} /> },
  ],
} as const

const removeFill: ActionPlan<'patch', '/settlements/{settlement_id}/fills', FillRow> = {
  ...change,
  label: t('Remove trade'),
  explain: () => t('The nets change. Another settlement can claim the trade.'),
  request: ({ settlement, id }) => ({
    params: { settlement_id: settlement.id },
    body: { leave: [id], version: settlement.version },
  }),
  done: () => t('Trade removed'),
}
const addFill: ActionPlan<'patch', '/settlements/{settlement_id}/fills', FillRow> = {
  ...change,
  label: t('Add trade'),
  explain: () => t('The settlement claims the trade, and its nets change.'),
  request: ({ settlement, id }) => ({
    params: { settlement_id: settlement.id },
    body: { take: [id], version: settlement.version },
  }),
  done: () => t('Trade added'),
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
      <h3>{t('In this settlement')}</h3>
      <FillRows
        label={t('Trades of the settlement')}
        fills={held}
        settlement={settlement}
        plan={removeFill}
        empty={t('This settlement has no trades')}
      />
      {settlement.state === 'PREPARING' && venue_id !== undefined && (
        <section className="free-fills">
          <h3>
            <Trans
              i18nKey="Unsettled trades at <select/>"
              components={{
                select: (
                  <Select
                    size="small"
                    aria-label={t('Venue of unsettled trades')}
                    value={venue_id}
                    options={postTrade.map(({ id, label }) => ({ value: id, label }))}
                    onChange={choose}
                  />
                ),
              }}
            />
          </h3>
          <UnsettledTrades settlement={settlement} venue_id={venue_id} />
        </section>
      )}
    </>
  )
}

function UnsettledTrades({
  settlement,
  venue_id,
}: {
  settlement: Settlement
  venue_id: string
}): ReactNode {
  const { data, error, refetch } = useGet('/settlements/{settlement_id}/available-fills', {
    params: { settlement_id: settlement.id },
    query: { venue_id },
  })
  if (error !== null) return <Failure error={error} again={refetch} />
  if (data === undefined) return <Loading />
  return (
    <FillRows
      label={t('Unsettled trades')}
      fills={data.filter((fill) => fill.settlement_id === null)}
      settlement={settlement}
      plan={addFill}
      empty={t('Every trade of this period at this venue is claimed')}
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
  plan: typeof removeFill
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
          title: t('Action'),
          width: 130,
          render: (row) => <ActionButton plan={plan} row={row} />,
        },
        ...FILL_COLUMNS.filter(({ key }) => key !== 'settlement_state'),
      ]}
    />
  )
}
