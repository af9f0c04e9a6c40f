/** No amount is read as another one: the reader against an oracle that groups digits anew. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Decimal } from 'decimal.js'
import fc from 'fast-check'
import { formatAmount, isAmount, NUMBER_FORMATS, readAmount } from './amount-text.ts'

Decimal.set({ precision: 90 })
const FORMATS = Object.values(NUMBER_FORMATS)
const { point, comma, apostrophe, space } = NUMBER_FORMATS
const same = (a: string, b: string): boolean => new Decimal(a).eq(b)

const amounts = fc
  .tuple(fc.bigInt(0n, 10n ** 20n - 1n), fc.stringMatching(/^[0-9]{0,18}$/))
  .map(([whole, fraction]) => `${whole}${fraction === '' ? '' : `.${fraction}`}`)

test('an amount in a format that was chosen is read as itself', () => {
  fc.assert(
    fc.property(
      amounts,
      fc.constantFrom(...FORMATS),
      fc.boolean(),
      fc.integer({ min: 0, max: 8 }),
      (amount, format, grouped, decimals) => {
        const text = formatAmount(amount, format, { grouped, decimals })
        const reading = readAmount(text, format, true)
        assert.ok('amount' in reading, text)
        assert.ok(same(reading.amount, amount), text)
        assert.ok(isAmount(reading.amount), text)
      },
    ),
  )
})

test('an amount in any format is read as itself or asked about', () => {
  fc.assert(
    fc.property(
      amounts,
      fc.constantFrom(...FORMATS),
      fc.constantFrom(...FORMATS),
      fc.record({ grouped: fc.boolean(), sure: fc.boolean() }),
      (amount, written, format, { grouped, sure }) => {
        // A format that was chosen is the one in which somebody writes.
        if (sure && written !== format) return
        const text = formatAmount(amount, written, { grouped })
        const reading = readAmount(text, format, sure)
        const means =
          'amount' in reading ? [reading.amount] : 'choices' in reading && reading.choices
        assert.ok(means !== false && means.some((one) => same(one, amount)), text)
      },
    ),
  )
})

/** Every amount that a text can stand for: its digits, grouped anew, give the very text. */
function meanings(text: string): string[] {
  const found = [',', '.'].flatMap((decimal) => {
    const [whole = '', fraction = '', ...rest] = text.split(decimal)
    if (rest.length > 0 || /[^0-9]/.test(fraction) || `${whole}${fraction}` === '') return []
    const digits = whole.replaceAll(/[.,' ]/g, '')
    const anew = BigInt(digits === '' ? '0' : digits).toLocaleString('en')
    const spelled = [',', '.', "'", ' '].filter((sign) => sign !== decimal)
    const fits = whole === digits || spelled.some((sign) => anew.replaceAll(',', sign) === whole)
    return fits ? [`${BigInt(digits === '' ? '0' : digits)}.${fraction || '0'}`] : []
  })
  return found.filter((one, at) => found.findIndex((other) => same(one, other)) === at)
}

test('a text is read only when it can mean nothing else', () => {
  const texts = fc.stringMatching(/^[0-9.,' ]{1,12}$/).map((text) => text.trim())
  fc.assert(
    fc.property(texts, fc.constantFrom(...FORMATS), (text, format) => {
      const known = meanings(text)
      const reading = readAmount(text, format, false)
      if ('amount' in reading) {
        assert.equal(known.length, 1, text)
        assert.ok(same(reading.amount, known[0] ?? ''), text)
      } else if ('choices' in reading) {
        assert.equal(known.length, 2, text)
        assert.ok(
          known.every((one) => reading.choices.some((other) => same(one, other))),
          text,
        )
      } else assert.equal(known.length, 0, text)
      const sure = readAmount(text, format, true)
      if ('amount' in sure)
        assert.ok(
          known.some((one) => same(one, sure.amount)),
          text,
        )
    }),
    { numRuns: 2_000 },
  )
})

for (const [typed, format, sure, expected] of [
  ['1.250', comma, true, '1250'],
  ['1.250', point, true, '1.250'],
  ['1.250', point, false, ['1.250', '1250']],
  ['1,250', comma, false, ['1,250', '1250'].map((text) => text.replace(',', '.'))],
  ['1.250', space, true, ['1250', '1.250']],
  ['1,250', apostrophe, true, ['1250', '1.250']],
  ['1250.50', comma, true, ['1250.50']],
  ['1250.50', comma, false, '1250.50'],
  ['0.125', comma, false, '0.125'],
  ['1,250.5', point, false, '1250.5'],
  [" 1'250.50 ", point, true, '1250.50'],
  ['1 250,5', comma, true, '1250.5'],
  ['1\u202f250,5', space, true, '1250.5'],
  ['.5', point, true, '0.5'],
  ['5,', comma, true, '5'],
  ['007', point, false, '7'],
] as const) {
  test(`“${typed}” with ${format.decimal}${format.group}${sure ? '' : '?'}`, () => {
    const reading = readAmount(typed, format, sure)
    assert.deepEqual(
      reading,
      typeof expected === 'string' ? { amount: expected } : { choices: expected },
    )
  })
}

for (const [typed, problem] of [
  ['', 'EMPTY'],
  ['  ', 'EMPTY'],
  ['1_000', 'CHARACTERS'],
  ['1e5', 'CHARACTERS'],
  ['0x10', 'CHARACTERS'],
  ['١٢', 'CHARACTERS'],
  ['１２', 'CHARACTERS'],
  ['abc', 'CHARACTERS'],
  ['1250 EUR', 'CHARACTERS'],
  ['€5', 'CHARACTERS'],
  ['+5', 'CHARACTERS'],
  ['.', 'CHARACTERS'],
  ["'", 'CHARACTERS'],
  ['-5', 'NEGATIVE'],
  ['−5', 'NEGATIVE'],
  ['1.2.3', 'TWO_DECIMALS'],
  ['1,250.50.1', 'TWO_DECIMALS'],
  ['12,34,5.6', 'GROUPS'],
  ['1,2500.5', 'GROUPS'],
  ["1,250'000.5", 'GROUPS'],
  ['1 25.5', 'GROUPS'],
  ['1.1234567890123456789', 'TOO_LONG'],
  ['123456789012345678901', 'TOO_LONG'],
] as const) {
  test(`“${typed}” is no amount: ${problem}`, () => {
    for (const sure of [true, false])
      assert.deepEqual(readAmount(typed, point, sure), { problem }, String(sure))
  })
}
