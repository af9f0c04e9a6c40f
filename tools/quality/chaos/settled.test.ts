import assert from 'node:assert/strict'
import { test } from 'node:test'
import { settled } from './settled.ts'

const NOW = { between: 0 }

/** Looks that see one after the other how many things are wrong. */
function looks(...counts: number[]): { look(): Promise<{ wrong: string[] }>; left: number[] } {
  const left = [...counts]
  return { left, look: async () => ({ wrong: Array.from({ length: left.shift() ?? 9 }, String) }) }
}

test('what is right once between two wrong looks is not settled', async () => {
  const { look, left } = looks(2, 0, 1, 0, 0, 5)
  assert.deepEqual((await settled(look, NOW)).wrong, [])
  assert.deepEqual(left, [5], 'after two right looks in a row nobody looks again')
})

test('what stays wrong is answered in the end, and a right look has its second', async () => {
  assert.equal((await settled(looks(3, 0).look, { ...NOW, calm: 0 })).wrong.length, 3)
  const { look, left } = looks(0, 4, 0)
  assert.equal((await settled(look, { ...NOW, calm: 0 })).wrong.length, 4)
  assert.deepEqual(left, [0])
})
