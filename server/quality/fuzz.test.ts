import assert from 'node:assert/strict'
import { test } from 'node:test'
import { newId } from '../src/core/ids.ts'
import { judgeAnswer } from './fuzz/judge.ts'
import { freshSeed, fuzz } from './fuzz.ts'
import { closed, decimalText, endpoint, id } from '../src/http/index.ts'
import type { HttpAnswer } from './service-under-test.ts'

/** Enough for each endpoint and each kind of answer; `npm run fuzz` asks more. */
const REQUESTS = 2_000
/** Of one kind of answer; the rarest comes twice as often. */
const FEW = REQUESTS / 400
const seed = Number(process.env['FUZZ_SEED'] ?? freshSeed())

test(
  `${REQUESTS} requests from the endpoints' own schemas, sensible and broken (FUZZ_SEED=${seed})`,
  { timeout: 1_200_000 },
  async (context) => {
    const report = await fuzz(REQUESTS, seed)
    context.diagnostic(report.summary())
    assert.equal(report.faults.join('\n'), '', `seed ${seed}: ${report.summary()}`)
    assert.ok(report.requests >= REQUESTS)
    for (const code of ['accepted', '1001', '1003', '1005', '3001', '4004'])
      assert.ok((report.answers.get(code) ?? 0) > FEW, `few answers of the kind ${code}`)
    assert.deepEqual(report.missing, [], 'every endpoint accepts something')
    assert.ok(report.bookings > REQUESTS / 50, 'sensible requests book')
    assert.ok(report.harmless > REQUESTS / 16, 'what is refused changes nothing')
  },
)

const theirs = newId()
const thing = endpoint({
  method: 'GET',
  operation_id: 'getThing',
  path: '/thing',
  origin: { ours: 'for this test' },
  tag: 'Overview',
  summary: 'x',
  permission: 'x',
  effect: 'read',
  data: closed({ id: id(), amount: decimalText() }),
  handle: async () => ({ id: newId(), amount: '1' }),
})
const detail = { path: 'a', code: 'TYPE', message: 'a must be text' }
const refused = (more: object) => ({
  success: false,
  error_code: 3001,
  error_message: 'BadRequest',
  error_description: 'a must be text',
  error_details: [detail],
  request_id: newId(),
  ...more,
})
const answer = (
  status: number,
  body: unknown,
  type = 'application/json; charset=utf-8',
): HttpAnswer => ({
  status,
  type,
  text: typeof body === 'string' ? body : JSON.stringify(body),
  headers: {},
})

const ANSWERS: readonly [what: string, reply: HttpAnswer, wrong: RegExp | undefined][] = [
  ['good data', answer(200, { success: true, data: { id: newId(), amount: '1.5' } }), undefined],
  [
    'a number for money',
    answer(200, { success: true, data: { id: newId(), amount: 1.5 } }),
    /other data/,
  ],
  [
    'a field too many',
    answer(200, { success: true, data: { id: newId(), amount: '1', secret: 'x' } }),
    /other data/,
  ],
  [
    'more beside the data',
    answer(200, { success: true, data: { id: newId(), amount: '1' }, more: 1 }),
    /envelope/,
  ],
  ['no JSON', answer(200, '<html>', 'text/html'), /envelope/],
  ['half a JSON', answer(200, '{"success":true,"data":['), /envelope/],
  [
    'the other workspace',
    answer(200, { success: true, data: { workspace: theirs } }),
    /other workspace/,
  ],
  [
    'the other workspace as CSV',
    answer(200, `id,workspace\r\n1,${theirs}\r\n`, 'text/csv'),
    /other workspace/,
  ],
  ['a good refusal', answer(400, refused({})), undefined],
  ['a refusal without details', answer(400, refused({ error_details: [] })), /precise/],
  [
    'a detail with an unknown code',
    answer(400, refused({ error_details: [{ ...detail, code: 'BAD' }] })),
    /precise/,
  ],
  ['a refusal without words', answer(400, refused({ error_description: undefined })), /precise/],
  ["another status than the code's", answer(422, refused({})), /belong together/],
  ['a message of its own', answer(400, refused({ error_message: 'No' })), /belong together/],
  ['no request id', answer(400, refused({ request_id: 'x' })), /request id/],
  ['a stack', answer(400, refused({ stack: 'at x' })), /envelope has stack/],
  [
    'a fault of ours',
    answer(
      500,
      refused({
        error_code: 2001,
        error_message: 'Internal Server error',
        error_description: undefined,
        error_details: undefined,
      }),
    ),
    /5xx/,
  ],
  [
    "the framework's own error",
    answer(500, { statusCode: 500, error: 'Internal Server Error', message: 'x' }),
    /envelope/,
  ],
]

for (const [what, reply, wrong] of ANSWERS) {
  test(`the judge: ${what}`, () => {
    const found = judgeAnswer(
      { how: 'sensible', method: 'GET', endpoint: thing, body: undefined },
      reply,
      theirs,
    ).wrong
    if (wrong === undefined) assert.equal(found, undefined)
    else assert.match(found ?? '', wrong)
  })
}
