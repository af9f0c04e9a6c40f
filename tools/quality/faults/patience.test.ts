import assert from 'node:assert/strict'
import { test } from 'node:test'
import { until, within } from './patience.ts'

test('what never comes is waited for so long, and the error says what it was', async () => {
  const never = Promise.withResolvers<void>().promise
  await assert.rejects(within('the end of api 1', 10, never), /^Error: the end of api 1 did not co/)
  await assert.rejects(
    until('a deposit', async () => undefined, 10),
    /^Error: a deposit did not come within 0\.01 s$/,
  )
})

test('what comes in time is answered, and so is its error', async () => {
  assert.equal(await within('seven', 1_000, Promise.resolve(7)), 7)
  await assert.rejects(within('seven', 1_000, Promise.reject(new Error('eight'))), /eight/)
})
