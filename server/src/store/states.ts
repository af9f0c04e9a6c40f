/**
 * Conditions on a state in SQL, from the table of the states: a word that the table does not have
 * does not compile. The words stand in the text of the statement, so that PostgreSQL can use
 * indexes of the rows in some states alone.
 */
import { assert } from '../core/assert.ts'
import type { Moves } from '../core/moves.ts'
import { raw } from './sql.ts'
import type { Query } from './sql.ts'

/** `state in ('PENDING', 'UNKNOWN')`; of one state `state = 'PENDING'`. */
export function stateIn<S extends string>(
  moves: Moves<S>,
  states: NoInfer<S> | readonly NoInfer<S>[],
  column = 'state',
): Query {
  const words = wordsOf(moves, states)
  return raw(`${column} ${words.length === 1 ? `= ${words[0]}` : `in (${words.join(', ')})`}`)
}

/** `state not in ('FAILED', 'REVERSED')`; of one state `state <> 'FAILED'`. */
export function stateNotIn<S extends string>(
  moves: Moves<S>,
  states: NoInfer<S> | readonly NoInfer<S>[],
  column = 'state',
): Query {
  const words = wordsOf(moves, states)
  return raw(`${column} ${words.length === 1 ? `<> ${words[0]}` : `not in (${words.join(', ')})`}`)
}

function wordsOf<S extends string>(moves: Moves<S>, states: S | readonly S[]): string[] {
  const list = typeof states === 'string' ? [states] : states
  assert(list.length > 0, 'a condition names at least one state')
  for (const state of list) assert(Object.hasOwn(moves, state), `${state} is not a state`)
  return list.map((state) => `'${state}'`)
}
