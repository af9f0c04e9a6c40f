/** Paths, filters and whole addresses that do not exist. */
import { newId } from '../../../src/core/ids.ts'
import type { Author } from '../author.ts'
import type { Schema } from '../arbitraries.ts'
import { HOSTILE } from '../hostile.ts'
import { pathOf } from '../requests.ts'
import type { RequestPlan } from '../requests.ts'
import { wellFormed } from './spoil.ts'

export function spoilPath(plan: RequestPlan, author: Author): void {
  if (plan.endpoint !== undefined)
    plan.url = pathOf(author, plan.endpoint, { replace: pathText(author) })
}

function pathText({ draws, foreign }: Author): string {
  return draws.pick([
    () => newId(),
    () => draws.draw(foreign.idFor('id')),
    () => encodeURIComponent(wellFormed(draws.draw(HOSTILE))),
    () => '',
    () => '%00',
    () => '%zz',
    () => '%ff%fe',
    () => 'x'.repeat(250),
    () => '..',
    () => '%2e%2e%2f',
    () => '*',
    () => ':id',
    () => newId().toUpperCase(),
    () => `${newId()}?x=1`,
    () => `${newId()};v=1`,
  ])()
}

export function spoilQuery(plan: RequestPlan, { draws, endpoints }: Author): void {
  const [path = '', query = ''] = plan.url.split('?')
  const names = [
    ...Object.keys((plan.endpoint?.query as Schema | undefined)?.properties ?? {}),
    'limit',
    'cursor',
    'unknown',
    draws.pick(endpoints).path.slice(1),
  ]
  const name = draws.pick(names)
  const value = encodeURIComponent(
    wellFormed(
      draws.once(20)
        ? draws.pick(['AAAA', Buffer.from(newId()).toString('base64url'), '10001', '-5', '1.0'])
        : draws.draw(HOSTILE),
    ),
  )
  const added = draws.pick([
    `${name}=${value}`,
    `${name}=${value}&${name}=${value}`,
    `${name}[]=${value}`,
    `${name}[a]=${value}`,
    name,
    `${name}=`,
    `=${value}`,
    `${name}=%`,
    `${name}=%00`,
    `${name}=%ed%a0%80`,
    `&&&`,
    `${name}=${value};x=1`,
    `__proto__=1`,
    `${name}=1&`.repeat(200),
  ])
  plan.url = `${path}?${query === '' || draws.once(2) ? '' : `${query}&`}${added}`
}

export function spoilUrl(plan: RequestPlan, { draws }: Author): void {
  const [path = '', query = ''] = plan.url.split('?')
  const other = draws.pick([
    `${path}/`,
    path.replace('/api', '/api/'),
    path.replace('/api', ''),
    path.toUpperCase(),
    `${path}%2f`,
    `${path}/x`,
    `${path}%00`,
    `${path}%`,
    `${path}/%e0%a4%a`,
    `/api/../api${path.slice(4)}`,
    `${path}.json`,
    `${path};a=b`,
    `${path}#x`,
    '/api',
    '/api/',
    '/',
    '//',
    '/api/nowhere',
    `/api/${'x'.repeat(3000)}`,
    '/api/openapi.json',
    '/api/docs',
    '/healthz',
    '/readyz',
    '/metrics',
    '/.env',
    '/api/*',
    '/api/%',
    '/api/accounts/%',
    encodeURI(`${path}/日本`),
    path.replaceAll('/', '//'),
    path.replaceAll('/', '\\'),
  ])
  plan.url = query === '' || draws.once(2) ? other : `${other}?${query}`
}
