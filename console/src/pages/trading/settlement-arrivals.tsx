/** Deposits without an owner that may pay a part which its settlement still waits for. */
import { compareAmounts } from '@kontor/client'
import type { ReactNode } from 'react'
import { Link } from 'react-router'
import { useGet, useMay } from '../../api/query.ts'
import { Trans, t } from '../../language/index.ts'
import type { RowOf } from '../../list/work-list.tsx'
import { Amount } from '../../parts/values.tsx'
import { nextStep } from './settlement-states.ts'
import type { Part, Settlement } from './settlement-states.ts'

export type Arrived = RowOf<'/treasury/deposits'>

const MOST_DEPOSITS = '200'

const waitsFor = ({ direction, arrival, deposit_id }: Part): boolean =>
  direction === 'INCOMING' && arrival === 'EXPECTED' && deposit_id === null

/** By part: deposits of just its amount in its wallet, since it was initiated. */
export function useArrived({ parts }: Settlement): ReadonlyMap<string, readonly Arrived[]> {
  const waiting = parts.filter(waitsFor)
  const enabled = useMay('treasury.deposits.read') && waiting.length > 0
  const { data: routes } = useGet('/treasury/wallets/routes', undefined, { enabled })
  const asset = [...new Set(waiting.map((part) => part.asset))].join(',')
  const query = { state: 'UNASSIGNED', asset, limit: MOST_DEPOSITS }
  const { data: deposits = [] } = useGet('/treasury/deposits', { query }, { enabled })
  const fits = (part: Part, deposit: Arrived): boolean =>
    deposit.asset === part.asset &&
    compareAmounts(deposit.quantity, part.quantity) === 0 &&
    deposit.wallet_id === routes?.find(({ id }) => id === part.route_id)?.to_wallet_id &&
    deposit.system_created_at >= (part.initiated_at ?? Infinity)
  return new Map(
    waiting.map((part) => [part.id, deposits.filter((deposit) => fits(part, deposit))]),
  )
}

/** Relating is done in the deposit, beside what speaks for it. */
export const RelateLinks = ({ deposits }: { deposits: readonly Arrived[] }): ReactNode =>
  deposits.map(({ id }) => (
    <Link key={id} to={`/treasury/deposits/${id}`}>
      {t('Relate the deposit')}
    </Link>
  ))

export function NextStep({ settlement }: { settlement: Settlement }): ReactNode {
  const deposits = [...useArrived(settlement).values()].flat()
  const [first] = deposits
  if (first === undefined) return nextStep(settlement)
  return (
    <Trans
      i18nKey="<amount/> has arrived as a deposit without an owner: <link/>"
      components={{
        amount: <Amount value={first.quantity} asset={first.asset} />,
        link: <RelateLinks deposits={[first]} />,
      }}
    />
  )
}
