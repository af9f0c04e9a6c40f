/** Tokens that open nothing, and headers that nobody needs. */
import type { Author } from '../author.ts'
import type { JsonRecord } from '../known-records.ts'
import type { RequestPlan } from '../requests.ts'

export function spoilToken(plan: RequestPlan, { draws, side }: Author): void {
  const good = side.tokens.all
  const [head = '', body = '', signature = ''] = good.split('.')
  const claims = JSON.parse(Buffer.from(body, 'base64url').toString()) as JsonRecord
  const forged = Buffer.from(JSON.stringify({ ...claims, exp: 9_999_999_999 })).toString(
    'base64url',
  )
  const none = Buffer.from('{"alg":"none","typ":"JWT"}').toString('base64url')
  const authorization = draws.pick([
    undefined,
    '',
    'Bearer',
    'Bearer ',
    good,
    `bearer  ${good}`,
    `Basic ${good}`,
    `Bearer ${side.dead.ended}`,
    `Bearer ${side.dead.expired}`,
    `Bearer ${side.dead.id}`,
    `Bearer ${side.refresh_token}`,
    `Bearer ${head}.${forged}.${signature}`,
    `Bearer ${none}.${body}.`,
    `Bearer ${head}.${body}.${signature.slice(1)}`,
    `Bearer ${good}x`,
    'Bearer a.b.c',
    `Bearer ${'x'.repeat(9000)}`,
    'Bearer null',
    `Bearer ${good}, Bearer ${good}`,
  ])
  if (authorization === undefined) delete plan.headers['authorization']
  else plan.headers['authorization'] = authorization
}

export function spoilHeaders(plan: RequestPlan, { draws }: Author): void {
  const [name, value] = draws.pick<[string, string]>([
    ['idempotency-key', ''],
    ['idempotency-key', 'x'.repeat(129)],
    ['idempotency-key', 'two words'],
    ['idempotency-key', 'schlüssel'],
    ['idempotency-key', "'; drop table"],
    ['idempotency-key', `fixed-${draws.below(20)}`],
    ['accept', 'text/csv'],
    ['accept', 'application/xml'],
    ['accept', '*/*;q=0'],
    ['accept', 'text/csv, application/json'],
    ['accept-encoding', 'gzip, br'],
    ['accept-encoding', 'x'.repeat(500)],
    ['content-type', 'application/json; charset=utf-8'],
    ['content-type', 'APPLICATION/JSON'],
    ['content-type', 'text/plain'],
    ['content-type', 'application/json; charset=utf-16'],
    ['x-http-method-override', 'DELETE'],
    ['x-forwarded-for', '1.2.3.4'],
    ['x-request-id', '../../x'],
    ['origin', 'https://evil.example'],
    ['host', 'evil.example'],
    ['if-match', '"x"'],
    ['if-none-match', '*'],
    ['range', 'bytes=0-1'],
    ['expect', '200-ok'],
    ['connection', 'close, authorization'],
    ['accept-version', '9.9.9'],
    ['x-many', 'a'.repeat(8000)],
  ])
  plan.headers[name] = value
}
