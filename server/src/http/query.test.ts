import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  decoderOf,
  meaningOf,
  queryId,
  queryReference,
  queryText,
  requiredQueryText,
} from './query.ts'
import { TIME_TEXT, timeOf } from './times.ts'

const AT = Date.UTC(2026, 10, 21, 4, 5, 6, 789)

const TIMES: [string, number | undefined][] = [
  ['1795233906', 1_795_233_906_000],
  ['1795233906789', 1_795_233_906_789],
  ['1795233906789123', 1_795_233_906_789],
  ['1795233906789123456', 1_795_233_906_789],
  ['0000000001', 1000],
  ['2026-11-21T04:05:06.789Z', AT],
  ['2026-11-21T04:05:06.789', AT],
  ['2026-11-21T05:05:06.789+01:00', AT],
  ['2026-11-20T23:05:06.789-05:00', AT],
  ['2026-11-21T04:05:06.789123456Z', AT],
  ['2026-11-21T04:05:06Z', AT - 789],
  ['2026-11-21T04:05Z', AT - 6789],
  ['2026-11-21', Date.UTC(2026, 10, 21)],
  ['1970-01-01', 0],
  ['', undefined],
  ['0', undefined],
  ['123456789', undefined],
  ['12345678901', undefined],
  ['-1795233906', undefined],
  ['1795233906.5', undefined],
  ['1e9', undefined],
  ['now', undefined],
  ['2026-13-01', undefined],
  ['2026-02-30T25:00:00Z', undefined],
  ['2026-11-21 04:05:06', undefined],
  ['21.11.2026', undefined],
  ['2026-11', undefined],
  ['Sat, 21 Nov 2026 04:05:06 GMT', undefined],
  ['1969-12-31', undefined],
  ['2026-02-30', undefined],
  ['2026-02-29', undefined],
  ['2028-02-29', Date.UTC(2028, 1, 29)],
  ['2026-04-31T00:00:00Z', undefined],
  ['2026-11-21T24:00:00Z', undefined],
]

test('times are ISO 8601 or integers read by their size', () => {
  for (const [text, expected] of TIMES) assert.equal(timeOf(text), expected, text)
})

test('the document takes for a time what is read as one', () => {
  const documented = new RegExp(TIME_TEXT.pattern)
  const years = [1970, 1972, 1999, 2000, 2027, 2028, 2096, 2100, 2400, 9999]
  const days = years.flatMap((year) =>
    ['01-31', '02-28', '02-29', '02-30', '04-30', '04-31', '12-31', '13-01'].map(
      (day) => `${year}-${day}`,
    ),
  )
  for (const text of [...TIMES.map(([time]) => time), ...days])
    assert.equal(documented.test(text), timeOf(text) !== undefined, text)
})

test('an empty id, address or reference is absent; an empty text is not', () => {
  const read = (schema: object) => decoderOf(schema as Record<string, unknown>)?.('', 'name')
  assert.deepEqual([queryId(), queryReference(), queryText()].map(read), [undefined, undefined, ''])
})

test('the document takes for a text what is read as one, without the spaces around it', () => {
  const schema = requiredQueryText(2, 9) as unknown as Record<string, unknown>
  const documented = new RegExp(String(meaningOf(schema)['pattern']))
  for (const [text, expected] of [
    ['ab', 'ab'],
    [' a b\n', 'a b'],
    ['', undefined],
    ['a', undefined],
    ['  a ', undefined],
  ] as const) {
    assert.equal(documented.test(text), expected !== undefined, text)
    const read = () => decoderOf(schema)?.(text, 'q')
    if (expected === undefined) assert.throws(read, /q has at least 2 characters/)
    else assert.equal(read(), expected)
  }
})
