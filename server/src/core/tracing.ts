/**
 * Spans of what is done, where somebody asked for traces (docs/operations.md, Traces). Where nobody
 * did there is none of it: who would make spans asks once, when it is built.
 */
export type SpanStart = {
  name: string
  /** SERVER: asked by others; CLIENT: asks others. */
  kind?: 'SERVER' | 'CLIENT'
  /** They name no person and hold no secret: kinds, routes, and ids of ours. */
  attributes?: Readonly<Record<string, string | number>>
}

export type RequestSpan = {
  /** What `work` begins lies inside the span. */
  run<T>(work: () => T): T
  end(attributes: NonNullable<SpanStart['attributes']>, failed: boolean): void
}

export type Tracing = {
  /** A span as long as the promise that `work` answers. What answers at once gets none. */
  during<T>(span: SpanStart, work: () => T): T
  /** A span that others end. `parent`: the header `traceparent` of whoever asks. */
  begin(span: SpanStart, parent: string | undefined): RequestSpan
  /** The header `traceparent` for whoever is asked from inside a span. */
  header(): string | undefined
}

let inUse: Tracing | undefined

/** To be called before anything is built. */
export function useTracing(tracing: Tracing | undefined): void {
  inUse = tracing
}

export const tracingInUse = (): Tracing | undefined => inUse
