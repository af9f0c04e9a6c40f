/** What a flow is: something that a client or the outside world does, and that ends by itself. */
import type { Dice } from '../dice.ts'
import type { Ground } from '../faults/furniture.ts'
import type { Journal } from './journal.ts'

export type Desk = { ground: Ground; journal: Journal; dice: Dice }

export type ChaosFlow = {
  name: string
  /** Before the first storm. */
  prepare?(ground: Ground): Promise<unknown>
  /** Answers what was acknowledged, in words. */
  run(desk: Desk): Promise<string>
}
