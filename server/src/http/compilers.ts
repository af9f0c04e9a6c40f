/**
 * The validators and serializers of routes, each compiled when it is first used. Compiling those of
 * all endpoints takes half a second of a processor, and a process that starts needs none of them.
 */
import AjvCompiler from '@fastify/ajv-compiler'
import SerializerSelector from '@fastify/fast-json-stringify-compiler'
import type { FastifyServerOptions } from 'fastify'
import type { FastifySchemaCompiler, FastifySerializerCompiler } from 'fastify/types/schema.js'
import { closed } from './shapes.ts'
import type { TSchema } from './shapes.ts'
import { validationError } from './validation-error.ts'

/** Nothing that was sent is changed, and every fault is named. */
export const VALIDATION = {
  coerceTypes: false,
  removeAdditional: false,
  useDefaults: false,
  allErrors: true,
  verbose: true,
  strict: false,
} as const

type Compilers = NonNullable<
  NonNullable<FastifyServerOptions['schemaController']>['compilersFactory']
>
type Validate = ReturnType<FastifySchemaCompiler<unknown>>
type Serialize = ReturnType<FastifySerializerCompiler<unknown>>

export function compilersAtFirstUse(): Compilers {
  const [buildValidators, buildSerializers] = [AjvCompiler(), SerializerSelector()]
  return {
    buildValidator: ((schemas, options) => {
      const compile = buildValidators(schemas, options) as FastifySchemaCompiler<unknown>
      return (route: Parameters<typeof compile>[0]) => validatorOf(() => compile(route))
    }) as typeof buildValidators,
    buildSerializer: (schemas, options) => {
      const compile = buildSerializers(schemas, options)
      return (route) => serializerOf(() => compile(route))
    },
  }
}

/** The framework reads the faults of the last call from the function. */
function validatorOf(compile: () => Validate): Validate {
  let compiled: Validate | undefined
  const validate: Validate = (data: unknown) => {
    compiled ??= compile()
    const answer = compiled(data)
    validate.errors = compiled.errors ?? null
    return answer
  }
  return validate
}

function serializerOf(compile: () => Serialize): Serialize {
  let compiled: Serialize | undefined
  return (data: unknown) => {
    compiled ??= compile()
    return compiled(data)
  }
}

type Checked = { errors?: unknown }

/**
 * Checks a value as a request's field of this name would be: throws 3001 with the places of all
 * faults. For a field whose schema depends on the record that it is for.
 */
export function fieldCheck(name: string, schema: TSchema): (value: unknown) => void {
  const validate = validatorOf(() =>
    (
      AjvCompiler()({}, {
        customOptions: VALIDATION,
      } as never) as FastifySchemaCompiler<unknown>
    )({ schema: closed({ [name]: schema }), method: '', url: '', httpPart: 'body' }),
  )
  return (value) => {
    if (validate({ [name]: value }) === true) return
    throw validationError((validate as Checked).errors as never, '')
  }
}
