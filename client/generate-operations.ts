/** The source text of src/cli/operations.ts: every operation of the document as a command. */
import { TABLES } from './src/cli/special.ts'

type Schema = {
  $ref?: string
  type?: string | string[]
  enum?: readonly unknown[]
  items?: Schema
  anyOf?: readonly Schema[]
  description?: string
  properties?: Record<string, Schema>
  required?: readonly string[]
}
type Parameter = { name?: string; in?: string; required?: boolean; description?: string } & {
  schema?: Schema
}
type Operation = {
  operationId: string
  summary?: string
  description?: string
  tags?: readonly string[]
  parameters?: readonly Parameter[]
  requestBody?: { content: { 'application/json'?: { schema: Schema; example?: unknown } } }
  responses: Record<string, { content?: Record<string, { schema?: Schema }>; headers?: object }>
}
type Document = {
  paths: Record<string, Record<string, Operation>>
  components: { schemas: Record<string, Schema> }
}

const HEAD = `// Generated from the OpenAPI document; changes here are lost.
import type { Operation } from './operation.ts'

export const OPERATIONS: readonly Operation[] = [
`

/** Log-in, log-out and following events have commands of their own; a file fits into none. */
const BY_HAND = new Set([
  'login',
  'refreshTokens',
  'loginToConsole',
  'refreshConsole',
  'beginProviderSignIn',
  'finishProviderSignIn',
  'beginProviderConfirmation',
  'finishProviderConfirmation',
  'logoutByProvider',
  'logout',
  'streamEvents',
  'downloadAttachment',
  'downloadLoginLogo',
  'downloadLogo',
])

/** The document as JSON text. Throws when two operations would be one command. */
export function operationTable(document: string): string {
  const { paths, components } = JSON.parse(document) as Document
  const rows = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods)
      .filter(([, { operationId }]) => !BY_HAND.has(operationId))
      .map(([method, operation]) => rowOf(components, path, method, operation)),
  )
  const commands = rows.map(({ group, verb }) => `${group} ${verb}`)
  const twice = commands.find((command, index) => commands.indexOf(command) !== index)
  if (twice !== undefined) throw new Error(`two operations are the command ${twice}`)
  return `${HEAD}${rows.map((row) => `  ${JSON.stringify(row)},\n`).join('')}]\n`
}

function rowOf(
  components: Document['components'],
  path: string,
  method: string,
  operation: Operation,
) {
  const [tag = 'Other'] = operation.tags ?? []
  const parameters = operation.parameters ?? []
  const content = operation.requestBody?.content['application/json']
  const body = content === undefined ? undefined : resolved(components, content.schema)
  const answers = operation.responses['200']?.content ?? {}
  const [says = '', permission = ''] = (operation.description ?? '').split(/\n*Permission: /)
  return {
    id: operation.operationId,
    group: tag.toLowerCase().replaceAll(' ', '-'),
    verb: verbOf(operation.operationId, tag),
    method,
    path,
    summary: operation.summary ?? operation.operationId,
    ...(says === '' ? {} : { says }),
    ...(permission === '' ? {} : { permission: permission.replaceAll('`', '') }),
    query: parameters
      .filter((parameter) => parameter.in === 'query')
      .map(({ name = '', schema = {}, required = false, description }) =>
        fieldOf(name, resolved(components, schema), { required, description }),
      ),
    body: Object.entries(body?.properties ?? {}).map(([name, schema]) =>
      fieldOf(name, resolved(components, schema), {
        required: body?.required?.includes(name) === true,
        description: schema.description,
      }),
    ),
    ...(content === undefined ? {} : { example: content.example ?? {} }),
    ...(parameters.some(({ name }) => name === 'cursor') ? { paged: true } : {}),
    ...('text/csv' in answers ? { csv: true } : {}),
    ...columnsOf(components, operation.operationId, answers['application/json']?.schema),
  }
}

/** The fields of what is answered, where the document names them. */
function columnsOf(
  components: Document['components'],
  id: string,
  envelope: Schema | undefined,
): { columns?: string[] } {
  const data = resolved(components, envelope?.properties?.['data'] ?? {})
  const within = TABLES[id]?.rows
  const list = within === undefined ? data : (data.properties?.[within] ?? {})
  const columns = [...new Set(fieldsOf(components, list.items ?? list))]
  return columns.length === 0 ? {} : { columns }
}

/** A preview may answer otherwise than what it is one of. */
function fieldsOf(components: Document['components'], schema: Schema): string[] {
  const { properties = {}, anyOf = [], items } = resolved(components, schema)
  const own = [...Object.keys(properties), ...anyOf.flatMap((one) => fieldsOf(components, one))]
  return items === undefined ? own : [...own, ...fieldsOf(components, items)]
}

function resolved({ schemas }: Document['components'], schema: Schema): Schema {
  const named = schema.$ref === undefined ? undefined : schemas[schema.$ref.split('/').pop() ?? '']
  const plain = named ?? schema
  // `null` counts as absence.
  const [only, ...others] = (plain.anyOf ?? []).filter(({ type }) => type !== 'null')
  if (only === undefined || others.length > 0) return plain
  return resolved({ schemas }, { ...only, ...describing(plain.description) })
}

const describing = (description: string | undefined) =>
  description === undefined ? {} : { description }

function fieldOf(
  name: string,
  schema: Schema,
  { required, description }: { required: boolean; description: string | undefined },
) {
  const types = [schema.type ?? []].flat().filter((type) => type !== 'null')
  const [type = schema.anyOf === undefined ? 'json' : 'text'] = types
  const words = (schema.enum ?? schema.items?.enum)?.map(String)
  const says = description ?? schema.description
  return {
    name,
    kind: kindOf(type, schema),
    ...(required ? { required } : {}),
    ...(words === undefined ? {} : { words }),
    ...(says === undefined ? {} : { says }),
  }
}

function kindOf(type: string, { items }: Schema): string {
  if (type === 'boolean') return 'flag'
  if (type === 'integer' || type === 'number') return 'number'
  if (type === 'array') return items?.type === 'string' ? 'list' : 'json'
  return type === 'object' || type === 'json' ? 'json' : 'text'
}

/** `listDepositAssignments` of Deposits is `list-assignments`. */
function verbOf(operationId: string, tag: string): string {
  const words = operationId.replaceAll(/([A-Z])/g, ' $1').toLowerCase()
  const noun = tag.toLowerCase().replaceAll('-', ' ').replace(/s$/, '')
  return words
    .replace(new RegExp(` ${noun}s?(?= |$)`), '')
    .trim()
    .replaceAll(' ', '-')
}
