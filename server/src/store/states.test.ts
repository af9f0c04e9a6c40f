import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { Moves } from '../core/moves.ts'
import { sql, statement } from './sql.ts'
import { stateIn, stateNotIn } from './states.ts'

type Colour = 'RED' | 'GREEN' | 'OUT'
const COLOURS: Moves<Colour> = { RED: ['GREEN', 'OUT'], GREEN: ['RED', 'OUT'], OUT: [] }

const textOf = (condition: ReturnType<typeof stateIn>) => statement(sql`${condition}`).text

describe('a condition on a state', () => {
  it('writes the words into the text', () => {
    assert.equal(textOf(stateIn(COLOURS, 'RED')), "state = 'RED'")
    assert.equal(textOf(stateIn(COLOURS, ['RED', 'OUT'], 'l.state')), "l.state in ('RED', 'OUT')")
    assert.equal(textOf(stateNotIn(COLOURS, 'OUT')), "state <> 'OUT'")
    assert.equal(textOf(stateNotIn(COLOURS, ['RED', 'GREEN'])), "state not in ('RED', 'GREEN')")
  })

  it('refuses a word that is not in the table, and no word at all', () => {
    assert.throws(() => stateIn<string>(COLOURS, 'BLUE'), /BLUE is not a state/)
    assert.throws(() => stateIn(COLOURS, []), /at least one state/)
  })
})
