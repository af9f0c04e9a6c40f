import type { Endpoint } from './endpoint.ts'
import { CURSOR_PATTERNS, MAXIMUM_PAGE } from './lists.ts'
import { queryCursor, queryInteger } from './query.ts'
import { closed } from './shapes.ts'
import type { TObject } from './shapes.ts'

/** Every parameter that an endpoint takes in its query: those of paging too. */
export function querySchemaOf(endpoint: Endpoint): TObject {
  if (endpoint.effect !== 'list') return endpoint.query ?? closed({})
  return closed({
    ...endpoint.query?.properties,
    limit: queryInteger(1, MAXIMUM_PAGE),
    cursor: queryCursor(CURSOR_PATTERNS[endpoint.ordered_by ?? 'id']),
  })
}
