import assert from 'node:assert/strict'
import { test } from 'node:test'
import { freshSeed, fuzz, ROUND, summary } from './fuzz.ts'

const seed = Number(process.env['FUZZ_SEED'] ?? freshSeed())

test(`${ROUND} requests from the endpoints' own schemas, sensible and broken (FUZZ_SEED=${seed})`, { timeout: 300_000 }, async (context) => {
  const report = await fuzz(ROUND, seed)
  context.diagnostic(summary(report))
  assert.equal(report.faults.join('\n'), '', `seed ${seed}: ${summary(report)}`)
  assert.ok(report.requests >= ROUND)
  for (const code of ['accepted', '1001', '1003', '1005', '3001', '4004']) assert.ok((report.answers.get(code) ?? 0) > 50, `few answers of the kind ${code}`)
  assert.ok(report.bookings > 20, 'sensible requests book something')
})
