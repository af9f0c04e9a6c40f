/**
 * How the exchange treats orders until it is told otherwise: what an experimenter changes to see
 * what a client makes of it.
 */
import { figure } from './figures.ts'
import type { Figure } from './figures.ts'
import type { Settings } from './settings.ts'

type Treatment = {
  /** No order is filled by more than this at once; null: by what is there. */
  fill_at_most: Figure | null
  /** A trade moves the balances at once and is listed this much later, in world time. */
  listing_delay_ms: number
}

export type Behaviour = {
  get(): Treatment
  set(fill_at_most: string | null, listing_delay_ms: number): void
  /** Nothing trades. */
  closed(): boolean
}

export function openBehaviour(settings: Settings): Behaviour {
  const read = (): Treatment => {
    const stored = JSON.parse(
      settings.get('behaviour') ?? '{"fill_at_most":null,"listing_delay_ms":0}',
    ) as { fill_at_most: string | null; listing_delay_ms: number }
    return {
      fill_at_most: stored.fill_at_most === null ? null : figure(stored.fill_at_most),
      listing_delay_ms: stored.listing_delay_ms,
    }
  }
  let known = read()
  return {
    get: () => known,
    set(fill_at_most, listing_delay_ms) {
      settings.set('behaviour', JSON.stringify({ fill_at_most, listing_delay_ms }))
      known = read()
    },
    closed: () => ['maintenance', 'cancel_only'].includes(settings.get('status') ?? 'online'),
  }
}
