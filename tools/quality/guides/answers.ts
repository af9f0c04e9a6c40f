/**
 * Compares what a guide shows with what its code printed. Ids and times are other ones each time;
 * `…` stands for anything.
 */
import type { Shown } from './blocks.ts'

const ID = '[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}'
const VARIABLE = new RegExp(`${ID}|\\b[0-9]{13}\\b|\\s+|…|[0-9]+(?:\\.[0-9]+)?`, 'g')
const AMOUNT = '([0-9]+(?:\\.[0-9]+)?)'
/** How far an amount that depends on prices may be from the one that is shown. */
const TOLERANCE = 0.25

/** What is wrong with what was printed, in a sentence; undefined when it is as shown. */
export function differenceFrom({ text, about }: Shown, printed: string): string | undefined {
  const wanted: number[] = []
  const parts = text.trim().split(VARIABLE).map(escaped)
  const patterns = [...text.trim().matchAll(VARIABLE)].map(([word]) => {
    if (about && /^[0-9.]+$/.test(word) && word.length < 13) {
      wanted.push(Number(word))
      return AMOUNT
    }
    return patternOf(word)
  })
  const whole = parts.map((part, index) => part + (patterns[index] ?? '')).join('')
  const found = new RegExp(`^\\s*${whole}\\s*$`).exec(printed)
  if (found === null) return `it printed something else:\n${printed}`
  const off = wanted.find(
    (amount, index) => Math.abs(Number(found[index + 1]) - amount) > amount * TOLERANCE,
  )
  return off === undefined ? undefined : `it printed something far from ${off}:\n${printed}`
}

function patternOf(word: string): string {
  if (word === '…') return '[^]*?'
  if (/^\s/.test(word)) return '\\s*'
  if (/^[0-9]{13}$/.test(word)) return '[0-9]{13}'
  return word.length === 36 ? ID : escaped(word)
}

const escaped = (text: string): string => text.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&')
