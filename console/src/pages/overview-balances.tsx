/** Balances of the whole house on the overview: per asset by owner, and by venue. */
import { addAmounts, isZero, negated } from '@kontor/client'
import type { DataOf } from '@kontor/client'
import type { ReactNode } from 'react'
import { Trans, t } from '../language/index.ts'
import { ASSET_BESIDE } from '../list/columns.tsx'
import type { Column } from '../list/columns.tsx'
import { Rows } from '../list/grid.tsx'
import { amountWords } from '../parts/amount-words.ts'
import { Empty } from '../parts/states.tsx'
import { Amount, NOTHING } from '../parts/values.tsx'

type Asset = NonNullable<DataOf<'get', '/overview'>['assets']>[number]

const amount = (key: keyof Asset & string, title: string, width: number): Column<Asset> => ({
  key,
  title,
  kind: 'amount',
  width,
  value: (row) => unlessZero(row[key] as string | null),
  ...ASSET_BESIDE,
})

/** A zero amount is shown as nothing. */
const unlessZero = (value: string | null): string | null =>
  value === null || isZero(value) ? null : value

const NAME: Column<Asset> = {
  key: 'asset',
  title: t('Asset'),
  width: 70,
  render: (row) => <strong>{row.asset}</strong>,
}
const OWNER_COLUMNS: readonly Column<Asset>[] = [
  NAME,
  amount('held', t('At venues'), 125),
  amount('owed', t('Customers'), 125),
  amount('house', t('House'), 115),
  amount('unassigned', t('Unassigned'), 115),
  amount('transit', t('In transit'), 105),
  amount('pending_in', t('Arriving'), 95),
  amount('pending_out', t('Leaving'), 95),
  amount('trading', t('Unsettled'), 110),
  {
    key: 'revenue',
    title: t('Margin, risk, rest'),
    kind: 'amount',
    width: 130,
    value: ({ margin, risk, rounding }) => unlessZero(addAmounts(margin, risk, rounding)),
    render: ({ asset, margin, risk, rounding }, room) => (
      <span
        title={t('Margin {{margin}}, risk {{risk}}, rest of rounding {{rounding}}', {
          margin: amountWords(margin, asset),
          risk: amountWords(risk, asset),
          rounding: amountWords(rounding, asset),
        })}
      >
        <Amount
          value={unlessZero(addAmounts(margin, risk, rounding))}
          asset={asset}
          bare
          room={room}
        />
      </span>
    ),
    ...ASSET_BESIDE,
  },
  amount('fee', t('Fees paid'), 100),
]

const atVenue = ({ venues }: Asset, venue_id: string): Asset['venues'][number] | undefined =>
  venues.find((venue) => venue.venue_id === venue_id)

function venueColumns(assets: readonly Asset[]): Column<Asset>[] {
  const labels = new Map(
    assets.flatMap(({ venues }) => venues.map(({ venue_id, label }) => [venue_id, label] as const)),
  )
  return [...labels]
    .toSorted((a, b) => a[1].localeCompare(b[1]))
    .map(([venue_id, label]) => ({
      key: venue_id,
      title: label,
      kind: 'amount',
      width: 140,
      value: (row) => unlessZero(atVenue(row, venue_id)?.held ?? null),
      render: (row, room) => (
        <BalanceInBooks at={atVenue(row, venue_id)} asset={row.asset} room={room} />
      ),
      ...ASSET_BESIDE,
    }))
}

export function BalancePanels({ assets }: { assets: readonly Asset[] }): ReactNode {
  if (assets.length === 0)
    return (
      <section className="panel">
        <Empty title={t('No balances yet')}>
          {t('Connect a venue. Its balances become the opening balances.')}
        </Empty>
      </section>
    )
  return (
    <>
      <section className="panel" aria-label={t('Totals')}>
        <h2>{t('Balances by owner')}</h2>
        <Rows<Asset>
          label={t('Totals per asset')}
          rows={assets}
          keyOf={(row) => row.asset}
          columns={OWNER_COLUMNS}
        />
      </section>
      <section className="panel" aria-label={t('Balances by venue')}>
        <h2>{t('Balances by venue')}</h2>
        <Rows<Asset>
          label={t('Held per venue')}
          rows={assets}
          keyOf={(row) => row.asset}
          columns={[NAME, ...venueColumns(assets)]}
        />
      </section>
    </>
  )
}

/** The balance in the books; beside it the balance at the venue if the two differ. */
function BalanceInBooks({
  at,
  asset,
  room,
}: {
  at: Asset['venues'][number] | undefined
  asset: string
  room: number | undefined
}): ReactNode {
  if (at === undefined) return NOTHING
  const differs = at.reported !== null && !isZero(addAmounts(at.held, negated(at.reported)))
  return (
    <span
      className={differs ? 'differs' : undefined}
      title={reportWords(at.reported, asset, differs)}
    >
      <Amount value={unlessZero(at.held)} asset={asset} bare room={room} />
      {differs && (
        <small>
          <Trans
            i18nKey="venue <amount/>"
            components={{ amount: <Amount value={at.reported} asset={asset} bare /> }}
          />
        </small>
      )}
    </span>
  )
}

function reportWords(held: string | null, asset: string, differs: boolean): string {
  if (held === null) return t('The venue does not report a balance')
  const reported = amountWords(held, asset)
  return differs
    ? t('The venue reports {{reported}}. Its report may be late, or trades are not settled.', {
        reported,
      })
    : t('The venue reports {{reported}}', { reported })
}
