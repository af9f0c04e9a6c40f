/** An adapter each of whose calls is a span. */
import type { SpanStart, Tracing } from '../core/tracing.ts'
import type { Venue } from './contract.ts'

type Anything = (...args: never[]) => unknown

/** `about`: which venue it is. Adapters are plain objects, whose parts are. */
export function tracedVenue(
  adapter: Venue,
  about: NonNullable<SpanStart['attributes']>,
  tracing: Tracing,
): Venue {
  const traced = <Part extends object>(part: Part, path: string): Part =>
    Object.fromEntries(
      Object.entries(part).map(([name, value]: [string, unknown]) => {
        if (typeof value === 'function')
          return [name, calling(part, value as Anything, path + name)]
        return [name, isPart(value) ? traced(value, `${path}${name}.`) : value]
      }),
    ) as Part
  const calling =
    (part: object, call: Anything, name: string): Anything =>
    (...args) =>
      tracing.during(
        { name: `venue ${name}`, kind: 'CLIENT', attributes: { ...about, 'kontor.call': name } },
        () => call.apply(part, args),
      )
  return traced(adapter, '')
}

const isPart = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype
