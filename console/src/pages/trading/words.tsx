/** Words and small parts that the trading pages share. */
import { useEffect, useState } from 'react'
import type { ReactNode } from 'react'
import { useNames } from '../../api/names.ts'
import { t } from '../../language/index.ts'
import { shorten } from '../../parts/values.tsx'
import '../../parts/panels.css'
import './trading.css'

const SIDES = ['BUY', 'SELL'] as const
export type Side = (typeof SIDES)[number]

export const TYPE_WORDS: Readonly<Record<string, string>> = {
  MARKET: t('Market'),
  LIMIT: t('Limit'),
  STOP_MARKET: t('Stop'),
}
export const TIF_WORDS: Readonly<Record<string, string>> = {
  GTC: t('Until canceled'),
  GTD: t('Until a time'),
  IOC: t('Immediate, rest canceled'),
  FOK: t('All immediately, or nothing'),
}
export const CONDITION_WORDS: Readonly<Record<string, string>> = {
  STOP_LOSS: t('Stop loss'),
  TAKE_PROFIT: t('Take profit'),
}

/** A column of sides: the words are never cut. */
export const SIDE_WORDS = [t('Buy'), t('Sell')] as const

export function SideWord({ side }: { side: Side }): ReactNode {
  return (
    <span className={`side-word ${side.toLowerCase()}`}>{SIDE_WORDS[side === 'BUY' ? 0 : 1]}</span>
  )
}

/** The names, with their number if there are several. All names appear on hover. */
export function CustomerNames({ ids }: { ids: readonly string[] }): ReactNode {
  const names = useNames('customer')
  const all = ids.map((id) => names.get(id) ?? shorten(id)).join(', ')
  return <span title={all}>{ids.length > 1 ? `${ids.length}: ${all}` : all}</span>
}

/** The rest of `length` in milliseconds, counted from when this `key` was first shown. */
export function useLeft(key: string, length: number): number {
  const [began, setBegan] = useState({ key, at: performance.now() })
  const [now, setNow] = useState(() => performance.now())
  useEffect(() => {
    const at = performance.now()
    setBegan({ key, at })
    setNow(at)
    const timer = setInterval(() => {
      setNow(performance.now())
    }, 200)
    return () => {
      clearInterval(timer)
    }
  }, [key])
  return began.key === key ? Math.max(0, length - (now - began.at)) : length
}

/** A bar that gets shorter, and the seconds. */
export function Countdown({ of, length }: { of: string; length: number }): ReactNode {
  const left = useLeft(of, length)
  return (
    <span
      className="countdown"
      role="timer"
      aria-label={t('{{left}} seconds left', { left: Math.ceil(left / 1000) })}
    >
      <progress max={length} value={left} aria-hidden="true" />{' '}
      {left === 0 ? t('expired') : `${Math.ceil(left / 1000)} s`}
    </span>
  )
}
