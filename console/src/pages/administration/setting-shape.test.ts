import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { faultIn, fromFields, shapeOf, toFields } from './setting-shape.ts'
import type { Setting } from './setting-shape.ts'

const decimal = { type: 'string', 'x-kind': 'decimal not below zero' }
const template = {
  type: 'object',
  required: ['subject', 'body'],
  properties: {
    subject: { type: 'string', maxLength: 200 },
    body: { type: 'string', maxLength: 5_000 },
  },
}
const mails = {
  type: 'object',
  properties: {
    en: { type: 'object', properties: { sent: template, failed: template } },
    de: { type: 'object', properties: { sent: template, failed: template } },
  },
}
type Case = { schema: object; shown_as?: Setting['shown_as']; kind: string; values: unknown[] }
const CASES: readonly Case[] = [
  { schema: { type: 'boolean' }, kind: 'switch', values: [true, false] },
  { schema: { type: 'integer' }, kind: 'number', values: [0, 1_827] },
  { schema: { type: ['integer', 'null'] }, shown_as: 'TIME', kind: 'time', values: [5, null] },
  { schema: decimal, kind: 'decimal', values: ['0', '12.5'] },
  { schema: decimal, shown_as: 'PERCENT', kind: 'percent', values: ['0.005', '0', '0.1'] },
  { schema: { type: 'string', enum: ['A', 'B'] }, kind: 'choice', values: ['A'] },
  { schema: { type: ['string', 'null'], enum: ['A', null] }, kind: 'choice', values: [null, 'A'] },
  { schema: { type: ['string', 'null'], maxLength: 200 }, kind: 'text', values: ['Bank', null] },
  { schema: { type: 'string', maxLength: 5_000 }, kind: 'lines', values: ['One\n\nTwo\n'] },
  { schema: { type: 'array', items: { type: 'string' } }, kind: 'texts', values: [[], ['a', 'b']] },
  { schema: { type: 'array', items: { type: 'number' } }, kind: 'json', values: [[1, 2]] },
  { schema: {}, kind: 'json', values: [{ any: ['thing'] }] },
  {
    schema: { anyOf: [{ type: 'array', items: decimal }, { type: 'null' }] },
    kind: 'texts',
    values: [['1']],
  },
  {
    schema: { type: 'object', required: ['DEFAULT'], additionalProperties: decimal },
    shown_as: 'PERCENT',
    kind: 'table',
    values: [{ DEFAULT: '0.005' }, { DEFAULT: '0', GOLD: '0.001' }],
  },
  {
    schema: mails,
    kind: 'group',
    values: [{}, { de: { sent: { subject: 'Hallo', body: 'Guten Tag\n' } } }],
  },
]

describe('the form of a setting follows its schema', () => {
  for (const { schema, shown_as = null, kind, values } of CASES)
    it(`${kind}: ${JSON.stringify(schema).slice(0, 60)}`, () => {
      const shape = shapeOf({ schema, shown_as })
      assert.equal(shape.kind, kind)
      for (const value of values) assert.deepEqual(fromFields(shape, toFields(shape, value)), value)
    })

  it('reads percent without floating point, in either way of writing', () => {
    const shape = shapeOf({ schema: decimal, shown_as: 'PERCENT' })
    assert.equal(toFields(shape, '0.07'), '7')
    for (const typed of ['0.29', '0,29', '.29']) assert.equal(fromFields(shape, typed), '0.0029')
    assert.equal(faultIn(shape, '99.99'), undefined)
    assert.match(faultIn(shape, '100') ?? '', /must be below 100 %/)
  })

  it('refuses a category that is there twice', () => {
    const shape = shapeOf({
      schema: { type: 'object', additionalProperties: decimal },
      shown_as: 'PERCENT',
    })
    const rows = [
      { name: 'GOLD', number: '1' },
      { name: ' GOLD', number: '2' },
    ]
    assert.equal(faultIn(shape, rows), 'GOLD is there twice')
  })
})
