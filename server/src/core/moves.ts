import { assert } from './assert.ts'

/** A state machine as data: for each state the states it may move to. Final states have none. */
export type Moves<S extends string> = { readonly [from in S]: readonly S[] }

export function canMove<S extends string>(moves: Moves<S>, from: S, to: S): boolean {
  return moves[from].includes(to)
}

export function assertMove<S extends string>(moves: Moves<S>, from: S, to: S): void {
  assert(canMove(moves, from, to), `no move from ${from} to ${to}`)
}

/** One transition, for the guard of a compare-and-set and for what it sets. */
export type Move<S extends string> = { readonly from: readonly S[]; readonly to: S }

/**
 * Throws for a transition that the table does not list, so that none of these reaches the database.
 */
export function move<S extends string>(
  moves: Moves<S>,
  from: NoInfer<S> | readonly NoInfer<S>[],
  to: NoInfer<S>,
): Move<S> {
  const states = typeof from === 'string' ? [from] : from
  for (const state of states) assertMove(moves, state, to)
  return { from: states, to }
}

/** The transition to `to` from every state that allows it. */
export function moveFromAny<S extends string>(moves: Moves<S>, to: NoInfer<S>): Move<S> {
  const from = statesBefore(moves, to)
  assert(from.length > 0, `no move leads to ${to}`)
  return { from, to }
}

/** The states from which `to` can be reached in one move: the guard of a compare-and-set. */
export function statesBefore<S extends string>(moves: Moves<S>, to: S): S[] {
  return statesOf(moves).filter((from) => moves[from].includes(to))
}

export function isFinal<S extends string>(moves: Moves<S>, state: S): boolean {
  return moves[state].length === 0
}

export function statesOf<S extends string>(moves: Moves<S>): S[] {
  return Object.keys(moves) as S[]
}
