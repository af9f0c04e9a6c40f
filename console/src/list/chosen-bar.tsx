/** What is chosen in a list, what it amounts to, and what can be done with it. */
import { Button } from 'antd'
import { useMemo } from 'react'
import type { ReactNode } from 'react'
import { t } from '../language/index.ts'
import { useShortcut } from '../parts/shortcuts.ts'
import { Amount } from '../parts/values.tsx'
import type { Choice } from './choice.tsx'
import { totalsOf } from './sums.ts'

export type ChoosePlan<Row> = {
  /** A row in words: the box of it is called so. */
  nameOf(row: Row): string
  /** The buttons. */
  actions?(chosen: Pick<Choice<Row>, 'rows' | 'unchoose'>): ReactNode
}

type Summed = { asset: string; quantity: string }

const AMOUNT = {
  label: '',
  amount: (row: Summed) => row.quantity,
  asset: (row: Summed) => row.asset,
}

/** `children`: what every list can do with rows. */
export function ChosenBar<Row>({
  plan,
  choice,
  clear,
  escapable,
  children,
}: {
  plan: ChoosePlan<Row>
  choice: Choice<Row>
  clear(): void
  /** Esc belongs to an open record first. */
  escapable: boolean
  children: ReactNode
}): ReactNode {
  const { rows, unchoose } = choice
  const sums = useMemo(() => totalsOf([AMOUNT], rows as readonly unknown[] as Summed[]), [rows])
  const some = rows.length > 0
  return (
    <section className={some ? 'chosen-bar' : 'hidden'} aria-label={t('Chosen rows')}>
      {/* There before anything is chosen: only then is a change read out. */}
      <span role="status" className="chosen-count">
        {some && (
          <>
            <strong>{t('{{count}} chosen', { count: rows.length })}</strong>{' '}
            {sums.map(({ asset, amount }) => (
              <Amount key={asset} value={amount} asset={asset} />
            ))}
          </>
        )}
      </span>
      {some && (
        <>
          {plan.actions?.({ rows, unchoose })}
          {children}
          <Button size="small" type="text" onClick={clear}>
            {t('Choose none')}
          </Button>
          {escapable && <EscapeKey clear={clear} />}
        </>
      )}
    </section>
  )
}

function EscapeKey({ clear }: { clear(): void }): ReactNode {
  useShortcut('Escape', t('Choose no row'), clear)
  return null
}
