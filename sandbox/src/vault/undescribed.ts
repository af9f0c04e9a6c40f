/** Fields that a description does not know; JSON schemas allow them unless they say otherwise. */
export type Schema = {
  $ref?: string
  type?: string
  properties?: Record<string, Schema>
  additionalProperties?: boolean | Schema
  items?: Schema
  allOf?: Schema[]
  anyOf?: Schema[]
  oneOf?: Schema[]
}

type Resolve = (pointer: string) => Schema

/** The paths of what `value` has beyond the schema. */
export function undescribedIn(resolve: Resolve, schema: Schema, value: unknown): string[] {
  const forms = formsOf(resolve, schema)
  if (Array.isArray(value)) {
    const items = forms.flatMap((form) => form.items ?? [])
    if (items.length === 0) return []
    return value.flatMap((item, place) =>
      undescribedIn(resolve, { anyOf: items }, item).map((path) => `/${place}${path}`),
    )
  }
  if (typeof value !== 'object' || value === null) return []
  // A schema that names no fields takes any.
  const names = forms.some((form) => form.properties !== undefined)
  if (!names || forms.some((form) => Boolean(form.additionalProperties))) return []
  return Object.entries(value).flatMap(([name, content]) => {
    const known = forms.flatMap((form) => form.properties?.[name] ?? [])
    if (known.length === 0) return [`/${name}`]
    return undescribedIn(resolve, { anyOf: known }, content).map((path) => `/${name}${path}`)
  })
}

/** The schema with all that it is composed of, references followed. */
function formsOf(resolve: Resolve, schema: Schema): Schema[] {
  if (schema.$ref !== undefined) return formsOf(resolve, resolve(schema.$ref))
  const parts = [...(schema.allOf ?? []), ...(schema.anyOf ?? []), ...(schema.oneOf ?? [])]
  return [schema, ...parts.flatMap((part) => formsOf(resolve, part))]
}
