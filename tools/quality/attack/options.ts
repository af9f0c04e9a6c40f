/** What `npm run attack` is told to do. */
import { randomInt } from 'node:crypto'
import { parseArgs } from 'node:util'
import { UsageError } from '../../../server/src/core/usage.ts'
import { ATTACKS } from './attacks.ts'
import { PARTS } from './table.ts'
import type { Attack } from './table.ts'

type Options = {
  attacks: readonly Attack[]
  /** By chance; 0: none. */
  requests: number
  seed: number
  minutes: number
}

const USAGE = 'npm run attack -- [--only WORD] [--requests N] [--seed S] [--minutes M]'
/** What `--only` may name them by. */
const CHANCE = 'requests by chance'
const WHOLE = /^\d{1,15}$/
const DECIMAL = /^\d{1,9}(\.\d{1,9})?$/

/** Throws a UsageError with a sentence. */
export function optionsFrom(args: readonly string[]): Options {
  const { only, requests, seed, minutes } = valuesFrom(args)
  const word = only?.toLowerCase()
  const attacks = ATTACKS.filter(
    ({ of, name }) =>
      word === undefined || `${of} ${PARTS[of]} ${name}`.toLowerCase().includes(word),
  )
  const isByChance = word === undefined || CHANCE.includes(word)
  if (attacks.length === 0 && !isByChance)
    throw new UsageError(`no attack has ${only} in its name or part (docs/attack.md has the parts)`)
  const wanted = numberFrom('requests', requests ?? '1000000', WHOLE)
  return {
    attacks,
    requests: isByChance ? wanted : 0,
    seed: numberFrom('seed', seed ?? String(randomInt(2 ** 31)), WHOLE),
    minutes: minutes === undefined ? Infinity : numberFrom('minutes', minutes, DECIMAL),
  }
}

type Values = Partial<Record<'only' | 'requests' | 'seed' | 'minutes', string>>

function valuesFrom(args: readonly string[]): Values {
  const type = 'string'
  const options = { only: { type }, requests: { type }, seed: { type }, minutes: { type } } as const
  try {
    return parseArgs({ args: [...args], options }).values
  } catch (error) {
    const [sentence = ''] = (error as Error).message.split(/\.?\s*(?:\n|$)|\. /)
    throw new UsageError(`${sentence}: ${USAGE}`)
  }
}

function numberFrom(name: string, text: string, shape: RegExp): number {
  if (shape.test(text)) return Number(text)
  const kind = shape === WHOLE ? 'a whole number' : 'a number'
  throw new UsageError(`--${name} is ${kind}, not ${text}: ${USAGE}`)
}
