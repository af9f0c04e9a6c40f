import assert from 'node:assert/strict'
import { test } from 'node:test'
import { filled, partsOf } from './sentence.ts'

test('a value stands in a sentence as it is, whatever is written in it', () => {
  for (const sender of ['{{reference}}', '<amount/>', '$t(Paid)', '&amp;', '$1 $&', '<a>x</a>'])
    assert.equal(
      filled('From: {{sender}}. Reference: “{{reference}}”.', { sender, reference: 'R-1' }),
      `From: ${sender}. Reference: “R-1”.`,
    )
  assert.equal(
    filled('{{count}} of {{all}}{{none}}', { count: 2, none: undefined }),
    '2 of {{all}}',
  )
  assert.equal(filled('more than {{amount}}', {}), 'more than {{amount}}')
})

test('the parts of a sentence are those of its own text', () => {
  assert.deepEqual(partsOf('<amount/> to {{name}}: <a>show {{name}}</a>!'), [
    { part: 'amount' },
    { text: ' to {{name}}: ' },
    { part: 'a', inside: 'show {{name}}' },
    { text: '!' },
  ])
})
