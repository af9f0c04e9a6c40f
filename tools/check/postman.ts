/**
 * The OpenAPI document as a collection for Postman (format 2.1): a folder for each tag, a request
 * for each operation with its example, and variables for the address and the token.
 */
type Schema = Readonly<Record<string, unknown>>
type Reference = { $ref: string }
type Parameter = {
  name: string
  in: string
  description?: string
  schema: Schema
  example?: unknown
}
type Content = { content: Record<string, { example?: unknown }> }
type Operation = {
  operationId: string
  summary: string
  description?: string
  tags: string[]
  security?: unknown[]
  parameters?: (Parameter | Reference)[]
  requestBody?: Content
  responses: Record<string, Content | Reference>
}
type Document = {
  info: { title: string; description: string; version: string }
  tags: { name: string; description: string }[]
  paths: Record<string, Record<string, Operation>>
  components: { parameters: Record<string, Parameter>; schemas: Record<string, Schema> }
}
type Field = { key: string; value: string; description?: string; disabled?: boolean }

const FORMAT = 'https://schema.getpostman.com/json/collection/v2.1.0/collection.json'
const VARIABLES = [
  { key: 'base_url', value: 'http://localhost:4000/api', type: 'string' },
  { key: 'token', value: '', type: 'string' },
]
/** Keeps the token for the requests that follow. */
const KEEP_TOKEN = [
  'const { data } = pm.response.json()',
  "if (data) pm.collectionVariables.set('token', data.access_token)",
]
const JSON_TYPE = 'application/json'

export function postmanCollection(text: string): unknown {
  const document = JSON.parse(text) as Document
  const { title, description, version } = document.info
  const how =
    'Set `base_url`, then send "Log in": it keeps the token. Or set `token` to an API key.'
  return {
    info: { name: title, description: `${how}\n\n${description}`, version, schema: FORMAT },
    auth: { type: 'bearer', bearer: [{ key: 'token', value: '{{token}}', type: 'string' }] },
    variable: VARIABLES,
    item: document.tags.map(({ name, description: about }) => ({
      name,
      description: about,
      item: Object.entries(document.paths).flatMap(([path, methods]) =>
        Object.entries(methods)
          .filter(([, operation]) => operation.tags.includes(name))
          .map(([method, operation]) => itemOf(document, method.toUpperCase(), path, operation)),
      ),
    })),
  }
}

function itemOf(document: Document, method: string, path: string, operation: Operation): unknown {
  const { operationId, summary, responses } = operation
  const request = requestOf(document, method, path, operation)
  const answer = responses['200']
  const example = answer && 'content' in answer ? answer.content[JSON_TYPE]?.example : undefined
  return {
    name: summary,
    request,
    response: example === undefined ? [] : [responseOf(summary, request, example)],
    ...(operationId === 'login'
      ? { event: [{ listen: 'test', script: { type: 'text/javascript', exec: KEEP_TOKEN } }] }
      : {}),
  }
}

const responseOf = (name: string, originalRequest: unknown, example: unknown): unknown => ({
  name,
  originalRequest,
  status: 'OK',
  code: 200,
  header: [{ key: 'Content-Type', value: JSON_TYPE }],
  body: JSON.stringify(example, null, 2),
  _postman_previewlanguage: 'json',
})

function requestOf(
  { components }: Document,
  method: string,
  path: string,
  { description, parameters = [], requestBody, security }: Operation,
): unknown {
  const known = parameters.map((one) =>
    '$ref' in one ? components.parameters[one.$ref.split('/').at(-1) ?? ''] : one,
  )
  const fieldsIn = (place: string) =>
    known
      .filter((one) => one !== undefined && one.in === place)
      .map((one) => fieldOf(one as Parameter, components.schemas))
  // Each is switched on by whoever wants it.
  const optional = (fields: Field[]) => fields.map((field) => ({ ...field, disabled: true }))
  const parts = path.slice(1).replaceAll(/\{(\w+)\}/g, ':$1')
  const [type] = Object.keys(requestBody?.content ?? {})
  return {
    method,
    header: [
      ...(type === undefined ? [] : [{ key: 'Content-Type', value: type }]),
      ...optional(fieldsIn('header')),
    ],
    url: {
      raw: `{{base_url}}/${parts}`,
      host: ['{{base_url}}'],
      path: parts.split('/'),
      query: optional(fieldsIn('query')),
      variable: fieldsIn('path'),
    },
    ...(description === undefined ? {} : { description }),
    ...(security?.length === 0 ? { auth: { type: 'noauth' } } : {}),
    ...bodyOf(requestBody),
  }
}

function bodyOf(requestBody: Content | undefined): { body?: unknown } {
  const [[type, { example }] = ['', {}]] = Object.entries(requestBody?.content ?? {})
  if (example === undefined) return {}
  if (type !== JSON_TYPE) return { body: { mode: 'urlencoded', urlencoded: formOf(example) } }
  const raw = JSON.stringify(example, null, 2)
  return { body: { mode: 'raw', raw, options: { raw: { language: 'json' } } } }
}

const formOf = (example: unknown): Field[] =>
  Object.entries(example as Record<string, string>).map(([key, value]) => ({ key, value }))

function fieldOf({ name, description, schema, example }: Parameter, named: Schemas): Field {
  const value = example ?? exampleOf(schema, named)
  return {
    key: name,
    value: value === undefined ? '' : String(value),
    ...(description === undefined ? {} : { description }),
  }
}

type Schemas = Readonly<Record<string, Schema>>

/** A value that the schema itself names, where it does. */
function exampleOf(schema: Schema, named: Schemas): unknown {
  const { $ref, items, examples, enum: words, type, minimum } = schema
  if (typeof $ref === 'string') return exampleOf(named[$ref.split('/').at(-1) ?? ''] ?? {}, named)
  if (items !== undefined) return exampleOf(items as Schema, named)
  const [first] = (examples ?? words ?? []) as unknown[]
  if (first !== undefined) return first
  return type === 'integer' ? (minimum ?? 0) : undefined
}
