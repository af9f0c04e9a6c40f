/** Sends what an operation means, or shows what would be sent. */
import type { Client } from '../index.ts'
import type { Typed } from './arguments.ts'
import { hasPreview } from './operation.ts'
import type { Operation } from './operation.ts'
import type { Opened } from './session.ts'

/** The paths come from the table of operations, which the compiler cannot compare. */
type AnyCall = (path: string, request: object) => Promise<unknown>

export async function call(
  { method, path }: Operation,
  { params, query, body, values }: Pick<Typed, 'params' | 'query' | 'body' | 'values'>,
  kontor: Client,
  more: object = {},
): Promise<unknown> {
  const key = values['idempotency-key']
  const send = kontor[method === 'delete' ? 'del' : (method as 'get')] as unknown as AnyCall
  return send(path, {
    params,
    query,
    ...(body === undefined ? {} : { body }),
    ...(typeof key === 'string' ? { idempotency_key: key } : {}),
    ...more,
  })
}

/** What would be sent, and what the service says would come of it. Writes nothing. */
export async function preview(
  operation: Operation,
  typed: Typed,
  { kontor, server }: Opened,
): Promise<object> {
  const { params, query, body } = typed
  const path = operation.path.replaceAll(/\{(\w+)\}/g, (_, name: string) =>
    encodeURIComponent(params[name] ?? ''),
  )
  const search = new URLSearchParams(query).toString()
  const would_send = {
    method: operation.method.toUpperCase(),
    url: `${server}/api${path}${search === '' ? '' : `?${search}`}`,
    ...(body === undefined ? {} : { body }),
  }
  if (!hasPreview(operation))
    return {
      would_send,
      outcome: 'not known: the service has no preview of this. Nothing was sent.',
    }
  return { would_send, outcome: await outcomeOf(operation, typed, kontor) }
}

async function outcomeOf(operation: Operation, typed: Typed, kontor: Client): Promise<unknown> {
  if (operation.query.some(({ name }) => name === 'dry_run'))
    return call(operation, { ...typed, query: { ...typed.query, dry_run: 'true' } }, kontor)
  const { quantity } = typed.body as { quantity?: string }
  return kontor.post('/treasury/wallets/routes/{route_id}/estimate-fee', {
    params: { route_id: typed.params['treasury_route_id'] ?? '' },
    body: { quantity: quantity ?? '' },
  })
}
