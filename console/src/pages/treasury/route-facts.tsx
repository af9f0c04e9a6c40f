/** A treasury route as confirmations show it: from, to, address and protocol. */
import type { ReactNode } from 'react'
import type { Fact } from '../../action/plan.ts'
import { Trans, t } from '../../language/index.ts'
import type { RowOf } from '../../list/work-list.tsx'
import { Name } from '../../parts/values.tsx'

export type Route = RowOf<'/treasury/wallets/routes'>

/** The destination: the address, with the tag of a coin or the reference of a wire. */
export function addressOf(route: Route): string {
  const { tag, reference } = route.transfer.to as Partial<Record<'tag' | 'reference', string>>
  return [
    route.to_wallet.address,
    ...(tag === undefined ? [] : [t('tag {{tag}}', { tag })]),
    ...(reference === undefined ? [] : [t('reference “{{reference}}”', { reference })]),
  ].join(', ')
}

function AtVenue({
  wallet: { label, venue_id },
}: {
  wallet: { label: string; venue_id: string | null }
}): ReactNode {
  if (venue_id === null) return label
  return (
    <Trans
      i18nKey="{{label}} at <name/>"
      components={{ name: <Name of="venue" id={venue_id} /> }}
      values={{ label }}
    />
  )
}

export const factsOfRoute = (route: Route): Fact[] => [
  { label: t('From'), value: <AtVenue wallet={route.from_wallet} /> },
  { label: t('To'), value: <AtVenue wallet={route.to_wallet} /> },
  { label: t('Address'), value: addressOf(route) },
  { label: t('Route'), value: `${route.label} (${route.protocol})` },
]
