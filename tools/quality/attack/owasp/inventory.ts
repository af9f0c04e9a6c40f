/** Routes that are not in the book, and those that are. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { ROOT } from '../../../setup/setup.mjs'
import { unless } from '../../faults/flow.ts'
import { codeOf, shown } from '../client.ts'
import type { Attack, Seen } from '../table.ts'
import type { Target } from '../target.ts'
import { everyRoute } from './configuration.ts'
import { filledPath } from './shape.ts'

const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE', 'PROPFIND', 'PURGE']
const GUESSES = [
  'v1',
  'v2',
  'beta',
  'internal',
  'admin',
  'admin/users',
  'test',
  'debug',
  'graphql',
  'actuator',
  'actuator/env',
  'health',
  'status',
  'config',
  'configuration',
  'settings',
  'backup',
  'export',
  'import',
  'sql',
  'query',
  'rpc',
  'jsonrpc',
  'webhooks',
  'api-keys',
  'tokens',
  'keys',
  'signup',
  'register',
  'reset-password',
  'impersonate',
  'workspaces',
  'tasks',
  'failpoints',
  'venue-lease',
  'events/replay',
]

async function undeclared(target: Target): Promise<Seen> {
  const { access_token: token } = target.other.people.EVERY
  const known = new Set(everyRoute(target).map(({ path }) => path))
  const paths = [
    ...GUESSES,
    ...GUESSES.slice(0, 6).flatMap((word) =>
      [...known].slice(0, 20).map((path) => `${word}${path.replaceAll(/:\w+/g, 'x')}`),
    ),
  ].filter((path) => !known.has(`/${path}`))
  const wrong: string[] = []
  for (const path of paths)
    for (const method of ['GET', 'POST', 'DELETE']) {
      const request = { method, path: `/api/${path}`, token }
      const answer = await target.client.ask(request)
      // A word may stand where an id is read.
      const isUnknown = codeOf(answer) === 4004 || answer.status === 405 || answer.status === 400
      wrong.push(...unless(isUnknown, shown(request, answer)))
    }
  return { seen: `${3 * paths.length} guesses, ${wrong.length} answered`, wrong }
}

async function otherMethods(target: Target): Promise<Seen> {
  const { access_token: token } = target.other.people.EVERY
  const byPath = Map.groupBy(everyRoute(target), (endpoint) => filledPath(endpoint, undefined))
  const wrong: string[] = []
  let count = 0
  for (const [path, endpoints] of byPath) {
    const declared = endpoints.map(({ method }) => method as string)
    for (const method of METHODS) {
      if (declared.includes(method)) continue
      const request = { method, path, token }
      const answer = await target.client.ask(request)
      count += 1
      const allow = String(answer.headers['allow'] ?? '')
      const isRefused = answer.status === 405 && declared.every((name) => allow.includes(name))
      wrong.push(...unless(isRefused, shown(request, answer)))
    }
  }
  return { seen: `${count} pairs, ${wrong.length} not refused with 405 and Allow`, wrong }
}

type OpenApi = { paths: Record<string, Record<string, unknown>> }

async function documented(target: Target): Promise<Seen> {
  const file = join(ROOT, 'docs/generated/openapi.json')
  const { paths } = JSON.parse(readFileSync(file, 'utf8')) as OpenApi
  const inDocument = Object.entries(paths).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
  )
  const declared = everyRoute(target).map(
    ({ method, path }) => `${method} ${path.replaceAll(/:(\w+)/g, '{$1}')}`,
  )
  const wrong = [
    ...declared.filter((name) => !inDocument.includes(name)).map((name) => `${name} is missing`),
    ...inDocument.filter((name) => !declared.includes(name)).map((name) => `${name} is not there`),
  ]
  return { seen: `${declared.length} endpoints, ${inDocument.length} documented`, wrong }
}

const row = (name: string, does: string, wanted: string, run: Attack['run']): Attack => ({
  of: 'API9',
  name,
  does,
  wanted,
  run,
})

export const INVENTORY: readonly Attack[] = [
  row('routes that nobody declared', 'guesses names of routes', '0 answered', undeclared),
  row(
    'methods that nobody declared',
    'asks every path by every other method',
    '0 taken',
    otherMethods,
  ),
  row('the document', 'compares declarations and OpenAPI', 'the same endpoints', documented),
]
