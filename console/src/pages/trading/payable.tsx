/** What of a net can be paid: whole units of the asset. */
import { subtractAmounts } from '@kontor/client'
import type { ReactNode } from 'react'
import { useAssets } from '../../api/assets.tsx'
import { t } from '../../language/index.ts'
import { Amount } from '../../parts/values.tsx'
import { payableOf } from './settlement-states.ts'
import type { Settlement } from './settlement-states.ts'

type Net = Pick<Settlement['nets'][number], 'asset' | 'quantity'>

function usePayable({ asset, quantity }: Net): string {
  return payableOf(quantity, useAssets().get(asset)?.scale)
}

export function Payable({ net }: { net: Net }): ReactNode {
  return <Amount value={usePayable(net)} asset={net.asset} />
}

/** What is too small to be paid; the service books it as rounding when the settlement ends. */
export function PayableRest({ net }: { net: Net }): ReactNode {
  const rest = subtractAmounts(net.quantity, usePayable(net))
  if (!/[1-9]/.test(rest)) return null
  return (
    <small className="explain">
      <br />
      {t(
        '{{rest}} {{asset}} of {{quantity}} {{asset}} is too small to be paid. It is ' +
          'booked as rounding when the settlement ends, and the venue may still count it.',
        { rest, asset: net.asset, quantity: net.quantity },
      )}
    </small>
  )
}
