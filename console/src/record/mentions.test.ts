import assert from 'node:assert/strict'
import { it } from 'node:test'
import { mentionedIn } from './mentions.ts'

const PEOPLE = [
  { id: 'tara', name: 'Tara' },
  { id: 'treasurer', name: 'Tara Treasurer' },
  { id: 'otto', name: 'Otto' },
  { id: 'other otto', name: 'Otto' },
]

it('a comment mentions whom it names, and nobody whose name only begins so', () => {
  assert.deepEqual(mentionedIn('Please call him, @Tara Treasurer', PEOPLE), ['treasurer'])
  assert.deepEqual(mentionedIn('@Tara or @Tara Treasurer', PEOPLE), ['treasurer', 'tara'])
  assert.deepEqual(mentionedIn('Tara knows', PEOPLE), [])
})

it('two of one name are both mentioned', () => {
  assert.deepEqual(mentionedIn('@Otto?', PEOPLE), ['otto', 'other otto'])
})
