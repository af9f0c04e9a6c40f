/**
 * Conditions on a state in SQL, from the table of the states: a word that the table does not have
 * does not compile. The words stand in the text of the statement, so that PostgreSQL can use
 * indexes of the rows in some states alone.
 */
import { assert } from '../core/assert.ts'
import type { Moves } from '../core/moves.ts'
import { raw } from './sql.ts'
import type { Query } from './sql.ts'

/** The table of the states, or their list where no row moves from one to another. */
type States<S extends string> = Moves<S> | readonly S[]

/** `state in ('PENDING', 'UNKNOWN')`; of one state `state = 'PENDING'`. */
export function stateIn<S extends string>(
  known: States<S>,
  states: NoInfer<S> | readonly NoInfer<S>[],
  column = 'state',
): Query {
  const words = wordsOf(known, states)
  return raw(`${column} ${words.length === 1 ? `= ${words[0]}` : `in (${words.join(', ')})`}`)
}

/** `state not in ('FAILED', 'REVERSED')`; of one state `state <> 'FAILED'`. */
export function stateNotIn<S extends string>(
  known: States<S>,
  states: NoInfer<S> | readonly NoInfer<S>[],
  column = 'state',
): Query {
  const words = wordsOf(known, states)
  return raw(`${column} ${words.length === 1 ? `<> ${words[0]}` : `not in (${words.join(', ')})`}`)
}

function wordsOf<S extends string>(known: States<S>, states: S | readonly S[]): string[] {
  const all: readonly string[] = Array.isArray(known) ? known : Object.keys(known)
  const list = typeof states === 'string' ? [states] : states
  assert(list.length > 0, 'a condition names at least one state')
  for (const state of list) assert(all.includes(state), `${state} is not a state`)
  return list.map((state) => `'${state}'`)
}
