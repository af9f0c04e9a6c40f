/** The newest bookings of an account, or for one cause, inside a record. */
import type { ReactNode } from 'react'
import { Link, useNavigate } from 'react-router'
import { useNames } from '../../api/names.ts'
import { useGet } from '../../api/query.ts'
import { Trans, t } from '../../language/index.ts'
import { Rows } from '../../list/grid.tsx'
import type { RowOf } from '../../list/work-list.tsx'
import { Empty, Failure, Loading } from '../../parts/states.tsx'
import { inWords } from '../../parts/status.tsx'

export type Booking = RowOf<'/bookings'>
type Leg = Booking['legs'][number]

const SHOWN = 50

/** The accounts of one side, as one line: `Jonas Keller · KELLER-2 · …3c2e86, Suspense`. */
export function useSides(): (booking: Booking, side: Leg['type']) => string {
  const names = useNames('account')
  return ({ legs }, side) => {
    const of = legs.filter((leg) => leg.type === side)
    return [...new Set(of.map((leg) => names.get(leg.account_id) ?? leg.account_label))].join(', ')
  }
}

export function LatestBookings(of: { account_id: string } | { reference_id: string }): ReactNode {
  const navigate = useNavigate()
  const { data, error, refetch } = useGet('/bookings', { query: { ...of, limit: String(SHOWN) } })
  if (error !== null) return <Failure error={error} again={refetch} />
  if (data === undefined) return <Loading />
  const mine = (row: Booking): Leg | undefined =>
    'account_id' in of ? row.legs.find((leg) => leg.account_id === of.account_id) : row.legs[0]
  return (
    <>
      {data.length === SHOWN && (
        <div className="toolbar">
          <Trans
            i18nKey="The latest {{shown}}. <a>Show all</a>"
            components={{
              a: <Link to={`/books/bookings?${new URLSearchParams(of).toString()}`} />,
            }}
            values={{ shown: SHOWN }}
          />
        </div>
      )}
      <Rows
        label={t('Bookings')}
        rows={data}
        keyOf={(row) => row.id}
        open={(row) => {
          navigate(`/books/bookings/${row.id}`)?.catch(() => undefined)
        }}
        empty={
          <Empty title={t('No bookings yet')}>
            {t('Assigned deposits, trades and manual bookings appear here.')}
          </Empty>
        }
        columns={[
          { key: 'sequence', title: t('No.'), kind: 'number', width: 70 },
          { key: 'system_created_at', title: t('Booked'), kind: 'time' },
          { key: 'type', title: t('Type'), value: (row) => inWords(row.type), width: 160 },
          {
            key: 'side',
            title: t('Side'),
            value: (row) => inWords(mine(row)?.type ?? ''),
            width: 75,
          },
          {
            key: 'quantity',
            title: t('Amount'),
            kind: 'amount',
            value: (row) => mine(row)?.quantity,
            asset: (row) => row.asset,
          },
          ...('account_id' in of
            ? [
                {
                  key: 'after',
                  title: t('Balance after'),
                  kind: 'amount' as const,
                  value: (row: Booking) => mine(row)?.balance_after,
                  bare: true as const,
                  asset: (row: Booking) => row.asset,
                },
              ]
            : []),
        ]}
      />
    </>
  )
}
