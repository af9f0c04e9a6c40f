/** Amounts stay exact strings: times, counts, sequences and places on the screen become numbers. */
import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { it } from 'node:test'

const SOURCE = import.meta.dirname
const CONVERSION = /\b(Number\((\w+)|parseFloat|parseInt|valueAsNumber|InputNumber|toFixed)/g

it('turns no amount into a number', () => {
  const conversions = readdirSync(SOURCE, { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.tsx?$/.test(name) && !name.endsWith('.test.ts'))
    .flatMap((name) =>
      [...readFileSync(join(SOURCE, name), 'utf8').matchAll(CONVERSION)].map(
        ([call, , argument]) => `${name.replaceAll('\\', '/')}: ${argument ?? call}`,
      ),
    )
  assert.deepEqual([...new Set(conversions)].toSorted(), [
    'action/field-errors.ts: part',
    'list/columns.tsx: value',
    'list/filter-words.tsx: value',
    'list/filters.tsx: value',
    'list/shown-csv.ts: value',
    'pages/administration/api-key-form.tsx: expires_at',
    'pages/administration/api-key-form.tsx: overlap',
    'pages/administration/declaration-fields.ts: values',
    'pages/administration/policy-forms.tsx: String',
    'pages/administration/setting-form.tsx: text',
    'pages/administration/setting-shape.ts: held',
    'pages/administration/setting-shape.ts: required',
    'pages/administration/setting-value.tsx: value',
    'pages/administration/webhook-actions.tsx: after',
    'pages/administration/webhook-actions.tsx: last',
    'pages/books/statements.tsx: text',
    'pages/books/trial-balance.tsx: at',
    'pages/desk/events.tsx: id',
    'pages/search.tsx: MAXIMUM_HITS',
    'pages/trading/market.tsx: toFixed',
    'pages/trading/settlement-actions.tsx: timerange_from',
    'pages/trading/settlement-actions.tsx: timerange_to',
    'pages/treasury/job-actions.tsx: interval',
    'parts/accent.ts: parseInt',
    'parts/chart/plot.ts: text',
    'parts/chart/story.ts: index',
  ])
})
