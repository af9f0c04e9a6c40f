/** What the public port says and answers beside its endpoints. */
import { endpointsOf } from '../../../../server/src/server.ts'
import { SECURITY_HEADERS } from '../../../../server/src/http/security-headers.ts'
import { unless } from '../../faults/flow.ts'
import { envelopeOf, shown } from '../client.ts'
import type { Ask } from '../client.ts'
import type { Attack, Seen } from '../table.ts'
import type { Target } from '../target.ts'
import { filledPath } from './shape.ts'

const EVIL = 'https://evil.example'
/** Words of what is inside, which no answer to a stranger may have. */
const INSIDE = /node_modules|\.ts:\d|at \w+ \(|select |postgres|relation "|ECONNREFUSED|fastify/i
const TELLING = ['server', 'x-powered-by', 'via', 'x-runtime', 'x-debug']
const HIDDEN = [
  '/metrics',
  '/api/metrics',
  '/api/docs',
  '/api/docs/',
  '/api/openapi.json',
  '/openapi.json',
  '/swagger',
  '/api/swagger.json',
  '/.env',
  '/.git/config',
  '/debug',
  '/api/debug',
  '/api/admin',
  '/admin',
  '/server-status',
  '/api/../package.json',
  '/assets/../../package.json',
  '/assets/%2e%2e%2f%2e%2e%2fpackage.json',
  '/assets/..%5c..%5cpackage.json',
]

const sampleOf = ({ other }: Target): Ask[] => {
  const { access_token: token } = other.people.EVERY
  return [
    { method: 'GET', path: '/api/auth/me', token },
    { method: 'GET', path: '/api/accounts', token },
    { method: 'GET', path: '/api/accounts', token, headers: { accept: 'text/csv' } },
    { method: 'GET', path: '/api/accounts' },
    { method: 'POST', path: '/api/bookings', token, payload: '{' },
    { method: 'GET', path: '/api/nowhere' },
    { method: 'GET', path: '/api/accounts/%E0%A4%A', token },
    { method: 'PUT', path: '/api/bookings', token },
    { method: 'GET', path: '/livez' },
    { method: 'GET', path: '/readyz' },
    { method: 'GET', path: '/nowhere' },
  ]
}

async function headers(target: Target): Promise<Seen> {
  const wrong: string[] = []
  const requests = sampleOf(target)
  for (const request of requests) {
    const answer = await target.client.ask(request)
    const missing = Object.keys(SECURITY_HEADERS).filter(
      (name) => answer.headers[name.toLowerCase()] === undefined,
    )
    const telling = TELLING.filter((name) => answer.headers[name] !== undefined)
    wrong.push(
      ...missing.map((name) => `${request.path} has no ${name}`),
      ...telling.map((name) => `${request.path} tells ${name}: ${answer.headers[name]}`),
    )
  }
  return { seen: `${requests.length} kinds of answers; ${wrong.length} headers wrong`, wrong }
}

async function crossOrigin(target: Target): Promise<Seen> {
  const wrong: string[] = []
  const { access_token: token } = target.other.people.EVERY
  const cors = { origin: EVIL, 'access-control-request-method': 'POST' }
  for (const endpoint of target.endpoints)
    for (const method of ['OPTIONS', endpoint.method]) {
      const request = {
        method,
        path: `${filledPath(endpoint, undefined)}?attack=1`,
        token,
        headers: cors,
      }
      const answer = await target.client.ask(request)
      const allowed = Object.keys(answer.headers).filter((name) =>
        name.startsWith('access-control-'),
      )
      wrong.push(...unless(allowed.length === 0, `${shown(request, answer)}: ${allowed.join()}`))
    }
  return {
    seen: `${2 * target.endpoints.length} requests from ${EVIL}; ${wrong.length} allowed`,
    wrong,
  }
}

async function hidden(target: Target): Promise<Seen> {
  const wrong: string[] = []
  for (const path of HIDDEN) {
    const answer = await target.client.ask({ method: 'GET', path })
    const isPage = answer.status === 200 && /<div id="root"/.test(answer.text)
    const isShown = answer.status === 200 && !isPage
    wrong.push(...unless(!isShown, `${path}: ${answer.status} ${answer.text.slice(0, 80)}`))
  }
  return { seen: `${HIDDEN.length} addresses, ${wrong.length} shown`, wrong }
}

const BROKEN: readonly Omit<Ask, 'token'>[] = [
  { method: 'GET', path: "/api/accounts?cursor='" },
  { method: 'GET', path: '/api/accounts?cursor=AAAA' },
  { method: 'GET', path: '/api/accounts?limit=99999999999999999999' },
  { method: 'GET', path: '/api/accounts?limit[]=1' },
  { method: 'GET', path: '/api/accounts?__proto__[x]=1' },
  { method: 'GET', path: '/api/accounts/%00' },
  { method: 'GET', path: '/api/accounts/%c0%ae' },
  { method: 'GET', path: '/api/events?after=-1' },
  { method: 'GET', path: '/api/search?q=%27%22%3B--' },
  { method: 'POST', path: '/api/bookings', payload: '[[[[[[[' },
  { method: 'POST', path: '/api/bookings', payload: '{"asset":"\\ud800"}' },
  { method: 'POST', path: '/api/bookings', payload: Buffer.from([0xff, 0xfe]) },
  { method: 'POST', path: '/api/bookings', payload: 'a=1', headers: { 'content-type': 'text/x' } },
  { method: 'POST', path: '/api/users', payload: '{"roles":{"$ne":null}}' },
]

async function verbose(target: Target): Promise<Seen> {
  const wrong: string[] = []
  const { access_token: token } = target.other.people.EVERY
  for (const broken of BROKEN) {
    const request = { ...broken, token }
    const answer = await target.client.ask(request)
    const isPlain = envelopeOf(answer) !== undefined && answer.status < 500
    wrong.push(...unless(isPlain && !INSIDE.test(answer.text), shown(request, answer)))
  }
  return { seen: `${BROKEN.length} broken requests; ${wrong.length} tell what is inside`, wrong }
}

const HEAD = 'Host: localhost\r\n'
const BODY = 'Content-Type: application/json\r\n'

/** Two ways to read one stream of bytes: who stands in front would see other requests than we. */
const framings = (token: string): Readonly<Record<string, string>> => {
  const post = `POST /api/bookings HTTP/1.1\r\n${HEAD}${BODY}Authorization: Bearer ${token}\r\n`
  const hiding = 'GET /api/auth/me HTTP/1.1\r\n'
  const get = `${hiding}${HEAD}`
  const chunked = `${post}Transfer-Encoding: chunked\r\n`
  return {
    'length and chunks': `${chunked}Content-Length: 4\r\n\r\n0\r\n\r\n${hiding}`,
    'two lengths': `${post}Content-Length: 2\r\nContent-Length: 40\r\n\r\n{}${hiding}`,
    'a length with a sign': `${post}Content-Length: +2\r\n\r\n{}`,
    'a length that is none': `${post}Content-Length: 0x2\r\n\r\n{}`,
    'a coding that is none': `${post}Transfer-Encoding: xchunked\r\n\r\n0\r\n\r\n`,
    'a coding twice': `${post}Transfer-Encoding: chunked, identity\r\n\r\n0\r\n\r\n`,
    'a blank before the colon': `${post}Content-Length : 2\r\n\r\n{}`,
    'a folded head': `${get}X: a\r\n b\r\nTransfer-Encoding:\r\n chunked\r\n\r\n`,
    'a line feed alone': `GET /api/auth/me HTTP/1.1\n${HEAD.replace('\r', '')}X: a\nY: b\n\n`,
    'a chunk too large': `${chunked}\r\nffffffffffffffff1\r\n{}\r\n0\r\n\r\n`,
    'a zero byte in a head': `GET /api/auth/me HTTP/1.1\r\n${HEAD}X: a\0b\r\n\r\n`,
    'no host': 'GET /api/auth/me HTTP/1.1\r\n\r\n',
    'two hosts': `GET /api/auth/me HTTP/1.1\r\n${HEAD}Host: evil.example\r\n\r\n`,
    'HTTP/0.9': 'GET /api/auth/me\r\n\r\n',
    'no HTTP': '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03',
    '20 kB of heads': `GET /api/auth/me HTTP/1.1\r\n${HEAD}X: ${'x'.repeat(20_000)}\r\n\r\n`,
    '3,000 heads': `GET /api/auth/me HTTP/1.1\r\n${HEAD}${'X: y\r\n'.repeat(3_000)}\r\n`,
  }
}
/** These two may be read, in one way alone. */
const READABLE = /HTTP\/1\.1 (401|400|431)/

async function smuggling(target: Target): Promise<Seen> {
  const all = framings(target.other.people.EVERY.access_token)
  const wrong: string[] = []
  for (const [what, text] of Object.entries(all)) {
    const answer = await target.client.raw(Buffer.from(text, 'latin1'))
    const answers = [...answer.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => status)
    const isRefused = answers.length <= 1 && READABLE.test(answer) && !INSIDE.test(answer)
    wrong.push(...unless(isRefused, `${what}: ${answer.slice(0, 120)}`))
  }
  return { seen: `${Object.keys(all).length} requests; ${wrong.length} not refused`, wrong }
}

/** The link to the next page must not lead to whoever names another host. */
async function hosts({ client, home }: Target): Promise<Seen> {
  const request = {
    method: 'GET',
    path: '/api/accounts?limit=1',
    token: home.people.EVERY.access_token,
  }
  const other = await client.ask({ ...request, headers: { host: 'evil.example' } })
  const forwarded = await client.ask({
    ...request,
    headers: { 'x-forwarded-host': 'evil.example' },
  })
  const link = String(forwarded.headers['link'])
  return {
    seen: `${other.status}; ${forwarded.status} with the link ${link.slice(0, 20)}…`,
    wrong: [
      ...unless(other.status === 421, shown(request, other)),
      ...unless(link.startsWith('</api/accounts?'), `the link ${link}`),
    ],
  }
}

const row = (name: string, does: string, wanted: string, run: Attack['run']): Attack => ({
  of: 'API8',
  name,
  does,
  wanted,
  run,
})

export const CONFIGURATION: readonly Attack[] = [
  row('headers for browsers', 'looks at every kind of answer', '0 missing, 0 telling', headers),
  row(
    'another origin',
    'asks every endpoint from a page of somebody else',
    '0 allowed',
    crossOrigin,
  ),
  row('what is not public', 'asks for metrics, documents and files', '0 shown', hidden),
  row('what errors tell', 'breaks requests in many ways', '0 tell what is inside', verbose),
  row(
    'framing of requests',
    'sends bytes that two readers read differently',
    '0 accepted',
    smuggling,
  ),
  row('another host', 'names another host', '421, and a link to ourselves', hosts),
]

export const everyRoute = ({ app }: Target): ReturnType<typeof endpointsOf> => endpointsOf(app)
