import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { differenceFrom } from './answers.ts'
import { blocksOf } from './blocks.ts'

const shown = (text: string, about = false) => ({ text, about, line: 1 })
const ID = '01a1fc75-ea2a-7589-aa8f-fca6ac3db62c'
const ANOTHER = '01a22253-7907-75e9-8845-3de55b79b558'

describe('what a guide shows', () => {
  it('is what is printed, with other ids, times and blanks', () => {
    const guide = shown(`{"id":"${ID}",…,"at":1795872343464,\n  "state":"DONE"}`)
    const printed = (state: string) =>
      `{"id":"${ANOTHER}","x":1,"at":1,"at":1795872399999,"state":"${state}"}\n`
    assert.equal(differenceFrom(guide, printed('DONE')), undefined)
    assert.match(differenceFrom(guide, printed('FAILED')) ?? '', /something else/)
  })

  it('names every field unless it says otherwise', () => {
    assert.match(differenceFrom(shown('{"a":1}'), '{"a":1,"b":2}') ?? '', /something else/)
    assert.equal(differenceFrom(shown('{"a":1,…}'), '{"a":1,"b":2}'), undefined)
  })

  it('has the very amounts, or about the same ones', () => {
    assert.match(differenceFrom(shown('"393.78"'), '"393.79"') ?? '', /something else/)
    assert.equal(differenceFrom(shown('"393.78"', true), '"371.2"'), undefined)
    assert.match(differenceFrom(shown('"393.78"', true), '"39.378"') ?? '', /far from 393.78/)
  })

  it('follows the code that it is of', () => {
    const [code, file] = blocksOf(
      '```sh\ncall\n```\n\n```json about\n{}\n```\n```js a.mjs\n1\n```\n',
    )
    assert.deepEqual(code?.shown, { text: '{}\n', about: true, line: 5 })
    assert.deepEqual([file?.file, file?.code], ['a.mjs', '1\n'])
    assert.throws(() => blocksOf('```json\n{}\n```\n'), /line 1 shows an answer/)
  })
})
