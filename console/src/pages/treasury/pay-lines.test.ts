import assert from 'node:assert/strict'
import { it } from 'node:test'
import { beyondTheRest } from './pay-lines.ts'
import type { PayLine } from './pay-lines.ts'

const line = (line: number, quantity: string, more: object = {}): PayLine => ({
  line,
  cells: {},
  fault: undefined,
  body: { payee: {}, quantity, account_id: 'jonas', ...more } as PayLine['body'],
})

it('lines that go at once share what their account has, in their order', () => {
  const lines = [
    line(1, '60'),
    line(2, '50'),
    line(3, '40'),
    line(4, '1000', { send_at: 1 }),
    line(5, '1000', { account_id: 'anna' }),
    line(6, '0.01'),
  ]
  const beyond = beyondTheRest(lines, new Map([['jonas', '100']]))
  assert.deepEqual(
    beyond.map((row) => row.line),
    [2, 6],
    'the third still fits; what goes later, and who is not bounded, does not count',
  )
})
