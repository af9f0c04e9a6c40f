/** Requests that ask for more than there may be. What callers take up over time is in `limits`. */
import { unless } from '../../faults/flow.ts'
import { codeOf, shown } from '../client.ts'
import type { Ask } from '../client.ts'
import type { Attack, Seen } from '../table.ts'
import type { Target } from '../target.ts'
import { askOf, nameOf } from './shape.ts'

const NESTED = 5_000
const ITEMS = 10_001
const LONG = 8_000

async function pages(target: Target): Promise<Seen> {
  const { access_token: token } = target.other.people.EVERY
  const lists = target.endpoints.filter(
    ({ effect, path }) => effect === 'list' && !path.includes(':'),
  )
  const wrong: string[] = []
  const limits = ['10001', '0', '-1', '1e3', '99999999999999999', 'all', '1.5']
  for (const { path } of lists)
    for (const limit of limits) {
      const request = { method: 'GET', path: `/api${path}?limit=${limit}`, token }
      const answer = await target.client.ask(request)
      wrong.push(...unless(codeOf(answer) === 3001, shown(request, answer)))
    }
  return { seen: `${lists.length * limits.length} pages, ${wrong.length} answered`, wrong }
}

async function shapes(target: Target): Promise<Seen> {
  const { access_token: token } = target.other.people.EVERY
  const payloads = [
    '['.repeat(NESTED) + ']'.repeat(NESTED),
    `${'{"a":'.repeat(NESTED)}1${'}'.repeat(NESTED)}`,
    `[${'{},'.repeat(ITEMS)}{}]`,
    `{"a":"${'x'.repeat(LONG)}"}`,
    `{"a":${'9'.repeat(LONG)}}`,
  ]
  const wrong: string[] = []
  const endpoints = target.endpoints.filter(
    ({ body, path }) => body !== undefined && !path.endsWith('/push'),
  )
  for (const endpoint of endpoints)
    for (const payload of payloads) {
      const request: Ask = { ...askOf(endpoint, undefined, token), body: undefined, payload }
      const answer = await target.client.ask(request)
      wrong.push(
        ...unless(codeOf(answer) === 3001, `${nameOf(endpoint)}: ${answer.text.slice(0, 120)}`),
      )
    }
  return { seen: `${endpoints.length * payloads.length} bodies, ${wrong.length} taken`, wrong }
}

/** Each long text once: nothing may be stored that is longer than its column says. */
async function addresses(target: Target): Promise<Seen> {
  const { access_token: token } = target.other.people.EVERY
  const paths = [
    `/api/accounts/${'x'.repeat(LONG)}`,
    `/api/accounts?${'limit=1&'.repeat(1_000)}`,
    `/api/accounts?cursor=${'A'.repeat(LONG)}`,
    `/api/search?q=${'a'.repeat(LONG)}`,
    `/api/events?type=${'booking.created,'.repeat(400)}`,
  ]
  const wrong: string[] = []
  for (const path of paths) {
    const request = { method: 'GET', path, token }
    const answer = await target.client.ask(request)
    wrong.push(...unless([400, 404, 431].includes(answer.status), shown(request, answer)))
  }
  return { seen: `${paths.length} addresses, ${wrong.length} answered`, wrong }
}

const row = (name: string, does: string, wanted: string, run: Attack['run']): Attack => ({
  of: 'API4',
  name,
  does,
  wanted,
  run,
})

export const CONSUMPTION: readonly Attack[] = [
  row('pages without a bound', 'asks every list for pages of odd lengths', '0 answered', pages),
  row('bodies that are deep, wide or long', 'sends them to every endpoint', '0 taken', shapes),
  row('long addresses', 'asks with long paths and filters', '0 answered', addresses),
]
