/** Tokens, sessions and logins. */
import { setTimeout as pause } from 'node:timers/promises'
import { unless } from '../../faults/flow.ts'
import { codeOf, envelopeOf, shown } from '../client.ts'
import type { Answer, Ask } from '../client.ts'
import type { Attack, Seen } from '../table.ts'
import { PASSWORD } from '../target.ts'
import type { Target } from '../target.ts'
import { forgeriesOf } from './forgeries.ts'

const UNAUTHORIZED: readonly (number | undefined)[] = [1001, 1005]
/** Within this every process knows that a session is over. */
const NOTICED_MILLISECONDS = 2_000

async function forged(target: Target): Promise<Seen> {
  const person = await target.newPerson('forged', ['READER', 'ADMIN'])
  const forgeries = await forgeriesOf(target, person)
  const wrong: string[] = []
  let count = 0
  for (const [what, authorization] of forgeries)
    for (const [method, path] of [
      ['GET', '/api/auth/me'],
      ['GET', '/api/users'],
      ['POST', '/api/users'],
      ['GET', '/api/events/stream'],
    ] as const) {
      const headers = authorization === undefined ? {} : { authorization }
      const request: Ask = { method, path, headers, ...(method === 'POST' ? { body: {} } : {}) }
      const answer = await target.client.ask(request)
      count += 1
      wrong.push(
        ...unless(UNAUTHORIZED.includes(codeOf(answer)), `${what}: ${shown(request, answer)}`),
      )
    }
  const { status } = await target.client.ask({
    method: 'GET',
    path: '/api/auth/me',
    token: person.access_token,
  })
  return {
    seen: `${forgeries.size} kinds, ${count} requests: ${wrong.length} opened; real one: ${status}`,
    wrong: [...wrong, ...unless(status === 200, 'the real token opens nothing')],
  }
}

/** Where a token must not be looked for. */
async function elsewhere({ client, home }: Target): Promise<Seen> {
  const { access_token: token } = home.people.EVERY
  const requests: Ask[] = [
    { method: 'GET', path: `/api/auth/me?access_token=${token}` },
    { method: 'GET', path: `/api/auth/me?token=${token}` },
    { method: 'GET', path: '/api/auth/me', headers: { cookie: `access_token=${token}` } },
    { method: 'GET', path: '/api/auth/me', headers: { 'x-access-token': token } },
    { method: 'GET', path: '/api/auth/me', headers: { 'proxy-authorization': `Bearer ${token}` } },
  ]
  const wrong: string[] = []
  for (const request of requests) {
    const answer = await client.ask(request)
    wrong.push(...unless(codeOf(answer) === 1001, shown(request, answer)))
  }
  return { seen: `${requests.length} places, ${wrong.length} opened`, wrong }
}

type Taking = (target: Target, user: { id: string; email: string; token: string }) => Promise<Ask>

const TAKEN: Readonly<Record<string, Taking>> = {
  'a logout': async (_target, { token }) => ({ method: 'POST', path: '/api/auth/logout', token }),
  'new roles': async (target, { id, email }) => ({
    method: 'PUT',
    path: '/api/users',
    token: target.home.people.ADMIN.access_token,
    body: { id, email, roles: ['TRADER'], state: 'ACTIVE' },
  }),
  'being disabled': async (target, { id, email }) => ({
    method: 'PUT',
    path: '/api/users',
    token: target.home.people.ADMIN.access_token,
    body: { id, email, roles: ['READER'], state: 'DISABLED' },
  }),
  'a new password from another session': async (target, { email }) => {
    const { access_token: token } = await target.login(email)
    return {
      method: 'POST',
      path: '/api/auth/password',
      token,
      body: { old_password: PASSWORD, new_password: `another ${PASSWORD}` },
    }
  },
}

async function taken(target: Target): Promise<Seen> {
  const wrong: string[] = []
  for (const [index, [what, taking]] of Object.entries(TAKEN).entries()) {
    const person = await target.newPerson(`taken-${index}`, ['READER'])
    const { access_token: token, refresh_token, user_id: id, email } = person
    const request = await taking(target, { id, email, token })
    const answer = await target.client.ask(request)
    wrong.push(...unless(answer.status === 200, `${what}: ${shown(request, answer)}`))
    await pause(NOTICED_MILLISECONDS)
    const [me, refreshed] = [
      await target.client.ask({ method: 'GET', path: '/api/auth/me', token }),
      await target.client.ask({
        method: 'POST',
        path: '/api/auth/refresh',
        body: { access_token: token, refresh_token },
      }),
    ]
    const codes = `${codeOf(me)}, ${codeOf(refreshed)}`
    wrong.push(...unless(codes === '1001, 1006', `after ${what}: ${codes}`))
  }
  const count = Object.keys(TAKEN).length
  return { seen: `${count} ways to end a session; ${wrong.length} left it open`, wrong }
}

/** Without what differs by request. */
const wordsOf = ({ status, text }: Answer): string =>
  `${status} ${text.replace(/"request_id":"[^"]*"/, '')}`

async function strangers(target: Target): Promise<Seen> {
  const { email } = await target.newPerson('known', ['READER'])
  const login = (mail: string, from: string) =>
    target.client.ask({
      method: 'POST',
      path: '/api/auth/login',
      body: { email: mail, password: 'wrong password' },
      from,
    })
  const [known, unknown] = [
    await login(email, '127.0.3.1'),
    await login('nobody@example.com', '127.0.3.2'),
  ]
  const alike = wordsOf(known) === wordsOf(unknown)
  return {
    seen: alike ? 'the same answer' : 'two answers',
    wrong: unless(alike, `${wordsOf(known)} and ${wordsOf(unknown)}`),
  }
}

async function refreshes(target: Target): Promise<Seen> {
  const { home, other, client } = target
  const [mine, theirs] = [home.people.READER, other.people.READER]
  const pairs = [
    [mine.access_token, theirs.refresh_token],
    [theirs.access_token, mine.refresh_token],
    [mine.id_token, mine.refresh_token],
    [mine.access_token, ''],
    [mine.access_token, mine.refresh_token.toLowerCase()],
    ['a.b.c', mine.refresh_token],
  ]
  const wrong: string[] = []
  for (const [access_token, refresh_token] of pairs) {
    const body = { access_token, refresh_token }
    const request = { method: 'POST', path: '/api/auth/refresh', body }
    const answer = await client.ask(request)
    wrong.push(...unless(codeOf(answer) === 1006, shown(request, answer)))
  }
  return { seen: `${pairs.length} pairs, ${wrong.length} renewed`, wrong }
}

/** The console's refresh token: in a cookie for one address, and for our own pages. */
async function cookie(target: Target): Promise<Seen> {
  const { email } = await target.newPerson('cookie', ['READER'])
  const answer = await target.client.ask({
    method: 'POST',
    path: '/api/auth/console/login',
    body: { email, password: PASSWORD },
    headers: { origin: 'https://kontor.example' },
  })
  const [set = ''] = answer.headers['set-cookie'] ?? []
  const parts = ['HttpOnly', 'SameSite=Strict', 'Secure', 'Path=/api/auth/console']
  const missing = parts.filter((part) => !set.includes(part))
  const data = envelopeOf<object>(answer)?.data ?? {}
  const alone = await target.client.ask({
    method: 'GET',
    path: '/api/auth/me',
    headers: { cookie: set.split(';')[0] ?? '' },
  })
  return {
    seen: set.replace(/=[^;]+/, '=…'),
    wrong: [
      ...missing.map((part) => `the cookie is not ${part}`),
      ...unless(!('refresh_token' in data), 'the answer shows the refresh token'),
      ...unless(codeOf(alone) === 1001, `the cookie alone answers ${alone.status}`),
    ],
  }
}

const row = (name: string, does: string, wanted: string, run: Attack['run']): Attack => ({
  of: 'API2',
  name,
  does,
  wanted,
  run,
})

export const AUTHENTICATION: readonly Attack[] = [
  row('forged tokens', 'sends tokens that a forger makes of a real one', '0 opened', forged),
  row('a token in another place', 'sends a real token elsewhere', '0 opened', elsewhere),
  row(
    'sessions that were ended',
    'ends a session in each way, then uses and refreshes it',
    '0 left open after 2 s',
    taken,
  ),
  row(
    'who has an account',
    'logs in with a wrong password, to an account and to none',
    'the same answer',
    strangers,
  ),
  row('refresh tokens of others', 'mixes tokens of two logins', '0 renewed', refreshes),
  row(
    'the cookie of the console',
    'logs in as the console does, and uses the cookie elsewhere',
    'HttpOnly, SameSite=Strict, Secure, one path; opens nothing else',
    cookie,
  ),
]
