/** The rounds as a table in Markdown: medians, and ratios to one of them. */
import type { Measured } from './peer.ts'

type Round = ReadonlyMap<string, readonly Measured[]>

const HEADS = ['', 'load', 'a second', '÷ Kontor', 'failed']

export function tableOf(base: string, rounds: readonly Round[]): string {
  const loads = new Set<string>()
  const rows: string[][] = []
  for (const [peer, { name }] of rounds.flatMap(measuredBy)) {
    if (loads.has(`${peer} ${name}`)) continue
    loads.add(`${peer} ${name}`)
    rows.push(rowOf(base, rounds, { peer, load: name }))
  }
  return [HEADS, HEADS.map(() => '---'), ...rows]
    .map((cells) => `| ${cells.join(' | ')} |`)
    .join('\n')
}

const measuredBy = (round: Round): [string, Measured][] =>
  [...round].flatMap(([peer, loads]) => loads.map((one): [string, Measured] => [peer, one]))

type Row = { peer: string; load: string }

function rowOf(base: string, rounds: readonly Round[], { peer, load }: Row): string[] {
  const own = rounds.flatMap((round) => measuredIn(round, peer, load) ?? [])
  const ratios = rounds.flatMap((round) => {
    const other = measuredIn(round, base, besideOf(load))
    const one = measuredIn(round, peer, load)
    return one === undefined || other === undefined ? [] : [one.rate / other.rate]
  })
  const failed = medianOf(own.map(({ failed_share }) => failed_share))
  return [
    peer,
    load,
    rangeOf(own.map(({ rate }) => rate)),
    ratios.length === 0 ? '' : medianOf(ratios).toPrecision(2),
    failed === 0 ? '' : `${(failed * 100).toFixed(failed < 0.01 ? 1 : 0)} %`,
  ]
}

const measuredIn = (round: Round, peer: string, load: string): Measured | undefined =>
  round.get(peer)?.find(({ name }) => name === load)

/** The load of Kontor that one is compared with: what follows a colon says what was counted. */
const besideOf = (load: string): string =>
  (load.split(':')[0] ?? '').replace('32 clients', '64 connections')

/** The median, and between which it lies. */
function rangeOf(rates: readonly number[]): string {
  const text = (rate: number) => rate.toLocaleString('en', { maximumFractionDigits: 0 })
  return `${text(medianOf(rates))} (${text(Math.min(...rates))} to ${text(Math.max(...rates))})`
}

/** Of an even number of values, what lies between the two in the middle. */
function medianOf(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  const half = Math.floor(sorted.length / 2)
  const [upper = Number.NaN, lower = Number.NaN] = [sorted[half], sorted[half - 1]]
  return sorted.length % 2 === 1 ? upper : (lower + upper) / 2
}
