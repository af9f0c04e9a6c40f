/**
 * The vault's published OpenAPI description, as a judge of both directions: what it says of a
 * request, of an answer and of a webhook's data. It finds what the description forbids, and what
 * the description does not know.
 */
import { readFileSync } from 'node:fs'
import { Ajv } from 'ajv'
import type { ValidateFunction } from 'ajv'
import { parse } from 'yaml'
import { undescribedIn } from './undescribed.ts'
import type { Schema } from './undescribed.ts'

type Parameter = { in: string; name: string; required?: boolean; schema?: Schema }
type Content = { content?: Record<string, { schema?: Schema }> }
type Operation = {
  parameters?: (Parameter | { $ref: string })[]
  requestBody?: Content & { required?: boolean }
  responses: Record<string, Content | { $ref: string }>
}
type Document = { paths: Record<string, Record<string, Operation>> }
type Route = { template: string; pattern: RegExp; operations: Record<string, Operation> }

export type Exchange = {
  method: string
  /** Path and query below the version. */
  url: string
  body: unknown
  status: number
  answer: unknown
}

export type Description = {
  /** Where a request deviates; empty for one that conforms. */
  request(exchange: Exchange): string[]
  answer(exchange: Exchange): string[]
  /** A webhook of version 2: the description has its event types, and the records in `data`. */
  webhook(type: string, data: unknown): string[]
}

/**
 * Parameters of the official client (`TransactionsApiGetTransactionsRequest` of
 * fireblocks/ts-sdk) that the description leaves out.
 */
const KNOWN_TO_THE_CLIENT = ['next', 'prev']
const ERROR = '#/components/responses/Error'
const ROOT_ID = 'description'

/** Parsed once, as it is large. */
const judges = new Map<string, Judge>()

export function readDescription(path: string): Description {
  const judge = judges.get(path) ?? new Judge(parse(readFileSync(path, 'utf8')) as Document)
  judges.set(path, judge)
  return {
    request: (exchange) => judge.request(exchange),
    answer: (exchange) => judge.answer(exchange),
    webhook: (type, data) => [
      ...judge.check('#/components/schemas/WebhookEvent', type, 'eventType'),
      ...judge.check('#/components/schemas/TransactionResponse', data, 'data'),
    ],
  }
}

class Judge {
  readonly #document: Document
  readonly #routes: Route[]
  readonly #ajv = new Ajv({ strict: false, validateFormats: false, logger: false, allErrors: true })
  readonly #compiled = new Map<string, ValidateFunction>()

  constructor(document: Document) {
    this.#document = document
    this.#ajv.addSchema(document, ROOT_ID, undefined, false)
    // A fixed segment goes before a parameter.
    this.#routes = Object.entries(document.paths)
      .map(([template, operations]) => ({ template, operations, pattern: patternOf(template) }))
      .toSorted((one, other) => parametersIn(one.template) - parametersIn(other.template))
  }

  request(exchange: Exchange): string[] {
    const { method, url, body } = exchange
    const route = this.#routeOf(url)
    const operation = route?.operations[method.toLowerCase()]
    if (route === undefined || operation === undefined)
      return [`${method} ${url}: there is no such operation`]
    const at = `${method} ${route.template}`
    const pointer = `${pointerOf(route, method)}/requestBody`
    const schema = `${pointer}/content/application~1json/schema`
    const { requestBody } = operation
    const problems = this.#query(operation, new URL(url, 'http://vault').searchParams)
    if (body !== undefined && requestBody === undefined) problems.push('no body is described')
    if (body === undefined && requestBody?.required === true) problems.push('the body is missing')
    if (body !== undefined && requestBody !== undefined)
      problems.push(...this.check(schema, body, 'body'))
    return problems.map((problem) => `${at}: ${problem}`)
  }

  answer({ method, url, status, answer }: Exchange): string[] {
    const route = this.#routeOf(url)
    const operation = route?.operations[method.toLowerCase()]
    if (route === undefined || operation === undefined) return []
    const key = [String(status), 'default'].find((name) => name in operation.responses)
    const at = `${method} ${route.template} ${status}`
    // An operation that describes no errors answers them as the others do.
    if (key === undefined && status < 400) return [`${at}: the status is not described`]
    const own = key === undefined ? ERROR : `${pointerOf(route, method)}/responses/${key}`
    const pointer = this.#target(own)
    const { content } = this.#at(pointer) as Content
    const schema = `${pointer}/content/application~1json/schema`
    if (content === undefined)
      return answer === undefined ? [] : [`${at}: an answer without a body is described`]
    return this.check(schema, answer, 'answer').map((problem) => `${at}: ${problem}`)
  }

  /** What is wrong with `value` by the schema at `pointer`. */
  check(pointer: string, value: unknown, name: string): string[] {
    let validate = this.#compiled.get(pointer)
    if (validate === undefined) {
      validate = this.#ajv.compile({ $ref: `${ROOT_ID}${pointer}` })
      this.#compiled.set(pointer, validate)
    }
    const errors = validate(value) ? [] : (validate.errors ?? [])
    const resolve = (target: string) => this.#at(target) as Schema
    const problems = [
      ...errors.map((error) => `${name}${error.instancePath} ${error.message ?? ''}`),
      ...undescribedIn(resolve, resolve(pointer), value).map(
        (path) => `${name}${path} is not described`,
      ),
    ]
    // Which of the items it is does not matter.
    return [...new Set(problems.map((problem) => problem.replaceAll(/\/\d+/g, '/*')))]
  }

  #routeOf(url: string): Route | undefined {
    const { pathname } = new URL(url, 'http://vault')
    return this.#routes.find((route) => route.pattern.test(pathname))
  }

  #query({ parameters = [] }: Operation, query: URLSearchParams): string[] {
    const described = parameters
      .map((entry) => ('$ref' in entry ? (this.#at(entry.$ref) as Parameter) : entry))
      .filter((parameter) => parameter.in === 'query')
    const names = described.map((parameter) => parameter.name)
    const missing = described
      .filter((parameter) => parameter.required === true && !query.has(parameter.name))
      .map((parameter) => `the parameter ${parameter.name} is missing`)
    const strange = [...query.keys()]
      .filter((name) => !names.includes(name) && !KNOWN_TO_THE_CLIENT.includes(name))
      .map((name) => `the parameter ${name} is not described`)
    const wrong = described.flatMap(({ name, schema = {} }) => {
      const text = query.get(name)
      if (text === null) return []
      const plain = typeof schema.$ref === 'string' ? (this.#at(schema.$ref) as Schema) : schema
      const isNumber = plain.type === 'number' || plain.type === 'integer'
      const valid = this.#ajv.validate(plain, isNumber ? Number(text) : text)
      return valid ? [] : [`the parameter ${name} is ${text}`]
    })
    return [...missing, ...strange, ...wrong]
  }

  /** Follows a reference to where it leads. */
  #target(pointer: string): string {
    const found = this.#at(pointer) as { $ref?: string }
    return found.$ref ?? pointer
  }

  #at(pointer: string): unknown {
    return pointer
      .slice('#/'.length)
      .split('/')
      .map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'))
      .reduce<unknown>((node, step) => (node as Record<string, unknown>)[step], this.#document)
  }
}

const parametersIn = (template: string) => template.split('{').length

function patternOf(template: string): RegExp {
  return new RegExp(`^${template.replaceAll(/\{[^}]+\}/g, '[^/]+')}$`)
}

function pointerOf({ template }: Route, method: string): string {
  return `#/paths/${template.replaceAll('~', '~0').replaceAll('/', '~1')}/${method.toLowerCase()}`
}
