/** A treasury route as confirmations show it: from, to, address and protocol. */
import type { Fact } from '../../action/plan.ts'
import type { RowOf } from '../../list/work-list.tsx'
import { inWords } from '../../parts/status.tsx'
import { Name } from '../../parts/values.tsx'

export type Route = RowOf<'/treasury/wallets/routes'>

/** The destination: the address, with the tag of a coin or the reference of a wire. */
export function addressOf(route: Route): string {
  const { tag, reference } = route.transfer.to as Partial<Record<'tag' | 'reference', string>>
  return [
    route.to_wallet.address,
    ...(tag === undefined ? [] : [`tag ${tag}`]),
    ...(reference === undefined ? [] : [`reference “${reference}”`]),
  ].join(', ')
}

const FIELD_WORDS: Readonly<Record<string, string>> = {
  name: "Payee's name",
  bic: 'BIC',
  aba: 'ABA',
}

/** A field that the sending venue asks for; the route has a name of its own. */
export const transferFieldWords = (name: string): string => FIELD_WORDS[name] ?? inWords(name)

export const factsOfRoute = (route: Route): Fact[] => [
  {
    label: 'From',
    value: (
      <>
        {route.from_wallet.label} at <Name of="venue" id={route.from_wallet.venue_id} />
      </>
    ),
  },
  {
    label: 'To',
    value: (
      <>
        {route.to_wallet.label}
        {route.to_wallet.venue_id === null ? (
          ''
        ) : (
          <>
            {' '}
            at <Name of="venue" id={route.to_wallet.venue_id} />
          </>
        )}
      </>
    ),
  },
  { label: 'Address', value: addressOf(route) },
  { label: 'Route', value: `${route.label} (${route.protocol})` },
]
