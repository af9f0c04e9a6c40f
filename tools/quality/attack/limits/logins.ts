/** Guesses and empty requests, that must hold up nobody but who sends them. */
import { unless } from '../../faults/flow.ts'
import { codeOf, shown } from '../client.ts'
import type { Answer, Ask } from '../client.ts'
import type { Attack } from '../table.ts'
import type { Target } from '../target.ts'
import { PASSWORD } from '../target.ts'

const GUESSES = 40
const EMPTY = 119
const NETWORKS = 120
const LOGIN_CODES: readonly (number | undefined)[] = [3002, 4291]

const loginOf = (email: string, password: string, from: string, more: object = {}): Ask => ({
  method: 'POST',
  path: '/api/auth/login',
  body: { email, password, ...more },
  from,
})

/** Wrong passwords, a few at once. */
async function guess(
  { client }: Target,
  guesses: readonly Ask[],
): Promise<{ answers: Answer[]; odd: string[] }> {
  const answers: Answer[] = []
  const odd: string[] = []
  for (let next = 0; next < guesses.length; next += 8)
    await Promise.all(
      guesses.slice(next, next + 8).map(async (request) => {
        const answer = await client.ask(request)
        answers.push(answer)
        if (!LOGIN_CODES.includes(codeOf(answer))) odd.push(shown(request, answer))
      }),
    )
  return { answers, odd }
}

const expect200 = async ({ client }: Target, what: string, request: Ask): Promise<string[]> => {
  const answer = await client.ask(request)
  return unless(answer.status === 200, `${what}: ${shown(request, answer)}`)
}

const checked = (answers: readonly Answer[]): number =>
  answers.filter((answer) => codeOf(answer) === 3002).length

export const LOGINS: readonly Attack[] = [
  {
    of: 'LOGINS',
    name: 'guesses at one account from one address',
    does: `guesses the password of somebody with a live session ${GUESSES} times`,
    wanted: 'few are checked; live session, refresh, known device and other addresses go on',
    async run(target) {
      const person = await target.newPerson('guessed', ['READER'])
      const { email, access_token: token, refresh_token, id_token } = person
      const [home, guesser] = ['127.0.0.1', '127.0.1.1']
      const { answers, odd } = await guess(
        target,
        Array.from({ length: GUESSES }, (_, index) => loginOf(email, `guess ${index}`, guesser)),
      )
      return {
        seen: `${checked(answers)} of ${GUESSES} guesses checked; nobody else held up`,
        wrong: [
          ...odd,
          ...unless(checked(answers) <= 10, `${checked(answers)} guesses were checked`),
          ...(await expect200(target, 'the live session', {
            method: 'GET',
            path: '/api/auth/me',
            token,
            from: guesser,
          })),
          ...(await expect200(target, 'its refresh', {
            method: 'POST',
            path: '/api/auth/refresh',
            body: { access_token: token, refresh_token },
            from: guesser,
          })),
          ...(await expect200(target, 'a known device', {
            ...loginOf(email, PASSWORD, guesser, { id_token }),
          })),
          ...(await expect200(target, 'another address', loginOf(email, PASSWORD, home))),
        ],
      }
    },
  },
  {
    of: 'LOGINS',
    name: `${EMPTY} requests that are no login`,
    does: 'sends empty logins, refreshes and changes of password from one address',
    wanted: `${3 * EMPTY} × 400, and a login from the same address passes`,
    async run(target) {
      const { email } = await target.newPerson('behind-the-proxy', ['READER'])
      const from = '127.0.1.2'
      const others: string[] = []
      for (const path of ['login', 'refresh', 'password'])
        await Promise.all(
          Array.from({ length: EMPTY }, async () => {
            const request = { method: 'POST', path: `/api/auth/${path}`, body: {}, from }
            const answer = await target.client.ask(request)
            if (answer.status !== 400) others.push(shown(request, answer))
          }),
        )
      const login = await expect200(target, 'a login', loginOf(email, PASSWORD, from))
      const passed = login.length === 0 ? 'passed' : 'was refused'
      return {
        seen: `${3 * EMPTY - others.length} × 400; the login ${passed}`,
        wrong: [...others, ...login],
      }
    },
  },
  {
    of: 'LOGINS',
    name: `guesses at one account from ${NETWORKS} addresses`,
    does: 'guesses the password from many addresses, once each',
    wanted: 'the account’s known address and its live session go on',
    async run(target) {
      const { email, access_token: token } = await target.newPerson('hunted', ['READER'])
      const { answers, odd } = await guess(
        target,
        Array.from({ length: NETWORKS }, (_, index) =>
          loginOf(email, 'wrong', `127.0.2.${index + 1}`),
        ),
      )
      return {
        seen: `${checked(answers)} of ${NETWORKS} checked; nobody known held up`,
        wrong: [
          ...odd,
          ...(await expect200(target, 'the live session', {
            method: 'GET',
            path: '/api/auth/me',
            token,
          })),
          ...(await expect200(target, 'a known address', loginOf(email, PASSWORD, '127.0.0.1'))),
        ],
      }
    },
  },
]
