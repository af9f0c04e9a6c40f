/** How Kraken's operations read the fields of a request. */
import type { Period } from '../tables.ts'
import { findAsset } from './assets.ts'
import type { Asset } from './assets.ts'
import { PAIRS, findPair } from './pairs.ts'
import type { Pair } from './pairs.ts'

/** Kraken's error text, answered with HTTP 200. */
export class Refusal extends Error {}

export type Fields = Record<string, string | undefined>
export type Operation = (fields: Fields) => unknown

export function periodOf(fields: Fields): Period {
  const from = instant(fields['start'])
  const to = instant(fields['end'])
  return { ...(from === undefined ? {} : { from }), ...(to === undefined ? {} : { to }) }
}

/** Kraken's seconds as milliseconds. */
function instant(text: string | undefined): number | undefined {
  if (text === undefined || text === '') return undefined
  const value = Number(text)
  if (!Number.isFinite(value)) throw new Refusal('EGeneral:Invalid arguments')
  return Math.floor(value * 1000)
}

export function assetNamed(name: string | undefined): Asset {
  const found = name === undefined ? undefined : findAsset(name)
  if (found === undefined) throw new Refusal('EFunding:Unknown asset')
  return found
}

/** All pairs when none is named. */
export function pairsNamed(names: string | undefined): Pair[] {
  if (names === undefined) return [...PAIRS]
  return names.split(',').map((name) => {
    const found = findPair(name)
    if (found === undefined) throw new Refusal('EQuery:Unknown asset pair')
    return found
  })
}

/** The parts of a list that is separated by commas. */
export function splitList(text: string | undefined): string[] {
  return (text ?? '').split(',').filter((part) => part !== '')
}
